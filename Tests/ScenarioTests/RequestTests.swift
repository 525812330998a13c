import TestSupport
import Testing

/// The effect of options on a request.
@Suite struct RequestTests {
  struct Row: CustomTestStringConvertible {
    let arguments: [String]
    let expected: String
    var input = ""
    var testDescription: String { arguments.joined(separator: " ") }
  }

  /// Sends a request, and returns it as `METHOD field=value ... |content`, with these fields.
  private func sent(_ row: Row, fields: [String]) throws -> String {
    let scenario = try Scenario(.response(text: "ok"))
    let run = try scenario.run(row.arguments + [scenario.url()], input: row.input)
    #expect(run.status == 0, "\(run.diagnostics)")
    let request = try #require(scenario.origin.requests.first)
    let shown = fields.compactMap { name in request.value(name).map { "\(name)=\($0)" } }
    return ([request.method] + shown).joined(separator: " ") + " |" + String(decoding: request.content, as: UTF8.self)
  }

  static let contentRows: [Row] = [
    Row(arguments: [], expected: "GET Accept=*/* |"),
    Row(arguments: ["-d", "a=1"], expected: "POST Accept=*/* Content-Type=application/x-www-form-urlencoded |a=1"),
    Row(
      arguments: ["-d", "a=1", "--data-raw", "@b"],
      expected: "POST Accept=*/* Content-Type=application/x-www-form-urlencoded |a=1&@b"),
    Row(
      arguments: ["-d", "@-"], expected: "POST Accept=*/* Content-Type=application/x-www-form-urlencoded |onetwo",
      input: "one\r\ntwo\n"),
    Row(
      arguments: ["--data-binary", "@-", "-H", "Content-Type: text/plain"],
      expected: "POST Accept=*/* Content-Type=text/plain |one\ntwo\n", input: "one\ntwo\n"),
    Row(
      arguments: ["--data-urlencode", "q=a b&c", "--data-urlencode", "=ü"],
      expected: "POST Accept=*/* Content-Type=application/x-www-form-urlencoded |q=a+b%26c&%C3%BC"),
    Row(
      arguments: ["--json", #"{"a":1}"#],
      expected: #"POST Accept=application/json Content-Type=application/json |{"a":1}"#),
    Row(
      arguments: ["-X", "PUT", "--json", "1", "-H", "Accept: text/plain"],
      expected: "PUT Accept=text/plain Content-Type=application/json |1"),
    Row(arguments: ["-X", "DELETE"], expected: "DELETE Accept=*/* |"),
    Row(arguments: ["-I"], expected: "HEAD Accept=*/* |"),
    Row(arguments: ["-T", "-"], expected: "PUT Accept=*/* |one\n", input: "one\n"),
    Row(arguments: ["-T", "-", "-X", "POST"], expected: "POST Accept=*/* |one", input: "one"),
    Row(arguments: ["-T", ""], expected: "GET Accept=*/* |"),
  ]

  @Test func `a typed Host that is the URL's selects the same stored response`() throws {
    let scenario = try Scenario { .fresh([("Vary", "Host")], text: "\($0.value("Host") ?? "none") \($0.number)") }
    let own = try #require(scenario.url("").split(separator: "/").last)
    #expect(try scenario.run(scenario.url()).text == "\(own) 1")
    #expect(try scenario.run("-H", "Host: \(own)", scenario.url()).text == "\(own) 1")
    #expect(try scenario.run("-H", "Host: typed.test", scenario.url()).text == "typed.test 2")
    let twice = ["-H", "Host: \(own)", "-H", "Host: typed.test"]
    #expect(try scenario.run(twice + ["--dry-run", scenario.url()]).text.contains("Host: typed.test"))
  }

  @Test func `the lines of a -H file are fields, each in its place among those that are typed`() throws {
    let lines = "Accept: a/b\r\n\nX-A: 1\nUser-Agent:\nAuthorization: Bearer secret"
    let row = Row(
      arguments: ["-H", "X-B: 0", "-H", "@-", "-H", "Accept: c/d"],
      expected: "GET Accept=a/b, c/d X-A=1 X-B=0 Authorization=Bearer secret |", input: lines)
    #expect(try sent(row, fields: ["Accept", "X-A", "X-B", "User-Agent", "Authorization"]) == row.expected)

    let scenario = try Scenario(.response(text: "ok"))
    let file = try scenario.directory.write(lines, to: "fields")
    let told = try scenario.run("-v", "-H", "@\(file)", scenario.url("/1"), scenario.url("/2")).diagnostics
    #expect(told.contains("> Authorization: (not shown)\n") && !told.contains("secret"))
    #expect(scenario.origin.requests.map { $0.value("X-A") } == ["1", "1"])

    let malformed = try scenario.directory.write("X-A: 1\nX-B\n", to: "malformed")
    let refused = try scenario.run("-H", "@\(malformed)", scenario.url())
    let reason = "option -H: expected 'Name: value', 'Name:' or 'Name;'"
    #expect(refused.status == 2 && refused.diagnostics == "garner: \(malformed), line 2: \(reason)\n")
    let absent = try scenario.run("-H", "@/nowhere", scenario.url())
    #expect(absent.status == 26 && absent.diagnostics == "garner: cannot read /nowhere: No such file or directory\n")
  }

  @Test func `the fields of a -H file override the same fields of a variable`() throws {
    let scenario = try Scenario(.response(text: "ok"))
    scenario.environment["GARNER_HEADER"] = "X-A: 0"
    let file = try scenario.directory.write("X-A: 1\n", to: "fields")
    try scenario.run("-H", "@\(file)", scenario.url())
    #expect(scenario.origin.requests[0].value("X-A") == "1")
    scenario.environment["GARNER_HEADER"] = "@\(file)"
    #expect(try scenario.run(scenario.url()).status == 2)
  }

  @Test(arguments: contentRows)
  func `options of content decide on the method, and on the type`(_ row: Row) throws {
    #expect(try sent(row, fields: ["Accept", "Content-Type"]) == row.expected)
  }

  @Test(arguments: [
    (["-G", "-d", "a=1", "--data-urlencode", "b=c d"], "/p?q&a=1&b=c+d"),
    (["-G", "-d", "a b#c"], "/p?q&a%20b%23c"),
    (["-G"], "/p?q"),
    (["--url-query", "a=b c", "--url-query", "+d=e/f"], "/p?q&a=b+c&d=e/f"),
    (["--url-query", "a", "-Gd", "b"], "/p?q&a&b"),
    (["--path-as-is"], "/p?q"),
  ])
  func `-G and --url-query add to the query of a URL`(_ options: [String], _ target: String) throws {
    let scenario = try Scenario(.response(text: "ok"))
    #expect(try scenario.run(options + [scenario.url("/p?q")]).status == 0)
    #expect(scenario.asked == [target] && scenario.origin.requests.first?.has("Content-Type") == false)
  }

  @Test func `standard input for --url-query is read once for all URLs`() throws {
    let scenario = try Scenario(.response(text: "ok"))
    try scenario.run("--url-query", "a@-", scenario.url("/b"), scenario.url("/c"), input: "x y")
    #expect(scenario.asked == ["/b?a=x+y", "/c?a=x+y"])
  }

  @Test func `with --path-as-is, a path is sent as it was typed`() throws {
    let scenario = try Scenario(.response(text: "ok"))
    try scenario.run("--path-as-is", scenario.url("/a/../b/./c"))
    try scenario.run(scenario.url("/a/../b/./c"))
    #expect(scenario.asked == ["/a/../b/./c", "/b/c"])
  }

  @Test func `-r requests a range, and is answered from a whole that is stored`() throws {
    let scenario = try Scenario(
      .fresh([("ETag", "\"a\"")], text: "0123456789"))
    try scenario.run("-r", "2-3", scenario.url())
    #expect(scenario.origin.requests.first?.value("Range") == "bytes=2-3")
    let run = try scenario.run("-i", "-r", "-3", scenario.url())
    #expect(run.text.hasPrefix("HTTP/1.1 206 ") && run.text.hasSuffix("\r\n\r\n789"))
    #expect(scenario.origin.requests.count == 1)
  }

  @Test func `data in the query makes another cache key`() throws {
    let scenario = try Scenario { .fresh(text: $0.target) }
    for data in ["a", "b", "a"] {
      #expect(try scenario.run("-G", "-d", data, scenario.url()).text == "/?\(data)")
    }
    #expect(scenario.asked == ["/?a", "/?b"])
  }

  static let fieldRows: [Row] = [
    Row(arguments: ["-A", "me/1", "-e", "http://ref/"], expected: "GET User-Agent=me/1 Referer=http://ref/ |"),
    Row(
      arguments: ["-A", "me/1", "-H", "Referer: http://u@a/#f", "-H", "Referer: b"],
      expected: "GET User-Agent=me/1 Referer=http://a/, b |"),
    Row(arguments: ["-A", ""], expected: "GET |"),
    Row(arguments: ["-A", "x", "-H", "User-Agent:"], expected: "GET |"),
    Row(
      arguments: ["-A", "x", "-H", "X-A: 1", "-H", "X-A: 2", "-H", "X-B;"],
      expected: "GET User-Agent=x X-A=1, 2 X-B= |"),
    Row(arguments: ["-A", "x", "-u", "user:pass"], expected: "GET User-Agent=x Authorization=Basic dXNlcjpwYXNz |"),
    Row(arguments: ["-A", "x", "--oauth2-bearer", "t"], expected: "GET User-Agent=x Authorization=Bearer t |"),
    Row(
      arguments: ["-A", "x", "--oauth2-bearer", "t", "-u", "a:b"],
      expected: "GET User-Agent=x Authorization=Bearer t |"),
    Row(arguments: ["-A", "x", "-u", ":"], expected: "GET User-Agent=x Authorization=Basic Og== |"),
    Row(
      arguments: ["-A", "x", "--compressed"], expected: "GET User-Agent=x Accept-Encoding=gzip, deflate, br, zstd |"),
    Row(arguments: ["-A", "x", "--compressed", "-r", "0-4"], expected: "GET User-Agent=x Accept-Encoding=identity |"),
    Row(
      arguments: ["-A", "x", "--compressed", "-H", "Range: bytes=0-4"],
      expected: "GET User-Agent=x Accept-Encoding=identity |"),
    Row(
      arguments: ["-A", "x", "--compressed", "-r", "0-4", "-H", "Range:"],
      expected: "GET User-Agent=x Accept-Encoding=gzip, deflate, br, zstd |"),
    Row(
      arguments: ["-A", "x", "--compressed", "-r", "0-4", "-H", "Accept-Encoding: gzip"],
      expected: "GET User-Agent=x Accept-Encoding=gzip |"),
    Row(
      arguments: ["-A", "x", "--compressed", "-r", "0-4", "-H", "Accept-Encoding:"], expected: "GET User-Agent=x |"),
    Row(arguments: ["-A", "x", "-r", "0-4"], expected: "GET User-Agent=x |"),
  ]

  @Test(arguments: fieldRows)
  func `options and typed fields decide on the fields that are sent`(_ row: Row) throws {
    let fields = ["User-Agent", "Referer", "X-A", "X-B", "Authorization", "Accept-Encoding"]
    #expect(try sent(row, fields: fields) == row.expected)
  }

  @Test func `userinfo in a URL becomes credentials, and is neither sent nor stored`() throws {
    let scenario = try Scenario(.fresh(text: "mine"))
    let url = "http://me:p%40ss@\(scenario.origin.authority)/x"
    try scenario.run(url)
    let request = try #require(scenario.origin.requests.first)
    #expect(request.target == "/x" && request.value("Authorization") == "Basic bWU6cEBzcw==")
    for file in filesBelow(scenario.directory.path) {
      let content = String(decoding: try readFile(file), as: UTF8.self)
      #expect(!content.contains("p@ss") && !content.contains("p%40ss") && !content.contains("bWU6cEBzcw"))
    }
    #expect(!(try scenario.run("cache", "ls").text).contains("me:"))
  }

  @Test(arguments: ["GET", "POST", "OPTIONS"])
  func `-I with -X sends the typed method, and waits for no content`(_ method: String) throws {
    let fields = [("Cache-Control", "max-age=60"), ("Content-Digest", "sha-256=:AAAA:")]
    let scenario = try Scenario(.response(fields: fields, text: "HTTP/1.1 500 No\r\n\r\n"))
    let run = try scenario.run("-I", "-X", method, scenario.url(), scenario.url())
    #expect(run.status == 0 && run.text.split(separator: "HTTP/1.1 200 OK\r\n").count == 2)
    #expect(run.text.hasSuffix("\r\n\r\n") && scenario.origin.requests.map(\.method) == [method, method])
    #expect(try scenario.run("cache", "ls").text == "")
    let told = try scenario.run("-v", "-I", "-X", "GET", scenario.url())
    #expect(told.diagnostics.contains("not stored: its content is not read\n"), "\(told)")
    #expect(told.diagnostics.contains("detail=content-left"))
    let dryRun = try scenario.run("--dry-run", "-I", "-X", "GET", scenario.url()).text
    #expect(dryRun.contains("forward: the response is not stored: its content is not read\n"))
  }

  @Test func `the answer to content that can be read once only is not stored, and -v says why`() throws {
    let scenario = try Scenario(.fresh(text: "body"))
    let run = try scenario.run(
      "-v", "-X", "POST", "--cache-post", "-T", "-", scenario.url("/a"), throughPipe: "content")
    #expect(
      run.diagnostics.contains("not stored: its key depends on the request content, which can be read only once\n"))
  }

  @Test func `-I with -X invalidates the stored response if the typed method does`() throws {
    let scenario = try Scenario(.fresh(text: "body"))
    try scenario.run(scenario.url())
    try scenario.run("-I", "-X", "GET", scenario.url())
    #expect(try scenario.run("--offline", scenario.url()).text == "body")
    try scenario.run("-I", "-X", "DELETE", scenario.url())
    #expect(try scenario.run("--offline", scenario.url()).status == 110)
  }

  @Test func `the default User-Agent names the program`() throws {
    let scenario = try Scenario(.response(text: "ok"))
    try scenario.run(scenario.url())
    #expect(scenario.origin.requests.first?.value("User-Agent")?.hasPrefix("garner/") == true)
  }

  @Test func `field values are bytes, in requests and in responses`() throws {
    let scenario = try Scenario(.response(fields: [("Note", "\u{e9}\u{ff}")], text: "x"))
    let run = try scenario.run(raw: [
      Array("-i".utf8), Array("-H".utf8), Array("X-Raw: ".utf8) + [0xe9, 0xff], Array(scenario.url().utf8),
    ])
    #expect(scenario.origin.requests.first?.rawValues("X-Raw") == [[0xe9, 0xff]])
    #expect(run.output.firstRange(of: Array("Note: ".utf8) + [0xe9, 0xff]) != nil)
  }

  @Test func `-v shows on a terminal each byte that is no UTF-8 as such, and no control character`() throws {
    let fields = [("Note", "\u{e9}\u{9b}31m"), ("Mark", "\u{c2}\u{9b}31m")]
    let scenario = try Scenario(.response(fields: fields, text: "x"))
    let terminal = try WatchedTerminal()
    scenario.terminal = terminal
    try scenario.run("-v", scenario.url())
    let printed = terminal.printed()
    #expect(printed.contains("< Note: \\xe9\\x9b31m") && printed.contains("< Mark: \\u{9b}31m"), "\(printed)")
  }

  @Test(arguments: [
    ["-H", "X: a\nb"], ["-A", "a\r"], ["-e", "a\n"], ["-X", "GE T"], ["-H", "no colon"], ["--offlin"], ["-m", "soon"],
    ["--cache-policy", "maybe"], ["-I", "-d", "x"], ["-X", "HEAD", "-d", "x"], ["-I", "-F", "a=b"], ["-I", "-T", "-"],
    ["-F", "a=b", "-d", "x"], ["-G", "-F", "a=b", "-d", "x"], ["-F", "a=b", "-T", "-"], ["-F", "a=b;c"], ["-r", "x"],
  ])
  func `options for a request that cannot be sent are a usage error, in one line`(_ arguments: [String]) throws {
    let scenario = try Scenario(.response(text: "x"))
    let run = try scenario.run(arguments + [scenario.url()])
    #expect(run.status == 2 && run.text == "")
    let lines = run.diagnostics.split(separator: "\n")
    #expect(lines.first?.hasPrefix("garner: ") == true && lines.count <= 2)
    #expect(scenario.origin.connectionCount == 0)
  }

  // MARK: Content of a GET

  @Test(arguments: [[], ["-Z"]])
  func `the answer to a GET with content is for that content alone`(_ options: [String]) throws {
    let scenario = try Scenario { .fresh(content: Array("for ".utf8) + $0.content) }
    let (one, two) = (["-X", "GET", "-d", "1"], ["-X", "GET", "-d", "2"])
    let url = scenario.url()
    let run = try scenario.run(options + one + [url, "--next"] + two + [url])
    #expect(run.text == "for 1for 2")
    #expect(try scenario.run(url).text == "for ")
    #expect(scenario.origin.requests.count == 3)
    #expect(try scenario.run(["--offline"] + two + [url]).text == "for 2")
    #expect(try scenario.run("--offline", url).text == "for ")
  }

  @Test func `a GET and a QUERY with the same content are stored apart`() throws {
    let scenario = try Scenario { .fresh(content: Array("to \($0.method)".utf8)) }
    for method in ["QUERY", "GET", "QUERY", "GET"] {
      #expect(try scenario.run("-X", method, "-d", "a", scenario.url()).text == "to \(method)")
    }
    #expect(scenario.origin.requests.count == 2)
  }

  @Test func `the answer to a GET with content is left out of an export`() throws {
    let scenario = try Scenario(.fresh(text: "found"))
    try scenario.run("-X", "GET", "-d", "a", scenario.url())
    let archive = scenario.directory.path("x.warc")
    let run = try scenario.run("cache", "export", archive)
    #expect(run.diagnostics.contains("exported 0 responses, left out 1 (1 GET with content)"))
  }

  @Test func `a GET with content goes on without the content after a 303`() throws {
    let scenario = try Scenario { request in
      request.target == "/" ? .response(303, fields: [("Location", "/there")]) : .response(content: request.content)
    }
    #expect(try scenario.run("-X", "GET", "-d", "a", scenario.url()).text == "")
    #expect(scenario.origin.requests.map(\.method) == ["GET", "GET"])
  }

  @Test(arguments: [0x01, 0x09, 0x1f, 0x7f] as [UInt8])
  func `a control character in a user or a password is refused`(_ byte: UInt8) throws {
    let scenario = try Scenario(.response(text: "x"))
    let character = Unicode.Scalar(byte)
    let typed = try scenario.run("-u", "a\(character):b", scenario.url())
    #expect(typed.status == 2 && typed.diagnostics == "garner: option -u: the value holds a control character\n")
    let encoded = "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
    let inURL = try scenario.run(scenario.url().replacing("http://", with: "http://a:b\(encoded)@"))
    #expect(inURL.status == 3 && inURL.diagnostics.contains("its user information holds a control character"))
    #expect(scenario.asked.isEmpty)
  }
}
