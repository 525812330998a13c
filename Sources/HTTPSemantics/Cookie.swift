/// A cookie as a user agent keeps it (RFC 6265 section 5.3).
package struct Cookie: Equatable, Sendable {
  package let name: [UInt8]
  package let value: [UInt8]
  /// In lower case, without a period before it.
  package let domain: String
  /// Whether the cookie is for that host alone, and not for those below it.
  package let isHostOnly: Bool
  package let path: String
  package let isSecure: Bool
  package let isHTTPOnly: Bool
  /// `nil` for a cookie that ends with the session.
  package let expiry: Timestamp?
  /// Whether an origin has set it in this run.
  var isFromOrigin = false

  package init(
    name: [UInt8], value: [UInt8], domain: String, isHostOnly: Bool, path: String = "/", isSecure: Bool = false,
    isHTTPOnly: Bool = false, expiry: Timestamp? = nil
  ) {
    self.name = name
    self.value = value
    self.domain = domain
    self.isHostOnly = isHostOnly
    self.path = path
    self.isSecure = isSecure
    self.isHTTPOnly = isHTTPOnly
    self.expiry = expiry
  }

  package func isExpired(at now: Timestamp) -> Bool { expiry.map { $0 <= now } ?? false }

  /// Whether a new cookie takes the place of the other (RFC 6265 section 5.3, step 11).
  func replaces(_ other: Cookie) -> Bool {
    name == other.name && domain == other.domain && path == other.path && isHostOnly == other.isHostOnly
  }

  /// Whether the cookie could be taken for the other one, which is secure and has the same name (RFC 6265bis section
  /// 5.7).
  func shadows(_ other: Cookie) -> Bool {
    other.isSecure && name == other.name && Self.matches(path: path[...], cookiePath: other.path)
      && sharesHosts(with: other.domain)
  }

  /// Whether one of the two domains is the other, or below it.
  func sharesHosts(with other: String) -> Bool {
    Self.matches(host: domain, domain: other) || Self.matches(host: other, domain: domain)
  }

  /// Whether the cookie is sent with a request for `target` (RFC 6265 section 5.4, step 1).
  ///
  /// - Parameter host: the host that the request is for.
  func belongs(to target: TargetURI, of host: String) -> Bool {
    guard isHostOnly ? host == domain : Self.matches(host: host, domain: domain) else { return false }
    return Self.matches(path: target.path, cookiePath: path) && (!isSecure || Self.isSecure(target.origin, of: host))
  }

  /// Whether the connection is secure: over TLS, or to this machine under names that belong to no other, because nobody
  /// can listen there.
  static func isSecure(_ origin: TargetURI.Origin, of host: String) -> Bool {
    origin.scheme == .https || (Loopback.contains(origin.host) && Loopback.contains(host))
  }

  /// Whether the host matches the domain of a cookie (RFC 6265 section 5.1.3).
  static func matches(host: String, domain: String) -> Bool {
    if host == domain { return true }
    return host.hasSuffix("." + domain) && !IPAddress.isHost(host)
  }

  /// Whether the path matches the path of a cookie (RFC 6265 section 5.1.4).
  private static func matches(path: Substring, cookiePath: String) -> Bool {
    guard path.hasPrefix(cookiePath) else { return false }
    return path.utf8.count == cookiePath.utf8.count || cookiePath.hasSuffix("/")
      || path.utf8.dropFirst(cookiePath.utf8.count).first == ASCII.slash
  }
}

extension Cookie {
  /// The most bytes of a name and a value together (RFC 6265bis section 5.6).
  private static let longestPair = 4096
  /// The most bytes of an attribute's value; a longer attribute is ignored (RFC 6265bis section 5.6).
  private static let longestAttribute = 1024

  /// Reads a Set-Cookie field that came in answer to a request for `target` (RFC 6265 sections 5.2 and 5.3).
  ///
  /// - Parameters:
  ///   - host: the host that the request was for, if that is not the target's.
  ///   - isPublicSuffix: whether anybody may register a name below a domain. Only domains that have two labels or more,
  ///     and to which the host belongs, are passed to it.
  /// - Returns: `nil` for a cookie that is to be ignored: a malformed one, one for another domain or a public suffix,
  ///   or a secure one from a connection over which anybody could have sent it.
  package init?(
    _ field: FieldValue, from target: TargetURI, of host: String? = nil, at now: Timestamp,
    isPublicSuffix: (String) -> Bool
  ) {
    // A field with a control character sets nothing (RFC 6265bis section 5.6).
    guard field.bytes.allSatisfy({ ($0 >= ASCII.space && $0 != 0x7f) || $0 == ASCII.horizontalTab }) else {
      return nil
    }
    let parts = field.bytes.split(separator: ASCII.semicolon, omittingEmptySubsequences: false)
    guard let pair = parts.first, case (let name, let value?) = ListSyntax.parameter(pair), !name.isEmpty,
      name.count + value.count <= Self.longestPair, !name.contains(ASCII.horizontalTab),
      !value.contains(ASCII.horizontalTab)
    else { return nil }
    let attributes = CookieAttributes(parts.dropFirst(), longest: Self.longestAttribute, at: now)
    // No URL has a tab, and tabs stand between the columns of a file of cookies.
    if attributes.path?.utf8.contains(ASCII.horizontalTab) == true { return nil }
    let host = host ?? target.origin.host
    guard let (domain, isHostOnly) = Self.scope(attributes.domain, of: host, isPublicSuffix) else { return nil }
    if attributes.isSecure, !Self.isSecure(target.origin, of: host) { return nil }
    self.init(
      name: Array(name), value: Array(value), domain: domain, isHostOnly: isHostOnly,
      path: attributes.path ?? Self.defaultPath(of: target), isSecure: attributes.isSecure,
      isHTTPOnly: attributes.isHTTPOnly, expiry: attributes.expiry)
    if !keepsPromise(hasPath: attributes.path != nil, hasDomain: attributes.domain?.isEmpty == false) { return nil }
  }

  /// Returns the scope of a cookie; `nil` if the host may not set it (RFC 6265 section 5.3, steps 4 to 6).
  private static func scope(
    _ domain: String?, of host: String, _ isPublicSuffix: (String) -> Bool
  ) -> (domain: String, isHostOnly: Bool)? {
    // A period before a domain is ignored, so that the cookie of such a host would be another host's.
    if host.hasPrefix(".") { return nil }
    guard let domain, !domain.isEmpty else { return (host, true) }
    if domain == host { return (host, IPAddress.isHost(host) || isSingleLabel(host) || isPublicSuffix(host)) }
    guard matches(host: host, domain: domain), !isSingleLabel(domain), !isPublicSuffix(domain) else { return nil }
    return (domain, false)
  }

  /// Whether a domain has a single label, so that it is a registry's and a cookie for it everybody's. A period behind
  /// it does not count.
  package static func isSingleLabel(_ domain: String) -> Bool { !domain.utf8.dropLast().contains(ASCII.period) }

  /// Whether the cookie's host could have set it.
  package var isPermissible: Bool { keepsPromise(hasPath: true, hasDomain: !isHostOnly) }

  /// Whether the cookie keeps what the prefix of its name promises: that it could only be set over TLS, or by the host
  /// itself (RFC 6265bis section 4.1.3).
  ///
  /// - Parameter hasDomain: whether there was a Domain. The Domain of an address leaves the cookie with its host, and
  ///   breaks the promise all the same.
  private func keepsPromise(hasPath: Bool, hasDomain: Bool) -> Bool {
    let name = ASCII.lowercased(name)
    if name.starts(with: "__secure-".utf8) { return isSecure }
    if name.starts(with: "__host-".utf8) { return isSecure && !hasDomain && hasPath && path == "/" }
    return true
  }

  /// Returns the path of a cookie that states none (RFC 6265 section 5.1.4).
  private static func defaultPath(of target: TargetURI) -> String {
    let path = target.path
    guard let slash = path.utf8.lastIndex(of: ASCII.slash), slash > path.startIndex else { return "/" }
    return String(path[..<slash])
  }
}

extension Request {
  /// The host that the request's cookies are for: that of a typed Host field, whatever the address, as in curl.
  package var cookieHost: String {
    guard let typed = fields[.host]?.bytes, !typed.isEmpty else { return target.origin.host }
    let host = Authority.host(of: typed[...]) ?? typed[...]
    return String(decoding: ASCII.lowercased(host), as: UTF8.self)
  }
}

/// The attributes behind the name and the value of a cookie (RFC 6265 sections 5.2.1 to 5.2.6). The last of each
/// counts.
private struct CookieAttributes {
  /// In lower case, without a period before it.
  private(set) var domain: String?
  private(set) var path: String?
  private(set) var isSecure = false
  private(set) var isHTTPOnly = false
  private var expires: Timestamp?
  private var maxAge: Timestamp?

  /// "If both are present, Max-Age has precedence."
  var expiry: Timestamp? { maxAge ?? expires }

  init(_ parts: ArraySlice<ArraySlice<UInt8>>, longest: Int, at now: Timestamp) {
    for part in parts {
      let attribute = ListSyntax.parameter(part)
      let value = attribute.value ?? []
      if value.count > longest { continue }
      switch String(decoding: ASCII.lowercased(attribute.name), as: UTF8.self) {
      case "expires": expires = CookieDate.parse(value) ?? expires
      case "max-age":
        // A number of seconds that overflows means for ever.
        guard let first = value.first, first == ASCII.hyphen || ASCII.isDigit(first),
          value.dropFirst().allSatisfy(ASCII.isDigit)
        else { continue }
        let seconds = first == ASCII.hyphen ? 0 : ASCII.decimalInt64(value) ?? .max
        maxAge = now.advanced(bySeconds: seconds)
      case "domain":
        let name = value.first == ASCII.period ? value.dropFirst() : value
        domain = String(decoding: ASCII.lowercased(Array(name)), as: UTF8.self)
      case "path": path = value.first == ASCII.slash ? String(decoding: value, as: UTF8.self) : nil
      case "secure": isSecure = true
      case "httponly": isHTTPOnly = true
      default: break
      }
    }
  }
}

/// The parser for the dates of cookies, which may have any form (RFC 6265 section 5.1.1).
private enum CookieDate {
  /// - Returns: `nil` if a part of the date is missing, or there is no such moment.
  static func parse(_ bytes: ArraySlice<UInt8>) -> Timestamp? {
    var time: (hour: Int64, minute: Int64, second: Int64)?
    var (day, month, year): (Int64?, Int64?, Int64?)
    for token in bytes.split(whereSeparator: isDelimiter) {
      if time == nil, let found = timeOfDay(token) {
        time = found
      } else if day == nil, let number = leadingNumber(token, digits: 1...2) {
        day = number
      } else if month == nil, let index = HTTPDate.months.firstIndex(where: { isMonth(token, $0) }) {
        month = Int64(index + 1)
      } else if year == nil, let number = leadingNumber(token, digits: 2...4) {
        year = number
      }
    }
    guard let time, let day, let month, var year else { return nil }
    if (70...99).contains(year) { year += 1900 } else if (0...69).contains(year) { year += 2000 }
    guard year >= 1601, time.second < 60 else { return nil }
    return CivilTime(
      year: year, month: month, day: day, hour: time.hour, minute: time.minute, second: time.second
    ).timestamp
  }

  private static func isDelimiter(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x09, 0x20...0x2f, 0x3b...0x40, 0x5b...0x60, 0x7b...0x7e: true
    default: false
    }
  }

  private static func isMonth(_ token: ArraySlice<UInt8>, _ month: String) -> Bool {
    ASCII.equalIgnoringCase(token.prefix(3), month.utf8)
  }

  /// Returns the number at the front of a token, if it has that many digits. Anything may follow that is not a digit.
  private static func leadingNumber(_ token: ArraySlice<UInt8>, digits: ClosedRange<Int>) -> Int64? {
    let number = token.prefix(while: ASCII.isDigit)
    return digits.contains(number.count) ? ASCII.decimalInt64(number) : nil
  }

  private static func timeOfDay(_ token: ArraySlice<UInt8>) -> (hour: Int64, minute: Int64, second: Int64)? {
    let parts = token.split(separator: ASCII.colon, omittingEmptySubsequences: false)
    guard parts.count == 3 else { return nil }
    let numbers = parts.map { leadingNumber($0, digits: 1...2) }
    guard parts[0].allSatisfy(ASCII.isDigit), parts[1].allSatisfy(ASCII.isDigit), let hour = numbers[0],
      let minute = numbers[1], let second = numbers[2]
    else { return nil }
    return (hour, minute, second)
  }
}
