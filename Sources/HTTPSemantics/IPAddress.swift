/// The IP addresses in URLs: the texts that libcurl takes for addresses, each in the one spelling that it asks for.
package enum IPAddress {
  /// Whether a URL's host is an address and not a name. In a URL, IPv6 addresses have brackets, and others have no
  /// letters.
  package static func isHost(_ host: String) -> Bool {
    host.hasPrefix("[") || host.utf8.allSatisfy { ASCII.isDigit($0) || $0 == ASCII.period }
  }

  /// Reads an address as C's `inet_aton` does: up to four numbers, in decimal, octal (`0`) or hexadecimal (`0x`), of
  /// which the last one stands for all bytes that are left; `nil` for a name. Letters must be in lower case.
  static func ipv4(_ bytes: ArraySlice<UInt8>) -> UInt32? {
    guard let first = bytes.first, ASCII.isDigit(first) else { return nil }
    let bytes = bytes.span
    var start = 0
    var address: UInt64 = 0
    for place in 1...4 {
      var end = start
      while end < bytes.count, bytes[end] != ASCII.period { end += 1 }
      let isLast = end == bytes.count
      let bits = isLast ? 8 * (5 - place) : 8
      guard let number = number(bytes.extracting(start..<end)), number >> bits == 0 else { return nil }
      address = address << bits | number
      if isLast { return UInt32(address) }
      start = end + 1
    }
    return nil
  }

  /// Reads a number of at most 32 bits, by the rules of C for integers.
  private static func number(_ part: Span<UInt8>) -> UInt64? {
    var (start, radix) = (0, UInt64(10))
    if part.count > 1, part[0] == ASCII.zero {
      let isHexadecimal = part[1] == UInt8(ascii: "x")
      (start, radix) = isHexadecimal ? (2, 16) : (1, 8)
    }
    if start == part.count { return nil }
    var number: UInt64 = 0
    for index in start..<part.count {
      guard let value = Base16.value(of: part[index]), value < radix else { return nil }
      number = number * radix + UInt64(value)
      if number > UInt32.max { return nil }
    }
    return number
  }

  /// The length of four numbers with three digits each.
  private static let longestText = 15

  /// Returns the address as four numbers with periods between them (RFC 3986 section 3.2.2).
  static func text(_ address: UInt32) -> String {
    String(unsafeUninitializedCapacity: longestText) { text in
      var count = 0
      var shift = 32
      while shift > 0 {
        shift -= 8
        let number = UInt8(truncatingIfNeeded: address >> shift)
        if shift < 24 { append(ASCII.period) }
        if number > 99 { append(ASCII.zero + number / 100) }
        if number > 9 { append(ASCII.zero + number / 10 % 10) }
        append(ASCII.zero + number % 10)
      }
      return count

      func append(_ byte: UInt8) {
        text.initializeElement(at: count, to: byte)
        count += 1
      }
    }
  }

  /// The eight words of an IPv6 address (RFC 4291 section 2.2), without brackets and zone; `nil` for anything else.
  static func ipv6(_ bytes: ArraySlice<UInt8>) -> [UInt16]? {
    var words: [UInt16] = []
    var gap: Int?
    var rest = bytes
    if rest.starts(with: "::".utf8) {
      gap = 0
      rest = rest.dropFirst(2)
    }
    while !rest.isEmpty {
      let group = rest.prefix { $0 != ASCII.colon }
      rest = rest[group.endIndex...]
      if rest.isEmpty, group.contains(ASCII.period) {
        guard let last = ipv4(group), text(last).utf8.elementsEqual(group) else { return nil }
        words += [UInt16(last >> 16), UInt16(truncatingIfNeeded: last)]
        break
      }
      guard let word = word(group) else { return nil }
      words.append(word)
      if rest.isEmpty { break }
      rest = rest.dropFirst()
      // An address does not end with a single colon, and has at most one gap.
      if rest.isEmpty { return nil }
      if rest.first == ASCII.colon {
        if gap != nil { return nil }
        gap = words.count
        rest = rest.dropFirst()
      }
    }
    if let gap {
      // A gap stands for at least one word.
      guard words.count < 8 else { return nil }
      words.insert(contentsOf: repeatElement(0, count: 8 - words.count), at: gap)
    }
    return words.count == 8 ? words : nil
  }

  /// Returns the URL host for an IPv6 address that stands without brackets, as in files that other programs write, too;
  /// `nil` for anything else.
  package static func bracketed(_ address: some Sequence<UInt8>) -> String? {
    ipv6(ASCII.lowercased(Array(address))[...]).map { "[\(text($0))]" }
  }

  private static func word(_ group: ArraySlice<UInt8>) -> UInt16? {
    guard (1...4).contains(group.count) else { return nil }
    var word: UInt16 = 0
    for digit in group {
      guard let value = Base16.value(of: digit) else { return nil }
      word = word << 4 | UInt16(value)
    }
    return word
  }

  /// Returns the spelling of RFC 5952 section 4, and of section 5 if C's `inet_ntop` writes the four numbers of IPv4.
  static func text(_ words: [UInt16]) -> String {
    let gap = longestZeros(words)
    let isMixed = gap.lowerBound == 0 && (gap.count == 6 || gap.count == 5 && words[5] == 0xffff)
    let written = isMixed ? 6 : 8
    var text = ""
    for place in 0..<written where !gap.contains(place) {
      text += place == gap.upperBound && place > 0 ? "::" : place > 0 ? ":" : ""
      text += String(words[place], radix: 16)
    }
    if gap.upperBound == written, !gap.isEmpty { text += "::" }
    if !isMixed { return text }
    return text + (gap.upperBound == written ? "" : ":") + Self.text(UInt32(words[6]) << 16 | UInt32(words[7]))
  }

  /// Returns the first of the longest runs of two zero words or more; empty if there is none.
  private static func longestZeros(_ words: [UInt16]) -> Range<Int> {
    var longest = 0..<0
    var start = 0
    for place in words.indices {
      if words[place] != 0 {
        start = place + 1
      } else if place + 1 - start > max(longest.count, 1) {
        longest = start..<place + 1
      }
    }
    return longest
  }
}
