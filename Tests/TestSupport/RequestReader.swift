import Glibc

/// Reads one request after another from a connection.
struct RequestReader {
  /// A request, before the server has given it a number.
  struct Message {
    let head: [UInt8]
    let line: [String]
    let fieldLines: [ReceivedRequest.FieldLine]
    let content: [UInt8]

    func received(number: Int, connection: Int) -> ReceivedRequest {
      ReceivedRequest(
        number: number, connection: connection, head: head, method: line[0], target: line[1], version: line[2],
        fieldLines: fieldLines, content: content)
    }
  }

  private let socket: Int32
  /// The bytes that were received but not taken yet.
  private var pending: [UInt8] = []

  init(socket: Int32) { self.socket = socket }

  /// Reads the next request with its whole content. A test can ask for less: with `Expect: 100-continue; refuse` the
  /// content is not read, and with `Origin-Takes: 1000` the next 1000 bytes are the content, framed or not.
  ///
  /// - Returns: `nil` if the client has closed the connection, or has sent no valid request.
  mutating func next() -> Message? {
    guard let head = take(through: "\r\n\r\n"), let parsed = ReceivedRequest.parse(head: head) else { return nil }
    let field = { (name: String) in
      parsed.fieldLines.first { $0.name.lowercased() == name }
        .map { String(decoding: $0.value, as: UTF8.self).lowercased() }
    }
    if field("expect") == "100-continue" {
      let interim = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)
      _ = interim.withUnsafeBytes { send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }
    let content: [UInt8]?
    if field("expect") == "100-continue; refuse" {
      content = []
    } else if let count = field("origin-takes").flatMap({ Int($0) }) {
      content = take(count: count)
    } else if field("transfer-encoding") == "chunked" {
      content = takeChunks()
    } else {
      content = take(count: field("content-length").flatMap { Int($0) } ?? 0)
    }
    return content.map { Message(head: head, line: parsed.line, fieldLines: parsed.fieldLines, content: $0) }
  }

  /// Reads what the client still sends, up to a bound, until it closes.
  mutating func discardRest(atMost bound: Int) {
    var discarded = 0
    pending = []
    while discarded < bound, fill() {
      discarded += pending.count
      pending = []
    }
  }

  private mutating func takeChunks() -> [UInt8]? {
    var content: [UInt8] = []
    while let line = take(through: "\r\n") {
      let digits = String(decoding: line.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: "\r") }, as: UTF8.self)
      guard let count = Int(digits, radix: 16) else { return nil }
      if count == 0 {
        while let trailer = take(through: "\r\n") {
          if trailer.count == 2 { return content }
        }
        return nil
      }
      guard let chunk = take(count: count), take(count: 2) != nil else { return nil }
      content += chunk
    }
    return nil
  }

  private mutating func take(count: Int) -> [UInt8]? {
    while pending.count < count {
      if !fill() { return nil }
    }
    defer { pending.removeFirst(count) }
    return Array(pending.prefix(count))
  }

  private mutating func take(through mark: String) -> [UInt8]? {
    let mark = Array(mark.utf8)
    var searched = 0
    while true {
      while let place = place(of: mark[0], from: searched), place + mark.count <= pending.count {
        if pending[place..<place + mark.count].elementsEqual(mark) { return take(count: place + mark.count) }
        searched = place + 1
      }
      searched = max(searched, pending.count - mark.count + 1)
      if !fill() { return nil }
    }
  }

  /// Uses `memchr`, because `next` also searches what an upload goes on sending after its answer: 32 MiB in some tests.
  private func place(of byte: UInt8, from start: Int) -> Int? {
    pending.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress, start < bytes.count else { return nil }
      return memchr(base + start, Int32(byte), bytes.count - start).map { UnsafeRawPointer($0) - base }
    }
  }

  /// Receives more bytes.
  ///
  /// - Returns: `false` at the end of the connection.
  private mutating func fill() -> Bool {
    while true {
      let count = withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 1) { buffer in
        let count = recv(socket, buffer.baseAddress, buffer.count, 0)
        // Rebased, it is copied at once and not byte by byte.
        if count > 0 { pending.append(contentsOf: UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
        return count
      }
      if count < 0, errno == EINTR { continue }
      return count > 0
    }
  }
}
