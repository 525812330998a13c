/// IP addresses as they stand in URLs: those that libcurl takes for ones, each in the one spelling that it asks for.
enum IPAddress {
  /// What C's `inet_aton` reads: up to four numbers, in decimal, octal (`0`) or hexadecimal (`0x`), of which the last
  /// one stands for all bytes that are left; `nil` for a name. Letters are small.
  static func ipv4(_ bytes: ArraySlice<UInt8>) -> UInt32? {
    guard let first = bytes.first, ASCII.isDigit(first) else { return nil }
    var rest = bytes
    var address: UInt64 = 0
    for place in 1...4 {
      let part = rest.prefix { $0 != ASCII.period }
      rest = rest[part.endIndex...]
      let bits = rest.isEmpty ? 8 * (5 - place) : 8
      guard let number = number(part), number >> bits == 0 else { return nil }
      address = address << bits | number
      if rest.isEmpty { return UInt32(address) }
      rest = rest.dropFirst()
    }
    return nil
  }

  /// At most 32 bits, by the rules of C for integers.
  private static func number(_ part: ArraySlice<UInt8>) -> UInt64? {
    var (digits, radix): (ArraySlice<UInt8>, UInt64) = (part, 10)
    if part.first == ASCII.zero, part.count > 1 {
      (digits, radix) = (part.dropFirst(), 8)
      if digits.first == UInt8(ascii: "x") { (digits, radix) = (digits.dropFirst(), 16) }
    }
    if digits.isEmpty { return nil }
    var number: UInt64 = 0
    for digit in digits {
      guard let value = Base16.value(of: digit), value < radix else { return nil }
      number = number * radix + UInt64(value)
      if number > UInt32.max { return nil }
    }
    return number
  }

  /// Four numbers with periods between (RFC 3986 section 3.2.2).
  static func text(_ address: UInt32) -> String {
    "\(address >> 24).\(address >> 16 & 0xff).\(address >> 8 & 0xff).\(address & 0xff)"
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
      // A single colon ends no address, and there is one gap at most.
      if rest.isEmpty { return nil }
      if rest.first == ASCII.colon {
        if gap != nil { return nil }
        gap = words.count
        rest = rest.dropFirst()
      }
    }
    if let gap {
      // It stands for one word at least.
      guard words.count < 8 else { return nil }
      words.insert(contentsOf: repeatElement(0, count: 8 - words.count), at: gap)
    }
    return words.count == 8 ? words : nil
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

  /// RFC 5952 section 4, and section 5 for what C's `inet_ntop` writes with the four numbers of IPv4.
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

  /// The first of the longest runs of two words or more; empty where there is none.
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
