import Glibc
import HTTPSemantics
import Platform
import TestSupport
import Testing
import Transport

@testable import Client

/// Values of options that are not UTF-8: names of files and passwords are arbitrary bytes.
@Suite struct ByteStringTests {
  private static let odd: [UInt8] = [0xff]
  /// The bytes that a UTF-8 decoder would make of `odd`.
  private static let replaced = Array("\u{fffd}".utf8)

  private func makeFile(_ name: [UInt8], _ content: String, in scenario: Scenario) throws -> [UInt8] {
    let bytes = Array(scenario.directory.path("").utf8) + name
    let path = try #require(Path(bytes))
    try Descriptor.workingDirectory.open(path, [.readWrite, .create]).writeAll(Array(content.utf8))
    return bytes
  }

  private func run(_ scenario: Scenario, _ arguments: String..., value: [UInt8], _ url: String) throws -> Scenario.Run {
    try scenario.run(raw: arguments.map { Array($0.utf8) } + [value, Array(url.utf8)])
  }

  struct Row: CustomTestStringConvertible, Sendable {
    let option: String
    var prefix = ""
    /// Returns the value as it is passed to libcurl.
    let sent: @Sendable (TransferOptions) -> [UInt8]?

    var testDescription: String { option }
  }

  static let rows: [Row] = [
    Row(option: "--cacert") { $0.security.authorityFile }, Row(option: "--capath") { $0.security.authorityDirectory },
    Row(option: "--cert") { $0.security.clientCertificate }, Row(option: "--key") { $0.security.clientKey },
    Row(option: "--pass") { $0.security.clientKeyPassphrase },
    Row(option: "--pinnedpubkey") { $0.security.pinnedPublicKey },
    Row(option: "--proxy-user", prefix: "me:") { $0.proxyCredentials }, Row(option: "--noproxy") { $0.noProxy },
    Row(option: "--doh-url", prefix: "https://127.0.0.1") { $0.dohURL },
    Row(option: "--alt-svc") { $0.altSvcFile },
    Row(option: "--proxy", prefix: "http://127.0.0.1:1") {
      if case .url(let url) = $0.proxy { url } else { nil }
    },
    Row(option: "--unix-socket") {
      if case .path(let path) = $0.unixSocket { path } else { nil }
    },
    Row(option: "--abstract-unix-socket") {
      if case .abstract(let name) = $0.unixSocket { name } else { nil }
    },
  ]

  @Test(arguments: rows)
  func `an option's value that is not UTF-8 goes to libcurl as it was typed`(_ row: Row) throws {
    let scenario = try Scenario(.response(text: ""))
    let transport = RecordingTransport()
    scenario.transport = transport
    let value = Array(row.prefix.utf8) + (try makeFile(Self.odd, "x", in: scenario))
    let run = try run(scenario, "--proto", "=http,https", row.option, value: value, "https://a.test/")
    #expect(run.status == 0, "\(run.diagnostics)")
    #expect(transport.messages.map { row.sent($0.options) } == [value])
  }

  @Test(arguments: [(false, [true, false, true]), (true, [true, true, true])])
  func `a client certificate is shown to the typed origin, and to others with --location-trusted`(
    _ isTrusted: Bool, _ shown: [Bool]
  ) throws {
    let scenario = try Scenario(.response(text: ""))
    let next = ["/": "https://b.test/x", "/x": "https://a.test/y"]
    let transport = RecordingTransport { message in
      let path = message.request.target.pathAndQuery
      guard let location = next[path] else { return Response(200, fields: ["Content-Length": "0"]) }
      return Response(302, fields: ["Location": FieldValue(location), "Content-Length": "0"])
    }
    scenario.transport = transport
    let options = isTrusted ? ["--location-trusted"] : []
    let certificate = try scenario.directory.write("x", to: "certificate")
    let run = try scenario.run(options + ["-E", certificate, "--key", certificate, "https://a.test/"])
    #expect(run.status == 0, "\(run.diagnostics)")
    #expect(transport.messages.count == 3)
    let security = transport.messages.map(\.options.security)
    #expect(security.map { $0.clientCertificate != nil } == shown)
    #expect(security.map { $0.clientKey != nil } == shown)
  }

  @Test func `a response stored under one file of authorities is not served under another`() throws {
    let scenario = try Scenario(.response(text: ""))
    let transport = RecordingTransport()
    scenario.transport = transport
    let files = try [Self.odd, Self.replaced].map {
      try makeFile($0, $0 == Self.odd ? "one" : "other", in: scenario)
    }
    for file in files {
      #expect(try run(scenario, "--offline", "--cacert", value: file, "https://a.test/").status == 110)
      #expect(try run(scenario, "--cacert", value: file, "https://a.test/").status == 0)
      #expect(try run(scenario, "--offline", "--cacert", value: file, "https://a.test/").status == 0)
    }
    #expect(transport.messages.map(\.options.security.authorityFile) == files)
  }

  @Test func `a Unix socket whose path is not UTF-8 is connected to`() throws {
    let scenario = try Scenario(.response(text: ""))
    let path = Array("/tmp/garner-\(getpid())-".utf8) + Self.odd
    let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(listener) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
    let length = socklen_t(MemoryLayout<sockaddr_un>.size)
    let isBound = withUnsafeBytes(of: address) { bytes in
      bytes.assumingMemoryBound(to: sockaddr.self).baseAddress.map { bind(listener, $0, length) == 0 } ?? false
    }
    defer { _ = (path + [0]).withUnsafeBytes { remove($0.assumingMemoryBound(to: CChar.self).baseAddress) } }
    try #require(isBound && listen(listener, 1) == 0)
    startThread {
      let connection = accept(listener, nil, nil)
      var head = [UInt8](repeating: 0, count: 4096)
      _ = read(connection, &head, head.count)
      let answer = Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nup".utf8)
      _ = write(connection, answer, answer.count)
      close(connection)
    }
    let run = try run(scenario, "--unix-socket", value: path, "http://a.test/")
    #expect(run.status == 0 && run.text == "up", "\(run.diagnostics)")
  }

  @Test func `-w prints the bytes of a file name, a Referer and a URL unchanged`() throws {
    let scenario = try Scenario(.response(text: "x"))
    let file = Array(scenario.directory.path("").utf8) + Self.odd
    let url = Array(scenario.url("/").utf8) + Self.odd
    let format = "%{filename_effective}|%{referer}|%{url}"
    let run = try scenario.run(raw: [
      Array("-o".utf8), file, Array("-e".utf8), Self.odd, Array("-w".utf8), Array(format.utf8), url,
    ])
    #expect(run.output == file + Array("|".utf8) + Self.odd + Array("|".utf8) + url, "\(run.diagnostics)")
  }

  @Test func `a listing prints the bytes between the fields of --format as they were typed`() throws {
    let scenario = try Scenario(.fresh(text: "x"))
    try scenario.run(scenario.url())
    let format = Self.odd + Array("{status}".utf8) + Self.odd + Array("{size}".utf8)
    let run = try scenario.run(raw: ["cache", "ls", "--format"].map { Array($0.utf8) } + [format])
    #expect(run.output == Self.odd + Array("200".utf8) + Self.odd + Array("1\n".utf8), "\(run.diagnostics)")
  }

  @Test func `the message about a file that cannot be written shows the bytes of its name, escaped`() throws {
    let scenario = try Scenario(.response(text: "x"))
    let file = Array(scenario.directory.path("absent/").utf8) + Self.odd
    for option in ["-o", "-D", "-c"] {
      let run = try run(scenario, option, value: file, scenario.url())
      #expect(run.diagnostics.contains("/absent/\\xff: No such file"), "\(option): \(run.diagnostics)")
    }
  }

  @Test func `a stored head is shown with all its bytes`() throws {
    let head = Array("HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nX-Name: ".utf8) + Self.odd
    let scenario = try Scenario(
      OriginAnswer([.bytes(head + Array("\r\nContent-Length: 1\r\n\r\nx".utf8))], ending: .close))
    try scenario.run(scenario.url())
    for options in [[], ["--headers"]] {
      let shown = try scenario.run(["cache", "show"] + options + [scenario.url()])
      #expect(shown.status == 0 && shown.output.contains(0xff), "\(shown)")
    }
  }
}

/// A transport that records the messages, and by default answers with a response that is fresh for a minute.
final class RecordingTransport: Transport {
  private let state = Monitor<[OutgoingMessage]>([])
  private let answer: @Sendable (OutgoingMessage) -> Response

  init(
    answering answer: @escaping @Sendable (OutgoingMessage) -> Response = { _ in
      Response(200, fields: ["Cache-Control": "max-age=60", "Content-Length": "0"])
    }
  ) {
    self.answer = answer
  }

  var messages: [OutgoingMessage] { state.withLock { $0 } }

  func send(
    _ message: OutgoingMessage, to receiver: any ResponseReceiver, report: inout TransferReport
  ) throws(TransportError) {
    state.withLock { $0.append(message) }
    _ = receiver.receive(head: answer(message), framing: .storable)
  }
}
