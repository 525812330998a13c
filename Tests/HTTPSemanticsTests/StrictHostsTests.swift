import HTTPSemantics
import TestTraits
import Testing

@Suite("Hosts that are asked over TLS only: RFC 6797")
struct StrictHostsTests {
  static let now = Timestamp.newYear2026

  private static func target(_ text: String) throws -> TargetURI { try URIReference(typed: text.utf8).target }

  /// The URL that a given URL becomes after `https://a.test/` has sent the field.
  static let rows: [Row<(field: FieldValue, to: String), String>] = [
    Row("max-age changes http to https", ("max-age=60", "http://a.test/"), "https://a.test/"),
    Row("max-age in quotation marks counts", ("max-age=\"60\"", "http://a.test/"), "https://a.test/"),
    Row("names are not case-sensitive", ("Max-Age=60", "http://A.test/b?c"), "https://a.test/b?c"),
    Row("an explicit port stays", ("max-age=60", "http://a.test:8080/"), "https://a.test:8080/"),
    Row("subdomains are not included", ("max-age=60", "http://www.a.test/"), "http://www.a.test/"),
    Row(
      "subdomains are included with includeSubDomains", ("max-age=60; includeSubDomains", "http://www.a.test/"),
      "https://www.a.test/"),
    Row(
      "a name that only ends so is not included", ("max-age=60; includeSubDomains", "http://ba.test/"),
      "http://ba.test/"),
    Row("the root's period is ignored", ("max-age=60", "http://a.test./"), "https://a.test./"),
    Row(
      "the root's period is ignored below, too", ("max-age=60; includeSubDomains", "http://www.a.test./"),
      "https://www.a.test./"),
    Row("https stays", ("max-age=60", "https://a.test:80/"), "https://a.test:80/"),
    Row("a field without max-age is ignored", ("includeSubDomains", "http://a.test/"), "http://a.test/"),
    Row("an unknown directive is ignored", ("preload; max-age=60;", "http://a.test/"), "https://a.test/"),
    Row("a field with a repeated directive is ignored", ("max-age=60; max-age=60", "http://a.test/"), "http://a.test/"),
    Row("an invalid max-age is ignored", ("max-age=-1", "http://a.test/"), "http://a.test/"),
    Row("an escaped digit counts", ("max-age=\"\\60\"", "http://a.test/"), "https://a.test/"),
    Row(
      "a directive in a quoted string is ignored",
      ("max-age=60; x=\"a; includeSubDomains; max-age=0\"", "http://www.a.test/"),
      "http://www.a.test/"),
    Row(
      "a semicolon in a quoted string does not end it", ("x=\"a;max-age=0;\"; max-age=60", "http://a.test/"),
      "https://a.test/"),
    Row(
      "includeSubDomains with a value is malformed", ("max-age=60; includeSubDomains=no", "http://a.test/"),
      "http://a.test/"),
    Row("a max-age of 0 does not secure the host", ("max-age=0", "http://a.test/"), "http://a.test/"),
  ]

  @Test("Strict-Transport-Security secures its host, and subdomains on request", arguments: rows)
  func host(_ row: Row<(field: FieldValue, to: String), String>) throws {
    var hosts = StrictHosts()
    hosts.takeField(
      of: ["Strict-Transport-Security": row.subject.field], from: try Self.target("https://a.test/"), at: Self.now)
    #expect(hosts.secured(try Self.target(row.subject.to), at: Self.now).description == row.outcome)
  }

  @Test(
    "The field is ignored over http and from an address", arguments: ["http://a.test/", "https://10.0.0.1/"])
  func source(_ text: String) throws {
    var hosts = StrictHosts()
    hosts.takeField(of: ["Strict-Transport-Security": "max-age=60"], from: try Self.target(text), at: Self.now)
    #expect(hosts.entries.isEmpty)
  }

  @Test("Two lines of a file for one host are combined to the stricter values")
  func lines() throws {
    let now = Timestamp(secondsSinceEpoch: 1_000)
    let lines = [(true, 10), (false, 20), (false, -10)] as [(isForSubdomains: Bool, life: Int64)]
    for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
      var hosts = StrictHosts()
      for index in order {
        let (isForSubdomains, life) = lines[index]
        let expiry = now.advanced(bySeconds: life)
        hosts.merge(StrictHosts.Entry(host: "a.test", includesSubdomains: isForSubdomains, expiry: expiry), at: now)
      }
      let strictest = StrictHosts.Entry(host: "a.test", includesSubdomains: true, expiry: now.advanced(bySeconds: 20))
      #expect(hosts.entries == [strictest])
    }
  }

  @Test("A lifetime that is hardly longer is applied, but does not count as a change")
  func again() throws {
    var hosts = StrictHosts()
    let target = try Self.target("https://a.test./")
    func keep(_ field: FieldValue, after seconds: Int64) -> Bool {
      let now = Self.now.advanced(bySeconds: seconds)
      return hosts.takeField(of: ["Strict-Transport-Security": field], from: target, at: now) != nil
    }
    #expect(keep("max-age=100", after: 0) && !keep("max-age=100", after: 10) && keep("max-age=100", after: 30))
    #expect(!keep("max-age=100", after: 35))
    let plain = try Self.target("http://a.test/")
    #expect(hosts.secured(plain, at: Self.now.advanced(bySeconds: 134)) != plain)
    #expect(hosts.secured(plain, at: Self.now.advanced(bySeconds: 136)) == plain)
    #expect(keep("max-age=0", after: 40) && !keep("max-age=0", after: 40))
    #expect(keep("max-age=172800", after: 0) && !keep("max-age=172800", after: 60))
    #expect(keep("max-age=172800; includeSubDomains", after: 60) && keep("max-age=172800", after: 86_400))
    #expect(keep("max-age=0", after: 86_400) && !keep("max-age=0", after: 86_400))
    #expect(!keep("includeSubDomains", after: 0))
  }

  @Test("The first field counts, and a later one replaces the entry or removes it")
  func later() throws {
    var hosts = StrictHosts()
    let (secure, plain) = (try Self.target("https://a.test/"), try Self.target("http://a.test/"))
    var fields = Fields()
    for value in ["max-age=60", "max-age=0"] as [FieldValue] {
      fields.append(Field("Strict-Transport-Security", value))
    }
    hosts.takeField(of: fields, from: secure, at: Self.now)
    #expect(hosts.secured(plain, at: Self.now.advanced(bySeconds: 59)) == secure)
    #expect(hosts.secured(plain, at: Self.now.advanced(bySeconds: 60)) == plain)
    hosts.takeField(of: ["Strict-Transport-Security": "max-age=0"], from: secure, at: Self.now)
    #expect(hosts.entries.isEmpty)
  }
}
