import FlagTable
import HTTPSemantics

/// A value of `--resolve`, as libcurl takes it for CURLOPT_RESOLVE: `[+]HOST:PORT:ADDRESS[,ADDRESS]...`, or
/// `-HOST:PORT`, which takes one back.
enum ResolveText {
  static func check(_ text: ArgumentText) throws(InvalidValue) -> ArgumentText {
    var rest = try LineText.check(text).bytes[...]
    let isRemoval = rest.first == ASCII.hyphen
    if isRemoval || rest.first == UInt8(ascii: "+") { rest = rest.dropFirst() }
    var hostEnd = rest.startIndex
    if rest.first == UInt8(ascii: "["), let bracket = rest.firstIndex(of: UInt8(ascii: "]")) { hostEnd = bracket }
    guard let colon = rest[hostEnd...].firstIndex(of: ASCII.colon), colon > rest.startIndex else { throw malformed }
    rest = rest[(colon + 1)...]
    let portEnd = rest.firstIndex(of: ASCII.colon)
    guard isRemoval || portEnd != nil else { throw malformed }
    guard isNumber(rest[..<(portEnd ?? rest.endIndex)], upTo: 65535) else {
      throw .unacceptable("the port is not a number from 0 to 65535")
    }
    guard !isRemoval, let portEnd else { return text }
    // libcurl passes over what is empty.
    let addresses = rest[(portEnd + 1)...].split(separator: UInt8(ascii: ","))
    if addresses.isEmpty { throw malformed }
    for address in addresses where !isAddress(address) {
      throw .unacceptable("\(ArgumentText(address).quoted) is no IPv4 or IPv6 address")
    }
    return text
  }

  private static var malformed: InvalidValue { .unacceptable("expected HOST:PORT:ADDRESS") }

  private static func isAddress(_ text: ArraySlice<UInt8>) -> Bool {
    if text.first == UInt8(ascii: "["), text.last == UInt8(ascii: "]") { return isIPv6(text.dropFirst().dropLast()) }
    return text.contains(ASCII.colon) ? isIPv6(text) : isIPv4(text)
  }

  private static func isNumber(_ digits: ArraySlice<UInt8>, upTo limit: Int) -> Bool {
    guard !digits.isEmpty, digits.allSatisfy(ASCII.isDigit) else { return false }
    let significant = digits.drop { $0 == UInt8(ascii: "0") }
    return significant.count <= 5 && significant.reduce(0) { 10 * $0 + Int($1 & 15) } <= limit
  }

  private static func isIPv4(_ text: ArraySlice<UInt8>) -> Bool {
    var rest = text
    for place in 1...4 {
      let digits = rest.prefix { $0 != ASCII.period }
      // A zero before others makes it none, for libcurl too.
      guard isNumber(digits, upTo: 255), digits.count == 1 || digits.first != UInt8(ascii: "0") else { return false }
      if place == 4 { return digits.endIndex == rest.endIndex }
      guard digits.endIndex < rest.endIndex else { return false }
      rest = rest[(digits.endIndex + 1)...]
    }
    return false
  }

  /// RFC 4291 section 2.2.
  private static func isIPv6(_ text: ArraySlice<UInt8>) -> Bool {
    var groups = 0
    var isShortened = false
    var rest = text
    if rest.first == ASCII.colon {
      guard rest.starts(with: "::".utf8) else { return false }
      rest = rest.dropFirst()
    }
    while let first = rest.first {
      if first == ASCII.colon {
        // The second of two.
        if isShortened { return false }
        isShortened = true
        rest = rest.dropFirst()
        continue
      }
      if rest.contains(ASCII.period), !rest.contains(ASCII.colon) {
        guard isIPv4(rest) else { return false }
        groups += 2
        break
      }
      let digits = rest.prefix { $0 != ASCII.colon }
      guard digits.count <= 4, digits.allSatisfy({ Base16.value(of: $0) != nil }) else { return false }
      groups += 1
      if digits.endIndex == rest.endIndex { break }
      rest = rest[(digits.endIndex + 1)...]
      if rest.isEmpty { return false }
    }
    return isShortened ? groups < 8 : groups == 8
  }
}
