import CacheStore
import Foundation
import HTTPCaching
import HTTPSemantics
import Platform
import Synchronization
import Testing

/// A response that a run was given before another run invalidated its target, or removed what an answer had superseded,
/// is not stored after that (RFC 9111 section 4.4).
@Suite("Invalidation of a target while its response arrives")
struct InvalidationWatchTests {
  private static let target = StoreFixture.key().target

  @Test(
    "A response is not stored if its target has been invalidated since the request",
    arguments: [[], [("Accept-Language", "de")]], [false, true])
  func invalidated(selecting: [(FieldName, String)], isKeptOpen: Bool) throws {
    let fixture = try StoreFixture(isKeptOpen: isKeptOpen)
    try fixture.insert("another", StoreFixture.stored("/other"))
    for round in 0..<2 {
      let watch = fixture.store.watch(Self.target)
      try fixture.elsewhere.removeAll(for: Self.target)
      let committed = try insert(StoreFixture.stored(selecting: selecting), into: fixture.store, watch)
      #expect(committed == .invalidated, "\(round)")
      #expect(fixture.outcome("/", Self.request(selecting)) == .miss(.uriMiss))
    }
    #expect(fixture.outcome("/other") == .text("another"))
  }

  @Test("A response is not stored if an answer has removed a stored response for its target since the request")
  func superseded() throws {
    let fixture = try StoreFixture()
    try fixture.insert("old")
    let watch = fixture.store.watch(Self.target)
    #expect(try fixture.elsewhere.removeAll(coveredBy: StoreFixture.supersession(), byAnswerFrom: Self.target) == 1)
    #expect(try insert(StoreFixture.stored(), into: fixture.store, watch) == .invalidated)
    #expect(fixture.outcome() == .miss(.uriMiss))
  }

  @Test("A response is stored if there was nothing that the answer could remove, or no answer removed it")
  func notSuperseded() throws {
    let fixture = try StoreFixture()
    try fixture.insert("another", StoreFixture.stored("/other"))
    let watch = fixture.store.watch(Self.target)
    #expect(try fixture.elsewhere.removeAll(coveredBy: StoreFixture.supersession(), byAnswerFrom: Self.target) == 0)
    #expect(try insert(StoreFixture.stored(), into: fixture.store, watch) == .stored)
    #expect(try fixture.elsewhere.removeAll(coveredBy: StoreFixture.supersession()) == 1)
    #expect(try insert(StoreFixture.stored(), into: fixture.store, watch) == .stored)
  }

  @Test("A response is stored if the invalidation came before the request or concerned another target")
  func notInvalidated() throws {
    let fixture = try StoreFixture()
    try fixture.insert("another", StoreFixture.stored("/other"))
    try fixture.elsewhere.removeAll(for: Self.target)
    let watch = fixture.store.watch(Self.target)
    try fixture.elsewhere.removeAll(for: StoreFixture.key("/other").target)
    #expect(try insert(StoreFixture.stored(), into: fixture.store, watch) == .stored)
    #expect(fixture.outcome() == .text("late"))
  }

  @Test("A part is not stored if its target has been invalidated since the request")
  func part() throws {
    let fixture = try StoreFixture()
    let part = try #require(PartialContent.interrupted(StoreFixture.stored(), after: 4))
    try fixture.insert("another", StoreFixture.stored("/other"))
    let watch = fixture.store.watch(Self.target)
    try fixture.elsewhere.removeAll(for: Self.target)
    #expect(try insert(part, into: fixture.store, watch) == .invalidated)
    #expect(fixture.outcome() == .miss(.uriMiss))
  }

  @Test(
    "A response is not stored if the lock file, where invalidations are noted, was replaced since the request",
    arguments: [true, false],
    [true, false])
  func replacedLockFile(isBackedUp: Bool, isKeptOpen: Bool) throws {
    let fixture = try StoreFixture(isKeptOpen: isKeptOpen)
    try fixture.insert("another", StoreFixture.stored("/other"))
    try fixture.elsewhere.removeAll(for: Self.target)
    let watch = fixture.store.watch(Self.target)
    let file = fixture.root.appending(path: "v1/lock")
    if isBackedUp {
      try FileManager.default.linkItem(at: file, to: fixture.root.appending(path: "backup"))
    } else {
      try FileManager.default.removeItem(at: file)
    }
    try fixture.elsewhere.removeAll(for: Self.target)
    #expect(try insert(StoreFixture.stored(), into: fixture.store, watch) == .storeChanged)
    #expect(fixture.outcome() == .miss(.uriMiss))
    #expect(try insert(StoreFixture.stored(), into: fixture.store, fixture.store.watch(Self.target)) == .stored)
  }

  @Test("A run that keeps its store open notes invalidations in the current lock file, where other runs look")
  func invalidatedBehindReplacement() throws {
    let fixture = try StoreFixture(isKeptOpen: true)
    try fixture.insert("another", StoreFixture.stored("/other"))
    try fixture.store.removeAll(for: Self.target)
    let file = fixture.root.appending(path: "v1/lock")
    try FileManager.default.linkItem(at: file, to: fixture.root.appending(path: "backup"))
    try fixture.elsewhere.removeAll(for: StoreFixture.key("/other").target)
    let watch = fixture.elsewhere.watch(Self.target)
    try fixture.store.removeAll(for: Self.target)
    #expect(try insert(StoreFixture.stored(), into: fixture.elsewhere, watch) == .invalidated)
  }

  @Test("An entry whose target is invalidated between the last check and its publication is removed")
  func invalidatedLate() throws {
    let fixture = try StoreFixture()
    try fixture.insert("another", StoreFixture.stored("/other"))
    let calm = fixture.elsewhere
    let isFirst = Mutex(true)
    // The store asks the clock before it publishes the entry.
    let clock = Clock(
      wallTime: {
        let invalidates = isFirst.withLock { isFirst in
          defer { isFirst = false }
          return isFirst
        }
        if invalidates { #expect(throws: Never.self) { try calm.removeAll(for: Self.target) } }
        return calm.clock.wallTime()
      }, monotonic: { 0 }, pause: { _ in })
    let store = Store(root: calm.root, clock: clock)
    let stored = StoreFixture.stored(selecting: [("Accept-Language", "de")])
    #expect(try insert(stored, into: store, store.watch(Self.target)) == .invalidated)
    #expect(isFirst.withLock { !$0 })
    #expect(fixture.outcome("/", ["Accept-Language": "de"]) == .miss(.varyMiss))
  }

  private func insert(
    _ stored: StoredResponse, into store: Store, _ watch: InvalidationWatch
  ) throws -> CommitOutcome {
    var writer = try store.beginInsertion(unlessInvalidated: watch)
    try writer.append(Array("late".utf8))
    return try writer.commit(stored)
  }

  private static func request(_ fields: [(FieldName, String)]) -> Fields {
    var request = Fields()
    for (name, value) in fields { request.append(name, FieldValue(value)) }
    return request
  }
}
