import HTTPSemantics
import TestTraits
import Testing

@Suite("The request that follows a redirection: RFC 9110 section 15.4")
struct RedirectedRequestTests {
  private static func target(_ scheme: TargetURI.Scheme, _ path: String = "/a") -> TargetURI {
    TargetURI(origin: TargetURI.Origin(scheme: scheme, host: "a.test", port: scheme.defaultPort), pathAndQuery: path)
  }

  struct Case: Sendable {
    var method: Method
    var status: StatusCode
    var hasContent = true
    var keepsMethod = false
  }

  /// Which method the next request has, and whether the content is sent again.
  typealias Outcome = (method: Method, keepsContent: Bool)

  static let methods: [Row<Case, Outcome>] = [
    Row("a POST becomes a GET after 301", Case(method: .post, status: 301), (.get, false)),
    Row("a POST becomes a GET after 302", Case(method: .post, status: 302), (.get, false)),
    Row("a POST becomes a GET after 303", Case(method: .post, status: 303), (.get, false)),
    Row("a POST without content becomes one, too", Case(method: .post, status: 302, hasContent: false), (.get, false)),
    Row("a POST stays one after 300", Case(method: .post, status: 300), (.post, true)),
    Row("a POST stays one after 307", Case(method: .post, status: 307), (.post, true)),
    Row("a POST stays one after 308", Case(method: .post, status: 308), (.post, true)),
    Row("a PUT stays one after 301", Case(method: .put, status: 301), (.put, true)),
    Row("a PUT stays one after 302", Case(method: .put, status: 302), (.put, true)),
    Row("a PUT becomes a GET after 303", Case(method: .put, status: 303), (.get, false)),
    Row("a DELETE becomes a GET after 303", Case(method: .delete, status: 303, hasContent: false), (.get, false)),
    Row("a QUERY stays one after 301", Case(method: .query, status: 301), (.query, true)),
    Row("a QUERY stays one after 302", Case(method: .query, status: 302), (.query, true)),
    Row("a QUERY becomes a GET after 303", Case(method: .query, status: 303), (.get, false)),
    Row("a GET keeps its content after 302", Case(method: .get, status: 302), (.get, true)),
    Row("a GET loses its content after 303", Case(method: .get, status: 303), (.get, false)),
    Row("a HEAD stays one after 303", Case(method: .head, status: 303, hasContent: false), (.head, true)),
    Row(
      "a POST that is to be kept loses its content after 301",
      Case(method: .post, status: 301, keepsMethod: true), (.post, false)),
    Row(
      "a POST that is to be kept loses its content after 302",
      Case(method: .post, status: 302, keepsMethod: true), (.post, false)),
    Row(
      "a POST that is to be kept becomes a GET after 303",
      Case(method: .post, status: 303, keepsMethod: true), (.get, false)),
    Row(
      "a DELETE that is to be kept becomes a GET after 303",
      Case(method: .delete, status: 303, hasContent: false, keepsMethod: true), (.get, false)),
    Row(
      "a HEAD that is to be kept loses its content after 303",
      Case(method: .head, status: 303, keepsMethod: true), (.head, false)),
  ]

  @Test("The status of a redirection decides on the method and the content of the next request", arguments: methods)
  func method(_ row: Row<Case, Outcome>) {
    let subject = row.subject
    var request = Request(subject.method, Self.target(.https), fields: ["Accept": "*/*", "Content-Type": "a/b"])
    let losesContent = request.losesContent(after: subject.status, hasContent: subject.hasContent)
    if losesContent { request.loseContent(after: subject.status, keepsMethod: subject.keepsMethod) }
    #expect(request.method == row.outcome.method)
    #expect(losesContent != row.outcome.keepsContent)
    #expect(request.fields.contains(.contentType) == row.outcome.keepsContent)
    #expect(request.fields.contains(.accept))
  }

  @Test("A request that loses its content loses all fields that describe it, and no other field")
  func fields() {
    let names: [FieldName] = [
      "Content-Encoding", "content-language", "Content-Location", "Content-Type", "Content-Length", "Content-Digest",
      "Transfer-Encoding", "Digest", "Repr-Digest",
    ]
    let others: [FieldName] = [
      "Accept", "Authorization", "Cookie", "If-None-Match", "Want-Content-Digest", "X-Content",
    ]
    var request = Request(.post, Self.target(.https), fields: Fields((names + others).map { Field($0, "x") }))
    request.loseContent(after: 302, keepsMethod: false)
    #expect(request.fields == Fields(others.map { Field($0, "x") }))
  }

  static let referers: [Row<(from: TargetURI.Scheme, to: TargetURI.Scheme), FieldValue?>] = [
    Row("the Referer goes from https to https", (.https, .https), "https://a.test/from"),
    Row("the Referer goes from http to https", (.http, .https), "http://a.test/from"),
    Row("the Referer goes from http to http", (.http, .http), "http://a.test/from"),
    Row("no Referer goes from https to http", (.https, .http), nil),
  ]

  @Test("The Referer is the target that redirected, but never goes from https to http", arguments: referers)
  func referer(_ row: Row<(from: TargetURI.Scheme, to: TargetURI.Scheme), FieldValue?>) {
    let (from, to) = (Self.target(row.subject.from, "/from"), Self.target(row.subject.to))
    var request = Request(.get, to, fields: [.referer: "http://typed.test/"])
    request.setReferer(from)
    #expect(request.fields.values(of: .referer) == (row.outcome.map { [$0] } ?? []))
    #expect(from.isDowngraded(to: to) == (row.outcome == nil))
  }
}
