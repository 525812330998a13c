/// The limits of a message's head. Nothing real comes near them; they exist because an entry holds each head whole.
package enum HeadBounds {
  @inline(__always)
  package static var maximumBytes: Int { 256 << 10 }

  @inline(__always)
  package static var maximumFields: Int { 2_000 }
}

/// The head of a request (RFC 9110 section 6). Content is passed separately.
package struct Request: Equatable, Sendable {
  package var method: Method
  package var target: TargetURI
  package var fields: Fields
  /// Whether its sender declares that a POST is only a query, as QUERY is.
  package var postIsQuery: Bool
  /// The names of the fields that its sender leaves out: no cache adds them, nor does anything else.
  package var leftOut: [FieldName]

  package init(_ method: Method = .get, _ target: TargetURI, fields: Fields = Fields()) {
    self.method = method
    self.target = target
    self.fields = fields
    postIsQuery = false
    leftOut = []
  }

  package func leavesOut(_ name: FieldName) -> Bool { leftOut.contains(name) }
}

/// The version of HTTP in which a message came.
package enum HTTPVersion: UInt8, Equatable, Sendable, CustomStringConvertible {
  case http09 = 9
  case http10 = 10
  case http11 = 11
  case http2 = 20
  case http3 = 30

  package var description: String {
    switch self {
    case .http09: "HTTP/0.9"
    case .http10: "HTTP/1.0"
    case .http11: "HTTP/1.1"
    case .http2: "HTTP/2"
    case .http3: "HTTP/3"
    }
  }
}

/// The head of a response (RFC 9110 section 6). Content is passed separately.
package struct Response: Equatable, Sendable {
  package var version: HTTPVersion
  package var status: StatusCode
  /// The reason phrase; empty in HTTP/2, and if the origin sent none.
  package var reason: FieldValue
  package var fields: Fields

  package init(
    _ status: StatusCode, reason: FieldValue = "", version: HTTPVersion = .http11, fields: Fields = Fields()
  ) {
    self.version = version
    self.status = status
    self.reason = reason
    self.fields = fields
  }

  /// Whether it may have content: "responses to the HEAD request method never include content", nor do those of some
  /// statuses (RFC 9110 section 6.4.1).
  package func mayHaveContent(inAnswerTo method: Method) -> Bool { method != .head && status.mayHaveContent }

  /// The head as bytes: status line, fields, an empty line, each ended by CR LF (RFC 9112 section 2.1).
  package var head: [UInt8] {
    var bytes = Array("\(version) \(status) ".utf8)
    bytes += reason.bytes
    bytes += [ASCII.carriageReturn, ASCII.lineFeed]
    for field in fields.lines {
      bytes += field.name.spelling.utf8
      bytes += [ASCII.colon, ASCII.space]
      bytes += field.value.bytes
      bytes += [ASCII.carriageReturn, ASCII.lineFeed]
    }
    bytes += [ASCII.carriageReturn, ASCII.lineFeed]
    return bytes
  }
}
