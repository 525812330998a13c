import Foundation
import HTTPCaching
import HTTPSemantics
import Platform
import Testing

@testable import CacheStore

/// A listing of a shard must not forget an entry that is counted but not yet published, nor may an entry that has lost
/// its name be subtracted twice.
@Suite("Listings that run at the same time as changes of entries")
struct OvertakenListingTests {
  private static let head = EntryHead.response(StoreFixture.stored(), tableSum: 0)
  private static let name = EntryName(StoreFixture.key())

  private struct Parts: ~Copyable {
    let store: WritableStore
    let tallies: Tallies
    let version: Directory

    init(_ fixture: borrowing StoreFixture) throws {
      let store = try WritableStore(fixture.store.root, home: nil, durable: false)
      let tallies = try Tallies.openOrCreate(in: store)
      version = try Directory(".", in: store.version)
      self.store = store
      self.tallies = tallies
    }

    /// Lists every shard, as another process does that makes room.
    func list() throws {
      for shard in 0...UInt8.max { _ = try tallies.list(shard, below: version, within: .unlimited) }
    }

    static func required<Value>(_ value: Value?) throws -> Value {
      guard let value else { throw CancellationError() }
      return value
    }

    func begin(_ shard: UInt8) throws -> Tallies.ShardTally { try Self.required(tallies.beginListing(shard)) }

    func found(_ name: EntryName) throws -> EntryGlance { try Self.required(EntryGlance(at: name, in: store.root)) }

    /// Passes a file to `body` that is counted but has no name yet.
    func counted(
      _ count: Int, as name: EntryName, _ terms: PublishingTerms,
      _ body: (borrowing TemporaryFile, CountedEntry) throws -> Void
    ) throws {
      let file = try TemporaryFile(in: store)
      try file.file.writeAll([UInt8](repeating: 1, count: count))
      try body(file, try store.count(file, as: name, OvertakenListingTests.head, tallies, terms))
    }
  }

  private static func terms(_ fixture: borrowing StoreFixture) -> PublishingTerms {
    PublishingTerms(limits: fixture.store.limits, clock: fixture.store.clock)
  }

  private static func bytes(_ fixture: borrowing StoreFixture) throws -> Int64 {
    let root = fixture.root
    return try fixture.entries().reduce(Int64(0)) { sum, file in
      sum + Int64(try Data(contentsOf: root.appending(path: file)).count)
    }
  }

  @Test("An entry counts even if its shard was listed after it was counted and before it was published")
  func published() throws {
    let fixture = try StoreFixture()
    let parts = try Parts(fixture)
    let terms = Self.terms(fixture)
    try parts.counted(5_000, as: Self.name, terms) { file, counted in
      try parts.list()
      let forgotten = parts.tallies.shard(Self.name.shardNumber)
      #expect(forgotten?.bytes == 0)
      let isNamed = try parts.store.publishIfFree(file, as: Self.name, counted, parts.tallies, terms)
      #expect(isNamed)
    }
    let statistics = try fixture.store.statistics()
    #expect(statistics.bytes == 5_000 && statistics.entries == 1 && statistics.hosts.map(\.bytes) == [5_000])
  }

  @Test("An entry counts even if a listing of its shard began before it was published and ends after that")
  func namedMeanwhile() throws {
    let fixture = try StoreFixture()
    let parts = try Parts(fixture)
    let terms = Self.terms(fixture)
    let shard = Self.name.shardNumber
    try parts.counted(5_000, as: Self.name, terms) { file, counted in
      let before = try parts.begin(shard)
      let isNamed = try parts.store.publishIfFree(file, as: Self.name, counted, parts.tallies, terms)
      #expect(isNamed)
      parts.tallies.correct(shard, from: before, to: 0, entries: 0)
    }
    #expect(try fixture.store.statistics().bytes == 5_000)
  }

  @Test(
    "An entry that is withdrawn before publication does not distort a sum that a listing set without it",
    arguments: [false, true])
  func takenBack(hasNeighbours: Bool) throws {
    let fixture = try StoreFixture()
    if hasNeighbours { try fixture.insert(StoreFixture.bytes(5_000)) }
    let parts = try Parts(fixture)
    let exact = try Self.bytes(fixture)
    try parts.counted(7_000, as: Self.name, Self.terms(fixture)) { _, counted in
      try parts.list()
      parts.store.takeBack(counted, parts.tallies)
    }
    #expect(try fixture.store.statistics().bytes == exact)
  }

  @Test("An entry that replaces a larger one counts, and the larger one is subtracted once", arguments: [false, true])
  func replaced(isListedAfterwards: Bool) throws {
    let fixture = try StoreFixture()
    try fixture.insert(StoreFixture.bytes(90_000))
    let parts = try Parts(fixture)
    let terms = Self.terms(fixture)
    let shard = Self.name.shardNumber
    let replaced = try parts.found(Self.name)
    var file = try TemporaryFile(in: parts.store)
    try file.file.writeAll([UInt8](repeating: 1, count: 1_000))
    let counted = try parts.store.count(file, as: Self.name, Self.head, parts.tallies, terms)
    let before = try parts.begin(shard)
    try parts.store.replace(replaced, at: Self.name, with: &file, counted, parts.tallies, terms)
    parts.tallies.correct(
      shard, from: before, to: isListedAfterwards ? 1_000 : replaced.weight.bytes, entries: 1)
    let statistics = try fixture.store.statistics()
    #expect(statistics.bytes == 1_000 && statistics.entries == 1 && statistics.hosts.map(\.bytes) == [1_000])
  }

  @Test("An entry that has lost its name is not subtracted from a sum that a listing set without it")
  func removed() throws {
    let fixture = try StoreFixture()
    for path in ["/", "/b"] { try fixture.insert(StoreFixture.bytes(5_000), StoreFixture.stored(path)) }
    let parts = try Parts(fixture)
    let found = try parts.found(Self.name)
    let changes = parts.tallies.changes(of: Self.name.shardNumber)
    try FileManager.default.removeItem(at: fixture.root.appending(path: Self.name.path.description))
    try parts.list()
    let exact = try Self.bytes(fixture)
    #expect(try fixture.store.statistics().bytes == exact)
    let isTakenOff = parts.tallies.removeUnlessListed(found.weight, since: changes)
    #expect(!isTakenOff)
    // The sum is too high until the shard is listed again.
    #expect(try fixture.store.statistics().bytes == exact + found.weight.bytes)
    try parts.list()
    #expect(try fixture.store.statistics().bytes == exact)
  }

  @Test("A listing does not set the sum of a shard where as much was added as was removed meanwhile")
  func sameSize() throws {
    let fixture = try StoreFixture()
    try fixture.insert(StoreFixture.bytes(5_000))
    let parts = try Parts(fixture)
    let found = try parts.found(Self.name)
    let shard = Self.name.shardNumber
    let before = try parts.begin(shard)
    let counted = parts.tallies.add(found.weight)
    _ = parts.tallies.removeUnlessListed(found.weight, since: parts.tallies.changes(of: shard))
    parts.tallies.correct(shard, from: before, to: 0, entries: 0)
    let (after, isCertain) = (parts.tallies.shard(shard), parts.tallies.holds(counted))
    #expect(after?.bytes == found.weight.bytes && !isCertain)
  }

  @Test("An appended head counts even if the shard was listed before the head was written")
  func appended() throws {
    let tallies = try Tallies()
    let (old, new) = (EntryWeight(Self.name, 1_000, nil), EntryWeight(Self.name, 1_300, nil))
    tallies.add(old)
    let counted = tallies.beginGrowth(from: old, to: new)
    let before = try Parts.required(tallies.beginListing(Self.name.shardNumber))
    tallies.correct(Self.name.shardNumber, from: before, to: 1_000, entries: 1)
    tallies.endGrowth(from: old, to: counted)
    let after = tallies.shard(Self.name.shardNumber)
    #expect(after?.bytes == 1_300)
  }

  @Test("Entries that others stored in the room of an unpublished entry are evicted when it is published")
  func overfull() throws {
    let fixture = try StoreFixture(limits: StoreLimits(capacity: 100_000, largestContent: 50_000))
    let parts = try Parts(fixture)
    let terms = Self.terms(fixture)
    try parts.counted(40_000, as: Self.name, terms) { file, counted in
      try parts.list()
      for number in 0..<9 { try fixture.insert(StoreFixture.bytes(10_000), StoreFixture.stored("/\(number)")) }
      let isNamed = try parts.store.publishIfFree(file, as: Self.name, counted, parts.tallies, terms)
      #expect(isNamed)
    }
    let held = try Self.bytes(fixture)
    #expect(held <= 105_000)
    #expect(try fixture.store.statistics().bytes == held)
  }

  @Test("An unpublished entry is given up if the entries that others stored in its room are pinned")
  func overfullForGood() throws {
    let fixture = try StoreFixture(limits: StoreLimits(capacity: 100_000, largestContent: 50_000))
    let parts = try Parts(fixture)
    let terms = Self.terms(fixture)
    try parts.counted(40_000, as: Self.name, terms) { file, counted in
      try parts.list()
      for number in 0..<9 {
        var stored = StoreFixture.stored("/\(number)")
        stored.marks.isPinned = true
        try fixture.insert(StoreFixture.bytes(10_000), stored)
      }
      do throws(StoreError) {
        _ = try parts.store.publishIfFree(file, as: Self.name, counted, parts.tallies, terms)
        Issue.record("it is stored")
      } catch {
        #expect(error == .full)
      }
    }
    #expect(try fixture.entries().count == 9)
    let held = try Self.bytes(fixture)
    #expect(try fixture.store.statistics().bytes == held)
  }
}
