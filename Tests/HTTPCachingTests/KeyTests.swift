import HTTPCaching
import HTTPSemantics
import TestTraits
import Testing

@Suite("Cache keys and audiences: RFC 9111 section 2")
struct KeyTests {
  private static func audience(_ fields: Fields, trust: [String] = []) -> Audience {
    Audience(of: get(fields), trust: trust.map { Array($0.utf8) })
  }

  @Test("A request without credentials over a verified connection has no audience")
  func anybody() {
    let audience = Self.audience(["Accept": "a", "User-Agent": "b", "Host": "example.com", "Range": "bytes=0-1"])
    #expect(audience.canonicalBytes == nil)
  }

  static let secrets: [FieldName] = [
    "Authorization", "authorization", "Cookie", "Proxy-Authorization", "X-Api-Key", "API-KEY", "X-Auth-Token",
    "Private-Token", "X-Amz-Security-Token", "X-Custom-Token", "X-My-Secret", "X-Password", "X-Session-Id",
    "X-Credentials", "X-Authorization", "X-Auth", "Authentication", "X-JWT", "X-Bearer", "X-Access-Key", "DPoP",
    "Signature", "X-Hub-Signature-256", "X-CSRFToken", "Client-Cert", "X-GitHub-OTP", "Cookie2", "ApiKey",
    "X-Csrf-Token",
    "X-Xsrf-Token", "X-Goog-Api-Key", "Job-Token", "Ocp-Apim-Subscription-Key", "DD-APPLICATION-KEY", "Fastly-Key",
    "CF-Access-Client-Id", "Impersonate-User", "Sudo", "X-Username", "X-SSL-Client-DN", "X-OTP",
    "CB-ACCESS-PASSPHRASE", "X-WSSE", "X-Ovh-Consumer", "X-Pass", "X-Passcode", "X-MFA-Code", "X-2FA-Code", "X-Sig",
    "X-SID", "X-Assertion", "X-User", "X-Identity", "X-Client-DN", "SSL_CLIENT_S_DN", "X-Tenant", "X-Account",
    "X-Org-Id", "X-Grafana-Org-Id", "X-Hasura-Role", "X-On-Behalf-Of", "X-Tenant-Id", "Stripe-Account",
    "X-Ticket", "X-Login", "X-Access", "X-Client-Cert", "ssl-client-cert", "X-ARR-ClientCert", "X-MS-Client-Principal",
    "X-JFrog-Art-Api", "X-Honeycomb-Team", "X-Amzn-Oidc-Data", "X-WP-Nonce", "X-Scope-OrgID", "X-Api-User",
    "X-Client-Id", "X-Algolia-Application-Id", "License", "X-MS-CLIENT-PRINCIPAL-ID", "Client-Cert-Chain",
    "X-Forwarded-Client-Cert", "X-Forwarded-Tls-Client-Cert-Info",
  ]

  @Test("A field that identifies the client is part of the key", arguments: secrets)
  func secret(_ name: FieldName) {
    #expect(CredentialFields().contains(name))
    let one = Self.audience([name: "1"]).canonicalBytes
    let other = Self.audience([name: "2"]).canonicalBytes
    #expect(one != nil)
    #expect(one != other)
    #expect(one == Self.audience(["Accept": "x", name: "1"]).canonicalBytes)
  }

  @Test(
    "A field that only negotiates the response is not part of the key",
    arguments: [
      "Accept", "Accept-Encoding", "Accept-Language", "User-Agent", "Referer", "Range", "If-None-Match",
      "Cache-Control", "Origin", "Prefer", "X-Certainty", "X-Ticketing", "X-Access-Level", "X-Bypass", "X-Pinned",
      "X-Origin",
      "Access-Control-Request-Method",
    ] as [FieldName])
  func harmless(_ name: FieldName) {
    #expect(!CredentialFields().contains(name))
  }

  @Test("Every combination of credentials, trust and Host makes another audience")
  func different() {
    let audiences: [Audience] = [
      Self.audience([:]), Self.audience(["Authorization": "1"]), Self.audience(["Cookie": "1"]),
      Self.audience(["Authorization": "1", "Cookie": "1"]), Self.audience(["Authorization": "1"], trust: ["insecure"]),
      Self.audience([:], trust: ["insecure"]), Self.audience([:], trust: ["insecure", "cacert x"]),
      Self.audience(["Host": "other.example"]), Self.audience(["Host": "other.example"], trust: ["insecure"]),
      Self.audience(["Authorization": ""]), Self.audience(["Cookie": "a", "Cookie": "b"]),
      Self.audience(["Cookie": "a"]),
    ]
    #expect(Set(audiences.map(\.canonicalBytes)).count == audiences.count)
  }

  @Test("The order of credential fields and the case of their names do not change the audience")
  func order() {
    let one = Self.audience(["Authorization": "1", "Cookie": "2"])
    let other = Self.audience(["cookie": "2", "AUTHORIZATION": "1"])
    #expect(one.canonicalBytes == other.canonicalBytes)
  }

  @Test("A Host field equal to the URI's host makes no audience")
  func sameHost() {
    #expect(Self.audience(["Host": "EXAMPLE.com"]).canonicalBytes == nil)
    #expect(Self.audience(["Host": "example.com:8443"]).canonicalBytes != nil)
  }

  @Test("A key consists of target and audience, and prints only the beginning of the digest")
  func key() {
    let audience = [UInt8](1...32)
    let key = CacheKey(.example, audience: audience)
    #expect(key != .example)
    #expect(key == CacheKey(.example, audience: audience))
    #expect(key != CacheKey(.example, audience: audience.reversed()))
    #expect(CacheKey.example.description == "https://example.com/a?b")
    #expect(key.description == "https://example.com/a?b (for 0102030405060708)")
  }

  @Test("A field that the user lists counts as identifying, whatever its case")
  func listed() {
    let rules = KeyRules(credentialFields: CredentialFields(listed: ["X-Who"]))
    let request = get(["x-who": "1"])
    #expect(Audience(of: request).canonicalBytes == nil)
    #expect(Audience(of: request, under: rules).canonicalBytes != nil)
    #expect(!CredentialFields(listed: ["X-Who"]).contains("X-Whom"))
  }

  @Test("Each partition has its own audiences")
  func partition() {
    let audiences = [KeyRules(), KeyRules(partition: [1]), KeyRules(partition: [2])].flatMap { rules in
      [get(), get(["Cookie": "a"])].map { Audience(of: $0, under: rules).canonicalBytes }
    }
    #expect(Set(audiences).count == audiences.count)
  }

  static let reductions: [Row<String, String>] = [
    Row("a matching parameter is left out", "/a?b=1&u=2&c", "/a?b=1&c"),
    Row("all parameters may be left out", "/a?u=1&u=2", "/a"),
    Row("percent-encoded names match", "/a?%75=1", "/a"), Row("a name without a value matches", "/a?u&b", "/a?b"),
    Row("values do not matter", "/a?b=u", "/a?b=u"), Row("case matters", "/a?U=1", "/a?U=1"),
    Row("an asterisk matches any text", "/a?utm_source=1&x=2", "/a?x=2"),
    Row("an empty query stays", "/a?", "/a?"), Row("an absent query stays absent", "/a", "/a"),
    Row("a path is not searched", "/u=1", "/u=1"),
    Row("an empty parameter stays", "/a?&u=1", "/a?"),
  ]

  @Test("Ignored parameters are removed from the target, and the rest keeps its order", arguments: reductions)
  func reduction(_ row: Row<String, String>) {
    let ignored = IgnoredParameters(["u", "utm_*", "u"].map { Array($0.utf8) })
    #expect(ignored.patterns.count == 2)
    #expect(ignored.removed(from: .on("a", row.subject)) == .on("a", row.outcome))
    let others = IgnoredParameters([[1]])
    #expect(PrimaryKey.reduced(.example, without: ignored) != .reduced(.example, without: others))
  }

  @Test("A chosen text is the key of every URL of its scheme, and concerns the URL whose response is stored")
  func chosen() {
    let plain = TargetURI(
      origin: TargetURI.Origin(scheme: .http, host: "example.com", port: 80), pathAndQuery: "/a?b")
    let key = KeyRules(chosenText: [65]).primaryKey(for: .example)
    #expect(key == .chosen([65], for: .on("example.org", "/")))
    #expect(key != .chosen([66], for: .example) && key != .chosen([65], for: plain) && key != .target(.example))
    #expect(key.concerns(.example) && !key.concerns(.on("example.org", "/")))
    #expect(CacheKey(key).description == "A (chosen, https)")
    #expect(KeyRules(chosenText: [65]).behindRedirection.primaryKey(for: .example) == .target(.example))
  }

  /// A request to example.com, and its answer.
  static let lessons: [Row<Request, Answer>] = [
    Row(
      "a 304 to the user's own condition", get(["If-None-Match": "\"a\""]), answer(304, ["ETag": "\"a\""], at: 100)),
    Row("a 304 to the cache's own condition or to none", get(), answer(304, ["ETag": "\"a\""], at: 100)),
    Row("an answer to HEAD", head(), answer(200, ["ETag": "\"a\""], at: 100)),
    Row("an answer to HEAD with another tag", head(), answer(200, ["ETag": "\"b\""], at: 100)),
    Row(
      "a part of the stored response", get(["Range": "bytes=0-9"]),
      answer(206, ["ETag": "\"a\"", "Content-Range": "bytes 0-9/100"], at: 100)),
  ]

  @Test("Under a chosen text an answer changes no response of another origin", arguments: lessons)
  func otherOrigin(_ row: Row<Request, Answer>) {
    func change(of target: TargetURI) -> Conclusion.Change {
      var response = stored(["Cache-Control": "max-age=60", "ETag": "\"a\""])
      response.key = CacheKey(.chosen([65], for: target))
      return conclude(row.subject, response, row.outcome, at: 100).change
    }
    let own = change(of: .on("example.com", "/other"))
    #expect(own.freshened != nil || own.isRemoval)
    let other = change(of: .on("example.org", "/other"))
    #expect(other.freshened == nil && !other.isRemoval)
  }
}
