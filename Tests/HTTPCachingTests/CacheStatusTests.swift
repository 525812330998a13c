import HTTPCaching
import HTTPSemantics
import TestTraits
import Testing

@Suite("Cache-Status: RFC 9211 section 2")
struct CacheStatusTests {
  private static let beyondASCII = TargetURI.Origin(scheme: .https, host: "é", port: 443)

  static let members: [Row<CacheStatus, FieldValue>] = [
    Row("a hit", CacheStatus(.hit), "garner; hit"),
    Row("a hit and how long it stays fresh", CacheStatus(.hit, timeToLive: 376), "garner; hit; ttl=376"),
    Row("a stale hit has a negative ttl", CacheStatus(.hit, timeToLive: -412), "garner; hit; ttl=-412"),
    Row("a miss", CacheStatus(.forwarded(.uriMiss)), "garner; fwd=uri-miss"),
    Row(
      "the origin's status", CacheStatus(.forwarded(.stale), forwardStatus: 304),
      "garner; fwd=stale; fwd-status=304"),
    Row(
      "a response that was stored", CacheStatus(.forwarded(.varyMiss), forwardStatus: 200, isStored: true),
      "garner; fwd=vary-miss; fwd-status=200; stored"),
    Row(
      "a response that another request brought", CacheStatus(.forwarded(.uriMiss), isCollapsed: true, timeToLive: 60),
      "garner; fwd=uri-miss; collapsed; ttl=60"),
    Row(
      "neither a hit nor forwarded", CacheStatus(.unanswered, key: .example, detail: "only-if-cached"),
      #"garner; key="https://example.com/a?b"; detail=only-if-cached"#),
    Row("a detail that is a token", CacheStatus(.hit, detail: "max-stale"), "garner; hit; detail=max-stale"),
    Row(
      "a detail that is no token stands in quotes", CacheStatus(.hit, detail: "a \"b\""),
      #"garner; hit; detail="a \"b\"""#),
    Row(
      "a detail that begins with a digit is no token", CacheStatus(.hit, detail: "5xx"), #"garner; hit; detail="5xx""#),
    Row("an empty detail is an empty string", CacheStatus(.hit, detail: ""), #"garner; hit; detail="""#),
    Row("a key stands in quotes", CacheStatus(.hit, key: .example), #"garner; hit; key="https://example.com/a?b""#),
    Row(
      "quotes and backslashes in a key are escaped", CacheStatus(.hit, key: CacheKey(.on("a", #"/"\"#))),
      #"garner; hit; key="https://a/\"\\""#),
    Row(
      "characters that a string cannot hold are percent-encoded",
      CacheStatus(.hit, key: CacheKey(TargetURI(origin: Self.beyondASCII, pathAndQuery: "/"))),
      #"garner; hit; key="https://%C3%A9/""#),
    Row(
      "everything at once",
      CacheStatus(
        .forwarded(.request), forwardStatus: 200, isStored: true, timeToLive: 60, key: CacheKey(.on("a", "/")),
        detail: "x"), #"garner; fwd=request; fwd-status=200; stored; ttl=60; key="https://a/"; detail=x"#),
  ]

  @Test("The member of Cache-Status says how the request was handled", arguments: members)
  func member(_ row: Row<CacheStatus, FieldValue>) {
    #expect(row.subject.member == row.outcome)
  }

  @Test("The reasons to forward a request are the words of RFC 9211")
  func reasons() {
    let words = ["bypass", "method", "uri-miss", "vary-miss", "request", "stale", "partial"]
    #expect(ForwardReason.allCases.map(\.rawValue) == words)
  }

  @Test("Every reason not to store and every grant is a token, so a detail needs no quotes")
  func tokens() {
    for detail in NotStored.allCases.map(\.rawValue) + StaleGrant.allCases.map(\.rawValue) {
      #expect(CacheStatus(.hit, detail: detail).member == FieldValue("garner; hit; detail=\(detail)"))
    }
  }
}
