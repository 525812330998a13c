import HTTPCaching
import HTTPSemantics
import Testing

@Suite("Cache keys and audiences: RFC 9111 section 2")
struct KeyTests {
  private static func audience(_ fields: Fields, trust: [String] = []) -> Audience {
    Audience(of: get(fields), trust: trust.map { Array($0.utf8) })
  }

  @Test("A request without credentials over a verified connection is anybody's")
  func anybody() {
    let audience = Self.audience(["Accept": "a", "User-Agent": "b", "Host": "example.com", "Range": "bytes=0-1"])
    #expect(audience.canonicalBytes == nil)
  }

  static let secrets: [FieldName] = [
    "Authorization", "authorization", "Cookie", "Proxy-Authorization", "X-Api-Key", "API-KEY", "X-Auth-Token",
    "Private-Token", "X-Amz-Security-Token", "X-Custom-Token", "X-My-Secret", "X-Password", "X-Session-Id",
    "X-Credentials", "X-Authorization", "X-Auth", "Authentication", "X-JWT", "X-Bearer", "X-Access-Key",
  ]

  @Test("What says who asks is part of the key", arguments: secrets)
  func secret(_ name: FieldName) {
    #expect(CredentialFields.contains(name))
    let one = Self.audience([name: "1"]).canonicalBytes
    let other = Self.audience([name: "2"]).canonicalBytes
    #expect(one != nil)
    #expect(one != other)
    #expect(one == Self.audience(["Accept": "x", name: "1"]).canonicalBytes)
  }

  @Test(
    "What says how to answer is not",
    arguments: [
      "Accept", "Accept-Encoding", "Accept-Language", "User-Agent", "Referer", "Range", "If-None-Match",
      "Cache-Control", "Origin", "Prefer",
    ] as [FieldName])
  func harmless(_ name: FieldName) {
    #expect(!CredentialFields.contains(name))
  }

  @Test("Credentials, trust and host make audiences that are all different")
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

  @Test("The order of credential lines of different names and the case of their names make no difference")
  func order() {
    let one = Self.audience(["Authorization": "1", "Cookie": "2"])
    let other = Self.audience(["cookie": "2", "AUTHORIZATION": "1"])
    #expect(one.canonicalBytes == other.canonicalBytes)
  }

  @Test("The Host that the URI names anyway makes no audience")
  func sameHost() {
    #expect(Self.audience(["Host": "EXAMPLE.com"]).canonicalBytes == nil)
    #expect(Self.audience(["Host": "example.com:8443"]).canonicalBytes != nil)
  }

  @Test("A key is the target and the audience; what it prints gives no digest away")
  func key() {
    let audience = [UInt8](1...32)
    let key = CacheKey(.example, audience: audience)
    #expect(key != .example)
    #expect(key == CacheKey(.example, audience: audience))
    #expect(key != CacheKey(.example, audience: audience.reversed()))
    #expect(CacheKey.example.description == "https://example.com/a?b")
    #expect(key.description == "https://example.com/a?b (for 0102030405060708)")
  }
}
