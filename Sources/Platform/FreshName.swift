extension Path {
  /// Uses a name that nobody can foretell, and another one where something has it.
  ///
  /// - Parameters:
  ///   - start: what people see that it is by; none in garner's own directories.
  ///   - count: how many random bytes follow, in twice as many hexadecimal digits.
  ///   - use: throws `.fileExists` where the name is taken.
  /// - Returns: the name that has been used.
  package static func fresh(
    behind start: String = ".garner-", bytes count: Int = 8, _ use: (Path) throws(Errno) -> Void
  ) throws(Errno) -> Path {
    var attempt = 0
    while true {
      guard let name = Path(start + (try SecureRandom.hexadecimal(bytes: count))) else { throw .invalidArgument }
      do throws(Errno) {
        try use(name)
        return name
      } catch {
        attempt += 1
        guard error == .fileExists, attempt < maximumAttempts else { throw error }
      }
    }
  }

  /// Two names of 64 random bits are equal once in an age; ten times only if something else is wrong, or somebody
  /// takes each new file for one that was left.
  private static let maximumAttempts = 10
}
