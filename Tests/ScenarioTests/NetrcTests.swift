import HTTPSemantics
import TestSupport
import Testing

/// Credentials from a netrc file.
@Suite struct NetrcTests {
  struct Row: CustomTestStringConvertible {
    let testDescription: String
    let file: String
    var arguments = ["-n"]
    var userInfo = ""
    /// The credentials that the origin gets; `nil` for none.
    let expected: String?
  }

  private static let two = "machine 127.0.0.1 login one password 1\nmachine 127.0.0.1 login two password 2"

  static let rows: [Row] = [
    Row(testDescription: "The entry of the host", file: "machine 127.0.0.1\n login me\n password p", expected: "me:p"),
    Row(testDescription: "Another host's entry is not used", file: "machine a.test login me password p", expected: nil),
    Row(
      testDescription: "The default entry, where the host has none",
      file: "machine a.test login me password p default login any password x", expected: "any:x"),
    Row(testDescription: "The first of two entries", file: two, expected: "one:1"),
    Row(
      testDescription: "The first entry that has a password", file: "machine 127.0.0.1 login none\n" + two,
      expected: "one:1"),
    Row(testDescription: "The entry of the URL's user", file: two, userInfo: "two@", expected: "two:2"),
    Row(testDescription: "The file's password overrides the URL's", file: two, userInfo: "two:x@", expected: "two:2"),
    Row(
      testDescription: "The URL's password, with --netrc-optional", file: two, arguments: ["--netrc-optional"],
      userInfo: "two:x@", expected: "two:x"),
    Row(
      testDescription: "The URL's empty password", file: two, arguments: ["--netrc-optional"], userInfo: "two:@",
      expected: "two:"),
    Row(
      testDescription: "The file's password, where the URL has none", file: two, arguments: ["--netrc-optional"],
      userInfo: "two@", expected: "two:2"),
    Row(
      testDescription: "The URL's password, where the user has none", file: two, userInfo: "you:x@", expected: "you:x"
    ),
    Row(
      testDescription: "The entry of the URL's user, behind a default", file: "default login d password e\n" + two,
      userInfo: "two@", expected: "two:2"),
    Row(
      testDescription: "The default password, where the host has another user", file: two + "\ndefault password e",
      userInfo: "you@", expected: "you:e"),
    Row(testDescription: "-u overrides the file", file: two, arguments: ["-n", "-u", "a:b"], expected: "a:b"),
    Row(testDescription: "Without an option, the file is not read", file: two, arguments: [], expected: nil),
    Row(
      testDescription: "Words in quotation marks, comments and macros",
      file: "# machine 127.0.0.1 login no\nmachine x macdef init\n machine 127.0.0.1 login no\n\n"
        + #"machine 127.0.0.1 account a login "m e" password "p\"\\""#, expected: #"m e:p"\"#),
    Row(
      testDescription: "Keywords in capitals", file: "MACHINE 127.0.0.1 ACCOUNT a LOGIN Me PASSWORD P", expected: "Me:P"
    ),
    Row(
      testDescription: "A macro and a default in capitals",
      file: "Macdef init\n machine 127.0.0.1 login no\n\nDefault login d", expected: "d:"),
    Row(
      testDescription: "A macro in a file with CR LF line ends",
      file: "machine x macdef init\r\ncd /\r\n\r\nmachine 127.0.0.1 login me password p\r\n", expected: "me:p"),
    Row(testDescription: "A password without a login", file: "machine 127.0.0.1 password p", expected: ":p"),
    Row(testDescription: "An entry without login and password", file: "machine 127.0.0.1", expected: nil),
  ]

  @Test(arguments: rows)
  func `a netrc file gives the credentials of its machine`(_ row: Row) throws {
    let scenario = try Scenario(.response(text: "ok"))
    try scenario.directory.write(row.file, to: ".netrc")
    let run = try scenario.run(row.arguments + ["http://\(row.userInfo)\(scenario.origin.authority)/"])
    #expect(run.status == 0, "\(run.diagnostics)")
    #expect(scenario.origin.requests.first?.credentials == row.expected)
  }

  @Test func `a netrc file that is named is read instead of the one at home`() throws {
    let scenario = try Scenario(.response(text: "ok"))
    try scenario.directory.write("default login home password x", to: ".netrc")
    let file = try scenario.directory.write("default login me password p", to: "other")
    try scenario.run("--netrc-file", file, scenario.url())
    #expect(scenario.origin.requests.first?.credentials == "me:p")
  }

  @Test func `a missing netrc file is an error only if it was named`() throws {
    let scenario = try Scenario(.response(text: "ok"))
    #expect(try scenario.run("-n", scenario.url()).status == 0)
    #expect(try scenario.run("--netrc-file", scenario.directory.path("missing"), scenario.url()).status == 26)
  }

  @Test func `a netrc file is read once for all URLs`() throws {
    let scenario = try Scenario(.response(text: "ok"))
    let run = try scenario.run(
      "--netrc-file", "-", scenario.url("/a"), scenario.url("/b"), input: "default login me password p")
    #expect(run.status == 0, "\(run.diagnostics)")
    #expect(scenario.origin.requests.map(\.credentials) == ["me:p", "me:p"])
  }

  @Test func `each URL has the netrc file of its site`() throws {
    let scenario = try Scenario(.response(text: "ok"))
    let file = try scenario.directory.write("default login site password s", to: "other")
    try scenario.directory.write("default login home password h", to: ".netrc")
    let config = try scenario.directory.write(
      "netrc\n[site \"\(scenario.url("/b"))\"]\nnetrc-file = \(file)\n", to: "config")
    try scenario.run("--config", config, scenario.url("/a"), scenario.url("/b"), scenario.url("/a2"))
    #expect(scenario.origin.requests.map(\.credentials) == ["home:h", "site:s", "home:h"])
  }

  @Test func `a quotation without an end in a netrc file is an error`() throws {
    let scenario = try Scenario(.response(text: "ok"))
    try scenario.directory.write("default login \"me\npassword x", to: ".netrc")
    let run = try scenario.run("-n", scenario.url())
    #expect(run.status == 26 && run.diagnostics.hasSuffix(".netrc: a quotation mark in it is not closed\n"))
  }

  @Test func `control characters in netrc credentials are an error only where they would be sent`() throws {
    let scenario = try Scenario(.response(text: "ok"))
    let other = #"machine a.test login me password "p\r\nx" "#
    try scenario.directory.write(other + "default login me password p", to: ".netrc")
    #expect(try scenario.run("-n", scenario.url()).status == 0)
    try scenario.directory.write(#"default login me password "p\r\nx""#, to: ".netrc")
    let run = try scenario.run("-n", scenario.url())
    #expect(run.status == 26 && run.diagnostics.hasSuffix("for this host hold a control character\n"))
    #expect(scenario.origin.requests.count == 1)
  }

  @Test func `netrc credentials keep responses apart, and do not follow a redirection to another origin`() throws {
    let other = try Scenario(.fresh(text: "other"))
    let elsewhere = other.url("/")
    let scenario = try Scenario { request in
      request.path == "/away"
        ? .response(302, fields: [("Location", elsewhere)])
        : .fresh(text: request.credentials ?? "nobody")
    }
    try scenario.directory.write("default login me password p", to: ".netrc")
    #expect(try scenario.run("-n", scenario.url()).text == "me:p")
    #expect(try scenario.run(scenario.url()).text == "nobody")
    #expect(try scenario.run("--offline", "-n", scenario.url()).text == "me:p")
    try scenario.run("-n", scenario.url("/away"))
    #expect(other.origin.requests.map(\.credentials) == [nil])
  }

  @Test(
    arguments: [
      (["-n"], "", nil), (["-n", "-u", "a:b"], "", "a:b"), (["--netrc-optional"], "u:p@", "u:p"),
      (["-n", "-H", "Authorization: Basic dDpw"], "", "t:p"),
    ] as [([String], String, String?)])
  func `with --location-trusted, netrc credentials still do not go to another origin`(
    _ arguments: [String], _ userInfo: String, _ expected: String?
  ) throws {
    let other = try Scenario(.response(text: "other"))
    let elsewhere = other.url("/")
    let scenario = try Scenario { request in
      .response(302, fields: [("Location", request.path == "/a" ? "/b" : elsewhere)])
    }
    try scenario.directory.write("default login me password p", to: ".netrc")
    let url = "http://\(userInfo)\(scenario.origin.authority)/a"
    try scenario.run(["--location-trusted", "-H", "Cookie: c=d"] + arguments + [url])
    #expect(scenario.origin.requests.map(\.credentials) == Array(repeating: expected ?? "me:p", count: 2))
    #expect(other.origin.requests.map(\.credentials) == [expected])
    #expect(other.origin.requests.map { $0.value("Cookie") } == ["c=d"])
  }

  @Test(arguments: [
    ("machine ::1 login me", true), ("machine 0:0::1 login me", true), ("machine [::1] login me", true),
    ("machine ::2 login me", false),
  ])
  func `an IPv6 address in a netrc file has brackets or none, as with ftp and curl`(_ file: String, _ isMeant: Bool)
    throws
  {
    let scenario = try Scenario(.fresh(text: "never asked"))
    let path = try scenario.directory.write(file, to: "netrc")
    let run = try scenario.run("--dry-run", "--netrc-file", path, "http://[::1]:1/")
    #expect(run.status == 0 && run.text.contains("\n> Authorization: ") == isMeant, "\(run)")
  }
}

extension ReceivedRequest {
  /// `USER:PASSWORD` of the Basic scheme.
  fileprivate var credentials: String? {
    guard let value = value("Authorization"), value.hasPrefix("Basic ") else { return nil }
    return Base64.decode(Array(value.dropFirst("Basic ".count).utf8)[...]).map { String(decoding: $0, as: UTF8.self) }
  }
}
