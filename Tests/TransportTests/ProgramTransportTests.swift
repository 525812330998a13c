import CTransport
import Glibc
import HTTPSemantics
import Platform
import TestSupport
import Testing

@testable import Transport

struct ProgramTransportTests {
  @Test("A response is received as head, content and report")
  func response() throws {
    let outcome = try exchange(.response(fields: [("X-A", "1"), ("X-A", "2")], text: "hello"))
    #expect(outcome.error == nil)
    #expect(outcome.receiver.heads.map(\.status) == [200])
    #expect(outcome.receiver.heads.first?.fields.values(of: "X-A") == ["1", "2"])
    #expect(outcome.receiver.framing == .storable)
    #expect(outcome.receiver.content == Array("hello".utf8))
    #expect(outcome.report.downloadSize == 5)
    #expect(outcome.report.connectionCount == 1)
    #expect(outcome.report.remoteAddress == "127.0.0.1")
    #expect(outcome.report.version == .http11)
    #expect(outcome.report.times.total > 0)
  }

  @Test("A response to HEAD has no content, whatever its length says")
  func head() throws {
    let outcome = try exchange(.response(text: "hello"), method: .head)
    #expect(outcome.error == nil)
    #expect(outcome.receiver.heads.first?.fields[.contentLength] == "5")
    #expect(outcome.receiver.content.isEmpty)
  }

  @Test("Large content is received whole, in several transfers and by a slow receiver")
  func largeContent() throws {
    let count = 3_000_000
    let pattern = Pattern.bytes(count: count)
    try withOrigin { _ in
      .response(patternCount: UInt64(count))
    } run: { origin in
      let transport = ProgramTransport()
      for pauseMicroseconds: UInt32 in [0, 5_000, 0] {
        let receiver = RecordingReceiver(pauseMicroseconds: pauseMicroseconds)
        var report = TransferReport()
        try transport.send(try message(origin.url("/")), to: receiver, report: &report)
        #expect(receiver.content == pattern)
        #expect(report.downloadSize == count)
      }
    }
  }

  @Test("A field line is one line, however long it is", arguments: [65_534, 65_535, 65_536, 65_537, 65_538, 98_304])
  func longLine(length: Int) throws {
    let start = "X-A: "
    let value = String(repeating: "v", count: length - start.utf8.count - "\r\nX-B: 1".utf8.count) + "  X-B: 1"
    let head = "HTTP/1.1 200 OK\r\n\(start)\(value)\r\nCache-Control: no-store\r\nContent-Length: 5\r\n\r\n"
    let outcome = try exchange(.raw(Array((head + "hello").utf8)))
    #expect(outcome.error == nil)
    let fields = try #require(outcome.receiver.heads.first).fields
    #expect(fields.lines.map(\.name) == ["X-A", "Cache-Control", "Content-Length"])
    #expect(fields["X-A"]?.bytes.count == value.utf8.count)
    #expect(outcome.receiver.content == Array("hello".utf8))
  }

  @Test("A program that is closed ends, even while it waits for room for large content")
  func closedProgram() throws {
    try withOrigin { _ in
      .response(patternCount: 8_000_000)
    } run: { origin in
      let program = try TransportProgram(mayShare: true)
      try program.send(RequestFrame(message(origin.url("/")), stream: 1))
      var longest = 0
      while longest <= 64 << 10 {
        while longest <= 64 << 10, let frame = try program.nextFrame() { longest = max(longest, frame.payload.count) }
        if longest <= 64 << 10 { try program.receive(withinMilliseconds: 30_000) }
      }
      // Time to fill the buffers.
      usleep(100_000)
      // A program that does not end by itself would be ended by a signal.
      #expect(program.end() == .exit(Int32(transport_exit_orphaned)))
    }
  }

  @Test("A program that gets an unknown frame ends with a status that says so")
  func nonsense() throws {
    let program = try TransportProgram(mayShare: false)
    try program.send(RequestFrame(kind: 999, stream: 0))
    #expect(throws: TransportError.programEnded(reason: "it received a frame that it does not understand")) {
      while true {
        while try program.nextFrame() != nil {}
        try program.receive(withinMilliseconds: 30_000)
      }
    }
  }

  struct Reply: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let bytes: String
    let content: String
    let framing: FramingVerdict
    var interims: [StatusCode] = []
  }

  static let replies: [Reply] = [
    Reply(
      testDescription: "chunked content is decoded, and its trailers are not fields",
      bytes: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n3;x=y\r\ncde\r\n0\r\nT: u\r\n\r\n",
      content: "abcde", framing: .storable),
    Reply(
      testDescription: "content with a content coding is not decoded",
      bytes: "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc", content: "abc",
      framing: .storable),
    Reply(
      testDescription: "a 304 has no content", bytes: "HTTP/1.1 304 Not Modified\r\nETag: \"a\"\r\n\r\n", content: "",
      framing: .storable),
    Reply(
      testDescription: "interim responses come first",
      bytes: "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
        + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", content: "ok", framing: .storable, interims: [100, 103]),
    Reply(
      testDescription: "content that ends with the connection is delivered",
      bytes: "HTTP/1.1 200 OK\r\n\r\nabc", content: "abc", framing: .deliverOnly(.delimitedByClose)),
    Reply(
      testDescription: "a folded line is delivered",
      bytes: "HTTP/1.1 200 OK\r\nA: b\r\n c\r\nContent-Length: 1\r\n\r\nx",
      content: "x", framing: .deliverOnly(.obsoleteLineFolding)),
    Reply(
      testDescription: "a bare carriage return is delivered",
      bytes: "HTTP/1.1 200 OK\r\nA: b\rc\r\nContent-Length: 1\r\n\r\nx", content: "x",
      framing: .deliverOnly(.bareCarriageReturn)),
    Reply(
      testDescription: "a space before a colon is delivered",
      bytes: "HTTP/1.1 200 OK\r\nA : b\r\nContent-Length: 1\r\n\r\nx", content: "x",
      framing: .deliverOnly(.whitespaceBeforeColon)),
    Reply(
      testDescription: "a length beside chunked is delivered",
      bytes: "HTTP/1.1 200 OK\r\nContent-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n",
      content: "x", framing: .deliverOnly(.lengthBesideTransferCoding)),
    Reply(
      testDescription: "the same length twice counts once",
      bytes: "HTTP/1.1 200 OK\r\nContent-Length: 1, 1\r\n\r\nx", content: "x", framing: .storable),
  ]

  @Test("A reply is received with its content, its framing and its interim responses", arguments: replies)
  func reply(row: Reply) throws {
    let outcome = try exchange(.raw(row.bytes))
    #expect(outcome.error == nil)
    #expect(outcome.receiver.content == Array(row.content.utf8))
    #expect(outcome.receiver.framing == row.framing)
    #expect(outcome.receiver.interims.map(\.status) == row.interims)
    #expect(outcome.receiver.heads.count == 1)
    #expect(outcome.receiver.heads.first?.fields.contains("T") == false)
  }

  @Test("The next message reuses the connection")
  func connectionReuse() throws {
    try withOrigin { _ in
      .response(text: "x")
    } run: { origin in
      let transport = ProgramTransport()
      let first = send(try message(origin.url("/1")), through: transport)
      #expect(first.report.connectionCount == 1)
      let second = send(try message(origin.url("/2")), through: transport)
      #expect(second.report.connectionCount == 0)
      #expect(origin.connectionCount == 1)
    }
  }

  @Test("A connection is reused only by messages that resolve addresses in the same way")
  func waysOfConnections() throws {
    try withOrigin { _ in
      .response(text: "x")
    } run: { origin in
      let transport = ProgramTransport()
      let counts = try [
        "", "", "resolve", "doh", "", "resolve", "doh", "other", "authority", "doh of authority", "doh",
      ].map { way in
        var message = try message(origin.url("/"))
        switch way {
        case "resolve": message.options.resolve = [Array("a.test:1:127.0.0.1".utf8)]
        case "other": message.options.resolve = [Array("a.test:1:127.0.0.2".utf8)]
        case "doh": message.options.dohURL = Array("https://127.0.0.1:1/".utf8)
        case "authority": message.options.security.authorityFile = Array("/nowhere.pem".utf8)
        case "doh of authority":
          message.options.dohURL = Array("https://127.0.0.1:1/".utf8)
          message.options.security.authorityFile = Array("/nowhere.pem".utf8)
        default: break
        }
        return send(message, through: transport).report.connectionCount
      }
      #expect(counts == [1, 0, 1, 1, 0, 0, 0, 1, 0, 1, 0])
    }
  }

  @Test("An address given with one message does not apply to the next")
  func addressOfOne() throws {
    try withOrigin { _ in
      .response(text: "x").ending(.close)
    } run: { origin in
      let transport = ProgramTransport()
      let plain = try message("http://name.invalid:\(origin.port)/")
      var told = plain
      told.options.resolve = [Array("name.invalid:\(origin.port):127.0.0.1".utf8)]
      #expect(send(told, through: transport).error == nil)
      #expect(send(plain, through: transport).error == .couldNotResolve(host: "name.invalid"))
      #expect(send(told, through: transport).error == nil)
    }
  }

  @Test(
    "If a 100 Continue is refused, the request is sent again without Expect, and that answer counts",
    arguments: [true, false])
  func refusedLeave(isAnswered: Bool) throws {
    try withOrigin { request in
      isAnswered && !request.content.isEmpty ? .response(text: "ok") : .response(417, text: "no")
    } run: { origin in
      let outcome = send(
        try message(
          origin.url("/"), method: .post, fields: ["Expect": "100-continue; refuse"],
          content: .bytes(Array("content".utf8))))
      #expect(outcome.error == nil)
      #expect(outcome.receiver.heads.map(\.status) == [isAnswered ? 200 : 417])
      #expect(outcome.receiver.content == Array((isAnswered ? "ok" : "no").utf8))
      #expect(origin.requests.map { String(decoding: $0.content, as: UTF8.self) } == ["", "content"])
      #expect(origin.requests.map { $0.has("Expect") } == [true, false])
    }
  }

  @Test("If the connection closes after a refusal of 100 Continue, the refusal is the answer", arguments: ["", "no"])
  func refusalOfLeave(text: String) throws {
    try withOrigin { _ in
      .response(417, fields: [("Connection", "close")], text: text).ending(.close)
    } run: { origin in
      let outcome = send(
        try message(
          origin.url("/"), method: .post, fields: ["Expect": "100-continue; refuse"],
          content: .bytes(Array("content".utf8))))
      #expect(outcome.error == nil)
      #expect(outcome.receiver.heads.map(\.status) == [417])
      #expect(outcome.receiver.content == Array(text.utf8))
    }
  }

  @Test("After the last message the program ends by itself, and another message starts a new one")
  func finish() throws {
    try withOrigin { _ in
      .response(text: "x")
    } run: { origin in
      let transport = ProgramTransport()
      transport.finish()
      for number in 1...2 {
        let outcome = send(try message(origin.url("/\(number)")), through: transport)
        #expect(outcome.error == nil && outcome.report.connectionCount == 1)
        transport.finish()
        transport.finish()
      }
      #expect(origin.connectionCount == 2)
    }
  }

  @Test(
    "After a message marked as last the program ends by itself, unless the response leads to another request",
    arguments: [(200, true), (204, true), (304, true), (302, false), (401, false), (404, false), (503, false)])
  func lastMessage(status: Int, endsProgram: Bool) throws {
    try withOrigin { _ in
      .response(status)
    } run: { origin in
      let transport = ProgramTransport()
      var last = try message(origin.url("/1"))
      last.isLast = true
      #expect(send(last, through: transport).error == nil)
      let next = send(try message(origin.url("/2")), through: transport)
      #expect(next.error == nil && next.report.connectionCount == (endsProgram ? 1 : 0))
    }
  }

  @Test("A receiver that aborts the last response gets that error, whether the program has ended or not")
  func lastMessageAborted() throws {
    try withOrigin { _ in
      .response(text: "hello")
    } run: { origin in
      let transport = ProgramTransport()
      var last = try message(origin.url("/"))
      last.isLast = true
      #expect(send(last, through: transport, stop: .atHead).error == .abortedByReceiver)
      #expect(send(last, through: transport).error == nil)
    }
  }

  @Test("A trace contains the request's head as it was sent, and is made only on request", arguments: [true, false])
  func trace(isWanted: Bool) throws {
    try withOrigin { _ in
      .response(text: "x")
    } run: { origin in
      var message = try message(origin.url("/t"))
      message.options.wantsTrace = isWanted
      let traces = send(message).receiver.traces
      let request = try #require(origin.requests.first)
      #expect(traces.contains(.requestHead(request.head)) == isWanted)
      #expect(traces.isEmpty == !isWanted)
    }
  }

  @Test("A cookie that an origin sets is not sent back by libcurl itself")
  func cookies() throws {
    try withOrigin { _ in
      .response(fields: [("Set-Cookie", "a=b; Max-Age=1000")], text: "x")
    } run: { origin in
      let transport = ProgramTransport()
      for _ in 1...2 {
        let outcome = send(try message(origin.url("/")), through: transport)
        #expect(outcome.error == nil)
      }
      #expect(origin.requests.map { $0.has("Cookie") } == [false, false])
    }
  }

  @Test("A proxy's name may contain letters beyond ASCII, whatever the locale")
  func internationalProxy() throws {
    try withOrigin { _ in
      .response(text: "x")
    } run: { origin in
      var message = try message("http://a.test/")
      message.options.resolve = [Array("xn--bcher-kva.example:\(origin.port):127.0.0.1".utf8)]
      message.options.proxy = .url(Array("http://b\u{fc}cher.example:\(origin.port)".utf8))
      #expect(send(message).error == nil)
      #expect(origin.requests.map(\.target) == ["http://a.test/"])
    }
  }

  @Test("An IPv6 address is connected to, and sent in brackets", .enabled(if: canListenOnIPv6()))
  func ipv6() throws {
    try withOrigin(on: .ipv6) { _ in
      .response(text: "x")
    } run: { origin in
      let outcome = send(try message(origin.url("/")))
      #expect(outcome.error == nil)
      #expect(outcome.report.remoteAddress == "::1")
      #expect(origin.requests.first?.value("Host") == "[::1]:\(origin.port)")
    }
  }

  @Test("A proxy gets the whole URI and its own credentials")
  func proxy() throws {
    try withOrigin { _ in
      .response(text: "x")
    } run: { origin in
      var message = try message("http://elsewhere.invalid/a?b")
      message.options.proxy = .url(Array(origin.url("").utf8))
      message.options.proxyCredentials = Array("user:secret".utf8)
      let outcome = send(message)
      #expect(outcome.error == nil)
      let request = try #require(origin.requests.first)
      #expect(request.target == "http://elsewhere.invalid/a?b")
      #expect(request.value("Proxy-Authorization") == "Basic dXNlcjpzZWNyZXQ=")
    }
  }
}
