import HTTPCaching
import HTTPSemantics
import TestTraits
import Testing

@Suite("QUERY: RFC 10008")
struct QueryTests {
  private static func query(_ fields: Fields = [:]) -> Request { Request(.query, .example, fields: fields) }

  private static let storedQuery = StoredResponse(
    Response(200, fields: ["Cache-Control": "max-age=60", "ETag": "\"a\""]), to: .query,
    under: CacheKey(.example, content: .query([1])), requestTime: .start, responseTime: .start, contentLength: 100)

  @Test("A fresh stored response answers the same query")
  func served() {
    #expect(decide(Self.query(), Self.storedQuery, at: 59).verdict == .served)
    #expect(decide(Self.query(), nil, at: 0).verdict == .forwarded(.uriMiss))
    #expect(decide(Self.query(), nil, .cacheOnly, at: 0).verdict == .unsatisfiable(.uriMiss))
  }

  @Test("A stale response to QUERY is validated with QUERY")
  func validated() {
    let decision = decide(Self.query(), Self.storedQuery, at: 60)
    #expect(decision.verdict == .validated(.stale))
    #expect(decision.sent?.method == .query)
    #expect(decision.sent?.fields[.ifNoneMatch] == "\"a\"")
    let conclusion = conclude(Self.query(), Self.storedQuery, answer(304, ["ETag": "\"a\""], at: 60), at: 60)
    #expect(conclusion.change.freshened?.requestMethod == .query)
  }

  @Test("An answer to QUERY is stored like one to GET, and invalidates nothing")
  func stored() {
    let conclusion = conclude(Self.query(), nil, answer(200, ["Cache-Control": "max-age=60"]))
    #expect(conclusion.change.inserted?.requestMethod == .query)
    #expect(conclusion.invalidated.isEmpty)
    #expect(conclude(Self.query(), nil, answer(200, ["Cache-Control": "no-store"])).change.refusal == .noStore)
  }

  @Test("A range of a stored answer to QUERY is served like one of GET")
  func range() {
    let decision = decide(Self.query(["Range": "bytes=0-9"]), Self.storedQuery, at: 1)
    #expect(decision.reuse?.form == .part(0..<10))
  }

  @Test("A stored part of an answer to QUERY is continued with QUERY")
  func part() {
    var part = Self.storedQuery
    part.extent = .part(0..<100, of: 200)
    let decision = decide(Self.query(), part, at: 1)
    #expect(decision == .complete(part, with: Self.query(["Range": "bytes=100-", "If-Range": "\"a\""])))
  }

  static let contents: [Row<(Fields, String), Bool>] = [
    Row("the same content of the same type is the same query", (["Content-Type": "a/b"], "x"), true),
    Row("other fields make no difference", (["Accept": "*/*", "Content-Type": "a/b"], "x"), true),
    Row("other content is another query", (["Content-Type": "a/b"], "y"), false),
    Row("another type is another query", (["Content-Type": "a/c"], "x"), false),
    Row("no type is another query", ([:], "x"), false),
    Row("a content coding is another query", (["Content-Type": "a/b", "Content-Encoding": "gzip"], "x"), false),
    Row("a language is another query", (["Content-Type": "a/b", "Content-Language": "de"], "x"), false),
    Row("no content is another query", (["Content-Type": "a/b"], ""), false),
    Row("content that looks like a field is no field", ([:], "content-type:a/b\n\nx"), false),
  ]

  @Test("The content of a QUERY and the fields that describe it are part of the key", arguments: contents)
  func content(_ row: Row<(Fields, String), Bool>) {
    let reference = SentContent.canonicalBytes(of: Self.query(["Content-Type": "a/b"]), content: Array("x".utf8))
    let other = SentContent.canonicalBytes(of: Self.query(row.subject.0), content: Array(row.subject.1.utf8))
    #expect((reference == other) == row.outcome)
  }

  @Test("The content of an unsafe method is not part of the key", arguments: [Method.post, .put, .delete])
  func otherMethods(_ method: Method) {
    #expect(SentContent.canonicalBytes(of: Request(method, .example), content: [1]) == nil)
  }

  @Test("The content of a GET or HEAD is part of the key, if there is any", arguments: [Method.get, .head])
  func searches(_ method: Method) {
    let request = Request(method, .example)
    #expect(SentContent.canonicalBytes(of: request, content: []) == nil)
    let (one, two) = ([UInt8]("1".utf8), [UInt8]("2".utf8))
    let digested = SentContent.canonicalBytes(of: request, content: one)
    #expect(digested != nil && digested != SentContent.canonicalBytes(of: request, content: two))
  }

  @Test("A key with content differs from all others, and prints the beginning of its digest")
  func key() {
    let key = CacheKey(.example, content: .query([UInt8](1...32)))
    #expect(key != .example && key != CacheKey(.example, audience: [UInt8](1...32)))
    #expect(key.description == "https://example.com/a?b (content 0102030405060708)")
  }

  @Test("A POST that is declared a query is served and stored like one, and neither validated nor continued")
  func posted() {
    var request = Request(.post, .example)
    request.postIsQuery = true
    var stored = Self.storedQuery
    stored.key = CacheKey(.example, content: .post([1]))
    #expect(decide(request, stored, at: 59).verdict == .served)
    #expect(decide(request, stored, at: 60).verdict == .forwarded(.stale))
    #expect(decide(request, stored, at: 60).sent?.fields.contains(.ifNoneMatch) == false)
    #expect(decide(request, stored, .revalidate, at: 1).verdict == .forwarded(.request))
    #expect(decide(Request(.post, .example), stored, at: 1).verdict == .forwarded(.method))
    let conclusion = conclude(request, nil, answer(200, ["Cache-Control": "max-age=60"]))
    #expect(conclusion.change.inserted?.requestMethod == .post && conclusion.invalidated == [.example])
    #expect(PartialContent.interrupted(stored, after: 10) == nil)
    #expect(
      SentContent.canonicalBytes(of: request, content: [1])
        == SentContent.canonicalBytes(of: Request(.query, .example), content: [1]))
    #expect(SentContent([1], sentWith: .post) != SentContent([1], sentWith: .query))
  }
}
