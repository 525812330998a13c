import HTTPCaching
import HTTPSemantics
import TestTraits
import Testing

@Suite("Resuming an interrupted transfer: RFC 9110 sections 13.1.5 and 15.3.7.3")
struct ResumptionTests {
  /// A response whose whole content was to be delivered, with changes.
  private static func whole(
    _ changes: Fields = [:], without name: FieldName? = nil, status: StatusCode = 200
  ) -> Response {
    response(status, ["ETag": "\"a\"", "Content-Length": "100"], changes, without: name)
  }

  /// A 206 with this range, with changes: the rest after 40 bytes of the whole, unless the range says otherwise.
  private static func part(
    _ range: FieldValue = "bytes 40-99/100", _ changes: Fields = [:], without name: FieldName? = nil
  ) -> Response {
    response(206, ["ETag": "\"a\"", "Content-Range": range], changes, without: name)
  }

  private static func response(
    _ status: StatusCode, _ fields: Fields, _ changes: Fields, without name: FieldName?
  ) -> Response {
    var fields = fields
    for change in changes.lines { fields.set(change.name, change.value) }
    if let name { fields.removeAll(name) }
    return Response(status, fields: fields)
  }

  /// A transfer of the response that broke off after this many bytes.
  private static func resumption(of response: Response, after received: UInt64 = 40) -> Resumption? {
    Resumption(of: response, from: .example, after: received, now: .start)
  }

  // MARK: Answers

  typealias Case = (delivered: Response, answer: Response)

  private static let dated: Fields = ["Last-Modified": .date(-60), "Date": .date(0)]

  static let answersToWhole: [Row<Case, UInt64?>] = [
    Row("the rest up to the end continues a whole", (whole(), part()), 0),
    Row("a rest that states no complete length continues it", (whole(), part("bytes 40-99/*")), 0),
    Row("an earlier beginning does not", (whole(), part("bytes 39-99/100")), nil),
    Row("a later beginning does not", (whole(), part("bytes 41-99/100")), nil),
    Row("an earlier end does not", (whole(), part("bytes 40-98/100")), nil),
    Row("another complete length does not", (whole(), part("bytes 40-99/101")), nil),
    Row("a 206 without Content-Range does not", (whole(), part(without: .contentRange)), nil),
    Row(
      "a 206 with several ranges does not",
      (whole(), part("bytes 40-99/100", ["Content-Type": "multipart/byteranges; boundary=b"])), nil),
    Row("another tag does not", (whole(), part("bytes 40-99/100", ["ETag": "\"b\""])), nil),
    Row("a weak tag does not", (whole(), part("bytes 40-99/100", ["ETag": "W/\"a\""])), nil),
    Row("a 206 without validator does not", (whole(), part(without: .etag)), nil),
    Row("another coding does not", (whole(), part("bytes 40-99/100", ["Content-Encoding": "gzip"])), nil),
    Row(
      "a 206 that leaves out the coding continues a coded whole",
      (whole(["Content-Encoding": "gzip"]), part()), 0),
    Row("the rest of a whole of unknown length continues it", (whole(without: .contentLength), part()), 0),
    Row(
      "a rest that may be shorter than a whole of unknown length does not",
      (whole(without: .contentLength), part("bytes 40-99/*")), nil),
    Row(
      "a rest that is shorter than a whole of unknown length does not",
      (whole(without: .contentLength), part("bytes 40-98/100")), nil),
    Row("the same whole again repeats what was delivered", (whole(), whole()), 40),
    Row(
      "a whole of unknown length again repeats it",
      (whole(without: .contentLength), whole(without: .contentLength)), 40),
    Row("a whole of another length does not", (whole(), whole(["Content-Length": "101"])), nil),
    Row("a whole that states no length does not", (whole(), whole(without: .contentLength)), nil),
    Row("a whole with another tag does not", (whole(), whole(["ETag": "\"b\""])), nil),
    Row(
      "a whole that leaves out the coding does not repeat a coded one",
      (whole(["Content-Encoding": "gzip"]), whole()), nil),
    Row("an error does not", (whole(), whole(status: 404)), nil),
    Row("a 416 does not", (whole(), whole(["Content-Range": "bytes */100"], status: 416)), nil),
    Row(
      "the rest with the same strong Last-Modified continues a whole without a tag",
      (whole(dated, without: .etag), part("bytes 40-99/100", ["Last-Modified": .date(-60)], without: .etag)), 0),
    Row(
      "the rest with another Last-Modified does not",
      (whole(dated, without: .etag), part("bytes 40-99/100", ["Last-Modified": .date(-61)], without: .etag)), nil),
    Row(
      "the rest with a tag does not continue a whole without one",
      (whole(dated, without: .etag), part("bytes 40-99/100", ["Last-Modified": .date(-60)])), nil),
  ]

  private static let delivered = part("bytes 10-99/200")

  static let answersToPart: [Row<Case, UInt64?>] = [
    Row("the rest of the range continues a part", (delivered, part("bytes 50-99/200")), 0),
    Row("a rest of it that states no complete length continues it", (delivered, part("bytes 50-99/*")), 0),
    Row("a beginning counted from the front of the part does not", (delivered, part("bytes 40-99/200")), nil),
    Row("a rest beyond the end of the range does not", (delivered, part("bytes 50-199/200")), nil),
    Row("a rest with another complete length does not", (delivered, part("bytes 50-99/201")), nil),
    Row("the whole does not continue a part", (delivered, whole(["Content-Length": "200"])), nil),
  ]

  @Test(
    "An answer continues what has been delivered if it is the rest, up to the end, of the same bytes, or all of them",
    arguments: answersToWhole + answersToPart)
  func overlap(_ row: Row<Case, UInt64?>) throws {
    let resumption = try #require(Self.resumption(of: row.subject.delivered))
    #expect(resumption.overlap(with: row.subject.answer) == row.outcome)
  }

  @Test("A stored response is the one that has been delivered in part if it is a 200 that repeats it")
  func storedWhole() throws {
    let resumption = try #require(Self.resumption(of: Self.whole()))
    #expect(resumption.isContinued(by: Self.whole()))
    #expect(!resumption.isContinued(by: Self.whole(["ETag": "\"b\""])))
    #expect(!resumption.isContinued(by: Self.part()))
    #expect(!resumption.isContinued(by: nil))
  }

  @Test("An answer shows by another validator that what has been delivered is outdated")
  func outdated() throws {
    let resumption = try #require(Self.resumption(of: Self.whole()))
    #expect(resumption.isOutdated(by: Self.whole(["ETag": "\"b\""])))
    #expect(!resumption.isOutdated(by: Self.whole()))
    #expect(!resumption.isOutdated(by: Self.whole(["Last-Modified": .date(0)], without: .etag)))
  }

  // MARK: Requests

  @Test("A request for the rest has the range behind what has been delivered, and If-Range")
  func request() throws {
    let rest = try #require(Self.resumption(of: Self.whole())).request(get(["Accept": "*/*"]))
    #expect(rest.fields == ["Accept": "*/*", "Range": "bytes=40-", "If-Range": "\"a\""])
    let restOfPart = try #require(Self.resumption(of: Self.delivered)).request(get(["Range": "bytes=10-99"]))
    #expect(restOfPart.fields == ["Range": "bytes=50-99", "If-Range": "\"a\""])
    let dated = try #require(Self.resumption(of: Self.whole(Self.dated, without: .etag))).request(get())
    #expect(dated.fields == ["Range": "bytes=40-", "If-Range": .date(-60)])
  }

  static let resumed: [Row<Response, Bool>] = [
    Row("a 200 with a strong tag can be continued", whole(), true),
    Row("a 206 with one range can be continued", delivered, true),
    Row("a weak tag continues nothing", whole(["ETag": "W/\"a\""]), false),
    Row("a response without validator is not continued", whole(without: .etag), false),
    Row("an error is not continued", whole(status: 404), false),
    Row("a 206 without Content-Range is not continued", part(without: .contentRange), false),
    Row("a 206 whose whole range has come is not continued", part("bytes 0-39/100"), false),
  ]

  @Test("A response is continued if it has a strong validator, and more is to come", arguments: resumed)
  func resumable(_ row: Row<Response, Bool>) {
    #expect((Self.resumption(of: row.subject) != nil) == row.outcome)
  }
}
