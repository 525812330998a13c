import Glibc
import HTTPSemantics
import Platform
import TestSupport
import Testing
import Transport

/// Opens a gate when the head or the content of a response has come, so that what follows is read separately. With a
/// trace, it opens the gate when the request has been sent.
private final class GateReceiver: ResponseReceiver {
  private let gate: Gate
  private let waitsForContent: Bool
  private(set) var interimCount = 0
  private(set) var framing: FramingVerdict?
  private(set) var content: [UInt8] = []

  init(_ gate: Gate, waitsForContent: Bool) {
    self.gate = gate
    self.waitsForContent = waitsForContent
  }

  func receive(sent: UInt64) {}

  func receive(interim: Response) {
    interimCount += 1
    gate.open()
  }

  func receive(head: Response, framing: FramingVerdict) -> Reception {
    self.framing = framing
    if !waitsForContent { gate.open() }
    return .proceed
  }

  func receive(content: UnsafeRawBufferPointer) -> Reception {
    self.content += content
    gate.open()
    return .proceed
  }

  func receive(trace: Trace) {
    if case .requestHead = trace { gate.open() }
  }

  func receiveNothing() {}
}

@Suite("The end of an HTTP/2 stream or connection, with respect to its response")
struct FrameTests {
  private struct Result {
    let receiver: GateReceiver
    let error: TransportError?
    var uploadSize: Int64 = 0
  }

  /// More than the window of a stream takes at once.
  private static let large = OutgoingMessage.Content.bytes([UInt8](repeating: 0x61, count: 150_000))

  /// - Parameters:
  ///   - end: the bytes that are sent once `frames` have been received.
  ///   - anew: the answer to a request that is sent again over HTTP/1.1.
  ///   - isParallel: whether the transport for parallel transfers is used.
  private func exchange(
    _ frames: [[UInt8]], then end: [UInt8], ending: OriginAnswer.Ending = .close, waitsForContent: Bool = false,
    upload: OutgoingMessage.Content = .none, anew: String = "", isParallel: Bool = false
  ) throws -> Result {
    let (gate, done) = (Gate(), Gate())
    let bytes = ([Frames.settings, Frames.acknowledgement] + frames).flatMap { $0 }
    // The HTTP/2 frames of a client are not requests for this origin, and would end the connection.
    let rest: [OriginAnswer.Part] = ending == .keepAlive ? [.wait(done)] : []
    let answer = OriginAnswer([.bytes(bytes), .wait(gate), .bytes(end)] + rest, ending: ending)
    return try withOrigin { request in
      request.method == "PRI" ? answer : .raw(anew)
    } run: { origin in
      // A client that has not received the frames is not waited for.
      defer {
        gate.open()
        done.open()
      }
      let receiver = GateReceiver(gate, waitsForContent: waitsForContent)
      var message = try message(origin.url("/"), method: upload == .none ? .get : .put, content: upload)
      message.options.version = .http2PriorKnowledge
      var report = TransferReport()
      do throws(TransportError) {
        let transport: any Transport = isParallel ? ParallelTransport() : ProgramTransport()
        try transport.send(message, to: receiver, report: &report)
        return Result(receiver: receiver, error: nil, uploadSize: Int64(report.uploadSize))
      } catch {
        return Result(receiver: receiver, error: error)
      }
    }
  }

  @Test(
    "A response that has ended is whole, whatever happens to the request",
    arguments: [
      (Frames.reset(0), OriginAnswer.Ending.keepAlive), (Frames.reset(2), .keepAlive), ([], .close), ([], .reset),
    ])
  func wholeDuringUpload(end: [UInt8], ending: OriginAnswer.Ending) throws {
    // The request is never sent to its end.
    let result = try exchange(
      [Frames.head(), Frames.data("answer", isLast: true)], then: end, ending: ending, waitsForContent: true,
      upload: Self.large)
    #expect(result.error == nil)
    #expect(result.receiver.content == Array("answer".utf8) && result.receiver.framing == .storable)
  }

  @Test("A response that has not ended is a failure")
  func partDuringUpload() throws {
    let result = try exchange(
      [Frames.head(), Frames.data("answer")], then: [], waitsForContent: true, upload: Self.large)
    #expect(result.error != nil)
  }

  /// A response in the middle of a request. The origin keeps the connection open.
  private static func answer(_ status: Int, hasLength: Bool) -> [[UInt8]] {
    [Frames.head(status, hasLength ? [("content-length", "6")] : []), Frames.data("answer", isLast: true)]
  }

  @Test(
    "A refused upload stops, whether or not the origin resets the stream", arguments: [true, false], [true, false])
  func refusedUpload(hasLength: Bool, isParallel: Bool) throws {
    let silent = try Pipe()
    defer { for end in [silent.reading, silent.writing] { close(end) } }
    let unread = StreamedContent([.rest(of: .init(.descriptor(Descriptor(rawValue: silent.reading))))])
    for upload in [Self.large, .streamed(unread)] {
      let result = try exchange(
        Self.answer(413, hasLength: hasLength), then: [], ending: .keepAlive, waitsForContent: true, upload: upload,
        isParallel: isParallel)
      #expect(result.error == nil && result.receiver.content == Array("answer".utf8))
    }
  }

  @Test("A reset without an error does not affect the response before it", arguments: [true, false], [true, false])
  func resetUpload(hasLength: Bool, isParallel: Bool) throws {
    for status in [200, 413] {
      let result = try exchange(
        Self.answer(status, hasLength: hasLength) + [Frames.reset(0)], then: [], ending: .keepAlive,
        waitsForContent: true, upload: Self.large, isParallel: isParallel)
      #expect(result.error == nil && result.receiver.content == Array("answer".utf8))
    }
  }

  @Test("After an early success the whole request is still sent", arguments: [true, false], [true, false])
  func acceptedUpload(hasLength: Bool, isParallel: Bool) throws {
    let windows = Frames.window(0) + Frames.window(1)
    let result = try exchange(
      Self.answer(200, hasLength: hasLength), then: windows, ending: .keepAlive, waitsForContent: true,
      upload: Self.large, isParallel: isParallel)
    #expect(result.error == nil && result.uploadSize == 150_000)
    // The upload is typed only after the answer has come.
    let typed = try Pipe()
    defer { close(typed.reading) }
    let gate = Gate()
    startThread {
      _ = gate.pass(withinMilliseconds: 300)
      _ = "typed".withCString { write(typed.writing, $0, 5) }
      close(typed.writing)
    }
    let input = StreamedContent([.rest(of: .init(.descriptor(Descriptor(rawValue: typed.reading))))])
    let late = try exchange(
      Self.answer(200, hasLength: hasLength), then: [], ending: .keepAlive, waitsForContent: true,
      upload: .streamed(input), isParallel: isParallel)
    #expect(late.error == nil && late.uploadSize == 5)
  }

  @Test("A response without content needs no end of stream", arguments: [204, 304])
  func noContent(status: Int) throws {
    let result = try exchange([Frames.head(status)], then: [])
    #expect(result.error == nil)
  }

  @Test(
    "A request that is refused over HTTP/2 is sent again over HTTP/1.1",
    arguments: [
      ("Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", FramingVerdict.storable),
      ("Connection: close\r\n\r\nhello", .deliverOnly(.delimitedByClose)),
    ])
  func anew(answer: String, framing: FramingVerdict) throws {
    let result = try exchange(
      [Frames.head(103)], then: Frames.reset(13), ending: .keepAlive, anew: "HTTP/1.1 200 OK\r\n" + answer)
    #expect(result.error == nil)
    #expect(result.receiver.content == Array("hello".utf8) && result.receiver.framing == framing)
    #expect(result.receiver.interimCount == 1)
  }

  @Test(
    "A request is not sent again after a head has come, because two responses must not be joined",
    arguments: ["", "half, "])
  func anewBehindHead(content: String) throws {
    let frames = [Frames.head()] + (content.isEmpty ? [] : [Frames.data(content)])
    let result = try exchange(
      frames, then: Frames.reset(13), ending: .keepAlive, waitsForContent: !content.isEmpty,
      anew: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
    #expect(result.error == .unusableHead(.repeated))
    #expect(result.receiver.content == Array(content.utf8))
  }

  @Test("After a 101 to HTTP/2 the answer is read, even if the user typed an Upgrade field")
  func typedUpgrade() throws {
    let frames = [Frames.settings, Frames.acknowledgement, Frames.head(), Frames.data("text", isLast: true)]
    let switching = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n"
    try withOrigin { request in
      request.method == "PRI"
        ? OriginAnswer([.bytes(frames.flatMap { $0 })], ending: .close) : OriginAnswer([.bytes(Array(switching.utf8))])
    } run: { origin in
      var upgrading = try message(origin.url())
      upgrading.options.version = .http2
      upgrading.request.fields.append("Upgrade", "h2c")
      #expect(send(upgrading, through: ProgramTransport()).receiver.content == Array("text".utf8))
    }
  }

  @Test(
    "A request without an answer on a reused HTTP/2 connection is sent once more",
    arguments: [Method.get, Method.query, Method("SEARCH".utf8)!])
  func again(method: Method) throws {
    let gate = Gate()
    let frames = [Frames.settings, Frames.acknowledgement, Frames.head(), Frames.data("first", isLast: true)]
    let switching = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n"
    try withOrigin { request in
      switch (request.method, request.target) {
      case ("PRI", _): OriginAnswer([.bytes(frames.flatMap { $0 }), .wait(gate)], ending: .close)
      case (_, "/first"): OriginAnswer([.bytes(Array(switching.utf8))])
      default: .response(text: "again")
      }
    } run: { origin in
      defer { gate.open() }
      let transport = ProgramTransport()
      var first = try message(origin.url("/first"))
      first.options.version = .http2
      #expect(send(first, through: transport).receiver.content == Array("first".utf8))
      var second = try message(origin.url("/second"), method: method)
      second.options.version = .http2
      second.options.wantsTrace = true
      let receiver = GateReceiver(gate, waitsForContent: false)
      var report = TransferReport()
      try transport.send(second, to: receiver, report: &report)
      #expect(receiver.content == Array("again".utf8) && origin.connectionCount == 2)
    }
  }

  @Test("A status code below 100 is a failure, and nothing of the response is delivered", arguments: [0, 50, 99])
  func statusBelowRange(status: Int) throws {
    let frames = [Frames.head(status), Frames.data("text", isLast: true)]
    for content in [OutgoingMessage.Content.none, .bytes([0x61])] {
      let result = try exchange(frames, then: [], waitsForContent: true, upload: content)
      #expect(result.error == .unusableHead(.invalidStatus) && result.error?.curlCode == 1)
      #expect(result.receiver.framing == nil && result.receiver.content.isEmpty)
    }
  }

  @Test("A connection that ends before a final head is an empty reply")
  func noHead() throws {
    #expect(try exchange([Frames.head(103)], then: []).error == .emptyReply)
  }
}
