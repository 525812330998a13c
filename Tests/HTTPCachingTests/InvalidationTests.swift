import HTTPCaching
import HTTPSemantics
import Testing

@Suite("Invalidating stored responses: RFC 9111 section 4.4")
struct InvalidationTests {
  static let methods: [Row<String, Bool>] = [
    Row("POST invalidates the target", "POST", true), Row("PUT invalidates the target", "PUT", true),
    Row("DELETE invalidates the target", "DELETE", true), Row("PATCH invalidates the target", "PATCH", true),
    Row("a method whose safety is unknown invalidates the target", "M-SEARCH", true),
    Row("GET does not", "GET", false), Row("HEAD does not", "HEAD", false), Row("OPTIONS does not", "OPTIONS", false),
    Row("TRACE does not", "TRACE", false), Row("QUERY does not", "QUERY", false),
  ]

  @Test("A method that is not known to be safe invalidates, and no other", arguments: methods)
  func method(_ row: Row<String, Bool>) throws {
    let request = Request(try #require(Method(row.subject.utf8)), .example)
    for policy in CachePolicy.allCases where policy.allowsNetwork {
      let conclusion = conclude(request, stored([:]), answer(204), policy)
      #expect(conclusion.invalidated == (row.outcome ? [.example] : []))
      #expect(conclusion.delivery == .answer)
    }
  }

  static let statuses: [Row<StatusCode, Bool>] = [
    Row("200 is no error", 200, true), Row("201 is no error", 201, true), Row("299 is no error", 299, true),
    Row("303 is no error", 303, true), Row("304 is no error", 304, true), Row("399 is no error", 399, true),
    Row("400 is an error", 400, false), Row("404 is an error", 404, false), Row("412 is an error", 412, false),
    Row("500 is an error", 500, false), Row("503 is an error", 503, false), Row("599 is an error", 599, false),
  ]

  @Test("A 2xx or 3xx invalidates, and no other status", arguments: statuses)
  func status(_ row: Row<StatusCode, Bool>) {
    let conclusion = conclude(post(), stored(["ETag": "\"a\""]), answer(row.subject, ["ETag": "\"a\""]))
    #expect(conclusion.invalidated.contains(.example) == row.outcome)
    #expect(conclusion.delivery == .answer)
    #expect(conclusion.change.freshened == nil)
  }

  static let targets: [Row<Fields, [TargetURI]>] = [
    Row("nothing but the target, if nothing is named", [:], []),
    Row("Location of the same origin", ["Location": "/x"], [.on("example.com", "/x")]),
    Row("Content-Location of the same origin", ["Content-Location": "c"], [.on("example.com", "/c")]),
    Row("both", ["Location": "/x", "Content-Location": "/y"], [.on("example.com", "/x"), .on("example.com", "/y")]),
    Row("an absolute URI of the same origin", ["Location": "HTTPS://EXAMPLE.com:443/x"], [.on("example.com", "/x")]),
    Row("another host is not to be invalidated", ["Location": "https://example.org/x"], []),
    Row("another scheme is another origin", ["Location": "http://example.com/x"], []),
    Row("another port is another origin", ["Location": "https://example.com:444/x"], []),
    Row("the target is named once", ["Location": "/a?b", "Content-Location": "?b"], []),
    Row("what is no URI is not followed", ["Location": "https://", "Content-Location": "mailto:a"], []),
    Row("a fragment is no part of it", ["Location": "/x#y"], [.on("example.com", "/x")]),
  ]

  @Test("Invalidated is the target, and what Location and Content-Location name on its origin", arguments: targets)
  func target(_ row: Row<Fields, [TargetURI]>) {
    #expect(conclude(post(), nil, answer(201, row.subject)).invalidated == [.example] + row.outcome)
    #expect(conclude(post(), nil, answer(400, row.subject)).invalidated.isEmpty)
    #expect(conclude(get(), nil, answer(201, row.subject)).invalidated.isEmpty)
  }

  static let destinations: [Row<FieldValue, [TargetURI]>] = [
    Row("of the same origin", "https://example.com/d", [.on("example.com", "/d")]),
    Row("without an origin", "/d", [.on("example.com", "/d")]),
    Row("of another", "https://example.org/d", []),
  ]

  @Test("Invalidated is what a request names as its Destination, too", arguments: destinations)
  func destination(_ row: Row<FieldValue, [TargetURI]>) throws {
    let request = Request(try #require(Method("MOVE".utf8)), .example, fields: ["Destination": row.subject])
    #expect(conclude(request, nil, answer(204)).invalidated == [.example] + row.outcome)
    #expect(conclude(request, nil, answer(412)).invalidated.isEmpty)
  }

  typealias Keys = (request: CacheKey, stored: CacheKey)

  static let posted = CacheKey(.example, content: .post([1]))

  static let spared: [Row<Keys, Bool>] = [
    Row("a posted query spares itself", (posted, posted), false),
    Row("and the others of its target", (posted, CacheKey(.example, content: .post([2]))), false),
    Row("whoever has asked them", (posted, CacheKey(.example, audience: [1], content: .post([2]))), false),
    Row("and under a text of the user's", (posted, CacheKey(.chosen([65], for: .example), content: .post([2]))), false),
    Row("but not what answers a GET", (posted, .example), true),
    Row("nor what answers a QUERY", (posted, CacheKey(.example, content: .query([1]))), true),
    Row("any other unsafe request takes them away", (.example, posted), true),
    Row("of another target nothing goes", (.example, CacheKey(.on("example.com", "/"), content: .post([1]))), false),
  ]

  @Test(
    "A posted query takes away what answers a GET, and another unsafe request everything of the target",
    arguments: spared)
  func sparing(_ row: Row<Keys, Bool>) {
    #expect(TargetInvalidation(of: .example, by: row.subject.request).covers(row.subject.stored) == row.outcome)
  }

  @Test("An unsafe request goes to the origin whatever is stored, and a failure invalidates nothing")
  func failure() {
    let fresh = stored(["Cache-Control": "max-age=600"])
    #expect(decide(post(), fresh, at: 1).verdict == .forwarded(.method))
    #expect(conclude(post(), fresh, .failure) == Conclusion(.failure, .none(.incomplete)))
  }
}
