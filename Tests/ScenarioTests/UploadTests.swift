import Glibc
import TestSupport
import Testing

/// Forms, and uploads of files.
@Suite struct UploadTests {
  @Test func `more files to upload than URLs are warned of`() throws {
    let scenario = try Scenario(.response(text: "x"))
    let file = try scenario.directory.write("content", to: "file")
    let run = try scenario.run("-T", file, "-T", "absent", scenario.url("/a"))
    #expect(run.status == 0 && scenario.asked == ["PUT /a"])
    #expect(run.diagnostics == "garner: warning: there are more files to upload than URLs: 2 and 1\n")
  }

  /// The boundary that the head of a form names.
  private func boundary(_ request: ReceivedRequest) throws -> String {
    let type = try #require(request.value("Content-Type"))
    return String(try #require(type.split(separator: "boundary=").last))
  }

  /// The content of a form, with `BOUNDARY` for the boundary and lines that end in a line feed.
  private func form(_ arguments: [String], in scenario: Scenario, input: String = "") throws -> String {
    let run = try scenario.run(arguments + [scenario.url()], input: input)
    #expect(run.status == 0, "\(run.diagnostics)")
    let request = try #require(scenario.origin.requests.last)
    #expect(request.method == "POST")
    return String(decoding: request.content, as: UTF8.self)
      .replacing(try boundary(request), with: "BOUNDARY").replacing("\r\n", with: "\n")
  }

  @Test(arguments: [("n.x", "text/plain"), ("n.html", "text/html"), ("n", "text/plain")])
  func `the type of a file in a form goes by the name that is given, then by its own`(_ name: String, _ type: String)
    throws
  {
    let scenario = try Scenario(.response(text: "ok"))
    let file = try scenario.directory.write("x", to: "f.txt")
    let sent = try form(["-F", "a=@\(file);filename=\(name)"], in: scenario)
    #expect(sent.contains("filename=\"\(name)\"\nContent-Type: \(type)\n"))
  }

  @Test(
    arguments: [
      ("a=<PAGE", nil, "text/html"), ("a=<PAGE;filename=n", nil, "text/html"), ("a=<TEXT", nil, nil),
      ("a=<DATA", nil, nil), ("a=<DATA;filename=n.html;type=b/c", nil, "b/c"), ("a=<-", nil, nil),
      ("a=@-", "-", nil), ("a=@-;filename=n.html", "n.html", "text/html"), ("a=@-;filename=n.bin", "n.bin", nil),
      ("a=@DATA;filename=n", "n", "application/octet-stream"), ("a=b;filename=n.html", "n.html", "text/html"),
      ("a=b;filename=n.txt", "n.txt", "text/plain"), ("a=b;filename=n.bin", "n.bin", nil), ("a=b.html", nil, nil),
    ] as [(String, String?, String?)])
  func `a part of a form has the name and the type that it has with curl`(
    _ part: String, _ name: String?, _ type: String?
  ) throws {
    let scenario = try Scenario(.response(text: "ok"))
    var value = part
    for (word, file) in [("PAGE", "f.html"), ("TEXT", "f.txt"), ("DATA", "f.bin")] where part.contains(word) {
      value = part.replacing(word, with: try scenario.directory.write("x", to: file))
    }
    let sent = try form(["-F", value], in: scenario, input: "x")
    let lines = sent.split(separator: "\n", omittingEmptySubsequences: false).dropFirst().prefix { !$0.isEmpty }
    var expected = ["Content-Disposition: form-data; name=\"a\""]
    if let name { expected[0] += "; filename=\"\(name)\"" }
    if let type { expected.append("Content-Type: \(type)") }
    #expect(lines.map(String.init) == expected)
  }

  @Test func `a form has a part for each option and each file`() throws {
    let scenario = try Scenario(.response(text: "ok"))
    let page = try scenario.directory.write("<p>", to: "page.html")
    let other = try scenario.directory.write("\0\u{1}", to: "a \"b\".bin")
    let arguments = [
      "-F", "name=Ada;type=text/x", "-F", "page=@\(page);filename=p", "--form-string", "raw=@x;y", "-F",
      "text=<\(page)",
      "-F", #"files=@\#(page),"\#(other.replacing("\"", with: "\\\""))";type=image/png"#, "-F", "in=@-",
    ]
    #expect(
      try form(arguments, in: scenario, input: "typed") == """
        --BOUNDARY
        Content-Disposition: form-data; name="name"
        Content-Type: text/x

        Ada
        --BOUNDARY
        Content-Disposition: form-data; name="page"; filename="p"
        Content-Type: text/html

        <p>
        --BOUNDARY
        Content-Disposition: form-data; name="raw"

        @x;y
        --BOUNDARY
        Content-Disposition: form-data; name="text"
        Content-Type: text/html

        <p>
        --BOUNDARY
        Content-Disposition: form-data; name="files"; filename="page.html"
        Content-Type: text/html

        <p>
        --BOUNDARY
        Content-Disposition: form-data; name="files"; filename="a %22b%22.bin"
        Content-Type: image/png

        \0\u{1}
        --BOUNDARY
        Content-Disposition: form-data; name="in"; filename="-"

        typed
        --BOUNDARY--

        """)
  }

  @Test(arguments: ["multipart/mixed", "application/x-custom"])
  func `a typed Content-Type for a form gets the form's boundary`(_ type: String) throws {
    let scenario = try Scenario(.response(text: "ok"))
    try scenario.run("-F", "a=b", "-H", "Content-Type: \(type)", scenario.url())
    let request = try #require(scenario.origin.requests.first)
    #expect(request.value("Content-Type")?.hasPrefix("\(type); boundary=---") == true)
    #expect(String(decoding: request.content, as: UTF8.self).hasPrefix("--\(try boundary(request))\r\n"))
  }

  @Test(arguments: [
    ("multipart/form-data; boundary=xyz", "multipart/form-data"),
    ("multipart/mixed; Boundary=\"x;y\"; a=b", "multipart/mixed; a=b"),
    ("multipart/mixed; a=\"x; boundary=y\"", "multipart/mixed; a=\"x; boundary=y\""),
  ])
  func `the boundary of a form is that of its content, whatever was typed`(_ typed: String, _ sent: String) throws {
    let scenario = try Scenario(.response(text: "ok"))
    try scenario.run("-F", "a=b", "-H", "Content-Type: \(typed)", scenario.url())
    let request = try #require(scenario.origin.requests.first)
    let boundary = try #require(String(decoding: request.content, as: UTF8.self).split(separator: "\r\n").first)
    #expect(request.value("Content-Type") == "\(sent); boundary=\(boundary.dropFirst(2))")
  }

  @Test func `large files of a form and of data are sent whole`() throws {
    let scenario = try Scenario(.response(text: "ok"))
    let bytes = Pattern.bytes(count: 1_000_000)
    let file = try scenario.directory.write(bytes, to: "large")
    try scenario.run("-F", "a=@\(file)", scenario.url())
    try scenario.run("--data-binary", "x", "--data-binary", "@\(file)", scenario.url())
    let requests = scenario.origin.requests
    #expect(requests.map { $0.value("Content-Length") } == requests.map { "\($0.content.count)" })
    #expect(requests[0].content.firstRange(of: bytes) != nil)
    #expect(requests[1].content == Array("x&".utf8) + bytes)
  }

  @Test func `-T puts a file, under its own name if the URL ends in a slash`() throws {
    let scenario = try Scenario(.response(201, text: ""))
    let file = try scenario.directory.write("content", to: "a b.txt")
    let run = try scenario.run(
      "-T", file, "-T", "", "-T", file, scenario.url("/d/"), scenario.url("/e"), scenario.url("/f"))
    #expect(run.status == 0)
    #expect(scenario.asked == ["PUT /d/a%20b.txt", "/e", "PUT /f"])
    #expect(scenario.origin.requests.map { String(decoding: $0.content, as: UTF8.self) } == ["content", "", "content"])
    #expect(scenario.origin.requests.allSatisfy { !$0.has("Content-Type") && !$0.has("Expect") })
  }

  @Test(arguments: ["-", "."])
  func `-T puts standard input without a name`(_ name: String) throws {
    let scenario = try Scenario(.response(201, text: ""))
    #expect(try scenario.run("-T", name, scenario.url("/d/"), throughPipe: "content").status == 0)
    #expect(scenario.asked == ["PUT /d/"])
    #expect(scenario.origin.requests.map { String(decoding: $0.content, as: UTF8.self) } == ["content"])
  }

  @Test(arguments: [["--data-binary", "@-"], ["-F", "a=@-;filename=b"], ["-F", "a=<-", "-F", "c=d"]])
  func `a file as standard input is sent whole, and again behind a redirection`(_ options: [String]) throws {
    let scenario = try Scenario { request in
      request.target == "/a" ? .response(307, fields: [("Location", "/b")]) : .response(text: "")
    }
    let text = String(repeating: "content\n", count: 50_000)
    let run = try scenario.run(raw: (options + ["-L", scenario.url("/a")]).map { Array($0.utf8) }, input: text)
    #expect(run.status == 0, "\(run)")
    let contents = scenario.origin.requests.map { $0.content }
    #expect(contents.count == 2 && contents.first == contents.last)
    let content = String(decoding: try #require(contents.first), as: UTF8.self)
    #expect(options[0] == "-F" ? content.contains("\r\n\r\n\(text)\r\n--") : content == text)
  }

  @Test(arguments: [("content", 0), ("conten", 26), ("content!", 26), ("", 26)], [true, false])
  func `content with a typed Content-Length is sent with it, or refused if the length is wrong`(
    _ sent: (text: String, status: Int32), _ isPipe: Bool
  ) throws {
    let scenario = try Scenario(.response(201, text: ""))
    let arguments = ["-T", "-", "-H", "Content-Length: 7", scenario.url("/a")]
    let run = try scenario.run(raw: arguments.map { Array($0.utf8) }, input: sent.text, isPipe: isPipe)
    #expect(run.status == sent.status, "\(run)")
    if sent.status != 0 {
      #expect(run.diagnostics.contains("er than its Content-Length says") && scenario.asked.isEmpty)
      return
    }
    let request = try #require(scenario.origin.requests.first)
    #expect(request.value("Content-Length") == "7" && !request.has("Transfer-Encoding"))
    #expect(request.content == Array("content".utf8))
  }

  @Test func `large content with a typed Content-Length is sent whole`() throws {
    let scenario = try Scenario(.response(201, text: ""))
    let text = String(repeating: "content ", count: 50_000)
    let run = try scenario.run("-T", "-", "-H", "Content-Length: 400000", scenario.url("/a"), input: text)
    #expect(run.status == 0 && scenario.origin.requests.first?.content == Array(text.utf8))
  }

  @Test(arguments: [
    ["-T", "-", "-H", "Content-Length: 7", "-H", "Transfer-Encoding: chunked"],
    ["-T", "-", "-H", "Transfer-Encoding: Chunked"],
    ["--data-binary", "@-", "-H", "Transfer-Encoding: chunked", "-H", "Content-Length: 7"],
  ])
  func `content that is sent in chunks has no Content-Length`(_ options: [String]) throws {
    let scenario = try Scenario(.response(201, text: ""))
    #expect(try scenario.run(options + [scenario.url("/a")], input: "content").status == 0)
    let request = try #require(scenario.origin.requests.first)
    #expect(request.value("Transfer-Encoding")?.lowercased() == "chunked" && !request.has("Content-Length"))
    #expect(request.content == Array("content".utf8))
  }

  @Test(arguments: [
    (["-d", "abc", "-H", "Content-Length: 2"], "Content-Length: it says 2, but the content has 3 bytes"),
    (["-d", "a", "-H", "Content-Length: 2"], "Content-Length: it says 2, but the content has 1 byte\n"),
    (["-d", "abc", "-H", "Content-Length: 60"], "Content-Length: it says 60, but the content has 3 bytes"),
    (["-F", "a=b", "-H", "content-length: 0"], "Content-Length: it says 0, but the content has "),
    (["-H", "Content-Length: 5"], "Content-Length: it says 5, but no content is sent"),
    (["-d", "abc", "-H", "Content-Length: x"], "Content-Length: expected a single number of bytes"),
    (["-T", "-", "-H", "Content-Length: seven"], "Content-Length: expected a single number of bytes"),
    (
      ["-d", "x", "-H", "Content-Length: 1", "-H", "Content-Length: 1"],
      "Content-Length: expected a single number of bytes"
    ),
    (["-H", "Transfer-Encoding: chunked"], "Transfer-Encoding: no content is sent"),
    (["-d", "x", "-H", "Transfer-Encoding: gzip"], "Transfer-Encoding: the last coding must be chunked, and no other"),
    (["-d", "x", "-H", "Transfer-Encoding: chunked, x"], "Transfer-Encoding: the last coding must be chunked"),
    (["-d", "x", "-H", "Transfer-Encoding;"], "Transfer-Encoding: the last coding must be chunked"),
  ])
  func `framing fields that do not fit the content are refused before anything is sent`(
    _ options: [String], _ reason: String
  ) throws {
    let scenario = try Scenario(.response(201, text: ""))
    let run = try scenario.run(options + [scenario.url("/a")], input: "content")
    #expect(run.status == 2 && run.diagnostics.contains(reason) && scenario.asked.isEmpty, "\(run)")
  }

  @Test(arguments: [
    ["-d", "abc", "-H", "Content-Length: 3"], ["-X", "POST", "-H", "Content-Length: 0"],
    ["-d", "abc", "-H", "Content-Length:", "-H", "Transfer-Encoding:"],
  ])
  func `a typed Content-Length that is the content's is sent once`(_ options: [String]) throws {
    let scenario = try Scenario(.response(201, text: ""))
    #expect(try scenario.run(options + [scenario.url("/a")]).status == 0)
    let request = try #require(scenario.origin.requests.first)
    #expect(request.fieldLines.count { $0.name == "Content-Length" } == 1)
    #expect(request.value("Content-Length") == "\(request.content.count)")
  }

  @Test func `a PUT invalidates the stored response`() throws {
    let scenario = try Scenario { request in
      request.method == "PUT" ? .response(204) : .fresh(text: "old")
    }
    try scenario.run(scenario.url())
    try scenario.run("-T", "-", scenario.url(), input: "new")
    try scenario.run(scenario.url())
    #expect(scenario.asked == ["/", "PUT /", "/"])
  }

  @Test(arguments: [["-T", "MISSING"], ["-F", "a=@MISSING"], ["--data-binary", "@MISSING"], ["-T", "/"]])
  func `a file that cannot be read is an error, and nothing is sent`(_ arguments: [String]) throws {
    let scenario = try Scenario(.response(text: "ok"))
    let missing = scenario.directory.path("missing")
    let run = try scenario.run(arguments.map { $0.replacing("MISSING", with: missing) } + [scenario.url()])
    #expect(run.status == 26 && run.diagnostics.hasPrefix("garner: cannot read /"))
    #expect(scenario.origin.connectionCount == 0)
  }

  @Test func `content is sent again where a redirection asks for that, unless it can be read once only`() throws {
    let scenario = try Scenario { request in
      request.path == "/up" ? .response(307, fields: [("Location", "/next")]) : .response(text: "done")
    }
    let file = try scenario.directory.write("content", to: "file")
    #expect(try scenario.run("-T", file, scenario.url("/up")).text == "done")
    #expect(scenario.origin.requests.map(\.content) == [Array("content".utf8), Array("content".utf8)])
    // Standard input is a file here, and is read again from its first position.
    #expect(try scenario.run("-T", "-", scenario.url("/up"), input: "content").text == "done")
    #expect(scenario.origin.requests.map(\.content) == Array(repeating: Array("content".utf8), count: 4))
    let run = try scenario.run("-T", "-", scenario.url("/up"), throughPipe: "content")
    #expect(run.status == 65 && run.text == "")
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
    let sent = try scenario.run(option + [value, scenario.url()]).text
    // A form has the content between its delimiters.
    #expect(option == ["-F"] ? sent.contains("\r\n\r\nsent\r\n--") : sent == "sent")
  }
}
