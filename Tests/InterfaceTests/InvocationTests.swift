import FlagTable
import HTTPCaching
import HTTPSemantics
import TestSupport
import Testing

@testable import Interface

@Suite("Arguments are read into plain values")
struct InvocationTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let arguments: [ArgumentText]
    let change: @Sendable (inout Invocation) -> Void

    init(_ rule: String, _ arguments: [ArgumentText], _ change: @escaping @Sendable (inout Invocation) -> Void) {
      self.testDescription = rule
      self.arguments = arguments
      self.change = change
    }
  }

  @Test(
    "An option that both a fetch and a command have may precede the command",
    arguments: [
      (["-m", "3"], ["prefetch", "u"]), (["-sk", "--no-location", "--ttl=1d"], ["prefetch", "u"]),
      (["-H", "A: b", "-Z"], ["prefetch", "u"]), (["--reachability", "wwan"], ["network"]),
      (["--offline"], ["cache", "check", "u"]), (["--json", "{}"], ["cache", "check", "u"]),
    ] as [([ArgumentText], [ArgumentText])])
  func optionsBeforeCommand(_ options: [ArgumentText], _ command: [ArgumentText]) throws {
    #expect(try CommandLineInterface.parse(options + command) == CommandLineInterface.parse(command + options))
  }

  static let requestRows: [Row] = [
    Row("-X names the method", ["-X", "PUT"]) { $0.request.method = .put },
    Row("-X keeps the case", ["-Xget"]) { $0.request.method = Method("get".utf8) },
    Row("-I asks for the head", ["-I"]) { $0.request.wantsHead = true },
    Row("-H sends a field, its value trimmed", ["-H", "Accept:  text/html "]) {
      $0.request.fieldChanges = [.send(.accept, value: "text/html")]
    },
    Row("-H with nothing behind the colon leaves a field out", ["-H", "Accept: "]) {
      $0.request.fieldChanges = [.leaveOut(.accept)]
    },
    Row("-H with a semicolon sends an empty value", ["-H", "Accept;"]) {
      $0.request.fieldChanges = [.send(.accept, value: "")]
    },
    Row("-H keeps bytes that are not UTF-8", ["-H", ArgumentText(Array("Accept: ".utf8) + [0xe9])]) {
      $0.request.fieldChanges = [.send(.accept, value: FieldValue([0xe9]))]
    },
    Row("-H keeps colons and semicolons of the value", ["-H", "Accept: a:b;"]) {
      $0.request.fieldChanges = [.send(.accept, value: "a:b;")]
    },
    Row("-H is repeated in order", ["-H", "Accept: a", "--header=Accept: b"]) {
      $0.request.fieldChanges = [.send(.accept, value: "a"), .send(.accept, value: "b")]
    },
    Row(
      "options for the default change nothing",
      ["--basic", "--proxy-basic", "-N", "--no-buffer", "--remove-on-error"]
    ) { _ in },
    Row("-d sends text", ["-d", "a=1"]) {
      $0.request.data = [DataPart(.literal("a=1"), .withoutLineBreaks)]
    },
    Row("-d @ sends a file without line breaks", ["--data-ascii", "@f"]) {
      $0.request.data = [DataPart(.file("f"), .withoutLineBreaks)]
    },
    Row("-d @- sends standard input", ["-d@-"]) { $0.request.data = [DataPart(.file("-"), .withoutLineBreaks)] },
    Row("--data-raw does not read files", ["--data-raw", "@f"]) { $0.request.data = [DataPart(.literal("@f"), .asIs)] },
    Row("--data-binary sends a file as it is", ["--data-binary", "@f"]) {
      $0.request.data = [DataPart(.file("f"), .asIs)]
    },
    Row("--json adds no separator before itself", ["-d", "a", "--json", "@f"]) {
      $0.request.sendsJSON = true
      $0.request.data = [
        DataPart(.literal("a"), .withoutLineBreaks), DataPart(.file("f"), .asIs, isSeparated: false),
      ]
    },
    Row("-u keeps the credentials as typed", ["-u", "me:pass:word"]) { $0.request.credentials = "me:pass:word" },
    Row("-A and -e may be empty", ["-A", "", "-e", ""]) { ($0.request.userAgent, $0.request.referer) = ("", "") },
    Row("--compressed accepts codings", ["--compressed"]) { $0.request.acceptsCodings = true },
    Row("-r asks for a part", ["-r", "0-1, 5-,-3"]) { $0.request.range = "0-1, 5-,-3" },
    Row("a number alone is the first byte of a range", ["--range=5"]) { $0.request.range = "5-" },
    Row("--oauth2-bearer keeps the token", ["--oauth2-bearer", "t"]) { $0.request.bearerToken = "t" },
    Row("-n reads netrc", ["-n"]) { $0.request.netrc = .first },
    Row("--netrc-optional overrides -n", ["-n", "--netrc-optional"]) { $0.request.netrc = .optional },
    Row("--netrc-file names one", ["--netrc-file", "f"]) { $0.request.netrcFile = "f" },
    Row("-b is data with an equals sign, and else a file", ["-b", "a=b", "-b", "c", "-b", ""]) {
      ($0.request.cookieLines, $0.request.cookieFiles) = (["a=b"], ["c", ""])
    },
    Row("-c names a jar, and -j drops session cookies", ["-jc", "f"]) {
      ($0.request.cookieJar, $0.request.dropsSessionCookies) = ("f", true)
    },
    Row("--path-as-is keeps dots", ["--path-as-is"]) { $0.request.keepsDotSegments = true },
    Row("-F sends parts of a form, in order", ["-F", "a=b", "--form-string", "c=@d;e"]) {
      $0.request.form = [FormPart("a", .text(.literal("b"))), FormPart("c", .text(.literal("@d;e")))]
    },
    Row("-T sends a file for each URL", ["-T", "a", "-T", "", "-T-"]) { $0.request.uploads = ["a", "", "-"] },
    Row("-G sends data in the query", ["-Gd", "a"]) {
      $0.request.sendsDataInQuery = true
      $0.request.data = [DataPart(.literal("a"), .withoutLineBreaks)]
    },
    Row("--url-query encodes, except after a plus", ["--url-query", "a=b c", "--url-query", "+d e"]) {
      $0.request.query = [
        DataPart(.literal("b c"), .percentEncoded(name: "a")), DataPart(.literal("d e"), .asIs),
      ]
    },
  ]

  static let outputRows: [Row] = [
    Row("-o and -O count from the first URL", ["-o", "a", "-O", "-o", "-"]) {
      $0.output.destinations = [.file("a"), .remoteName, .standardOutput]
    },
    Row("-J lets the server name the file", ["-OJ"]) {
      ($0.output.destinations, $0.output.takesServersName) = ([.remoteName], true)
    },
    Row("--output-dir names a directory", ["--output-dir", "d"]) { $0.output.directory = "d" },
    Row("--create-dirs makes directories", ["--create-dirs"]) { $0.output.createsDirectories = true },
    Row("--no-clobber keeps files", ["--no-clobber"]) { $0.output.replacesFiles = false },
    Row("--clobber cancels --no-clobber", ["--no-clobber", "--clobber"]) { $0.output.replacesFiles = true },
    Row("-R takes the server's time", ["-R"]) { $0.output.takesServersTime = true },
    Row("--exit-unchanged has a default status", ["--exit-unchanged"]) { $0.output.unchangedStatus = 114 },
    Row("--exit-unchanged takes another status", ["--exit-unchanged=7"]) { $0.output.unchangedStatus = 7 },
    Row("-C takes an offset", ["-C", "12"]) { $0.resilience.continuation = .from(12) },
    Row("-C - is the end of the file", ["-C-"]) { $0.resilience.continuation = .fromEndOfFile },
    Row("--dry-run is set", ["--dry-run"]) { $0.output.isDryRun = true },
    Row("-D names a file", ["-D", "h"]) { $0.output.headDestination = .file("h") },
    Row("-sS is silent except for errors", ["-sS"]) { ($0.output.isSilent, $0.output.showsErrors) = (true, true) },
    Row("--show-headers is -i", ["--show-headers"]) { $0.output.includesHead = true },
    Row("--no-include cancels -i", ["-i", "--no-include"]) { _ in },
    Row("-v is verbose", ["-v"]) { $0.output.isVerbose = true },
    Row("-w takes a format", ["-w", "%{http_code}"]) { $0.output.writeOut = .literal("%{http_code}") },
    Row("-w @ takes a file", ["-w@f"]) { $0.output.writeOut = .file("f") },
    Row("-f prints no body", ["-f"]) { $0.output.errorStatus = .failsWithoutBody },
    Row("--parallel-max 0 is the default", ["--parallel-max", "0"]) { _ in },
    Row("--parallel-max is 300 at most", ["--parallel-max", "301"]) { $0.many.parallelLimit = 300 },
    Row("--no-fail succeeds", ["--no-fail"]) { $0.output.errorStatus = .succeeds },
    Row("--fail-with-body overrides -f", ["-f", "--fail-with-body"]) { $0.output.errorStatus = .failsWithBodyInFile },
    Row("-# shows a bar", ["-#"]) { $0.output.progress = .bar },
    Row("--no-progress-meter is --no-progress", ["--no-progress-meter"]) { $0.output.progress = .none },
    Row("--color takes a word", ["--color=never"]) { $0.output.color = .never },
  ]

  static let cacheRows: [Row] = [
    Row("--cache-policy names a policy", ["--cache-policy", "network-first"]) {
      ($0.cache.policy, $0.cache.policyOption) = (.networkFirst, OptionName(CacheFlags.policy))
    },
    Row("--refresh revalidates", ["--refresh"]) {
      ($0.cache.policy, $0.cache.policyOption) = (.revalidate, OptionName(CacheFlags.refresh))
    },
    Row("--reload reloads", ["--reload"]) {
      ($0.cache.policy, $0.cache.policyOption) = (.reload, OptionName(CacheFlags.reload))
    },
    Row("--prefer-offline fetches what is absent", ["--prefer-offline"]) {
      ($0.cache.policy, $0.cache.policyOption) = (.cacheElseLoad, OptionName(CacheFlags.preferOffline))
    },
    Row("--no-store neither reads nor stores", ["--no-store"]) {
      ($0.cache.policy, $0.cache.policyOption) = (.noStore, OptionName(CacheFlags.noStore))
    },
    Row("--collapse-timeout takes a time", ["--collapse-timeout", "1.5"]) {
      $0.cache.collapseTimeout = .milliseconds(1_500)
    },
    Row("--collapse-timeout takes 0, which does not wait", ["--collapse-timeout=0"]) {
      $0.cache.collapseTimeout = .zero
    },
    Row("--no-store stays beside options for reading", ["--no-store", "--reload", "--refresh"]) {
      ($0.cache.policy, $0.cache.policyOption) = (.noStore, OptionName(CacheFlags.noStore))
    },
    Row("the policy no-store stays beside them", ["--cache-policy", "no-store", "--prefer-offline"]) {
      ($0.cache.policy, $0.cache.policyOption) = (.noStore, OptionName(CacheFlags.policy))
    },
    Row("--cache-policy overrides --no-store", ["--no-store", "--cache-policy", "reload"]) {
      ($0.cache.policy, $0.cache.policyOption) = (.reload, OptionName(CacheFlags.policy))
    },
    Row("the last policy counts", ["--reload", "--refresh"]) {
      ($0.cache.policy, $0.cache.policyOption) = (.revalidate, OptionName(CacheFlags.refresh))
    },
    Row("--offline stands beside a policy", ["--offline", "--reload"]) {
      ($0.cache.offline, $0.cache.policy, $0.cache.policyOption) = (.lenient, .reload, OptionName(CacheFlags.reload))
    },
    Row("--offline=strict is strict", ["--offline=strict"]) { $0.cache.offline = .strict },
    Row("--cache-key takes a text", ["--cache-key", "a b"]) { $0.key.chosenText = "a b" },
    Row("--ignore-param is repeated", ["--ignore-param", "utm_*", "--ignore-param=a"]) {
      $0.key.ignoredParameters = ["utm_*", "a"]
    },
    Row("--cache-post is set", ["--cache-post"]) { $0.key.cachesPosts = true },
    Row("--no-cache-post cancels it", ["--cache-post", "--no-cache-post"]) { _ in },
    Row("--cache-partition takes a name", ["--cache-partition=p"]) { $0.key.partition = "p" },
    Row("--credential-field is repeated", ["--credential-field", "X-Who", "--credential-field=X-Whom"]) {
      $0.key.credentialFields = ["X-Who", "X-Whom"]
    },
    Row("--memory-only is a storage policy", ["--memory-only"]) { $0.cache.storage = .memoryOnly },
    Row("--memory-capacity takes a unit", ["--memory-capacity", "2M"]) { $0.cache.memoryCapacity = 2 << 20 },
    Row("--memory-capacity 0 is allowed", ["--memory-capacity=0"]) { $0.cache.memoryCapacity = 0 },
    Row("--disk-capacity takes a size", ["--disk-capacity", "2GiB"]) { $0.cache.diskCapacity = 2_147_483_648 },
    Row("--max-object-size takes a size", ["--max-object-size=500K"]) { $0.cache.largestObject = 512_000 },
    Row("--no-durable cancels --durable", ["--durable", "--no-durable"]) { _ in },
    Row("--durable waits for the disk", ["--durable"]) { $0.cache.isDurable = true },
    Row("--cache-dir names a directory", ["--cache-dir", "/c"]) { $0.cache.directory = "/c" },
  ]

  static let storingRows: [Row] = [
    Row("--tag takes a key and a value", ["--tag", "project=web", "--tag=empty="]) {
      $0.storing.tags = tags(["empty=", "project=web"])
    },
    Row("--tag: of one key, the last counts", ["--tag", "a=1", "--tag", "a=2=3"]) { $0.storing.tags = tags(["a=2=3"]) },
    Row("--no-pin cancels --pin", ["--pin", "--no-pin"]) { _ in },
    Row("--pin is set", ["--pin"]) { $0.storing.isPinned = true },
    Row(
      "--store-header and --strip-header keep their order",
      [
        "--store-header", "Cache-Control: max-age=9", "--strip-header=ETag", "--store-header", "A;",
        "--store-header=B:",
      ]
    ) {
      $0.storing.fieldChanges = [
        .send(.cacheControl, value: "max-age=9"), .leaveOut(.etag), .send("A", value: ""), .leaveOut("B"),
      ]
    },
    Row("--store-status takes codes and classes", ["--store-status", "404, 2xx"]) {
      $0.storing.statuses = [404...404, 200...299]
    },
    Row("--store-status: the last counts", ["--store-status", "404", "--store-status=5XX"]) {
      $0.storing.statuses = [500...599]
    },
    Row("--ttl takes a time, in whole seconds", ["--ttl", "1.5m"]) { $0.storing.lifetime = 90 },
    Row("--store-hook takes a command, and its time", ["--store-hook", "exit 10", "--store-hook-timeout", "1m"]) {
      ($0.storing.hook, $0.storing.hookTimeLimit) = ("exit 10", .seconds(60))
    },
    Row("--store-hook may be empty", ["--store-hook="]) { $0.storing.hook = "" },
    Row("--forget-on-error is set", ["--forget-on-error"]) { $0.storing.forgetsOnError = true },
  ]

  static let freshnessRows: [Row] = [
    Row("--max-age takes whole seconds, and rounds down", ["--max-age", "1.9"]) { $0.freshness.maxAge = 1 },
    Row("--min-fresh rounds up", ["--min-fresh", "1.1"]) { $0.freshness.minFresh = 2 },
    Row("--max-stale without a time has no bound", ["--max-stale"]) {
      $0.freshness.maxStale = .unlimited
    },
    Row("--max-stale takes a time behind an equals sign", ["--max-stale=1h"]) {
      $0.freshness.maxStale = .seconds(3_600)
    },
    Row("--stale-if-error", ["--stale-if-error=1d"]) { $0.freshness.stalePermission.ifError = .seconds(86_400) },
    Row("--stale-while-revalidate", ["--stale-while-revalidate"]) {
      $0.freshness.stalePermission.whileRevalidating = .unlimited
    },
  ]

  static func tags(_ texts: [String]) -> Tags { Tags(texts.map { certain($0.utf8, Tag.init(parsing:)) })! }

  static let reachabilityRows: [Row] = [
    Row("--reachability auto reads the state", ["--reachability", "auto"]) { $0.reachability.mode = .automatic },
    Row("--reachability off is the default", ["--reachability", "auto", "--reachability=off"]) { _ in },
    Row("--reachability names a state", ["--reachability=not-reachable"]) {
      $0.reachability.mode = .assumed(.notReachable)
    },
    Row("lan is another name of wifi", ["--reachability", "lan", "--reachability-policy", "lan=reload"]) {
      $0.reachability.mode = .assumed(.wifi)
      $0.reachability.policies.wifi = .reload
    },
    Row(
      "--reachability-policy takes any name of a policy",
      ["--reachability-policy", "wwan=returnCacheDataDontLoad", "--reachability-policy=unknown=no-cache"]
    ) {
      ($0.reachability.policies.wwan, $0.reachability.policies.unknown) = (.cacheOnly, .revalidate)
    },
  ]

  static let connectionRows: [Row] = [
    Row(
      "--resolve and --connect-to are repeated",
      [
        "--resolve", "a:1:[::1],[127.0.0.1]", "--connect-to", "::b:", "--resolve=*:1:127.0.0.2",
        "--connect-to", "[::1]:80:[::2]:65535",
      ]
    ) {
      $0.connection.route.resolve = ["a:1:[::1],[127.0.0.1]", "*:1:127.0.0.2"]
      $0.connection.route.connectTo = ["::b:", "[::1]:80:[::2]:65535"]
    },
    Row("the last of two sockets counts", ["--unix-socket", "a", "--abstract-unix-socket", "b"]) {
      $0.connection.route.unixSocket = .abstract("b")
    },
    Row(
      "-U, --noproxy, --doh-url, --interface",
      ["-U", "a:b", "--noproxy", "c", "--doh-url", "https://d.test/", "--interface", "e"]
    ) {
      $0.connection.route.proxyCredentials = "a:b"
      $0.connection.route.noProxy = "c"
      $0.connection.route.dohURL = "https://d.test/"
      $0.connection.route.interface = "e"
    },
    Row("--hsts and --alt-svc name files", ["--hsts", "a", "--alt-svc", "b"]) {
      ($0.connection.route.hstsFile, $0.connection.route.altSvcFile) = ("a", "b")
    },
    Row("--proto adds and removes schemes", ["--proto", "-all,https,+ftp", "--proto-redir", "=http,https"]) {
      $0.connection.route.schemes = SchemeChoice(http: false, https: true)
      $0.connection.route.redirectSchemes = SchemeChoice(http: true, https: true)
    },
    Row("-0 and --http2-prior-knowledge are versions", ["-0", "--http2-prior-knowledge"]) {
      $0.connection.httpVersion = .http2PriorKnowledge
    },
    Row("-E takes a file and a password", ["-E", #"a\:b:c:d"#, "--key", "k"]) {
      $0.connection.security.certificate = "a:b"
      $0.connection.security.passphrase = "c:d"
      $0.connection.security.key = "k"
    },
    Row("--pass, --capath, --pinnedpubkey", ["--pass", "p", "--capath", "d", "--pinnedpubkey", "k"]) {
      $0.connection.security.passphrase = "p"
      $0.connection.security.authorityDirectory = "d"
      $0.connection.security.pinnedKey = "k"
    },
    Row("versions of TLS and ciphers", ["--tlsv1.3", "--tls-max", "1.3", "--ciphers", "a", "--tls13-ciphers", "b"]) {
      $0.connection.security.minimumVersion = .tls13
      $0.connection.security.maximumVersion = .tls13
      $0.connection.security.ciphers = "a"
      $0.connection.security.tls13Ciphers = "b"
    },
    Row("--no-location does not follow", ["--no-location"]) { $0.connection.followsRedirects = false },
    Row("-L is the default", ["-L"]) { _ in },
    Row("--location-trusted follows and trusts", ["--no-location", "--location-trusted"]) {
      $0.connection.trustsRedirects = true
    },
    Row("--max-redirs takes a number", ["--max-redirs", "0"]) { $0.connection.redirectLimit = .atMost(0) },
    Row("--max-redirs -1 is no limit", ["--max-redirs", "-1"]) { $0.connection.redirectLimit = .unlimited },
    Row("-m takes decimals", ["-m", "1.25"]) { $0.connection.totalTimeLimit = .milliseconds(1_250) },
    Row("-m 0 is no limit", ["-m", "5", "-m", "0"]) { _ in },
    Row("--connect-timeout takes a unit", ["--connect-timeout", "2m"]) {
      $0.connection.connectTimeLimit = .seconds(120)
    },
    Row("-k does not verify", ["-k"]) { $0.connection.verifiesPeer = false },
    Row("--cacert names a file", ["--cacert", "ca.pem"]) { $0.connection.authorityFile = "ca.pem" },
    Row("the last version of HTTP counts", ["--http2", "--http1.1"]) { $0.connection.httpVersion = .http11 },
    Row("-4 and -6: the last counts", ["-46"]) { $0.connection.addressFamily = .ipv6 },
    Row("-x names a proxy", ["-x", "http://p:1"]) { $0.connection.proxy = "http://p:1" },
  ]

  static let resilienceRows: [Row] = [
    Row("--sha256 takes a digest", ["--sha256", ArgumentText("sha256:" + String(repeating: "aB", count: 32))]) {
      $0.integrity.expect(Integrity(.sha256, [[UInt8](repeating: 0xab, count: 32)]))
    },
    Row(
      "--integrity takes metadata, and may be repeated",
      [
        "--integrity", ArgumentText("sha256-\(String(repeating: "A", count: 43))="), "--integrity",
        ArgumentText("sha512-\(String(repeating: "A", count: 86))=="),
      ]
    ) {
      $0.integrity.expect(Integrity(.sha256, [[UInt8](repeating: 0, count: 32)]))
      $0.integrity.expect(Integrity(.sha512, [[UInt8](repeating: 0, count: 64)]))
    },
    Row(
      "equal digests count once",
      [
        "--sha256", ArgumentText(String(repeating: "0", count: 64)),
        "--integrity", ArgumentText("sha256-\(String(repeating: "A", count: 43))="),
      ]
    ) {
      $0.integrity.expect(Integrity(.sha256, [[UInt8](repeating: 0, count: 32)]))
    },
    Row("--retry takes a number", ["--retry", "3"]) { $0.resilience.retryCount = 3 },
    Row("--retry-delay takes a time", ["--retry-delay", "1m"]) { $0.resilience.retryDelay = .seconds(60) },
    Row("--retry-delay 0 is the default", ["--retry-delay", "0"]) { _ in },
    Row("--retry-max-time takes a time", ["--retry-max-time", "90"]) { $0.resilience.retryTimeLimit = .seconds(90) },
    Row("--no-retry-all-errors cancels it", ["--retry-all-errors", "--no-retry-all-errors"]) { _ in },
    Row("--retry-all-errors", ["--retry-all-errors"]) { $0.resilience.retriesAllErrors = true },
    Row("--retry-connrefused", ["--retry-connrefused"]) { $0.resilience.retriesRefusedConnections = true },
    Row("--max-filesize takes a size", ["--max-filesize", "1K"]) { $0.resilience.maximumSize = 1_024 },
    Row("--max-filesize 0 is no limit", ["--max-filesize", "0"]) { _ in },
    Row("--max-ratio takes a number", ["--max-ratio", "1000"]) { $0.resilience.maximumRatio = .atMost(1_000) },
    Row("--max-ratio 0 is no limit", ["--max-ratio", "0"]) { $0.resilience.maximumRatio = .unlimited },
    Row("--limit-rate takes a size", ["--limit-rate", "2M"]) { $0.resilience.maximumRate = 2 << 20 },
    Row("-Y and -y are a rate and a time", ["-Y", "10", "-y", "5"]) {
      ($0.resilience.minimumRate, $0.resilience.minimumRateTime) = (10, 5)
    },
    Row("--speed-time has units", ["--speed-time", "2m"]) { $0.resilience.minimumRateTime = 120 },
    Row("--speed-time is rounded up", ["-y", "0.5"]) { $0.resilience.minimumRateTime = 1 },
  ]

  @Test(
    "The arguments of a fetch are read into its values",
    arguments: requestRows + outputRows + cacheRows + storingRows + freshnessRows + reachabilityRows + connectionRows
      + resilienceRows)
  func fetch(_ row: Row) throws {
    var expected = Invocation()
    expected.operands = ["http://a/"]
    row.change(&expected)
    #expect(try CommandLineInterface.parse(row.arguments + ["http://a/"]) == expected)
  }

  @Test("The arguments of a command are read into its values", arguments: commandRows)
  func command(_ row: Row) throws {
    var expected = Invocation()
    row.change(&expected)
    #expect(try CommandLineInterface.parse(row.arguments) == expected)
  }

  @Test("The redirect limit is 50 by default")
  func redirects() throws {
    #expect(try CommandLineInterface.parse(["u"]).connection.redirectLimit == .atMost(50))
  }
}
