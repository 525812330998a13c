import TestSupport
import TestTraits
import Testing

/// Content that is not delivered: that of a followed redirection and, with `-f`, that of an error.
@Suite(.waiting) struct UnwantedContentTests {
  /// A fault of the content.
  enum Fault: CaseIterable {
    case short, shortChunk, headAlone, reset, wrongDigest
  }

  private static func answer(_ status: Int, _ fields: [(String, String)] = [], _ fault: Fault) -> OriginAnswer {
    func raw(_ field: (String, String), _ content: String) -> OriginAnswer {
      .raw(OriginAnswer.head(status, nil, fields: fields + [field]) + Array(content.utf8))
    }
    switch fault {
    case .short: return raw(("Content-Length", "10"), "0123")
    case .shortChunk: return raw(("Transfer-Encoding", "chunked"), "4\r\n0123\r\n")
    case .headAlone: return raw(("Content-Length", "10"), "")
    case .reset: return OriginAnswer(raw(("Content-Length", "10"), "0").parts + [.pause], ending: .reset)
    case .wrongDigest:
      let digest = ("Content-Digest", "sha-256=:hNiYd/DUBB77a/kaFvAkjy/Vc+avBcGflr7bn4gveII=:")
      return .response(status, fields: fields + [digest], text: "moved")
    }
  }

  @Test(arguments: Fault.allCases)
  func `an error whose unwanted content has a fault is reported as the error, and not stored`(_ fault: Fault) throws {
    let scenario = try Scenario(Self.answer(404, [fresh], fault))
    let file = scenario.directory.path("f")
    for options in [["-f"], ["-o", file], ["-f", "--retry", "1"]] {
      let run = try scenario.run(options + [scenario.url()])
      #expect(run.status == 22 && run.text.isEmpty, "\(run)")
      #expect(run.diagnostics.contains("the server answered 404"))
    }
    #expect(!namesInDirectory(scenario.directory.path).contains("f"))
    #expect(scenario.origin.requests.count == 3)
    #expect(try scenario.run("-s", "--offline", scenario.url()).status == 110)
  }

  @Test(arguments: Fault.allCases)
  func `a redirection whose content has a fault is followed, and not stored`(_ fault: Fault) throws {
    let scenario = try Scenario { request in
      request.target == "/"
        ? Self.answer(301, [fresh, ("Location", "/there")], fault) : .fresh(text: "there")
    }
    for options in [[], ["--max-filesize", "5"], ["-v"]] {
      let run = try scenario.run(options + [scenario.url()])
      #expect(run.status == 0 && run.text == "there", "\(run)")
    }
    #expect(scenario.asked == ["/", "/there", "/", "/"])
  }

  @Test func `a stored response that an error with faulty content supersedes is not served any more`() throws {
    let scenario = try Scenario { request in
      request.number == 1 ? .fresh(text: "old") : Self.answer(404, [fresh], .short)
    }
    #expect(try scenario.run(scenario.url()).text == "old")
    #expect(try scenario.run("-f", "--reload", scenario.url()).status == 22)
    #expect(try scenario.run("--offline", scenario.url()).status == 110)
  }

  @Test func `the content of an error that is delivered has to come whole`() throws {
    for (fault, status) in [(Fault.short, 18), (.headAlone, 18), (.wrongDigest, 111)] {
      let scenario = try Scenario(Self.answer(404, [], fault))
      #expect(try scenario.run(scenario.url()).status == status)
    }
  }

  @Test func `the content of an error in the place of a file's rest does not have to come whole`() throws {
    for (status, field, expected) in [(404, ("X", ""), 22), (416, ("Content-Range", "bytes */4"), 0)] {
      let scenario = try Scenario(Self.answer(status, [field], .short))
      let file = try scenario.directory.write("0123", to: "f")
      let run = try scenario.run("-C", "-", "-o", file, scenario.url())
      #expect(run.status == expected, "\(run)")
      #expect(try readFile(file) == Array("0123".utf8))
    }
  }

  @Test(arguments: [[], ["-Z"]])
  func `a run does not wait long for content that it does not deliver`(_ options: [String]) throws {
    let gate = Gate()
    defer { gate.open() }
    let rests = [OriginAnswer.Part.wait(gate), .trickle([UInt8(ascii: "x")])]
    for rest in rests {
      let scenario = try Scenario { request in
        let field = request.target == "/moved" ? ("Location", "/there") : ("Content-Length", "100000")
        if request.target == "/there" { return .response(text: "there") }
        let status = request.target == "/moved" ? 302 : request.target == "/busy" && request.number == 1 ? 503 : 404
        let head = OriginAnswer.head(status, nil, fields: [field, fresh])
        return OriginAnswer([.bytes(head), rest], ending: .close)
      }
      _ = RetryTests.Pauses(of: scenario)
      let deadline = Deadline(afterMilliseconds: 15_000)
      #expect(try scenario.run(options + ["-f", "--retry", "1", scenario.url("/busy")]).status == 22)
      #expect(try scenario.run(options + ["-f", "-m", "30", scenario.url("/gone")]).status == 22)
      #expect(try scenario.run(options + ["-m", "30", scenario.url("/moved")]).text == "there")
      #expect(try scenario.run(options + ["-m", "30", "-d", "x", scenario.url("/moved")]).text == "there")
      let file = try scenario.directory.write(String(repeating: "x", count: 40_000), to: "form")
      #expect(
        try scenario.run(options + ["-m", "30", "--data-binary", "@\(file)", scenario.url("/moved")]).text == "there")
      #expect(!deadline.isPast)
    }
  }
}
