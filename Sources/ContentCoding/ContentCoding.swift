/// A content coding that garner can decode (RFC 9110 section 8.4.1).
package enum ContentCoding: Equatable, Sendable, CaseIterable {
  case gzip
  case deflate
  case brotli
  case zstd
  case identity

  /// The Accept-Encoding of a request that wants its content decoded.
  package static let acceptEncoding = "gzip, deflate, br, zstd"

  /// - Parameter name: in upper or lower case; RFC 9110 section 8.4.1.3 makes `x-gzip` the same as `gzip`.
  /// - Returns: `nil` for the name of no coding known here.
  package init?(name: some Sequence<UInt8>) {
    // `| 0x20` lowers ASCII letters, and no other byte that it changes makes one of these names.
    switch String(decoding: name.map { $0 | 0x20 }, as: UTF8.self) {
    case "gzip", "x-gzip": self = .gzip
    case "deflate": self = .deflate
    case "br": self = .brotli
    case "zstd": self = .zstd
    // Neither names a coding; origins send them to mean none, and curl understands them so, too.
    case "identity", "none": self = .identity
    default: return nil
    }
  }

  package var name: String {
    switch self {
    case .gzip: "gzip"
    case .deflate: "deflate"
    case .brotli: "br"
    case .zstd: "zstd"
    case .identity: "identity"
    }
  }
}

/// Why content cannot be decoded.
package enum ContentCodingError: Error, Equatable, Sendable {
  /// The name as it was received: it may hold anything.
  case unknown(name: [UInt8])
  case tooMany(count: Int)
  case malformed(ContentCoding)
  /// The content ended before its coding did.
  case truncated(ContentCoding)
  /// The decoded content is out of proportion to what was received.
  case bomb(ratio: Int64)
  /// Only for zstd: RFC 9659 section 3.
  case windowTooLarge
  case outOfMemory

  /// Completes "the content cannot be decoded: ...".
  package var reason: String {
    switch self {
    case .unknown(let name): "the coding \"\(String(decoding: name, as: UTF8.self))\" is not known"
    case .tooMany(let count): "it has \(count) codings, and at most \(ContentDecoder.maximumCodings) are decoded"
    case .malformed(let coding): "it is not valid \(coding.name)"
    case .truncated(let coding): "it ends in the middle of its \(coding.name) data"
    case .bomb(let ratio): "it grows to more than \(ratio) times its size"
    case .windowTooLarge: "its zstd data need more memory than HTTP allows"
    case .outOfMemory: "there is not enough memory"
    }
  }
}
