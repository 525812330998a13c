import HTTPCaching
import HTTPSemantics
import TestTraits
import Testing

@Suite("Invalidation of a whole origin: Clear-Site-Data, and RFC 9875")
struct OriginInvalidationTests {
  private static let plain = TargetURI(
    origin: TargetURI.Origin(scheme: .http, host: "example.com", port: 80), pathAndQuery: "/")

  private static func invalidation(
    _ fields: Fields, to request: Request = get(), status: StatusCode = 200, isVerified: Bool = true
  ) -> OriginInvalidation? {
    OriginInvalidation(by: Response(status, fields: fields), to: request, isVerified: isVerified)
  }

  // MARK: Clear-Site-Data

  static let members: [Row<FieldValue, Bool>] = [
    Row("the cache", #""cache""#, true), Row("an asterisk, which is everything", #""*""#, true),
    Row("the cache among others", #""cookies", "cache" , "storage""#, true),
    Row("other members do not clear the cache", #""cookies", "storage", "prefetchCache""#, false),
    Row("a token without quotes is ignored", "cache", false), Row("an asterisk without quotes is ignored", "*", false),
    Row("members are case-sensitive", #""Cache""#, false), Row("a member is the whole string", #""cache,*""#, false),
    Row("an unterminated string is ignored", #""cache"#, false), Row("an empty value", "", false),
  ]

  @Test("Clear-Site-Data empties the cache if one of its members is \"cache\" or \"*\"", arguments: members)
  func clears(_ row: Row<FieldValue, Bool>) {
    let invalidation = Self.invalidation(Fields([Field(.clearSiteData, row.subject)]))
    #expect((invalidation?.extent == .everything) == row.outcome)
  }

  @Test("Every line of Clear-Site-Data counts, whatever the method and the status")
  func everyAnswer() {
    let fields: Fields = ["Clear-Site-Data": #""cookies""#, "clear-site-data": #""cache""#]
    for request in [get(), head(), post()] {
      for status: StatusCode in [200, 304, 404, 500] {
        #expect(Self.invalidation(fields, to: request, status: status)?.extent == .everything)
      }
    }
  }

  @Test("Clear-Site-Data is ignored over plain http and from an unverified origin")
  func insecure() {
    let fields: Fields = ["Clear-Site-Data": #""cache""#]
    #expect(Self.invalidation(fields, to: Request(.get, Self.plain)) == nil)
    #expect(Self.invalidation(fields, isVerified: false) == nil)
  }

  // MARK: Groups

  private static let groups: Fields = ["Cache-Group-Invalidation": #""a", "b""#]

  static let causes: [Row<(String, StatusCode), Bool>] = [
    Row("POST", ("POST", 200), true), Row("DELETE", ("DELETE", 204), true),
    Row("a method whose safety is unknown", ("FROB", 200), true), Row("a redirection is no error", ("POST", 303), true),
    Row("an error invalidates nothing", ("POST", 400), false),
    Row("a failure invalidates nothing", ("POST", 500), false),
    Row("GET is safe", ("GET", 200), false), Row("HEAD is safe", ("HEAD", 200), false),
    Row("QUERY is safe", ("QUERY", 200), false),
  ]

  @Test("Cache-Group-Invalidation counts only in a non-error answer to an unsafe method", arguments: causes)
  func cause(_ row: Row<(String, StatusCode), Bool>) throws {
    let request = Request(try #require(Method(row.subject.0.utf8)), .example)
    let invalidation = Self.invalidation(Self.groups, to: request, status: row.subject.1)
    #expect((invalidation != nil) == row.outcome)
    #expect(invalidation?.extent != .everything)
  }

  static let many = (1...33).map { "\"g\($0)\"" }.joined(separator: ", ")

  static let memberships: [Row<Fields, Bool>] = [
    Row("one group in common", ["Cache-Groups": #""x", "b""#], true),
    Row("a group in one of several lines", ["Cache-Groups": #""x""#, "cache-groups": #""a""#], true),
    Row("parameters do not matter", ["Cache-Groups": #""a";p=1"#], true),
    Row("no group in common", ["Cache-Groups": #""x", "y""#], false),
    Row("groups are case-sensitive", ["Cache-Groups": #""A""#], false), Row("no groups", [:], false),
    Row("a malformed field names no group", ["Cache-Groups": #""a", b"#], false),
    Row("tokens are no groups", ["Cache-Groups": "a, b"], false),
  ]

  @Test("Invalidation of groups covers the stored responses that share one of them", arguments: memberships)
  func membership(_ row: Row<Fields, Bool>) throws {
    let invalidation = try #require(Self.invalidation(Self.groups, to: post()))
    #expect(invalidation.covers(stored(row.subject)) == row.outcome)
    #expect(!invalidation.coversEverything(under: .example))
  }

  @Test("Only the first 32 groups count, and only names of at most 32 characters")
  func limits() throws {
    func covers(_ name: String) throws -> Bool {
      let fields = Fields([Field("Cache-Group-Invalidation", FieldValue("\"\(name)\""))])
      let invalidation = Self.invalidation(fields, to: post())
      return invalidation?.covers(stored(Fields([Field("Cache-Groups", FieldValue(Self.many))]))) ?? false
    }
    #expect(try covers("g32"))
    #expect(try !covers("g33"))
    let (longest, tooLong) = (String(repeating: "x", count: 32), String(repeating: "x", count: 33))
    #expect(
      Self.invalidation(Fields([Field("Cache-Group-Invalidation", FieldValue("\"\(longest)\""))]), to: post()) != nil)
    #expect(
      Self.invalidation(Fields([Field("Cache-Group-Invalidation", FieldValue("\"\(tooLong)\""))]), to: post()) == nil)
  }

  // MARK: Origins

  static let others: [Row<CacheKey, Bool>] = [
    Row("another path", CacheKey(.on("example.com", "/other")), true),
    Row("another audience", CacheKey(.example, audience: [1]), true),
    Row("a query", CacheKey(.example, content: .query([1])), true),
    Row("another host", CacheKey(.on("example.org", "/a?b")), false),
    Row("another port", CacheKey(.on("example.com:444", "/a?b")), false),
    Row("another scheme", CacheKey(plain), false),
  ]

  @Test("Invalidation covers only stored responses of the same origin", arguments: others)
  func origin(_ row: Row<CacheKey, Bool>) throws {
    var other = stored(["Cache-Groups": #""a""#])
    other.key = row.subject
    let cleared = try #require(Self.invalidation(["Clear-Site-Data": #""*""#]))
    #expect(cleared.covers(other) == row.outcome)
    #expect(cleared.coversEverything(under: row.subject) == row.outcome)
    #expect(try #require(Self.invalidation(Self.groups, to: post())).covers(other) == row.outcome)
  }
}
