import HTTPSemantics
import TestSupport
import Testing
import Transport

/// A transport is told early that no more messages follow, because its end takes a while, in which the last response
/// is stored.
@Suite struct LastMessageTests {
  /// A transport that records its messages, and how many entries are stored when it is told to finish.
  private final class NotingTransport: Transport {
    private let entryCount: () -> Int
    private(set) var events: [String] = []

    init(entryCount: @escaping () -> Int) { self.entryCount = entryCount }

    func send(
      _ message: OutgoingMessage, to receiver: any ResponseReceiver, report: inout TransferReport
    ) throws(TransportError) {
      let path = message.request.target.pathAndQuery
      events.append("send \(path)")
      if path == "/broken" { throw .emptyReply }
      var fields: Fields = ["Cache-Control": "max-age=60", "ETag": "\"1\"", "Content-Length": "4"]
      var status: StatusCode = 200
      if path == "/moved" {
        fields.append("Location", "/there")
        status = 301
      }
      if message.request.fields.contains("If-None-Match") { status = 304 }
      _ = receiver.receive(head: Response(status, fields: fields), framing: .storable)
      if status != 304 { _ = Array("body".utf8).withUnsafeBytes { receiver.receive(content: $0) } }
    }

    func finish() { events.append("finish with \(entryCount()) stored") }
  }

  static let runs: [(arguments: [String], events: [String])] = [
    (["/a"], ["send /a", "finish with 0 stored"]),
    (["/a", "/b"], ["send /a", "send /b", "finish with 1 stored"]),
    (["/moved"], ["send /moved", "send /there", "finish with 1 stored"]),
    (["--no-location", "/moved"], ["send /moved", "finish with 0 stored"]),
    (["/a", "/a"], ["send /a", "finish with 1 stored"]),
    (["--refresh", "/a", "/a"], ["send /a", "send /a", "finish with 1 stored"]),
    (["/a", "/broken"], ["send /a", "send /broken"]),
  ]

  @Test(arguments: runs)
  func `the transport is told of its end just before the last response is stored`(
    _ arguments: [String], _ events: [String]
  ) throws {
    let scenario = try Scenario(.response(text: "x"))
    let transport = NotingTransport { [unowned scenario] in scenario.entryFiles.count }
    scenario.transport = transport
    try scenario.run(arguments.map { $0.hasPrefix("/") ? "http://site.test\($0)" : $0 })
    #expect(transport.events == events)
  }
}
