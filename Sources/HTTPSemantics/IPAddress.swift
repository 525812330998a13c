/// Addresses as they are written: in full, and in no other way that resolvers understand (RFC 3986 section 3.2.2).
package enum IPAddress {
  /// Four numbers of one byte each, without zeros before them.
  package static func isIPv4(_ text: ArraySlice<UInt8>) -> Bool {
    let numbers = text.split(separator: ASCII.period, omittingEmptySubsequences: false)
    return numbers.count == 4 && numbers.allSatisfy(isByte)
  }

  private static func isByte(_ digits: ArraySlice<UInt8>) -> Bool {
    guard digits.count <= 3, let number = ASCII.unsignedDecimal(digits), number <= UInt8.max else { return false }
    return digits.count == 1 || digits.first != UInt8(ascii: "0")
  }

  /// - Parameter text: without brackets; a zone is no part of an address.
  package static func isIPv6(_ text: ArraySlice<UInt8>) -> Bool {
    var groups = 0
    // Two colons stand for the groups that are left out, once.
    var hasGap = text.starts(with: "::".utf8)
    var rest = hasGap ? text.dropFirst(2) : text
    while !rest.isEmpty || groups == 0 && !hasGap {
      let group = rest.prefix { $0 != ASCII.colon }
      rest = rest[group.endIndex...]
      if rest.isEmpty, isIPv4(group) {
        groups += 2
        break
      }
      guard isGroup(group) else { return false }
      groups += 1
      if rest.isEmpty { break }
      rest = rest.dropFirst()
      if rest.first == ASCII.colon, !hasGap {
        hasGap = true
        rest = rest.dropFirst()
      } else if rest.isEmpty {
        return false
      }
    }
    return hasGap ? groups < 8 : groups == 8
  }

  private static func isGroup(_ digits: ArraySlice<UInt8>) -> Bool {
    (1...4).contains(digits.count) && digits.allSatisfy { ASCII.isDigit($0) || ASCII.lowercased($0) &- 0x61 < 6 }
  }
}
