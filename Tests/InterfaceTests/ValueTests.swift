import FlagTable
import HTTPCaching
import HTTPSemantics
import Interface
import Testing

@Suite("Reading the values of options")
struct ValueTests {
  @Test(
    "A range must not end before it begins",
    arguments: [
      ("0-0", true), ("5-10", true), ("10-5", false), ("0-3,9-7", false), ("09-10", true), ("010-9", false),
      ("99999999999999999999-100000000000000000000", true), ("100000000000000000000-99999999999999999999", false),
      ("-0", true), ("5-", true), ("-", false), ("", false),
    ] as [(ArgumentText, Bool)])
  func ranges(_ text: ArgumentText, _ isRange: Bool) {
    #expect(((try? CommandLineInterface.parse(["-r", text, "u"])) != nil) == isRange)
  }

  @Test(
    "An age filter takes a time or a date",
    arguments: [
      ("30d", .ago(.seconds(30 * 86_400))), ("1.5", .ago(.milliseconds(1_500))),
      ("2026-11-21T06:45:47Z", .on(Timestamp(secondsSinceEpoch: 1_795_243_547))),
      ("2026-11-21t07:45:47.9+01:00", .on(Timestamp(secondsSinceEpoch: 1_795_243_547))),
      ("2026-11-21", .on(Timestamp(secondsSinceEpoch: 1_795_219_200))),
      ("1970-01-01", .on(Timestamp(secondsSinceEpoch: 0))), ("2026-11-31", nil), ("2026-11", nil),
      ("2026-11-21T06:45:47", nil), ("2026-11-21Z", nil), ("-1d", nil), ("yesterday", nil), ("", nil),
    ] as [(ArgumentText, PastMoment?)])
  func pastMoments(_ text: ArgumentText, _ expected: PastMoment?) {
    #expect(
      (try? CommandLineInterface.parse(["cache", "ls", "--older-than", text]).storeCommand.filters.olderThan)
        == expected)
  }

  @Test("A SHA-256 digest may be a line of sha256sum", arguments: ["", "  file", " *file", "  a b", "sha256:"])
  func digestLine(_ text: String) throws {
    let digits = String(repeating: "aB", count: 32)
    let line = text.hasSuffix(":") ? text + digits : digits + text
    let parsed = try CommandLineInterface.parse(["--sha256", ArgumentText(line), "u"])
    #expect(parsed.integrity.expected == Integrity(sha256: Array(digits.utf8)))
    let longer = ArgumentText(digits + "c  file")
    #expect(throws: UsageError.self) { try CommandLineInterface.parse(["--sha256", longer, "u"]) }
  }

  @Test(
    "Scheme and host of a URL pattern are not case-sensitive, and the rest is",
    arguments: [
      ("HTTP://a.example/*", "http://a.example/x", true), ("http://A.Example/*", "http://a.example/x", true),
      ("A.Example/*", "https://a.example/x", true), ("A.Example:81/*", "http://a.example:81/x", true),
      ("http://A.Ex*", "http://a.example/x", true), ("HTTPS://*.Example/*", "https://a.example/x", true),
      ("*.Example/*", "http://a.example/x", true), ("*://A.example/*", "http://a.example/x", true),
      ("http://a.example/X*", "http://a.example/Xy", true), ("http://a.example/X*", "http://a.example/xy", false),
      ("http://A*e/X*", "http://a.example/Xy", true), ("http://A*e/X*", "http://a.example/xy", false),
      ("*X", "http://a.example/X", true), ("*X", "http://a.example/x", false),
      ("*X/y", "http://a.example/X/y", true), ("*X/y", "http://a.example/x/y", false),
      ("http://a*X/y", "http://a.example/X/y", true), ("http://a*X/y", "http://a.example/x/y", false),
      ("*/X", "http://a.example/X", true), ("*/X", "http://a.example/x", false),
      ("http:*", "http://a.example/X", true), ("http:*", "https://a.example/X", false),
      ("HTTPS:*", "https://a.example/X", true), ("https:*/X", "https://a.example/X", true),
      ("https:*/X", "https://a.example/x", false), ("http*", "http://https.example/", true),
    ] as [(ArgumentText, String, Bool)])
  func casePattern(_ pattern: ArgumentText, _ url: String, _ isMeant: Bool) throws {
    #expect(URLPattern(pattern).matches(try URIReference(typed: Array(url.utf8)).target) == isMeant)
  }

  @Test(
    "The texts around a URL pattern's asterisks are normalised as in a fetch",
    arguments: [
      ("http://a.example/ä/*", "http://a.example/%C3%A4/x", true), ("a.example/ä*", "https://a.example/%C3%A4", true),
      ("http://*.example/ä/*", "http://a.example/%C3%A4/x", true), ("*/ä/*", "http://a.example/%C3%A4/x", true),
      ("*ä", "http://a.example/%C3%A4", true), ("http://a.example/ä/*", "http://a.example/a/x", false),
      ("http://a.example:80/*", "http://a.example/x", true), ("https://a.example:443/*", "https://a.example/x", true),
      ("a.example:80/*", "http://a.example/x", true), ("a.example:80/*", "https://a.example/x", false),
      ("http://a.example:80/*", "http://a.example:8080/x", false), ("http://a.example:*", "http://a.example:81/", true),
      ("http://*.example:80/*", "http://a.example/x", true), ("https://*.test:443/X*", "https://a.test/Xy", true),
      ("HTTP://*.EXAMPLE:80/X", "http://a.example/X", true), ("http://*.a:443/*", "http://b.a/", false),
      ("http://*.example:80/*", "http://a.example:8080/x", false), ("http://*:80/*", "http://a:81/", false),
      ("http://*:80/*", "http://a/:80/", true), ("http://*.a/b:80/c", "http://c.a/b:80/c", true),
      ("http://u:p@a.example/*", "http://a.example/x", true), ("u@a.example/*", "https://a.example/x", true),
      ("http://a.example?a=*", "http://a.example/?a=b", true), ("http://a.example/*#b", "http://a.example/x", true),
      ("http://a.example/b/../c/*", "http://a.example/c/x", true), ("http://a*/x", "http://a.example/y/x", true),
      ("http://a.example*", "http://a.example.test/x", true), ("*@a.example", "http://b.example/c@a.example", true),
    ] as [(ArgumentText, String, Bool)])
  func pattern(_ pattern: ArgumentText, _ url: String, _ isMeant: Bool) throws {
    #expect(URLPattern(pattern).matches(try URIReference(typed: Array(url.utf8)).target) == isMeant)
  }

  @Test(
    "A time is in seconds, or has a unit",
    arguments: [
      ("30", .seconds(30)), ("30s", .seconds(30)), ("10m", .seconds(600)), ("12h", .seconds(43_200)),
      ("7d", .seconds(604_800)), ("4w", .seconds(2_419_200)), ("1.5", .milliseconds(1_500)), (".5", .milliseconds(500)),
      ("5.", .seconds(5)), ("1.5h", .seconds(5_400)), ("0", .zero), ("0.000000001", .nanoseconds(1)),
      ("0.0000000019", .nanoseconds(1)), ("2147483647", .seconds(2_147_483_647)),
    ] as [(ArgumentText, Duration)])
  func duration(text: ArgumentText, duration: Duration) throws {
    #expect(try Quantities.duration(text) == duration)
  }

  @Test(
    "A malformed time is refused",
    arguments: [
      "", ".", "s", "-1", "+1", "1 s", " 1", "1x", "1ss", "1e3", "0x1", "1,5", "2147483648", "999999999999999999w",
      "9999999999999999999999", ArgumentText([0x31, 0xff]), "1S",
    ] as [ArgumentText])
  func noDuration(_ text: ArgumentText) {
    #expect(throws: InvalidValue.self) { try Quantities.duration(text) }
  }

  @Test(
    "A size is in bytes, or has a unit",
    arguments: [
      ("0", 0), ("4096", 4_096), ("12B", 12), ("500K", 512_000), ("500k", 512_000), ("20M", 20_971_520),
      ("2GiB", 2_147_483_648), ("2GB", 2_000_000_000), ("1.5K", 1_536), ("1T", 1_099_511_627_776),
      ("1kb", 1_000), ("1Kb", 1_000), ("2gib", 2_147_483_648), ("2GIB", 2_147_483_648), ("12b", 12),
    ] as [(ArgumentText, Int64)])
  func byteCount(text: ArgumentText, count: Int64) throws {
    #expect(try Quantities.byteCount(text) == count)
  }

  @Test(
    "A malformed size is refused",
    arguments: ["", "K", "-1", "1 K", "1P", "1Ki", "1KiBs", "BB", "1BB", "99999999999T", "1\u{e9}"] as [ArgumentText])
  func noByteCount(_ text: ArgumentText) {
    #expect(throws: InvalidValue.self) { try Quantities.byteCount(text) }
  }

  @Test(
    "A malformed count is refused", arguments: ["", "-1", "+1", "1.0", "1K", "99999999999999999999"] as [ArgumentText])
  func noCount(_ text: ArgumentText) {
    #expect(throws: InvalidValue.self) { try Quantities.count(text) }
  }

  @Test(
    "--data-urlencode has five forms",
    arguments: [
      ("a b", .literal("a b"), nil), ("=a=b", .literal("a=b"), nil), ("n=a b", .literal("a b"), "n"),
      ("@f", .file("f"), nil), ("n@f", .file("f"), "n"), ("n@f=v", .literal("v"), "n@f"), ("n=@f", .literal("@f"), "n"),
      ("", .literal(""), nil), ("=", .literal(""), nil),
    ] as [(ArgumentText, TextSource, ArgumentText?)])
  func percentEncoding(text: ArgumentText, source: TextSource, name: ArgumentText?) throws {
    #expect(try DataPart(percentEncoding: text) == DataPart(source, .percentEncoded(name: name)))
  }

  @Test(
    "A policy has names in three vocabularies, whatever the case",
    arguments: [
      ("protocol", .useProtocol), ("useProtocolCachePolicy", .useProtocol), ("default", .useProtocol),
      ("NSURLRequestUseProtocolCachePolicy", .useProtocol),
      ("reload", .reload), ("reloadIgnoringLocalCacheData", .reload), ("reloadignoringcachedata", .reload),
      ("NSURLRequestReloadIgnoringCacheData", .reload), ("RELOAD", .reload),
      ("reload-all", .reloadAll), ("reloadIgnoringLocalAndRemoteCacheData", .reloadAll),
      ("revalidate", .revalidate), ("reloadRevalidatingCacheData", .revalidate), ("no-cache", .revalidate),
      ("cache-else-load", .cacheElseLoad), ("returnCacheDataElseLoad", .cacheElseLoad), ("force-cache", .cacheElseLoad),
      ("cache-only", .cacheOnly), ("nsurlrequestreturncachedatadontload", .cacheOnly), ("only-if-cached", .cacheOnly),
      ("cache-only-strict", .cacheOnlyStrict), ("network-first", .networkFirst), ("no-store", .noStore),
    ] as [(ArgumentText, CachePolicy)])
  func policy(name: ArgumentText, policy: CachePolicy) throws {
    #expect(try PolicyName.policy(name) == policy)
  }

  @Test(
    "An unknown name of a policy is refused",
    arguments: ["", "nsurlrequest", "NSURLRequestreload", "useProtocol", ArgumentText([0xff])] as [ArgumentText])
  func noPolicy(_ name: ArgumentText) {
    #expect(throws: InvalidValue.self) { try PolicyName.policy(name) }
  }

  @Test("Every policy has one row of names", arguments: CachePolicy.allCases)
  func everyPolicy(_ policy: CachePolicy) throws {
    #expect(PolicyName.all.count { $0.policy == policy } == 1)
    #expect(try PolicyName.policy(ArgumentText(policy.rawValue)) == policy)
  }

  @Test(
    "A host pattern matches by name, with or without a port",
    arguments: [
      ("a.example", true), ("A.Example", true), ("*.example", true), ("a.*", true), ("*", true),
      ("a.example:8080", true),
      ("*:8080", true), ("a.example:80", false), ("example", false), (".example", false), ("b.a.example", false),
    ] as [(ArgumentText, Bool)])
  func host(text: ArgumentText, isMeant: Bool) throws {
    for text in ["::1", "0:0::1", "[::1]", "[::1]:8080"] as [ArgumentText] {
      #expect(try HostPattern(text).matches(TargetURI.Origin(scheme: .http, host: "[::1]", port: 8_080)))
    }
    let origin = TargetURI.Origin(scheme: .http, host: "a.example", port: 8_080)
    #expect(try HostPattern(text).matches(origin) == isMeant)
  }

  @Test(
    "A status pattern matches one status, a class, or any member of a list",
    arguments: [
      ("200", [200]), ("2xx", [200, 204, 299]), ("4XX", [404]), ("404", [404]), ("5xx", []), ("100", []),
      ("404,200", [200, 404]), ("2xx, 301", [200, 204, 299, 301]),
    ] as [(ArgumentText, [UInt16])])
  func status(text: ArgumentText, meant: [UInt16]) throws {
    let pattern = try StatusPattern(text)
    let all: [UInt16] = [200, 204, 299, 301, 404]
    #expect(all.filter { pattern.matches(StatusCode(rawValue: $0)) } == meant)
  }

  @Test(
    "A malformed status pattern is refused",
    arguments: [
      "", "20", "2x", "xxx", "2x0", "0xx", "2000", "-20", "+20", "6xx", "999", "200,", ",", "200,20",
    ] as [ArgumentText])
  func noStatus(_ text: ArgumentText) {
    #expect(throws: InvalidValue.self) { try StatusPattern(text) }
  }

  @Test(
    "A media type pattern is a type, a pattern with asterisks or a word",
    arguments: [
      ("text/html", ["text/html; charset=x", "TEXT/HTML"]),
      ("text/*", ["text/html; charset=x", "TEXT/HTML", "text/plain"]),
      ("text", ["text/html; charset=x", "TEXT/HTML", "text/plain"]), ("html", ["text/html; charset=x", "TEXT/HTML"]),
      ("JSON", ["application/json", "application/ld+json"]), ("ld", ["application/ld+json"]),
      ("ld+json", ["application/ld+json"]), ("d+json", []),
      ("application/*json", ["application/json", "application/ld+json"]), ("charset", []), ("ht", []),
      ("*json", ["application/json", "application/ld+json"]), ("h*l", ["text/html; charset=x", "TEXT/HTML"]),
      ("*", ["text/html; charset=x", "TEXT/HTML", "text/plain", "application/json", "application/ld+json"]),
      ("None", []),
    ] as [(ArgumentText, [String])])
  func mediaType(text: ArgumentText, meant: [String]) throws {
    let pattern = try MediaTypePattern(text)
    let all = ["text/html; charset=x", "TEXT/HTML", "text/plain", "application/json", "application/ld+json"]
    #expect(all.filter { pattern.matches(FieldValue($0)) } == meant)
    #expect(pattern.matches(nil) == (text == "None"))
  }

  @Test(
    "A malformed media type pattern is refused",
    arguments: ["", "text/html; charset=utf-8", "a b", "\u{e9}"] as [ArgumentText])
  func noMediaType(_ text: ArgumentText) {
    #expect(throws: InvalidValue.self) { try MediaTypePattern(text) }
  }

  @Test("A file of values has one on each line that is not empty, whatever the line endings")
  func valueLines() {
    let lines = ValueLines.lines(Array("a\r\n\n\r\n b \n\rc".utf8))
    #expect(lines.map(\.arguments) == [["a"], [" b "], ["\rc"]] && lines.map(\.number) == [1, 4, 5])
    #expect(ValueLines.lines([]) == [])
    // An editor's byte order mark does not belong to the first value.
    #expect(ValueLines.lines(Array("\u{feff}A: b\n".utf8)) == [OptionLine(number: 1, arguments: ["A: b"])])
  }
}
