import TestSupport
import Testing

@Suite struct StatisticsTests {
  /// The figures that `cache stats` prints to a file, by name.
  private func figures(_ scenario: Scenario) throws -> [String: Int] {
    let run = try scenario.run("cache", "stats")
    #expect(run.status == 0 && run.diagnostics == "")
    var figures: [String: Int] = [:]
    for line in run.text.split(separator: "\n") {
      let columns = line.split(separator: "\t")
      if columns.count == 2, let number = Int(columns[1]) { figures[String(columns[0])] = number }
    }
    return figures
  }

  private func scenario() throws -> Scenario {
    try Scenario { request in
      switch request.path {
      case "/validate": validated(request, etag: "\"1\"", fields: [("Cache-Control", "no-cache")], text: "0123456789")
      case "/changing":
        .response(
          fields: [("Cache-Control", "max-age=0"), ("Last-Modified", "Wed, 01 Jan 2025 00:00:00 GMT")], text: "abc")
      case "/redirect":
        .response(301, fields: [("Location", "/fresh"), ("Cache-Control", "max-age=600")], text: "moved")
      default: .response(fields: [("Cache-Control", "max-age=600")], text: "fresh")
      }
    }
  }

  @Test(arguments: [
    ("hits", "/fresh", [], 5), ("stale", "/changing", ["--prefer-offline"], 3), ("validated", "/validate", [], 10),
    ("updated", "/changing", [], 0), ("bypassed", "/fresh", ["--no-store"], 0), ("updated", "/fresh", ["--reload"], 0),
    ("hits", "/fresh", ["-I"], 0), ("hits", "/fresh", ["-r", "0-1"], 2),
  ])
  func `each result is counted once, with the content that was not transferred`(
    _ name: String, _ path: String, _ options: [String], _ saved: Int
  ) throws {
    let scenario = try scenario()
    try scenario.run(scenario.url(path))
    let before = try figures(scenario)
    #expect(before["misses"] == 1)
    scenario.clock.advance(bySeconds: 1)
    if options.first == "-r" {
      try scenario.run("-H", "Range: bytes=\(options[1])", scenario.url(path))
    } else {
      try scenario.run(options + [scenario.url(path)])
    }
    let after = try figures(scenario)
    for (figure, value) in after where figure != "bytes" {
      let difference = value - (before[figure] ?? 0)
      #expect(difference == (figure == name ? 1 : figure == "bytes_saved" ? saved : 0), "\(figure)")
    }
  }

  @Test func `the hits of a host are the fresh responses that were served, as in the total`() throws {
    let scenario = try scenario()
    for path in ["/fresh", "/changing", "/validate", "/validate", "/fresh"] { try scenario.run(scenario.url(path)) }
    try scenario.run("--prefer-offline", scenario.url("/changing"))
    let figures = try figures(scenario)
    #expect(figures["hits"] == 1 && figures["stale"] == 1 && figures["validated"] == 1)
    let text = try scenario.run("cache", "stats").text
    #expect(text.contains("\t3\t1\t18\n"), "\(text)")
  }

  @Test func `each hop of a redirection is a result of its own`() throws {
    let scenario = try scenario()
    try scenario.run(scenario.url("/redirect"))
    #expect(try figures(scenario)["misses"] == 2)
    #expect(try scenario.run(scenario.url("/redirect")).text == "fresh")
    let figures = try figures(scenario)
    #expect(figures["hits"] == 2 && figures["misses"] == 2 && figures["bytes_saved"] == 5)
  }

  @Test func `stats --json has every name, and --zero begins anew`() throws {
    let scenario = try scenario()
    try scenario.run(scenario.url("/fresh"))
    for _ in 1...3 { try scenario.run(scenario.url("/fresh")) }
    let text = try scenario.run("cache", "stats", "--json", "--zero").text
    #expect(text.contains(#""capacity":10737418240,"hits":3,"stale":0,"validated":0,"updated":0,"misses":1,"#))
    #expect(text.contains(#""bypassed":0,"bytes_saved":15,"ratio":0.750,"estimated":false,"by_host":[{"host":"#))
    #expect(text.contains(#""hits":3,"bytes_saved":15}],"by_type":[{"type":"none","bytes":"#))
    let zeroed = try scenario.run("cache", "stats", "--json").text
    #expect(zeroed.contains(#""hits":0,"stale":0,"validated":0,"updated":0,"misses":0,"bypassed":0,"#))
    #expect(zeroed.contains(#""ratio":null"#) && zeroed.contains(#"{"entries":1,"#))
  }

  @Test func `on a terminal, stats has its columns in line, and a bar for each host and type`() throws {
    let scenario = try Scenario { request in
      let type = request.path.hasSuffix(".js") ? "text/javascript" : "text/html"
      let vary = request.path.hasSuffix(".js") ? [] : [("Vary", "Accept-Language")]
      return .response(
        fields: [("Cache-Control", "max-age=600"), ("Content-Type", type)] + vary,
        text: String(repeating: "x", count: request.path.utf8.count * 1000))
    }
    scenario.environment = ["LANG": "C.UTF-8"]
    for path in ["/a", "/longer.js", "/a", "/a"] { try scenario.run(scenario.url(path)) }
    let lines = try scenario.run(onTerminalOf: 80, "cache", "stats").text.split(separator: "\n")
    #expect(lines[0] == "entries     3, with 2 responses")
    #expect(lines[1].hasPrefix("size        ") && lines[1].hasSuffix(" of 10.0 GiB (0.0 %)"))
    #expect(lines[2...4] == ["requests    4", "  hits      2", "  stale     0"])
    #expect(lines.contains("ratio       50.0 % answered with stored content"))
    #expect(lines.contains("saved       3.9 KiB not transferred"))
    let hosts = try #require(lines.firstIndex { $0.hasPrefix("by host") })
    #expect(lines[hosts].split(separator: " ") == ["by", "host", "size", "entries", "hits", "saved"])
    #expect(lines[hosts + 1].hasPrefix("127.0.0.1  ") && lines[hosts + 1].hasSuffix("█"))
    let types = try #require(lines.firstIndex { $0.hasPrefix("by type") })
    let beforeSize = try #require(lines[types].firstRange(of: "size")).lowerBound
    let sizeEnd = lines[types].distance(from: lines[types].startIndex, to: beforeSize) + "size".count
    for line in lines[(types + 1)...] {
      // Sizes are aligned with the end of their heading.
      #expect(line.prefix(sizeEnd).hasSuffix("iB"), "\(line)")
    }
    #expect(lines[types + 1].hasPrefix("script  ") && lines[types + 2].hasPrefix("html    "))
    #expect(lines.allSatisfy { $0.count <= 80 })
    #expect(try figures(scenario)["entries"] == 3)
    #expect(try scenario.run("cache", "stats").text.contains("\nratio\t0.500\n"))
  }

  @Test(arguments: [
    ([:], "#"), (["LANG": "de_DE.UTF-8"], "█"), (["LANG": "C.utf8"], "█"),
    (["LANG": "C.UTF-8", "LC_ALL": "C"], "#"),
    (["LC_ALL": "", "LC_CTYPE": "en_US.UTF-8@euro", "LANG": "C"], "█"), (["LANG": "de_DE.ISO-8859-1"], "#"),
    (["LANG": "C.UTF-8", "LC_CTYPE": "de_DE"], "#"),
  ])
  func `the bars of stats are in the characters of the locale`(_ locale: [String: String], _ mark: String) throws {
    let scenario = try scenario()
    scenario.environment = locale
    try scenario.run(scenario.url("/fresh"))
    let lines = try scenario.run(onTerminalOf: 80, "cache", "stats").text.split(separator: "\n")
    #expect(lines.last?.hasSuffix("  " + String(repeating: mark, count: 40)) == true, "\(lines)")
  }

  @Test func `each type that cache stats counts is a word for --type, which selects what is counted under it`() throws {
    let types = [
      nil, "application/xhtml+xml", "text/css", "application/wasm", "application/json", "application/atom+xml",
      "text/plain", "image/png", "audio/ogg", "video/mp4", "application/font-woff", "application/pdf",
      "application/zip", "application/octet-stream", "model/obj",
    ]
    let scenario = try Scenario { request in
      let type = Int(request.path.dropFirst()).flatMap { types[$0] }
      return .fresh(type.map { [("Content-Type", $0)] } ?? [], text: "content")
    }
    try scenario.run(scenario.url("/[0-\(types.count - 1)]"))
    func listed(_ type: some StringProtocol) throws -> [Substring] {
      try scenario.run("cache", "ls", "--type", String(type)).text.split(separator: "\n")
    }
    let lines = try scenario.run("cache", "stats").text.split(separator: "\n")
    let rows = lines.map { $0.split(separator: "\t") }.filter { $0.first == "type" }
    #expect(rows.count == types.count)
    // A word that is a part of a media type may select more: `text` selects text/css, too.
    for row in rows {
      let found = try listed(row[1])
      #expect(row[3] == "1" && !found.isEmpty, "\(row)")
    }
    for (word, index) in [("html", 1), ("script", 3), ("archive", 12), ("BINARY", 13), ("other", 14)] {
      let found = try listed(word)
      #expect(found.count == 1 && found[0].contains(scenario.url("/\(index)")), "\(word): \(found)")
    }
  }

  @Test func `a response that is not stored counts as a miss from the first request on`() throws {
    let scenario = try Scenario(.response(fields: [("Cache-Control", "no-store")], text: "text"))
    for count in 1...2 {
      try scenario.run(scenario.url())
      #expect(try figures(scenario)["misses"] == count)
    }
    #expect(try figures(scenario)["entries"] == 0)
  }

  @Test func `without a store, cache stats counts nothing, and no store is made`() throws {
    let scenario = try scenario()
    #expect(try figures(scenario)["entries"] == 0)
    #expect(try scenario.run("--no-store", scenario.url("/fresh")).status == 0)
    #expect(filesBelow(scenario.cachePath).isEmpty)
  }

  @Test(arguments: [Int64.max, .min, 1 << 62, -1])
  func `cache stats succeeds whatever numbers stand in the tallies`(_ number: Int64) throws {
    let scenario = try Scenario(.fresh(text: "hello"))
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
