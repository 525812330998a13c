import Client
import Glibc
import TestSupport
import Testing

@Suite("URLs are fetched side by side")
struct ParallelTests {
  @Test func `bodies come in the order of the command line, whichever is answered first`() throws {
    let gate = Gate()
    let scenario = try Scenario { request in
      let answer = OriginAnswer.fresh(text: "\(request.target)\n")
      return request.target == "/0" ? .late(gate, answer) : answer
    }
    let run = scenario.start("-Z", "-w", "(%{http_code})\n", scenario.url("/[0-29]"))
    #expect(scenario.origin.hasSeen(requests: 30))
    gate.open()
    let expected = (0..<30).map { "/\($0)\n(200)\n" }.joined()
    #expect(try run.finish().text == expected)
    // The second run is served from the cache.
    let again = try scenario.run("-Z", "-w", "(%{http_code})\n", scenario.url("/[0-29]"))
    #expect(again.text == expected)
    #expect((again.status, again.diagnostics) == (0, ""))
    #expect(scenario.asked.count == 30)
  }

  @Test func `no thread keeps a run with -Z alive when the run is over`() throws {
    let place: String
    do {
      let scenario = try Scenario(.fresh(text: "text"))
      place = scenario.directory.path
      try scenario.run("-Z", scenario.url("/[0-9]"))
      #expect(!namesInDirectory(place).isEmpty)
    }
    #expect(namesInDirectory(place).isEmpty)
  }

  @Test func `no more than --parallel-max URLs are requested at a time`() throws {
    let gate = Gate()
    let scenario = try Scenario { request in .late(gate, .response(text: request.target)) }
    let run = scenario.start("-Z", "--parallel-max", "3", scenario.url("/[1-9]"))
    #expect(scenario.origin.hasSeen(requests: 3))
    #expect(scenario.asked.count == 3)
    gate.open()
    #expect(try run.finish().text == (1...9).map { "/\($0)" }.joined())
    #expect(scenario.origin.connectionCount == 3)
  }

  @Test func `as many as --parallel-max URLs are requested at a time, although only one has its turn to print`() throws
  {
    // As many as a process with 1,024 descriptors has for it, or more.
    let count = sysconf(Int32(_SC_OPEN_MAX)) < 2_000 ? 90 : 160
    let gate = Gate()
    let scenario = try Scenario { request in .late(gate, .response(text: "\(request.target)\n")) }
    let run = scenario.start("-Z", "--parallel-max", "\(count)", scenario.url("/[1-200]"))
    #expect(scenario.origin.hasSeen(requests: count))
    gate.open()
    #expect(try run.finish().text == (1...200).map { "/\($0)\n" }.joined())
  }

  @Test(arguments: [[], ["--memory-only"]])
  func `ten equal URLs make one request`(_ options: [String]) throws {
    let gate = Gate()
    let scenario = try Scenario { _ in .late(gate, .fresh(text: "x")) }
    let urls = Array(repeating: scenario.url("/same"), count: 10)
    let run = scenario.start(["-Z"] + options + urls)
    #expect(scenario.origin.hasSeen(requests: 1))
    gate.open()
    #expect(try run.finish().text == String(repeating: "x", count: 10))
    #expect(scenario.asked == ["/same"])
  }

  @Test func `no URL waits behind one whose answer is late, whatever was served before it`() throws {
    let gate = Gate()
    let scenario = try Scenario { request in
      let answer = OriginAnswer.fresh(text: "\(request.target)\n")
      return request.target == "/6" || request.target == "/same" ? .late(gate, answer) : answer
    }
    try scenario.run(scenario.url("/[1-5]"))
    // One of the two equal URLs waits for the other.
    let urls = [scenario.url("/[1-40]"), scenario.url("/same"), scenario.url("/same"), scenario.url("/[41-60]")]
    let run = scenario.start(["-Z"] + urls)
    #expect(scenario.origin.hasSeen(requests: 5 + 35 + 1 + 20))
    gate.open()
    let expected = (1...40).map { "/\($0)\n" } + ["/same\n", "/same\n"] + (41...60).map { "/\($0)\n" }
    #expect(try run.finish().text == expected.joined())
  }

  @Test func `a thread that has waited notices that others may write to the store by now`() throws {
    let gate = Gate()
    let directory = try TemporaryDirectory()
    let cache = directory.path("cache")
    let scenario = try Scenario { request in
      let answer = OriginAnswer.fresh(text: request.target)
      if request.target == "/opens" { chmod(cache, 0o777) }
      return request.target == "/late" ? .late(gate, answer) : answer
    }
    try scenario.run("--cache-dir", cache, scenario.url("/stored"))
    // One of the two threads waits for the answer to the first URL until the other thread is done.
    let urls = ["/late", "/opens", "/stored"].map { scenario.url($0) }
    let run = scenario.start(["-Z", "--parallel-max", "2", "-w", " ", "--cache-dir", cache] + urls)
    #expect(scenario.origin.hasSeen(requests: 4))
    gate.open()
    #expect(try run.finish().text == "/late /opens /stored ")
    #expect(scenario.asked.filter { $0 == "/stored" }.count == 2)
  }

  @Test func `URLs that are printed and URLs that go to files may alternate`() throws {
    let scenario = try Scenario { request in .fresh(text: "\(request.target)\n") }
    var arguments = ["-Z"]
    for number in 1...30 {
      if number > 1 { arguments.append("--next") }
      if number.isMultiple(of: 3) { arguments += ["-o", scenario.directory.path("f\(number)")] }
      arguments.append(scenario.url("/\(number)"))
    }
    for _ in 1...2 {
      let run = try scenario.run(arguments)
      #expect((run.status, run.diagnostics) == (0, ""))
      #expect(run.text == (1...30).filter { !$0.isMultiple(of: 3) }.map { "/\($0)\n" }.joined())
      for number in stride(from: 3, through: 30, by: 3) {
        #expect(try String(decoding: scenario.directory.read("f\(number)"), as: UTF8.self) == "/\(number)\n")
      }
    }
    #expect(scenario.asked.count == 30)
  }

  @Test(
    "Ten equal URLs make one request, although its answer is never fresh",
    arguments: [200, 404], [[], [("ETag", "\"a\"")], [("Cache-Control", "max-age=0")]])
  func areOneRequest(_ status: Int, _ fields: [(String, String)]) throws {
    let scenario = try Scenario(.response(status, fields: fields, text: "x"))
    let urls = Array(repeating: scenario.url("/same"), count: 10)
    for _ in 1...2 {
      let run = try scenario.run(["-Z", "--no-fail", "-w", "%{cache_result} %{cache_status}\n"] + urls)
      #expect(run.text.split(separator: "detail=collapsed").count == 10, "\(run.text)")
    }
    // The second run cannot use the answer that the first one got.
    #expect(scenario.asked.count == 2)
  }

  @Test(arguments: ["no-store", "no-cache", "max-age=0, must-revalidate"])
  func `ten equal URLs whose answer may not be shared make ten requests`(_ directives: String) throws {
    let scenario = try Scenario(.response(fields: [("Cache-Control", directives)], text: "x"))
    let run = try scenario.run(["-Z"] + Array(repeating: scenario.url("/same"), count: 10))
    #expect(run.text == String(repeating: "x", count: 10))
    #expect(scenario.asked.count == 10)
  }

  @Test func `the status is that of the first URL that failed, and the others are fetched`() throws {
    let scenario = try Scenario { request in
      request.target == "/bad" ? .disconnect : .response(request.target == "/404" ? 404 : 200, text: request.target)
    }
    let run = try scenario.run(
      "-Z", scenario.url("/a"), scenario.url("/404"), scenario.url("/bad"), "nonsense://x/", scenario.url("/b"))
    #expect(run.status == 22)
    #expect(run.text == "/a/404/b")
    #expect(run.diagnostics.hasSuffix("garner: 5 URLs: 2 fetched (4 B), 3 failed\n"))
  }

  @Test func `contents that are larger than any buffer are whole, side by side`() throws {
    let size: UInt64 = 3 << 20
    let scenario = try Scenario { _ in .response(fields: [fresh], patternCount: size) }
    let run = try scenario.run("-Z", scenario.url("/[1-6]"))
    #expect(run.status == 0)
    #expect(run.output.count == Int(size) * 6)
    let one = try scenario.run("--offline", scenario.url("/4")).output
    #expect(UInt64(one.count) == size)
    for index in 0..<6 { #expect(Array(run.output[(index * one.count)..<((index + 1) * one.count)]) == one) }
  }

  @Test(arguments: [100, 65_536, 65_537, 300_000], [true, false])
  func `content that comes before its turn to print is held, or waits if it cannot be held`(
    _ size: Int, _ hasDirectory: Bool
  ) throws {
    let gate = Gate()
    let scenario = try Scenario { request in
      let answer = OriginAnswer.response(fields: [fresh], patternCount: UInt64(size))
      return request.target == "/1" ? .late(gate, answer) : answer
    }
    let directory = scenario.directory
    scenario.environment = ["TMPDIR": hasDirectory ? directory.path : directory.path("absent")]
    let run = scenario.start("-Z", scenario.url("/[1-4]"))
    #expect(scenario.origin.hasSeen(requests: 4))
    gate.open()
    let finished = try run.finish()
    #expect((finished.status, finished.diagnostics) == (0, ""))
    let isWhole = finished.output == (0..<4).flatMap { _ in Pattern.bytes(count: size) }
    #expect(isWhole)
  }

  @Test func `an equal URL behind one that waits for its turn to print is served what that one stores`() throws {
    // Rarely, the transfer that prints last has asked first. Then it lets the other one ask for itself.
    let isAskedOnce = try (0..<3).contains { _ in try requestsForTwoOfTheSame() == 2 }
    #expect(isAskedOnce)
  }

  /// Fetches a URL that prints first and is late, and then two equal URLs.
  ///
  /// - Returns: the number of requests.
  private func requestsForTwoOfTheSame() throws -> Int {
    let gate = Gate()
    let scenario = try Scenario { request in
      let answer = OriginAnswer.response(fields: [fresh], patternCount: 300_000)
      return request.target == "/first" ? .late(gate, answer) : answer
    }
    // Content that does not fit into memory must wait for its turn to print, because there is no directory for files.
    scenario.environment = ["TMPDIR": scenario.directory.path("absent")]
    let run = scenario.start("-Z", scenario.url("/first"), scenario.url("/same"), scenario.url("/same"))
    #expect(scenario.origin.hasSeen(requests: 2))
    // Gives time for a third request, which must not come.
    usleep(200_000)
    gate.open()
    let finished = try run.finish()
    let isWhole = finished.output == (0..<3).flatMap { _ in Pattern.bytes(count: 300_000) }
    #expect(isWhole && finished.status == 0)
    #expect(Set(scenario.asked) == ["/first", "/same"])
    return scenario.asked.count
  }

  @Test func `with -Z, -D dumps heads in order, and applies to its set of options alone`() throws {
    let scenario = try Scenario { request in .response(fields: [("X-Target", request.target)], text: "") }
    let heads = scenario.directory.path("heads")
    try scenario.run("-Z", "-D", heads, scenario.url("/[1-5]"), "--next", scenario.url("/6"))
    let text = try String(decoding: scenario.directory.read("heads"), as: UTF8.self)
    #expect(text.split(separator: "\r\n").filter { $0.hasPrefix("X-Target") } == (1...5).map { "X-Target: /\($0)" })
  }

  @Test(arguments: [[], ["-Z"]])
  func `a directory that one set of options makes is there for those behind it`(_ options: [String]) throws {
    let scenario = try Scenario { request in .response(request.target == "/1" ? 404 : 200, text: request.target) }
    let directory = scenario.directory
    let sets = ["--create-dirs", "-o", directory.path("made/1"), scenario.url("/1"), "--next"]
    let behind = ["-o", directory.path("made/2"), scenario.url("/2"), "--next", "-o", directory.path("other/3")]
    let run = try scenario.run(options + sets + behind + [scenario.url("/3")])
    #expect(run.status == 22)
    #expect(try directory.read("made/2") == Array("/2".utf8))
    #expect(namesInDirectory(directory.path("made")) == ["2"])
    #expect(run.diagnostics.contains("cannot write \(directory.path("other/3"))"))
  }

  @Test(arguments: [[], ["-Z"]])
  func `a directory that is made for one site is there for those behind it`(_ options: [String]) throws {
    let scenario = try Scenario { request in .response(request.target == "/1" ? 404 : 200, text: request.target) }
    let directory = scenario.directory
    let config = try directory.write("[site \"\(scenario.url("/1"))\"]\ncreate-dirs\n", to: "config")
    let places = ["made/1", "made/2", "other/3"].flatMap { ["-o", directory.path($0)] }
    let run = try scenario.run(["--config", config] + options + places + ["/1", "/2", "/3"].map { scenario.url($0) })
    #expect(run.status == 22)
    #expect(namesInDirectory(directory.path("made")) == ["2"])
    #expect(run.diagnostics.contains("cannot write \(directory.path("other/3"))"))
  }

  @Test func `--fail-early begins no further transfer after a failure`() throws {
    let scenario = try Scenario { request in .response(request.target == "/1" ? 404 : 200, text: "") }
    let run = try scenario.run("-Z", "--parallel-max", "1", "--fail-early", scenario.url("/[1-100000000]"))
    #expect(run.status == 22)
    #expect(scenario.asked.count < 4)
    let parallel = try scenario.run("-Z", "--fail-early", scenario.url("/[1-100000000]"))
    #expect(parallel.status == 22)
  }

  @Test func `with -Z, redirections and validations are as in a run with one URL`() throws {
    let scenario = try Scenario { request in
      if request.target.hasPrefix("/from") {
        return .response(302, fields: [("Location", "/to\(request.target.dropFirst(5))")])
      }
      return validated(request, etag: "\"\(request.target)\"", fields: [("Cache-Control", "no-cache")], text: "ok\n")
    }
    let expected = String(repeating: "ok\n", count: 20)
    #expect(try scenario.run("-Z", scenario.url("/from[1-20]")).text == expected)
    let again = try scenario.run("-Z", "-w", "%{cache_result}", scenario.url("/from[1-20]"))
    #expect(again.text == String(repeating: "ok\nvalidated", count: 20))
  }

  @Test func `with -Z, a store that cannot be used is reported once`() throws {
    let scenario = try Scenario { request in .fresh(text: request.target) }
    try scenario.directory.write("no directory", to: "cache")
    let run = try scenario.run("-Z", scenario.url("/[1-40]"))
    #expect(run.text == (1...40).map { "/\($0)" }.joined())
    #expect(run.diagnostics.split(separator: "\n").count == 1)
  }
}

@Suite("A prefetch fills the cache")
struct PrefetchTests {
  @Test func `a prefetch prints only its summary, and its responses are stored afterwards`() throws {
    let scenario = try Scenario { request in
      .response(
        request.target == "/404" ? 404 : 200, fields: [("Cache-Control", "max-age=60")],
        text: String(repeating: "x", count: 1024))
    }
    try scenario.directory.write("\(scenario.url("/a"))\n\(scenario.url("/b"))\n", to: "list")
    let list = scenario.directory.path("list")
    let first = try scenario.run("prefetch", scenario.url("/c"), "--input-file", list)
    #expect((first.status, first.text) == (0, ""))
    #expect(first.diagnostics == "garner: 3 URLs: 3 fetched (3.0 KiB)\n")
    let second = try scenario.run("prefetch", scenario.url("/[a-d]"), scenario.url("/404"))
    #expect((second.status, second.text) == (22, ""))
    #expect(second.diagnostics.hasSuffix("garner: 5 URLs: 3 from the cache, 1 fetched (1.0 KiB), 1 failed\n"))
    #expect(try scenario.run("--offline", scenario.url("/[a-d]")).output.count == 4096)
    #expect(try scenario.run("prefetch", "-s", scenario.url("/404")).diagnostics == "")
    #expect(try scenario.run("prefetch", "--input-file", "/dev/null").diagnostics == "garner: 0 URLs\n")
  }

  @Test func `settings about a body have no effect on a prefetch`() throws {
    let scenario = try Scenario(.fresh(text: "x"))
    let head = scenario.directory.path("head")
    scenario.environment = [
      "GARNER_EXIT_UNCHANGED": "yes", "GARNER_INCLUDE": "1", "GARNER_WRITE_OUT": "x", "GARNER_DUMP_HEADER": head,
    ]
    #expect(try scenario.run("prefetch", scenario.url()).diagnostics == "garner: 1 URL: 1 fetched (1 B)\n")
    let again = try scenario.run("prefetch", scenario.url())
    #expect(again.status == 0 && again.text == "" && access(head, F_OK) != 0)
  }

  @Test func `a prefetch also counts a URL that is already stored`() throws {
    let scenario = try Scenario(.fresh(text: "x"))
    #expect(try scenario.run("prefetch", scenario.url()).diagnostics == "garner: 1 URL: 1 fetched (1 B)\n")
    #expect(try scenario.run("prefetch", scenario.url()).diagnostics == "garner: 1 URL: 1 from the cache\n")
  }

  @Test func `the hint of a prefetch holds where an older response is stored`() throws {
    let scenario = try Scenario(.fresh(text: "x"))
    try scenario.run(scenario.url())
    let run = try scenario.run("prefetch", "-H", "Cache-Control: no-store", scenario.url())
    #expect(
      run.diagnostics == """
        garner: 1 URL: 1 fetched (1 B), 1 not stored
        hint: -v says why, and 'garner cache check --offline' lists the URLs that have no stored answer

        """)
    let check = try scenario.run("cache", "check", "--offline", scenario.url())
    #expect(check.status == 0 && check.text == "")
    let reason = try scenario.run("prefetch", "-v", "-H", "Cache-Control: no-store", scenario.url()).diagnostics
    #expect(reason.contains("not stored: "), "\(reason)")
  }

  @Test func `a prefetch reports an answer, or a redirection to it, that may not be stored`() throws {
    let told = """
      garner: 1 URL: 1 fetched (5 B), 1 not stored
      hint: -v says why, and 'garner cache check --offline' lists the URLs that have no stored answer

      """
    let scenario = try Scenario { request in
      switch request.target {
      case "/moved": .response(302, fields: [("Location", "/kept")])
      case "/kept": .fresh(text: "kept!")
      default: .response(fields: [("Cache-Control", "no-store")], text: "never")
      }
    }
    let never = try scenario.run("prefetch", scenario.url("/never"))
    #expect(never.status == 0 && never.diagnostics == told, "\(never)")
    let moved = try scenario.run("prefetch", scenario.url("/moved"))
    #expect(moved.status == 0 && moved.diagnostics == told, "\(moved)")
    let check = try scenario.run("cache", "check", "--offline", scenario.url("/never"), scenario.url("/kept"))
    #expect(check.status == 110 && check.text == scenario.url("/never") + "\n")
    let refused = "not stored: it states no lifetime, and its status allows no heuristic one"
    #expect(try scenario.run("prefetch", "-v", scenario.url("/moved")).diagnostics.contains(refused))
    #expect(try scenario.run("--offline", scenario.url("/moved")).status == 110)
    #expect(try scenario.run("prefetch", scenario.url("/kept")).diagnostics == "garner: 1 URL: 1 from the cache\n")
    // A fetch gets the content, although it cannot be stored.
    let failing = try scenario.run(scenario.url("/never"), scenario.url("/kept"), "ftp://a/")
    #expect(failing.diagnostics.hasSuffix("garner: 3 URLs: 1 from the cache, 1 fetched (5 B), 1 failed\n"))
  }

  @Test func `a prefetch into a cache that cannot be written fails, with one message`() throws {
    let scenario = try Scenario { request in
      .fresh(text: request.target)
    }
    try scenario.run(scenario.url("/1"))
    let temporaries = scenario.cachePath + "/v1/tmp"
    try checked("rmdir", rmdir(temporaries))
    try writeFile(temporaries, [])
    let run = try scenario.run("prefetch", scenario.url("/[1-9]"))
    #expect(run.status == 112)
    #expect(
      run.diagnostics == """
        garner: cannot fill the cache in \(scenario.cachePath): v1/tmp in it is not a directory
        garner: 9 URLs: 1 from the cache, 8 fetched (16 B), 8 not stored

        """)
    scenario.environment = ["HOME": "", "XDG_CACHE_HOME": ""]
    let nowhere = try scenario.run("prefetch", scenario.url("/1"))
    #expect(
      nowhere.status == 112 && nowhere.diagnostics.hasPrefix("garner: there is no directory for the cache: "),
      "\(nowhere)")
  }

  @Test func `a prefetch without a URL, or with -o, is refused`() throws {
    let scenario = try Scenario(.response(text: "x"))
    #expect(try scenario.run("prefetch").status == 2)
    #expect(try scenario.run("prefetch", "-o", "f", scenario.url()).status == 2)
  }
}
