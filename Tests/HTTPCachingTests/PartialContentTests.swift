import HTTPCaching
import HTTPSemantics
import Testing

@Suite("Partial content: RFC 9111 sections 3.3 and 3.4")
struct PartialContentTests {
  private static let fresh: Fields = ["Cache-Control": "max-age=60", "ETag": "\"a\""]

  // MARK: Deciding

  typealias Case = (request: Request, stored: StoredResponse)

  static let decisions: [Row<Case, Verdict>] = [
    Row("a plain request continues a part from the front", (get(), part(fresh)), .completed),
    Row("and one of unknown length", (get(), part(fresh, of: nil)), .completed),
    Row("however stale", (get(), part(["Cache-Control": "max-age=1", "ETag": "\"a\""])), .completed),
    Row("no-cache asks the origin, and so does this", (get(["Cache-Control": "no-cache"]), part(fresh)), .completed),
    Row("a part from elsewhere is not continued", (get(), part(fresh, 1..<40)), .forwarded(.partial)),
    Row("nor one without validator", (get(), part(["Cache-Control": "max-age=60"])), .forwarded(.partial)),
    Row("nor one with a weak tag", (get(), part(["ETag": "W/\"a\""])), .forwarded(.partial)),
    Row("nor one with a malformed tag", (get(), part(["ETag": "a"])), .forwarded(.partial)),
    Row(
      "a strong Last-Modified continues it", (get(), part(["Last-Modified": .date(-60), "Date": .date(0)])),
      .completed),
    Row(
      "one that is less than a minute old does not", (get(), part(["Last-Modified": .date(-59), "Date": .date(0)])),
      .forwarded(.partial)),
    Row(
      "a weak one does not", (get(), part(["Last-Modified": .date(0), "Date": .date(0)])), .forwarded(.partial)),
    Row(
      "nor does a strong one beside a weak tag",
      (get(), part(["ETag": "W/\"a\"", "Last-Modified": .date(-60), "Date": .date(0)])), .forwarded(.partial)),
    Row(
      "a coded part is continued by who accepts its coding",
      (get(["Accept-Encoding": "br, GZIP;q=0.5"]), part(["ETag": "\"a\"", "Content-Encoding": "gzip"])), .completed),
    Row(
      "and by nobody else",
      (get(["Accept-Encoding": "br"]), part(["ETag": "\"a\"", "Content-Encoding": "gzip"])), .forwarded(.partial)),
    Row("HEAD is not answered from a part", (head(), part(fresh)), .forwarded(.partial)),
    Row("a user's condition goes through", (get(["If-None-Match": "\"a\""]), part(fresh)), .forwarded(.partial)),
    Row("and If-Match", (get(["If-Match": "\"a\""]), part(fresh)), .forwarded(.partial)),
    Row(
      "only-if-cached gets no part", (get(["Cache-Control": "only-if-cached"]), part(fresh)), .unsatisfiable(.partial)),
    Row("no-store passes it by", (get(["Cache-Control": "no-store"]), part(fresh)), .forwarded(.bypass)),
    Row("a range within it is served", (get(["Range": "bytes=10-19"]), part(fresh)), .served),
    Row("the range that it is, too", (get(["Range": "bytes=0-39"]), part(fresh)), .served),
    Row("a range beyond it is not", (get(["Range": "bytes=39-40"]), part(fresh)), .forwarded(.partial)),
    Row("nor one before it", (get(["Range": "bytes=4-9"]), part(fresh, 5..<50)), .forwarded(.partial)),
    Row("nor one to the end", (get(["Range": "bytes=10-"]), part(fresh)), .forwarded(.partial)),
    Row("but it is from a part to the end", (get(["Range": "bytes=70-"]), part(fresh, 60..<100)), .served),
    Row("and so is a suffix", (get(["Range": "bytes=-5"]), part(fresh, 60..<100)), .served),
    Row(
      "without a length a suffix means nothing", (get(["Range": "bytes=-5"]), part(fresh, of: nil)),
      .forwarded(.partial)),
    Row("nor does an open end", (get(["Range": "bytes=5-"]), part(fresh, of: nil)), .forwarded(.partial)),
    Row("both ends do", (get(["Range": "bytes=5-9"]), part(fresh, of: nil)), .served),
    Row(
      "a range that nothing satisfies is the origin's to refuse", (get(["Range": "bytes=200-"]), part(fresh)),
      .forwarded(.partial)),
    Row("several ranges are the origin's", (get(["Range": "bytes=0-1,3-4"]), part(fresh)), .forwarded(.partial)),
    Row(
      "the greatest numbers are no trap", (get(["Range": "bytes=0-18446744073709551615"]), part(fresh, of: nil)),
      .forwarded(.partial)),
    Row("If-Range with its tag is served", (get(["Range": "bytes=1-2", "If-Range": "\"a\""]), part(fresh)), .served),
    Row(
      "with another tag it is not", (get(["Range": "bytes=1-2", "If-Range": "\"b\""]), part(fresh)),
      .forwarded(.partial)),
    Row("a stale part is not served", (get(["Range": "bytes=1-2"]), part(["ETag": "\"a\""])), .forwarded(.stale)),
  ]

  @Test("What a stored part is good for", arguments: decisions)
  func deciding(_ row: Row<Case, Verdict>) {
    #expect(decide(row.subject.request, row.subject.stored, at: 10).verdict == row.outcome)
  }

  @Test("Each policy has its use for a stored part", arguments: CachePolicy.allCases)
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

  @Test("A continuation asks for what is behind the part, under its validator, and keeps the request's fields")
  func continuation() {
    let sent = decide(get(["Accept": "*/*"]), part(Self.fresh), at: 10).sent
    #expect(sent?.fields == ["Accept": "*/*", "Range": "bytes=40-", "If-Range": "\"a\""])
  }

  @Test("A part of a part is served as a 206, from its place in what is stored")
  func served() throws {
    let reuse = try #require(decide(get(["Range": "bytes=10-19"]), part(Self.fresh, 5..<50), at: 10).reuse)
    #expect(reuse.contentRange(for: .get) == 5..<15)
    let head = reuse.head(isValidated: false)
    #expect(
      head.status == 206 && head.fields[.contentRange] == "bytes 10-19/100" && head.fields[.contentLength] == "10")
    let unknown = try #require(decide(get(["Range": "bytes=10-19"]), part(Self.fresh, 5..<50, of: nil), at: 10).reuse)
    #expect(unknown.head(isValidated: false).fields[.contentRange] == "bytes 10-19/*")
  }

  // MARK: Joining

  /// A right answer to the continuation of bytes 0 to 39 of 100, changed.
  private static func rest(_ changes: Fields = [:], without name: FieldName? = nil, isSound: Bool = true) -> Answer {
    var fields: Fields = ["Content-Range": "bytes 40-99/100", "ETag": "\"a\"", "Content-Length": "60"]
    for change in changes.lines { fields.set(change.name, change.value) }
    if let name { fields.removeAll(name) }
    return answer(206, fields, at: 20, isSound: isSound)
  }

  static let answers: [Row<Answer, Bool>] = [
    Row("the rest under the same strong tag is joined", rest(), true),
    Row("without Content-Length too", rest(without: .contentLength), true),
    Row("what begins earlier is not", rest(["Content-Range": "bytes 39-99/100", "Content-Length": "61"]), false),
    Row("nor what begins later", rest(["Content-Range": "bytes 41-99/100", "Content-Length": "59"]), false),
    Row("nor what ends early", rest(["Content-Range": "bytes 40-98/100", "Content-Length": "59"]), false),
    Row("nor what ends before what is held", rest(["Content-Range": "bytes 0-4/5", "Content-Length": "5"]), false),
    Row("nor where it begins", rest(["Content-Range": "bytes 40-40/41", "Content-Length": "1"]), false),
    Row("nor what has another total", rest(["Content-Range": "bytes 40-100/101", "Content-Length": "61"]), false),
    Row("nor what has an unknown one", rest(["Content-Range": "bytes 40-99/*"]), false),
    Row("nor what is not as long as it says", rest(["Content-Length": "59"]), false),
    Row("nor what says nothing", rest(without: .contentRange), false),
    Row("nor another unit", rest(["Content-Range": "items 40-99/100"]), false),
    Row("nor another tag", rest(["ETag": "\"b\""]), false),
    Row("nor a weak one", rest(["ETag": "W/\"a\""]), false),
    Row("nor what has none", rest(without: .etag), false),
    Row("nor another coding", rest(["Content-Encoding": "br"]), false),
    Row("nor several parts", rest(["Content-Type": "Multipart/ByteRanges; boundary=x"]), false),
    Row("nor what varies on a further field", rest(["Vary": "X"]), false),
    Row("nor what is of doubtful framing", rest(isSound: false), false),
    Row("a 304, which nobody asked for, is not delivered", answer(304, ["ETag": "\"a\""], at: 20), false),
    Row("nor is a 416", answer(416, ["Content-Range": "bytes */40"], at: 20), false),
  ]

  @Test("What is joined, and what makes the request anew", arguments: answers)
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

  @Test("The fields of the rest update those of the part")
  func updating() throws {
    let conclusion = conclude(get(), part(Self.fresh), Self.rest(["Cache-Control": "max-age=7", "X": "y"]), at: 10)
    let whole = try #require(conclusion.change.inserted)
    #expect(whole.fields[.cacheControl] == "max-age=7" && whole.fields["X"] == "y")
  }

  @Test("A coding that both state is the same coding, in any case")
  func coding() {
    let request = get(["Accept-Encoding": "gzip"])
    let coded = part(["ETag": "\"a\"", "Content-Encoding": "gzip"])
    #expect(conclude(request, coded, Self.rest(["Content-Encoding": "GZip"]), at: 10).change.inserted != nil)
    #expect(conclude(request, coded, Self.rest(), at: 10).change.inserted != nil)
    #expect(conclude(request, coded, Self.rest(["Content-Encoding": "br"]), at: 10).delivery == .unconditionalRequest)
  }

  @Test("A rest that may not be stored is delivered, and nothing is kept")
  func noStore() throws {
    let conclusion = conclude(get(), part(Self.fresh), Self.rest(["Cache-Control": "no-store"]), at: 10)
    guard case .joined = conclusion.delivery else { throw CancellationError() }
    #expect(conclusion.change == .remove(.noStore))
  }

  @Test("A 200 to the continuation takes the part's place; an error leaves it; what is gone takes it away")
  func otherAnswers() {
    #expect(conclude(get(), part(Self.fresh), answer(200, at: 20), at: 10).change.inserted?.extent == .whole)
    #expect(conclude(get(), part(Self.fresh), answer(503, at: 20), at: 10).change == .none(.nothingAllowsIt))
    #expect(conclude(get(), part(Self.fresh), answer(404, ["Cache-Control": "no-store"]), at: 10).change.isRemoval)
  }

  // MARK: Keeping

  static let kept: [Row<Answer, StoredResponse.Extent?>] = [
    Row("one range is kept", answer(206, ["Content-Range": "bytes 2-6/10"]), .part(2..<7, of: 10)),
    Row("of unknown length too", answer(206, ["Content-Range": "bytes 2-6/*"]), .part(2..<7, of: nil)),
    Row("the unit has no case", answer(206, ["Content-Range": "Bytes 2-6/10"]), .part(2..<7, of: 10)),
    Row("everything is the whole", answer(206, ["Content-Range": "bytes 0-9/10"]), .whole),
    Row("everything of unknown length is not", answer(206, ["Content-Range": "bytes 0-9/*"]), .part(0..<10, of: nil)),
    Row("a range beyond its total is not kept", answer(206, ["Content-Range": "bytes 2-10/10"]), nil),
    Row("nor one that ends before it begins", answer(206, ["Content-Range": "bytes 6-2/10"]), nil),
    Row("nor the greatest of all", answer(206, ["Content-Range": "bytes 0-18446744073709551615/*"]), nil),
    Row("nor one beyond all numbers", answer(206, ["Content-Range": "bytes 0-18446744073709551616/*"]), nil),
    Row("nor a malformed one", answer(206, ["Content-Range": "bytes 2-/10"]), nil),
    Row("nor a signed one", answer(206, ["Content-Range": "bytes -2-6/10"]), nil),
    Row("nor one with another length", answer(206, ["Content-Range": "bytes 2-6/10", "Content-Length": "6"]), nil),
    Row("nor two", answer(206, ["Content-Range": "bytes 2-6/10", "content-range": "bytes 2-6/10"]), nil),
    Row(
      "nor several in one", answer(206, ["Content-Range": "bytes 2-6/10", "Content-Type": "multipart/byteranges"]),
      nil),
  ]

  @Test("A 206 is kept as the part that it has", arguments: kept)
  func keeping(_ row: Row<Answer, StoredResponse.Extent?>) {
    let change = conclude(get(["Range": "bytes=2-6"]), nil, row.subject).change
    #expect(change.inserted?.extent == row.outcome)
    if row.outcome == nil { #expect(change == .none(.partialContent)) }
    guard let inserted = change.inserted else { return }
    #expect(inserted.response.status == 200 && !inserted.fields.contains(.contentRange))
    let isUnknown = row.subject.response.fields[.contentRange]?.text.hasSuffix("*") == true
    #expect(inserted.fields[.contentLength] == (isUnknown ? nil : "10"))
  }

  @Test("A part beside a whole freshens that where both share a strong validator, and is not kept")
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
      "another strong tag shows that it is out of date", (["ETag": "\"a\""], range(["ETag": "\"b\""])),
      .removeOutdatedByPart),
    Row("instead of a weak one, too", (["ETag": "W/\"a\""], range(["ETag": "\"b\""])), .removeOutdatedByPart),
    Row(
      "and in an answer that may not be stored",
      (["ETag": "\"a\""], range(["ETag": "\"b\"", "Cache-Control": "no-store"])), .remove(.noStore)),
    Row("a weak one does not", (["ETag": "\"a\""], range(["ETag": "W/\"b\""])), nil),
    Row("nor one that only is stronger", (["ETag": "W/\"a\""], range(["ETag": "\"a\""])), nil),
    Row("nor one where there was none", (["Last-Modified": .date(-60)], range(["ETag": "\"b\""])), nil),
    Row("nor where what is stored is no tag", (["ETag": "a"], range(["ETag": "\"b\""])), nil),
    Row(
      "nor one of several ranges",
      (["ETag": "\"a\""], range(["ETag": "\"b\"", "Content-Type": "multipart/byteranges"])), nil),
    Row(
      "another strong Last-Modified does", (["Last-Modified": .date(-70)], range(["Last-Modified": .date(-60)])),
      .removeOutdatedByPart),
    Row("a weak one does not", (["Last-Modified": .date(-70)], range(["Last-Modified": .date(-1)])), nil),
    Row(
      "nor one beside a stored tag",
      (["ETag": "\"a\"", "Last-Modified": .date(-70)], range(["Last-Modified": .date(-60)])), nil),
  ]

  private static func range(_ changes: Fields) -> Answer {
    var fields: Fields = ["Content-Range": "bytes 0-9/100", "Date": .date(0)]
    for change in changes.lines { fields.set(change.name, change.value) }
    return answer(206, fields, at: 20)
  }

  @Test("A part removes the whole that it shows to be out of date", arguments: contradictions)
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

  @Test("A part freshens a longer one under the same strong validator, and takes the place of another")
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
    Row("of unknown length too", stored(["ETag": "\"a\""]), .part(0..<4, of: nil)),
    Row("of a length of 0 there is no front", stored(["ETag": "\"a\"", "Content-Length": "0"]), nil),
    Row("the front of a part is a part", part(["ETag": "\"a\""], 5..<50), .part(5..<9, of: 100)),
    Row("without a validator nothing is kept", stored(["Content-Length": "10"]), nil),
    Row("nor with a weak one", stored(["ETag": "W/\"a\"", "Content-Length": "10"]), nil),
    Row("nor with two", stored(["ETag": "\"a\"", "etag": "\"b\"", "Content-Length": "10"]), nil),
    Row("nor of another status", stored(["ETag": "\"a\"", "Content-Length": "10"], status: 404), nil),
    Row("what is all there was no interruption", stored(["ETag": "\"a\"", "Content-Length": "4"]), nil),
  ]

  @Test("What a transfer that breaks off after four bytes leaves", arguments: interrupted)
  func interrupting(_ row: Row<StoredResponse, StoredResponse.Extent?>) {
    #expect(PartialContent.interrupted(row.subject, after: 4)?.extent == row.outcome)
    #expect(PartialContent.interrupted(row.subject, after: 0) == nil)
  }

  static let lengths: [Row<StoredResponse, UInt64?>] = [
    Row("a response says its length", stored(["Content-Length": "10"]), 10), Row("or none", stored([:]), nil),
    Row("0 is one", stored(["Content-Length": "0"]), 0),
    Row("a part has its own", part(["Content-Length": "100"]), 40),
    Row("also of a whole of unknown length", part([:], of: nil), 40),
    Row("a 204 has no content, whatever it says", stored(["Content-Length": "10"], status: 204), 0),
  ]

  @Test("What is to be stored is complete with as many bytes as it says, or where it says nothing", arguments: lengths)
  func completing(_ row: Row<StoredResponse, UInt64?>) {
    for length in [0, 10, 40, 100] as [UInt64] {
      #expect(row.subject.isComplete(with: length) == (row.outcome.map { $0 == length } ?? true), "\(length)")
    }
  }

  @Test("A 206 with everything is complete with as many bytes as its range has, said by Content-Length or not")
  func completingWhole() throws {
    for fields in [["Content-Length": "10"], [:]] as [Fields] {
      var all = fields
      all.set(.contentRange, "bytes 0-9/10")
      let whole = try #require(conclude(get(["Range": "bytes=0-"]), nil, answer(206, all)).change.inserted)
      #expect(whole.isComplete(with: 10) && !whole.isComplete(with: 9) && !whole.isComplete(with: 0))
    }
  }

  static let rivals: [Row<StoredResponse, Bool>] = [
    Row("a shorter part of the same does not take its place", part(fresh, 0..<39), true),
    Row("nor does one from elsewhere that is no longer", part(fresh, 50..<89), true),
    Row("one as long does", part(fresh, 10..<50), false), Row("and a longer one", part(fresh, 0..<41), false),
    Row("and a shorter one of another tag", part(["ETag": "\"b\""], 0..<1), false),
    Row("and one that nothing can be joined with", part([:], 0..<1), false),
    Row(
      "and a shorter one of another variant",
      stored(
        fresh, length: 1, varying: [.accept], with: get(["Accept": "x"]), extent: .part(0..<1, of: 100)), false),
  ]

  @Test("A part that is kept, and another one in its place", arguments: rivals)
  func worth(_ row: Row<StoredResponse, Bool>) {
    #expect(PartialContent.isWorthMore(part(Self.fresh), than: row.subject) == row.outcome)
  }

  @Test("A strong Last-Modified joins with itself, and not beside a tag that the part lacks")
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

  @Test("HEAD freshens a part by its whole length, and takes it away for another")
  func headOfPart() {
    let same = answer(200, ["ETag": "\"a\"", "Content-Length": "100"], at: 20)
    #expect(conclude(head(), part(Self.fresh), same, at: 10).change.freshened?.extent == .part(0..<40, of: 100))
    let other = answer(200, ["ETag": "\"a\"", "Content-Length": "40"], at: 20)
    #expect(conclude(head(), part(Self.fresh), other, at: 10).change.isRemoval)
    #expect(conclude(head(), part(Self.fresh, of: nil), same, at: 10).change.freshened != nil)
  }
}
