import FlagTable
import HTTPCaching
import HTTPSemantics
import Testing

@testable import Interface

@Suite("The layers of settings")
struct ConfigurationTests {
  // MARK: The config file

  static let faults: [(line: String, message: String, hint: String?)] = [
    ("cache-polcy = reload", "option 'cache-polcy' is unknown", "did you mean cache-policy?"),
    (
      "cache-policy = relaod",
      "cache-policy: expected one of protocol, reload, reload-all, revalidate, cache-else-load, cache-only, "
        + "cache-only-strict, network-first, no-store, not 'relaod'", "did you mean reload?"
    ),
    ("help", "'help' can only be used on the command line", nil),
    ("version", "'version' can only be used on the command line", nil),
    ("config = other", "'config' can only be used on the command line", nil),
    ("disable", "'disable' can only be used on the command line", nil),
    ("url = http://a/", "'url' can only be used on the command line", nil),
    ("append = x", "garner has no option 'append' (curl has)", nil),
    ("all", "'all' belongs to 'garner cache rm' and can only be used there", nil),
    ("jsonl", "'jsonl' belongs to 'garner cache ls' and can only be used there", nil),
    ("header = a\0b", "the line holds a NUL byte", nil),
    ("header = \"A: b\\nC: d\"", "header: the value holds a line feed", nil),
    ("output =", "output: the name of a file is empty", nil),
    ("data = \"@\"", "data: the name of a file is missing after @", nil),
    ("proto-redir =", "proto-redir: expected schemes such as =https or -http, separated by commas", nil),
    ("user = me", "user: expected USER:PASSWORD; the colon is missing", nil),
    ("[sites \"a\"]", "there is no section 'sites'", "did you mean site?"),
    ("[site]", "expected [site \"URL\"]", nil),
    ("[reachabilty]", "there is no section 'reachabilty'", "did you mean reachability?"),
    ("[reachability \"a\"]", "expected [reachability]", nil),
    ("[reachability]\nwwan", "'wwan' needs a value: POLICY", nil),
    (
      "[reachability]\nwlan = no-store",
      "reachability: expected one of unknown, not-reachable, wwan, wifi, lan, not 'wlan'", "did you mean wwan?"
    ),
    ("[site \"*\"]", "site: a host may have a '*' only in a '*.' at its beginning", nil),
    ("http://example.com/", "expected 'NAME = VALUE', with the name of an option without its dashes", nil),
  ]

  @Test("A fault in the config file is reported with its line", arguments: faults)
  func fault(_ row: (line: String, message: String, hint: String?)) {
    let faults = Configuration(parsing: Array("# one\nsilent\n\(row.line)\n".utf8), home: nil).faults
    #expect(faults.map(\.line) == [row.line.contains("\n") ? 4 : 3])
    #expect(faults.map(\.reason.message) == [row.message])
    #expect(faults.map(\.reason.hint) == [row.hint])
  }

  @Test("All faults of a config file are reported, in the order of the lines")
  func everyFault() {
    let text = "nonsense\n[site \"*\"]\nverbose\nnonsense\n[what]\nnonsense\n[site\nnonsense\na b\n"
    let faults = Configuration(parsing: Array(text.utf8), home: nil).faults
    // The content of an unknown section is not reported.
    #expect(faults.map(\.line) == [1, 2, 3, 4, 5, 7, 9])
  }

  @Test(
    "A setting of the whole run is refused in a section for a site",
    arguments: TableTests.settable.filter { $0.scope != .operand }.map(\.name))
  func ofRun(name: String) throws {
    let flag = try #require((Commands.root.flags + Commands.root.commonFlags).first { $0.name == name })
    let value = ["color": "auto", "form": "a=1", "form-string": "a=1"][name] ?? "1"
    let line = flag.shape == .none ? name : "\(name) = \(value)"
    #expect(Configuration(parsing: Array("\(line)\n".utf8), home: nil).faults.isEmpty)
    let faults = Configuration(parsing: Array("[site \"a\"]\n\(line)\n".utf8), home: nil).faults
    #expect(faults == [ConfigFault(line: 2, .ofRun(name, section: "site"))])
  }

  @Test("offline and another policy contradict each other in one section, but not in two")
  func contradiction() {
    let faults = { (text: String) in Configuration(parsing: Array(text.utf8), home: nil).faults }
    #expect(faults("reload\noffline\n") == [ConfigFault(line: 2, .contradiction("offline", "reload"))])
    #expect(faults("offline\ncache-policy = reload\n").map(\.line) == [2])
    #expect(faults("offline\n[site \"a\"]\nreload\n") == [])
    #expect(faults("reload\noffline = no\n") == [])
  }

  @Test("Of two contradicting settings only the later is reported, and later lines are still read")
  func contradictionAlone() {
    let configuration = Configuration(
      parsing: Array("offline\nrefresh\nmax-age = 5\ncompressed\nreload\n".utf8), home: nil)
    #expect(
      configuration.faults == [
        ConfigFault(line: 2, .contradiction("offline", "refresh")),
        ConfigFault(line: 5, .contradiction("offline", "reload")),
      ])
    #expect(configuration.general.map(\.name) == ["offline", "max-age", "compressed"])
  }

  static let sites: [(url: String, time: Int)] = [
    ("http://other.test/", 0), ("http://example.test/", 2), ("https://example.test/", 2),
    ("https://a.example.test/", 1), ("https://a.example.test/deep/x", 3), ("https://a.example.test/deep/y", 4),
    ("https://twice.test/", 6),
  ]

  @Test("Exactly one section applies to a URL: the most specific, and of equals the last", arguments: sites)
  func site(_ row: (url: String, time: Int)) throws {
    let text = """
      [site "*.example.test"]
      max-time = 1
      [site "example.test"]
      max-time = 2
      [site "a.example.test/deep/*"]
      max-time = 3
      [site "https://a.example.test/deep/y"]
      max-time = 4
      [site "twice.test"]
      max-time = 5
      [site "twice.test"]
      max-time = 6
      """
    let configuration = Configuration(parsing: Array(text.utf8), home: nil)
    #expect(configuration.faults.isEmpty)
    let settings = configuration.site(for: try SitePatternTests.target(row.url))?.settings ?? []
    #expect(settings.map(\.value) == (row.time == 0 ? [] : [ArgumentText("\(row.time)")]))
  }

  // MARK: Layers

  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let file: String
    let environment: [String]
    let arguments: [ArgumentText]
    let change: @Sendable (inout Invocation) -> Void

    init(
      _ rule: String, file: String = "", environment: [String] = [], _ arguments: ArgumentText...,
      change: @escaping @Sendable (inout Invocation) -> Void
    ) {
      self.testDescription = rule
      self.file = file
      self.environment = environment
      self.arguments = arguments
      self.change = change
    }
  }

  static let site = "[site \"http://a.test\"]\n"
  private static let noStore: ArgumentText = "Cache-Control: no-store"
  private static let ageAndMore: ArgumentText = "Cache-Control: max-age=9, no-transform"

  static let rows: [Row] = [
    Row("the general part of the file applies", file: "max-time = 1") { $0.connection.totalTimeLimit = .seconds(1) },
    Row("the site's section precedes the general part", file: "max-time = 1\n\(site)max-time = 2") {
      $0.connection.totalTimeLimit = .seconds(2)
    },
    Row("another site's section does not apply", file: "max-time = 1\n[site \"b.test\"]\nmax-time = 2") {
      $0.connection.totalTimeLimit = .seconds(1)
    },
    Row("a variable precedes the site's section", file: "\(site)max-time = 2", environment: ["GARNER_MAX_TIME=3"]) {
      $0.connection.totalTimeLimit = .seconds(3)
    },
    Row("a typed option comes first", file: "\(site)max-time = 2", environment: ["GARNER_MAX_TIME=3"], "-m4") {
      $0.connection.totalTimeLimit = .seconds(4)
    },
    Row(
      "settings of all layers add up", file: "max-time = 1\n\(site)compressed", environment: ["GARNER_USER=a:b"], "-k"
    ) {
      $0.connection.totalTimeLimit = .seconds(1)
      $0.request.acceptsCodings = true
      $0.request.credentials = "a:b"
      $0.connection.verifiesPeer = false
    },
    Row("a stronger policy replaces a weaker one", file: "offline\n\(site)refresh") {
      ($0.cache.policy, $0.cache.policyOption) = (.revalidate, OptionName(CacheFlags.refresh))
    },
    Row("--offline replaces a policy", file: "cache-policy = reload", "--offline") { $0.cache.offline = .lenient },
    Row("a typed policy replaces a variable", environment: ["GARNER_OFFLINE=strict"], "--reload") {
      ($0.cache.policy, $0.cache.policyOption) = (.reload, OptionName(CacheFlags.reload))
    },
    Row("a section sets the policies of network states", file: "[reachability]\nlan = reload\nwwan = no-store") {
      $0.reachability.policies.wifi = .reload
      $0.reachability.policies.wwan = .noStore
    },
    Row(
      "a typed policy for a state replaces only that state's", file: "[reachability]\nlan = reload\nwwan = no-store",
      "--reachability-policy", "wifi=revalidate"
    ) {
      $0.reachability.policies.wifi = .revalidate
      $0.reachability.policies.wwan = .noStore
    },
    Row(
      "a policy stays beside --reachability, which applies without a policy", file: "reload", "--reachability=auto"
    ) {
      ($0.cache.policy, $0.cache.policyOption) = (.reload, OptionName(CacheFlags.reload))
      $0.reachability.mode = .automatic
    },
    Row("off cancels the option of a weaker layer", file: "offline", environment: ["GARNER_OFFLINE=0"]) { _ in },
    Row("off cancels no other option", file: "reload", environment: ["GARNER_OFFLINE=0"]) {
      ($0.cache.policy, $0.cache.policyOption) = (.reload, OptionName(CacheFlags.reload))
    },
    Row("off cancels an option that shares a subject", file: "http2", environment: ["GARNER_HTTP2=no"]) { _ in },
    Row("off cancels no other option of that subject", file: "http1.1", environment: ["GARNER_HTTP2=no"]) {
      $0.connection.httpVersion = .http11
    },
    Row("off cancels an earlier line of its own section", file: "refresh\nrefresh = no") { _ in },
    Row("a typed --no- cancels it", file: "insecure\ncompressed", "--no-insecure") { $0.request.acceptsCodings = true },
    Row("an empty variable is ignored", file: "max-time = 1", environment: ["GARNER_MAX_TIME="]) {
      $0.connection.totalTimeLimit = .seconds(1)
    },
    Row(
      "a field replaces a weaker field of its name, and others are added",
      file: "header = A: 1\nheader = B: 1\n\(site)header = b: 2\nheader = C: 2\nheader = C: 3", "-H", "D: 4"
    ) {
      $0.request.fieldChanges = [
        .send("A", value: "1"), .send("b", value: "2"), .send("C", value: "2"), .send("C", value: "3"),
        .send("D", value: "4"),
      ]
    },
    Row("a typed removal of a field cancels a weaker field", file: "header = Accept: a", "-H", "Accept:") {
      $0.request.fieldChanges = [.leaveOut(.accept)]
    },
    Row("typed credentials replace a weaker Authorization", file: "header = Authorization: x", "-u", "a:b") {
      $0.request.credentials = "a:b"
    },
    Row("a typed Authorization replaces weaker credentials", file: "user = a:b", "-H", "Authorization: x") {
      $0.request.fieldChanges = [.send(.authorization, value: "x")]
    },
    Row(
      "a typed netrc file replaces weaker credentials", file: "user = a:b\nnetrc-optional", "--netrc-file=f"
    ) {
      ($0.request.netrc, $0.request.netrcFile) = (.optional, "f")
    },
    Row("typed credentials precede a weaker netrc file, which stays", file: "netrc", "-u", "a:b") {
      ($0.request.netrc, $0.request.credentials) = (.first, "a:b")
    },
    Row(
      "a typed Cache-Control to be stored replaces a weaker lifetime", file: "ttl = 1", "--store-header",
      noStore
    ) {
      $0.storing.fieldChanges = [.send(.cacheControl, value: "no-store")]
    },
    Row("a typed lifetime leaves settings that go with it", file: "strip-header = Cache-Control", "--ttl=1") {
      ($0.storing.lifetime, $0.storing.fieldChanges) = (1, [.leaveOut(.cacheControl)])
    },
    Row("a typed no-store replaces a weaker memory-only", file: "memory-only", "--cache-policy=no-store") {
      ($0.cache.policy, $0.cache.policyOption) = (.noStore, OptionName(CacheFlags.policy))
    },
    Row("a weaker no-store stays beside an option for reading", file: "no-store", "--refresh") {
      ($0.cache.policy, $0.cache.policyOption) = (.noStore, OptionName(CacheFlags.noStore))
    },
    Row("a weaker policy no-store stays beside one", file: "\(site)cache-policy = no-store", "--prefer-offline") {
      ($0.cache.policy, $0.cache.policyOption) = (.noStore, OptionName(CacheFlags.policy))
    },
    Row("a general no-store stays beside a site's reload", file: "no-store\n\(site)reload") {
      ($0.cache.policy, $0.cache.policyOption) = (.noStore, OptionName(CacheFlags.noStore))
    },
    Row("a stronger no-store replaces a weaker reload", file: "reload", "--no-store") {
      ($0.cache.policy, $0.cache.policyOption) = (.noStore, OptionName(CacheFlags.noStore))
    },
    Row("a typed policy replaces a weaker no-store", file: "no-store", "--cache-policy=reload") {
      ($0.cache.policy, $0.cache.policyOption) = (.reload, OptionName(CacheFlags.policy))
    },
    Row("a typed --offline replaces a weaker no-store", file: "no-store", "--offline") { $0.cache.offline = .lenient },
    Row("typed data replaces all weaker data", file: "data = a\njson = b", "-d", "c") {
      $0.request.data = [DataPart(.literal("c"), .withoutLineBreaks)]
    },
    Row("typed data replaces a weaker --head", file: "head", "-d", "c") {
      $0.request.data = [DataPart(.literal("c"), .withoutLineBreaks)]
    },
    Row("a typed --head replaces weaker data and a weaker method", file: "data = a\nrequest = PUT", "-I") {
      $0.request.wantsHead = true
    },
    Row("a typed output replaces a weaker one", file: "output = a\nremote-name", "-o", "b") {
      $0.output.destinations = [.file("b")]
    },
    Row(
      "of several routes to a host the strongest is first", file: "connect-to = a:1:d:4\n\(site)connect-to = a:1:c:3",
      "--connect-to", "a:1:b:2", "--connect-to", "::e:5"
    ) { $0.connection.route.connectTo = ["a:1:b:2", "::e:5", "a:1:c:3", "a:1:d:4"] },
    Row("parameters of all layers are ignored", file: "ignore-param = a\nignore-param = b", "--ignore-param=a") {
      $0.key.ignoredParameters = ["b", "a"]
    },
    Row("a typed --max-age replaces a weaker field", file: "header = Cache-Control: MAX-age=1", "--max-age=9") {
      $0.freshness.maxAge = 9
    },
    Row("a typed grant replaces a field", file: "header = Cache-Control: stale-if-error=9", "--stale-if-error=0s") {
      $0.freshness.stalePermission.ifError = .seconds(0)
    },
    Row("a typed field replaces a weaker option", file: "max-age = 1\nmin-fresh = 2", "-H", ageAndMore) {
      ($0.freshness.minFresh, $0.request.fieldChanges) = (2, [.send(.cacheControl, value: "max-age=9, no-transform")])
    },
    Row("a field with further directives stays", file: "header = \(ageAndMore.visible)", "--max-age=5") {
      ($0.freshness.maxAge, $0.request.fieldChanges) = (5, [.send(.cacheControl, value: "max-age=9, no-transform")])
    },
  ]

  private static func layers(
    _ file: String, _ environment: [String], _ arguments: [ArgumentText]
  ) throws -> SettingLayers {
    let configuration = Configuration(parsing: Array(file.utf8), home: nil)
    #expect(configuration.faults.isEmpty)
    let variables = try VariableSettings(environment.map { Array($0.utf8) }, home: nil)
    return SettingLayers(configuration, variables.settings, try TypedSettings(arguments) { _, _ in [] })
  }

  @Test("The command line precedes the environment, then the site's section, then the general part", arguments: rows)
  func order(_ row: Row) throws {
    let layers = try Self.layers(row.file, row.environment, row.arguments + ["http://a.test/"])
    let url = try URIReference(typed: Array("http://a.test/".utf8))
    var expected = Invocation()
    expected.operands = ["http://a.test/"]
    row.change(&expected)
    #expect(layers.invocation(by: layers.settings(for: url, in: 0), in: 0) == expected)
  }

  @Test("Settings that a command would refuse if typed are ignored when they come from elsewhere")
  func uselessSettings() throws {
    let file = "exit-unchanged\ndump-header = -\nsilent\ntag = a=b\n\(Self.site)include\nfail"
    let environment = ["GARNER_DRY_RUN=1", "GARNER_WRITE_OUT=x", "GARNER_NO_PROGRESS=1"]
    let url = try URIReference(typed: Array("http://a.test/".utf8))
    let layers = try Self.layers(file, environment, ["prefetch", "http://a.test/"])
    #expect(layers.settings(for: url, in: 0).map(\.name) == ["silent", "tag", "fail", "dry-run", "no-progress"])
    let others = try Self.layers(file, environment, ["config", "show", "http://a.test/"])
    #expect(others.settings(for: url, in: 0).count == 9)
  }

  @Test("User information in a URL replaces weaker credentials")
  func userInfo() throws {
    let layers = try Self.layers(
      "user = a:b\nheader = Authorization: x\nnetrc\nnetrc-file = f", ["GARNER_USER=c:d"], ["http://me:pw@a.test/"])
    let url = try URIReference(typed: Array("http://me:pw@a.test/".utf8))
    #expect(layers.settings(for: url, in: 0).isEmpty)
    let withoutPassword = try URIReference(typed: Array("http://me@a.test/".utf8))
    #expect(layers.settings(for: withoutPassword, in: 0).map(\.name) == ["netrc", "netrc-file"])
    #expect(layers.settings(for: nil, in: 0).map(\.name) == ["netrc", "netrc-file", "user"])
  }

  @Test("Only effective settings are listed, with their origin")
  func provenance() throws {
    let layers = try Self.layers(
      "max-time = 1\nmax-time = 2\noffline\n\(Self.site)reload\nheader = A: b\n", ["GARNER_COMPRESSED=1"],
      ["-H", "C: d", "cache", "ls"].dropLast(2) + ["http://a.test/"])
    let url = try URIReference(typed: Array("http://a.test/".utf8))
    let settings = layers.settings(for: url, in: 0)
    #expect(settings.map(\.name) == ["max-time", "reload", "header", "compressed", "header"])
    #expect(
      settings.map(\.origin) == [
        .file(line: 2, heading: nil), .file(line: 5, heading: "[site \"http://a.test\"]"),
        .file(line: 6, heading: "[site \"http://a.test\"]"), .environment(variable: "GARNER_COMPRESSED"), .commandLine,
      ])
  }

  // MARK: The environment

  @Test("An unknown variable is reported with the nearest name, and the first of two equal variables counts")
  func variables() throws {
    let variables = try VariableSettings(
      ["GARNER_OFLINE=1", "GARNER_MAX_TIME=1", "GARNER_MAX_TIME=2", "GARNER_CONFIG=f", "GARNER_VERSION=3", "GARNER_"]
        .map { Array($0.utf8) }, home: nil)
    #expect(variables.settings.map(\.value) == ["1"])
    #expect(variables.unknown.map(\.name) == ["GARNER_OFLINE", "GARNER_VERSION"])
    #expect(variables.unknown.map(\.nearest) == ["GARNER_OFFLINE", nil])
    #expect(variables.unknown.map(\.isSlip) == [true, false])
    #expect(try VariableSettings([Array("GARNER_BIN=garner".utf8)], home: nil).unknown.map(\.isSlip) == [false])
  }

  @Test(
    "An unknown variable with an option's other name leads to that option's variable, unless it can only be typed",
    arguments: [
      ("GARNER_SHOW_HEADERS", "GARNER_INCLUDE"), ("GARNER_DATA_ASCII", "GARNER_DATA"), ("GARNER_DISABLE", nil),
    ] as [(String, String?)])
  func otherName(_ name: String, _ nearest: String?) throws {
    let unknown = try #require(try VariableSettings([Array("\(name)=1".utf8)], home: nil).unknown.first)
    #expect(unknown.nearest == nearest)
  }

  @Test(
    "A variable named after an option's negation is unknown, and leads to the option's variable",
    arguments: [
      ("GARNER_NO_FAIL", "GARNER_FAIL=0"), ("GARNER_NO_LOCATION", "GARNER_LOCATION=0"),
      ("GARNER_NO_PIN", "GARNER_PIN=0"), ("GARNER_NO_TRACE", nil),
    ] as [(String, String?)])
  func negatedVariable(_ name: String, _ nearest: String?) throws {
    let unknown = try #require(try VariableSettings([Array("\(name)=1".utf8)], home: nil).unknown.first)
    #expect(unknown.nearest == nearest && unknown.isSlip == (nearest != nil))
  }

  @Test("A variable with a value that its option refuses is an error")
  func refusedVariable() {
    let error = #expect(throws: VariableSettings.Fault.self) {
      try VariableSettings([Array("GARNER_OFFLINE=perhaps".utf8)], home: nil)
    }
    #expect(error?.reason.message == "GARNER_OFFLINE: expected one of strict, yes, no, not 'perhaps'")
  }

  @Test("Every option of a fetch has a variable of its own")
  func everyVariable() {
    #expect(Set(ConfigKeys.variables).count == ConfigKeys.variables.count)
    #expect(ConfigKeys.variables.contains("GARNER_HTTP1_1") && ConfigKeys.variables.contains("GARNER_CACHE_DIR"))
    #expect(!ConfigKeys.variables.contains("GARNER_HELP"))
  }
}
