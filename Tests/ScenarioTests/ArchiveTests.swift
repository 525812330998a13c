import TestSupport
import Testing

/// Stored responses are exported into an archive, and imported from it into another store, without any network.
@Suite struct ArchiveTests {
  private static let large = Pattern.bytes(count: 300_000)
  private static let compressed: [UInt8] = [
    0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 3, 0xcb, 0x48, 0xcd, 0xc9, 0xc9, 7, 0, 0x86, 0xa6, 0x10, 0x36, 5, 0, 0, 0,
  ]

  /// A store with /text, /large of 300,000 bytes and /same with the same content, /coded under gzip ("hello"), /missing
  /// (404), /empty, and /varies in two languages.
  private func filled() throws -> Scenario {
    let fresh = ("Cache-Control", "max-age=3600")
    let scenario = try Scenario { request in
      switch request.path {
      case "/large", "/same": .response(fields: [fresh, ("X-Path", request.path)], content: Self.large)
      case "/coded": .response(fields: [fresh, ("Content-Encoding", "gzip")], content: Self.compressed)
      case "/missing": .response(404, fields: [fresh], text: "nothing")
      case "/empty": .response(fields: [fresh], text: "")
      case "/varies":
        .response(fields: [fresh, ("Vary", "Accept-Language")], text: request.value("Accept-Language") ?? "none")
      default: .response(fields: [fresh, ("Set-Cookie", "id=secret"), ("Content-Type", "text/plain")], text: "text")
      }
    }
    for target in ["/text", "/large", "/same", "/coded", "/empty"] { try scenario.run("-s", scenario.url(target)) }
    try scenario.run("-s", "--no-fail", scenario.url("/missing"))
    for language in ["de", "fr"] { try scenario.run("-H", "Accept-Language: \(language)", scenario.url("/varies")) }
    scenario.clock.advance(bySeconds: 100)
    return scenario
  }

  private static let responseCount = 8

  private static let requests: [[String]] = [
    ["/text"], ["/large"], ["/same"], ["/coded"], ["/empty"], ["/missing"], ["/varies", "-H", "Accept-Language: de"],
    ["/varies", "-H", "Accept-Language: fr"],
  ]

  /// The result of an offline fetch, with the head.
  private func served(_ scenario: Scenario, _ request: [String], store: String) throws -> Scenario.Run {
    let arguments = ["-s", "-i", "--no-fail", "--offline", "--cache-dir", store] + request.dropFirst()
    return try scenario.run(arguments + [scenario.url(request[0])])
  }

  @Test(arguments: ["a.warc", "a.warc.gz"])
  func `an exported WARC serves another store the same heads and bodies at the same ages`(_ name: String) throws {
    let scenario = try filled()
    let asked = scenario.asked
    let file = scenario.directory.path(name)
    let exported = try scenario.run("cache", "export", file)
    #expect(exported.status == 0 && exported.output == [])
    #expect(exported.diagnostics == "garner: exported \(Self.responseCount) responses\n")
    let other = scenario.directory.path("other")
    let imported = try scenario.run("--cache-dir", other, "cache", "import", file)
    #expect(imported.status == 0, "\(imported.diagnostics)")
    #expect(imported.diagnostics == "garner: imported \(Self.responseCount) responses\n")
    for request in Self.requests {
      let own = try served(scenario, request, store: scenario.cachePath)
      let others = try served(scenario, request, store: other)
      #expect(own.status == 0 && others.status == 0)
      #expect(own.output == others.output, "\(request)")
    }
    let unknown = try served(scenario, ["/varies", "-H", "Accept-Language: it"], store: other)
    #expect(unknown.status == 110)
    #expect(scenario.asked == asked)
  }

  @Test func `a response imported again counts as already stored, and a newer stored response is kept`() throws {
    let scenario = try filled()
    let file = scenario.directory.path("a.warc")
    try scenario.run("cache", "export", file)
    let again = try scenario.run("cache", "import", file)
    #expect(again.status == 0)
    #expect(again.diagnostics == "garner: imported 0 responses, skipped 8 (8 already stored)\n")
    try scenario.run("--reload", scenario.url("/text"))
    let older = try scenario.run("cache", "import", file)
    #expect(older.diagnostics.contains("1 older than the stored response"))
    #expect(try scenario.run("cache", "show", scenario.url("/text")).text.contains("(age 0 s)"))
  }

  @Test(arguments: [
    ("a.HAR", "{"), ("a.Har.gz", "\u{1f}"), ("a.har.GZ", "\u{1f}"), ("a.WARC.Gz", "\u{1f}"), ("gz", "W"),
  ])
  func `the ending of an archive's name selects its format, in upper or lower case`(_ name: String, _ first: Character)
    throws
  {
    let scenario = try filled()
    let file = scenario.directory.path(name)
    try scenario.run("cache", "export", file)
    #expect(try readFile(file).first == first.asciiValue)
    let other = scenario.directory.path("other")
    let imported = try scenario.run("--cache-dir", other, "cache", "import", file)
    #expect(imported.diagnostics == "garner: imported 8 responses\n")
    let coded = try served(scenario, ["/coded"], store: other)
    #expect((coded.field("Content-Encoding") == nil) == name.lowercased().contains("har"))
  }

  @Test func `an exported HAR serves another store the same content`() throws {
    let scenario = try filled()
    let file = scenario.directory.path("a.har.gz")
    let exported = try scenario.run("cache", "export", file)
    #expect(exported.diagnostics == "garner: exported 8 responses\n")
    let other = scenario.directory.path("other")
    let imported = try scenario.run("--cache-dir", other, "cache", "import", file)
    #expect(imported.diagnostics == "garner: imported 8 responses\n")
    for request in Self.requests {
      let arguments =
        ["-s", "--no-fail", "--compressed", "--offline"] + request.dropFirst() + [scenario.url(request[0])]
      let own = try scenario.run(arguments)
      let others = try scenario.run(["--cache-dir", other] + arguments)
      #expect(own.status == 0 && own.output == others.output, "\(request)")
    }
    // The content is decoded, and Content-Encoding is gone.
    let coded = try served(scenario, ["/coded"], store: other)
    #expect(coded.field("Content-Encoding") == nil && coded.field("Content-Length") == "5")
    #expect(coded.text.hasSuffix("\r\n\r\nhello"))
  }

  /// 75 MiB of zeros under zstd, in 600 blocks of one repeated byte (RFC 8878 section 3.1.1.2).
  private static let bomb: [UInt8] = {
    let block: (UInt32) -> [UInt8] = { last in
      let header = last | 1 << 1 | (128 << 10) << 3
      return [UInt8(truncatingIfNeeded: header), UInt8(truncatingIfNeeded: header >> 8), UInt8(header >> 16), 0]
    }
    let blocks = Array(repeating: block(0), count: 599).flatMap(\.self) + block(1)
    return [0x28, 0xb5, 0x2f, 0xfd, 0, 0x38] + blocks
  }()

  @Test func `a response whose content a HAR cannot hold is left out, and the reason is reported`() throws {
    let coded: [String: (String, [UInt8])] = [
      "/unknown": ("other", Self.compressed), "/broken": ("gzip", Array("no gzip".utf8)),
      "/short": ("gzip", Self.compressed.dropLast(9)), "/bomb": ("zstd", Self.bomb),
      "/many": (Array(repeating: "gzip", count: 6).joined(separator: ", "), Self.compressed),
    ]
    let scenario = try Scenario { request in
      let (coding, content) = coded[request.path] ?? ("gzip", Self.compressed)
      return .fresh([("Content-Encoding", coding)], content: content)
    }
    for path in ["/unknown", "/broken", "/short", "/bomb", "/many", "/right"] {
      try scenario.run("-s", "-o", "/dev/null", scenario.url(path))
    }
    let run = try scenario.run("cache", "export", scenario.directory.path("a.har"))
    #expect(run.diagnostics.hasPrefix("garner: exported 1 response, left out 5 ("), "\(run)")
    for reason in [
      "1 with an unknown content coding", "2 malformed in its content coding",
      "1 decoding to more than 256 times its size", "1 with too many content codings",
    ] {
      #expect(run.diagnostics.contains(reason), "\(run)")
    }
  }

  @Test func `a pattern selects the exported responses, and one that matches nothing writes no archive`() throws {
    let scenario = try filled()
    let file = scenario.directory.path("a.warc")
    #expect(
      try scenario.run("cache", "export", file, scenario.url("/v*")).diagnostics == "garner: exported 2 responses\n")
    let nowhere = try scenario.run("cache", "export", scenario.directory.path("none/b.warc"))
    #expect(nowhere.status == 23 && !nowhere.diagnostics.contains("hint"))
    let nothing = try scenario.run("cache", "export", scenario.directory.path("b.warc"), scenario.url("/x*"))
    #expect(nothing.status == 1)
    #expect(nothing.diagnostics.hasPrefix("garner: no stored response matches \(scenario.url("/x*"))\nhint: "))
    #expect(!filesBelow(scenario.directory.path).contains { $0.hasSuffix("b.warc") })
    let empty = try scenario.run("--cache-dir", scenario.directory.path("none"), "cache", "export", "-")
    #expect(empty.status == 0 && empty.text.hasPrefix("WARC/1.1\r\nWARC-Type: warcinfo\r\n"))
  }

  @Test func `an archive is exported to standard output, and imported from standard input`() throws {
    let scenario = try filled()
    let exported = try scenario.run("cache", "export", "-", scenario.url("/text"))
    #expect(exported.status == 0)
    let other = scenario.directory.path("other")
    let imported = try scenario.run("--cache-dir", other, "cache", "import", "-", input: exported.text)
    #expect(imported.diagnostics == "garner: imported 1 response\n")
    #expect(try scenario.run("--cache-dir", other, "--offline", scenario.url("/text")).text == "text")
  }

  /// The records of a WARC: the fields of each, and behind them those of the head in its block.
  private static func records(of archive: [UInt8]) -> [[String: String]] {
    var records: [[String: String]] = []
    for line in String(decoding: archive, as: UTF8.self).split(separator: "\r\n") {
      if line == "WARC/1.1" { records.append([:]) }
      let parts = line.split(separator: ": ", maxSplits: 1).map { String($0) }
      guard parts.count == 2, !records.isEmpty else { continue }
      records[records.count - 1].merge([parts[0]: parts[1]]) { first, _ in first }
    }
    return records
  }

  @Test func `equal content is written to a WARC once, and a revisit record refers to it for the second`() throws {
    let scenario = try filled()
    let archive = try scenario.run("cache", "export", "-").output
    #expect(archive.count < 2 * Self.large.count)
    let records = Self.records(of: archive)
    #expect(records.filter { $0["WARC-Type"] == "revisit" }.count == 1)
    let revisit = try #require(records.first { $0["WARC-Type"] == "revisit" })
    let first = try #require(records.first { $0["WARC-Record-ID"] == revisit["WARC-Refers-To"] })
    #expect(first["WARC-Type"] == "response" && revisit["WARC-Truncated"] == "length")
    for name in ["Target-URI", "Date"] { #expect(revisit["WARC-Refers-To-\(name)"] == first["WARC-\(name)"]) }
    #expect(revisit["WARC-Payload-Digest"] == first["WARC-Payload-Digest"])
    // The head is its own.
    #expect(Set([first, revisit].compactMap { $0["X-Path"] }) == ["/large", "/same"])
    for record in [first, revisit] { #expect(record["WARC-Target-URI"] == record["X-Path"].map(scenario.url)) }
  }

  @Test(arguments: ["a.warc", "a.warc.gz"], ["/large", "/same"])
  func `a revisit is imported with the content of a record that is itself skipped as older`(
    _ name: String, _ newer: String
  ) throws {
    let scenario = try Scenario { request in
      let seed = UInt8(request.value("X-Seed") ?? "") ?? 0
      return .response(
        fields: [("Cache-Control", "max-age=3600")], content: Pattern.bytes(count: 300_000).map { $0 &+ seed })
    }
    try scenario.run("-s", scenario.url("/{large,same,other}"))
    let file = scenario.directory.path(name)
    try scenario.run("cache", "export", file)
    scenario.clock.advance(bySeconds: 100)
    let other = scenario.directory.path("other")
    try scenario.run("-s", "--cache-dir", other, "-H", "X-Seed: 1", scenario.url(newer))
    let imported = try scenario.run("--cache-dir", other, "cache", "import", file)
    #expect(imported.diagnostics == "garner: imported 2 responses, skipped 1 (1 older than the stored response)\n")
    for path in ["/large", "/same", "/other"] {
      let served = try scenario.run("-s", "--cache-dir", other, "--offline", scenario.url(path))
      let isRight = served.output == Pattern.bytes(count: 300_000).map { $0 &+ (path == newer ? 1 : 0) }
      #expect(served.status == 0 && isRight, "\(path)")
    }
  }

  @Test func `a response whose content equals that of a private response is exported with its own content`() throws {
    let scenario = try Scenario(
      .response(fields: [("Cache-Control", "max-age=60")], content: Pattern.bytes(count: 2_000)))
    // The order of the records is not fixed. The equal content that is written last would be a revisit.
    try scenario.run(["-s", "-u", "me:word"] + (0..<20).map { scenario.url("/private/\($0)") })
    try scenario.run(["-s", "-X", "QUERY", "-d", "x"] + (0..<20).map { scenario.url("/query/\($0)") })
    let open = (0..<3).map { scenario.url("/open/\($0)") }
    try scenario.run(["-s"] + open)
    let file = scenario.directory.path("a.warc")
    let exported = try scenario.run("cache", "export", file)
    #expect(exported.diagnostics.hasPrefix("garner: exported 43 responses (20 private: "), "\(exported.diagnostics)")
    let other = scenario.directory.path("other")
    let imported = try scenario.run("--cache-dir", other, "cache", "import", file)
    #expect(imported.diagnostics.hasPrefix("garner: imported 3 responses, "), "\(imported.diagnostics)")
    #expect(try scenario.run(["-s", "--cache-dir", other, "--offline"] + open).output.count == 6_000)
  }

  @Test func `a response whose content equals that of one with a masked URL is exported with its own`() throws {
    let scenario = try Scenario { request in
      let seed = request.target.last?.wholeNumberValue ?? 0
      return .response(
        fields: [("Cache-Control", "max-age=60")], content: Pattern.bytes(count: 2_000).map { $0 &+ UInt8(seed) })
    }
    // The order of the records is not fixed.
    let open = (0..<8).map { scenario.url("/open?\($0)") }
    try scenario.run(["-s"] + (0..<8).map { scenario.url("/masked?token=\($0)") } + open)
    let file = scenario.directory.path("a.warc")
    try scenario.run("cache", "export", "--redact", file)
    let other = scenario.directory.path("other")
    let imported = try scenario.run("--cache-dir", other, "cache", "import", file)
    #expect(imported.diagnostics == "garner: imported 9 responses, skipped 7 (7 already stored)\n")
    #expect(try scenario.run(["-s", "--cache-dir", other, "--offline"] + open).output.count == 16_000)
  }

  @Test(arguments: ["a.warc", "a.har"])
  func `control characters in a head survive export and import`(_ name: String) throws {
    let tag = "\"a\u{1b}[0m\u{1}\tb\u{7f}\""
    let scenario = try Scenario(.fresh([("ETag", tag)], text: "x"))
    try scenario.run(scenario.url())
    let file = scenario.directory.path(name)
    try scenario.run("cache", "export", file)
    let other = scenario.directory.path("other")
    try scenario.run("--cache-dir", other, "cache", "import", file)
    #expect(try served(scenario, ["/"], store: scenario.cachePath).field("ETag") == tag)
    #expect(try served(scenario, ["/"], store: other).field("ETag") == tag)
  }

  @Test(arguments: ["a.warc", "a.har"])
  func `a response that varies by Host is found again after export and import`(_ name: String) throws {
    let scenario = try Scenario(.response(fields: [("Cache-Control", "max-age=60"), ("Vary", "Host")], text: "here"))
    try scenario.run(scenario.url())
    let file = scenario.directory.path(name)
    try scenario.run("cache", "export", file)
    let other = scenario.directory.path("other")
    try scenario.run("--cache-dir", other, "cache", "import", file)
    #expect(try scenario.run("--cache-dir", other, "--offline", scenario.url()).text == "here")
  }

  @Test(arguments: ["a.warc", "a.har"])
  func `a 204 is exported and imported without content, whatever Content-Length its head has`(_ name: String) throws {
    let head = OriginAnswer.head(204, nil, fields: [("Cache-Control", "max-age=60"), ("Content-Length", "7")])
    let scenario = try Scenario(OriginAnswer([.bytes(head)], ending: .close))
    #expect(try scenario.run(scenario.url()).status == 0)
    let file = scenario.directory.path(name)
    try scenario.run("cache", "export", file)
    let other = scenario.directory.path("other")
    let imported = try scenario.run("--cache-dir", other, "cache", "import", file)
    #expect(imported.diagnostics == "garner: imported 1 response\n")
    #expect(try scenario.run("--cache-dir", other, "--offline", "-w", "%{http_code}", scenario.url()).text == "204")
  }

  @Test func `an archive exported with --redact contains nothing that gives access`() throws {
    let scenario = try Scenario { request in
      .response(
        fields: [
          ("Cache-Control", "max-age=60"), ("Set-Cookie", "id=SECRET"), ("X-Auth-Token", "SECRET"),
          ("Content-Location", "/x?b=1&access_token=SECRET&c=2"),
          ("Link", "<http://me:SECRET@h/?sig=SECRET>; rel=next"), ("X-Map", "https://me:SECRET@h/m?token=SECRET"),
          ("Reporting-Endpoints", "d=\"https://h/r?token=SECRET\""),
        ], text: "body")
    }
    try scenario.run(scenario.url("/a?b=1&api_key=SECRET&c=2"))
    try scenario.run("-u", "me:SECRET", scenario.url("/private"))
    for form in [[], ["--har"]] {
      let plain = try scenario.run(["cache", "export", "-"] + form)
      let told = "exported 2 responses (1 private: 'garner cache import' needs --all for these)"
      #expect(plain.diagnostics == "garner: \(told)\n")
      #expect(plain.text.contains("SECRET"))
      let redacted = try scenario.run(["cache", "export", "--redact", "-"] + form)
      #expect(redacted.status == 0 && !redacted.text.contains("SECRET"))
      #expect(redacted.diagnostics == "garner: exported 1 response, left out 1 (1 private)\n")
      #expect(redacted.text.contains("/a?b=1&api_key=***&c=2"))
      #expect(redacted.text.contains("/x?b=1&access_token=***&c=2"))
      #expect(redacted.text.contains("<http://h/?sig=***>; rel=next"))
      #expect(redacted.text.contains("https://h/m?token=***"))
    }
  }

  @Test func `a response fetched with credentials is imported only with --all`() throws {
    let scenario = try Scenario(.response(fields: [("Cache-Control", "private, max-age=60")], text: "mine"))
    try scenario.run("-u", "me:word", scenario.url())
    let file = scenario.directory.path("a.warc")
    try scenario.run("cache", "export", file)
    let other = scenario.directory.path("other")
    let without = try scenario.run("--cache-dir", other, "cache", "import", file)
    #expect(without.status == 0 && without.diagnostics == "garner: imported 0 responses, skipped 1 (1 private)\n")
    #expect(
      try scenario.run("--cache-dir", other, "cache", "import", "--all", file).diagnostics.contains("imported 1 "))
    #expect(try scenario.run("--cache-dir", other, "--offline", scenario.url()).text == "mine")
  }

  @Test func `tags are exported and imported, unless --redact leaves them out`() throws {
    let scenario = try Scenario(.fresh(text: "x"))
    try scenario.run("--tag", "project=web", "--tag", "by=ci", scenario.url())
    let file = scenario.directory.path("a.warc")
    try scenario.run("cache", "export", file)
    let other = scenario.directory.path("other")
    try scenario.run("--cache-dir", other, "cache", "import", file)
    let shown = try scenario.run("--cache-dir", other, "cache", "show", scenario.url()).text
    #expect(shown.contains("by=ci") && shown.contains("project=web"))
    #expect(!(try scenario.run("cache", "export", "--redact", "-").text.contains("project=web")))
  }

  @Test func `a damaged entry is left out of an export and reported, with status 113`() throws {
    let scenario = try filled()
    let entry = try #require(filesBelow(scenario.cachePath).first { (try? readFile($0).count) ?? 0 > 300_000 })
    var bytes = try readFile(entry)
    bytes[70_000] ^= 1
    try writeFile(entry, bytes)
    let file = scenario.directory.path("a.warc")
    let run = try scenario.run("cache", "export", file)
    #expect(run.status == 113)
    #expect(run.diagnostics.contains("exported 7 responses, left out 1 (1 damaged)\n"))
    #expect(run.diagnostics.hasSuffix("garner: 1 stored response is damaged, and is not in the archive\n"))
    let other = scenario.directory.path("other")
    #expect(try scenario.run("--cache-dir", other, "cache", "import", file).diagnostics.contains("imported 7 "))
  }

  @Test(arguments: [[], ["--har"]])
  func `a response with an interrupted update is left out of an export`(_ form: [String]) throws {
    let scenario = try Scenario(.fresh(text: "x"))
    try scenario.run(scenario.url())
    let entry = try #require(scenario.entryFiles.first)
    try writeFile(entry, readFile(entry) + Array("HEAD@\0\0\0abc".utf8))
    let run = try scenario.run(["cache", "export", "-"] + form)
    #expect(run.status == 0)
    #expect(run.diagnostics == "garner: exported 0 responses, left out 1 (1 with an interrupted update)\n")
  }

  @Test func `an archive that cannot be written is status 23, and one that cannot be read is status 26`() throws {
    let scenario = try filled()
    let nowhere = try scenario.run("cache", "export", scenario.directory.path("absent/a.warc"))
    #expect(nowhere.status == 23 && nowhere.diagnostics.contains("cannot write"))
    let absent = try scenario.run("cache", "import", scenario.directory.path("absent"))
    #expect(absent.status == 26 && absent.diagnostics.contains("cannot read"))
    let directory = try scenario.run("cache", "import", scenario.directory.path)
    #expect(directory.status == 26 && directory.diagnostics.contains("Is a directory"))
    let text = try scenario.run("cache", "import", "-", input: "no archive")
    #expect(text.status == 26)
    #expect(text.diagnostics == "garner: cannot read the archive standard input: it is neither WARC nor HAR\n")
  }
}
