/// An origin's answer to a request: a list of parts to send or to wait for, then what happens to the connection.
///
/// The origin corrects nothing in it, so that an answer can be as wrong as a test wants.
package struct OriginAnswer: Sendable {
  package enum Part: Sendable {
    /// These bytes, whatever the request.
    case bytes([UInt8])
    /// Content, which is left out of the answer to a HEAD request.
    case content([UInt8])
    /// Deterministic content of any length, made while it is sent; see ``Pattern``.
    case pattern(count: UInt64)
    /// These bytes again and again, with pauses, until the peer closes the connection.
    case trickle([UInt8])
    /// A pause, so that the client mostly reads the bytes before it and the bytes after it separately.
    case pause
    /// Sends nothing more until the gate opens.
    case wait(Gate)
    /// Opens the gate, once all parts before it have been sent.
    case open(Gate)
  }

  package enum Ending: Sendable {
    case keepAlive
    case close
    /// Closes the connection so that the peer gets a reset (SO_LINGER of 0).
    case reset
  }

  package var parts: [Part]
  package var ending: Ending

  package init(_ parts: [Part], ending: Ending = .keepAlive) {
    self.parts = parts
    self.ending = ending
  }

  /// A response with a Content-Length that is right, unless `fields` has one already or the status allows none.
  package static func response(
    _ status: Int = 200, _ reason: String? = nil, fields: [(String, String)] = [], content: [UInt8] = []
  ) -> OriginAnswer {
    var fields = fields
    let allowsContent = status >= 200 && status != 204 && status != 304
    if allowsContent, !fields.contains(where: { $0.0.lowercased() == "content-length" }) {
      fields.append(("Content-Length", "\(content.count)"))
    }
    let head = Part.bytes(Self.head(status, reason, fields: fields))
    return OriginAnswer(allowsContent ? [head, .content(content)] : [head])
  }

  /// A response whose content is a text.
  package static func response(
    _ status: Int = 200, _ reason: String? = nil, fields: [(String, String)] = [], text: String
  ) -> OriginAnswer {
    response(status, reason, fields: fields, content: Array(text.utf8))
  }

  /// A response that is fresh for a minute.
  package static func fresh(_ fields: [(String, String)] = [], content: [UInt8]) -> OriginAnswer {
    response(fields: [freshForAMinute] + fields, content: content)
  }

  /// A response that is fresh for a minute.
  package static func fresh(_ fields: [(String, String)] = [], text: String) -> OriginAnswer {
    fresh(fields, content: Array(text.utf8))
  }

  package static let freshForAMinute = ("Cache-Control", "max-age=60")

  /// A response whose content is this many bytes of the pattern, made while they are sent.
  package static func response(fields: [(String, String)] = [], patternCount count: UInt64) -> OriginAnswer {
    let head = Self.head(200, nil, fields: fields + [("Content-Length", "\(count)")])
    return OriginAnswer([.bytes(head), .pattern(count: count)])
  }

  /// A response in chunked transfer coding, a chunk for each element.
  package static func chunked(
    _ status: Int = 200, fields: [(String, String)] = [], chunks: [[UInt8]], trailer: [(String, String)] = []
  ) -> OriginAnswer {
    let head = Self.head(status, nil, fields: fields + [("Transfer-Encoding", "chunked")])
    var coded: [UInt8] = []
    for chunk in chunks where !chunk.isEmpty {
      coded += Array("\(String(chunk.count, radix: 16))\r\n".utf8) + chunk + Array("\r\n".utf8)
    }
    coded += Array("0\r\n".utf8)
    for (name, value) in trailer { coded += Array("\(name): \(value)\r\n".utf8) }
    return OriginAnswer([.bytes(head), .content(coded + Array("\r\n".utf8))])
  }

  /// Exactly these bytes, after which the connection is closed.
  package static func raw(_ bytes: [UInt8], ending: Ending = .close) -> OriginAnswer {
    OriginAnswer([.bytes(bytes)], ending: ending)
  }

  /// Exactly this text, after which the connection is closed.
  package static func raw(_ text: String, ending: Ending = .close) -> OriginAnswer {
    raw(Array(text.utf8), ending: ending)
  }

  /// No answer: the connection is closed.
  package static let disconnect = OriginAnswer([], ending: .close)

  /// No answer: the connection is reset.
  package static let reset = OriginAnswer([], ending: .reset)

  /// No answer until the gate opens; then this one.
  package static func late(_ gate: Gate, _ answer: OriginAnswer) -> OriginAnswer {
    OriginAnswer([.wait(gate)] + answer.parts, ending: answer.ending)
  }

  /// The answer, with interim responses before it.
  package func after(interim: [(status: Int, fields: [(String, String)])]) -> OriginAnswer {
    OriginAnswer(interim.map { .bytes(Self.head($0.status, nil, fields: $0.fields)) } + parts, ending: ending)
  }

  package func ending(_ ending: Ending) -> OriginAnswer { OriginAnswer(parts, ending: ending) }

  /// A status line, field lines and the empty line.
  ///
  /// A field value is sent as Latin-1 where possible, so that a scalar from U+0080 to U+00FF stands for that one byte.
  package static func head(_ status: Int, _ reason: String?, fields: [(String, String)]) -> [UInt8] {
    var bytes = Array("HTTP/1.1 \(status) \(reason ?? reasonPhrase(of: status))\r\n".utf8)
    for (name, value) in fields { bytes += Array("\(name): ".utf8) + fieldBytes(value) + Array("\r\n".utf8) }
    return bytes + Array("\r\n".utf8)
  }

  private static func reasonPhrase(of status: Int) -> String {
    switch status {
    case 100: "Continue"
    case 103: "Early Hints"
    case 200: "OK"
    case 206: "Partial Content"
    case 301: "Moved Permanently"
    case 302: "Found"
    case 304: "Not Modified"
    case 404: "Not Found"
    case 500: "Internal Server Error"
    case 503: "Service Unavailable"
    default: "Status"
    }
  }
}

/// Returns a text as the bytes of a field value: Latin-1 where every scalar allows it, otherwise UTF-8.
package func fieldBytes(_ text: String) -> [UInt8] {
  if text.unicodeScalars.allSatisfy({ $0.value <= 0xFF }) {
    return text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
  }
  return Array(text.utf8)
}

/// Returns the bytes of a field value as a text, one scalar for each byte: the inverse of ``fieldBytes(_:)``.
package func fieldText(_ bytes: some Sequence<UInt8>) -> String {
  var text = String.UnicodeScalarView()
  for byte in bytes { text.append(Unicode.Scalar(byte)) }
  return String(text)
}
