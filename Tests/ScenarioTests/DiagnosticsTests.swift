import Platform
import TestSupport
import Testing

@testable import Client

@Suite struct DiagnosticsTests {
  @Test func `a failure and its hint stand together, whoever reports another at the same time`() throws {
    let directory = try TemporaryDirectory("diagnostics")
    let file = try Descriptor.workingDirectory.open(
      try #require(Path(directory.path("said"))), [.readWrite, .create])
    let diagnostics = Diagnostics(file.borrowed)
    let (threads, reports) = (4, 2_000)
    let ended = Monitor(0)
    for thread in 0..<threads {
      startThread {
        for number in 0..<reports {
          diagnostics.report(.contradiction("\(thread) \(number)"), hint: "\(thread) \(number)")
        }
        ended.withLock { $0 += 1 }
      }
    }
    ended.wait { $0 == threads ? () : nil }
    let lines = String(decoding: try directory.read("said"), as: UTF8.self).split(separator: "\n")
    try #require(lines.count == 2 * threads * reports)
    for index in stride(from: 0, to: lines.count, by: 2) {
      let number = lines[index].dropFirst("garner: ".count)
      try #require(lines[index + 1] == "hint: \(number)")
    }
  }

  @Test func `of a URL that nobody would read to its end, a message has the front`() throws {
    let scenario = try Scenario(.response(404, text: ""))
    let end = String(repeating: "x", count: 5_000)
    for (url, front) in [
      (scenario.url("/" + end), "garner: the server answered 404 Not Found for \(scenario.url("/xxx"))"),
      ("http://h:x/" + end, "garner: the URL http://h:x/xxx"), ("foo://h/" + end, "garner: the URL foo://h/xxx"),
    ] {
      let line = try #require(try scenario.run(url).diagnostics.split(separator: "\n").first)
      #expect(line.hasPrefix(front) && line.contains("xxx...") && line.utf8.count < 1_200, "\(line)")
    }
    let long = scenario.url("/" + end.prefix(900))
    #expect(try scenario.run(long).diagnostics == "garner: the server answered 404 Not Found for \(long)\n")
  }
}
