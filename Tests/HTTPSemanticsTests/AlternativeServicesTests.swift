import HTTPSemantics
import TestTraits
import Testing

@Suite("Alternative services (RFC 7838)")
struct AlternativeServicesTests {
  static let now = Timestamp.newYear2026
  static let origin = AlternativeServices.Origin(host: "a.test", port: 443)

  /// Each offer as `PROTOCOL HOST PORT SECONDS`, followed by `persistent` if it is; `nil` if the response makes no
  /// statement.
  static let rows: [Row<(fields: Fields, version: HTTPVersion), [String]?>] = [
    Row("no field makes no statement", ([:], .http2), nil),
    Row("the default lifetime is a day", (["Alt-Svc": "h2=\":8443\""], .http2), ["h2 a.test 8443 86400"]),
    Row("a host", (["Alt-Svc": "h2=\"B.test:443\"; ma=60"], .http11), ["h2 b.test 443 60"]),
    Row("an address", (["Alt-Svc": "h3=\"[2001:db8::1]:443\"; ma=60"], .http2), ["h3 [2001:db8::1] 443 60"]),
    Row(
      "several offers, separated by commas or lines",
      (["Alt-Svc": "h3=\":1\"; ma=60, h2=\":2\";ma=61", "alt-svc": "h2=\":3\";ma=62"], .http2),
      ["h3 a.test 1 60", "h2 a.test 2 61", "h2 a.test 3 62"]),
    Row(
      "persist is 1 or ignored", (["Alt-Svc": "h2=\":1\"; persist=1; ma=\"60\", h2=\":2\"; persist=2; ma=60"], .http2),
      ["h2 a.test 1 60 persistent", "h2 a.test 2 60"]),
    Row(
      "the slash of HTTP/1.1 is percent-encoded", (["Alt-Svc": "http%2F1.1=\":80\"; ma=60"], .http2),
      ["h1 a.test 80 60"]),
    Row(
      "only the first eight offers count",
      (["Alt-Svc": FieldValue((1...9).map { "h2=\":\($0)\";ma=9" }.joined(separator: ","))], .http2),
      (1...8).map { "h2 a.test \($0) 9" }),
    Row("clear excludes all offers", (["Alt-Svc": "h2=\":1\", clear"], .http2), []),
    Row("an unknown protocol is ignored", (["Alt-Svc": "spdy=\":1\""], .http2), []),
    Row("Age reduces the lifetime", (["Alt-Svc": "h2=\":1\"; ma=60", "Age": "20"], .http2), ["h2 a.test 1 40"]),
    Row("an Age of the whole lifetime leaves nothing", (["Alt-Svc": "h2=\":1\"; ma=60", "Age": "60"], .http2), []),
    Row(
      "an unknown parameter is ignored", (["Alt-Svc": "h2=\":1\"; v=\"1;ma=9\"; ma=60"], .http2), ["h2 a.test 1 60"]
    ),
    Row("an authority without quotation marks is malformed", (["Alt-Svc": "h2=:443"], .http2), nil),
    Row("an authority without a port is malformed", (["Alt-Svc": "h2=\"b.test\""], .http2), nil),
    Row("an invalid port is malformed", (["Alt-Svc": "h2=\":65536\", h2=\":0\""], .http2), nil),
    Row("a host with a space is malformed", (["Alt-Svc": "h2=\"[:: 1]:443\", h2=\"b test:443\""], .http2), nil),
    Row(
      "an invalid lifetime is ignored", (["Alt-Svc": "h2=\":1\"; ma=-1"], .http2), ["h2 a.test 1 86400"]),
  ]

  @Test("Alt-Svc is read into the services that it offers", arguments: rows)
  func offered(_ row: Row<(fields: Fields, version: HTTPVersion), [String]?>) {
    var head = Response(200, fields: row.subject.fields)
    head.version = row.subject.version
    let offers = AlternativeServices.offered(by: head, from: Self.origin, at: Self.now)
    let words = offers?.map { offer in
      "\(offer.offeredProtocol) \(offer.host) \(offer.port) \(offer.expiry.seconds(since: Self.now))"
        + (offer.isPersistent ? " persistent" : "")
    }
    #expect(words == row.outcome)
    #expect(offers?.allSatisfy { $0.originProtocol == (row.subject.version == .http2 ? "h2" : "h1") } ?? true)
  }

  private static func offers(_ ports: Int..., life: Int64 = 86_400, of host: String = "a.test") -> [AlternativeServices
    .Entry]
  {
    ports.map {
      AlternativeServices.Entry(
        origin: AlternativeServices.Origin(host: host, port: 443), originProtocol: "h2", offeredProtocol: "h2",
        host: host, port: $0, expiry: now.advanced(bySeconds: life), isPersistent: false)
    }
  }

  @Test("An origin's new offers replace its old ones, and leave those of other origins")
  func replaced() {
    let others = Self.offers(1, of: "b.test")
    var services = AlternativeServices(Self.offers(1, 2) + others)
    func isNews(_ offers: [AlternativeServices.Entry]) -> Bool {
      services.replace(offers, of: Self.origin, at: Self.now)
    }
    var news = [isNews(Self.offers(3))]
    #expect(services.entries == others + Self.offers(3))
    news += [isNews(Self.offers(3, life: 85_000)), isNews(Self.offers(3, life: 70_000)), isNews([])]
    #expect(services.entries == others)
    news.append(isNews([]))
    #expect(news == [true, false, true, true, false])
    services.removeExpired(at: Self.now.advanced(bySeconds: 86_400))
    #expect(services.entries.isEmpty)
  }

  @Test("Beyond the maximum of entries no offer is added")
  func bounded() {
    let full = (0..<AlternativeServices.maximumEntries).flatMap { Self.offers(1, of: "h\($0).test") }
    var services = AlternativeServices(full)
    let isNews = services.replace(Self.offers(1), of: Self.origin, at: Self.now)
    #expect(!isNews && services.entries == full)
    let isCleared = services.replace([], of: full[0].origin, at: Self.now)
    #expect(isCleared && services.entries == Array(full.dropFirst()))
  }
}
