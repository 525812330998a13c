package import HTTPSemantics

/// The request fields that select a stored response, with the values that its own request had (RFC 9111 section 4.1).
package struct SelectingFields: Equatable, Sendable {
  /// A normalised value, in the form in which it may be stored.
  package enum Value: Equatable, Sendable {
    case absent
    case plain([UInt8])
    /// A keyed digest of a value that might be a secret.
    case concealed([UInt8])
  }

  package struct Member: Equatable, Sendable {
    package let name: FieldName
    package let value: Value

    package init(_ name: FieldName, _ value: Value) {
      self.name = name
      self.value = value
    }
  }

  /// Digests a value under the store's secret; returns `nil` if there is no secret.
  package typealias Concealer = ([UInt8]) -> [UInt8]?

  /// In the order of their names in lower case; empty for a response that does not vary.
  package let members: [Member]

  /// Makes the fields from members that the store has read back.
  package init(members: [Member]) {
    self.members = members
  }

  package static let none = SelectingFields(members: [])

  /// - Returns: `nil` if a value would have to be concealed and cannot be.
  package init?(_ names: [FieldName], of request: Fields, concealing conceal: Concealer) {
    var members: [Member] = []
    for name in Self.sortedUnique(names) {
      guard let value = Self.value(of: name, in: request, concealing: conceal) else { return nil }
      members.append(Member(name, value))
    }
    self.members = members
  }

  /// The value of one selecting field, as stored and as requested.
  package struct Comparison: Equatable, Sendable {
    package let name: FieldName
    package let stored: Value
    /// `nil` if the value would have to be concealed and cannot be.
    package let requested: Value?

    package var isMatch: Bool { requested == stored }
  }

  /// Whether the request's values are those of the stored response's own request.
  package func match(_ request: Fields, concealing conceal: Concealer) -> Bool {
    members.allSatisfy { Self.comparison(of: $0, with: request, concealing: conceal).isMatch }
  }

  package func comparisons(with request: Fields, concealing conceal: Concealer) -> [Comparison] {
    members.map { Self.comparison(of: $0, with: request, concealing: conceal) }
  }

  private static func comparison(
    of member: Member, with request: Fields, concealing conceal: Concealer
  ) -> Comparison {
    Comparison(
      name: member.name, stored: member.value, requested: value(of: member.name, in: request, concealing: conceal))
  }

  private static func value(of name: FieldName, in request: Fields, concealing conceal: Concealer) -> Value? {
    guard let normalised = FieldNormalisation.normalised(name, in: request) else { return .absent }
    if harmlessNames.contains(name) { return .plain(normalised) }
    return conceal(normalised).map(Value.concealed)
  }

  /// Fields, mostly of content negotiation, that hold no secrets. Their values are stored readable, so that a listing
  /// can tell variants apart.
  private static let harmlessNames: [FieldName] = [
    .accept, .acceptEncoding, .acceptLanguage, "Accept-Charset", "Accept-Datetime", .contentType, "Origin", "Prefer",
    .range, "Save-Data", .userAgent,
  ]

  /// Whether the values of a field are stored readable.
  package static func keepsReadable(_ name: FieldName) -> Bool { harmlessNames.contains(name) }

  private static func sortedUnique(_ names: [FieldName]) -> [FieldName] {
    var unique: [FieldName] = []
    for name in names where !unique.contains(name) { unique.append(name) }
    return unique.ordered { $0.lowercased < $1.lowercased }
  }
}

/// The fields that the Vary lines of a response name (RFC 9110 section 12.5.5).
package enum Vary: Equatable, Sendable {
  /// `*`, a value that is not a list of names, or a list that is too long: no request matches.
  case anything
  case names([FieldName])

  /// Far more names than any origin means. There is a limit because each name is compared with all others.
  static let maximumNames = 64

  package init(of response: Fields) {
    var names: [FieldName] = []
    for member in response.members(of: .vary) {
      guard !member.elementsEqual("*".utf8), let name = FieldName(member), names.count < Self.maximumNames else {
        self = .anything
        return
      }
      if !names.contains(name) { names.append(name) }
    }
    self = .names(names)
  }
}

/// The normalisation of field values before they are compared: "The header fields from two requests are defined to
/// match if and only if those in the first request can be transformed to those in the second request by ... adding or
/// removing whitespace, where allowed ... combining multiple header field lines ... normalizing both header field
/// values in a way that is known to have identical semantics" (RFC 9111 section 4.1).
enum FieldNormalisation {
  /// Fields that are known to have a list as their value; empty members are no part of it. Other fields may be lists or
  /// not.
  private static let listNames: [FieldName] = [
    .accept, .acceptEncoding, .acceptLanguage, .cacheControl, "Accept-Charset", "Prefer", "TE",
  ]

  /// - Returns: `nil` if the field is absent.
  static func normalised(_ name: FieldName, in fields: Fields) -> [UInt8]? {
    guard let combined = fields.combined(name) else { return nil }
    var members = ListSyntax.split(combined.bytes[...], at: ASCII.comma).map(withoutSpaceAroundSeparators)
    if listNames.contains(name) { members.removeAll(where: \.isEmpty) }
    switch name {
    case .acceptLanguage, .acceptEncoding, "Accept-Charset":
      // Names of languages, codings and charsets are case-insensitive; preference is stated by weights, not by order.
      members = members.map(ASCII.lowercased).ordered { $0.lexicographicallyPrecedes($1) }
    default:
      break
    }
    return Array(members.joined(separator: [ASCII.comma]))
  }

  /// Makes `gzip;q=1` of `gzip ; q=1`; nothing within quotes is touched.
  private static func withoutSpaceAroundSeparators(_ member: ArraySlice<UInt8>) -> [UInt8] {
    Array(
      ListSyntax.split(member, at: ASCII.semicolon).map(ASCII.trimmed).joined(separator: [ASCII.semicolon]))
  }
}
