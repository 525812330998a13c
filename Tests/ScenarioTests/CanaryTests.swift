import Foundation
import TestSupport
import Testing

/// Secrets that are easy to find: none appears in a file of the cache, in a listing, in a log, or in a request to an
/// origin that it was not given for.
@Suite struct CanaryTests {
  /// One way to give the program a secret, which is written as `CANARY`.
  struct Secret: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var arguments: [String] = []
    var environment: [String: String] = [:]
    var config = ""
    /// A file in the user's home, and its text.
    var file: (name: String, text: String)?
    /// The text before the host of each URL; `query` is the text behind its path.
    var userInfo = ""
    var query = ""
    /// Whether the secret is in the cache key: the key is the URL, and the cache keeps it unchanged.
    var isInKey: Bool { !query.isEmpty }
    /// Whether another origin may get the secret: content follows redirections, and cookies go to every port of a host.
    var mayGoOn = false
    var isOfProxy = false
    /// Whether the origin or the proxy must get the secret.
    var isSent = true

    init(
      _ way: String, _ arguments: [String] = [], environment: [String: String] = [:], config: String = "",
      file: (name: String, text: String)? = nil,
      userInfo: String = "", query: String = "", mayGoOn: Bool = false, isOfProxy: Bool = false, isSent: Bool = true
    ) {
      testDescription = way
      self.arguments = arguments
      self.environment = environment
      self.config = config
      self.file = file
      self.userInfo = userInfo
      self.query = query
      self.mayGoOn = mayGoOn
      self.isOfProxy = isOfProxy
      self.isSent = isSent
    }
  }

  static let fieldNames = [
    "Authorization", "Cookie", "Proxy-Authorization", "X-Api-Key", "Api-Key", "X-Auth-Token", "X-Custom-Token",
    "X-My-Secret", "X-Amz-Security-Token", "Private-Token", "X-CSRF-Token", "Signature", "DPoP", "Client-Cert",
  ]

  static let secrets: [Secret] =
    fieldNames.map { Secret("-H \($0)", ["-H", "\($0): CANARY"]) } + [
      Secret("user information in the URL", userInfo: "me:CANARY@"),
      Secret("-u", ["-u", "me:CANARY"]),
      Secret("-b", ["-b", "s=CANARY"]),
      Secret("--oauth2-bearer", ["--oauth2-bearer", "CANARY"]),
      Secret("-n", ["-n"], file: (".netrc", "machine 127.0.0.1 login me password CANARY\n")),
      Secret(
        "-b with a file", ["-b", "HOME/cookies"],
        file: ("cookies", "127.0.0.1\tFALSE\t/\tFALSE\t0\ts\tCANARY\n"), mayGoOn: true),
      Secret("a listed field", ["--credential-field", "X-Who", "-H", "X-Who: CANARY"]),
      Secret("-e with user information", ["-e", "http://me:CANARY@a.test/b"], isSent: false),
      Secret("-H Referer with user information", ["-H", "Referer: http://me:CANARY@a.test/b"], isSent: false),
      Secret("a variable", environment: ["GARNER_USER": "me:CANARY"]),
      Secret("a variable with a field", environment: ["GARNER_HEADER": "X-Api-Key: CANARY"]),
      Secret("the config file", config: "user = me:CANARY\n"),
      Secret("a field in the config file", config: "header = \"X-Vault-Token: CANARY\"\n"),
      Secret(
        "a listed field in the config file", config: "header = \"X-Who: CANARY\"\ncredential-field = X-Who\n"),
      Secret("the password of a proxy", ["-x", "http://me:CANARY@PROXY"], isOfProxy: true),
      Secret(
        "the password of a proxy in a variable", environment: ["GARNER_PROXY": "me:CANARY@PROXY"], isOfProxy: true),
      Secret("a token in the query", query: "?a=1&access_token=CANARY"),
      Secret("a signature in the query", query: "?X-Amz-Signature=CANARY&b=2"),
      Secret("the content of a query", ["-X", "QUERY", "-d", "a=CANARY"], mayGoOn: true),
      Secret("the content of a POST", ["--cache-post", "-d", "a=CANARY"], mayGoOn: true),
      Secret("content in a variable", ["--cache-post"], environment: ["GARNER_DATA": "a=CANARY"], mayGoOn: true),
      Secret("JSON in the config file", ["--cache-post"], config: "json = '{\"a\":\"CANARY\"}'\n", mayGoOn: true),
    ]

  private static let canary = "c4n4ryS1ngs"
  /// The secret in the clear, and in Basic credentials.
  private static let spellings = [canary, Data("me:\(canary)".utf8).base64EncodedString()]

  private static func isSung(in bytes: some Collection<UInt8>) -> Bool {
    let bytes = Data(bytes)
    return spellings.contains { bytes.range(of: Data($0.utf8)) != nil }
  }

  private static func isSung(in text: String) -> Bool { isSung(in: Array(text.utf8)) }

  private static func origin(leadingTo other: String) throws -> Scenario {
    try Scenario { request in
      // The request target for a proxy is a whole URL.
      let path =
        request.path.hasPrefix("http://")
        ? "/" + request.path.split(separator: "/").dropFirst(2).joined() : request.path
      let fields = [("Cache-Control", "max-age=10, stale-while-revalidate=50")]
      switch path {
      case "/away": return .response(302, fields: [("Location", other)])
      case "/again": return .response(301, fields: [("Location", "/varied")] + fields)
      case "/error": return .response(404, fields: fields, text: "no")
      case "/broken":
        return .raw("HTTP/1.1 200 OK\r\nETag: \"1\"\r\nCache-Control: max-age=60\r\nContent-Length: 9\r\n\r\npart")
      case "/reset": return .disconnect
      default:
        let vary = ("Vary", "Accept, Authorization, Cookie, X-Api-Key, X-Who, Referer")
        return validated(request, etag: "\"\(path)\"", fields: fields + [vary], text: "body")
      }
    }
  }

  @Test(arguments: secrets)
  func `no secret is in a file, a listing, a log or a request to another origin`(_ secret: Secret) throws {
    let other = try Scenario(.fresh(text: "other"))
    let scenario = try Self.origin(leadingTo: other.url("/there"))
    let proxy = scenario.url("").dropFirst("http://".count)
    func filled(_ text: String) -> String {
      text.replacingOccurrences(of: "CANARY", with: Self.canary).replacingOccurrences(of: "PROXY/", with: String(proxy))
        .replacingOccurrences(of: "PROXY", with: proxy.prefix { $0 != "/" })
    }
    let options = secret.arguments.map { filled($0).replacingOccurrences(of: "HOME", with: scenario.directory.path) }
    if let file = secret.file { try scenario.directory.write(filled(file.text), to: file.name) }
    scenario.environment = secret.environment.mapValues(filled)
    try scenario.directory.makeDirectory(".config")
    try scenario.directory.makeDirectory(".config/garner")
    try scenario.directory.write(filled(secret.config), to: ".config/garner/config")
    func url(_ path: String, at host: String?) -> String {
      let host = host ?? String(scenario.url("").dropFirst("http://".count).prefix { $0 != "/" })
      return "http://" + filled(secret.userInfo) + host + path + filled(secret.query)
    }

    var told = ""
    func run(_ arguments: [String]) throws {
      let run = try scenario.run(arguments)
      told += "\(arguments.first ?? ""): \(run.text)\n\(run.diagnostics)\n"
    }
    try fetch(run, options, url, in: scenario)
    #expect(scenario.detachedCount > 0)
    try look(run, secret.isOfProxy ? [] : options, url)

    // The search finds the secret where it has been sent.
    let isSung = scenario.origin.requests.contains { Self.isSung(in: $0.head + $0.content) }
    #expect(isSung == secret.isSent)
    #expect(!Self.isSung(in: told), "\(told)")
    #expect(other.origin.requests.count > 0 || secret.isOfProxy)
    if !secret.mayGoOn {
      for request in other.origin.requests { #expect(!Self.isSung(in: request.head + request.content)) }
    }
    let files = filesBelow(scenario.directory.path("cache"))
    #expect(!files.isEmpty)
    for file in files where !secret.isInKey { #expect(!Self.isSung(in: try readFile(file)), "\(file)") }
  }

  /// Runs fetches with all kinds of outcomes, and prints details about each.
  private func fetch(
    _ run: ([String]) throws -> Void, _ options: [String], _ url: (String, String?) -> String, in scenario: Scenario
  ) throws {
    let told = ["-v", "-w", "%{cache_status} %{cache_key} %{cache_reason} %{errormsg}\n"] + options
    for _ in 1...2 { try run(told + [url("/varied", nil)]) }
    try run(told + ["-H", "Accept: a/b", "-i", url("/varied", nil)])
    scenario.clock.advance(bySeconds: 20)
    try run(told + [url("/varied", nil)])
    scenario.clock.advance(bySeconds: 100)
    try run(told + [url("/varied", nil)])
    for path in ["/away", "/again", "/error", "/broken", "/broken", "/reset"] { try run(told + [url(path, nil)]) }
    try run(told + ["--max-redirs", "0", url("/again", nil)])
    try run(told + ["-H", "Range: bytes=0-1", url("/varied", nil)])
    try run(told + ["--ignore-param", "z", "--cache-partition", "p", url("/keyed", nil)])
    try run(told + ["--cache-key", "k", url("/named", nil)])
    try run(told + ["--memory-only", url("/memory", nil), url("/memory", nil)])
    try run(told + ["--offline", url("/varied", nil), url("/absent", nil)])
    try run(told + ["-X", "DELETE", url("/keyed", nil)])
    try run(told + ["--reload", url("/varied", nil)])
    // URLs that cannot be fetched, and an unknown option.
    try run(told + [url("/", "127.0.0.1:1")])
    try run(told + [url("/", "[malformed")])
    try run(options + ["--no-such-option", url("/", nil)])
  }

  /// Runs all commands that show stored responses or settings.
  private func look(
    _ run: ([String]) throws -> Void, _ options: [String], _ url: (String, String?) -> String
  ) throws {
    let here = url("/varied", nil)
    for arguments in [["ls"], ["ls", "--json"], ["ls", "--jsonl"], ["ls", "-0"], ["stats"], ["stats", "--json"]] {
      try run(["cache"] + arguments)
    }
    for arguments in [["show"], ["show", "--json"], ["show", "--headers"], ["rm", "-n"], ["pin"], ["unpin"]] {
      try run(["cache"] + arguments + [here])
    }
    for arguments in [["explain"], ["explain", "--json"]] { try run(["cache"] + arguments + options + [here]) }
    try run(["cache", "show", url("/absent", nil)])
    for arguments in [["show"], ["show", "--json"]] { try run(["config"] + arguments + [here]) }
    try run(["cache", "rm", here])
  }

  @Test func `an error in a secret is reported without the secret`() throws {
    let scenario = try Scenario(.response())
    let wrong = [
      ["-u", Self.canary], ["-H", "Authorization \(Self.canary)"], ["-H", "X-Api-Key: \(Self.canary)\n"],
      ["-x", "http://me:\(Self.canary)@\n"], ["http://me:\(Self.canary)@[/"], ["ftp://me:\(Self.canary)@a.test/"],
      ["http://a.test:port/?token=\(Self.canary)"],
    ]
    for arguments in wrong {
      let run = try scenario.run(arguments + [scenario.url()])
      #expect(run.status != 0 && !Self.isSung(in: run.text + run.diagnostics), "\(run.diagnostics)")
    }
    for line in ["user = \(Self.canary)", "header = \(Self.canary)", "user \"me:\(Self.canary)"] {
      try scenario.directory.write(line + "\n", to: "c")
      let run = try scenario.run("--config", scenario.directory.path("c"), scenario.url())
      #expect(run.status == 2 && !Self.isSung(in: run.text + run.diagnostics), "\(run.diagnostics)")
    }
  }

  @Test(arguments: [
    "foo://me:CANARY@h", "http://me:CANARY@[", "http://me:CANA'RY@h:99999", "http://me:CANARY@127.0.0.1:1",
  ])
  func `a proxy that cannot be used is reported without its password`(_ proxy: String) throws {
    let scenario = try Scenario(.response(fields: [("Cache-Control", "max-age=0")], text: "stored"))
    try scenario.run(scenario.url())
    for arguments in [["-v"], ["-v", "--cache-policy", "network-first"]] {
      let run = try scenario.run(arguments + ["-x", proxy, "-w", "%{errormsg}", scenario.url()])
      #expect(run.diagnostics.contains("cannot fetch"))
      for part in ["CANA", "RY@"] { #expect(!(run.text + run.diagnostics).contains(part), "\(run.diagnostics)") }
    }
  }

  /// Each hook prints what it has read to standard error, for a message, to standard output, to be stored, or to both.
  @Test(arguments: [
    "cat >&2", "cat", #"d=$(cat); echo "$d" >&2; echo "$d""#, "cat >&2; exit 1", "cat >&2; exit 10", "sed 's/^[^:]*//'",
    "sed 's/^:url:/:uri:/'", "cat; sleep 1000",
  ])
  func `a secret that a hook prints again stays hidden`(_ hook: String) throws {
    let scenario = try Scenario(
      .response(
        fields: [
          ("Cache-Control", "max-age=60"), ("Set-Cookie", "s=\(Self.canary)"), ("X-Api-Key", Self.canary),
          ("Location", "/?token=\(Self.canary)"),
        ], text: "body"))
    let url = scenario.url("/?token=\(Self.canary)")
    let run = try scenario.run(
      "-v", "-w", "%{cache_status}%{cache_reason}", "--store-hook", hook, "--store-hook-timeout", "0.5", url)
    #expect(run.status == 0 && !Self.isSung(in: run.text + run.diagnostics), "\(run.diagnostics)")
    for command in [["ls"], ["ls", "--json"], ["stats"], ["explain", url]] {
      let run = try scenario.run(["cache"] + command)
      #expect(!Self.isSung(in: run.text + run.diagnostics), "\(run.text)\(run.diagnostics)")
    }
  }

  @Test func `secrets are masked, except with --show-secrets and in %{url_effective}`() throws {
    let scenario = try Scenario(.fresh(text: "body"))
    let url = scenario.url("/?token=\(Self.canary)")
    try scenario.run(url)
    for command in [["ls"], ["ls", "--json"], ["show", url], ["show", "--json", url], ["explain", url]] {
      #expect(!Self.isSung(in: try scenario.run(["cache"] + command).text), "\(command)")
      #expect(Self.isSung(in: try scenario.run(["cache"] + command + ["--show-secrets"]).text), "\(command)")
    }
    #expect(try scenario.run("-so", "/dev/null", "-w", "%{url_effective}", url).text == url)
  }
}
