import Glibc
import TestSupport
import Testing

/// What must never be stored, served or lost, whatever an origin says and whatever becomes of the store.
@Suite struct CautionTests {
  private static let fresh = ("Cache-Control", "max-age=100")
  private static let tag = ("ETag", "\"a\"")

  private static func partial(_ range: String, _ text: String, _ fields: [(String, String)] = []) -> OriginAnswer {
    .chunked(
      206, fields: [("Content-Range", range), fresh, tag] + fields, chunks: [Array(text.utf8)])
  }

  // MARK: Parts

  @Test(arguments: ["012", "0123456789ab"])
  func `a 206 that says it is the whole, and is not as long, is not stored`(_ content: String) throws {
    let scenario = try Scenario(Self.partial("bytes 0-9/10", content))
    let first = try scenario.run("-i", "-r", "0-", scenario.url())
    #expect(first.field("Cache-Status")?.contains("206") == true)
    #expect(try scenario.run("--offline", scenario.url()).status == 110)
    #expect(try scenario.run("cache", "ls").text == "")
  }

  @Test func `a 206 with every byte is stored as the whole`() throws {
    let scenario = try Scenario(Self.partial("bytes 0-9/10", "0123456789"))
    try scenario.run("-r", "0-", scenario.url())
    #expect(try scenario.run("--offline", scenario.url()).text == "0123456789")
  }

  @Test func `a range of all bytes that there are numbers for is no reason to end`() throws {
    let scenario = try Scenario(Self.partial("bytes 0-18446744073709551613/*", "012"))
    #expect(try scenario.run("-r", "0-", scenario.url()).text == "012")
    #expect(try scenario.run("--offline", scenario.url()).status == 110)
  }

  @Test(arguments: ["Repr-Digest", "Content-Digest"])
  func `what parts make has the digest that the first has promised, or nothing is kept`(_ field: String) throws {
    let digest = "sha-256=:\(Self.digestOfDigits):"
    let scenario = try Scenario { request in
      guard request.has("Range") else {
        let fields = [Self.tag, Self.fresh, (field, digest), ("Content-Length", "10")]
        return .raw(OriginAnswer.head(200, nil, fields: fields) + Array("01234".utf8))
      }
      let content = request.number == 2 ? "xxxxx" : "56789"
      return .response(206, fields: [Self.tag, ("Content-Range", "bytes 5-9/10")], text: content)
    }
    #expect(try scenario.run(scenario.url()).status == 18)
    #expect(try scenario.run(scenario.url()).status == 111)
    // Nor is the part kept, which would be completed in vain again.
    #expect(try scenario.run("cache", "ls").text == "")
    #expect(try scenario.run(scenario.url()).status == 18)
    let third = try scenario.run(scenario.url())
    #expect(third.status == 0 && third.text == "0123456789")
    #expect(try scenario.run("--offline", scenario.url()).text == "0123456789")
  }

  /// Of `0123456789`, in base 64: what `printf 0123456789 | openssl dgst -sha256 -binary | base64` prints.
  private static let digestOfDigits = "hNiYd/DUBB77a/kaFvAkjy/Vc+avBcGflr7bn4gveII="

  @Test(
    arguments: [
      [("Content-Length", "8")], [("Content-Length", "10"), ("Content-Encoding", "gzip")],
      [("Transfer-Encoding", "chunked")],
    ])
  func `what broke off is not continued by what contradicts it`(_ fields: [(String, String)]) throws {
    let scenario = try Scenario { request in
      if request.number == 1 {
        return .raw(
          OriginAnswer.head(200, nil, fields: [Self.tag, ("Content-Length", "10")]) + Array("01234".utf8))
      }
      let isChunked = fields[0].0 == "Transfer-Encoding"
      return .raw(
        OriginAnswer.head(200, nil, fields: [Self.tag] + fields)
          + Array((isChunked ? "a\r\nxxxxxxxxxx\r\n0\r\n\r\n" : "xxxxxxxxxx").utf8))
    }
    let run = try scenario.run("--no-store", "--retry", "1", "--retry-all-errors", scenario.url())
    #expect(run.status == 18 && run.text == "01234")
  }

  // MARK: Content of requests

  @Test(arguments: [[], ["-Z"]])
  func `the answer to a GET with content is for that content alone`(_ options: [String]) throws {
    let scenario = try Scenario { .response(fields: [Self.fresh], content: Array("for ".utf8) + $0.content) }
    let (one, two) = (["-X", "GET", "-d", "1"], ["-X", "GET", "-d", "2"])
    let url = scenario.url()
    let run = try scenario.run(options + one + [url, "--next"] + two + [url])
    #expect(run.text == "for 1for 2")
    #expect(try scenario.run(url).text == "for ")
    #expect(scenario.origin.requests.count == 3)
    #expect(try scenario.run(["--offline"] + two + [url]).text == "for 2")
    #expect(try scenario.run("--offline", url).text == "for ")
  }

  @Test func `a GET and a QUERY with the same content are two questions`() throws {
    let scenario = try Scenario { .response(fields: [Self.fresh], content: Array("to \($0.method)".utf8)) }
    for method in ["QUERY", "GET", "QUERY", "GET"] {
      #expect(try scenario.run("-X", method, "-d", "a", scenario.url()).text == "to \(method)")
    }
    #expect(scenario.origin.requests.count == 2)
  }

  @Test func `what a GET with content has brought is not exported as the GET's without`() throws {
    let scenario = try Scenario(.response(fields: [Self.fresh], text: "found"))
    try scenario.run("-X", "GET", "-d", "a", scenario.url())
    let archive = scenario.directory.path("x.warc")
    let run = try scenario.run("cache", "export", archive)
    #expect(run.diagnostics.contains("exported 0 responses, left out 1 (1 GET with content)"))
  }

  @Test func `a 303 leads on without content, whatever the method`() throws {
    let scenario = try Scenario { request in
      request.target == "/" ? .response(303, fields: [("Location", "/there")]) : .response(content: request.content)
    }
    #expect(try scenario.run("-X", "GET", "-d", "a", scenario.url()).text == "")
    #expect(scenario.origin.requests.map(\.method) == ["GET", "GET"])
  }

  @Test(arguments: [["-T"], ["--data-binary"], ["-F"]])
  func `a FIFO is read once`(_ option: [String]) throws {
    let scenario = try Scenario { .response(content: $0.content) }
    let path = scenario.directory.path("fifo")
    try #require(mkfifo(path, 0o600) == 0)
    startThread {
      let writer = open(path, O_WRONLY)
      _ = "sent".withCString { write(writer, $0, 4) }
      close(writer)
    }
    let value = option == ["-T"] ? path : option == ["-F"] ? "a=@\(path)" : "@\(path)"
    #expect(try scenario.run(option + [value, scenario.url()]).text.contains("sent"))
  }

  // MARK: Files

  @Test(arguments: [true, false])
  func `a 304 to the user's own condition leaves the file as it is`(_ isStored: Bool) throws {
    let scenario = try Scenario { request in
      request.has("If-None-Match") ? .response(304, fields: [Self.tag]) : .response(fields: [Self.tag, Self.fresh])
    }
    if isStored { try scenario.run(scenario.url()) }
    let file = try scenario.directory.write("kept", to: "file")
    let condition = ["-o", file, "-H", "If-None-Match: \"a\"", scenario.url()]
    #expect(try scenario.run(condition).status == 0)
    #expect(try scenario.run(["--exit-unchanged=9"] + condition).status == 9)
    #expect(try scenario.directory.read("file") == Array("kept".utf8))
    #expect(try scenario.run(["-i"] + condition).status == 0)
    #expect(String(decoding: try scenario.directory.read("file"), as: UTF8.self).hasPrefix("HTTP/1.1 304"))
  }

  @Test(arguments: [["-o", "out"], []])
  func `a stored response that turns out to be damaged midway is no reason for a file to fail`(
    _ options: [String]
  ) throws {
    let scenario = try Scenario { request in
      .response(fields: [Self.fresh], content: request.number == 1 ? Pattern.bytes(count: 400_000) : Self.newer)
    }
    try scenario.run(scenario.url())
    let entry = try #require(try filesBelow(scenario.cachePath).first { try readFile($0).count > 300_000 })
    var bytes = try readFile(entry)
    bytes[300_000] ^= 1
    try writeFile(entry, bytes)
    let file = scenario.directory.path("out")
    let run = try scenario.run((options.isEmpty ? [] : ["-o", file]) + [scenario.url()])
    // What has been printed cannot be taken back, and the origin has another now.
    #expect(run.status == (options.isEmpty ? 18 : 0))
    if !options.isEmpty {
      #expect(try readFile(file) == Self.newer)
      #expect(try scenario.run("--offline", scenario.url()).output == Self.newer)
    }
  }

  private static let newer = [UInt8](repeating: 0x6e, count: 400_000)

  // MARK: What is superseded

  @Test(arguments: [["--max-object-size", "5"], ["--max-object-size", "5", "--store-hook", "true"]])
  func `what is too large to be stored takes the older response with it`(_ options: [String]) throws {
    for isChunked in [false, true] {
      let scenario = try Scenario { request in
        let content = Array((request.number == 1 ? "old" : "new and larger").utf8)
        let fields = [Self.fresh]
        return isChunked ? .chunked(fields: fields, chunks: [content]) : .response(fields: fields, content: content)
      }
      try scenario.run(scenario.url())
      #expect(try scenario.run(options + ["--reload", scenario.url()]).text == "new and larger")
      #expect(try scenario.run("--offline", scenario.url()).status == 110)
    }
  }

  @Test(arguments: [[], ["--store-hook", "exit 10"], ["--retry", "1"]])
  func `what supersedes one variant leaves the others`(_ options: [String]) throws {
    let scenario = try Scenario { request in
      guard request.number > 2 else {
        return .response(
          fields: [Self.fresh, ("Vary", "Accept-Language"), ("ETag", "\"\(request.number)\"")],
          text: request.value("Accept-Language") ?? "")
      }
      let fields = [("ETag", "\"new\""), ("Cache-Control", options.isEmpty ? "no-store" : "max-age=9")]
      if !options.contains("--retry") { return .response(fields: fields, text: "new and larger") }
      return request.number == 3 ? RetryTests.broken(fields) : RetryTests.rest(from: 4, fields)
    }
    for language in ["de", "en"] { try scenario.run("-H", "Accept-Language: \(language)", "--pin", scenario.url()) }
    let german = ["-H", "Accept-Language: de", scenario.url()]
    #expect(try scenario.run(options + ["--reload"] + german).status == 0)
    #expect(try scenario.run(["--offline"] + german).status == 110)
    #expect(try scenario.run("--offline", "-H", "Accept-Language: en", scenario.url()).text == "en")
  }

  @Test func `a HEAD that shows a newer representation removes the older one, though it may not be stored`() throws {
    let scenario = try Scenario { request in
      request.method == "HEAD"
        ? .response(fields: [("ETag", "\"b\""), ("Cache-Control", "no-store")])
        : .response(fields: [Self.tag, Self.fresh], text: "hello")
    }
    try scenario.run(scenario.url())
    try scenario.run("-I", "--reload", scenario.url())
    #expect(try scenario.run("--offline", scenario.url()).status == 110)
  }

  @Test func `of several that a request selects, the one with the latest date answers`() throws {
    let scenario = try Scenario { request in
      let isFirst = request.number == 1
      return .response(
        fields: [
          ("Vary", isFirst ? "X-A" : "X-B"), ("Cache-Control", "max-age=1000"),
          ("Date", isFirst ? "Thu, 01 Jan 2026 00:10:00 GMT" : "Thu, 01 Jan 2026 00:00:00 GMT"),
        ], text: isFirst ? "new" : "old")
    }
    scenario.clock.set(seconds: 1_767_226_200)
    try scenario.run("-H", "X-A: 1", "-H", "X-B: 9", scenario.url())
    try scenario.run("-H", "X-A: 2", "-H", "X-B: 1", scenario.url())
    #expect(try scenario.run("--offline", "-H", "X-A: 1", "-H", "X-B: 1", scenario.url()).text == "new")
  }

  // MARK: Fields

  @Test(arguments: [[("Connection", "close, Content-Encoding")], [("Cache-Control", "no-cache=\"Content-Encoding\"")]])
  func `how content is coded is kept, whoever says that it is of the connection`(
    _ fields: [(String, String)]
  ) throws {
    let fields = fields + [Self.fresh, ("Content-Encoding", "gzip")]
    let scenario = try Scenario(.response(fields: fields, content: Self.compressed))
    for _ in 0..<2 { #expect(try scenario.run("--compressed", scenario.url()).text == "hello") }
  }

  /// What `printf hello | gzip` prints.
  private static let compressed: [UInt8] = [
    0x1f, 0x8b, 0x08, 0, 0, 0, 0, 0, 0x02, 0xff, 0xcb, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0, 0x86, 0xa6, 0x10, 0x36, 0x05,
    0, 0, 0,
  ]

  @Test func `who asks for no coding gets none that another has asked for, though Vary says nothing`() throws {
    let scenario = try Scenario { request in
      request.has("Accept-Encoding")
        ? .response(fields: [Self.fresh, ("Content-Encoding", "gzip")], content: Self.compressed)
        : .response(fields: [Self.fresh], text: "hello")
    }
    for _ in 0..<2 { #expect(try scenario.run("--compressed", scenario.url()).text == "hello") }
    #expect(scenario.origin.requests.count == 1)
    for _ in 0..<2 { #expect(try scenario.run(scenario.url()).text == "hello") }
    #expect(scenario.origin.requests.count == 2)
    #expect(try scenario.run("--offline", "--compressed", scenario.url()).text == "hello")
  }

  @Test func `what is coded unasked answers everybody`() throws {
    let scenario = try Scenario(
      .response(fields: [Self.fresh, ("Content-Encoding", "gzip")], content: Self.compressed))
    for _ in 0..<2 { #expect(try scenario.run(scenario.url()).output == Self.compressed) }
    #expect(try scenario.run("--compressed", scenario.url()).text == "hello")
    #expect(scenario.origin.requests.count == 1)
  }

  @Test func `directives that Connection names count`() throws {
    let scenario = try Scenario(
      .response(
        fields: [("Connection", "close, Cache-Control, Age"), ("Cache-Control", "max-age=100"), ("Age", "90")],
        text: "hello"))
    try scenario.run(scenario.url())
    scenario.clock.advance(bySeconds: 20)
    try scenario.run(scenario.url())
    #expect(scenario.origin.requests.count == 2)
  }

  @Test(arguments: [["--strip-header", "Vary"], ["--store-header", "Vary:"]])
  func `a stripped Vary is not seen on a 304 either`(_ options: [String]) throws {
    let scenario = try Scenario { request in
      let fields = [Self.tag, ("Vary", "X-A"), ("Cache-Control", "max-age=0")]
      return request.has("If-None-Match") ? .response(304, fields: fields) : .response(fields: fields, text: "hello")
    }
    for _ in 0..<2 { #expect(try scenario.run(options + [scenario.url()]).text == "hello") }
    #expect(scenario.origin.requests.map { $0.has("If-None-Match") } == [false, true])
  }

  @Test(arguments: ["%{json}", "%{header_json}"])
  func `JSON has no control character of an origin's`(_ format: String) throws {
    // A byte for each: U+009B and U+00A9 in UTF-8.
    let scenario = try Scenario(
      .response(fields: [("Content-Type", "a/b;c=\u{c2}\u{9b}31m\u{c2}\u{a9}")], text: ""))
    let text = try scenario.run("-w", format, scenario.url()).text
    #expect(text.contains("\\u009b31m\u{a9}") && !text.unicodeScalars.contains("\u{9b}"), "\(text)")
  }

  @Test(arguments: [["-D", "-"], ["-w", "%header{X-A}%{content_type}"], ["-w", "%{stderr}%header{X-A}"]])
  func `what an origin says reaches no terminal as it is`(_ options: [String]) throws {
    let scenario = try Scenario(
      .response(fields: [("X-A", "\u{1b}[31m"), ("Content-Type", "a/b;c=\u{1b}[31m")], text: "hello"))
    let file = scenario.directory.path("out")
    let run = try scenario.run(
      onTerminalOf: 80, errorsToo: true, arguments: ["--no-progress", "-o", file] + options + [scenario.url()])
    #expect(run.text.contains("\\x1b[31m") && !run.text.contains("\u{1b}"), "\(run.text)")
    let piped = try scenario.run(["-o", file] + options + [scenario.url()])
    #expect((piped.text + piped.diagnostics).contains("\u{1b}[31m"))
  }

  // MARK: The store

  @Test func `what can never fit drives nothing out`() throws {
    let scenario = try Scenario { request in
      .response(fields: [Self.fresh], content: Pattern.bytes(count: request.target == "/large" ? 40_000 : 500))
    }
    let limits = ["--disk-capacity", "20K", "--max-object-size", "1M"]
    for number in 0..<5 { try scenario.run(limits + [scenario.url("/\(number)")]) }
    #expect(try scenario.run(limits + [scenario.url("/large")]).status == 0)
    for number in 0..<5 { #expect(try scenario.run("--offline", scenario.url("/\(number)")).status == 0) }
    #expect(try scenario.run("--offline", scenario.url("/large")).status == 110)
  }

  @Test(arguments: ["8388607T", "9007199254740991K"])
  func `a capacity may be as large as a number`(_ capacity: String) throws {
    let scenario = try Scenario(.response(fields: [Self.fresh], text: "hello"))
    #expect(try scenario.run("--disk-capacity", capacity, scenario.url()).status == 0)
    #expect(try scenario.run("--offline", "--disk-capacity", capacity, scenario.url()).text == "hello")
  }

  @Test(arguments: [Int64.max, .min, 1 << 62, -1])
  func `whatever stands in the tallies, they are told`(_ number: Int64) throws {
    let scenario = try Scenario(.response(fields: [Self.fresh], text: "hello"))
    try scenario.run(scenario.url())
    let path = "\(scenario.cachePath)/v1/tallies"
    let bytes = try readFile(path)
    let start = bytes.prefix(64)
    for offset in stride(from: 64, to: min(bytes.count, 512), by: 8) {
      var damaged = bytes
      withUnsafeBytes(of: number.littleEndian) { damaged.replaceSubrange(offset..<offset + 8, with: $0) }
      try writeFile(path, damaged)
      #expect(try scenario.run("cache", "stats").status == 0)
      #expect(try scenario.run("cache", "stats", "--json").status == 0)
    }
    #expect(try readFile(path).prefix(64) == start)
  }
}
