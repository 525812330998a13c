extension Path {
  /// Uses an unpredictable name, and another one if that is taken.
  ///
  /// - Parameters:
  ///   - prefix: shows users which program the file belongs to; empty in garner's own directories.
  ///   - count: the number of random bytes that follow, in twice as many hexadecimal digits.
  ///   - use: throws `.fileExists` if the name is taken.
  /// - Returns: the name that was used.
  package static func fresh(
    prefix: String = ".garner-", bytes count: Int = 8, _ use: (Path) throws(Errno) -> Void
  ) throws(Errno) -> Path {
    var attempt = 0
    while true {
      guard let name = Path(prefix + (try SecureRandom.hexadecimal(bytes: count))) else { throw .invalidArgument }
      do throws(Errno) {
        try use(name)
        return name
      } catch {
        attempt += 1
        guard error == .fileExists, attempt < maximumAttempts else { throw error }
      }
    }
  }

  /// Two names of 64 random bits are practically never equal. Ten such errors mean that something else is wrong, or
  /// that another process takes each new file for an abandoned one.
  private static let maximumAttempts = 10
}
