import HTTPCaching
import HTTPSemantics
import TestTraits
import Testing

@Suite("What a 206 carries: RFC 9110 section 15.3.7")
struct CarriedRangeTests {
  private static func part(_ range: FieldValue, _ fields: Fields = [:]) -> Response {
    Response(206, fields: Fields([Field(.contentRange, range)] + fields.lines))
  }

  private static let several = Response(206, fields: ["Content-Type": "multipart/byteranges; boundary=a"])

  typealias Exchange = (request: Request, response: Response)

  static let exchanges: [Row<Exchange, Bool>] = [
    Row("a whole response answers a range", (get(["Range": "bytes=5-9"]), Response(200)), true),
    Row("a 206 to HEAD has no content", (head(), part("bytes 0-4/10")), true),
    Row("a part that was not asked for does not answer", (get(), part("bytes 0-4/10")), false),
    Row("a part from the middle that was not asked for does not answer", (get(), part("bytes 5-9/10")), false),
    Row("a 206 of everything answers a request without a range", (get(), part("bytes 0-9/10")), true),
    Row("the range from the first byte that was asked for", (get(["Range": "bytes=5-9"]), part("bytes 5-9/10")), true),
    Row("a shorter range from that byte", (get(["Range": "bytes=5-9"]), part("bytes 5-6/10")), true),
    Row("a range from an earlier byte does not", (get(["Range": "bytes=5-9"]), part("bytes 4-9/10")), false),
    Row("a range from a later byte does not", (get(["Range": "bytes=5-"]), part("bytes 6-9/10")), false),
    Row("the last bytes", (get(["Range": "bytes=-5"]), part("bytes 5-9/10")), true),
    Row("more of the last bytes does not", (get(["Range": "bytes=-5"]), part("bytes 4-9/10")), false),
    Row("the last bytes of an unknown length", (get(["Range": "bytes=-5"]), part("bytes 4-9/*")), true),
    Row("several ranges may come in any form", (get(["Range": "bytes=0-1,3-4"]), part("bytes 7-9/10")), true),
    Row("several ranges come as parts of a message", (get(["Range": "bytes=5-9"]), several), true),
  ]

  @Test("A 206 answers a request for the range that it carries, from its first byte", arguments: exchanges)
  func answering(_ row: Row<Exchange, Bool>) {
    #expect(PartialContent.answers(row.subject.response, to: row.subject.request) == row.outcome)
  }

  static let lengths: [Row<Response, UInt64?>] = [
    Row("a 206 without Content-Length", part("bytes 5-8/10"), 4),
    Row("a 206 of an unknown complete length", part("bytes 5-8/*"), 4),
    Row("Content-Length states the length itself", part("bytes 5-8/10", ["Content-Length": "4"]), nil),
    Row("a 200 has no range", Response(200, fields: ["Content-Range": "bytes 5-8/10"]), nil),
    Row("a 206 without a range", Response(206), nil),
    Row("several ranges", part("bytes 5-8/10", ["Content-Type": "multipart/byteranges; boundary=a"]), nil),
  ]

  @Test("A 206 without Content-Length is as long as its range says", arguments: lengths)
  func length(_ row: Row<Response, UInt64?>) {
    #expect(PartialContent.impliedLength(of: row.subject) == row.outcome)
  }

  static let validators: [Row<(stored: Fields, new: Fields), Bool>] = [
    Row("the same tag", (["ETag": "\"a\""], ["ETag": "\"a\""]), true),
    Row("the same weak tag", (["ETag": "W/\"a\""], ["ETag": "W/\"a\""]), true),
    Row("another tag", (["ETag": "\"a\""], ["ETag": "\"b\""]), false),
    Row("a tag of another strength", (["ETag": "\"a\""], ["ETag": "W/\"a\""]), false),
    Row(
      "another tag with the same date",
      (["ETag": "\"a\"", "Last-Modified": .date(0)], ["ETag": "\"b\"", "Last-Modified": .date(0)]), false),
    Row("the same date", (["Last-Modified": .date(0)], ["Last-Modified": .date(0)]), true),
    Row("another date", (["Last-Modified": .date(0)], ["Last-Modified": .date(1)]), false),
    Row(
      "the same date, if only the stored one has a tag",
      (["ETag": "\"a\"", "Last-Modified": .date(0)], ["Last-Modified": .date(0)]), false),
    Row(
      "the same date, if only the new one has a tag",
      (["Last-Modified": .date(0)], ["ETag": "\"a\"", "Last-Modified": .date(0)]), false),
    Row("no validator", ([:], [:]), false),
  ]

  @Test("Responses share a validator if their tags are equal, or their dates without any tag", arguments: validators)
  func sharing(_ row: Row<(stored: Fields, new: Fields), Bool>) {
    #expect(PartialContent.sharesValidator(stored(row.subject.stored), with: stored(row.subject.new)) == row.outcome)
  }
}
