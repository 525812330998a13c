import Glibc
import HTTPSemantics
import Platform
import TestSupport
import Testing
import Transport

struct TransportFailureTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let answer: OriginAnswer
    let error: TransportError
    var content = ""
  }

  static let rows: [Row] = [
    Row(
      testDescription: "content shorter than its length",
      answer: .raw("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab"),
      error: .truncated(received: 2, expected: 5), content: "ab"),
    Row(
      testDescription: "chunked content without its last chunk",
      answer: .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n"),
      error: .truncated(received: 2, expected: nil), content: "ab"),
    Row(testDescription: "no reply", answer: .disconnect, error: .emptyReply),
    Row(
      testDescription: "lengths that conflict",
      answer: .raw("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nabc"),
      error: .unusableHead(.conflictingContentLength)),
    Row(
      testDescription: "a head without an end", answer: .raw("HTTP/1.1 200 OK\r\nA: b\r\n"),
      error: .receiveFailed(reason: "the connection ended within the response's head")),
    Row(
      testDescription: "a head without an end that has a Content-Length",
      answer: .raw("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nA: b\r\n"),
      error: .receiveFailed(reason: "the connection ended within the response's head")),
    Row(
      testDescription: "a head with chunked content that ends within a line",
      answer: .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nA: b"),
      error: .receiveFailed(reason: "the connection ended within the response's head")),
    Row(
      testDescription: "an interim response and no other", answer: .raw("HTTP/1.1 103 Early Hints\r\nA: b\r\n\r\n"),
      error: .emptyReply),
    Row(
      testDescription: "a switch of protocols that was not requested",
      answer: .raw("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\nabc"),
      error: .weirdReply(reason: "content came before a response's head")),
    Row(
      testDescription: "more than 2,000 fields",
      answer: .raw("HTTP/1.1 200 OK\r\n" + String(repeating: "A: b\r\n", count: 2_001) + "\r\n"),
      error: .unusableHead(.tooManyFields)),
    Row(
      testDescription: "a head of more than 256 KiB",
      answer: .raw(
        "HTTP/1.1 200 OK\r\n" + String(repeating: "A: \(String(repeating: "b", count: 999))\r\n", count: 300)),
      error: .unusableHead(.tooLarge)),
    Row(
      testDescription: "a line longer than libcurl accepts",
      answer: .raw("HTTP/1.1 200 OK\r\nA: " + String(repeating: "b", count: 200_000) + "\r\n\r\n"),
      error: .unusableHead(.lineTooLong)),
    Row(
      testDescription: "a status line longer than libcurl accepts",
      answer: .raw("HTTP/1.1 200 " + String(repeating: "b", count: 200_000) + "\r\n\r\n"),
      error: .unusableHead(.lineTooLong)),
    Row(
      testDescription: "a folded line without a field before it", answer: .raw("HTTP/1.1 200 OK\r\n A: b\r\n\r\n"),
      error: .weirdReply(reason: "its head is malformed")),
    Row(
      testDescription: "an invalid chunk size",
      answer: .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0x2\r\nab\r\n0\r\n\r\n"),
      error: .receiveFailed(reason: "the framing is malformed")),
    Row(
      testDescription: "a trailer without a colon",
      answer: .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\nno field\r\n\r\n"),
      error: .receiveFailed(reason: "the framing is malformed"), content: "ab"),
    Row(
      testDescription: "a flood of interim responses",
      answer: .raw(String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 200)),
      error: .unusableHead(.tooManyInterimResponses)),
  ]

  @Test("A broken reply is a failure", arguments: rows)
  func brokenReply(row: Row) throws {
    let outcome = try exchange(row.answer)
    #expect(outcome.error == row.error)
    #expect(outcome.receiver.content == Array(row.content.utf8))
  }

  @Test(
    "A failure has curl's error code",
    arguments: [
      (TransportError.emptyReply, Int32(52)), (.truncated(received: 0, expected: nil), 18), (.timedOut(.waiting), 28),
      (.unusableHead(.conflictingContentLength), 8), (.unusableHead(.tooLarge), 56), (.couldNotResolve(host: ""), 6),
      (.certificate(reason: ""), 60), (.other(CurlFailure(code: 47, reason: "")), 47),
      (.tooSlow(.init(bytesPerSecond: 1, seconds: 1)), 28),
    ])
  func curlCode(error: TransportError, code: Int32) {
    #expect(error.curlCode == code)
  }

  @Test("A connection that is reset is a failure to receive")
  func reset() throws {
    let outcome = try exchange(.reset)
    #expect([52, 55, 56].contains(outcome.error?.curlCode))
  }

  @Test("A reply that is not HTTP is a failure, and nothing of it is delivered")
  func notHTTP() throws {
    let outcome = try exchange(.raw("220 mail.example ESMTP\r\n"))
    #expect(outcome.error?.curlCode == 1)
    #expect(outcome.receiver.content.isEmpty)
  }

  @Test("A port that nobody listens on refuses the connection, and the error gives the reason")
  func refused() throws {
    let origin = try OriginServer { _ in .disconnect }
    let port = origin.port
    origin.stop()
    let outcome = send(try message("http://127.0.0.1:\(port)/"))
    let expected = TransportError.couldNotConnect(
      host: "127.0.0.1", port: port, isRefused: true, reason: "Connection refused")
    #expect(outcome.error == expected)
  }

  @Test("If the user redirects a connection and it fails, the error does not blame a proxy")
  func refusedElsewhere() throws {
    let origin = try OriginServer { _ in .disconnect }
    let port = origin.port
    origin.stop()
    var elsewhere = try message("http://a.test:10/")
    elsewhere.options.connectTo = [Array("::127.0.0.1:\(port)".utf8)]
    guard case .couldNotConnect("a.test", 10, isRefused: true, let reason) = send(elsewhere).error else {
      Issue.record("it was reached")
      return
    }
    #expect(reason.contains("127.0.0.1 port \(port)"))
    var socket = try message("http://a.test/")
    socket.options.unixSocket = .path(Array("/nonexistent/socket".utf8))
    let expected = TransportError.couldNotConnect(
      host: "a.test", port: 80, isRefused: false, reason: "No such file or directory (/nonexistent/socket)")
    #expect(send(socket).error == expected)
  }

  @Test("If an alternative service cannot be reached, the error names its host and port, and does not blame a proxy")
  func refusedByAlternative() throws {
    let origin = try OriginServer { _ in .disconnect }
    let port = origin.port
    origin.stop()
    let directory = try TemporaryDirectory()
    let lines = [("a.test", "127.0.0.1"), ("b.test", "alternative.invalid")].map { host, alternative in
      "h1 \(host) 10 h1 \(alternative) \(port) \"20990101 00:00:00\" 0 0\n"
    }
    try directory.write(lines.joined(), to: "alternatives")
    func error(of url: String) throws -> TransportError? {
      var message = try message(url)
      message.options.altSvcFile = Array(directory.path("alternatives").utf8)
      return send(message).error
    }
    guard case .couldNotConnect("a.test", 10, isRefused: true, let reason) = try error(of: "https://a.test:10/") else {
      Issue.record("it was reached")
      return
    }
    #expect(reason.contains("127.0.0.1 port \(port)"))
    #expect(try error(of: "https://b.test:10/") == .couldNotResolve(host: "alternative.invalid"))
  }

  @Test("The error for a proxy that cannot be reached names the proxy")
  func refusedByProxy() throws {
    let origin = try OriginServer { _ in .disconnect }
    let port = origin.port
    origin.stop()
    for target in ["http://elsewhere.invalid/", "http://elsewhere.invalid:\(port)/"] {
      var message = try message(target)
      message.options.proxy = .url(Array("http://127.0.0.1:\(port)".utf8))
      guard case .proxyNotConnected(isRefused: true, let reason) = send(message).error else {
        Issue.record("it was reached")
        return
      }
      #expect(reason.contains("127.0.0.1 port \(port)"))
    }
  }

  @Test("A request that is larger than the program accepts is not sent")
  func tooLong() throws {
    var message = try message("http://127.0.0.1:10/")
    let field = Field("A", FieldValue([UInt8](repeating: 0x61, count: 16 << 20)))
    message.request.fields = Fields([Field](repeating: field, count: 4))
    #expect(send(message).error == .unsendable(reason: "it is longer than 64 MiB"))
  }

  @Test("A name that does not exist is not resolved")
  func unresolved() throws {
    // RFC 6761 section 6.4: no resolver gives this name an address.
    let outcome = send(try message("http://name.invalid/"))
    #expect(outcome.error == .couldNotResolve(host: "name.invalid"))
  }

  @Test("If the host that the user redirects to cannot be resolved, the error names that host")
  func unresolvedElsewhere() throws {
    var message = try message("http://127.0.0.1:10/")
    message.options.connectTo = [Array("::elsewhere.invalid:10".utf8)]
    #expect(send(message).error == .couldNotResolve(host: "elsewhere.invalid"))
  }

  @Test("If a proxy cannot be resolved, the error names the proxy")
  func unresolvedProxy() throws {
    var message = try message("http://127.0.0.1:10/")
    message.options.proxy = .url(Array("http://proxy.invalid:10".utf8))
    #expect(send(message).error == .couldNotResolveProxy(reason: "proxy.invalid"))
  }

  @Test("A failed connection to an address with a zone does not blame a proxy")
  func refusedInZone() throws {
    let error = send(try message("http://[::1%25lo]:1/")).error
    guard case .couldNotConnect("[::1%25lo]", 1, isRefused: _, reason: _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test("An unusable interface or cipher is reported in garner's own words")
  func unusable() throws {
    var bound = try message("http://127.0.0.1:10/")
    bound.options.interface = Array("192.0.2.1".utf8)
    let reason = "the interface or address to connect from cannot be used: Cannot assign requested address"
    #expect(send(bound).error == .other(CurlFailure(code: 45, reason: reason)))
    try withOrigin(answering: { _ in .disconnect }) { origin in
      for (list, suites) in [("FOO:BAR", nil), (nil, "FOO")] as [(String?, String?)] {
        var ciphered = try message("https://\(origin.authority)/")
        (ciphered.options.security.ciphers, ciphered.options.security.tls13Ciphers) = (
          list.map { Array($0.utf8) }, suites.map { Array($0.utf8) }
        )
        let reason = "none of the ciphers can be used: \(list ?? suites ?? "")"
        #expect(send(ciphered).error == .other(CurlFailure(code: 59, reason: reason)))
      }
    }
  }

  @Test("A connection that ends during the TLS handshake is reported without OpenSSL's empty error text")
  func endedHandshake() throws {
    let port = try SilentPort(.unread)
    startThread { port.hangUp() }
    let outcome = send(try message("https://127.0.0.1:\(port.port)/"))
    #expect(outcome.error == .tls(reason: "the connection ended during the handshake"))
    #expect(outcome.error?.isDisconnection == true)
  }

  @Test(
    "A failure before the origin is reached counts as disconnection, except for a login or a certificate",
    arguments: [
      (.timedOut(.resolving), true), (.timedOut(.connecting), true), (.timedOut(.securing), true),
      (.timedOut(.waiting), false), (.timedOut(.receiving), false), (.emptyReply, true),
      (.tooSlow(TransferOptions.SpeedFloor(bytesPerSecond: 1, seconds: 1)), false),
      (.proxy(reason: "Can't complete SOCKS5 connection to a.test. (4)"), true),
      (.proxy(reason: "Can't complete SOCKS4 connection to 127.0.0.1:1. (91), request rejected or failed."), true),
      (.proxy(reason: "connection to proxy closed"), true), (.proxy(reason: "Could not resolve host: a.test"), true),
      (.proxy(reason: "User was rejected by the SOCKS5 server (1 255)."), false),
      (.proxy(reason: "No authentication method was acceptable."), false),
      (.tls(reason: "OpenSSL SSL_connect: Connection reset by peer in connection to a.test:443"), true),
      (.tls(reason: "error:0A00010B:SSL routines::wrong version number"), false),
      (.certificate(reason: "SSL: no alternative certificate subject name matches"), false),
    ] as [(TransportError, Bool)])
  func disconnection(error: TransportError, isOne: Bool) { #expect(error.isDisconnection == isOne) }

  @Test(
    "No authority helps if a certificate is for another name, out of date or too weak",
    arguments: [
      ("SSL: no alternative certificate subject name matches", true),
      ("SSL certificate problem: certificate has expired", true),
      ("SSL certificate problem: certificate is not yet valid", true),
      ("SSL certificate problem: EE certificate key too weak", true),
      ("SSL certificate problem: unable to get local issuer certificate", false),
      ("SSL certificate problem: self-signed certificate", false),
    ])
  func unfitCertificate(_ reason: String, _ isUnfit: Bool) {
    #expect(TransportError.certificate(reason: reason).isOfUnfitCertificate == isUnfit)
    #expect(!TransportError.tls(reason: reason).isOfUnfitCertificate)
  }

  @Test("A reply that does not come in time is a timeout")
  func timeOut() throws {
    try withLateOrigin { origin in
      var message = try message(origin.url("/"))
      message.options.timeLimitMilliseconds = 50
      let outcome = send(message)
      #expect(outcome.error == .timedOut(.waiting))
      #expect(outcome.report.times.total > 0)
    }
  }

  @Test("A timeout before the reply begins is reported as waiting, even while the request is still being sent")
  func timeOutWhileSending() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("fifo")
    try #require(mkfifo(path, 0o600) == 0)
    let writer = open(path, O_RDWR)
    defer { close(writer) }
    let content = StreamedContent([.bytes([0]), .rest(of: .init(.file(try #require(Path(path)))))])
    try withLateOrigin { origin in
      var message = try message(origin.url("/"), method: .put, content: .streamed(content))
      message.options.timeLimitMilliseconds = 100
      #expect(send(message).error == .timedOut(.waiting))
    }
  }

  @Test("Content of unknown length cannot be sent over HTTP/1.0")
  func openEndedContent() throws {
    try withLateOrigin { origin in
      let content = StreamedContent([.rest(of: .init(.file("/dev/null")))])
      var message = try message(origin.url("/"), method: .put, content: .streamed(content))
      message.options.version = .http10
      let reason = "content whose length is not known cannot be sent by HTTP/1.0"
      #expect(send(message).error == .other(CurlFailure(code: 25, reason: reason)))
    }
  }

  @Test("A transfer that is too slow is distinguished from one that takes too long")
  func tooSlow() throws {
    try withLateOrigin { origin in
      var message = try message(origin.url("/"))
      message.options.timeLimitMilliseconds = 60_000
      message.options.speedFloor = .init(bytesPerSecond: 1000, seconds: 1)
      #expect(send(message).error == .tooSlow(.init(bytesPerSecond: 1000, seconds: 1)))
    }
  }

  @Test(
    "The error for a slow transfer names the rate in the singular or plural",
    arguments: [
      (1, "the transfer was slower than 1 byte/s for 5 s"), (2, "the transfer was slower than 2 bytes/s for 5 s"),
    ])
  func slowness(_ rate: Int, _ reason: String) {
    #expect(TransportError.tooSlow(.init(bytesPerSecond: rate, seconds: 5)).reason == reason)
  }

  /// Runs `run` with an origin that does not answer until then.
  private func withLateOrigin(run: (OriginServer) throws -> Void) throws {
    let gate = Gate()
    try withOrigin { _ in
      .late(gate, .response(text: "late"))
    } run: { origin in
      defer { gate.open() }
      try run(origin)
    }
  }

  @Test("A receiver that aborts ends the transfer", arguments: [RecordingReceiver.Stop.atHead, .atContent])
  func abort(stop: RecordingReceiver.Stop) throws {
    try withOrigin { _ in
      .response(patternCount: 1_000_000)
    } run: { origin in
      let outcome = send(try message(origin.url("/")), stop: stop)
      #expect(outcome.error == .abortedByReceiver)
      #expect(outcome.receiver.content.isEmpty == (stop == .atHead))
    }
  }

  @Test("A transfer that is told to stop is interrupted")
  func interrupt() throws {
    let gate = Gate()
    try withOrigin { _ in
      .late(gate, .response(text: "late"))
    } run: { origin in
      defer { gate.open() }
      let transport = ProgramTransport(shouldStop: { !origin.requests.isEmpty })
      let outcome = send(try message(origin.url("/")), through: transport)
      #expect(outcome.error == .interrupted)
    }
  }

  /// URLs that fail. CLOSED is a port of a server that has stopped, so nothing listens there.
  private static let failingURLs = ["http://ORIGIN/bad", "http://name.invalid/", "http://127.0.0.1:CLOSED/"]

  @Test("After a failure the transport can send again", arguments: failingURLs)
  func recovery(failingURL: String) throws {
    let stopped = try OriginServer { _ in .disconnect }
    stopped.stop()
    try withOrigin { request in
      request.path == "/bad" ? .disconnect : .response(text: "x")
    } run: { origin in
      let transport = ProgramTransport()
      let url = failingURL.replacing("ORIGIN", with: origin.authority).replacing("CLOSED", with: "\(stopped.port)")
      for _ in 1...2 {
        let failed = send(try message(url), through: transport)
        #expect([6, 7, 52].contains(failed.error?.curlCode))
        let succeeded = send(try message(origin.url("/good")), through: transport)
        #expect(succeeded.error == nil)
        #expect(succeeded.receiver.content == Array("x".utf8))
      }
    }
  }
}
