import HTTPCaching
import HTTPSemantics
import Testing

@Suite("Storing the responses of an archive")
struct ArchivedStorabilityTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let response: Response
    var method = Method.get
    var requestFields = Fields()
    var refusal: NotStored?
    /// The refusal when the origin's directives are ignored.
    var refusalOfAll: NotStored?
  }

  static let rows = [
    Row(testDescription: "A 200 needs no further permission", response: Response(200)),
    Row(testDescription: "A 500 is stored without explicit freshness", response: Response(500)),
    Row(
      testDescription: "no-cache does not forbid storing",
      response: Response(200, fields: ["Cache-Control": "no-cache"])),
    Row(
      testDescription: "no-store forbids storing when it is respected",
      response: Response(200, fields: ["Cache-Control": "no-store"]),
      refusal: .noStore),
    Row(
      testDescription: "must-understand overrides no-store for a status that is understood",
      response: Response(200, fields: ["Cache-Control": "no-store, must-understand"])),
    Row(
      testDescription: "must-understand does not override no-store for an unknown status",
      response: Response(299, fields: ["Cache-Control": "no-store, must-understand"]), refusal: .noStore),
    Row(testDescription: "Vary: *", response: Response(200, fields: ["Vary": "*"]), refusal: .varyAnything),
    Row(
      testDescription: "POST", response: Response(200), method: .post, refusal: .method, refusalOfAll: .method),
    Row(testDescription: "HEAD", response: Response(200), method: .head, refusal: .method, refusalOfAll: .method),
    Row(testDescription: "QUERY", response: Response(200), method: .query, refusal: .method, refusalOfAll: .method),
    Row(
      testDescription: "GET with content", response: Response(200), requestFields: ["Content-Length": "1"],
      refusal: .requestBound, refusalOfAll: .requestBound),
    Row(
      testDescription: "GET with chunks", response: Response(200), requestFields: ["Transfer-Encoding": "chunked"],
      refusal: .requestBound, refusalOfAll: .requestBound),
    Row(
      testDescription: "GET with a Content-Length of 0", response: Response(200),
      requestFields: ["Content-Length": "0"]),
    Row(testDescription: "103", response: Response(103), refusal: .interimStatus, refusalOfAll: .interimStatus),
    Row(
      testDescription: "600", response: Response(600), refusal: .statusOutOfRange, refusalOfAll: .statusOutOfRange),
    Row(testDescription: "304", response: Response(304), refusal: .notModified, refusalOfAll: .notModified),
    Row(testDescription: "206", response: Response(206), refusal: .partialContent, refusalOfAll: .partialContent),
    Row(
      testDescription: "200 with Content-Range", response: Response(200, fields: ["Content-Range": "bytes 0-1/2"]),
      refusal: .partialContent, refusalOfAll: .partialContent),
    Row(testDescription: "412", response: Response(412), refusal: .requestBound, refusalOfAll: .requestBound),
    Row(testDescription: "416", response: Response(416), refusal: .requestBound, refusalOfAll: .requestBound),
  ]

  @Test("A response of an archive is stored if it can answer a later request", arguments: rows)
  func refusal(row: Row) {
    for respectsOrigin in [true, false] {
      let refusal = ArchivedStorability.refusal(
        of: row.response, to: row.method, with: row.requestFields, respectsOrigin: respectsOrigin)
      #expect(refusal == (respectsOrigin ? row.refusal : row.refusalOfAll))
    }
  }
}
