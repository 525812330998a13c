import TestSupport
import Testing

/// Content-Digest and Repr-Digest (RFC 9530).
@Suite struct DigestTests {
  private static let sha256 = "sha-256=:Iw2DWNyOiJC0xY3utikS7i8gNXrpKlzIYbmOaP4xrLU=:"
  private static let sha512 =
    "sha-512=:VRDrvaXtTaAHxVpi/XB1xyLsAx8HOY7z6QubUOD+lQmFR2xHRBTSs4bo8IzVBftQa1KABqMKv+nKDrC2e352Cw==:"
  private static let wrong = "sha-256=:AAAAWNyOiJC0xY3utikS7i8gNXrpKlzIYbmOaP4xrLU=:"

  private func origin(_ name: String, _ value: String) throws -> Scenario {
    try Scenario(.fresh([(name, value)], text: "body"))
  }

  @Test(arguments: [
    ("Repr-Digest", sha256), ("Content-Digest", sha512), ("Repr-Digest", "\(sha512), \(sha256)"),
    ("Repr-Digest", "md5=:AAAA:, \(sha256)"), ("Repr-Digest", "sha-256=AAAA"), ("Content-Digest", "md5=:AAAA:"),
  ])
  func `a digest that is right, unknown or malformed causes no failure`(_ name: String, _ value: String) throws {
    let scenario = try origin(name, value)
    for _ in 1...2 {
      let run = try scenario.run(scenario.url())
      #expect(run.status == 0 && run.text == "body" && run.diagnostics == "")
    }
    #expect(scenario.origin.requests.count == 1)
  }

  @Test(arguments: [
    ("Repr-Digest", wrong), ("Content-Digest", wrong), ("Repr-Digest", "\(sha512), \(wrong)"),
    ("Content-Digest", "sha-256=:AAAA:"),
  ])
  func `content with another digest than promised is status 111, and is not stored`(
    _ name: String, _ value: String
  ) throws {
    let scenario = try origin(name, value)
    let run = try scenario.run(scenario.url())
    #expect(run.status == 111 && run.text == "body")
    let words = "does not have the sha-256 digest that its \(name) promises"
    #expect(run.diagnostics == "garner: the content of \(scenario.url()) \(words)\n")
    #expect(try scenario.run("--offline", scenario.url()).status == 110)
  }

  @Test func `a named file is left as it was when the content has a wrong digest`() throws {
    let scenario = try origin("Repr-Digest", Self.wrong)
    let file = try scenario.directory.write("before", to: "out")
    #expect(try scenario.run("-o", file, scenario.url()).status == 111)
    #expect(try readFile(file) == Array("before".utf8))
    #expect(namesInDirectory(scenario.directory.path).filter { $0.contains("out") } == ["out"])
  }

  @Test func `a stored response stays when its successor has a wrong digest`() throws {
    let scenario = try Scenario { request in
      let digest = request.number == 1 ? Self.sha256 : Self.wrong
      return .fresh([("Content-Digest", digest)], text: "body")
    }
    #expect(try scenario.run(scenario.url()).status == 0)
    #expect(try scenario.run("--reload", scenario.url()).status == 111)
    #expect(try scenario.run("--offline", scenario.url()).text == "body")
  }

  @Test func `the digest is that of the content as received, before it is decoded`() throws {
    // "body" as a gzip member of one stored block.
    let coded: [UInt8] =
      [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255, 1, 4, 0, 0xfb, 0xff] + Array("body".utf8)
      + [0xb2, 0x0b, 0xa8, 0xdb, 4, 0, 0, 0]
    let digest = "sha-256=:FYWvCSaUi9UMqUlAlR3cJSqBZB99BYfGrzM3OQSd+QI=:"
    let scenario = try Scenario(
      .response(
        fields: [("Content-Encoding", "gzip"), ("Repr-Digest", digest), ("Cache-Control", "max-age=60")],
        content: coded))
    let run = try scenario.run("--compressed", scenario.url())
    #expect(run.status == 0 && run.text == "body")
  }

  @Test func `the digest in a 304 or in the answer to HEAD is not checked`() throws {
    let scenario = try Scenario { request in
      let digest = request.number == 1 ? Self.sha256 : Self.wrong
      return validated(request, etag: "\"1\"", fields: [("Repr-Digest", digest)], text: "body")
    }
    #expect(try scenario.run(scenario.url()).status == 0)
    #expect(try scenario.run(scenario.url()).text == "body")
    #expect(try scenario.run("-I", scenario.url("/other")).status == 0)
    #expect(scenario.origin.requests.count == 3)
  }

  @Test func `the Content-Digest of a continued body's rest is that of the rest`() throws {
    let rest = "sha-256=:qhvpM/7A9ox9HvQrFSWbc/iMWC1fU1dT2a1kc5Te7+g=:"
    let whole = "Repr-Digest: \(Self.sha256)\r\n"
    try expect(0, whole, restWith: "\(whole)Content-Digest: \(rest)\r\n")
    try expect(111, whole, restWith: "\(whole)Content-Digest: \(Self.wrong)\r\n")
  }

  @Test func `a Repr-Digest that comes with the rest is checked against the whole continued body`() throws {
    try expect(0, restWith: "Repr-Digest: \(Self.sha256)\r\n")
    try expect(111, restWith: "Repr-Digest: \(Self.wrong)\r\n")
  }

  /// Checks a run that continues a response that has broken off. Only a successful run stores the response.
  ///
  /// - Parameters:
  ///   - status: the exit status of the run.
  ///   - first: the fields of the answer that breaks off.
  ///   - fields: the fields of the answer with the rest.
  private func expect(_ status: Int32, _ first: String = "", restWith fields: String) throws {
    let scenario = try Scenario { request in
      let shared = "ETag: \"1\"\r\nCache-Control: max-age=60\r\n"
      if !request.has("Range") { return .raw("HTTP/1.1 200 OK\r\n\(shared)\(first)Content-Length: 4\r\n\r\nbo") }
      let own = "\(fields)Content-Range: bytes 2-3/4\r\nContent-Length: 2\r\n"
      return .raw("HTTP/1.1 206 Partial Content\r\n\(shared)\(own)\r\ndy")
    }
    #expect(try scenario.run(scenario.url()).status == 18)
    let run = try scenario.run(scenario.url())
    #expect(run.status == status && run.text == "body")
    #expect(try scenario.run("--offline", scenario.url()).status == (status == 0 ? 0 : 110))
  }

  @Test func `content that is cut short is status 18, whatever its digest`() throws {
    let scenario = try Scenario(.raw("HTTP/1.1 200 OK\r\nRepr-Digest: \(Self.sha256)\r\nContent-Length: 9\r\n\r\nbody"))
    #expect(try scenario.run(scenario.url()).status == 18)
  }
}
