import HTTPSemantics
import Platform
import TestSupport
import Testing
import Transport

/// RFC 9112 section 9.2: "A client that receives data on a connection that does not have outstanding requests MUST NOT
/// consider that data to be a valid response to a not-yet-issued request."
struct UnaskedInputTests {
  private static let answer = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfirst"

  @Test(
    "Data on an idle connection is not taken for an answer, and the next request uses another connection",
    arguments: ["HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nstray", "HTTP/1.1 408 Timeout\r\n\r\n", "first"])
  func unasked(_ stray: String) throws {
    for content in [OutgoingMessage.Content.none, .bytes(Array("sent".utf8))] {
      let (isTaken, hasStrayed) = (Gate(), Gate())
      try withOrigin { request in
        guard request.path == "/a" else { return .response(text: "second") }
        let parts = [OriginAnswer.Part.bytes(Array(Self.answer.utf8)), .wait(isTaken), .bytes(Array(stray.utf8))]
        return OriginAnswer(parts + [.open(hasStrayed)])
      } run: { origin in
        let transport = ProgramTransport()
        let first = send(try message(origin.url("/a")), through: transport)
        isTaken.open()
        #expect(hasStrayed.pass(withinMilliseconds: 10_000))
        let method = content == .none ? Method.get : .post
        let second = send(try message(origin.url("/b"), method: method, content: content), through: transport)
        #expect(first.receiver.content == Array("first".utf8))
        #expect(second.error == nil && second.receiver.content == Array("second".utf8), "\(second)")
        #expect(second.report.connectionCount == 1 && origin.connectionCount == 2)
        let third = send(try message(origin.url("/b")), through: transport)
        #expect(third.report.connectionCount == 0 && third.receiver.content == Array("second".utf8))
      }
    }
  }

  @Test("A connection is not reused after a request with Connection: close: RFC 9112 section 9.6")
  func closing() throws {
    try withOrigin { _ in
      .response(text: "x")
    } run: { origin in
      let transport = ProgramTransport()
      for (value, isNew) in [("keep-alive", true), ("close", false), ("keep-alive", true), ("TE, Close", false)] {
        let message = try message(origin.url("/"), fields: ["Connection": FieldValue(value)])
        let outcome = send(message, through: transport)
        #expect(outcome.error == nil && (outcome.report.connectionCount == 1) == isNew, "\(value)")
      }
      #expect(origin.connectionCount == 2)
    }
  }
}
