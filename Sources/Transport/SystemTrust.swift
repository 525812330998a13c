import Glibc

/// Where the system keeps the certificates that it trusts.
enum SystemTrust {
  /// Debian's and its relatives'.
  private static let directory = "/etc/ssl/certs"

  /// The directory, where it holds certificates by hashed names; `nil` leaves libcurl's own bundle.
  ///
  /// A bundle costs 35 ms to parse in every process, of a directory OpenSSL reads what the chain needs.
  static func hashedDirectory() -> String? {
    guard let stream = opendir(directory) else { return nil }
    defer { closedir(stream) }
    while let entry = readdir(stream) {
      let isHashed = withUnsafeBytes(of: &entry.pointee.d_name) { isHashedName($0) }
      if isHashed { return directory }
    }
    return nil
  }

  /// Eight hexadecimal digits, a dot, and a number: what `openssl rehash` makes.
  private static func isHashedName(_ name: UnsafeRawBufferPointer) -> Bool {
    let digits = name.prefix(8)
    let rest = name.dropFirst(8)
    return digits.allSatisfy { ($0 >= 0x30 && $0 <= 0x39) || ($0 >= 0x61 && $0 <= 0x66) }
      && rest.first == UInt8(ascii: ".") && rest.dropFirst().first.map { $0 >= 0x30 && $0 <= 0x39 } == true
  }
}
