import CacheStore
import Foundation
import HTTPCaching
import HTTPSemantics
import Platform
import Synchronization
import Testing

/// What a run was given before another one invalidated it is not stored behind that (RFC 9111 section 4.4).
@Suite("What is invalidated while it comes")
struct InvalidationWatchTests {
  private static let target = StoreFixture.key().target

  @Test(
    "A response is not stored whose target has been invalidated since it was asked for",
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

  @Test("It is stored where that was before, or of another target")
  func notInvalidated() throws {
    let fixture = try StoreFixture()
    try fixture.insert("another", StoreFixture.stored("/other"))
    try fixture.elsewhere.removeAll(for: Self.target)
    let watch = fixture.store.watch(Self.target)
    try fixture.elsewhere.removeAll(for: StoreFixture.key("/other").target)
    #expect(try insert(StoreFixture.stored(), into: fixture.store, watch) == .stored)
    #expect(fixture.outcome() == .text("late"))
  }

  @Test("A part is not stored either")
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
    "Nor is a response whose target may have been invalidated in another lock file", arguments: [true, false],
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
    #expect(try insert(StoreFixture.stored(), into: fixture.store, watch) == .invalidated)
    #expect(fixture.outcome() == .miss(.uriMiss))
    #expect(try insert(StoreFixture.stored(), into: fixture.store, fixture.store.watch(Self.target)) == .stored)
  }

  @Test("A run that goes on tells of what it invalidates where others look")
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

  @Test("What is invalidated between the last look and its name loses that")
  func invalidatedLate() throws {
    let fixture = try StoreFixture()
    try fixture.insert("another", StoreFixture.stored("/other"))
    let calm = fixture.elsewhere
    let isFirst = Mutex(true)
    // The clock is asked before the entry has its name.
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
  ) throws -> Committed {
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
