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
    Row("tabs are blanks, too", ("http://a.test/", "n\t=\tv\t; Path=/"), "n=v a.test / host"),
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
    Row("one of which anybody may have a part is refused", ("http://a.pages.test/", "n=v; Domain=pages.test"), ""),
    Row("but its own", ("http://pages.test/", "n=v; Domain=pages.test"), "n=v pages.test / host"),
    Row("below it, there is one again", ("http://b.a.pages.test/", "n=v; Domain=a.pages.test"), "n=v a.pages.test /"),
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

  @Test("A cookie is what an origin may set", arguments: rows)
  func set(_ row: Row<(String, FieldValue), String>) throws {
    var jar = CookieJar()
    jar.keep(["Set-Cookie": row.subject.1], inAnswerTo: Request(.get, try Self.target(row.subject.0)), at: Self.now)
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

  @Test("A cookie goes where its domain, path and scheme lead", arguments: sentRows)
  func sent(_ row: Row<(cookie: String, to: String), Bool>) throws {
    var jar = CookieJar()
    jar.keep(
      ["Set-Cookie": FieldValue(row.subject.cookie + (row.subject.cookie.contains("Path") ? "" : "; Path=/"))],
      inAnswerTo: Request(.get, try Self.target("https://a.test/")), at: Self.now)
    let field = jar.field(for: Request(.get, try Self.target(row.subject.to)), at: Self.now)
    #expect(field == (row.outcome ? "n=v" : nil))
  }

  @Test("Longer paths come first, then what is older")
  func order() throws {
    var jar = CookieJar()
    let target = try Self.target("http://a.test/b/c")
    for cookie in ["one=1; Path=/", "two=2; Path=/b", "three=3; Path=/", "one=4; Path=/"] {
      jar.keep(["Set-Cookie": FieldValue(cookie)], inAnswerTo: Request(.get, target), at: Self.now)
    }
    #expect(jar.field(for: Request(.get, target), at: Self.now) == "two=2; one=4; three=3")
  }

  @Test("Of more than anybody needs, the oldest go, and the others are found as before")
  func bound() throws {
    var jar = CookieJar()
    func keep(_ numbers: Range<Int>, _ value: String) throws {
      let target = try Self.target("http://a.test/")
      for number in numbers {
        jar.keep(["Set-Cookie": FieldValue("n\(number)=\(value)")], inAnswerTo: Request(.get, target), at: Self.now)
      }
    }
    let count = 2 * CookieJar.keptCookies + 10
    try keep(0..<count, "old")
    try keep((count - 5)..<count, "new")
    #expect((CookieJar.keptCookies..<(2 * CookieJar.keptCookies)).contains(jar.cookies.count))
    let last = jar.cookies.suffix(6).map { String(decoding: $0.name + [61] + $0.value, as: UTF8.self) }
    var expected = ["n\(count - 6)=old"]
    for number in (count - 5)..<count { expected.append("n\(number)=new") }
    #expect(last == expected)
    jar.removeExpired(at: Self.now)
    try keep((count - 5)..<count, "newest")
    #expect(jar.cookies.count { $0.value == Array("newest".utf8) } == 5)
    #expect(jar.cookies.count { $0.value == Array("new".utf8) } == 0)
  }

  @Test("No field is longer than servers take: a cookie that would make it so stays, and what has room goes")
  func longestField() throws {
    var jar = CookieJar()
    let target = try Self.target("http://a.test/")
    let pairs = [("a", 4000), ("b", 4000), ("c", 500), ("d", 100)].map { name, count in
      "\(name)=\(String(repeating: "x", count: count))"
    }
    for pair in pairs { jar.keep(["Set-Cookie": FieldValue(pair)], inAnswerTo: Request(.get, target), at: Self.now) }
    #expect(jar.cookies.count == pairs.count)
    let sent = [pairs[0], pairs[1], pairs[3]].joined(separator: "; ")
    #expect(jar.field(for: Request(.get, target), at: Self.now) == FieldValue(sent))
  }

  @Test("A name that was typed is not this machine's, whatever address it is asked at")
  func typedHost() throws {
    var jar = CookieJar()
    let target = try Self.target("http://127.0.0.1/")
    for (host, isSent) in [("foo.test", false), ("localhost", true)] {
      let request = Request(.get, target, fields: ["Host": FieldValue(host)])
      jar.keep(Cookie(name: [110], value: [118], domain: host, isHostOnly: true, isSecure: true), at: Self.now)
      #expect((jar.field(for: request, at: Self.now) != nil) == isSent, "\(host)")
    }
  }

  @Test("What has expired is not sent")
  func expiry() throws {
    var jar = CookieJar()
    let target = try Self.target("http://a.test/")
    jar.keep(["Set-Cookie": "n=v; Max-Age=10"], inAnswerTo: Request(.get, target), at: Self.now)
    #expect(jar.field(for: Request(.get, target), at: Self.now.advanced(bySeconds: 9)) == "n=v")
    #expect(jar.field(for: Request(.get, target), at: Self.now.advanced(bySeconds: 10)) == nil)
    jar.removeExpired(at: Self.now.advanced(bySeconds: 10))
    #expect(jar.cookies.isEmpty)
  }

  @Test("What came over TLS is not replaced by what did not")
  func guarded() throws {
    var jar = CookieJar()
    jar.keep(["Set-Cookie": "n=v; Secure"], inAnswerTo: Request(.get, try Self.target("https://a.test/")), at: Self.now)
    jar.keep(["Set-Cookie": "n=w"], inAnswerTo: Request(.get, try Self.target("http://a.test/")), at: Self.now)
    #expect(Self.described(jar.cookies) == "n=v a.test / host secure")
  }

  static let shadowRows: [Row<(secure: String, from: String, plain: FieldValue), Bool>] = [
    Row("for all that is below its host", ("n=v; Secure", "http://www.a.test/", "n=w; Domain=a.test; Path=/"), false),
    Row("for a host below its domain", ("n=v; Secure; Domain=a.test", "http://www.a.test/", "n=w; Path=/"), false),
    Row("for a path below its own", ("n=v; Secure; Path=/b", "http://a.test/", "n=w; Path=/b/c"), false),
    Row("but for a path above", ("n=v; Secure; Path=/b", "http://a.test/", "n=w; Path=/"), true),
    Row("and beside it", ("n=v; Secure; Path=/b", "http://a.test/", "n=w; Path=/bc"), true),
    Row("by another name", ("n=v; Secure", "http://a.test/", "m=w"), true),
    Row("beside one that is not secure", ("n=v; Path=/", "http://www.a.test/", "n=w; Domain=a.test"), true),
    Row("for another host", ("n=v; Secure; Domain=a.test", "http://b.test/", "n=w"), true),
    Row("over TLS, too", ("n=v; Secure", "https://www.a.test/", "n=w; Domain=a.test"), true),
    Row("when it has expired", ("n=v; Secure; Max-Age=5", "http://a.test/", "n=w"), true),
  ]

  @Test(
    "What did not come over TLS does not stand beside a secure cookie that it could be taken for",
    arguments: shadowRows)
  func shadowed(_ row: Row<(secure: String, from: String, plain: FieldValue), Bool>) throws {
    var jar = CookieJar()
    let secure = Request(.get, try Self.target("https://a.test/"))
    jar.keep(["Set-Cookie": FieldValue(row.subject.secure)], inAnswerTo: secure, at: Self.now)
    let request = Request(.get, try Self.target(row.subject.from))
    jar.keep(["Set-Cookie": row.subject.plain], inAnswerTo: request, at: Self.now.advanced(bySeconds: 5))
    #expect(jar.cookies.contains { $0.value == Array("w".utf8) } == row.outcome)
  }

  @Test("Where there are too many, those of a domain with many go before those of others")
  func share() throws {
    var jar = CookieJar()
    func keep(_ count: Int, from host: String, _ attributes: String = "") throws {
      let request = Request(.get, try Self.target("http://\(host)/"))
      for number in 0..<count {
        jar.keep(["Set-Cookie": FieldValue("n\(number)=v\(attributes)")], inAnswerTo: request, at: Self.now)
      }
    }
    try keep(CookieJar.keptOfDomain, from: "a.test")
    try keep(1, from: "b.test")
    try keep(2 * CookieJar.keptCookies, from: "many.test")
    #expect(jar.cookies.count { $0.domain == "a.test" } == CookieJar.keptOfDomain)
    #expect(jar.cookies.count { $0.domain == "b.test" } == 1)
    #expect(jar.cookies.first?.domain == "a.test" && jar.cookies.count >= CookieJar.keptCookies)
  }

  @Test("Where there are too many, what is in use stays")
  func lastAccess() throws {
    var jar = CookieJar()
    let used = Request(.get, try Self.target("http://used.test/"))
    for name in ["sent", "again"] { jar.keep(["Set-Cookie": FieldValue("\(name)=1")], inAnswerTo: used, at: Self.now) }
    jar.keep(["Set-Cookie": "other=1"], inAnswerTo: Request(.get, try Self.target("http://other.test/")), at: Self.now)
    for number in 0..<(5 * CookieJar.keptCookies) {
      let request = Request(.get, try Self.target("http://h\(number / CookieJar.keptOfDomain).test/"))
      jar.keep(["Set-Cookie": FieldValue("n\(number)=v")], inAnswerTo: request, at: Self.now)
      if number.isMultiple(of: 1_000) {
        #expect(jar.field(for: used, at: Self.now) == FieldValue("sent=1; again=\(number == 0 ? 1 : 2)"))
        jar.keep(["Set-Cookie": "again=2"], inAnswerTo: used, at: Self.now)
      }
    }
    #expect(jar.cookies.count { $0.domain == "used.test" } == 2 && !jar.cookies.contains { $0.domain == "other.test" })
  }

  static let hostRows: [Row<String, String>] = [
    Row("its name", "B.test", "b.test"), Row("without its port", "b.test:81", "b.test"),
    Row("an address in brackets", "[::1]:81", "[::1]"), Row("none", "", "a.test"),
  ]

  @Test("Whom a request is for, is in the Host that was typed", arguments: hostRows)
  func host(_ row: Row<String, String>) throws {
    let fields: Fields = ["Host": FieldValue(row.subject)]
    let request = Request(.get, try Self.target("http://a.test/"), fields: fields)
    #expect(request.cookieHost == row.outcome)
    var jar = CookieJar()
    jar.keep(["Set-Cookie": "n=v"], inAnswerTo: request, at: Self.now)
    #expect(Self.described(jar.cookies) == "n=v \(row.outcome) / host")
    #expect(jar.field(for: request, at: Self.now) == "n=v")
    #expect((jar.field(for: Request(.get, request.target), at: Self.now) == nil) == (row.outcome != "a.test"))
  }

  @Test("The name of this machine in a Host makes no connection sure")
  func hostOfLoopback() throws {
    let request = Request(.get, try Self.target("http://a.test/"), fields: ["Host": "localhost"])
    var jar = CookieJar()
    jar.keep(["Set-Cookie": "n=v; Secure"], inAnswerTo: request, at: Self.now)
    #expect(jar.cookies.isEmpty)
    let sure = Request(.get, try Self.target("https://localhost/"))
    jar.keep(["Set-Cookie": "n=v; Secure"], inAnswerTo: sure, at: Self.now)
    #expect(jar.field(for: request, at: Self.now) == nil)
  }

  @Test("What an origin has set is not replaced by what a file says")
  func read() throws {
    let cookie = { (value: String) in
      Cookie(name: Array("n".utf8), value: Array(value.utf8), domain: "a.test", isHostOnly: true)
    }
    let request = Request(.get, try Self.target("http://a.test/"))
    var jar = CookieJar()
    for value in ["1", "2"] { jar.keep(cookie(value), at: Self.now) }
    #expect(jar.field(for: request, at: Self.now) == "n=2")
    jar.keep(["Set-Cookie": "n=3"], inAnswerTo: request, at: Self.now)
    jar.keep(cookie("4"), at: Self.now)
    #expect(jar.field(for: request, at: Self.now) == "n=3")
  }

  @Test("Whatever an origin sets, nothing traps, and nothing ends the line")
  func hostile() throws {
    let target = try Self.target("https://a.test/")
    for value in Hostile.values {
      for prefix in ["", "n=", "n=v; Expires=", "n=v; Domain=", "n=v; Path=/", "n=v; Max-Age="] {
        var jar = CookieJar()
        let set = FieldValue(Array(prefix.utf8) + value.bytes)
        jar.keep(["Set-Cookie": set], inAnswerTo: Request(.get, target), at: Self.now)
        let sent = jar.field(for: Request(.get, target), at: Self.now)?.bytes ?? []
        #expect(sent.allSatisfy { $0 >= ASCII.space })
      }
    }
  }
}

extension CookieJar {
  /// Anybody may have a name below pages.test.
  fileprivate mutating func keep(_ fields: Fields, inAnswerTo request: Request, at now: Timestamp) {
    keep(fields, inAnswerTo: request, at: now) { $0 == "pages.test" }
  }
}
