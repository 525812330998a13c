/// Hosts that are this machine, whatever becomes of its network.
package enum Loopback {
  /// Whether `host`, in lower case and an IPv6 address in brackets, is one.
  ///
  /// `localhost` and the names below it (RFC 6761 section 6.3), 127.0.0.0/8 (RFC 1122 section 3.2.1.3), ::1 (RFC 4291
  /// section 2.5.3), and the unspecified addresses, from which Linux makes these.
  package static func contains(_ host: String) -> Bool {
    let bytes = Array(host.utf8)
    if bytes.first == ASCII.openingBracket { return isIPv6(bytes.dropFirst().prefix { $0 != ASCII.closingBracket }) }
    let name = bytes.last == ASCII.period ? bytes.dropLast() : bytes[...]
    return isIPv4(name) || name.elementsEqual("localhost".utf8) || name.reversed().starts(with: localSuffix)
  }

  private static let localSuffix = ".localhost".utf8.reversed()

  private static func isIPv4(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard bytes.allSatisfy({ ASCII.isDigit($0) || $0 == ASCII.period }) else { return false }
    return bytes.starts(with: "127.".utf8) || bytes.elementsEqual("0.0.0.0".utf8)
  }

  private static func isIPv6(_ bytes: ArraySlice<UInt8>) -> Bool {
    if bytes.starts(with: "::ffff:".utf8) { return isIPv4(bytes.dropFirst("::ffff:".utf8.count)) }
    let isZero = { (byte: UInt8) in byte == ASCII.zero || byte == ASCII.colon }
    guard let last = bytes.last, bytes.dropLast().allSatisfy(isZero) else { return false }
    return last == UInt8(ascii: "1") || isZero(last)
  }
}
