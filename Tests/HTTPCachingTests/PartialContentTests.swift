import HTTPCaching
import HTTPSemantics
import TestTraits
import Testing

@Suite("Partial content: RFC 9111 sections 3.3 and 3.4")
struct PartialContentTests {
  private static let fresh: Fields = ["Cache-Control": "max-age=60", "ETag": "\"a\""]

  // MARK: Decisions about stored parts

  typealias Case = (request: Request, stored: StoredResponse)

  static let decisions: [Row<Case, Verdict>] = [
    Row("a plain request continues a part that begins at 0", (get(), part(fresh)), .completed),
    Row("a part of unknown total length is continued", (get(), part(fresh, of: nil)), .completed),
    Row("a stale part is continued", (get(), part(["Cache-Control": "max-age=1", "ETag": "\"a\""])), .completed),
    Row("a request with no-cache continues a part", (get(["Cache-Control": "no-cache"]), part(fresh)), .completed),
    Row("a part that does not begin at 0 is not continued", (get(), part(fresh, 1..<40)), .forwarded(.partial)),
    Row("a part without validator is forwarded", (get(), part(["Cache-Control": "max-age=60"])), .forwarded(.partial)),
    Row("a part with a weak tag is not continued", (get(), part(["ETag": "W/\"a\""])), .forwarded(.partial)),
    Row("a part with a malformed tag is not continued", (get(), part(["ETag": "a"])), .forwarded(.partial)),
    Row(
      "a part with a strong Last-Modified is continued",
      (get(), part(["Last-Modified": .date(-60), "Date": .date(0)])),
      .completed),
    Row(
      "a date less than a minute old continues no part",
      (get(), part(["Last-Modified": .date(-59), "Date": .date(0)])),
      .forwarded(.partial)),
    Row(
      "a weak Last-Modified continues no part", (get(), part(["Last-Modified": .date(0), "Date": .date(0)])),
      .forwarded(.partial)),
    Row(
      "a strong Last-Modified beside a weak tag continues no part",
      (get(), part(["ETag": "W/\"a\"", "Last-Modified": .date(-60), "Date": .date(0)])), .forwarded(.partial)),
    Row(
      "a request that accepts its coding continues a coded part",
      (get(["Accept-Encoding": "br, GZIP;q=0.5"]), part(["ETag": "\"a\"", "Content-Encoding": "gzip"])), .completed),
    Row(
      "a request that does not accept its coding does not continue it",
      (get(["Accept-Encoding": "br"]), part(["ETag": "\"a\"", "Content-Encoding": "gzip"])), .forwarded(.partial)),
    Row("HEAD is not answered from a part", (head(), part(fresh)), .forwarded(.partial)),
    Row("If-None-Match forwards the request", (get(["If-None-Match": "\"a\""]), part(fresh)), .forwarded(.partial)),
    Row("If-Match forwards the request", (get(["If-Match": "\"a\""]), part(fresh)), .forwarded(.partial)),
    Row(
      "only-if-cached does not get a part", (get(["Cache-Control": "only-if-cached"]), part(fresh)),
      .unsatisfiable(.partial)),
    Row("no-store bypasses the stored part", (get(["Cache-Control": "no-store"]), part(fresh)), .forwarded(.bypass)),
    Row("a range within the part is served", (get(["Range": "bytes=10-19"]), part(fresh)), .served),
    Row("the range of the part is served", (get(["Range": "bytes=0-39"]), part(fresh)), .served),
    Row("a range beyond it is forwarded", (get(["Range": "bytes=39-40"]), part(fresh)), .forwarded(.partial)),
    Row("a range before it is forwarded", (get(["Range": "bytes=4-9"]), part(fresh, 5..<50)), .forwarded(.partial)),
    Row("a range to the end is forwarded", (get(["Range": "bytes=10-"]), part(fresh)), .forwarded(.partial)),
    Row("a part at the end answers a range to the end", (get(["Range": "bytes=70-"]), part(fresh, 60..<100)), .served),
    Row("a part at the end answers a suffix range", (get(["Range": "bytes=-5"]), part(fresh, 60..<100)), .served),
    Row(
      "with an unknown length a suffix range is forwarded", (get(["Range": "bytes=-5"]), part(fresh, of: nil)),
      .forwarded(.partial)),
    Row(
      "with an unknown length a range to the end is forwarded", (get(["Range": "bytes=5-"]), part(fresh, of: nil)),
      .forwarded(.partial)),
    Row("a closed range is served without it", (get(["Range": "bytes=5-9"]), part(fresh, of: nil)), .served),
    Row(
      "an unsatisfiable range is forwarded", (get(["Range": "bytes=200-"]), part(fresh)),
      .forwarded(.partial)),
    Row("several ranges are forwarded", (get(["Range": "bytes=0-1,3-4"]), part(fresh)), .forwarded(.partial)),
    Row(
      "a range up to the greatest number does not trap",
      (get(["Range": "bytes=0-18446744073709551615"]), part(fresh, of: nil)),
      .forwarded(.partial)),
    Row("If-Range with its tag is served", (get(["Range": "bytes=1-2", "If-Range": "\"a\""]), part(fresh)), .served),
    Row(
      "If-Range with another tag is forwarded", (get(["Range": "bytes=1-2", "If-Range": "\"b\""]), part(fresh)),
      .forwarded(.partial)),
    Row("a stale part is not served", (get(["Range": "bytes=1-2"]), part(["ETag": "\"a\""])), .forwarded(.stale)),
  ]

  @Test("A stored part answers ranges within it, and is continued for a plain request", arguments: decisions)
  func deciding(_ row: Row<Case, Verdict>) {
    #expect(decide(row.subject.request, row.subject.stored, at: 10).verdict == row.outcome)
  }

  @Test("Each policy treats a stored part in its own way", arguments: CachePolicy.allCases)
  func policies(_ policy: CachePolicy) {
    let verdict = decide(get(), part(Self.fresh), policy, at: 10).verdict
    let expected: Verdict =
      switch policy {
      case .useProtocol, .revalidate, .cacheElseLoad, .networkFirst: .completed
      case .reload, .reloadAll: .forwarded(.request)
      case .cacheOnly, .cacheOnlyStrict: .unsatisfiable(.partial)
      case .noStore: .forwarded(.bypass)
      }
    #expect(verdict == expected)
  }

  @Test("A continuation asks for the bytes after the part, with its validator and the request's fields")
  func continuation() {
    let sent = decide(get(["Accept": "*/*"]), part(Self.fresh), at: 10).sent
    #expect(sent?.fields == ["Accept": "*/*", "Range": "bytes=40-", "If-Range": "\"a\""])
  }

  @Test("A range within a stored part is served as a 206, from its place in the stored content")
  func served() throws {
    let reuse = try #require(decide(get(["Range": "bytes=10-19"]), part(Self.fresh, 5..<50), at: 10).reuse)
    #expect(reuse.contentRange(for: .get) == 5..<15)
    let head = reuse.head(isValidated: false)
    #expect(
      head.status == 206 && head.fields[.contentRange] == "bytes 10-19/100" && head.fields[.contentLength] == "10")
    let unknown = try #require(decide(get(["Range": "bytes=10-19"]), part(Self.fresh, 5..<50, of: nil), at: 10).reuse)
    #expect(unknown.head(isValidated: false).fields[.contentRange] == "bytes 10-19/*")
  }

  // MARK: Joining a part with its rest

  /// A correct answer to the continuation of bytes 0 to 39 of 100, with changes.
  private static func rest(_ changes: Fields = [:], without name: FieldName? = nil, isSound: Bool = true) -> Answer {
    var fields: Fields = ["Content-Range": "bytes 40-99/100", "ETag": "\"a\"", "Content-Length": "60"]
    for change in changes.lines { fields.set(change.name, change.value) }
    if let name { fields.removeAll(name) }
    return answer(206, fields, at: 20, isSound: isSound)
  }

  static let answers: [Row<Answer, Bool>] = [
    Row("the rest under the same strong tag is joined", rest(), true),
    Row("the rest without Content-Length is joined", rest(without: .contentLength), true),
    Row("an earlier beginning is refused", rest(["Content-Range": "bytes 39-99/100", "Content-Length": "61"]), false),
    Row("a later beginning is refused", rest(["Content-Range": "bytes 41-99/100", "Content-Length": "59"]), false),
    Row("an earlier end is refused", rest(["Content-Range": "bytes 40-98/100", "Content-Length": "59"]), false),
    Row("a range before its end is refused", rest(["Content-Range": "bytes 0-4/5", "Content-Length": "5"]), false),
    Row(
      "a range of one byte with another total is refused",
      rest(["Content-Range": "bytes 40-40/41", "Content-Length": "1"]), false),
    Row("another total is refused", rest(["Content-Range": "bytes 40-100/101", "Content-Length": "61"]), false),
    Row("a rest with an unknown total is refused", rest(["Content-Range": "bytes 40-99/*"]), false),
    Row("a rest with a wrong Content-Length is refused", rest(["Content-Length": "59"]), false),
    Row("a rest without Content-Range is refused", rest(without: .contentRange), false),
    Row("a rest in another unit is refused", rest(["Content-Range": "items 40-99/100"]), false),
    Row("a rest with another tag is refused", rest(["ETag": "\"b\""]), false),
    Row("a rest with a weak tag is refused", rest(["ETag": "W/\"a\""]), false),
    Row("a rest without a tag is refused", rest(without: .etag), false),
    Row("a rest with another coding is refused", rest(["Content-Encoding": "br"]), false),
    Row("a rest in several parts is refused", rest(["Content-Type": "Multipart/ByteRanges; boundary=x"]), false),
    Row("a rest that varies on a further field is refused", rest(["Vary": "X"]), false),
    Row("a rest of doubtful framing is refused", rest(isSound: false), false),
    Row("a 304, which was not asked for, is refused", answer(304, ["ETag": "\"a\""], at: 20), false),
    Row("a 416 is refused", answer(416, ["Content-Range": "bytes */40"], at: 20), false),
  ]

  @Test(
    "The rest is joined with the part if it fits, and else the request is repeated without a condition",
    arguments: answers)
  func joining(_ row: Row<Answer, Bool>) throws {
    let conclusion = conclude(get(), part(Self.fresh), row.subject, at: 10)
    guard row.outcome else {
      #expect(conclusion.delivery == .unconditionalRequest)
      #expect(conclusion.change.refusal != nil && !conclusion.change.isRemoval)
      return
    }
    let whole = try #require(conclusion.change.inserted)
    #expect(conclusion.delivery == .joined(whole))
    #expect(whole.extent == .whole && whole.contentLength == 100 && whole.response.status == 200)
    #expect(whole.fields[.contentLength] == "100" && !whole.fields.contains(.contentRange))
    #expect(whole.responseTime == .at(20))
  }

  @Test("The fields of the rest replace those of the part")
  func updating() throws {
    let conclusion = conclude(get(), part(Self.fresh), Self.rest(["Cache-Control": "max-age=7", "X": "y"]), at: 10)
    let whole = try #require(conclusion.change.inserted)
    #expect(whole.fields[.cacheControl] == "max-age=7" && whole.fields["X"] == "y")
  }

  @Test("The rest may omit the part's coding, or state it in any case")
  func coding() {
    let request = get(["Accept-Encoding": "gzip"])
    let coded = part(["ETag": "\"a\"", "Content-Encoding": "gzip"])
    #expect(conclude(request, coded, Self.rest(["Content-Encoding": "GZip"]), at: 10).change.inserted != nil)
    #expect(conclude(request, coded, Self.rest(), at: 10).change.inserted != nil)
    #expect(conclude(request, coded, Self.rest(["Content-Encoding": "br"]), at: 10).delivery == .unconditionalRequest)
  }

  @Test("A rest that may not be stored is delivered with the part, and the part is removed")
  func noStore() throws {
    let conclusion = conclude(get(), part(Self.fresh), Self.rest(["Cache-Control": "no-store"]), at: 10)
    guard case .joined = conclusion.delivery else { throw CancellationError() }
    #expect(conclusion.change == .remove(.noStore))
  }

  @Test("After a continuation a 200 replaces the part, a 503 leaves it, and a 404 removes it")
  func otherAnswers() {
    #expect(conclude(get(), part(Self.fresh), answer(200, at: 20), at: 10).change.inserted?.extent == .whole)
    #expect(conclude(get(), part(Self.fresh), answer(503, at: 20), at: 10).change == .none(.notCacheable))
    #expect(conclude(get(), part(Self.fresh), answer(404, ["Cache-Control": "no-store"]), at: 10).change.isRemoval)
  }

  // MARK: Storing a 206

  static let kept: [Row<Answer, StoredResponse.Extent?>] = [
    Row("one range is kept", answer(206, ["Content-Range": "bytes 2-6/10"]), .part(2..<7, of: 10)),
    Row("a range of unknown total is kept", answer(206, ["Content-Range": "bytes 2-6/*"]), .part(2..<7, of: nil)),
    Row("the unit is not case-sensitive", answer(206, ["Content-Range": "Bytes 2-6/10"]), .part(2..<7, of: 10)),
    Row("a range of everything is kept as a whole", answer(206, ["Content-Range": "bytes 0-9/10"]), .whole),
    Row(
      "all of unknown total is kept as a part", answer(206, ["Content-Range": "bytes 0-9/*"]), .part(0..<10, of: nil)),
    Row("a range beyond its total is not kept", answer(206, ["Content-Range": "bytes 2-10/10"]), nil),
    Row("a range that ends before it begins is not kept", answer(206, ["Content-Range": "bytes 6-2/10"]), nil),
    Row("a range to the greatest is not kept", answer(206, ["Content-Range": "bytes 0-18446744073709551615/*"]), nil),
    Row("a range beyond it is not kept", answer(206, ["Content-Range": "bytes 0-18446744073709551616/*"]), nil),
    Row("a malformed range is not kept", answer(206, ["Content-Range": "bytes 2-/10"]), nil),
    Row("a signed range is not kept", answer(206, ["Content-Range": "bytes -2-6/10"]), nil),
    Row(
      "a range of another Content-Length is not kept",
      answer(206, ["Content-Range": "bytes 2-6/10", "Content-Length": "6"]), nil),
    Row(
      "a 206 with two Content-Range fields is not kept",
      answer(206, ["Content-Range": "bytes 2-6/10", "content-range": "bytes 2-6/10"]), nil),
    Row(
      "several ranges in one answer are not kept",
      answer(206, ["Content-Range": "bytes 2-6/10", "Content-Type": "multipart/byteranges"]),
      nil),
  ]

  @Test("A 206 is stored as a part with the range that it states", arguments: kept)
  func keeping(_ row: Row<Answer, StoredResponse.Extent?>) {
    let change = conclude(get(["Range": "bytes=2-6"]), nil, row.subject).change
    #expect(change.inserted?.extent == row.outcome)
    if row.outcome == nil { #expect(change == .none(.partialContent)) }
    guard let inserted = change.inserted else { return }
    #expect(inserted.response.status == 200 && !inserted.fields.contains(.contentRange))
    let isUnknown = row.subject.response.fields[.contentRange]?.text.hasSuffix("*") == true
    #expect(inserted.fields[.contentLength] == (isUnknown ? nil : "10"))
  }

  @Test("A part freshens a stored whole response under the same strong validator, and is not stored itself")
  func besideWhole() {
    let range = get(["Range": "bytes=0-9"])
    let whole = stored(["ETag": "\"a\""])
    let same = answer(206, ["Content-Range": "bytes 0-9/100", "ETag": "\"a\"", "Cache-Control": "max-age=60"], at: 20)
    #expect(conclude(range, whole, same, at: 10).change.freshened?.fields[.cacheControl] == "max-age=60")
    #expect(conclude(range, whole, same, at: 10).change.freshened?.contentLength == 100)
    for fields in [["Content-Range": "bytes 0-9/101", "ETag": "\"a\""], ["Content-Range": "bytes 0-9/100"]] as [Fields]
    {
      #expect(conclude(range, whole, answer(206, fields, at: 20), at: 10).change == .none(.partialContent))
    }
  }

  static let contradictions: [Row<(stored: Fields, answer: Answer), Conclusion.Change?>] = [
    Row(
      "another strong tag removes the whole", (["ETag": "\"a\""], range(["ETag": "\"b\""])),
      .removeOutdatedByPart),
    Row(
      "a strong tag in place of another weak one removes the whole", (["ETag": "W/\"a\""], range(["ETag": "\"b\""])),
      .removeOutdatedByPart),
    Row(
      "another strong tag in an answer with no-store removes the whole",
      (["ETag": "\"a\""], range(["ETag": "\"b\"", "Cache-Control": "no-store"])), .remove(.noStore)),
    Row("a weak tag removes nothing", (["ETag": "\"a\""], range(["ETag": "W/\"b\""])), nil),
    Row("a strong tag for the same weak one removes nothing", (["ETag": "W/\"a\""], range(["ETag": "\"a\""])), nil),
    Row("a tag in place of none removes nothing", (["Last-Modified": .date(-60)], range(["ETag": "\"b\""])), nil),
    Row("a tag for a stored malformed one removes nothing", (["ETag": "a"], range(["ETag": "\"b\""])), nil),
    Row(
      "a tag of several ranges removes nothing",
      (["ETag": "\"a\""], range(["ETag": "\"b\"", "Content-Type": "multipart/byteranges"])), nil),
    Row(
      "another strong Last-Modified removes the whole",
      (["Last-Modified": .date(-70)], range(["Last-Modified": .date(-60)])),
      .removeOutdatedByPart),
    Row("a weak date removes nothing", (["Last-Modified": .date(-70)], range(["Last-Modified": .date(-1)])), nil),
    Row(
      "a date beside a stored tag removes nothing",
      (["ETag": "\"a\"", "Last-Modified": .date(-70)], range(["Last-Modified": .date(-60)])), nil),
  ]

  private static func range(_ changes: Fields) -> Answer {
    var fields: Fields = ["Content-Range": "bytes 0-9/100", "Date": .date(0)]
    for change in changes.lines { fields.set(change.name, change.value) }
    return answer(206, fields, at: 20)
  }

  @Test(
    "A part removes the stored whole response if their validators show that this is out of date",
    arguments: contradictions)
  func contradicting(_ row: Row<(stored: Fields, answer: Answer), Conclusion.Change?>) {
    let request = get(["Range": "bytes=0-9"])
    for policy in [CachePolicy.useProtocol, .reload] {
      let change = conclude(request, stored(row.subject.stored), row.subject.answer, policy, at: 10).change
      #expect(change.isRemoval == (row.outcome != nil))
      if let expected = row.outcome { #expect(change == expected) }
    }
    let passing = get(["Range": "bytes=0-9", "Cache-Control": "no-store"])
    #expect(!conclude(passing, stored(row.subject.stored), row.subject.answer, at: 10).change.isRemoval)
  }

  @Test("A part freshens a longer one under the same strong validator, and replaces another one")
  func besidePart() throws {
    let range = get(["Range": "bytes=50-53"])
    let kept = part(["ETag": "\"a\""], 0..<10)
    let fields: Fields = ["Content-Range": "bytes 50-53/100", "ETag": "\"a\"", "Cache-Control": "max-age=60"]
    let freshened = try #require(conclude(range, kept, answer(206, fields, at: 20), at: 10).change.freshened)
    #expect(freshened.fields[.cacheControl] == "max-age=60" && freshened.extent == .part(0..<10, of: 100))
    for (name, value) in [("ETag", "\"b\""), ("Content-Range", "bytes 50-59/100")] as [(FieldName, FieldValue)] {
      var other = fields
      other.set(name, value)
      let inserted = try #require(conclude(range, kept, answer(206, other, at: 20), at: 10).change.inserted)
      #expect(inserted.extent != kept.extent)
    }
  }

  static let interrupted: [Row<StoredResponse, StoredResponse.Extent?>] = [
    Row("the front of a 200 is kept", stored(["ETag": "\"a\"", "Content-Length": "10"]), .part(0..<4, of: 10)),
    Row("the front of a 200 of unknown length is kept", stored(["ETag": "\"a\""]), .part(0..<4, of: nil)),
    Row("a 200 of length 0 has no front", stored(["ETag": "\"a\"", "Content-Length": "0"]), nil),
    Row("the front of a part is a part", part(["ETag": "\"a\""], 5..<50), .part(5..<9, of: 100)),
    Row("without a validator nothing is kept", stored(["Content-Length": "10"]), nil),
    Row("with a weak validator nothing is kept", stored(["ETag": "W/\"a\"", "Content-Length": "10"]), nil),
    Row(
      "nothing is kept with two validators", stored(["ETag": "\"a\"", "etag": "\"b\"", "Content-Length": "10"]), nil),
    Row("of another status nothing is kept", stored(["ETag": "\"a\"", "Content-Length": "10"], status: 404), nil),
    Row("a complete response is not kept as a part", stored(["ETag": "\"a\"", "Content-Length": "4"]), nil),
  ]

  @Test(
    "A transfer that breaks off after four bytes leaves a part if it has a strong validator", arguments: interrupted)
  func interrupting(_ row: Row<StoredResponse, StoredResponse.Extent?>) {
    #expect(PartialContent.interrupted(row.subject, after: 4)?.extent == row.outcome)
    #expect(PartialContent.interrupted(row.subject, after: 0) == nil)
  }

  static let lengths: [Row<StoredResponse, UInt64?>] = [
    Row("a Content-Length states the length", stored(["Content-Length": "10"]), 10),
    Row("no Content-Length states none", stored([:]), nil),
    Row("a length of 0 counts", stored(["Content-Length": "0"]), 0),
    Row("a part has the length of its range", part(["Content-Length": "100"]), 40),
    Row("a part of unknown total has the length of its range", part([:], of: nil), 40),
    Row("a 204 has no content, whatever its length says", stored(["Content-Length": "10"], status: 204), 0),
  ]

  @Test(
    "A response is complete with as many bytes as it states, or with any number if it states none", arguments: lengths)
  func completing(_ row: Row<StoredResponse, UInt64?>) {
    for length in [0, 10, 40, 100] as [UInt64] {
      #expect(row.subject.isComplete(with: length) == (row.outcome.map { $0 == length } ?? true), "\(length)")
    }
  }

  @Test("A 206 of everything is complete with the bytes of its range, with or without Content-Length")
  func completingWhole() throws {
    for fields in [["Content-Length": "10"], [:]] as [Fields] {
      var all = fields
      all.set(.contentRange, "bytes 0-9/10")
      let whole = try #require(conclude(get(["Range": "bytes=0-"]), nil, answer(206, all)).change.inserted)
      #expect(whole.isComplete(with: 10) && !whole.isComplete(with: 9) && !whole.isComplete(with: 0))
    }
  }

  static let rivals: [Row<StoredResponse, Bool>] = [
    Row("a shorter part of the same response does not replace it", part(fresh, 0..<39), true),
    Row("a part of another range that is not as long does not replace it", part(fresh, 50..<89), true),
    Row("a part as long replaces it", part(fresh, 10..<50), false),
    Row("a longer part replaces it", part(fresh, 0..<41), false),
    Row("a shorter part with another tag replaces it", part(["ETag": "\"b\""], 0..<1), false),
    Row("a part without validator replaces it", part([:], 0..<1), false),
    Row(
      "a shorter part of another variant replaces it",
      stored(
        fresh, length: 1, varying: [.accept], with: get(["Accept": "x"]), extent: .part(0..<1, of: 100)), false),
  ]

  @Test("A stored part stays if it is worth more than the new one", arguments: rivals)
  func worth(_ row: Row<StoredResponse, Bool>) {
    #expect(PartialContent.isWorthMore(part(Self.fresh), than: row.subject) == row.outcome)
  }

  @Test("A strong Last-Modified joins a part with its rest, unless the rest has a tag that the part lacks")
  func lastModified() {
    let dated: Fields = ["Last-Modified": .date(-60), "Date": .date(0)]
    for (fields, isJoined) in [
      (["Last-Modified": .date(-60)], true), (["Last-Modified": .date(-61)], false),
      (["Last-Modified": .date(-60), "ETag": "\"a\""], false), (["ETag": "\"a\""], false),
    ] as [(Fields, Bool)] {
      let conclusion = conclude(
        get(), part(dated), Self.rest(fields, without: fields.contains(.etag) ? nil : .etag), at: 10)
      #expect((conclusion.change.inserted != nil) == isJoined)
      #expect((conclusion.delivery == .unconditionalRequest) == !isJoined)
    }
  }

  @Test("An answer to HEAD freshens a part of the same total length, and removes one of another")
  func headOfPart() {
    let same = answer(200, ["ETag": "\"a\"", "Content-Length": "100"], at: 20)
    #expect(conclude(head(), part(Self.fresh), same, at: 10).change.freshened?.extent == .part(0..<40, of: 100))
    let other = answer(200, ["ETag": "\"a\"", "Content-Length": "40"], at: 20)
    #expect(conclude(head(), part(Self.fresh), other, at: 10).change.isRemoval)
    #expect(conclude(head(), part(Self.fresh, of: nil), same, at: 10).change.freshened != nil)
  }
}
