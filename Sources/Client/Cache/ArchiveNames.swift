import HTTPSemantics

/// Names that garner adds to those of WARC. Programs that do not know them ignore them.
extension FieldName {
  /// The names of the selecting header fields, in a list; their values are in the record of the request.
  static let garnerVariesBy: FieldName = "Garner-Varies-By"
  /// Says that the response answers certain requests only.
  static let garnerRestricted: FieldName = "Garner-Restricted"
  /// A tag of the stored response, as `KEY=VALUE`. The field is repeated for each tag.
  static let garnerTag: FieldName = "Garner-Tag"
}

/// The names of HTTP versions in WARC-Protocol and in HAR.
enum ProtocolName {
  static func name(of version: HTTPVersion) -> FieldValue {
    switch version {
    case .http09: "http/0.9"
    case .http10: "http/1.0"
    case .http11: "http/1.1"
    case .http2: "h2"
    case .http3: "h3"
    }
  }

  /// - Returns: `nil` if the name is of no version of HTTP.
  static func version(_ name: [UInt8]) -> HTTPVersion? {
    switch String(decoding: ASCII.lowercased(name), as: UTF8.self) {
    case "http/0.9": .http09
    case "http/1.0": .http10
    case "http/1.1": .http11
    case "h2", "h2c", "http/2", "http/2.0": .http2
    case "h3", "http/3", "http/3.0": .http3
    default: nil
    }
  }
}
