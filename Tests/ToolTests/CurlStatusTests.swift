import TestSupport
import Testing

/// Compares the exit statuses of failures with those of the installed curl.
@Suite("Exit statuses compared with curl's")
struct CurlStatusTests {
  /// A command line for both programs. `URL` stands for the origin's URL, `PORT` for its port, `HOME` for a directory.
  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let arguments: [String]
    let answer: OriginAnswer
    /// The statuses if they differ, and the reason for that.
    let difference: (curl: Int32, garner: Int32, reason: String)?

    init(
      _ rule: String, _ arguments: String..., answer: OriginAnswer = .response(text: "content"),
      differs difference: (curl: Int32, garner: Int32, reason: String)? = nil
    ) {
      testDescription = rule
      self.arguments = arguments
      self.answer = answer
      self.difference = difference
    }
  }

  private static let framing = "garner has a check of framing of its own, because what is stored must be whole"
  private static let mistake = "what cannot be meant is a mistake on the command line, and nothing is sent"
  private static let unreadable = "a request is not sent without what it was to hold"
  private static let bounded = "a limit holds whether or not a length is announced"
  private static let malformed = "an argument that libcurl gives itself is nothing that anybody gave it"
  private static let first = "of several URLs, the first that failed counts"

  static let usageRows: [Row] = [
    Row("nothing to do"),
    Row("an unknown option", "--no-such-option", "URL"),
    Row("an option without its value", "URL", "-o"),
    Row("an invalid time limit", "-m", "soon", "URL"),
    Row("a negative time", "-m", "-1", "URL"),
    Row("an invalid time limit for connecting", "--connect-timeout", "soon", "URL"),
    Row("an invalid number of redirects", "--max-redirs", "x", "URL"),
    Row("content with HEAD", "-I", "-d", "x", "URL"),
    Row("two contents", "-d", "x", "-F", "a=b", "URL"),
    Row("data for the query, and a form", "-G", "-d", "x", "-F", "a=b", "URL"),
    Row("a form and an upload", "-F", "a=b", "-T", "/dev/null", "URL"),
    Row("a part of a form without a name", "-F", "a", "URL"),
    Row("an invalid version of TLS", "--tls-max", "9", "URL"),
    Row("an unknown scheme", "--proto", "=nonsense", "URL", differs: (1, 2, mistake)),
    Row("an invalid size", "--max-filesize", "x", "URL"),
    Row("an invalid rate", "--limit-rate", "x", "URL"),
    Row("an invalid speed", "-Y", "x", "URL"),
    Row("an invalid time of low speed", "-y", "x", "URL"),
    Row("an invalid number of retries", "--retry", "x", "URL"),
    Row("a negative number of retries", "--retry", "-1", "URL"),
    Row("an invalid delay between retries", "--retry-delay", "x", "URL"),
    Row("an invalid number of parallel transfers", "--parallel-max", "x", "URL"),
    Row("an invalid offset to continue at", "-C", "x", "URL"),
    Row("an unknown version of HTTP", "--http1.5", "URL"),
    Row("a malformed address for a name", "--resolve", "nonsense", "URL", differs: (49, 2, mistake)),
    Row("an invalid address for a name", "--resolve", "a:1:nonsense", "URL", differs: (49, 2, mistake)),
    Row("an address for an invalid port", "--resolve", "a:99999:127.0.0.1", "URL", differs: (49, 2, mistake)),
    Row("an address that is removed", "--resolve", "-127.0.0.1:1", "URL"),
    Row("a malformed place to connect to", "--connect-to", "nonsense", "URL", differs: (0, 2, mistake)),
    Row("a malformed field", "-H", "nonsense", "URL", differs: (0, 2, mistake)),
    Row("an invalid range", "-r", "x-y", "URL", differs: (0, 2, mistake)),
    Row("invalid options in a file", "-K", "HOME/file", "URL", differs: (0, 2, mistake)),
  ]

  static let urlRows: [Row] = [
    Row("a URL without a host", "http://"),
    Row("a port that is no number", "http://127.0.0.1:port/"),
    Row("a port that is too large", "http://127.0.0.1:65536/"),
    Row("an unclosed bracket around an address", "http://[::1/"),
    Row("a space in a host", "http://a b/"),
    Row("an unknown scheme of a URL", "nonsense://a.test/"),
    Row("http when only https is allowed", "--proto", "=https", "URL"),
    Row("https when it is not allowed", "--proto", "-https", "https://127.0.0.1:1/"),
    Row("an unclosed brace", "URL{a"),
    Row("an unclosed bracket of a range", "URL[1"),
    Row("a range without an end", "URL[1-"),
    Row("an empty range", "URL[5-2]"),
    Row("a range of letters and digits", "URL[a-3]"),
    Row("brackets that are not interpreted", "-g", "URL[1"),
    Row("an empty URL", ""),
    Row("a user without a host", "http://me@/"),
    Row("one slash after a scheme", "http:/127.0.0.1:PORT/"),
    Row("three slashes", "http:///127.0.0.1:PORT/"),
    Row("four slashes after a scheme", "http:////127.0.0.1:PORT/"),
    Row("several URLs, of which the last fails", "URL", "http://127.0.0.1:1/"),
    Row("several URLs, of which the first fails", "http://127.0.0.1:1/", "URL", differs: (0, 7, first)),
    Row("several URLs side by side", "-Z", "URL", "http://127.0.0.1:1/"),
    Row("a URL after --next", "URL", "--next", "http://127.0.0.1:1/"),
    Row("a URL before --next", "http://127.0.0.1:1/", "--next", "URL", differs: (0, 7, first)),
  ]

  static let connectionRows: [Row] = [
    Row("a name without an address", "http://name.invalid/"),
    Row("a proxy without an address", "-x", "http://name.invalid:1", "URL"),
    Row("a port that nobody listens on", "http://127.0.0.1:1/"),
    Row("an address of the wrong family", "-6", "http://127.0.0.1:1/"),
    Row("--connect-to where nobody listens", "--connect-to", "::127.0.0.1:1", "URL"),
    Row("--resolve to where nobody listens", "--resolve", "a.test:1:127.0.0.1", "http://a.test:1/"),
    Row("a proxy that nobody listens for", "-x", "http://127.0.0.1:1", "URL"),
    Row("a SOCKS proxy that nobody listens for", "-x", "socks5://127.0.0.1:1", "URL"),
    Row("a proxy of an unknown kind", "-x", "nonsense://127.0.0.1:1", "URL"),
    Row("a proxy with an invalid port", "-x", "http://127.0.0.1:99999", "URL"),
    Row("a proxy with a space in it", "-x", "a b", "URL"),
    Row("a proxy that refuses a tunnel", "-x", "URL", "https://a.test/", answer: .response(403, text: "no")),
    Row("a proxy that requires credentials", "-x", "URL", "https://a.test/", answer: .response(407, text: "who")),
    Row("a proxy that answers with an error", "-x", "URL", "http://a.test/", answer: .response(502, text: "no")),
    Row("a proxy that closes", "-x", "URL", "https://a.test/", answer: .disconnect),
    Row("a missing socket", "--unix-socket", "HOME/missing", "URL"),
    Row("an unknown interface", "--interface", "nonsense0", "URL"),
    Row("DNS over HTTPS where nobody listens", "--doh-url", "https://127.0.0.1:1/", "http://a.test/"),
    Row(
      "HTTP/2 with a server that does not speak it", "--http2-prior-knowledge", "URL",
      answer: .raw("HTTP/1.1 200 OK\r\n\r\n")),
    Row("a missing file of authorities", "--cacert", "HOME/missing", "https://127.0.0.1:PORT/"),
    Row("a missing client certificate", "-E", "HOME/missing", "https://127.0.0.1:PORT/"),
    Row("a missing key", "-E", "HOME/file", "--key", "HOME/missing", "https://127.0.0.1:PORT/"),
    Row(
      "a missing pinned key", "--pinnedpubkey", "HOME/missing", "https://127.0.0.1:1/",
      differs: (7, 26, unreadable)),
    Row("a missing directory of authorities", "--capath", "HOME/missing", "https://127.0.0.1:1/"),
    Row(
      "TLS of at least 1.3 and at most 1.2", "--tlsv1.3", "--tls-max", "1.2", "https://127.0.0.1:PORT/",
      differs: (35, 2, mistake)),
    Row("a proxy that is bypassed", "--noproxy", "*", "-x", "http://127.0.0.1:1", "URL"),
    Row("a missing abstract socket", "--abstract-unix-socket", "nonsense-of-garner", "URL"),
    Row("a local address that this machine does not have", "--interface", "192.0.2.1", "URL"),
    Row("an address of the other family", "-4", "http://[::1]:1/"),
    Row("retries that all fail", "--retry", "1", "--retry-delay", "1", "--retry-connrefused", "http://127.0.0.1:1/"),
    Row("unknown ciphers", "--ciphers", "NONSENSE", "https://127.0.0.1:PORT/"),
    Row("unknown cipher suites of TLS 1.3", "--tls13-ciphers", "NONSENSE", "https://127.0.0.1:PORT/"),
    Row("a time limit before the head", "-m", "0.3", "URL", answer: .late(Gate(), .disconnect)),
    Row(
      "a time limit within the content", "-m", "0.3", "URL",
      answer: OriginAnswer([
        .bytes(OriginAnswer.head(200, nil, fields: [("Content-Length", "9")])), .bytes(Array("part".utf8)),
        .wait(Gate()),
      ])),
  ]

  static let messageRows: [Row] = [
    Row("no answer", "URL", answer: .disconnect),
    Row("a reset", "URL", answer: .reset),
    Row("bytes that are not HTTP", "URL", answer: .raw("220 mail.test ESMTP\r\n\r\n")),
    Row("a head that breaks off", "URL", answer: .raw("HTTP/1.1 200 OK\r\nContent-"), differs: (0, 56, framing)),
    Row("content that breaks off", "URL", answer: .raw("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf")),
    Row("a chunk that breaks off", "URL", answer: .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nha")),
    Row("a line that is not HTTP", "URL", answer: .raw("220 mail.example ESMTP\r\n")),
    Row("another version of HTTP", "URL", answer: .raw("HTTP/1.2 200 OK\r\nContent-Length: 0\r\n\r\n")),
    Row("an invalid status code", "URL", answer: .raw("HTTP/1.1 099 OK\r\nContent-Length: 0\r\n\r\n")),
    Row("a field without a colon", "URL", answer: .raw("HTTP/1.1 200 OK\r\nno field\r\n\r\n")),
    Row(
      "a folded line without a field before it", "URL", answer: .raw("HTTP/1.1 200 OK\r\n A: b\r\n\r\n"),
      differs: (43, 8, malformed)),
    Row(
      "an invalid chunk size", "URL",
      answer: .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0x2\r\nha\r\n0\r\n\r\n"),
      differs: (43, 56, malformed)),
    Row(
      "a trailer without a colon", "URL",
      answer: .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nha\r\n0\r\nno field\r\n\r\n"),
      differs: (43, 56, malformed)),
    Row(
      "chunks without an end", "URL", answer: .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nha\r\n")),
    Row(
      "a chunk without a size", "URL", answer: .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\nha")),
    Row(
      "lengths that contradict each other", "URL",
      answer: .raw("HTTP/1.1 200 OK\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nbody!"), differs: (0, 8, framing)),
    Row("an invalid Content-Length", "URL", answer: .raw("HTTP/1.1 200 OK\r\nContent-Length: nine\r\n\r\nbody")),
    Row("a client error", "URL", answer: .response(404, text: "no")),
    Row("a server error", "URL", answer: .response(500, text: "no")),
    Row("missing credentials", "URL", answer: .response(401, text: "no")),
    Row("wrong credentials", "-u", "a:b", "URL", answer: .response(401, text: "no")),
    Row("a body that is too large", "--max-filesize", "3", "URL"),
    Row(
      "a body that grows beyond the limit", "--max-filesize", "3", "URL", answer: .chunked(chunks: [[1, 2], [3, 4]]),
      differs: (0, 63, bounded)),
    Row("a continuation that the server ignores", "-C", "3", "-o", "HOME/part", "URL"),
    Row("an unsatisfiable range", "-r", "100-", "URL", answer: .response(416, text: "")),
    Row("redirects without an end", "--max-redirs", "3", "URL", answer: .response(302, fields: [("Location", "/a")])),
    Row(
      "a redirect when none is allowed", "--max-redirs", "0", "URL",
      answer: .response(302, fields: [("Location", "/a")])),
    Row("a redirect without Location", "URL", answer: .response(302)),
    Row(
      "a redirect to an unknown scheme", "URL", answer: .response(302, fields: [("Location", "nonsense://a/")])
    ),
    Row("a redirect to a malformed URL", "URL", answer: .response(302, fields: [("Location", "http://[::1/")])),
    Row(
      "a redirect to a port that nobody listens on", "URL",
      answer: .response(302, fields: [("Location", "http://127.0.0.1:1/")])
    ),
    Row(
      "a redirect to a scheme that is not allowed", "--proto-redir", "=https", "URL",
      answer: .response(302, fields: [("Location", "/a")])),
    Row(
      "an unknown content coding", "--compressed", "URL",
      answer: .response(fields: [("Content-Encoding", "x")], text: "a")),
    Row(
      "broken coded content", "--compressed", "URL",
      answer: .response(fields: [("Content-Encoding", "gzip")], text: "no gzip, but as long as one")),
    Row(
      "a content coding that was not requested", "URL",
      answer: .response(fields: [("Content-Encoding", "gzip")], text: "a")),
  ]

  static let fileRows: [Row] = [
    Row("a file in a missing directory", "-o", "HOME/missing/file", "URL"),
    Row("a directory in place of a file", "-o", "HOME", "URL"),
    Row("a full disk", "-o", "/dev/full", "URL"),
    Row("a URL without a name", "-O", "URL"),
    Row("a missing output directory", "--output-dir", "HOME/missing", "-o", "x", "URL"),
    Row("a directory that is created", "--create-dirs", "-o", "HOME/new/file", "URL"),
    Row("a cookie jar in a missing directory", "-c", "HOME/missing/c", "URL"),
    Row("a missing HSTS file", "--hsts", "HOME/missing", "URL"),
    Row("a missing Alt-Svc file", "--alt-svc", "HOME/missing", "URL"),
    Row("a missing file of options", "-K", "HOME/missing", "URL"),
    Row("a missing file with a format", "-w", "@HOME/missing", "URL", differs: (0, 26, unreadable)),
    Row("a missing file with a query", "--url-query", "a@HOME/missing", "URL", differs: (0, 26, unreadable)),
    Row("a missing file of data to encode", "--data-urlencode", "@HOME/missing", "URL", differs: (0, 26, unreadable)),
    Row("a missing file of binary data", "--data-binary", "@HOME/missing", "URL", differs: (0, 26, unreadable)),
    Row("a missing file of JSON", "--json", "@HOME/missing", "URL", differs: (0, 26, unreadable)),
    Row("a directory as a part of a form", "-F", "a=@HOME", "URL", differs: (0, 26, unreadable)),
    Row("a missing file to upload", "-T", "HOME/missing", "URL"),
    Row("a directory to upload", "-T", "HOME", "URL", differs: (0, 26, unreadable)),
    Row("a missing file as a part of a form", "-F", "a=@HOME/missing", "URL"),
    Row("a missing file of data", "-d", "@HOME/missing", "URL", differs: (0, 26, unreadable)),
    Row("a missing netrc file", "--netrc-file", "HOME/missing", "URL", differs: (0, 26, unreadable)),
    Row("a malformed netrc file", "--netrc-file", "HOME/netrc", "URL"),
    Row("a missing cookie file", "-b", "HOME/missing", "URL"),
    Row("an upload of unknown length with HTTP/1.0", "-0", "-T", "-", "URL"),
    Row(
      "a redirect of an upload that cannot be repeated", "-T", "-", "URL",
      answer: .response(307, fields: [("Location", "/a")])),
  ]

  @Test(
    "A failure has the same exit status as in curl, or a documented other one",
    .enabled(if: Machine.has("curl"), "There is no curl."),
    arguments: usageRows + urlRows + connectionRows + messageRows + fileRows)
  func status(row: Row) throws {
    let curl = try #require(installedProgram("curl"))
    let home = try TemporaryDirectory()
    try home.write("content", to: "file")
    try home.write("machine a login \"b\n", to: "netrc")
    try withOrigin(answering: { _ in row.answer }) { origin in
      let arguments = row.arguments.map {
        $0.replacing("HOME", with: home.path).replacing("PORT", with: "\(origin.port)")
          .replacing("URL", with: origin.url("/"))
      }
      let own = try runTool(arguments, home: home) { $0.stdin = .bytes(Array("input".utf8)) }
      let other = try runTool(["-q", "-sS", "--fail-with-body", "-L"] + arguments, home: home) {
        $0.executable = curl
        $0.stdin = .bytes(Array("input".utf8))
      }
      let expected = row.difference.map { ($0.curl, $0.garner) }
      let curls: ToolResult.Ending = expected.map { .exit($0.0) } ?? other.ending
      #expect(own.ending != .timeLimit)
      #expect(other.ending == curls, "curl: \(other.errorText)")
      #expect(own.ending == (expected.map { .exit($0.1) } ?? other.ending), "\(own.errorText)\(other.errorText)")
    }
  }
}
