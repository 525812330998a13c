import TestSupport
import Testing

/// What fails ends with the status that curl ends with, side by side with the curl that is installed.
@Suite("Exit statuses beside curl's")
struct CurlStatusTests {
  /// A command line of both. `URL` stands for the origin's, `PORT` for its port, `HOME` for a directory.
  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let arguments: [String]
    let answer: OriginAnswer
    /// Where garner's is another one, and why.
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
    Row("a time that is none", "-m", "soon", "URL"),
    Row("a negative time", "-m", "-1", "URL"),
    Row("a time to connect that is none", "--connect-timeout", "soon", "URL"),
    Row("a number of redirects that is none", "--max-redirs", "x", "URL"),
    Row("content with HEAD", "-I", "-d", "x", "URL"),
    Row("two contents", "-d", "x", "-F", "a=b", "URL"),
    Row("data for the query, and a form", "-G", "-d", "x", "-F", "a=b", "URL"),
    Row("a form and an upload", "-F", "a=b", "-T", "/dev/null", "URL"),
    Row("a part of a form without a name", "-F", "a", "URL"),
    Row("a version of TLS that is none", "--tls-max", "9", "URL"),
    Row("a scheme that is none", "--proto", "=nonsense", "URL", differs: (1, 2, mistake)),
    Row("a size that is none", "--max-filesize", "x", "URL"),
    Row("a rate that is none", "--limit-rate", "x", "URL"),
    Row("a speed that is none", "-Y", "x", "URL"),
    Row("a time of low speed that is none", "-y", "x", "URL"),
    Row("a number of tries that is none", "--retry", "x", "URL"),
    Row("a negative number of tries", "--retry", "-1", "URL"),
    Row("a pause that is none", "--retry-delay", "x", "URL"),
    Row("a number of transfers that is none", "--parallel-max", "x", "URL"),
    Row("a place to go on from that is none", "-C", "x", "URL"),
    Row("a version of HTTP that there is not", "--http1.5", "URL"),
    Row("an address for a name that is none", "--resolve", "nonsense", "URL", differs: (49, 2, mistake)),
    Row("an address that is none", "--resolve", "a:1:nonsense", "URL", differs: (49, 2, mistake)),
    Row("an address for a port that is none", "--resolve", "a:99999:127.0.0.1", "URL", differs: (49, 2, mistake)),
    Row("an address that is taken back", "--resolve", "-127.0.0.1:1", "URL"),
    Row("a place to connect to that is none", "--connect-to", "nonsense", "URL", differs: (0, 2, mistake)),
    Row("a field that is none", "-H", "nonsense", "URL", differs: (0, 2, mistake)),
    Row("a range that is none", "-r", "x-y", "URL", differs: (0, 2, mistake)),
    Row("options in a file that make no sense", "-K", "HOME/file", "URL", differs: (0, 2, mistake)),
  ]

  static let urlRows: [Row] = [
    Row("a URL without a host", "http://"),
    Row("a port that is no number", "http://127.0.0.1:port/"),
    Row("a port that is too great", "http://127.0.0.1:65536/"),
    Row("brackets that do not end", "http://[::1/"),
    Row("a space in a host", "http://a b/"),
    Row("a scheme that nobody knows", "nonsense://a.test/"),
    Row("http where https alone is allowed", "--proto", "=https", "URL"),
    Row("https where it is not", "--proto", "-https", "https://127.0.0.1:1/"),
    Row("braces that do not end", "URL{a"),
    Row("brackets of a range that do not end", "URL[1"),
    Row("a range without an end", "URL[1-"),
    Row("a range of nothing", "URL[5-2]"),
    Row("a range of letters and digits", "URL[a-3]"),
    Row("brackets that are not looked at", "-g", "URL[1"),
    Row("an empty URL", ""),
    Row("a user without a host", "http://me@/"),
    Row("one slash behind a scheme", "http:/127.0.0.1:PORT/"),
    Row("three slashes", "http:///127.0.0.1:PORT/"),
    Row("a URL with a fourth slash behind its scheme", "http:////127.0.0.1:PORT/"),
    Row("several URLs, of which the last fails", "URL", "http://127.0.0.1:1/"),
    Row("several URLs, of which the first fails", "http://127.0.0.1:1/", "URL", differs: (0, 7, first)),
    Row("several URLs side by side", "-Z", "URL", "http://127.0.0.1:1/"),
    Row("a URL behind --next", "URL", "--next", "http://127.0.0.1:1/"),
    Row("a URL before --next", "http://127.0.0.1:1/", "--next", "URL", differs: (0, 7, first)),
  ]

  static let connectionRows: [Row] = [
    Row("a name without an address", "http://name.invalid/"),
    Row("a proxy without an address", "-x", "http://name.invalid:1", "URL"),
    Row("a port that nobody listens on", "http://127.0.0.1:1/"),
    Row("no address of the family", "-6", "http://127.0.0.1:1/"),
    Row("--connect-to where nobody listens", "--connect-to", "::127.0.0.1:1", "URL"),
    Row("--resolve to where nobody listens", "--resolve", "a.test:1:127.0.0.1", "http://a.test:1/"),
    Row("a proxy that nobody listens for", "-x", "http://127.0.0.1:1", "URL"),
    Row("a SOCKS proxy that nobody listens for", "-x", "socks5://127.0.0.1:1", "URL"),
    Row("a proxy of a kind that nobody knows", "-x", "nonsense://127.0.0.1:1", "URL"),
    Row("a proxy of a port that is none", "-x", "http://127.0.0.1:99999", "URL"),
    Row("a proxy with a space in it", "-x", "a b", "URL"),
    Row("a proxy that refuses a tunnel", "-x", "URL", "https://a.test/", answer: .response(403, text: "no")),
    Row("a proxy that wants to know who asks", "-x", "URL", "https://a.test/", answer: .response(407, text: "who")),
    Row("a proxy that answers with an error", "-x", "URL", "http://a.test/", answer: .response(502, text: "no")),
    Row("a proxy that closes", "-x", "URL", "https://a.test/", answer: .disconnect),
    Row("a socket that is not there", "--unix-socket", "HOME/missing", "URL"),
    Row("an interface that there is not", "--interface", "nonsense0", "URL"),
    Row("DNS over HTTPS where nobody listens", "--doh-url", "https://127.0.0.1:1/", "http://a.test/"),
    Row("HTTP/2 with who does not speak it", "--http2-prior-knowledge", "URL", answer: .raw("HTTP/1.1 200 OK\r\n\r\n")),
    Row("a file of authorities that is not there", "--cacert", "HOME/missing", "https://127.0.0.1:PORT/"),
    Row("a client certificate that is not there", "-E", "HOME/missing", "https://127.0.0.1:PORT/"),
    Row("a key that is not there", "-E", "HOME/file", "--key", "HOME/missing", "https://127.0.0.1:PORT/"),
    Row(
      "a pinned key that is not there", "--pinnedpubkey", "HOME/missing", "https://127.0.0.1:1/",
      differs: (7, 26, unreadable)),
    Row("a directory of authorities that is not there", "--capath", "HOME/missing", "https://127.0.0.1:1/"),
    Row(
      "TLS of at least 1.3, and at most 1.2", "--tlsv1.3", "--tls-max", "1.2", "https://127.0.0.1:PORT/",
      differs: (35, 2, mistake)),
    Row("a proxy that is not asked", "--noproxy", "*", "-x", "http://127.0.0.1:1", "URL"),
    Row("an abstract socket that is not there", "--abstract-unix-socket", "nonsense-of-garner", "URL"),
    Row("an address of nobody here to come from", "--interface", "192.0.2.1", "URL"),
    Row("an address of another family", "-4", "http://[::1]:1/"),
    Row("tries that fail all", "--retry", "1", "--retry-delay", "1", "--retry-connrefused", "http://127.0.0.1:1/"),
    Row("ciphers that there are not", "--ciphers", "NONSENSE", "https://127.0.0.1:PORT/"),
    Row("cipher suites that there are not", "--tls13-ciphers", "NONSENSE", "https://127.0.0.1:PORT/"),
    Row("no time to answer", "-m", "0.3", "URL", answer: .late(Gate(), .disconnect)),
    Row(
      "no time for all of it", "-m", "0.3", "URL",
      answer: OriginAnswer([
        .bytes(OriginAnswer.head(200, nil, fields: [("Content-Length", "9")])), .bytes(Array("part".utf8)),
        .wait(Gate()),
      ])),
  ]

  static let messageRows: [Row] = [
    Row("no answer", "URL", answer: .disconnect),
    Row("a reset", "URL", answer: .reset),
    Row("what is not HTTP", "URL", answer: .raw("220 mail.test ESMTP\r\n\r\n")),
    Row("a head that breaks off", "URL", answer: .raw("HTTP/1.1 200 OK\r\nContent-"), differs: (0, 56, framing)),
    Row("content that breaks off", "URL", answer: .raw("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf")),
    Row("a chunk that breaks off", "URL", answer: .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nha")),
    Row("no HTTP", "URL", answer: .raw("220 mail.example ESMTP\r\n")),
    Row("another version of HTTP", "URL", answer: .raw("HTTP/1.2 200 OK\r\nContent-Length: 0\r\n\r\n")),
    Row("a status that is none", "URL", answer: .raw("HTTP/1.1 099 OK\r\nContent-Length: 0\r\n\r\n")),
    Row("a field without a colon", "URL", answer: .raw("HTTP/1.1 200 OK\r\nno field\r\n\r\n")),
    Row(
      "a folded line with nothing before it", "URL", answer: .raw("HTTP/1.1 200 OK\r\n A: b\r\n\r\n"),
      differs: (43, 8, malformed)),
    Row(
      "a size of a chunk that is none", "URL",
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
    Row("a length that is none", "URL", answer: .raw("HTTP/1.1 200 OK\r\nContent-Length: nine\r\n\r\nbody")),
    Row("an error of the client's", "URL", answer: .response(404, text: "no")),
    Row("an error of the server's", "URL", answer: .response(500, text: "no")),
    Row("credentials that are missing", "URL", answer: .response(401, text: "no")),
    Row("credentials that are wrong", "-u", "a:b", "URL", answer: .response(401, text: "no")),
    Row("a body that is too large", "--max-filesize", "3", "URL"),
    Row(
      "a body that grows too large", "--max-filesize", "3", "URL", answer: .chunked(chunks: [[1, 2], [3, 4]]),
      differs: (0, 63, bounded)),
    Row("a body that is not continued", "-C", "3", "-o", "HOME/part", "URL"),
    Row("a range that is not there", "-r", "100-", "URL", answer: .response(416, text: "")),
    Row("redirects without an end", "--max-redirs", "3", "URL", answer: .response(302, fields: [("Location", "/a")])),
    Row("no redirect at all", "--max-redirs", "0", "URL", answer: .response(302, fields: [("Location", "/a")])),
    Row("a redirect without a place", "URL", answer: .response(302)),
    Row(
      "a redirect to a scheme that nobody knows", "URL", answer: .response(302, fields: [("Location", "nonsense://a/")])
    ),
    Row("a redirect that is malformed", "URL", answer: .response(302, fields: [("Location", "http://[::1/")])),
    Row(
      "a redirect to where nobody listens", "URL", answer: .response(302, fields: [("Location", "http://127.0.0.1:1/")])
    ),
    Row(
      "a redirect that is not allowed", "--proto-redir", "=https", "URL",
      answer: .response(302, fields: [("Location", "/a")])),
    Row(
      "a coding that nobody knows", "--compressed", "URL",
      answer: .response(fields: [("Content-Encoding", "x")], text: "a")),
    Row(
      "a coding that is broken", "--compressed", "URL",
      answer: .response(fields: [("Content-Encoding", "gzip")], text: "no gzip, but as long as one")),
    Row(
      "a coding that is asked for by nobody", "URL",
      answer: .response(fields: [("Content-Encoding", "gzip")], text: "a")),
  ]

  static let fileRows: [Row] = [
    Row("a directory that is not there", "-o", "HOME/missing/file", "URL"),
    Row("a directory in the place of a file", "-o", "HOME", "URL"),
    Row("a full disk", "-o", "/dev/full", "URL"),
    Row("a URL without a name", "-O", "URL"),
    Row("a directory for files that is not there", "--output-dir", "HOME/missing", "-o", "x", "URL"),
    Row("a directory that is made", "--create-dirs", "-o", "HOME/new/file", "URL"),
    Row("cookies to where there is no directory", "-c", "HOME/missing/c", "URL"),
    Row("hosts of TLS that are not there", "--hsts", "HOME/missing", "URL"),
    Row("alternatives that are not there", "--alt-svc", "HOME/missing", "URL"),
    Row("options that are not there", "-K", "HOME/missing", "URL"),
    Row("a format that is not there", "-w", "@HOME/missing", "URL", differs: (0, 26, unreadable)),
    Row("a query that is not there", "--url-query", "a@HOME/missing", "URL", differs: (0, 26, unreadable)),
    Row("encoded data that are not there", "--data-urlencode", "@HOME/missing", "URL", differs: (0, 26, unreadable)),
    Row("binary data that are not there", "--data-binary", "@HOME/missing", "URL", differs: (0, 26, unreadable)),
    Row("JSON that is not there", "--json", "@HOME/missing", "URL", differs: (0, 26, unreadable)),
    Row("a part of a form that is a directory", "-F", "a=@HOME", "URL", differs: (0, 26, unreadable)),
    Row("an upload that is not there", "-T", "HOME/missing", "URL"),
    Row("an upload that is a directory", "-T", "HOME", "URL", differs: (0, 26, unreadable)),
    Row("a part of a form that is not there", "-F", "a=@HOME/missing", "URL"),
    Row("data that are not there", "-d", "@HOME/missing", "URL", differs: (0, 26, unreadable)),
    Row("a netrc file that is not there", "--netrc-file", "HOME/missing", "URL", differs: (0, 26, unreadable)),
    Row("a netrc file that cannot be read", "--netrc-file", "HOME/netrc", "URL"),
    Row("cookies that are not there", "-b", "HOME/missing", "URL"),
    Row("chunks in HTTP/1.0", "-0", "-T", "-", "URL"),
    Row("what can be sent once", "-T", "-", "URL", answer: .response(307, fields: [("Location", "/a")])),
  ]

  @Test(
    "Each failure has curl's status", .enabled(if: Machine.has("curl"), "There is no curl."),
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
