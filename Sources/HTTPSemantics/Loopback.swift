/// The hosts that are this machine, whatever the state of its network.
package enum Loopback {
  /// Whether `host` is one. It is in lower case, and an IPv6 address is in brackets.
  ///
  /// They are `localhost` and the names below it (RFC 6761 section 6.3), 127.0.0.0/8 (RFC 1122 section 3.2.1.3), ::1
  /// (RFC 4291 section 2.5.3), and the unspecified addresses, which Linux takes for loopback addresses.
  package static func contains(_ host: String) -> Bool {
    let bytes = Array(host.utf8)
    if bytes.first == ASCII.openingBracket { return isIPv6(bytes.dropFirst().prefix { $0 != ASCII.closingBracket }) }
    let name = bytes.last == ASCII.period ? bytes.dropLast() : bytes[...]
    return isIPv4(name) || name.elementsEqual("localhost".utf8) || name.reversed().starts(with: localSuffix)
  }

  private static let localSuffix = ".localhost".utf8.reversed()

  private static func isIPv4(_ bytes: ArraySlice<UInt8>) -> Bool { IPAddress.ipv4(bytes).map(isLocal) ?? false }

  private static func isIPv6(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard let words = IPAddress.ipv6(bytes), words[..<5].allSatisfy({ $0 == 0 }) else { return false }
    let last = UInt32(words[6]) << 16 | UInt32(words[7])
    // An IPv6 address that holds an IPv4 address (RFC 4291 section 2.5.5.2).
    if words[5] == 0xffff { return isLocal(last) }
    return words[5] == 0 && last <= 1
  }

  private static func isLocal(_ address: UInt32) -> Bool { address >> 24 == 127 || address == 0 }
}
