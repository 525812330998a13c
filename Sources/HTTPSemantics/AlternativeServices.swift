/// The alternative services that origins offer (RFC 7838), as far as libcurl could use them.
package struct AlternativeServices: Equatable, Sendable {
  /// The origin that offers an alternative; its scheme is https.
  package struct Origin: Equatable, Sendable {
    /// In lower case, as in a URI: an IPv6 address is in brackets.
    package let host: String
    package let port: Int

    package init(host: String, port: Int) {
      self.host = host
      self.port = port
    }
  }

  package struct Entry: Equatable, Sendable {
    package let origin: Origin
    /// The protocol over which the origin made the offer. Like the offered one, it has libcurl's name: `h1`, `h2`,
    /// `h3`.
    package let originProtocol: String
    package let offeredProtocol: String
    package let host: String
    package let port: Int
    package let expiry: Timestamp
    /// Whether the entry outlives a change of the network.
    package let isPersistent: Bool

    package init(
      origin: Origin, originProtocol: String, offeredProtocol: String, host: String, port: Int, expiry: Timestamp,
      isPersistent: Bool
    ) {
      self.origin = origin
      self.originProtocol = originProtocol
      self.offeredProtocol = offeredProtocol
      self.host = host
      self.port = port
      self.expiry = expiry
      self.isPersistent = isPersistent
    }

    /// Whether the entry says the same as another one, for about as long.
    fileprivate func isNoNews(beside other: Entry, at now: Timestamp) -> Bool {
      guard
        originProtocol == other.originProtocol && offeredProtocol == other.offeredProtocol && host == other.host
          && port == other.port && isPersistent == other.isPersistent
      else { return false }
      return !expiry.isNews(beside: other.expiry, lifetime: expiry.seconds(since: now))
    }
  }

  /// The most entries. Further offers are not taken up, because a file that keeps growing is in the end not read any
  /// more.
  package static let maximumEntries = 10_000
  /// The most offers of one origin. libcurl takes the first that it can use.
  private static let maximumOffers = 8

  package private(set) var entries: [Entry]

  package init(_ entries: [Entry] = []) {
    self.entries = entries
  }

  /// Returns the offers that an origin makes with a response. The field's value "invalidates and replaces all cached
  /// alternative services for that origin" (RFC 7838 section 3).
  ///
  /// - Returns: an empty list for `clear`, or if no offer can be used, because libcurl does not know its protocol or
  ///   its lifetime is over; `nil` if the response has no well-formed offer.
  package static func offered(by head: Response, from origin: Origin, at now: Timestamp) -> [Entry]? {
    let members = head.fields.members(of: "Alt-Svc")
    // `clear` withdraws all offers, "including those specified in the same response".
    if members.contains(where: { $0.elementsEqual("clear".utf8) }) { return [] }
    let age = head.fields.values(of: .age).first.flatMap { ASCII.decimalInt64($0.bytes) } ?? 0
    let offers = members.compactMap { Offer(parsing: $0[...]) }
    if offers.isEmpty { return nil }
    let entries = offers.compactMap { (offer) -> Entry? in
      guard let name = offer.protocolName, offer.lifetime > age else { return nil }
      return Entry(
        origin: origin, originProtocol: head.version.alternativeName, offeredProtocol: name,
        host: offer.host.isEmpty ? origin.host : offer.host, port: offer.port,
        expiry: now.advanced(bySeconds: offer.lifetime - age), isPersistent: offer.isPersistent)
    }
    return Array(entries.prefix(maximumOffers))
  }

  /// Replaces the offers that an origin made before, unless they say the same or there are too many.
  ///
  /// - Returns: whether they were replaced, which is worth being written down.
  package mutating func replace(_ offers: [Entry], of origin: Origin, at now: Timestamp) -> Bool {
    let known = entries.filter { $0.origin == origin }
    let isKnown = known.count == offers.count && zip(offers, known).allSatisfy { $0.isNoNews(beside: $1, at: now) }
    let adds = offers.count > known.count
    if isKnown || adds && entries.count - known.count + offers.count > Self.maximumEntries { return false }
    entries.removeAll { $0.origin == origin }
    entries += offers
    return true
  }

  package mutating func removeExpired(at now: Timestamp) { entries.removeAll { $0.expiry <= now } }
}

/// An alternative as the field states it: `h2="alt.example:443"; ma=3600; persist=1`.
private struct Offer {
  /// libcurl's name for the protocol; `nil` if it does not know the protocol.
  let protocolName: String?
  /// Empty for the origin's own host.
  let host: String
  let port: Int
  /// In seconds; a day if the offer states none.
  var lifetime: Int64 = 86_400
  var isPersistent = false

  init?(parsing member: ArraySlice<UInt8>) {
    let parts = ListSyntax.split(member, at: ASCII.semicolon)
    let (name, value) = ListSyntax.parameter(parts[0])
    guard ASCII.isToken(name), let authority = value.flatMap(ListSyntax.unquoted),
      let colon = authority.lastIndex(of: ASCII.colon),
      let port = ASCII.decimalInt64(authority[(colon + 1)...]), 1...65_535 ~= port,
      let host = Self.host(authority[..<colon])
    else { return nil }
    protocolName = Self.name(of: name)
    self.host = host
    self.port = Int(port)
    for part in parts.dropFirst() {
      let (name, value) = ListSyntax.parameter(part)
      let argument = value.map { ListSyntax.unquoted($0) ?? Array($0) } ?? []
      if ASCII.equalIgnoringCase(name, "ma".utf8), !argument.isEmpty, argument.allSatisfy(ASCII.isDigit) {
        lifetime = ASCII.decimalInt64(argument) ?? .max
      }
      // "Clients MUST ignore "persist" parameters with values other than "1"" (RFC 7838 section 3.1).
      if ASCII.equalIgnoringCase(name, "persist".utf8) { isPersistent = argument.elementsEqual("1".utf8) }
    }
  }

  private static func name(of token: ArraySlice<UInt8>) -> String? {
    switch String(decoding: token, as: UTF8.self) {
    case "h2": "h2"
    case "h3": "h3"
    // The slash has no place in a token (RFC 7838 section 3).
    case "http%2F1.1", "h1": "h1"
    default: nil
    }
  }

  /// Returns a host that can stand in a line of the file and be asked for; `nil` for anything else.
  private static func host(_ bytes: ArraySlice<UInt8>) -> String? {
    if bytes.first == ASCII.openingBracket, bytes.last == ASCII.closingBracket {
      return IPAddress.bracketed(bytes.dropFirst().dropLast())
    }
    let isName = bytes.allSatisfy {
      ASCII.isLetter($0) || ASCII.isDigit($0) || $0 == ASCII.period || $0 == ASCII.hyphen
    }
    guard isName, bytes.first != ASCII.period else { return nil }
    return String(decoding: ASCII.lowercased(bytes), as: UTF8.self)
  }
}

extension HTTPVersion {
  fileprivate var alternativeName: String {
    switch self {
    case .http09, .http10, .http11: "h1"
    case .http2: "h2"
    case .http3: "h3"
    }
  }
}
