import TestTraits
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
    Row(
      "the value may contain anything but a semicolon", ("http://a.test/", "n=a=b \"c\""), "n=a=b \"c\" a.test / host"),
    Row("spaces around name and value are removed", ("http://a.test/", " n =  v ;"), "n=v a.test / host"),
    Row("tabs around name and value are removed", ("http://a.test/", "n\t=\tv\t; Path=/"), "n=v a.test / host"),
    Row("the value may be empty", ("http://a.test/", "n="), "n= a.test / host"),
    Row("a cookie without an equals sign is ignored", ("http://a.test/", "n"), ""),
    Row("a cookie without a name is ignored", ("http://a.test/", "=v"), ""),
    Row("a cookie with a control character is ignored", ("http://a.test/", "n=a\tb"), ""),
    Row("the default path ends before the request's last slash", ("http://a.test/b?c/d", "n=v"), "n=v a.test / host"),
    Row("Path", ("http://a.test/b/c", "n=v; Path=/x"), "n=v a.test /x host"),
    Row("a Path without a leading slash is ignored", ("http://a.test/b/c", "n=v; path=x"), "n=v a.test /b host"),
    Row("the last of two attributes counts", ("http://a.test/", "n=v; Path=/x; PATH=/y"), "n=v a.test /y host"),
    Row("Domain includes subdomains", ("http://www.a.test/", "n=v; Domain=A.test"), "n=v a.test /"),
    Row("a leading period in Domain is ignored", ("http://www.a.test/", "n=v; Domain=.a.test"), "n=v a.test /"),
    Row("Domain may be the host itself", ("http://a.test/", "n=v; Domain=a.test"), "n=v a.test /"),
    Row("a foreign Domain is refused", ("http://a.test/", "n=v; Domain=b.test"), ""),
    Row("a Domain below the host is refused", ("http://a.test/", "n=v; Domain=www.a.test"), ""),
    Row("a Domain that is no parent is refused", ("http://ba.test/", "n=v; Domain=a.test"), ""),
    Row("a Domain of one label is refused", ("http://a.test/", "n=v; Domain=test"), ""),
    Row("a public suffix as Domain is refused", ("http://a.pages.test/", "n=v; Domain=pages.test"), ""),
    Row(
      "a public suffix may be its own host", ("http://pages.test/", "n=v; Domain=pages.test"), "n=v pages.test / host"),
    Row(
      "a domain below a public suffix is allowed", ("http://b.a.pages.test/", "n=v; Domain=a.pages.test"),
      "n=v a.pages.test /"),
    Row("an empty Domain is ignored", ("http://a.test/", "n=v; Domain="), "n=v a.test / host"),
    Row("a trailing period does not hide a public suffix", ("http://a.com./", "n=v; Domain=com."), ""),
    Row("an address has no parent domain", ("http://10.0.0.1/", "n=v; Domain=0.0.1"), ""),
    Row("an address may be its own Domain", ("http://10.0.0.1/", "n=v; Domain=10.0.0.1"), "n=v 10.0.0.1 / host"),
    Row("Secure over https is allowed", ("https://a.test/", "n=v; Secure; HttpOnly"), "n=v a.test / host secure http"),
    Row("Secure over http is refused", ("http://a.test/", "n=v; Secure"), ""),
    Row(
      "Secure over http to localhost is allowed", ("http://localhost/", "n=v; Secure"), "n=v localhost / host secure"),
    Row("Max-Age", ("http://a.test/", "n=v; Max-Age=60"), "n=v a.test / host 60"),
    Row(
      "Max-Age takes precedence over Expires",
      ("http://a.test/", "n=v; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT"),
      "n=v a.test / host 60"),
    Row("an invalid Max-Age is ignored", ("http://a.test/", "n=v; Max-Age=6x"), "n=v a.test / host"),
    Row("Expires", ("http://a.test/", "n=v; Expires=Thu, 01 Jan 2026 00:01:00 GMT"), "n=v a.test / host 60"),
    Row(
      "Expires in another form", ("http://a.test/", "n=v; Expires=Thursday, 1-jan-26 0:1:0"), "n=v a.test / host 60"),
    Row("an invalid Expires is ignored", ("http://a.test/", "n=v; Expires=tomorrow"), "n=v a.test / host"),
    Row("an expired cookie is not kept", ("http://a.test/", "n=v; Max-Age=0"), ""),
    Row("a cookie of negative age is not kept", ("http://a.test/", "n=v; Max-Age=-1"), ""),
    Row("__Secure- without TLS is refused", ("http://localhost/", "__Secure-n=v"), ""),
    Row(
      "__Secure- with Secure is allowed", ("https://a.test/", "__Secure-n=v; Secure"),
      "__Secure-n=v a.test / host secure"),
    Row("__Host- with Domain is refused", ("https://a.test/", "__Host-n=v; Secure; Path=/; Domain=a.test"), ""),
    Row(
      "__Host- with Domain is refused for an address",
      ("https://10.0.0.1/", "__Host-n=v; Secure; Path=/; Domain=10.0.0.1"), ""),
    Row("__Host- with another path is refused", ("https://a.test/b/", "__Host-n=v; Secure; Path=/b"), ""),
    Row(
      "__Host- with its conditions is allowed", ("https://a.test/b/", "__Host-n=v; Secure; Path=/"),
      "__Host-n=v a.test / host secure"),
  ]

  @Test("A cookie is kept as the origin may set it, or refused", arguments: rows)
  func set(_ row: Row<(String, FieldValue), String>) throws {
    var jar = CookieJar()
    jar.takeCookies(
      of: ["Set-Cookie": row.subject.1], inAnswerTo: Request(.get, try Self.target(row.subject.0)), at: Self.now)
    #expect(Self.described(jar.cookies) == row.outcome)
  }

  static let sentRows: [Row<(cookie: String, to: String), Bool>] = [
    Row("it is sent to its host", ("n=v", "http://a.test/"), true),
    Row("it is sent to any port", ("n=v", "http://a.test:81/"), true),
    Row("it is not sent to another host", ("n=v", "http://b.test/"), false),
    Row("it is not sent to a subdomain", ("n=v", "http://www.a.test/"), false),
    Row("with Domain it is sent to a subdomain", ("n=v; Domain=a.test", "http://www.a.test/"), true),
    Row("with Domain it is not sent to a host that only ends so", ("n=v; Domain=a.test", "http://ba.test/"), false),
    Row("it is sent to its path", ("n=v; Path=/b", "http://a.test/b"), true),
    Row("it is sent below its path", ("n=v; Path=/b", "http://a.test/b/c"), true),
    Row("it is not sent to a path that only begins so", ("n=v; Path=/b", "http://a.test/bc"), false),
    Row("it is not sent above its path", ("n=v; Path=/b/", "http://a.test/b"), false),
    Row("a secure cookie is sent over https", ("n=v; Secure", "https://a.test/"), true),
    Row("a secure cookie is not sent over http", ("n=v; Secure", "http://a.test/"), false),
  ]

  @Test("A cookie is sent to its own domain, path and scheme only", arguments: sentRows)
  func sent(_ row: Row<(cookie: String, to: String), Bool>) throws {
    var jar = CookieJar()
    jar.takeCookies(
      of: ["Set-Cookie": FieldValue(row.subject.cookie + (row.subject.cookie.contains("Path") ? "" : "; Path=/"))],
      inAnswerTo: Request(.get, try Self.target("https://a.test/")), at: Self.now)
    let field = jar.field(for: Request(.get, try Self.target(row.subject.to)), at: Self.now)
    #expect(field == (row.outcome ? "n=v" : nil))
  }

  @Test("Cookies with longer paths are sent first, and then the older ones")
  func order() throws {
    var jar = CookieJar()
    let target = try Self.target("http://a.test/b/c")
    for cookie in ["one=1; Path=/", "two=2; Path=/b", "three=3; Path=/", "one=4; Path=/"] {
      jar.takeCookies(of: ["Set-Cookie": FieldValue(cookie)], inAnswerTo: Request(.get, target), at: Self.now)
    }
    #expect(jar.field(for: Request(.get, target), at: Self.now) == "two=2; one=4; three=3")
  }

  @Test("Beyond the maximum the oldest cookies are removed, and the others are still found")
  func bound() throws {
    var jar = CookieJar()
    func keep(_ numbers: Range<Int>, _ value: String) throws {
      let target = try Self.target("http://a.test/")
      for number in numbers {
        jar.takeCookies(
          of: ["Set-Cookie": FieldValue("n\(number)=\(value)")], inAnswerTo: Request(.get, target), at: Self.now)
      }
    }
    let count = 2 * CookieJar.maximumCookies + 10
    try keep(0..<count, "old")
    try keep((count - 5)..<count, "new")
    #expect((CookieJar.maximumCookies..<(2 * CookieJar.maximumCookies)).contains(jar.cookies.count))
    let last = jar.cookies.suffix(6).map { String(decoding: $0.name + [61] + $0.value, as: UTF8.self) }
    var expected = ["n\(count - 6)=old"]
    for number in (count - 5)..<count { expected.append("n\(number)=new") }
    #expect(last == expected)
    jar.removeExpired(at: Self.now)
    try keep((count - 5)..<count, "newest")
    #expect(jar.cookies.count { $0.value == Array("newest".utf8) } == 5)
    #expect(jar.cookies.count { $0.value == Array("new".utf8) } == 0)
  }

  @Test("A cookie that would make the field too long is left out, and later ones that fit are sent")
  func longestField() throws {
    var jar = CookieJar()
    let target = try Self.target("http://a.test/")
    let pairs = [("a", 4000), ("b", 4000), ("c", 500), ("d", 100)].map { name, count in
      "\(name)=\(String(repeating: "x", count: count))"
    }
    for pair in pairs {
      jar.takeCookies(of: ["Set-Cookie": FieldValue(pair)], inAnswerTo: Request(.get, target), at: Self.now)
    }
    #expect(jar.cookies.count == pairs.count)
    let sent = [pairs[0], pairs[1], pairs[3]].joined(separator: "; ")
    #expect(jar.field(for: Request(.get, target), at: Self.now) == FieldValue(sent))
  }

  @Test("A secure cookie is sent over http only to a host with a local name, whatever the address")
  func typedHost() throws {
    var jar = CookieJar()
    let target = try Self.target("http://127.0.0.1/")
    for (host, isSent) in [("foo.test", false), ("localhost", true)] {
      let request = Request(.get, target, fields: ["Host": FieldValue(host)])
      jar.keep(Cookie(name: [110], value: [118], domain: host, isHostOnly: true, isSecure: true), at: Self.now)
      #expect((jar.field(for: request, at: Self.now) != nil) == isSent, "\(host)")
    }
  }

  @Test("An expired cookie is not sent")
  func expiry() throws {
    var jar = CookieJar()
    let target = try Self.target("http://a.test/")
    jar.takeCookies(of: ["Set-Cookie": "n=v; Max-Age=10"], inAnswerTo: Request(.get, target), at: Self.now)
    #expect(jar.field(for: Request(.get, target), at: Self.now.advanced(bySeconds: 9)) == "n=v")
    #expect(jar.field(for: Request(.get, target), at: Self.now.advanced(bySeconds: 10)) == nil)
    jar.removeExpired(at: Self.now.advanced(bySeconds: 10))
    #expect(jar.cookies.isEmpty)
  }

  @Test("A cookie set over http does not replace a secure one")
  func guarded() throws {
    var jar = CookieJar()
    jar.takeCookies(
      of: ["Set-Cookie": "n=v; Secure"], inAnswerTo: Request(.get, try Self.target("https://a.test/")), at: Self.now)
    jar.takeCookies(
      of: ["Set-Cookie": "n=w"], inAnswerTo: Request(.get, try Self.target("http://a.test/")), at: Self.now)
    #expect(Self.described(jar.cookies) == "n=v a.test / host secure")
  }

  static let shadowRows: [Row<(secure: String, from: String, plain: FieldValue), Bool>] = [
    Row(
      "a domain that includes the secure cookie's host",
      ("n=v; Secure", "http://www.a.test/", "n=w; Domain=a.test; Path=/"), false),
    Row(
      "a host within the secure cookie's domain", ("n=v; Secure; Domain=a.test", "http://www.a.test/", "n=w; Path=/"),
      false),
    Row("a path below the secure cookie's path", ("n=v; Secure; Path=/b", "http://a.test/", "n=w; Path=/b/c"), false),
    Row("a path above the secure cookie's path", ("n=v; Secure; Path=/b", "http://a.test/", "n=w; Path=/"), true),
    Row("a path beside the secure cookie's path", ("n=v; Secure; Path=/b", "http://a.test/", "n=w; Path=/bc"), true),
    Row("another name", ("n=v; Secure", "http://a.test/", "m=w"), true),
    Row("a cookie that is not secure", ("n=v; Path=/", "http://www.a.test/", "n=w; Domain=a.test"), true),
    Row("another host", ("n=v; Secure; Domain=a.test", "http://b.test/", "n=w"), true),
    Row("a connection over TLS", ("n=v; Secure", "https://www.a.test/", "n=w; Domain=a.test"), true),
    Row("a secure cookie that has expired", ("n=v; Secure; Max-Age=5", "http://a.test/", "n=w"), true),
  ]

  @Test(
    "A cookie set over http is refused if it could be mistaken for a secure one",
    arguments: shadowRows)
  func shadowed(_ row: Row<(secure: String, from: String, plain: FieldValue), Bool>) throws {
    var jar = CookieJar()
    let secure = Request(.get, try Self.target("https://a.test/"))
    jar.takeCookies(of: ["Set-Cookie": FieldValue(row.subject.secure)], inAnswerTo: secure, at: Self.now)
    let request = Request(.get, try Self.target(row.subject.from))
    jar.takeCookies(of: ["Set-Cookie": row.subject.plain], inAnswerTo: request, at: Self.now.advanced(bySeconds: 5))
    #expect(jar.cookies.contains { $0.value == Array("w".utf8) } == row.outcome)
  }

  @Test("Beyond the maximum the cookies of domains with many cookies are removed first")
  func share() throws {
    var jar = CookieJar()
    func keep(_ count: Int, from host: String, _ attributes: String = "") throws {
      let request = Request(.get, try Self.target("http://\(host)/"))
      for number in 0..<count {
        jar.takeCookies(of: ["Set-Cookie": FieldValue("n\(number)=v\(attributes)")], inAnswerTo: request, at: Self.now)
      }
    }
    try keep(CookieJar.maximumPerDomain, from: "a.test")
    try keep(1, from: "b.test")
    try keep(2 * CookieJar.maximumCookies, from: "many.test")
    #expect(jar.cookies.count { $0.domain == "a.test" } == CookieJar.maximumPerDomain)
    #expect(jar.cookies.count { $0.domain == "b.test" } == 1)
    #expect(jar.cookies.first?.domain == "a.test" && jar.cookies.count >= CookieJar.maximumCookies)
  }

  @Test("Beyond the maximum the cookies in use are kept")
  func lastAccess() throws {
    var jar = CookieJar()
    let used = Request(.get, try Self.target("http://used.test/"))
    for name in ["sent", "again"] {
      jar.takeCookies(of: ["Set-Cookie": FieldValue("\(name)=1")], inAnswerTo: used, at: Self.now)
    }
    jar.takeCookies(
      of: ["Set-Cookie": "other=1"], inAnswerTo: Request(.get, try Self.target("http://other.test/")), at: Self.now)
    for number in 0..<(5 * CookieJar.maximumCookies) {
      let request = Request(.get, try Self.target("http://h\(number / CookieJar.maximumPerDomain).test/"))
      jar.takeCookies(of: ["Set-Cookie": FieldValue("n\(number)=v")], inAnswerTo: request, at: Self.now)
      if number.isMultiple(of: 1_000) {
        #expect(jar.field(for: used, at: Self.now) == FieldValue("sent=1; again=\(number == 0 ? 1 : 2)"))
        jar.takeCookies(of: ["Set-Cookie": "again=2"], inAnswerTo: used, at: Self.now)
      }
    }
    #expect(jar.cookies.count { $0.domain == "used.test" } == 2 && !jar.cookies.contains { $0.domain == "other.test" })
  }

  static let hostRows: [Row<String, String>] = [
    Row("the Host's name", "B.test", "b.test"), Row("the Host without its port", "b.test:81", "b.test"),
    Row("an address in brackets", "[::1]:81", "[::1]"), Row("no Host", "", "a.test"),
  ]

  @Test("The Host field that the user typed decides which cookies are sent and set", arguments: hostRows)
  func host(_ row: Row<String, String>) throws {
    let fields: Fields = ["Host": FieldValue(row.subject)]
    let request = Request(.get, try Self.target("http://a.test/"), fields: fields)
    #expect(request.cookieHost == row.outcome)
    var jar = CookieJar()
    jar.takeCookies(of: ["Set-Cookie": "n=v"], inAnswerTo: request, at: Self.now)
    #expect(Self.described(jar.cookies) == "n=v \(row.outcome) / host")
    #expect(jar.field(for: request, at: Self.now) == "n=v")
    #expect((jar.field(for: Request(.get, request.target), at: Self.now) == nil) == (row.outcome != "a.test"))
  }

  @Test("Localhost in the Host field does not count as a secure connection")
  func hostOfLoopback() throws {
    let request = Request(.get, try Self.target("http://a.test/"), fields: ["Host": "localhost"])
    var jar = CookieJar()
    jar.takeCookies(of: ["Set-Cookie": "n=v; Secure"], inAnswerTo: request, at: Self.now)
    #expect(jar.cookies.isEmpty)
    let sure = Request(.get, try Self.target("https://localhost/"))
    jar.takeCookies(of: ["Set-Cookie": "n=v; Secure"], inAnswerTo: sure, at: Self.now)
    #expect(jar.field(for: request, at: Self.now) == nil)
  }

  @Test("A cookie from a file does not replace one that an origin has set")
  func read() throws {
    let cookie = { (value: String) in
      Cookie(name: Array("n".utf8), value: Array(value.utf8), domain: "a.test", isHostOnly: true)
    }
    let request = Request(.get, try Self.target("http://a.test/"))
    var jar = CookieJar()
    for value in ["1", "2"] { jar.keep(cookie(value), at: Self.now) }
    #expect(jar.field(for: request, at: Self.now) == "n=2")
    jar.takeCookies(of: ["Set-Cookie": "n=3"], inAnswerTo: request, at: Self.now)
    jar.keep(cookie("4"), at: Self.now)
    #expect(jar.field(for: request, at: Self.now) == "n=3")
  }

  @Test("Hostile Set-Cookie values never trap, and never put a control character into a request")
  func hostile() throws {
    let target = try Self.target("https://a.test/")
    for value in Hostile.values {
      for prefix in ["", "n=", "n=v; Expires=", "n=v; Domain=", "n=v; Path=/", "n=v; Max-Age="] {
        var jar = CookieJar()
        let set = FieldValue(Array(prefix.utf8) + value.bytes)
        jar.takeCookies(of: ["Set-Cookie": set], inAnswerTo: Request(.get, target), at: Self.now)
        let sent = jar.field(for: Request(.get, target), at: Self.now)?.bytes ?? []
        #expect(sent.allSatisfy { $0 >= ASCII.space })
      }
    }
  }
}

extension CookieJar {
  /// Keeps the cookies of an answer, with pages.test as a public suffix.
  fileprivate mutating func takeCookies(of fields: Fields, inAnswerTo request: Request, at now: Timestamp) {
    takeCookies(of: fields, inAnswerTo: request, at: now) { $0 == "pages.test" }
  }
}
