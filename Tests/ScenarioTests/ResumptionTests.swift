import TestSupport
import Testing

/// `--retry` of a body that broke off, and its effects on stored responses.
@Suite struct ResumptionTests {
  private static let fresh = ("Cache-Control", "max-age=1000")
  private static let new = [RetryTests.tag, fresh]

  /// An origin that gives these answers one after the other, and then repeats the last one. Pauses take no time.
  private func scenario(_ answers: OriginAnswer...) throws -> Scenario {
    let scenario = try Scenario { request in answers[min(request.number, answers.count) - 1] }
    _ = RetryTests.Pauses(of: scenario)
    return scenario
  }

  private static func old(_ control: String = fresh.1) -> OriginAnswer {
    .response(fields: [("ETag", "\"old\""), ("Cache-Control", control)], text: "old")
  }

  // MARK: Superseded responses

  @Test(arguments: [
    ["--reload"], ["--refresh"], ["--cache-policy", "network-first"], ["-H", "Cache-Control: no-cache"],
    ["--reload", "-Z"], ["--refresh", "-o", "/dev/null"],
  ])
  func `a response delivered in two pieces leaves nothing older that is fresh`(_ options: [String]) throws {
    let scenario = try self.scenario(
      Self.old(), RetryTests.broken(Self.new), RetryTests.rest(from: 4, Self.new),
      .response(fields: Self.new, text: "0123456789"))
    #expect(try scenario.run(scenario.url()).text == "old")
    let run = try scenario.run(options + ["--retry", "1", "-w", "%{cache_stored}", scenario.url()])
    #expect(run.status == 0 && run.text == (options.contains("-o") ? "0" : "01234567890"), "\(run.diagnostics)")
    #expect(scenario.origin.requests[2].value("Range") == "bytes=4-")
    #expect(try scenario.run(scenario.url()).text == "0123456789")
    #expect(scenario.origin.requests.count == 4)
  }

  @Test(arguments: [("\"new\"", Int32(110)), ("\"old\"", 0)])
  func `a body that the file already has leaves nothing older that is fresh`(_ tag: String, _ status: Int32) throws {
    let scenario = try self.scenario(
      Self.old(), .response(fields: [("ETag", tag), Self.fresh], text: "0123456789"))
    try scenario.run(scenario.url())
    let file = try scenario.directory.write("0123456789", to: "f")
    let run = try scenario.run("-C", "-", "--reload", "-o", file, "-w", "%{cache_stored}", scenario.url())
    #expect(run.status == 0 && run.text == "0", "\(run.diagnostics)")
    #expect(try scenario.run("--offline", scenario.url()).status == status)
  }

  @Test func `a whole that answers a range and breaks off leaves nothing older that is fresh`() throws {
    let scenario = try self.scenario(Self.old(), RetryTests.broken(Self.new), RetryTests.rest(from: 4, Self.new))
    try scenario.run(scenario.url())
    let run = try scenario.run("--reload", "-r", "2-5", "--retry", "1", scenario.url())
    #expect(run.text == "0123456789" && scenario.origin.requests[2].value("Range") == "bytes=4-")
    #expect(try scenario.run("--offline", scenario.url()).status == 110)
  }

  @Test(arguments: [("reload-all", "no-cache"), ("revalidate", "max-age=0")])
  func `caches on the way are told of the rest what they were told of the whole`(
    _ policy: String, _ directive: String
  ) throws {
    let scenario = try self.scenario(
      Self.old("max-age=0"), RetryTests.broken(Self.new), RetryTests.rest(from: 4, Self.new))
    try scenario.run(scenario.url())
    #expect(try scenario.run("--cache-policy", policy, "--retry", "1", scenario.url()).text == "0123456789")
    let rest = try #require(scenario.origin.requests.last)
    #expect(rest.has("Range") && rest.value("Cache-Control") == directive)
  }

  @Test func `permission to serve what is stored holds for a range, too`() throws {
    let scenario = try self.scenario(
      .response(
        fields: [("ETag", "\"old\""), ("Cache-Control", "max-age=0, stale-if-error=1000")], text: "old content"),
      .raw(
        OriginAnswer.head(
          206, nil, fields: [("ETag", "\"new\""), ("Content-Range", "bytes 0-7/20"), ("Content-Length", "8")])
          + Array("new ".utf8)),
      .response(503))
    try scenario.run(scenario.url())
    let file = scenario.directory.path("f")
    let run = try scenario.run("--retry", "1", "-r", "0-7", "-o", file, scenario.url())
    #expect(run.status == 0, "\(run.diagnostics)")
    #expect(try readFile(file) == Array("old cont".utf8))
  }

  @Test func `a no-store answer in two pieces leaves nothing older that is fresh`() throws {
    let fields = [RetryTests.tag, ("Cache-Control", "no-store")]
    let scenario = try self.scenario(Self.old(), RetryTests.broken(fields), RetryTests.rest(from: 4, fields))
    try scenario.run(scenario.url())
    #expect(try scenario.run("--reload", "--retry", "1", scenario.url()).text == "0123456789")
    #expect(try scenario.run("--offline", scenario.url()).status == 110)
  }

  @Test func `a continued transfer that bypasses the cache leaves it as it is`() throws {
    for options in [["--no-store"], ["-H", "Cache-Control: no-store"], ["--reload", "--memory-only"]] {
      let scenario = try self.scenario(Self.old(), RetryTests.broken(), RetryTests.rest(from: 4))
      try scenario.run(scenario.url())
      #expect(try scenario.run(options + ["--retry", "1", scenario.url()]).text == "0123456789")
      #expect(try scenario.run("--offline", scenario.url()).text == "old")
    }
  }

  @Test(arguments: [(200, "another"), (404, "gone"), (410, "gone")])
  func `a whole in the place of the rest is stored`(_ status: Int, _ text: String) throws {
    let scenario = try self.scenario(
      Self.old(), RetryTests.broken(Self.new),
      .response(status, fields: [("ETag", "\"newest\""), Self.fresh], text: text))
    try scenario.run(scenario.url())
    try scenario.run("--reload", "--retry", "1", "-o", scenario.directory.path("f"), scenario.url())
    let run = try scenario.run("--no-fail", "-w", " %{cache_result}", scenario.url())
    #expect(run.text == "\(text) hit" && scenario.origin.requests.count == 3)
  }

  @Test func `a reload that breaks off is continued and stored, where nothing was`() throws {
    let scenario = try self.scenario(RetryTests.broken(Self.new), RetryTests.rest(from: 4, Self.new))
    #expect(try scenario.run("--reload", "--retry", "1", scenario.url()).text == "0123456789")
    #expect(scenario.origin.requests[1].value("Range") == "bytes=4-")
    #expect(try scenario.run("--offline", scenario.url()).text == "0123456789")
  }

  // MARK: Joined parts

  private static let storingNothing = [["--no-store"], ["--memory-only"], ["--max-object-size", "1"], []]

  @Test(arguments: storingNothing)
  func `a rest that is not as long as its range is no success`(_ options: [String]) throws {
    for (rest, status, text) in [("45", 18, "012345"), ("4567890", 8, "0123")] {
      for isChunked in [false, true] {
        let fields = Self.new + [("Content-Range", "bytes 4-9/10")]
        let scenario = try self.scenario(
          RetryTests.broken(Self.new),
          isChunked
            ? .chunked(206, fields: fields, chunks: [Array(rest.utf8)]) : .response(206, fields: fields, text: rest))
        let run = try scenario.run(options + ["--retry", "1", scenario.url()])
        #expect(run.status == status && (run.text == text || run.text == "0123"), "\(run)")
        #expect(try scenario.run("--offline", scenario.url()).status == 110)
      }
    }
  }

  @Test(arguments: storingNothing)
  func `a rest is no success if nothing says that it goes to the end`(
    _ options: [String]
  ) throws {
    let fields = Self.new + [("Transfer-Encoding", "chunked")]
    for (range, status, text) in [
      ("bytes 4-7/10", 18, "0123"), ("bytes 4-7/*", 18, "0123"), ("bytes 4-7/8", 0, "01234567"),
    ] {
      let scenario = try self.scenario(
        .raw(OriginAnswer.head(200, nil, fields: fields) + Array("4\r\n0123\r\n".utf8)),
        .response(206, fields: Self.new + [("Content-Range", range)], text: "4567"))
      let run = try scenario.run(options + ["--retry", "1", scenario.url()])
      #expect(run.status == status && run.text == text, "\(range): \(run)")
    }
  }

  @Test func `a rest is known to go to the end where the first head has said where that is`() throws {
    let scenario = try self.scenario(
      RetryTests.broken(), .response(206, fields: [RetryTests.tag, ("Content-Range", "bytes 4-9/*")], text: "456789"))
    let run = try scenario.run("--no-store", "--retry", "1", scenario.url())
    #expect(run.status == 0 && run.text == "0123456789")
  }

  @Test(arguments: storingNothing)
  func `two pieces make what the head of the first promised`(_ options: [String]) throws {
    // The digest of `0123456789`.
    let promise = ("Repr-Digest", "sha-256=:hNiYd/DUBB77a/kaFvAkjy/Vc+avBcGflr7bn4gveII=:")
    for (rest, status) in [("456789", 0), ("45678x", 111)] {
      let range = ("Content-Range", "bytes 4-9/10")
      let scenario = try self.scenario(
        RetryTests.broken(Self.new + [promise]),
        .response(206, fields: Self.new + [range], text: rest))
      let run = try scenario.run(options + ["--retry", "1", scenario.url()])
      #expect(run.status == status && run.text == "0123\(rest)", "\(run)")
    }
  }

  @Test func `content in two pieces is checked against the digest that the user expects`() throws {
    let digest = "84d89877f0d4041efb6bf91a16f0248f2fd573e6af05c19f96bedb9f882f7882"
    for (rest, status, text) in [("456789", 0, "0123456789"), ("45678x", 111, "")] {
      let range = ("Content-Range", "bytes 4-9/10")
      let scenario = try self.scenario(
        RetryTests.broken(Self.new), .response(206, fields: Self.new + [range], text: rest))
      let run = try scenario.run("--no-store", "--retry", "1", "--sha256", digest, scenario.url())
      #expect(run.status == status && run.text == text, "\(run)")
    }
  }

  // MARK: Stored responses that may be served instead

  @Test(arguments: [OriginAnswer.disconnect, .response(503, text: "oops")])
  func `permission to serve what is stored is no less where more is tried`(_ last: OriginAnswer) throws {
    for (control, options) in [
      ("max-age=0, stale-if-error=1000", []), (Self.fresh.1, ["--cache-policy", "network-first"]),
    ] as [(String, [String])] {
      let scenario = try self.scenario(Self.old(control), RetryTests.broken(Self.new), last)
      try scenario.run(scenario.url())
      let path = scenario.directory.path("f")
      let run = try scenario.run(options + ["--retry", "1", "-o", path, scenario.url()])
      #expect(run.status == 0 && run.diagnostics.contains("the stored response is served"), "\(run.diagnostics)")
      #expect(String(decoding: try readFile(path), as: UTF8.self) == "old")
    }
  }

  @Test func `nothing is served behind what has been printed`() throws {
    let scenario = try self.scenario(
      Self.old("max-age=0, stale-if-error=1000"), RetryTests.broken(Self.new), .response(503, text: "oops"))
    try scenario.run(scenario.url())
    let run = try scenario.run("--retry", "1", scenario.url())
    #expect(run.status == 18 && run.text == "0123" && !run.diagnostics.contains("is served"))
  }

  // MARK: Heads

  /// Answers that break off before any content has been delivered, and the option that causes this.
  private static let unseen: [(String, OriginAnswer)] = [
    ("--compressed", coded(fields: [])),
    ("--location", .raw(OriginAnswer.head(200, nil, fields: [("Content-Length", "10")]))),
  ]

  private static let hello: [UInt8] = [
    0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 0xff, 0xcb, 0x48, 0xcd, 0xc9, 0xc9, 7, 0, 0x86, 0xa6, 0x10, 0x36, 5, 0, 0, 0,
  ]

  /// A response that breaks off after the 10 bytes of gzip's header, so that no byte of content can be decoded.
  private static func coded(fields: [(String, String)]) -> OriginAnswer {
    let described = fields + [("Content-Encoding", "gzip"), ("Content-Length", "\(hello.count)")]
    return .raw(OriginAnswer.head(200, nil, fields: described) + hello.prefix(10))
  }

  private func heads(in text: String) -> Int { text.ranges(of: "HTTP/1.1 ").count }

  @Test(arguments: unseen)
  func `a stored response is served with its own head alone`(_ option: String, _ broken: OriginAnswer) throws {
    let scenario = try self.scenario(Self.old("max-age=0, stale-if-error=1000"), broken)
    try scenario.run(scenario.url())
    let run = try scenario.run("-i", option, scenario.url())
    #expect(run.status == 0 && run.text.hasSuffix("\r\n\r\nold") && heads(in: run.text) == 1, "\(run)")
  }

  @Test(arguments: unseen)
  func `a retried response has its own head alone`(_ option: String, _ broken: OriginAnswer) throws {
    let scenario = try self.scenario(broken, .response(text: "body"))
    let run = try scenario.run("-i", option, "--retry", "1", scenario.url())
    #expect(run.status == 0 && run.text.hasSuffix("\r\n\r\nbody") && heads(in: run.text) == 1, "\(run)")
  }

  @Test(arguments: unseen)
  func `a head is shown when nothing comes in its place`(_ option: String, _ broken: OriginAnswer) throws {
    let scenario = try self.scenario(broken)
    let run = try scenario.run("-i", option, scenario.url())
    #expect(run.status == 18 && run.text.hasSuffix("\r\n\r\n") && heads(in: run.text) == 1, "\(run)")
  }

  @Test func `a continued response has the head that it began with`() throws {
    let scenario = try self.scenario(
      RetryTests.broken(), RetryTests.rest(from: 4).after(interim: [(status: 103, fields: [])]))
    let run = try scenario.run("-i", "--retry", "1", scenario.url())
    #expect(run.status == 0 && run.text.hasSuffix("\r\n\r\n0123456789") && heads(in: run.text) == 1, "\(run)")
    let range = ("Content-Range", "bytes 10-24/25")
    let coded = try self.scenario(
      Self.coded(fields: [RetryTests.tag]),
      .response(206, fields: [RetryTests.tag, range], content: Array(Self.hello.dropFirst(10))))
    let decoded = try coded.run("-i", "--compressed", "--retry", "1", coded.url())
    #expect(decoded.status == 0 && decoded.text.hasSuffix("\r\n\r\nhello") && heads(in: decoded.text) == 1)
  }

  @Test func `a stored response is served with its own head if the rest does not come`() throws {
    let scenario = try self.scenario(
      Self.old("max-age=0, stale-if-error=1000"), Self.coded(fields: [RetryTests.tag]), .disconnect)
    try scenario.run(scenario.url())
    let run = try scenario.run("-i", "--compressed", "--retry", "1", scenario.url())
    #expect(run.status == 0 && run.text.hasSuffix("\r\n\r\nold") && heads(in: run.text) == 1, "\(run)")
  }

  @Test func `an attempt that is made again prints no head of its own`() throws {
    func hinted(_ link: String, _ answer: OriginAnswer) -> OriginAnswer {
      answer.after(interim: [(status: 103, fields: [("Link", link)])])
    }
    let scenario = try self.scenario(
      hinted("</a>", .response(503, text: "oops")), hinted("</b>", .response(text: "body")))
    let run = try scenario.run("-i", "--retry", "1", scenario.url())
    #expect(run.text.contains("Link: </b>") && !run.text.contains("Link: </a>") && heads(in: run.text) == 2)
    let anew = try self.scenario(
      .response(fields: [("ETag", "\"a\""), ("Cache-Control", "no-cache")], text: "old"),
      hinted("</a>", .response(304, fields: [("ETag", "\"b\"")])), hinted("</b>", .response(text: "new")))
    try anew.run(anew.url())
    let answered = try anew.run("-i", anew.url())
    #expect(answered.text.hasSuffix("\r\n\r\nnew") && !answered.text.contains("Link: </a>"), "\(answered)")
  }

  @Test(arguments: [[], ["--retry", "1"]])
  func `errors in whose place something stored comes print no head of their own`(_ options: [String]) throws {
    let scenario = try self.scenario(
      Self.old("max-age=0, stale-if-error=1000"),
      .response(503, text: "oops").after(interim: [(status: 103, fields: [("Link", "</a>")])]))
    try scenario.run(scenario.url())
    let run = try scenario.run(options + ["-i", scenario.url()])
    #expect(run.status == 0 && run.text.hasSuffix("\r\n\r\nold") && heads(in: run.text) == 1, "\(run)")
  }

  @Test(arguments: [[], ["--sha256", "84d89877f0d4041efb6bf91a16f0248f2fd573e6af05c19f96bedb9f882f7882"]])
  func `heads of redirections stand before a response that is begun anew in a file`(_ options: [String]) throws {
    for count in [0, 4] {
      let scenario = try self.scenario(
        .response(302, fields: [("Location", "/there")], text: "moved"), RetryTests.broken([], after: count),
        .response(text: "0123456789"))
      let file = scenario.directory.path("f")
      let run = try scenario.run(options + ["-i", "--retry", "1", "-o", file, scenario.url()])
      let text = String(decoding: try readFile(file), as: UTF8.self)
      #expect(run.status == 0 && text.hasPrefix("HTTP/1.1 302 ") && text.hasSuffix("\r\n\r\n0123456789"), "\(run)")
      #expect(heads(in: text) == 2)
    }
  }

  // MARK: Cookies

  /// The head of the rest from `start` on, and its content up to `end`.
  private static func brokenRest(from start: Int, to end: Int, _ fields: [(String, String)]) -> OriginAnswer {
    let length = ("Content-Length", "\(10 - start)")
    let head = OriginAnswer.head(206, nil, fields: fields + [("Content-Range", "bytes \(start)-9/10"), length])
    return .raw(head + Array("0123456789".utf8)[start..<end])
  }

  @Test(arguments: [false, true])
  func `a cookie that comes with the rest begins nothing anew`(_ isPrinted: Bool) throws {
    let scenario = try self.scenario(
      RetryTests.broken(Self.new), Self.brokenRest(from: 4, to: 6, Self.new + [("Set-Cookie", "a=2")]),
      RetryTests.rest(from: 6, Self.new))
    let output = isPrinted ? [] : ["-o", scenario.directory.path("f")]
    let run = try scenario.run(["-b", "", "--retry", "2"] + output + [scenario.url()])
    #expect(run.status == 0 && run.text == (isPrinted ? "0123456789" : ""), "\(run.diagnostics)")
    #expect(scenario.origin.requests.map { $0.value("Range") } == [nil, "bytes=4-", "bytes=6-"])
    #expect(scenario.origin.requests.map { $0.value("Cookie") } == [nil, nil, "a=2"])
  }

  @Test func `a response stored for another cookie does not keep a broken answer from being continued`() throws {
    let scenario = try self.scenario(
      Self.old(), RetryTests.broken(Self.new + [("Set-Cookie", "a=2")]), RetryTests.rest(from: 4, Self.new))
    try scenario.run("-H", "Cookie: a=2", scenario.url())
    #expect(try scenario.run("-b", "", "--retry", "1", scenario.url()).text == "0123456789")
  }

  @Test func `a cookie that is set as it was keeps nothing out of the store`() throws {
    let fields = Self.new + [("Set-Cookie", "a=1")]
    let scenario = try self.scenario(RetryTests.broken(fields), RetryTests.rest(from: 4, fields))
    let jar = try scenario.directory.write("127.0.0.1\tFALSE\t/\tFALSE\t0\ta\t1\n", to: "jar")
    #expect(try scenario.run("-b", jar, "--retry", "1", scenario.url()).text == "0123456789")
    #expect(scenario.origin.requests.map { $0.value("Cookie") } == ["a=1", "a=1"])
    #expect(try scenario.run("-b", jar, "--offline", scenario.url()).text == "0123456789")
  }

  @Test(
    arguments: [
      [("Content-Length", "8")], [("Content-Length", "10"), ("Content-Encoding", "gzip")],
      [("Transfer-Encoding", "chunked")],
    ])
  func `a broken answer is not continued by one that contradicts it`(_ fields: [(String, String)]) throws {
    let scenario = try Scenario { request in
      if request.number == 1 {
        return .raw(
          OriginAnswer.head(200, nil, fields: [RetryTests.tag, ("Content-Length", "10")]) + Array("01234".utf8))
      }
      let isChunked = fields[0].0 == "Transfer-Encoding"
      return .raw(
        OriginAnswer.head(200, nil, fields: [RetryTests.tag] + fields)
          + Array((isChunked ? "a\r\nxxxxxxxxxx\r\n0\r\n\r\n" : "xxxxxxxxxx").utf8))
    }
    let run = try scenario.run("--no-store", "--retry", "1", "--retry-all-errors", scenario.url())
    #expect(run.status == 18 && run.text == "01234")
  }

  // MARK: Messages that end before their range does

  /// By its head, "0123456789" from `start` to byte 9; but the message is complete with less content.
  private static func short(_ content: String, from start: Int, _ more: [(String, String)] = []) -> OriginAnswer {
    let fields = [RetryTests.tag, ("Content-Range", "bytes \(start)-9/10"), ("Transfer-Encoding", "chunked")] + more
    let chunks = "\(content.utf8.count)\r\n\(content)\r\n0\r\n\r\n"
    return .raw(OriginAnswer.head(206, nil, fields: fields) + Array(chunks.utf8))
  }

  @Test(arguments: [["-r", "2-9"], ["-r", "2-9", "--no-store"], ["-C", "2"]])
  func `a part that ends before its range does is continued`(_ options: [String]) throws {
    let scenario = try self.scenario(
      Self.short("234", from: 2), Self.short("56", from: 5), RetryTests.rest(from: 7))
    let run = try scenario.run(options + ["--retry", "2", scenario.url()])
    #expect(run.status == 0 && run.text == "23456789", "\(run.diagnostics)")
    #expect(scenario.origin.requests.dropFirst().map { $0.value("Range") } == ["bytes=5-9", "bytes=7-9"])
  }

  @Test func `a short part without the digest that it promises is not continued`() throws {
    let promise = ("Content-Digest", "sha-256=:uU0nuZNNPgilLlLX2n2r+sSE7+N6U4DukIj3rOLvzek=:")
    let scenario = try self.scenario(Self.short("234", from: 2, [promise]), RetryTests.rest(from: 5))
    #expect(try scenario.run("-r", "2-9", "--retry", "2", scenario.url()).status == 18)
    #expect(scenario.origin.requests.count == 1)
  }
}
