/// The name of a header field: a token, compared without regard to case (RFC 9110 section 5.1).
package struct FieldName: Hashable, Sendable, CustomStringConvertible {
  /// As it was received or typed.
  package let spelling: String

  /// - Returns: `nil` if `spelling` is not a token.
  package init?(_ spelling: some Collection<UInt8>) {
    guard ASCII.isToken(spelling) else { return nil }
    self.spelling = String(decoding: spelling, as: UTF8.self)
  }

  /// The same as the generic one, which other modules cannot specialise, because the head of an entry has dozens of
  /// names.
  package init?(_ spelling: ArraySlice<UInt8>) { self.init(spelling.span) }

  /// The same for borrowed bytes.
  package init?(_ spelling: Span<UInt8>) {
    guard let token = ASCII.token(spelling) else { return nil }
    self.spelling = token
  }

  /// The length of the spelling in bytes, in which most names differ already.
  var length: Int { spelling.utf8.count }

  private init(known spelling: String) {
    self.spelling = spelling
  }

  package static func == (one: FieldName, other: FieldName) -> Bool {
    ASCII.equalIgnoringCase(one.spelling, other.spelling)
  }

  package func hash(into hasher: inout Hasher) {
    for byte in spelling.utf8 { hasher.combine(ASCII.lowercased(byte)) }
  }

  package var lowercased: String { String(decoding: ASCII.lowercased(spelling.utf8), as: UTF8.self) }

  package var description: String { spelling }
}

extension FieldName: ExpressibleByStringLiteral {
  /// For names written in the source.
  ///
  /// - Precondition: the literal is a token.
  package init(stringLiteral value: String) {
    assert(ASCII.isToken(value.utf8), "a field name is a token")
    self.init(known: value)
  }
}

extension FieldName {
  package static let accept = FieldName(known: "Accept")
  package static let acceptEncoding = FieldName(known: "Accept-Encoding")
  package static let acceptLanguage = FieldName(known: "Accept-Language")
  package static let age = FieldName(known: "Age")
  package static let authorization = FieldName(known: "Authorization")
  package static let cacheControl = FieldName(known: "Cache-Control")
  package static let cacheGroupInvalidation = FieldName(known: "Cache-Group-Invalidation")
  package static let cacheGroups = FieldName(known: "Cache-Groups")
  package static let cacheStatus = FieldName(known: "Cache-Status")
  package static let clearSiteData = FieldName(known: "Clear-Site-Data")
  package static let connection = FieldName(known: "Connection")
  package static let contentDigest = FieldName(known: "Content-Digest")
  package static let contentDisposition = FieldName(known: "Content-Disposition")
  package static let contentEncoding = FieldName(known: "Content-Encoding")
  package static let contentLength = FieldName(known: "Content-Length")
  package static let contentLocation = FieldName(known: "Content-Location")
  package static let contentRange = FieldName(known: "Content-Range")
  package static let contentType = FieldName(known: "Content-Type")
  package static let cookie = FieldName(known: "Cookie")
  package static let date = FieldName(known: "Date")
  package static let etag = FieldName(known: "ETag")
  package static let expires = FieldName(known: "Expires")
  package static let host = FieldName(known: "Host")
  package static let ifMatch = FieldName(known: "If-Match")
  package static let ifModifiedSince = FieldName(known: "If-Modified-Since")
  package static let ifNoneMatch = FieldName(known: "If-None-Match")
  package static let ifRange = FieldName(known: "If-Range")
  package static let ifUnmodifiedSince = FieldName(known: "If-Unmodified-Since")
  package static let keepAlive = FieldName(known: "Keep-Alive")
  package static let lastModified = FieldName(known: "Last-Modified")
  package static let location = FieldName(known: "Location")
  package static let pragma = FieldName(known: "Pragma")
  package static let proxyAuthenticate = FieldName(known: "Proxy-Authenticate")
  package static let proxyAuthenticationInfo = FieldName(known: "Proxy-Authentication-Info")
  package static let proxyAuthorization = FieldName(known: "Proxy-Authorization")
  package static let proxyConnection = FieldName(known: "Proxy-Connection")
  package static let range = FieldName(known: "Range")
  package static let referer = FieldName(known: "Referer")
  package static let reprDigest = FieldName(known: "Repr-Digest")
  package static let retryAfter = FieldName(known: "Retry-After")
  package static let te = FieldName(known: "TE")
  package static let trailer = FieldName(known: "Trailer")
  package static let transferEncoding = FieldName(known: "Transfer-Encoding")
  package static let upgrade = FieldName(known: "Upgrade")
  package static let userAgent = FieldName(known: "User-Agent")
  package static let vary = FieldName(known: "Vary")
}
