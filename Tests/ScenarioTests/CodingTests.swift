import TestSupport
import Testing

/// Content codings: content is stored as received, and `--compressed` decodes it on delivery, whole or not at all.
@Suite struct CodingTests {
  /// "hello", in hexadecimal digits, as each coding's own program writes it.
  private static let samples = [
    ("gzip", "1f8b08000000000002ffcb48cdc9c9070086a6103605000000"),
    ("x-gzip", "1f8b08000000000002ffcb48cdc9c9070086a6103605000000"),
    ("deflate", "789ccb48cdc9c90700062c0215"), ("br", "0b028068656c6c6f03"),
    ("zstd", "28b52ffd045829000068656c6c6fa36d9f88"),
  ]

  private static func bytes(_ digits: String) -> [UInt8] {
    let values = digits.compactMap(\.hexDigitValue)
    return stride(from: 0, to: values.count - 1, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
  }

  private static func scenario(_ coding: String, _ content: [UInt8]) throws -> Scenario {
    try Scenario(.response(fields: [("Content-Encoding", coding), ("Cache-Control", "max-age=60")], content: content))
  }

  @Test(arguments: samples)
  func `a content coding is decoded on delivery, from the store, too, and the stored content stays coded`(
    _ coding: String, _ digits: String
  ) throws {
    let content = Self.bytes(digits)
    let scenario = try Self.scenario(coding, content)
    for _ in 1...2 { #expect(try scenario.run("--compressed", scenario.url()).text == "hello") }
    #expect(try scenario.run("cache", "cat", scenario.url()).output == content)
    #expect(scenario.asked == ["/"])
    #expect(try scenario.run(scenario.url()).output == content)
  }

  @Test(arguments: [false, true])
  func `with --compressed, a range is that of the decoded content, whether the coded content is stored or not`(
    _ isStored: Bool
  ) throws {
    let coded = Self.bytes(Self.samples[0].1)
    let scenario = try Scenario { request in
      let isCoded = request.value("Accept-Encoding")?.contains("gzip") ?? false
      let content = isCoded ? coded : Array("hello".utf8)
      let fields = [fresh, ("Vary", "Accept-Encoding")] + (isCoded ? [("Content-Encoding", "gzip")] : [])
      guard request.value("Range") == "bytes=0-2" else { return .response(fields: fields, content: content) }
      let range = ("Content-Range", "bytes 0-2/\(content.count)")
      return .response(206, fields: fields + [range, ("ETag", "\"1\"")], content: Array(content[..<3]))
    }
    if isStored { try scenario.run("--compressed", scenario.url()) }
    for _ in 1...2 {
      let run = try scenario.run("--compressed", "-r", "0-2", scenario.url())
      #expect(run.status == 0 && run.text == "hel", "\(run)")
    }
    #expect(scenario.origin.requests.count == (isStored ? 2 : 1))
  }

  @Test(arguments: samples)
  func `with --compressed, a range of a stored coded response is answered with the whole content`(
    _ coding: String, _ digits: String
  ) throws {
    let content = Self.bytes(digits)
    let scenario = try Self.scenario(coding, content)
    // Coded for every request, as this origin codes, and selected by no field.
    #expect(try scenario.run(scenario.url()).output == content)
    let whole = try scenario.run("--compressed", "-r", "0-3", scenario.url())
    #expect(whole.status == 0 && whole.text == "hello" && scenario.origin.requests.count == 1)
    let dryRun = try scenario.run("--dry-run", "--compressed", "-r", "0-3", scenario.url()).text
    #expect(dryRun.contains("\nprotocol           serve: it is fresh"), "\(dryRun)")
  }

  @Test(arguments: samples)
  func `data that ends within its coding is status 61, and not stored`(_ coding: String, _ digits: String) throws {
    let content = Self.bytes(digits)
    for count in [1, content.count / 2, content.count - 1] {
      let scenario = try Self.scenario(coding, Array(content.prefix(count)))
      let path = try scenario.directory.write("before", to: "f")
      let run = try scenario.run("--compressed", "-o", path, scenario.url())
      #expect(run.status == 61, "\(count) bytes: \(run.diagnostics)")
      #expect(try readFile(path) == Array("before".utf8))
      #expect(try scenario.run("--offline", scenario.url()).status == 110)
    }
  }

  @Test(arguments: ["identity", "none"])
  func `content that is said to have no coding is delivered as it is`(_ coding: String) throws {
    let scenario = try Self.scenario(coding, Array("hello".utf8))
    for _ in 1...2 { #expect(try scenario.run("--compressed", scenario.url()).text == "hello") }
    #expect(scenario.asked == ["/"])
  }

  @Test func `several content codings are decoded one after another, and too many are refused`() throws {
    let scenario = try Self.scenario("identity, gzip", Self.bytes(Self.samples[0].1))
    #expect(try scenario.run("--compressed", scenario.url()).text == "hello")
    let nested = try Self.scenario("gzip, gzip, gzip, gzip, gzip, gzip", [1])
    #expect(try nested.run("--compressed", nested.url()).status == 61)
    let unknown = try Self.scenario("secret", [1, 2, 3])
    #expect(try unknown.run("--compressed", unknown.url()).status == 61)
    #expect(try unknown.run(unknown.url()).output == [1, 2, 3])
  }

  @Test(arguments: ["secret", "gzip, secret", "gzip, gzip, gzip, gzip, gzip, gzip"])
  func `a response without content may have any content coding`(_ coding: String) throws {
    let scenario = try Self.scenario(coding, [])
    for _ in 1...2 {
      let run = try scenario.run("--compressed", "-i", scenario.url())
      #expect(run.status == 0 && run.text.hasSuffix("\r\n\r\n"))
    }
    #expect(scenario.asked == ["/"])
  }

  @Test func `content that grows beyond --max-ratio is status 61, from the store, too`()
    throws
  {
    // 80 MiB of zeros in 126 bytes.
    let scenario = try Self.scenario(
      "br",
      Self.bytes(
        "cbffff3ff82700e2b14020f7fe8fffff7ff04f00c4611180eefd1fffffffe09f0088c30200ddfb3ffeffffc13f0110870500baf77ffc"
          + "ffff837f02200e0b0074effff8ffff07ff04401c1600e8defff1ffff0ffe0980382c00d0bdffe3ffff1ffc1300715800a07bffc7"
          + "ffff3ff82700e2b00040f7fe2ffffffff04f00c4610180eefd1f"))
    let options = ["--compressed", "-o", "/dev/null"]
    for _ in 1...2 {
      let run = try scenario.run(options + [scenario.url()])
      #expect(run.status == 61 && run.diagnostics.contains("it grows to more than 256 times its size\n"))
      #expect(run.diagnostics.contains("hint: --max-ratio raises the limit; "))
    }
    #expect(try scenario.run(options + ["--max-ratio", "100", scenario.url()]).diagnostics.contains("than 100 times"))
    for ratio in ["0", "1000000"] {
      let run = try scenario.run(options + ["--max-ratio", ratio, "-w", "%{size_download}", scenario.url()])
      #expect(run.status == 0, "\(run.diagnostics)")
    }
    #expect(try scenario.run("--max-ratio", "0", "--max-filesize", "64M", "--compressed", scenario.url()).status == 63)
  }

  @Test func `a zstd window larger than HTTP allows is status 61, and is delivered coded without --compressed`() throws
  {
    // 16 MiB: descriptor 0, window descriptor 14 << 3.
    let content: [UInt8] = [0x28, 0xb5, 0x2f, 0xfd, 0x00, 14 << 3, 0x01, 0x00, 0x00]
    let scenario = try Self.scenario("zstd", content)
    let run = try scenario.run("--compressed", scenario.url())
    #expect(run.status == 61 && run.diagnostics.contains("its zstd data need more memory than HTTP allows\n"))
    #expect(run.diagnostics.contains("hint: without --compressed, "))
    #expect(try scenario.run(scenario.url()).output == content)
  }

  // MARK: Requests with and without --compressed

  private static let compressed = bytes(samples[0].1)

  @Test(arguments: [[("Connection", "close, Content-Encoding")], [("Cache-Control", "no-cache=\"Content-Encoding\"")]])
  func `Content-Encoding is stored although Connection or no-cache names it`(
    _ fields: [(String, String)]
  ) throws {
    let fields = fields + [fresh, ("Content-Encoding", "gzip")]
    let scenario = try Scenario(.response(fields: fields, content: Self.compressed))
    for _ in 0..<2 { #expect(try scenario.run("--compressed", scenario.url()).text == "hello") }
  }

  @Test func `content coded for --compressed does not answer a request without it, even without Vary`() throws {
    let scenario = try Scenario { request in
      request.has("Accept-Encoding")
        ? .fresh([("Content-Encoding", "gzip")], content: Self.compressed)
        : .fresh(text: "hello")
    }
    for _ in 0..<2 { #expect(try scenario.run("--compressed", scenario.url()).text == "hello") }
    #expect(scenario.origin.requests.count == 1)
    for _ in 0..<2 { #expect(try scenario.run(scenario.url()).text == "hello") }
    #expect(scenario.origin.requests.count == 2)
    #expect(try scenario.run("--offline", "--compressed", scenario.url()).text == "hello")
  }

  @Test func `content that is coded without being asked for answers every request`() throws {
    let scenario = try Scenario(
      .fresh([("Content-Encoding", "gzip")], content: Self.compressed))
    for _ in 0..<2 { #expect(try scenario.run(scenario.url()).output == Self.compressed) }
    #expect(try scenario.run("--compressed", scenario.url()).text == "hello")
    #expect(scenario.origin.requests.count == 1)
  }

  // MARK: Stored content that cannot be decoded

  /// Content that ends within its coding, after all bytes that it decodes to.
  private static let cut = Array(compressed.dropLast(6))
  /// Content of which no byte can be decoded.
  private static let noCoding = Array("hello".utf8)

  /// An origin whose content is right only for a request with Accept-Encoding and without a condition.
  private static func healed(_ broken: [UInt8]) throws -> Scenario {
    try Scenario { request in
      if request.has("If-None-Match") { return .response(304, fields: [fresh, ("ETag", "\"1\"")]) }
      let content = request.has("Accept-Encoding") ? compressed : broken
      return .fresh([("Content-Encoding", "gzip"), ("ETag", "\"1\"")], content: content)
    }
  }

  private static let dropped = "cannot be decoded and is dropped\n"
  private static let askedAgain = "cannot be decoded and is requested again\n"

  @Test(arguments: [cut, noCoding])
  func `stored content that cannot be decoded is replaced by the origin's answer`(_ broken: [UInt8]) throws {
    let scenario = try Self.healed(broken)
    #expect(try scenario.run(scenario.url()).output == broken)
    let file = scenario.directory.path("f")
    let run = try scenario.run("--compressed", "-i", "-o", file, scenario.url())
    #expect(run.status == 0 && run.diagnostics.hasSuffix(Self.askedAgain), "\(run.diagnostics)")
    #expect(run.diagnostics.split(separator: "\n").count == 1)
    let written = String(decoding: try readFile(file), as: UTF8.self)
    #expect(written.hasPrefix("HTTP/1.1 200 OK\r\n") && written.hasSuffix("\r\n\r\nhello"))
    #expect(written.split(separator: "HTTP/1.1").count == 1)
    #expect(try scenario.run("--offline", "--compressed", scenario.url()).text == "hello")
    #expect(scenario.asked == ["/", "/"])
  }

  @Test func `stored content of which nothing can be decoded is replaced before anything is printed`() throws {
    let scenario = try Self.healed(Self.noCoding)
    try scenario.run(scenario.url())
    let run = try scenario.run("--compressed", scenario.url())
    #expect(run.status == 0 && run.text == "hello" && run.diagnostics.hasSuffix(Self.askedAgain), "\(run.diagnostics)")
    #expect(scenario.asked == ["/", "/"])
  }

  @Test func `a decoding failure after a part was printed is status 61, and the next run asks the origin`() throws {
    let scenario = try Self.healed(Self.cut)
    try scenario.run(scenario.url())
    let run = try scenario.run("--compressed", scenario.url())
    #expect(run.status == 61 && run.diagnostics.contains(Self.dropped), "\(run.diagnostics)")
    #expect(scenario.asked == ["/"])
    let next = try scenario.run("--compressed", scenario.url())
    #expect(next.status == 0 && next.text == "hello" && next.diagnostics == "")
    #expect(scenario.asked == ["/", "/"])
  }

  @Test func `offline, stored content that cannot be decoded is status 61, and stays`() throws {
    let scenario = try Self.healed(Self.cut)
    try scenario.run(scenario.url())
    let file = scenario.directory.path("f")
    for _ in 1...2 {
      let run = try scenario.run("--offline", "--compressed", "-o", file, scenario.url())
      #expect(run.status == 61 && run.diagnostics.split(separator: "\n").count == 1, "\(run.diagnostics)")
    }
    #expect(throws: SystemFailure.self) { try readFile(file) }
    #expect(try scenario.run("--offline", scenario.url()).output == Self.cut)
    #expect(scenario.asked == ["/"])
  }

  @Test(arguments: [cut, noCoding], [["-o", "f"], []])
  func `an origin that always sends undecodable content is asked at most once by a run, for status 61`(
    _ broken: [UInt8], _ output: [String]
  ) throws {
    let scenario = try Self.scenario("gzip", broken)
    try scenario.run(scenario.url())
    let options = ["--compressed", "--retry", "3"] + output.map { $0 == "f" ? scenario.directory.path("f") : $0 }
    let isPrinted = output.isEmpty && broken == Self.cut
    for count in 1...2 {
      #expect(try scenario.run(options + [scenario.url()]).status == 61)
      #expect(scenario.asked.count == (isPrinted ? count : count + 1))
    }
    #expect(throws: SystemFailure.self) { try readFile(scenario.directory.path("f")) }
    // A stored response that was printed in part is removed: the next run would print the same part again.
    let stored = try scenario.run("--offline", scenario.url())
    #expect(isPrinted ? stored.status == 110 : stored.output == broken, "\(stored)")
  }

  @Test func `a 304 does not revive stored content that cannot be decoded`() throws {
    let scenario = try Self.healed(Self.cut)
    try scenario.run(scenario.url())
    scenario.clock.advance(bySeconds: 100)
    let run = try scenario.run("--compressed", "-o", scenario.directory.path("f"), scenario.url())
    #expect(run.status == 0 && run.diagnostics.hasSuffix(Self.askedAgain), "\(run.diagnostics)")
    #expect(try scenario.directory.read("f") == Array("hello".utf8))
    #expect(scenario.origin.requests.map { $0.has("If-None-Match") } == [false, true, false])
    #expect(try scenario.run("--offline", "--compressed", scenario.url()).text == "hello")
  }

  @Test func `content in memory that cannot be decoded is replaced by the origin's answer`() throws {
    let scenario = try Self.healed(Self.cut)
    let file = scenario.directory.path("f")
    let run = try scenario.run(
      "-o", "/dev/null", scenario.url(), "--next", "--memory-only", "--compressed", "-o", file, scenario.url())
    #expect(run.status == 0, "\(run.diagnostics)")
    #expect(try readFile(file) == Array("hello".utf8))
    #expect(scenario.asked == ["/", "/"])
  }

  @Test(arguments: [cut, noCoding])
  func `continued content that cannot be decoded is replaced by the origin's whole answer`(_ broken: [UInt8]) throws {
    let fields = [fresh, ("Content-Encoding", "gzip"), ("ETag", "\"1\"")]
    let scenario = try Scenario { request in
      if request.number == 1 {
        let head = OriginAnswer.head(200, nil, fields: fields + [("Content-Length", "\(broken.count)")])
        return .raw(head + broken.prefix(4))
      }
      guard request.has("Range") else { return .response(fields: fields, content: Self.compressed) }
      let range = ("Content-Range", "bytes 4-\(broken.count - 1)/\(broken.count)")
      return .response(206, fields: fields + [range], content: Array(broken[4...]))
    }
    #expect(try scenario.run(scenario.url()).status == 18)
    let run = try scenario.run("--compressed", "-o", scenario.directory.path("f"), scenario.url())
    #expect(run.status == 0 && run.diagnostics.hasSuffix(Self.dropped), "\(run.diagnostics)")
    #expect(try scenario.directory.read("f") == Array("hello".utf8))
    #expect(scenario.origin.requests.map { $0.has("Range") } == [false, true, false])
    #expect(try scenario.run("--offline", "--compressed", scenario.url()).text == "hello")
  }

  @Test func `an undecodable 200 in answer to a continuation is not asked for again`() throws {
    let fields = [fresh, ("Content-Encoding", "gzip"), ("ETag", "\"1\"")]
    let scenario = try Scenario { request in
      if request.number > 1 { return .response(fields: fields, content: Self.cut) }
      let head = OriginAnswer.head(200, nil, fields: fields + [("Content-Length", "\(Self.cut.count)")])
      return .raw(head + Self.cut.prefix(4))
    }
    #expect(try scenario.run(scenario.url()).status == 18)
    #expect(try scenario.run("--compressed", "-o", scenario.directory.path("f"), scenario.url()).status == 61)
    #expect(scenario.asked == ["/", "/"])
  }

  @Test func `content stored in an unknown coding is asked for again, and the stored response stays`() throws {
    let scenario = try Self.scenario("unknown", Self.compressed)
    try scenario.run(scenario.url())
    #expect(try scenario.run("--compressed", scenario.url()).status == 61)
    #expect(scenario.asked == ["/", "/"])
    #expect(try scenario.run("--offline", scenario.url()).output == Self.compressed)
    #expect(try scenario.run("--offline", "--compressed", scenario.url()).status == 61)
    #expect(scenario.asked == ["/", "/"])
  }

  @Test(arguments: ["gzip", "unknown"])
  func `an undecodable stored response and its pin stay when the origin cannot be reached`(_ coding: String) throws {
    let scenario = try Self.scenario(coding, Self.noCoding)
    try scenario.run("--pin", scenario.url())
    let run = try scenario.run("--compressed", "--proxy", "http://127.0.0.1:1", scenario.url())
    #expect(run.status == 7 && run.diagnostics.contains(Self.askedAgain), "\(run)")
    #expect(try scenario.run("--offline", scenario.url()).output == Self.noCoding)
    #expect(try scenario.run("cache", "ls", "--json").text.contains("\"pinned\":true"))
  }
}
