import TestSupport
import Testing

/// `-C` fetches the rest of a body, after the bytes that a file already holds. Also the limits on size and rate.
@Suite struct ContinuationTests {
  private static let body = "0123456789"

  /// An origin that supports ranges from a byte to the end.
  private func scenario(ranges: Bool = true) throws -> Scenario {
    try Scenario { request in
      guard ranges, let range = request.value("Range"), let start = Int(range.dropFirst(6).dropLast()) else {
        return .response(text: Self.body)
      }
      if start >= Self.body.count {
        return .response(416, fields: [("Content-Range", "bytes */\(Self.body.count)")], text: "no such range")
      }
      let field = ("Content-Range", "bytes \(start)-\(Self.body.count - 1)/\(Self.body.count)")
      return .response(206, fields: [field], text: String(Self.body.dropFirst(start)))
    }
  }

  private func text(_ path: String) throws -> String { String(decoding: try readFile(path), as: UTF8.self) }

  @Test(
    arguments: [
      (nil, "-", body, nil), ("", "-", body, nil), ("0123", "-", body, "bytes=4-"),
      ("0123", "2", "012323456789", "bytes=2-"),
      ("old", "0", body, nil), (body, "-", body, "bytes=10-"),
    ] as [(String?, String, String, String?)])
  func `-C appends the received content to what the file holds`(
    _ before: String?, _ offset: String, _ after: String, _ range: String?
  ) throws {
    let scenario = try self.scenario()
    let path = scenario.directory.path("f")
    if let before { try scenario.directory.write(before, to: "f") }
    let run = try scenario.run("-C", offset, "-o", path, scenario.url())
    #expect(run.status == 0 && run.text == "" && run.diagnostics == "")
    #expect(try text(path) == after && scenario.origin.requests[0].value("Range") == range)
  }

  @Test func `-C OFFSET prints what is behind OFFSET on standard output`() throws {
    let scenario = try self.scenario()
    #expect(try scenario.run("-C", "7", scenario.url()).text == "789")
    #expect(try scenario.run("-C", "-", scenario.url()).text == Self.body)
    let beyond = try scenario.run("-C", "10", scenario.url())
    #expect(beyond.status == 0 && beyond.text == "")
  }

  @Test func `a server that sends the whole body despite -C is status 33, and the file stays`() throws {
    let scenario = try self.scenario(ranges: false)
    let path = try scenario.directory.write("0123", to: "f")
    let run = try scenario.run("-C", "-", "-o", path, scenario.url())
    #expect(run.status == 33 && run.diagnostics.contains("hint: without --continue-at, the whole content is fetched"))
    #expect(try text(path) == "0123")
  }

  @Test func `with -C, a whole body as long as the file leaves nothing to continue, as for curl`() throws {
    let scenario = try self.scenario(ranges: false)
    let path = try scenario.directory.write("9876543210", to: "f")
    let run = try scenario.run("-C", "-", "-o", path, "-w", "%{exitcode} %{cache_stored}", scenario.url())
    #expect(run.status == 0 && run.text == "0 0" && run.diagnostics == "")
    #expect(try text(path) == "9876543210")
    #expect(try scenario.run("-C", "10", scenario.url()).text == "")
    #expect(try scenario.run("-C", "11", scenario.url()).status == 33)
  }

  @Test func `the digest of content that -C does not read is not checked`() throws {
    let promise = ("Repr-Digest", "sha-256=:hNiYd/DUBB77a/kaFvAkjy/Vc+avBcGflr7bn4gveII=:")
    let scenario = try Scenario(.response(fields: [promise], text: "0123456789"))
    let run = try scenario.run("-C", "10", scenario.url())
    #expect(run.status == 0 && run.text == "", "\(run)")
  }

  @Test func `content that -C does not deliver is not read to its end`() throws {
    let size = 4 << 20
    let scenario = try Scenario(
      .fresh(text: String(repeating: "x", count: size)))
    let run = try scenario.run("-v", "-C", "\(size)", "-w", "%{size_download}", scenario.url())
    #expect(run.status == 0 && (Int(run.text) ?? size) < size, "\(run.text)")
    #expect(try scenario.run("--offline", scenario.url()).status == 110)
  }

  @Test func `a body that ends before the OFFSET of -C is no success`() throws {
    let scenario = try self.scenario()
    let path = try scenario.directory.write("0123456789ab", to: "f")
    let run = try scenario.run("-C", "-", "-o", path, scenario.url())
    #expect(run.status == 22)
    #expect(run.diagnostics.contains("cannot continue \(scenario.url()) after 12 bytes: it has only 10\n"))
    #expect(try text(path) == "0123456789ab")
  }

  @Test func `a 206 with another range than -C has asked for is status 33`() throws {
    let scenario = try Scenario(.response(206, fields: [("Content-Range", "bytes 5-9/10")], text: "56789"))
    #expect(try scenario.run("-C", "4", scenario.url()).status == 33)
  }

  /// The fields of a 206 besides those for framing, its content, and the status of the run.
  static let unlike: [(fields: [(String, String)], text: String, status: Int32)] = [
    ([("Content-Range", "bytes 4-9/10")], "456789more", 8),
    ([("Content-Range", "bytes 3-6/10")], "3456", 33),
    ([("Content-Range", "bytes 4-6/*")], "456", 33),
    ([("Content-Range", "bytes 4-9/*")], "456789", 33),
    ([("Content-Range", "bytes 4-9/10"), ("Content-Range", "bytes 0-5/10")], "456789", 33),
    ([("Content-Type", "multipart/byteranges; boundary=x")], "--x--", 33),
    ([("Content-Type", "multipart/byteranges; boundary=x"), ("Content-Range", "bytes 4-9/10")], "--x--.", 33),
  ]

  @Test(arguments: unlike)
  func `a 206 that is not the requested rest does not get into the file`(
    _ answer: (fields: [(String, String)], text: String, status: Int32)
  ) throws {
    let scenario = try Scenario(.response(206, fields: answer.fields, text: answer.text))
    let path = try scenario.directory.write("0123", to: "f")
    #expect(try scenario.run("-C", "-", "-o", path, scenario.url()).status == answer.status)
    #expect(try text(path) == "0123")
  }

  @Test(arguments: [("4-9", "456"), ("4-6", "45")])
  func `a 206 that ends before its range does makes the file longer with -C -, as with curl`(
    _ range: String, _ content: String
  ) throws {
    let scenario = try Scenario(.response(206, fields: [("Content-Range", "bytes \(range)/10")], text: content))
    let path = try scenario.directory.write("0123", to: "f")
    #expect(try scenario.run("-C", "-", "-o", path, scenario.url()).status == 18)
    #expect(try text(path) == "0123" + content)
    // Such a part is no success with another `-C` either.
    try scenario.directory.write("0123", to: "f")
    #expect(try scenario.run("-C", "4", "-o", path, scenario.url()).status == 18)
    #expect(try text(path) == "0123")
  }

  /// An origin that sends at most three bytes for each request.
  private func frugal() throws -> Scenario {
    try Scenario { request in
      let start = request.value("Range").flatMap { Int($0.dropFirst(6).dropLast()) } ?? 0
      let part = Self.body.dropFirst(start).prefix(3)
      let field = ("Content-Range", "bytes \(start)-\(start + part.count - 1)/\(Self.body.count)")
      return .response(206, fields: [field, ("ETag", "\"1\"")], text: String(part))
    }
  }

  @Test func `a 206 with only the beginning of the rest makes the file longer, and is status 18`() throws {
    let scenario = try frugal()
    let path = try scenario.directory.write("0123", to: "f")
    let first = try scenario.run("-C", "-", "-o", path, scenario.url())
    #expect(first.status == 18 && first.diagnostics.hasSuffix(": the content ended after 3 of 6 bytes\n"), "\(first)")
    #expect(try text(path) == "0123456")
    #expect(try scenario.run("-C", "-", "-o", path, scenario.url()).status == 0)
    #expect(try text(path) == Self.body)
    #expect(scenario.origin.requests.map { $0.value("Range") } == ["bytes=4-", "bytes=7-"])
  }

  @Test func `with -C OFFSET or a wrong digest, the beginning of the rest is a failure, and no file grows`() throws {
    let scenario = try frugal()
    let run = try scenario.run("-C", "4", scenario.url())
    #expect(run.status == 18 && run.text == "456")
    let path = try scenario.directory.write("0123", to: "f")
    #expect(try scenario.run("-C", "4", "-o", path, scenario.url()).status == 18)
    #expect(try text(path) == "0123")
    let promise = ("Content-Digest", "sha-256=:hNiYd/DUBB77a/kaFvAkjy/Vc+avBcGflr7bn4gveII=:")
    let other = try Scenario(.response(206, fields: [("Content-Range", "bytes 4-6/10"), promise], text: "456"))
    #expect(try other.run("-C", "-", "-o", path, other.url()).status == 111)
    #expect(try text(path) == "0123")
    // A part that is shorter than its range and does not have its digest: which of them is wrong cannot be told.
    let shorter = try Scenario(.response(206, fields: [("Content-Range", "bytes 4-6/10"), promise], text: "45"))
    #expect(try shorter.run("-C", "-", "-o", path, shorter.url()).status == 18)
    #expect(try text(path) == "0123")
  }

  @Test func `with --compressed, a coded 206 does not continue a file of decoded content`() throws {
    let fields = [("Content-Range", "bytes 4-9/10"), ("Content-Encoding", "gzip")]
    let scenario = try Scenario(.response(206, fields: fields, text: "456789"))
    let path = try scenario.directory.write("0123", to: "f")
    #expect(try scenario.run("--compressed", "-C", "-", "-o", path, scenario.url()).status == 33)
    #expect(try text(path) == "0123")
    #expect(try scenario.run("-C", "-", "-o", path, scenario.url()).status == 0)
    #expect(try text(path) == Self.body)
  }

  @Test func `with --compressed, a file is continued with content that is not coded`() throws {
    let scenario = try Scenario { request in
      request.value("Accept-Encoding") == "identity"
        ? .response(206, fields: [("Content-Range", "bytes 4-9/10")], text: "456789")
        : .response(206, fields: [("Content-Range", "bytes 4-9/10"), ("Content-Encoding", "gzip")], text: "456789")
    }
    let path = try scenario.directory.write("0123", to: "f")
    #expect(try scenario.run("--compressed", "-C", "-", "-o", path, scenario.url()).status == 0)
    #expect(try text(path) == Self.body)
  }

  @Test(arguments: [403, 404, 416, 500])
  func `the body of an error is not appended to the file, even with --no-fail`(_ status: Int) throws {
    let scenario = try Scenario(.response(status, fields: [("Content-Range", "bytes */3")], text: "no"))
    let path = try scenario.directory.write("0123", to: "f")
    #expect(try scenario.run("-C", "-", "-i", "--no-fail", "-o", path, scenario.url()).status == 33)
    #expect(try text(path) == "0123")
    #expect(try scenario.run("-C", "-", "-o", path, scenario.url()).status == 22)
    for (option, expected) in [("--fail", 22), ("--fail-with-body", 22), ("--no-fail", 33)] as [(String, Int32)] {
      let run = try scenario.run("-C", "4", "-i", option, scenario.url())
      #expect(run.status == expected && run.text == "", "\(run)")
    }
  }

  @Test(arguments: [nil, "bytes */*"], [4, 3, 10])
  func `when a 416 does not say how long the body is, the whole body is requested`(
    _ range: String?, _ length: Int
  ) throws {
    let fields = range.map { [("Content-Range", $0)] } ?? []
    let scenario = try Scenario { request in
      request.has("Range")
        ? .response(416, fields: fields, text: "no") : .response(text: String(Self.body.prefix(length)))
    }
    let path = try scenario.directory.write("0123", to: "f")
    let run = try scenario.run("-C", "-", "-o", path, scenario.url())
    #expect(run.status == (length == 4 ? 0 : 33), "\(run.diagnostics)")
    #expect(try text(path) == "0123")
    #expect(scenario.origin.requests.map { $0.has("Range") } == [true, false])
    #expect(try scenario.run("-C", "4", scenario.url()).status == (length == 4 ? 0 : 33))
  }

  @Test func `the head of an answer that adds nothing is shown once`() throws {
    let scenario = try Scenario(.response(text: "0123"))
    let run = try scenario.run("-C", "4", "-D", "-", scenario.url())
    #expect(run.status == 0 && run.text.ranges(of: "HTTP/1.1 ").count == 1, "\(run)")
  }

  /// An origin whose answers break off after `count` bytes.
  private func breaking(off count: Int, fields: String = "") throws -> Scenario {
    try Scenario { request in
      let start = request.value("Range").flatMap { Int($0.dropFirst(6).dropLast()) } ?? 0
      let head =
        (start > 0 ? "206 Partial Content\r\nContent-Range: bytes \(start)-9/10" : "200 OK")
        + "\r\nContent-Length: \(10 - start)\r\n\(fields)\r\n"
      return .raw("HTTP/1.1 " + head + Self.body.dropFirst(start).prefix(count))
    }
  }

  @Test(arguments: ["", "ETag: \"1\"\r\n"])
  func `with -C -, a transfer that breaks off makes the file longer, until the file is whole`(_ fields: String) throws {
    let scenario = try breaking(off: 4, fields: fields)
    let path = scenario.directory.path("f")
    #expect(try scenario.run("-C", "-", "-o", path, scenario.url()).status == 18)
    #expect(try text(path) == "0123")
    #expect(try scenario.run("-C", "-", "-o", path, scenario.url()).status == 18)
    #expect(try text(path) == "01234567")
    let whole = try scenario.run("-C", "-", "-o", path, scenario.url())
    #expect(whole.status == 0 && whole.diagnostics == "")
    #expect(try text(path) == Self.body)
    #expect(scenario.origin.requests.map { $0.value("Range") } == [nil, "bytes=4-", "bytes=8-"])
  }

  @Test(arguments: [["-C", "4"], ["-C", "-", "-i"], []])
  func `with -C OFFSET, with -i or without -C, a transfer that breaks off leaves the file as it was`(
    _ options: [String]
  ) throws {
    let scenario = try breaking(off: 2)
    let path = try scenario.directory.write("0123", to: "f")
    #expect(try scenario.run(options + ["-o", path, scenario.url()]).status == 18)
    #expect(try text(path) == "0123")
  }

  @Test func `with -C -, a decoded body or an error's body that breaks off leaves no file`() throws {
    let coded = "HTTP/1.1 200 OK\r\nContent-Length: 99\r\nContent-Encoding: br\r\n\r\n\u{b}\u{2}\u{1}"
    let error = "HTTP/1.1 404 Not Found\r\nContent-Length: 99\r\n\r\nno"
    for (answer, option) in [(coded, "--compressed"), (error, "--no-fail")] {
      let scenario = try Scenario(.raw(answer))
      let path = scenario.directory.path("f")
      #expect(try scenario.run(option, "-C", "-", "-o", path, scenario.url()).status != 0)
      #expect(!namesInDirectory(scenario.directory.path).contains("f"))
    }
  }

  @Test func `a file is continued from a stored response without the network`() throws {
    let scenario = try Scenario(.fresh(text: Self.body))
    try scenario.run(scenario.url())
    let path = try scenario.directory.write("0123", to: "f")
    #expect(try scenario.run("--offline", "-C", "-", "-o", path, scenario.url()).status == 0)
    #expect(try text(path) == Self.body)
  }

  @Test(arguments: [["-d", "x"], ["-I"], ["-OJ"]])
  func `-C - contradicts -d, -I and -J`(_ option: [String]) throws {
    let scenario = try self.scenario()
    #expect(try scenario.run(["-C", "-"] + option + [scenario.url("/x")]).status == 2)
  }

  @Test(arguments: ["whole", "unsatisfied", "stored"])
  func `with --compressed, the length of coded content does not show that a file is whole`(_ way: String) throws {
    // "hello", as Python's gzip.compress writes it: 25 bytes.
    let packed: [UInt8] = [
      0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 3, 0xcb, 0x48, 0xcd, 0xc9, 0xc9, 7, 0, 0x86, 0xa6, 0x10, 0x36, 5, 0, 0, 0,
    ]
    let fields = [("Content-Encoding", "gzip"), ("ETag", "\"1\""), ("Cache-Control", "max-age=60")]
    let scenario = try Scenario { request in
      way == "unsatisfied" && request.has("Range")
        ? .response(416, fields: [("Content-Range", "bytes */\(packed.count)")])
        : .response(fields: fields, content: packed)
    }
    if way == "stored" { try scenario.run("--compressed", scenario.url()) }
    let before = String(repeating: "x", count: packed.count)
    let path = try scenario.directory.write(before, to: "f")
    let run = try scenario.run("-C", "-", "--compressed", "-o", path, scenario.url())
    #expect(try run.status == 33 && text(path) == before, "\(run)")
  }

  @Test(arguments: [true, false])
  func `with --compressed, a whole file has nothing to continue when the content has no coding`(_ saysLength: Bool)
    throws
  {
    let head = OriginAnswer.head(200, nil, fields: saysLength ? [("Content-Length", "10")] : [])
    let scenario = try Scenario { request in
      request.has("Range")
        ? .response(416, fields: [("Content-Range", "bytes */10")])
        : OriginAnswer([.bytes(head), .bytes(Array(Self.body.utf8))], ending: .close)
    }
    let path = try scenario.directory.write(Self.body, to: "f")
    let run = try scenario.run("-C", "-", "--compressed", "-o", path, scenario.url())
    #expect(try run.status == 0 && text(path) == Self.body, "\(run)")
    // Even the length of a coded body shows that the body is shorter than the file.
    try scenario.directory.write(Self.body + "more", to: "f")
    let longer = try scenario.run("-C", "-", "--compressed", "-o", path, scenario.url())
    #expect(longer.status == 22 && longer.diagnostics.contains("after 14 bytes: it has only 10"), "\(longer)")
  }

  @Test(arguments: ["items */10", "garbage/10", "bytes 0-5/10", "bytes */ten"])
  func `a 416 says how long the body is only in the form bytes */LENGTH`(_ range: String) throws {
    let scenario = try Scenario { request in
      request.has("Range") ? .response(416, fields: [("Content-Range", range)]) : .response(text: "another body")
    }
    let path = try scenario.directory.write(Self.body, to: "f")
    let run = try scenario.run("-C", "-", "-o", path, scenario.url())
    #expect(try run.status == 33 && text(path) == Self.body && scenario.asked.count == 2, "\(run)")
  }

  @Test func `a file that changes during a run with -C is reported, and left as it is`() throws {
    let gate = Gate()
    let scenario = try Scenario(.late(gate, RetryTests.rest(from: 4)))
    let path = try scenario.directory.write("0123", to: "f")
    startThread {
      #expect(scenario.origin.hasSeen(requests: 1))
      #expect(throws: Never.self) { try writeFile(path, Array("longer".utf8)) }
      gate.open()
    }
    let run = try scenario.run("-C", "-", "-o", path, scenario.url())
    #expect(run.status == 23 && run.diagnostics == "garner: cannot write \(path): it has changed since the run began\n")
    #expect(try text(path) == "longer")
  }

  // MARK: Limits

  @Test func `--max-filesize stops before anything is delivered where the length is announced`() throws {
    let scenario = try Scenario(.fresh(text: Self.body))
    let run = try scenario.run("--max-filesize", "9", scenario.url())
    #expect(run.status == 63 && run.text == "" && run.diagnostics.contains("is larger than 9 bytes"))
    #expect(try scenario.run("--offline", scenario.url()).status == 110)
    #expect(try scenario.run("--max-filesize", "10", scenario.url()).text == Self.body)
    #expect(try scenario.run("--max-filesize", "9", scenario.url()).status == 63)
    #expect(try scenario.run("--max-filesize", "0", scenario.url()).text == Self.body)
  }

  @Test func `--max-filesize stops a body without an end, and leaves a file as it was`() throws {
    let head = OriginAnswer.head(200, nil, fields: [])
    let scenario = try Scenario { _ in OriginAnswer([.bytes(head), .pattern(count: 1 << 40)], ending: .close) }
    let path = try scenario.directory.write("before", to: "f")
    #expect(try scenario.run("--max-filesize", "1M", "-o", path, scenario.url()).status == 63)
    #expect(try text(path) == "before")
  }

  @Test func `--max-filesize stops content that exceeds it when it is decoded`() throws {
    // 1,000 spaces, as Python's gzip.compress writes them.
    let packed: [UInt8] = [
      0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 3, 0x53, 0x50, 0x18, 0x05, 0xa3, 0x60, 0x14, 0x0c, 0x77, 0, 0, 0x82, 0xe3,
      0x93, 0xcd, 0xe8, 0x03, 0, 0,
    ]
    let scenario = try Scenario(.response(fields: [("Content-Encoding", "gzip")], content: packed))
    #expect(try scenario.run("--compressed", scenario.url()).text == String(repeating: " ", count: 1_000))
    #expect(try scenario.run("--compressed", "--max-filesize", "999", scenario.url()).status == 63)
    #expect(try scenario.run("--max-filesize", "999", scenario.url()).status == 0)
  }

  @Test func `a transfer that is too slow for too long is a time-out`() throws {
    let gate = Gate()
    defer { gate.open() }
    let scenario = try Scenario(.late(gate, .response(text: "late")))
    #expect(try scenario.run("-y", "1", "-Y", "1000", scenario.url()).status == 28)
  }

  @Test(arguments: [["-X", "DELETE"], ["-X", "POST"], ["-X", "HEAD"], ["-X", "QUERY", "-d", "x"], ["-I"]])
  func `-C with another method than GET is refused, and nothing is sent`(_ request: [String]) throws {
    let scenario = try Scenario(.response(text: Self.body))
    let run = try scenario.run(request + ["-C", "4", scenario.url()])
    #expect(run.status == 2 && run.diagnostics == "garner: --continue-at is for GET requests\n", "\(run)")
    #expect(scenario.asked.isEmpty)
    #expect(try scenario.run("-X", "GET", "-C", "4", scenario.url()).status == 33)
  }
}
