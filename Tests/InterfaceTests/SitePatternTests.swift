import FlagTable
import HTTPSemantics
import Testing

@testable import Interface

@Suite("The URLs that a section of the config file applies to")
struct SitePatternTests {
  static func target(_ url: String) throws -> TargetURI { try URIReference(typed: Array(url.utf8)).target }

  static let rows: [(pattern: ArgumentText, url: String, isMatch: Bool)] = [
    ("https://example.com/*", "https://example.com/", true),
    ("https://example.com/*", "https://example.com/a/b?c", true),
    ("https://example.com", "https://example.com/a/b?c", true),
    ("https://example.com/", "https://example.com/", true),
    ("https://example.com/", "https://example.com/a", false),
    ("https://example.com/a", "https://example.com/a", true),
    ("https://example.com/a", "https://example.com/a?b", false),
    ("https://example.com/a*", "https://example.com/a?b", true),
    ("https://example.com/a/*/c", "https://example.com/a/x/y/c", true),
    ("https://example.com/a/*/c", "https://example.com/a/x/y/d", false),
    ("https://example.com/b/../a", "https://example.com/a", true),
    ("https://example.com?a=*", "https://example.com/?a=b", true),
    // The scheme.
    ("https://example.com/*", "http://example.com/", false),
    ("HTTPS://example.com/*", "https://example.com/", true),
    ("example.com/*", "http://example.com/", true),
    ("example.com/*", "https://example.com/", true),
    // The host.
    ("https://Example.COM", "https://example.com/", true),
    ("https://example.com", "https://www.example.com/", false),
    ("https://*.example.com", "https://www.example.com/", true),
    ("https://*.example.com", "https://a.b.example.com/", true),
    ("https://*.example.com", "https://example.com/", false),
    ("https://*.example.com", "https://badexample.com/", false),
    ("*.example.com", "http://www.example.com/", true),
    ("[::1]/*", "http://[::1]/x", true),
    // An asterisk does not match into another host.
    ("https://api.example.com/*", "https://api.example.com.evil.test/", false),
    ("https://api.example.com*", "https://api.example.com.evil.test/", false),
    ("https://*.example.com/*", "https://evil.test/.example.com/", false),
    ("https://*.example.com/*", "https://evil.test/?a=.example.com/", false),
    ("https://*.example.com/*", "https://www.example.com@evil.test/", false),
    // The port.
    ("https://example.com/*", "https://example.com:443/", true),
    ("https://example.com/*", "https://example.com:8443/", false),
    ("https://example.com:8443/*", "https://example.com:8443/", true),
    ("example.com:443", "https://example.com/", true),
    ("example.com:443", "http://example.com/", false),
    ("https://example.com:*/*", "https://example.com:8443/", true),
    ("localhost:*", "http://localhost:8080/a", true),
    ("[::1]:*", "http://[::1]:8080/a", true),
    ("[::1]", "http://[::1]:8080/a", false),
    ("[::1]:8080", "http://[::1]:8080/a", true),
  ]

  @Test(
    "A pattern whose path ends in a slash, and so matches one URL only, is recognised",
    arguments: [
      ("https://a.test/", true), ("a.test/b/", true), ("*.a.test/", true), ("https://a.test", false),
      ("https://a.test/*", false), ("a.test/b", false), ("a.test/*/", false), ("https://", false),
    ] as [(ArgumentText, Bool)])
  func oneDirectory(_ pattern: ArgumentText, _ isOfOneDirectory: Bool) {
    #expect((try? SitePattern(pattern))?.isOfOneDirectory ?? false == isOfOneDirectory)
  }

  @Test("A pattern matches by scheme, host, port and path", arguments: rows)
  func matches(_ row: (pattern: ArgumentText, url: String, isMatch: Bool)) throws {
    // A host must not contain an asterisk other than in a leading '*.'.
    guard row.pattern != "https://api.example.com*" else {
      #expect(throws: InvalidValue.self) { try SitePattern(row.pattern) }
      return
    }
    #expect(try SitePattern(row.pattern).matches(Self.target(row.url)) == row.isMatch)
  }

  static let refused: [(ArgumentText, String)] = [
    ("*", "a host may have a '*' only in a '*.' at its beginning"),
    ("https://*/a", "a host may have a '*' only in a '*.' at its beginning"),
    ("https://a.*.b/", "a host may have a '*' only in a '*.' at its beginning"),
    ("", "the pattern is not a URL: it has no host"),
    ("/a", "the pattern is not a URL: it has no host"),
    ("*.", "the pattern is not a URL: it has no host"),
    ("example.com:x", "the pattern is not a URL: its port is not a number from 0 to 65535"),
    ("htps://example.com/*", "the pattern is not a URL: expected http:// or https://, not 'htps:'"),
    ("ftp://example.com", "the pattern is not a URL: expected http:// or https://, not 'ftp:'"),
    ("https:/example.com/", "the pattern is not a URL: expected http:// or https://, not 'https:'"),
    ("a b", "the pattern is not a URL: it holds a space or a control character"),
    ("https://me@example.com/", "a pattern cannot have a user or a password"),
    ("a\nb", "the value holds a line feed"),
  ]

  @Test("An invalid pattern is refused with the reason", arguments: refused)
  func refuses(_ pattern: ArgumentText, _ reason: String) {
    do throws(InvalidValue) {
      _ = try SitePattern(pattern)
      Issue.record("it is taken")
    } catch {
      if case .unacceptable(let sentence, hint: _) = error {
        #expect(sentence == reason)
      } else {
        Issue.record("\(error)")
      }
    }
  }

  /// Patterns in the order of their specificity, the least specific first.
  static let ranking: [ArgumentText] = [
    "*.test", "*.b.test", "a.b.test:*", "a.b.test", "http://a.b.test", "a.b.test/x*", "http://a.b.test:80/x*",
    "a.b.test/x/*", "a.b.test/x/y",
  ]

  @Test("An exact host is more specific than a wildcard, then a longer path, then scheme and port")
  func specificity() throws {
    let target = try Self.target("http://a.b.test/x/y")
    let patterns = try Self.ranking.map { try SitePattern($0) }
    for (index, pattern) in patterns.enumerated() {
      #expect(pattern.matches(target), "\(Self.ranking[index].visible)")
      for other in patterns[(index + 1)...] {
        #expect(pattern.isLessSpecific(than: other) && !other.isLessSpecific(than: pattern))
      }
      #expect(!pattern.isLessSpecific(than: pattern))
    }
  }
}
