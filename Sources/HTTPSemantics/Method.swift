/// A request method: a token, compared with regard to case (RFC 9110 section 9.1).
package struct Method: Equatable, Sendable, CustomStringConvertible {
  package let name: String

  /// - Returns: `nil` if `name` is not a token.
  package init?(_ name: some Collection<UInt8>) {
    guard ASCII.isToken(name) else { return nil }
    self.name = String(decoding: name, as: UTF8.self)
  }

  /// The same as the generic one, which other modules cannot specialise, for borrowed bytes, because every entry has a
  /// method.
  package init?(_ name: Span<UInt8>) {
    guard let token = ASCII.token(name) else { return nil }
    self.name = token
  }

  private init(known name: String) { self.name = name }

  package static let get = Method(known: "GET")
  package static let head = Method(known: "HEAD")
  package static let post = Method(known: "POST")
  package static let put = Method(known: "PUT")
  package static let delete = Method(known: "DELETE")
  package static let options = Method(known: "OPTIONS")
  package static let trace = Method(known: "TRACE")
  package static let query = Method(known: "QUERY")

  /// Whether the method is defined as safe: unknown methods are not (RFC 9110 section 9.2.1, RFC 10008 section 2; RFC
  /// 4918 section 9.1, RFC 3253 section 3.6, RFC 5323 section 2).
  package var isSafe: Bool {
    switch self {
    case .get, .head, .options, .trace, .query: true
    default: name == "PROPFIND" || name == "REPORT" || name == "SEARCH"
    }
  }

  /// Whether sending the request again has no further effect (RFC 9110 section 9.2.2).
  package var isIdempotent: Bool { isSafe || self == .put || self == .delete }

  /// Whether a request without content says so by `Content-Length: 0` (RFC 9110 section 8.6).
  package var anticipatesContent: Bool { self == .post || self == .put || name == "PATCH" }

  package var description: String { name }
}
