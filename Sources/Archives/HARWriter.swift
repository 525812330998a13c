package import HTTPSemantics
package import Platform

/// Writes a HAR file, entry by entry. Content is passed on as it comes and never held.
///
/// - Source: HTTP Archive 1.2.
package struct HARWriter {
  /// A request and its response, without the content.
  package struct Exchange {
    package let request: Request
    package let response: Response
    package let startedAt: Timestamp
    /// The time from the request to the head of the response, in milliseconds.
    package let milliseconds: Int64
    /// The length of the content as it came over the network, in bytes.
    package let receivedBytes: UInt64
    package let selectingNames: [FieldName]
    /// Whether the response is one for certain requests only.
    package let isRestricted: Bool

    package init(
      _ request: Request, _ response: Response, startedAt: Timestamp, milliseconds: Int64, receivedBytes: UInt64,
      selectingNames: [FieldName], isRestricted: Bool
    ) {
      self.request = request
      self.response = response
      self.startedAt = startedAt
      self.milliseconds = milliseconds
      self.receivedBytes = receivedBytes
      self.selectingNames = selectingNames
      self.isRestricted = isRestricted
    }
  }

  private let output: ArchiveOutput
  private var json = JSONText()
  /// Content bytes that do not yet fill a group of three, which base64 encodes as one.
  private var remainder: [UInt8] = []
  private var contentBytes: UInt64 = 0

  package init(_ output: ArchiveOutput) {
    self.output = output
  }

  package mutating func begin(creator: String, version: String) throws(Errno) {
    json.beginObject()
    json.key("log")
    json.beginObject()
    json.member("version", "1.2")
    json.key("creator")
    json.beginObject()
    json.member("name", creator)
    json.member("version", version)
    json.endObject()
    json.key("entries")
    json.beginArray()
    try output.write(json.take())
  }

  package mutating func end() throws(Errno) {
    json.endArray()
    json.endObject()
    json.endObject()
    try output.write(json.take() + [ASCII.lineFeed])
    try output.endMember()
  }

  /// Begins an entry. The caller then appends its content and ends the entry.
  package mutating func begin(_ exchange: Exchange) throws(Errno) {
    try output.write([ASCII.lineFeed])
    json.beginObject()
    json.member("startedDateTime", InternetDate.format(exchange.startedAt))
    json.member("time", exchange.milliseconds)
    if !exchange.selectingNames.isEmpty {
      let names = exchange.selectingNames.map(\.spelling).joined(separator: ", ")
      json.member(HARExtension.selectingNames, names)
    }
    if exchange.isRestricted { json.member(HARExtension.restriction, "credentials") }
    writeRequest(of: exchange)
    writeResponse(of: exchange)
    remainder = []
    contentBytes = 0
    try output.write(json.take())
  }

  /// Appends content, which is written in base64.
  package mutating func append(_ bytes: UnsafeRawBufferPointer) throws(Errno) {
    contentBytes += UInt64(bytes.count)
    let all = remainder + Array(bytes)
    let whole = all.count - all.count % 3
    try output.write(Base64.encoded(Array(all[..<whole])))
    remainder = Array(all[whole...])
  }

  package mutating func end(_ exchange: Exchange) throws(Errno) {
    try output.write(Base64.encoded(remainder))
    json.closeString()
    json.member("size", contentBytes)
    json.endObject()
    json.member("redirectURL", exchange.response.fields[.location]?.bytes ?? [])
    json.member("headersSize", -1)
    json.member("bodySize", exchange.receivedBytes)
    json.endObject()
    json.key("cache")
    json.beginObject()
    json.endObject()
    json.key("timings")
    json.beginObject()
    json.member("send", 0)
    json.member("wait", exchange.milliseconds)
    json.member("receive", 0)
    json.endObject()
    json.endObject()
    try output.write(json.take())
  }

  private mutating func writeRequest(of exchange: Exchange) {
    let request = exchange.request
    json.key("request")
    json.beginObject()
    json.member("method", request.method.name)
    json.member("url", request.target.description)
    json.member("httpVersion", exchange.response.version.description)
    writeFields(request.fields)
    json.key("queryString")
    json.beginArray()
    for parameter in request.target.query?.split(separator: "&") ?? [] {
      let parts = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      json.beginObject()
      json.member("name", String(parts[0]))
      json.member("value", parts.count > 1 ? String(parts[1]) : "")
      json.endObject()
    }
    json.endArray()
    json.member("headersSize", -1)
    json.member("bodySize", 0)
    json.endObject()
  }

  /// Writes the response up to the beginning of its content.
  private mutating func writeResponse(of exchange: Exchange) {
    let response = exchange.response
    json.key("response")
    json.beginObject()
    json.member("status", response.status.rawValue)
    json.member("statusText", response.reason.bytes)
    json.member("httpVersion", response.version.description)
    writeFields(response.fields)
    json.key("content")
    json.beginObject()
    json.member("mimeType", response.fields[.contentType]?.bytes ?? [])
    json.member("encoding", "base64")
    json.key("text")
    json.openString()
  }

  private mutating func writeFields(_ fields: Fields) {
    json.key("cookies")
    json.beginArray()
    json.endArray()
    json.key("headers")
    json.beginArray()
    for line in fields.lines {
      json.beginObject()
      json.member("name", line.name.spelling)
      json.member("value", line.value.bytes)
      json.endObject()
    }
    json.endArray()
  }
}
