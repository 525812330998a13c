/// A URI reference, taken apart: with userinfo and fragment, absolute or relative (RFC 3986 section 4.1).
package struct URIReference: Equatable, Sendable {
  /// The longest reference in bytes, as in curl. Nothing real is longer, and what is longer is not worth a copy.
  package static let maximumLength = 8_000_000

  package struct UserInfo: Equatable, Sendable {
    package let user: [UInt8]
    package let password: [UInt8]
    /// Whether there is a password, even an empty one.
    package let hasPassword: Bool

    /// User and password as in credentials of the Basic scheme (RFC 7617 section 2).
    package var userPass: [UInt8] { user + [ASCII.colon] + password }
  }

  /// What becomes of `.` and `..` in a path that was typed.
  package enum DotSegments: Equatable, Sendable {
    case removed
    case kept
  }

  /// How many slashes may stand behind the scheme of a typed URL.
  package enum Slashes: Equatable, Sendable {
    case two
    /// As many as curl accepts.
    case oneToThree
  }

  package let target: TargetURI
  /// Percent-decoded; never part of the target.
  package let userInfo: UserInfo?

  /// Reads a typed URL: without a scheme it is `http`, as in curl.
  package init(
    typed bytes: some Collection<UInt8>, slashes: Slashes = .two, dotSegments: DotSegments = .removed
  ) throws(URIError) {
    try self.init(typed: Array(bytes), slashes: slashes, dotSegments: dotSegments)
  }

  /// The same as the generic one, which other modules cannot specialise.
  package init(
    typed bytes: [UInt8], slashes: Slashes = .two, dotSegments: DotSegments = .removed
  ) throws(URIError) {
    let bytes = bytes[...]
    try Self.checkLength(bytes)
    guard bytes.allSatisfy({ $0 > ASCII.space && $0 != 0x7f }) else { throw .forbiddenCharacter }
    if let (scheme, rest) = Self.splitScheme(bytes), let hierarchy = Self.hierarchy(rest, slashes) {
      try self.init(scheme: Self.scheme(scheme), hierarchy: hierarchy, dotSegments)
    } else {
      if Self.hasIncompleteScheme(bytes) { throw .incompleteScheme }
      try self.init(scheme: .http, hierarchy: Self.hasAuthority(bytes) ? bytes.dropFirst(2) : bytes, dotSegments)
    }
  }

  /// Resolves a reference that an origin sent, such as a Location (RFC 3986 section 5.2).
  ///
  /// Spaces and bytes above 0x7f are percent-encoded, as user agents do; control characters are refused.
  package init(_ reference: FieldValue, relativeTo base: TargetURI) throws(URIError) {
    var bytes = reference.bytes[...]
    try Self.checkLength(bytes)
    if let hash = bytes.firstIndex(of: ASCII.numberSign) { bytes = bytes[..<hash] }
    guard bytes.allSatisfy({ $0 >= ASCII.space && $0 != 0x7f }) else { throw .forbiddenCharacter }

    if let (scheme, rest) = Self.splitScheme(bytes) {
      let scheme = try Self.scheme(scheme)
      guard Self.hasAuthority(rest) else { throw .noHost }
      try self.init(scheme: scheme, hierarchy: rest.dropFirst(2))
    } else if Self.hasAuthority(bytes) {
      try self.init(scheme: base.origin.scheme, hierarchy: bytes.dropFirst(2))
    } else {
      let path = Self.resolvedPath(bytes, relativeTo: base)
      self.init(target: TargetURI(origin: base.origin, pathAndQuery: path), userInfo: nil)
    }
  }

  private init(target: TargetURI, userInfo: UserInfo?) {
    self.target = target
    self.userInfo = userInfo
  }

  private init(
    scheme: TargetURI.Scheme, hierarchy: ArraySlice<UInt8>, _ dotSegments: DotSegments = .removed
  ) throws(URIError) {
    let end =
      hierarchy.firstIndex { $0 == ASCII.slash || $0 == ASCII.questionMark || $0 == ASCII.numberSign }
      ?? hierarchy.endIndex
    let authority = hierarchy[..<end]
    var hostAndPort = authority
    var userInfo: UserInfo?
    if let at = authority.lastIndex(of: ASCII.at) {
      userInfo = try Self.userInfo(authority[..<at])
      hostAndPort = authority[(at + 1)...]
    }
    let origin = try Authority.origin(scheme: scheme, hostAndPort)
    let rest = hierarchy[end...].prefix { $0 != ASCII.numberSign }
    let path = PathSyntax.normalized(rest, dotSegments)
    self.init(target: TargetURI(origin: origin, pathAndQuery: path), userInfo: userInfo)
  }

  private static func checkLength(_ bytes: ArraySlice<UInt8>) throws(URIError) {
    if bytes.count > maximumLength { throw .tooLong }
  }

  private static func scheme(_ bytes: ArraySlice<UInt8>) throws(URIError) -> TargetURI.Scheme {
    if let scheme = TargetURI.Scheme(bytes.span) { return scheme }
    let name = ASCII.lowercased(bytes)
    if let scheme = TargetURI.Scheme(name.span) { return scheme }
    throw .unsupportedScheme(String(decoding: name, as: UTF8.self))
  }

  /// `scheme ":" rest`, or `nil` if there is no scheme (RFC 3986 section 3.1).
  private static func splitScheme(
    _ bytes: ArraySlice<UInt8>
  ) -> (scheme: ArraySlice<UInt8>, rest: ArraySlice<UInt8>)? {
    guard let first = bytes.first, ASCII.isLetter(first) else { return nil }
    guard
      let colon = bytes.firstIndex(where: { !ASCII.isLetter($0) && !ASCII.isDigit($0) && !"+-.".utf8.contains($0) }),
      bytes[colon] == ASCII.colon
    else { return nil }
    return (bytes[..<colon], bytes[(colon + 1)...])
  }

  /// Returns the bytes behind the slashes that follow a scheme and its colon; `nil` if there are too few slashes, so
  /// that it is not a scheme.
  private static func hierarchy(_ rest: ArraySlice<UInt8>, _ slashes: Slashes) -> ArraySlice<UInt8>? {
    if hasAuthority(rest) {
      let hierarchy = rest.dropFirst(2)
      return slashes == .oneToThree && hierarchy.first == ASCII.slash ? hierarchy.dropFirst() : hierarchy
    }
    guard slashes == .oneToThree, rest.first == ASCII.slash else { return nil }
    return rest.dropFirst()
  }

  private static func isSupported(_ scheme: ArraySlice<UInt8>) -> Bool { (try? Self.scheme(scheme)) != nil }

  /// Whether a text without a scheme was meant to have one. If `http` or `https` were the host instead, its path would
  /// not begin with an empty segment, and its port would have digits alone.
  private static func hasIncompleteScheme(_ bytes: ArraySlice<UInt8>) -> Bool {
    let name = bytes.prefix(while: ASCII.isLetter)
    guard isSupported(name) else { return false }
    let rest = bytes[name.endIndex...]
    if rest.first != ASCII.colon { return hasAuthority(rest) }
    // A port has digits alone.
    return !rest.dropFirst().prefix { $0 != ASCII.slash && $0 != ASCII.questionMark }.allSatisfy(ASCII.isDigit)
  }

  /// Whether the bytes begin with `//` (RFC 3986 section 3.2).
  private static func hasAuthority(_ bytes: ArraySlice<UInt8>) -> Bool {
    let start = bytes.startIndex
    return bytes.count >= 2 && bytes[start] == ASCII.slash && bytes[start + 1] == ASCII.slash
  }

  /// "The user-id and password MUST NOT contain any control characters" (RFC 7617 section 2).
  private static func userInfo(_ bytes: ArraySlice<UInt8>) throws(URIError) -> UserInfo {
    let colon = bytes.firstIndex(of: ASCII.colon) ?? bytes.endIndex
    let user = PathSyntax.percentDecoded(bytes[..<colon])
    let password = PathSyntax.percentDecoded(bytes[colon...].dropFirst())
    guard (user + password).allSatisfy({ $0 >= ASCII.space && $0 != 0x7f }) else { throw .controlCharacterInUserInfo }
    return UserInfo(user: user, password: password, hasPassword: colon != bytes.endIndex)
  }

  /// Returns the bytes of a reference without userinfo and fragment, which are for its user agent alone. Without a
  /// scheme and an authority, only the fragment is removed.
  package static func withoutUserInfoAndFragment(_ reference: [UInt8]) -> [UInt8] {
    let bytes = reference.prefix { $0 != ASCII.numberSign }
    guard let (scheme, rest) = splitScheme(bytes), hasAuthority(rest) else { return Array(bytes) }
    let hierarchy = rest.dropFirst(2)
    let end = hierarchy.firstIndex { "/?".utf8.contains($0) } ?? hierarchy.endIndex
    guard let at = hierarchy[..<end].lastIndex(of: ASCII.at) else { return Array(bytes) }
    return Array(scheme) + Array("://".utf8) + hierarchy[(at + 1)...]
  }

  /// Returns the fragment of a reference, with its `#`; an empty text if there is none.
  package static func fragment(of reference: [UInt8]) -> String {
    guard let hash = reference.firstIndex(of: ASCII.numberSign) else { return "" }
    return "#" + PathSyntax.encodedQuery(Array(reference[(hash + 1)...]))
  }

  /// Returns the reference with its host mapped, if the host is not in ASCII; otherwise the reference as it is.
  ///
  /// - Parameters:
  ///   - isTyped: whether a reference without a scheme begins with its host.
  ///   - map: maps the host, which is in UTF-8 and percent-decoded, to ASCII.
  package static func mappingHost(
    of reference: [UInt8], isTyped: Bool, _ map: ([UInt8]) throws(URIError) -> [UInt8]
  ) throws(URIError) -> [UInt8] {
    let hierarchy: ArraySlice<UInt8>
    if let (scheme, rest) = splitScheme(reference[...]), hasAuthority(rest) || isSupported(scheme),
      let found = Self.hierarchy(rest, .oneToThree)
    {
      hierarchy = found
    } else if hasAuthority(reference[...]) {
      hierarchy = reference.dropFirst(2)
    } else if isTyped {
      hierarchy = reference[...]
    } else {
      return reference
    }
    let authority = hierarchy.prefix { $0 != ASCII.slash && $0 != ASCII.questionMark && $0 != ASCII.numberSign }
    let start = authority.lastIndex(of: ASCII.at).map { $0 + 1 } ?? authority.startIndex
    let host = authority[start...].prefix { $0 != ASCII.colon }
    let name = PathSyntax.percentDecoded(host)
    if name.allSatisfy({ $0 < 0x80 }) { return reference }
    // Checked before `map` is called: for another program, a name ends with a zero byte.
    guard name.count <= Authority.longestUnicodeName, name.allSatisfy(Authority.mayBeInHost),
      String(validating: name, as: UTF8.self) != nil
    else { throw .malformedHost }
    let labels = try map(name)
    // A slash of full width, for one, is mapped to a slash, which would end the host.
    guard !labels.isEmpty, labels.allSatisfy({ Authority.isPlain($0) || $0 == ASCII.underscore }) else {
      throw .malformedHost
    }
    return reference[..<host.startIndex] + labels + reference[host.endIndex...]
  }

  private static func resolvedPath(_ reference: ArraySlice<UInt8>, relativeTo base: TargetURI) -> String {
    if reference.isEmpty { return base.pathAndQuery }
    if reference.first == ASCII.slash { return PathSyntax.normalized(reference) }
    var merged = Array(base.path.utf8)
    if reference.first != ASCII.questionMark, let slash = merged.lastIndex(of: ASCII.slash) {
      merged.removeSubrange((slash + 1)...)
    }
    return PathSyntax.normalized(merged[...] + reference)
  }
}

/// Hosts and ports (RFC 3986 section 3.2).
package enum Authority {
  /// The HOST of `HOST[:PORT]`, an IPv6 address with its brackets; `nil` if a bracket is not closed.
  package static func host(of bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    if bytes.first == ASCII.openingBracket {
      guard let bracket = bytes.firstIndex(of: ASCII.closingBracket) else { return nil }
      return bytes[...bracket]
    }
    return bytes[..<(bytes.firstIndex(of: ASCII.colon) ?? bytes.endIndex)]
  }

  fileprivate static func origin(
    scheme: TargetURI.Scheme, _ bytes: ArraySlice<UInt8>
  ) throws(URIError) -> TargetURI.Origin {
    guard let name = host(of: bytes) else { throw .malformedHost }
    return TargetURI.Origin(
      scheme: scheme, host: try host(name), port: try port(bytes[name.endIndex...]) ?? scheme.defaultPort)
  }

  private static func host(_ bytes: ArraySlice<UInt8>) throws(URIError) -> String {
    if bytes.isEmpty { throw .noHost }
    if bytes.first == ASCII.openingBracket {
      let inner = bytes.dropFirst().dropLast()
      // A zone identifier may follow the address (RFC 6874): the name of an interface, whose case is kept.
      let address = inner.prefix { $0 != ASCII.percent }
      let zone = inner[address.endIndex...]
      let isZone = zone.allSatisfy { PathSyntax.isUnreserved($0) || $0 == ASCII.percent }
      guard isZone, let words = IPAddress.ipv6(address) else { throw .malformedHost }
      return "[\(IPAddress.text(words))\(String(decoding: zone, as: UTF8.self))]"
    }
    // Nearly every host is plain, and what follows takes many times as long.
    if bytes.allSatisfy(isPlain) { return plain(bytes) }
    let host = ASCII.lowercased(PathSyntax.percentDecoded(bytes))
    if host.allSatisfy(isPlain) { return plain(host[...]) }
    guard host.allSatisfy(mayBeInHost) else { throw .malformedHost }
    guard host.allSatisfy({ $0 < 0x80 }) else {
      throw String(validating: host, as: UTF8.self) == nil ? .malformedHost : .hostBeyondASCII
    }
    return String(decoding: host, as: UTF8.self)
  }

  private static func plain(_ host: ArraySlice<UInt8>) -> String {
    if let address = IPAddress.ipv4(host) { return IPAddress.text(address) }
    return String(decoding: host, as: UTF8.self)
  }

  /// The longest name in bytes of UTF-8. The A-labels of a name have at most 253 bytes (RFC 1035 section 2.3.4), and
  /// each letter beyond ASCII takes one of them or more. The rest is room for what the mapping leaves out of a name.
  fileprivate static let longestUnicodeName = 4 << 10

  /// Whether curl accepts the byte in a host; bytes beyond ASCII are always accepted.
  fileprivate static func mayBeInHost(_ byte: UInt8) -> Bool {
    byte > ASCII.space && byte != 0x7f && !"/:#?!@{}[]\\$'\"^`*<>=;,+&()%|".utf8.contains(byte)
  }

  fileprivate static func isPlain(_ byte: UInt8) -> Bool {
    byte &- UInt8(ascii: "a") < 26 || ASCII.isDigit(byte) || byte == ASCII.period || byte == ASCII.hyphen
  }

  /// `[":" port]`; `nil` if the port is left out or empty.
  private static func port(_ bytes: ArraySlice<UInt8>) throws(URIError) -> UInt16? {
    guard let first = bytes.first else { return nil }
    guard first == ASCII.colon else { throw .malformedHost }
    let digits = bytes.dropFirst()
    if digits.isEmpty { return nil }
    guard let port = ASCII.decimal(digits, as: UInt16.self) else { throw .malformedPort }
    return port
  }
}
