import Testing

@testable import HTTPSemantics

@Suite("Cookies (RFC 6265)")
struct CookieTests {
  static let now = Timestamp.newYear2026

  static func target(_ text: String) throws -> TargetURI { try URIReference(typed: text.utf8).target }

  /// The cookies of a jar in one line, `NAME=VALUE domain path flags`.
  static func described(_ cookies: [Cookie]) -> String {
    cookies.map { cookie in
      let pair = String(decoding: cookie.name + [ASCII.equals] + cookie.value, as: UTF8.self)
      let flags = [
        cookie.isHostOnly ? "host" : nil, cookie.isSecure ? "secure" : nil, cookie.isHTTPOnly ? "http" : nil,
        cookie.expiry.map { "\($0.seconds(since: now))" },
      ]
      return ([pair, cookie.domain, cookie.path] + flags.compactMap { $0 }).joined(separator: " ")
    }.joined(separator: ", ")
  }

  static let rows: [Row<(String, FieldValue), String>] = [
    Row("a name and a value", ("http://a.test/b/c", "n=v"), "n=v a.test /b host"),
    Row("the value may hold anything but a semicolon", ("http://a.test/", "n=a=b \"c\""), "n=a=b \"c\" a.test / host"),
    Row("blanks around either are left out", ("http://a.test/", " n =  v ;"), "n=v a.test / host"),
    Row("the value may be empty", ("http://a.test/", "n="), "n= a.test / host"),
    Row("without an equals sign it is none", ("http://a.test/", "n"), ""),
    Row("without a name it is none", ("http://a.test/", "=v"), ""),
    Row("with a control character it is none", ("http://a.test/", "n=a\tb"), ""),
    Row("the path of the request up to its last slash", ("http://a.test/b?c/d", "n=v"), "n=v a.test / host"),
    Row("Path", ("http://a.test/b/c", "n=v; Path=/x"), "n=v a.test /x host"),
    Row("a Path that does not begin with a slash is none", ("http://a.test/b/c", "n=v; path=x"), "n=v a.test /b host"),
    Row("of attributes the last counts", ("http://a.test/", "n=v; Path=/x; PATH=/y"), "n=v a.test /y host"),
    Row("Domain opens it to those below", ("http://www.a.test/", "n=v; Domain=A.test"), "n=v a.test /"),
    Row("with a period or without", ("http://www.a.test/", "n=v; Domain=.a.test"), "n=v a.test /"),
    Row("Domain may be the host's own", ("http://a.test/", "n=v; Domain=a.test"), "n=v a.test /"),
    Row("another's Domain is refused", ("http://a.test/", "n=v; Domain=b.test"), ""),
    Row("one below the host is refused", ("http://a.test/", "n=v; Domain=www.a.test"), ""),
    Row("one that only ends so is refused", ("http://ba.test/", "n=v; Domain=a.test"), ""),
    Row("one of a single label is refused", ("http://a.test/", "n=v; Domain=test"), ""),
    Row("an empty one is none", ("http://a.test/", "n=v; Domain="), "n=v a.test / host"),
    Row("a period behind a registry makes it no other", ("http://a.com./", "n=v; Domain=com."), ""),
    Row("an address has no domain", ("http://10.0.0.1/", "n=v; Domain=0.0.1"), ""),
    Row("but its own", ("http://10.0.0.1/", "n=v; Domain=10.0.0.1"), "n=v 10.0.0.1 / host"),
    Row("Secure over https", ("https://a.test/", "n=v; Secure; HttpOnly"), "n=v a.test / host secure http"),
    Row("Secure over http is refused", ("http://a.test/", "n=v; Secure"), ""),
    Row("but on this machine", ("http://localhost/", "n=v; Secure"), "n=v localhost / host secure"),
    Row("Max-Age", ("http://a.test/", "n=v; Max-Age=60"), "n=v a.test / host 60"),
    Row(
      "Max-Age comes before Expires", ("http://a.test/", "n=v; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT"),
      "n=v a.test / host 60"),
    Row("a Max-Age that is none counts for nothing", ("http://a.test/", "n=v; Max-Age=6x"), "n=v a.test / host"),
    Row("Expires", ("http://a.test/", "n=v; Expires=Thu, 01 Jan 2026 00:01:00 GMT"), "n=v a.test / host 60"),
    Row(
      "in one of its many forms", ("http://a.test/", "n=v; Expires=Thursday, 1-jan-26 0:1:0"), "n=v a.test / host 60"),
    Row("an Expires that is none counts for nothing", ("http://a.test/", "n=v; Expires=tomorrow"), "n=v a.test / host"),
    Row("what has expired is not kept", ("http://a.test/", "n=v; Max-Age=0"), ""),
    Row("nor what has a negative age", ("http://a.test/", "n=v; Max-Age=-1"), ""),
    Row("__Secure- promises TLS", ("http://localhost/", "__Secure-n=v"), ""),
    Row("and holds with it", ("https://a.test/", "__Secure-n=v; Secure"), "__Secure-n=v a.test / host secure"),
    Row("__Host- promises the host", ("https://a.test/", "__Host-n=v; Secure; Path=/; Domain=a.test"), ""),
    Row("an address, too", ("https://10.0.0.1/", "__Host-n=v; Secure; Path=/; Domain=10.0.0.1"), ""),
    Row("and the root", ("https://a.test/b/", "__Host-n=v; Secure; Path=/b"), ""),
    Row("and holds with them", ("https://a.test/b/", "__Host-n=v; Secure; Path=/"), "__Host-n=v a.test / host secure"),
  ]

  @Test("What an origin sets", arguments: rows)
  func set(_ row: Row<(String, FieldValue), String>) throws {
    var jar = CookieJar()
    jar.keep(["Set-Cookie": row.subject.1], from: try Self.target(row.subject.0), at: Self.now)
    #expect(Self.described(jar.cookies) == row.outcome)
  }

  static let sentRows: [Row<(cookie: String, to: String), Bool>] = [
    Row("to its host", ("n=v", "http://a.test/"), true),
    Row("whatever the port", ("n=v", "http://a.test:81/"), true),
    Row("not to another", ("n=v", "http://b.test/"), false),
    Row("not to one below", ("n=v", "http://www.a.test/"), false),
    Row("but with Domain", ("n=v; Domain=a.test", "http://www.a.test/"), true),
    Row("and not to what only ends so", ("n=v; Domain=a.test", "http://ba.test/"), false),
    Row("to its path", ("n=v; Path=/b", "http://a.test/b"), true),
    Row("and what is below", ("n=v; Path=/b", "http://a.test/b/c"), true),
    Row("not to what only begins so", ("n=v; Path=/b", "http://a.test/bc"), false),
    Row("not above", ("n=v; Path=/b/", "http://a.test/b"), false),
    Row("a secure one over https", ("n=v; Secure", "https://a.test/"), true),
    Row("and not over http", ("n=v; Secure", "http://a.test/"), false),
  ]

  @Test("Where a cookie goes", arguments: sentRows)
  func sent(_ row: Row<(cookie: String, to: String), Bool>) throws {
    var jar = CookieJar()
    jar.keep(
      ["Set-Cookie": FieldValue(row.subject.cookie + (row.subject.cookie.contains("Path") ? "" : "; Path=/"))],
      from: try Self.target("https://a.test/"), at: Self.now)
    let field = jar.field(for: try Self.target(row.subject.to), at: Self.now)
    #expect(field == (row.outcome ? "n=v" : nil))
  }

  @Test("Longer paths come first, then what is older")
  func order() throws {
    var jar = CookieJar()
    let target = try Self.target("http://a.test/b/c")
    for cookie in ["one=1; Path=/", "two=2; Path=/b", "three=3; Path=/", "one=4; Path=/"] {
      jar.keep(["Set-Cookie": FieldValue(cookie)], from: target, at: Self.now)
    }
    #expect(jar.field(for: target, at: Self.now) == "two=2; one=4; three=3")
  }

  @Test("What has expired is not sent")
  func expiry() throws {
    var jar = CookieJar()
    let target = try Self.target("http://a.test/")
    jar.keep(["Set-Cookie": "n=v; Max-Age=10"], from: target, at: Self.now)
    #expect(jar.field(for: target, at: Self.now.advanced(bySeconds: 9)) == "n=v")
    #expect(jar.field(for: target, at: Self.now.advanced(bySeconds: 10)) == nil)
    jar.removeExpired(at: Self.now.advanced(bySeconds: 10))
    #expect(jar.cookies.isEmpty)
  }

  @Test("What came over TLS is not replaced by what did not")
  func guarded() throws {
    var jar = CookieJar()
    jar.keep(["Set-Cookie": "n=v; Secure"], from: try Self.target("https://a.test/"), at: Self.now)
    jar.keep(["Set-Cookie": "n=w"], from: try Self.target("http://a.test/"), at: Self.now)
    #expect(Self.described(jar.cookies) == "n=v a.test / host secure")
  }

  @Test("Whatever an origin sets, nothing traps, and nothing ends the line")
  func hostile() throws {
    let target = try Self.target("https://a.test/")
    for value in Hostile.values {
      for prefix in ["", "n=", "n=v; Expires=", "n=v; Domain=", "n=v; Path=/", "n=v; Max-Age="] {
        var jar = CookieJar()
        jar.keep(["Set-Cookie": FieldValue(Array(prefix.utf8) + value.bytes)], from: target, at: Self.now)
        let sent = jar.field(for: target, at: Self.now)?.bytes ?? []
        #expect(sent.allSatisfy { $0 >= ASCII.space })
      }
    }
  }
}
