import Glibc
import TestSupport
import Testing

/// The output files of URLs that are fetched side by side.
@Suite struct ParallelFileTests {
  @Test func `each of 200 URLs that are fetched side by side goes to its own file`() throws {
    let scenario = try Scenario { request in .fresh(text: request.target) }
    let run = try scenario.run("-Z", "-o", scenario.directory.path("f#1"), scenario.url("/[1-200]"))
    #expect((run.status, run.text, run.diagnostics) == (0, "", ""))
    for number in 1...200 {
      #expect(try String(decoding: scenario.directory.read("f\(number)"), as: UTF8.self) == "/\(number)")
    }
  }

  private struct Seen {
    var targets: [String] = []
    /// Targets whose file was not there, or not whole, when a later one was requested.
    var missing: [String] = []
  }

  @Test func `a file appears when its transfer is done, although another transfer is held up`() throws {
    let gate = Gate()
    let directory = try TemporaryDirectory()
    let seen = Monitor(Seen())
    // One of the two threads waits for the answer to /1, so the other one fetches all other URLs, one at a time.
    let scenario = try Scenario { request in
      if request.target == "/1" { return .late(gate, .response(text: request.target)) }
      seen.withLock { seen in
        for target in seen.targets where (try? directory.read("f\(target.dropFirst())")) != Array(target.utf8) {
          seen.missing.append(target)
        }
        seen.targets.append(request.target)
      }
      return .response(text: request.target)
    }
    let run = scenario.start("-Z", "--parallel-max", "2", "-o", directory.path("f#1"), scenario.url("/[1-6]"))
    #expect(scenario.origin.hasSeen(requests: 6))
    #expect(access(directory.path("f1"), F_OK) != 0)
    gate.open()
    #expect(try run.finish().status == 0)
    #expect(seen.withLock { $0.missing } == [])
    #expect(seen.withLock { $0.targets.sorted() } == (2...6).map { "/\($0)" })
    #expect(try directory.read("f1") == Array("/1".utf8))
  }
}
