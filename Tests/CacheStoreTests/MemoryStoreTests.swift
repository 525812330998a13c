import CacheStore
import HTTPCaching
import HTTPSemantics
import TestSupport
import Testing

@Suite("The store in memory")
struct MemoryStoreTests {
  private static let capacity = 100_000

  private let store = MemoryStore(capacity: Self.capacity)

  private func insert(_ body: String, _ stored: StoredResponse = StoreFixture.stored()) {
    store.insert(stored, content: Array(body.utf8))
  }

  private func found(_ path: String = "/", _ request: Fields = [:]) -> MemoryLookup {
    store.lookup(StoreFixture.key(path), for: request) { _ in nil }
  }

  private func text(_ path: String = "/", _ request: Fields = [:]) -> String? {
    found(path, request).content.map { String(decoding: $0, as: UTF8.self) }
  }

  private static func variant(_ value: String, at time: Int64 = 1_999_999_000) -> StoredResponse {
    StoreFixture.stored(selecting: [(.acceptLanguage, value)], at: time)
  }

  @Test func `the memory store knows which keys are asked for again`() {
    let asked = ["/a", "/b", "/a", "/c", "/b"].map { store.noteAsked(for: StoreFixture.key($0)) }
    #expect(asked == [false, false, true, false, true])
  }

  @Test func `insertions in progress take the room of kept content, and no more than there is`() {
    insert(String(repeating: "x", count: 20_000))
    let content = [UInt8](repeating: 1, count: 24_000)
    func begin() -> MemoryWriter {
      var writer = store.beginInsertion(limit: 25_000, expecting: 24_000)
      content.withUnsafeBytes { writer.append($0) }
      return writer
    }
    let first = begin()
    let second = begin()
    let third = begin()
    #expect(text()?.count == 20_000)
    let fourth = begin()
    #expect(text() == nil)
    func isKept(_ writer: consuming MemoryWriter, _ path: String) -> Bool { writer.commit(StoreFixture.stored(path)) }
    let isFifthKept = isKept(begin(), "/5")
    let isFirstKept = isKept(first, "/1")
    #expect(!isFifthKept && isFirstKept)
    // The room that the discarded writers had taken is free again.
    _ = consume second
    _ = consume third
    _ = consume fourth
    for path in ["/2", "/3"] {
      let isKept = isKept(begin(), path)
      #expect(isKept)
    }
    insert(String(repeating: "y", count: 20_000))
    #expect(["/1", "/2", "/3", "/"].allSatisfy { found($0).content != nil })
  }

  // MARK: Selection

  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The responses to store one after the other; the content of each is its index in this list.
    let stored: [StoredResponse]
    var request: Fields = [:]
    var audience: [UInt8]?
    let outcome: StoreFixture.Outcome

    init(
      _ rule: String, _ stored: [StoredResponse], _ request: Fields = [:], for audience: [UInt8]? = nil,
      gives outcome: StoreFixture.Outcome
    ) {
      testDescription = rule
      (self.stored, self.request, self.audience, self.outcome) = (stored, request, audience, outcome)
    }
  }

  private static let german: Fields = ["Accept-Language": "de"]

  static let rows: [Row] = [
    Row("an empty store misses", [], gives: .miss(.uriMiss)),
    Row("a stored response is found", [StoreFixture.stored()], gives: .text("0")),
    Row("another URL misses", [StoreFixture.stored("/other")], gives: .miss(.uriMiss)),
    Row("another audience misses", [StoreFixture.stored(audience: [1])], for: [2], gives: .miss(.uriMiss)),
    Row(
      "a request without an audience does not find an audience's response", [StoreFixture.stored(audience: [1])],
      gives: .miss(.uriMiss)),
    Row(
      "the audience finds its own", [StoreFixture.stored(), StoreFixture.stored(audience: [1])], for: [1],
      gives: .text("1")),
    Row(
      "a response that is stored again replaces the first", [StoreFixture.stored(), StoreFixture.stored()],
      gives: .text("1")),
    Row("the request's fields select", [variant("de"), variant("en")], german, gives: .text("0")),
    Row("a variant that is stored again replaces itself", [variant("de"), variant("de")], german, gives: .text("1")),
    Row("other fields select nothing", [variant("fr"), variant("en")], german, gives: .miss(.varyMiss)),
    Row("absent fields select nothing", [variant("fr")], gives: .miss(.varyMiss)),
    Row(
      "a response without Vary replaces a variant", [variant("de"), StoreFixture.stored()], german, gives: .text("1")),
    Row(
      "a variant replaces a response without Vary, which had replaced the first variant",
      [variant("de"), StoreFixture.stored(), variant("en")], german,
      gives: .miss(.varyMiss)),
    Row(
      "of several matching variants, the newest is chosen",
      [variant("de", at: 1_999_999_500), StoreFixture.stored(selecting: [(.acceptEncoding, "gzip")])],
      ["Accept-Language": "de", "Accept-Encoding": "gzip"], gives: .text("0")),
    Row(
      "of matching variants of the same time, the last one stored is chosen",
      [variant("de"), StoreFixture.stored(selecting: [(.acceptEncoding, "gzip")])],
      ["Accept-Language": "de", "Accept-Encoding": "gzip"], gives: .text("1")),
  ]

  @Test("The store in memory selects responses as the store on disk does", arguments: rows)
  func selection(_ row: Row) throws {
    let fixture = try StoreFixture()
    for (number, stored) in row.stored.enumerated() {
      insert("\(number)", stored)
      try fixture.insert("\(number)", stored)
    }
    let found = store.lookup(StoreFixture.key(audience: row.audience), for: row.request) { _ in nil }
    #expect((found.content.map(StoreFixture.Outcome.body) ?? .miss(found.selection)) == row.outcome)
    #expect(fixture.outcome("/", row.request, audience: row.audience) == row.outcome)
  }

  @Test("A ninth variant replaces the least recently used of the eight")
  func variants() {
    for number in 0..<8 { insert("\(number)", Self.variant("l\(number)")) }
    #expect(text("/", ["Accept-Language": "l0"]) == "0")
    insert("8", Self.variant("l8"))
    let present = (0...8).filter { text("/", ["Accept-Language": FieldValue("l\($0)")]) != nil }
    #expect(present == [0, 2, 3, 4, 5, 6, 7, 8])
  }

  @Test("A part is not kept in memory, and does not replace a whole response")
  func parts() {
    insert("whole")
    var part = StoreFixture.stored(at: 1_999_999_999)
    part.extent = .part(0..<4, of: 8)
    #expect(!store.insert(part, content: Array("part".utf8)))
    #expect(text() == "whole")
  }

  // MARK: Writing

  private static func append(_ text: String, to writer: inout MemoryWriter) {
    Array(text.utf8).span.bytes.withUnsafeBytes { writer.append($0) }
  }

  @Test("Content that is written in pieces is found once it is committed, and not before")
  func commit() {
    var writer = store.beginInsertion(limit: 100, expecting: 4)
    Self.append("one ", to: &writer)
    Self.append("two", to: &writer)
    #expect(text() == nil)
    let isKept = writer.commit(StoreFixture.stored())
    #expect(isKept)
    #expect(text() == "one two")
    #expect(found().selection.stored?.contentLength == 7)
  }

  @Test("A writer that is discarded changes nothing")
  func abandoned() {
    insert("old")
    do {
      var writer = store.beginInsertion(limit: 100, expecting: 0)
      Self.append("new", to: &writer)
    }
    #expect(text() == "old")
  }

  @Test("A response that outgrows its limit is not kept, and the one that it replaces is removed")
  func beyondLimit() {
    insert("old")
    insert("other", StoreFixture.stored("/other"))
    var writer = store.beginInsertion(limit: 5, expecting: 0)
    Self.append("four", to: &writer)
    Self.append("!?", to: &writer)
    let isKept = writer.commit(StoreFixture.stored())
    #expect(!isKept)
    #expect(text() == nil && text("/other") == "other")
  }

  // MARK: Capacity

  @Test("One response takes at most a quarter of the capacity", arguments: [(24_000, true), (25_000, false)])
  func largest(count: Int, isKept: Bool) {
    #expect(store.insert(StoreFixture.stored(), content: StoreFixture.bytes(count)) == isKept)
    #expect((found().content != nil) == isKept)
    #expect(store.hasRoom(for: StoreFixture.stored(), contentLength: UInt64(count)) == isKept)
    #expect(!store.hasRoom(for: StoreFixture.stored(), contentLength: .max))
  }

  @Test("A store without capacity keeps nothing")
  func nothing() {
    let store = MemoryStore(capacity: 0)
    #expect(!store.insert(StoreFixture.stored(), content: []))
    #expect(store.lookup(StoreFixture.key(), for: [:]) { _ in nil }.selection == .uriMiss)
  }

  @Test("The least recently used response is removed first")
  func leastRecentlyUsed() {
    for path in ["/a", "/b", "/c", "/d"] {
      store.insert(StoreFixture.stored(path), content: StoreFixture.bytes(24_000))
    }
    #expect(text("/a") != nil)
    store.insert(StoreFixture.stored("/e"), content: StoreFixture.bytes(24_000))
    #expect(text("/b") == nil)
    let present = ["/a", "/c", "/d", "/e"].filter { text($0) != nil }
    #expect(present == ["/a", "/c", "/d", "/e"])
  }

  @Test("The overhead of small responses counts against the capacity")
  func heads() {
    for number in 0..<1_000 { insert("", StoreFixture.stored("/\(number)")) }
    let present = (0..<1_000).filter { text("/\($0)") != nil }
    #expect(present.count < 400 && present.count > 100)
    #expect(present == Array((1_000 - present.count)..<1_000))
  }

  @Test(
    "After any sequence of uses the store holds the same responses as a plain list in the order of use",
    arguments: 1...4)
  func model(seed: UInt64) {
    var numbers = SeededNumbers(seed: seed)
    func random(_ bound: Int) -> Int { .random(in: 0..<bound, using: &numbers) }
    // The most recently used response is the last.
    var model: [(path: String, size: Int)] = []
    for _ in 0..<4_000 {
      let path = "/\(random(60))"
      let place = model.firstIndex { $0.path == path }
      switch random(8) {
      case 0:
        store.removeAll(coveredBy: StoreFixture.supersession(StoreFixture.key(path)))
        if let place { model.remove(at: place) }
      case 1, 2, 3:
        let before = store.size - (place.map { model[$0].size } ?? 0)
        store.removeAll(coveredBy: StoreFixture.supersession(StoreFixture.key(path)))
        #expect(store.size == before)
        let content = [UInt8](repeating: 0, count: random(9_000))
        if let place { model.remove(at: place) }
        let probe = MemoryStore(capacity: Self.capacity)
        probe.insert(StoreFixture.stored(path), content: content)
        model.append((path, probe.size))
        while model.reduce(0, { $0 + $1.size }) > Self.capacity { model.removeFirst() }
        store.insert(StoreFixture.stored(path), content: content)
      default:
        #expect((text(path) != nil) == (place != nil))
        if let place { model.append(model.remove(at: place)) }
      }
      #expect(store.size == model.reduce(0) { $0 + $1.size })
    }
  }

  // MARK: Freshening

  @Test("Freshening replaces the head, and keeps the content, key and selecting fields")
  func freshened() {
    insert("body", Self.variant("de"))
    let old = found("/", Self.german).selection.stored
    let new = StoreFixture.stored("/elsewhere", at: 1_999_999_900, tag: "two")
    #expect(old.map { store.freshen($0, with: new) } == true)
    let stored = found("/", Self.german).selection.stored
    #expect(stored?.fields[.etag] == "\"two\"" && stored?.responseTime.secondsSinceEpoch == 1_999_999_900)
    #expect(stored?.key == StoreFixture.key() && stored?.selecting == old?.selecting && stored?.contentLength == 4)
    #expect(text("/", Self.german) == "body" && text("/elsewhere") == nil)
  }

  @Test("Freshening leaves alone another response that has taken the place of the validated one")
  func superseded() {
    insert("new", StoreFixture.stored(tag: "two"))
    #expect(!store.freshen(StoreFixture.stored(), with: StoreFixture.stored(at: 1_999_999_999)))
    #expect(found().selection.stored?.fields[.etag] == "\"two\"")
  }

  @Test("The size of a fresh head counts, and a response whose fresh head does not fit is removed")
  func freshenedSize() {
    insert("body")
    let before = store.size
    var new = StoreFixture.stored()
    new.response.fields.append("Note", FieldValue(String(repeating: "x", count: 1_000)))
    #expect(found().selection.stored.map { store.freshen($0, with: new) } == true)
    #expect(store.size > before + 1_000)
    new.response.fields.append("Note", FieldValue(String(repeating: "x", count: 25_000)))
    #expect(found().selection.stored.map { store.freshen($0, with: new) } == false)
    #expect(text() == nil && store.size == 0)
  }

  // MARK: Removing

  @Test("Removal by request removes the selected variant, and leaves other variants and audiences")
  func remove() {
    insert("de", Self.variant("de"))
    insert("en", Self.variant("en"))
    insert("mine", StoreFixture.stored(audience: [1]))
    store.removeAll(coveredBy: StoreFixture.supersession(StoreFixture.key(), Self.german))
    #expect(found("/", Self.german).selection == .varyMiss)
    #expect(text("/", ["Accept-Language": "en"]) == "en")
    #expect(store.variants(of: StoreFixture.key(audience: [1])).count == 1)
    store.removeAll(coveredBy: TargetInvalidation(of: StoreFixture.key().target))
    #expect(store.size == 0)
  }

  @Test("Invalidation by an origin removes the responses that it declares invalid, and no others")
  func invalidation() throws {
    var grouped = StoreFixture.stored("/grouped")
    grouped.response.fields.append("Cache-Groups", "\"g\"")
    let elsewhere = TargetURI(origin: .init(scheme: .https, host: "example.com", port: 443), pathAndQuery: "/")
    var foreign = grouped
    foreign.key = CacheKey(elsewhere)
    insert("plain")
    insert("grouped", grouped)
    insert("foreign", foreign)
    func invalidation(_ fields: Fields) throws -> OriginInvalidation {
      let request = Request(.post, StoreFixture.key().target, fields: [:])
      return try #require(OriginInvalidation(by: Response(200, fields: fields), to: request, isVerified: true))
    }
    store.removeAll(coveredBy: try invalidation(["Cache-Group-Invalidation": "\"g\""]))
    #expect(text() == "plain" && text("/grouped") == nil)
    store.removeAll(coveredBy: try invalidation(["Clear-Site-Data": "\"cache\""]))
    #expect(text() == nil)
    #expect(store.lookup(CacheKey(elsewhere), for: [:]) { _ in nil }.content == Array("foreign".utf8))
  }
}
