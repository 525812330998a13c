import HTTPCaching
import HTTPSemantics
import TestTraits
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

  @Test("Any method that is not known to be safe invalidates the target, and no safe one does", arguments: methods)
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

  @Test("A 2xx or 3xx to an unsafe method invalidates the target, and no other status does", arguments: statuses)
  func status(_ row: Row<StatusCode, Bool>) {
    let conclusion = conclude(post(), stored(["ETag": "\"a\""]), answer(row.subject, ["ETag": "\"a\""]))
    #expect(conclusion.invalidated.contains(.example) == row.outcome)
    #expect(conclusion.delivery == .answer)
    #expect(conclusion.change.freshened == nil)
  }

  static let targets: [Row<Fields, [TargetURI]>] = [
    Row("without these fields only the target", [:], []),
    Row("Location of the same origin", ["Location": "/x"], [.on("example.com", "/x")]),
    Row("Content-Location of the same origin", ["Content-Location": "c"], [.on("example.com", "/c")]),
    Row("both", ["Location": "/x", "Content-Location": "/y"], [.on("example.com", "/x"), .on("example.com", "/y")]),
    Row("an absolute URI of the same origin", ["Location": "HTTPS://EXAMPLE.com:443/x"], [.on("example.com", "/x")]),
    Row("another host is not invalidated", ["Location": "https://example.org/x"], []),
    Row("another scheme is another origin", ["Location": "http://example.com/x"], []),
    Row("another port is another origin", ["Location": "https://example.com:444/x"], []),
    Row("a target that is named again is listed once", ["Location": "/a?b", "Content-Location": "?b"], []),
    Row("an invalid or foreign URI is ignored", ["Location": "https://", "Content-Location": "mailto:a"], []),
    Row("a fragment is ignored", ["Location": "/x#y"], [.on("example.com", "/x")]),
  ]

  @Test("The target and the URLs of its origin in Location and Content-Location are invalidated", arguments: targets)
  func target(_ row: Row<Fields, [TargetURI]>) {
    #expect(conclude(post(), nil, answer(201, row.subject)).invalidated == [.example] + row.outcome)
    #expect(conclude(post(), nil, answer(400, row.subject)).invalidated.isEmpty)
    #expect(conclude(get(), nil, answer(201, row.subject)).invalidated.isEmpty)
  }

  static let destinations: [Row<FieldValue, [TargetURI]>] = [
    Row("a URL of the same origin", "https://example.com/d", [.on("example.com", "/d")]),
    Row("a path without an origin", "/d", [.on("example.com", "/d")]),
    Row("a URL of another origin", "https://example.org/d", []),
  ]

  @Test("The URL in the request's Destination is invalidated if it is of the same origin", arguments: destinations)
  func destination(_ row: Row<FieldValue, [TargetURI]>) throws {
    let request = Request(try #require(Method("MOVE".utf8)), .example, fields: ["Destination": row.subject])
    #expect(conclude(request, nil, answer(204)).invalidated == [.example] + row.outcome)
    #expect(conclude(request, nil, answer(412)).invalidated.isEmpty)
  }

  typealias Keys = (request: CacheKey, stored: CacheKey)

  static let posted = CacheKey(.example, content: .post([1]))

  static let spared: [Row<Keys, Bool>] = [
    Row("a posted query spares its own entry", (posted, posted), false),
    Row(
      "a posted query spares other posted queries of its target", (posted, CacheKey(.example, content: .post([2]))),
      false),
    Row(
      "a posted query spares those of other audiences",
      (posted, CacheKey(.example, audience: [1], content: .post([2]))), false),
    Row(
      "a posted query spares those under a key of the user's",
      (posted, CacheKey(.chosen([65], for: .example), content: .post([2]))), false),
    Row("a posted query removes the response to a GET", (posted, .example), true),
    Row("a posted query removes the response to a QUERY", (posted, CacheKey(.example, content: .query([1]))), true),
    Row("another unsafe request removes posted queries", (.example, posted), true),
    Row("entries of another target stay", (.example, CacheKey(.on("example.com", "/"), content: .post([1]))), false),
  ]

  @Test(
    "A posted query invalidates the responses to GET and QUERY, and another unsafe request all of the target",
    arguments: spared)
  func sparing(_ row: Row<Keys, Bool>) {
    #expect(TargetInvalidation(of: .example, by: row.subject.request).covers(row.subject.stored) == row.outcome)
  }

  static let chosen = CacheKey(.chosen([65], for: .example))
  static let chosenElsewhere = CacheKey(.chosen([65], for: .on("example.com", "/b")))

  static let underChosen: [Row<Keys, Bool>] = [
    Row("what is stored under the request's key, for its target", (chosen, chosen), true),
    Row("what is stored under the request's key, for another URL", (chosen, chosenElsewhere), true),
    Row("what is stored under another key, for another URL", (chosen, CacheKey(.on("example.com", "/b"))), false),
    Row("a key that the user chose for another URL does not count", (chosenElsewhere, chosenElsewhere), false),
    Row("a request without a key of the user's", (.example, chosenElsewhere), false),
    Row("what is stored under a key of the user's, for the target", (.example, chosen), true),
  ]

  @Test("A request under a key of the user's invalidates what is stored under that key", arguments: underChosen)
  func choosing(_ row: Row<Keys, Bool>) {
    #expect(TargetInvalidation(of: .example, by: row.subject.request).covers(row.subject.stored) == row.outcome)
  }

  @Test("An unsafe request is forwarded even if a fresh response is stored, and a failure invalidates nothing")
  func failure() {
    let fresh = stored(["Cache-Control": "max-age=600"])
    #expect(decide(post(), fresh, at: 1).verdict == .forwarded(.method))
    #expect(conclude(post(), fresh, .failure) == Conclusion(.failure, .none(.incomplete)))
  }
}
