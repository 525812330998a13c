import FlagTable
import Glibc
import HTTPSemantics

/// A value of `--resolve`, as libcurl takes it for CURLOPT_RESOLVE: `[+]HOST:PORT:ADDRESS[,ADDRESS]...`, or
/// `-HOST:PORT`, which takes back what an earlier one has set.
enum ResolveText {
  static func check(_ text: ArgumentText) throws(InvalidValue) -> ArgumentText {
    var rest = try LineText.check(text).bytes[...]
    let isRemoval = rest.first == ASCII.hyphen
    if isRemoval || rest.first == ASCII.plus { rest = rest.dropFirst() }
    // libcurl would take the first colon of an IPv6 address for the end of the host.
    if rest.first == ASCII.openingBracket { throw .unacceptable("HOST must be a name; --connect-to takes an address") }
    guard let colon = rest.firstIndex(of: ASCII.colon), colon > rest.startIndex else { throw malformed }
    rest = rest[(colon + 1)...]
    let portEnd = rest.firstIndex(of: ASCII.colon)
    guard isRemoval || portEnd != nil else { throw malformed }
    try PortText.check(rest[..<(portEnd ?? rest.endIndex)])
    guard !isRemoval, let portEnd else { return text }
    // libcurl skips empty addresses.
    let addresses = rest[(portEnd + 1)...].split(separator: ASCII.comma)
    if addresses.isEmpty { throw malformed }
    for address in addresses where !isAddress(address) {
      throw .unacceptable("\(ArgumentText(address).quoted) is not an IPv4 or IPv6 address")
    }
    return text
  }

  /// Returns the addresses that checked values give for an endpoint; the last value about it counts. `nil` if its host
  /// is left to be looked up.
  static func addresses(of endpoint: Endpoint, in texts: [ArgumentText]) -> [ArraySlice<UInt8>]? {
    let hosts = [Array(endpoint.host.utf8), [ASCII.asterisk]]
    for host in hosts {
      var found: [ArraySlice<UInt8>]?
      for text in texts {
        var rest = text.bytes[...]
        let isRemoval = rest.first == ASCII.hyphen
        if isRemoval || rest.first == ASCII.plus { rest = rest.dropFirst() }
        let columns = rest.split(separator: ASCII.colon, maxSplits: 2, omittingEmptySubsequences: false)
        guard columns.count > 1, ASCII.equalIgnoringCase(columns[0], host),
          ASCII.decimalUInt64(columns[1]) == UInt64(endpoint.port)
        else { continue }
        found = isRemoval || columns.count < 3 ? nil : columns[2].split(separator: ASCII.comma)
      }
      if let found { return found }
    }
    return nil
  }

  private static var malformed: InvalidValue { .unacceptable("expected HOST:PORT:ADDRESS") }

  private static func isAddress(_ text: ArraySlice<UInt8>) -> Bool {
    let isBracketed = text.first == ASCII.openingBracket && text.last == ASCII.closingBracket
    let address = isBracketed ? text.dropFirst().dropLast() : text
    let family = address.contains(ASCII.colon) ? AF_INET6 : AF_INET
    return withUnsafeTemporaryAllocation(of: in6_addr.self, capacity: 1) { parsed in
      inet_pton(family, String(decoding: address, as: UTF8.self), parsed.baseAddress) == 1
    }
  }
}
