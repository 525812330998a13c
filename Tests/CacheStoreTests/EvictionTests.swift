import Foundation
import HTTPCaching
import HTTPSemantics
import Platform
import TestSupport
import Testing

@testable import CacheStore

/// The store never holds more than a tenth beyond its capacity, and the least recently used entries are evicted.
@Suite("Eviction")
struct EvictionTests {
  private static let capacity: Int64 = 1_000_000

  private func fixture(_ capacity: Int64 = Self.capacity) throws -> StoreFixture {
    try StoreFixture(limits: StoreLimits(capacity: capacity))
  }

  private static func stored(_ number: Int, host: String = "example.org") -> StoredResponse {
    let origin = TargetURI.Origin(scheme: .https, host: host, port: 443)
    return StoredResponse(
      Response(200, reason: "OK", fields: [:]),
      under: CacheKey(TargetURI(origin: origin, pathAndQuery: "/\(number)")),
      requestTime: Timestamp(secondsSinceEpoch: 0), responseTime: Timestamp(secondsSinceEpoch: 0))
  }

  /// The size of all entries in bytes, summed up from their files.
  private func bytes(_ fixture: borrowing StoreFixture) throws -> Int64 {
    let root = fixture.root
    return try fixture.entries().reduce(0) { sum, file in
      let attributes = try? FileManager.default.attributesOfItem(atPath: root.path + "/" + file)
      return sum + ((attributes?[.size] as? NSNumber)?.int64Value ?? 0)
    }
  }

  private func file(_ stored: StoredResponse, _ fixture: borrowing StoreFixture) -> URL {
    fixture.root.appending(path: EntryName(stored.key).path.description)
  }

  private func isThere(_ stored: StoredResponse, _ fixture: borrowing StoreFixture) -> Bool {
    FileManager.default.fileExists(atPath: file(stored, fixture).path)
  }

  private func setLastUse(_ seconds: Int64, _ stored: StoredResponse, _ fixture: borrowing StoreFixture) throws {
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: TimeInterval(seconds))],
      ofItemAtPath: file(stored, fixture).path)
  }

  @Test("Eviction keeps the sum within the capacity over thousands of insertions of any size")
  func bound() throws {
    let fixture = try fixture()
    var numbers = SeededNumbers(seed: 1)
    var largest: Int64 = 0
    for number in 0..<2_000 {
      let size = Int.random(in: 0..<(number % 10 == 0 ? 49_000 : 4_000), using: &numbers)
      try fixture.insert([UInt8](repeating: 1, count: size), Self.stored(.random(in: 0..<1_500, using: &numbers)))
      if number % 40 == 39 { largest = max(largest, try bytes(fixture)) }
    }
    #expect(largest <= Self.capacity * 105 / 100)
    #expect(largest >= Self.capacity * 9 / 10)
    let statistics = try fixture.store.statistics()
    let bytes = try bytes(fixture)
    #expect(statistics.bytes == bytes && !statistics.isEstimate)
  }

  @Test("Eviction spares the entry that is being pinned, also when the capacity has been lowered")
  func sparesWhatGrows() throws {
    for size in [200, 90_000] {
      let fixture = try fixture(10_000_000)
      for number in 0..<20 {
        try fixture.insert([UInt8](repeating: 1, count: size), Self.stored(number))
        try setLastUse(Int64(1_000 + number), Self.stored(number), fixture)
      }
      let store = Store(
        root: fixture.store.root, clock: fixture.store.clock, limits: StoreLimits(capacity: Int64(size) * 10))
      let oldest = Self.stored(0)
      try store.forEachEntry { entry in
        guard entry.name == EntryName(oldest.key) else { return true }
        #expect((try? store.setPinned(true, entry)) == .changed)
        return true
      }
      let found = store.lookup(oldest.key, for: [:]) { _ in nil }
      #expect(found.selection.stored?.isPinned == true)
      #expect(try fixture.entries().count < 20)
    }
  }

  @Test("Eviction keeps the sum within a tenth above the capacity with many concurrent writers")
  func manyWriters() async throws {
    let fixture = try fixture()
    let store = fixture.store
    for round in 0..<8 {
      await withTaskGroup(of: Void.self) { group in
        for writer in 0..<8 {
          group.addTask {
            for number in 0..<15 {
              do {
                var insertion = try store.beginInsertion()
                try insertion.append([UInt8](repeating: 2, count: 1_000 * (1 + (number * 7 + writer) % 45)))
                _ = try insertion.commit(Self.stored(round * 1_000 + writer * 100 + number))
              } catch { Issue.record(error) }
            }
          }
        }
      }
      let held = try bytes(fixture)
      #expect(held <= Self.capacity * 110 / 100)
    }
    #expect(try fixture.files().filter { $0.hasPrefix("v1/tmp/") } == [])
  }

  @Test("Eviction takes the least recently used entries")
  func leastRecentlyUsed() throws {
    let fixture = try fixture()
    let all = (0..<90).map { Self.stored($0) }
    for (number, stored) in all.enumerated() {
      try fixture.insert([UInt8](repeating: 3, count: 10_000), stored)
      try setLastUse(1_000_000 + Int64(number * 37 % 90), stored, fixture)
    }
    for number in 90..<100 { try fixture.insert([UInt8](repeating: 3, count: 10_000), Self.stored(number)) }
    let gone = (0..<90).filter { !isThere(all[$0], fixture) }
    #expect((3...20).contains(gone.count))
    // The least recently used entries have been evicted, and no others.
    #expect(Set(gone.map { $0 * 37 % 90 }) == Set(0..<gone.count))
  }

  @Test("Eviction skips pinned entries, and nothing is stored when all entries are pinned")
  func pins() throws {
    let fixture = try StoreFixture(limits: StoreLimits(capacity: 200_000, largestContent: 50_000))
    let pinned = (0..<10).map { Self.stored($0) }
    for stored in pinned {
      try fixture.insert([UInt8](repeating: 4, count: 9_000), stored)
      try setLastUse(1_000, stored, fixture)
    }
    try fixture.store.forEachEntry { entry in
      #expect((try? fixture.store.setPinned(true, entry)) == .changed)
      return true
    }
    for stored in pinned { try setLastUse(1_000, stored, fixture) }
    for number in 10..<100 { try fixture.insert([UInt8](repeating: 4, count: 9_000), Self.stored(number)) }
    let arePinnedThere = pinned.allSatisfy { isThere($0, fixture) }
    #expect(arePinnedThere)
    let held = try bytes(fixture)
    #expect(held <= 210_000)
    try fixture.store.forEachEntry { entry in
      let outcome = try? fixture.store.setPinned(true, entry)
      #expect(outcome == .changed || outcome == .unchanged)
      return true
    }
    let before = try fixture.entries()
    var refusals = 0
    for number in 100..<110 {
      do throws(StoreError) {
        var insertion = try fixture.store.beginInsertion()
        try insertion.append([UInt8](repeating: 4, count: 40_000))
        _ = try insertion.commit(Self.stored(number))
      } catch {
        #expect(error == .full)
        refusals += 1
      }
    }
    #expect(refusals == 10)
    #expect(try fixture.entries() == before)
    #expect(try fixture.files().filter { $0.hasPrefix("v1/tmp/") } == [])
  }

  @Test("Replacing a pinned entry in a full store needs room only for the difference in size")
  func pinnedPredecessor() throws {
    let fixture = try StoreFixture(limits: StoreLimits(capacity: 100_000, largestContent: 50_000))
    for number in 0..<10 {
      var stored = Self.stored(number)
      stored.marks.isPinned = true
      try fixture.insert([UInt8](repeating: 4, count: 10_000), stored)
    }
    let entries = try fixture.entries()
    #expect(try bytes(fixture) > 100_000)
    for number in 0..<10 {
      #expect(try fixture.insert([UInt8](repeating: 5, count: 10_000), Self.stored(number)) == .stored)
    }
    #expect(try fixture.insert([UInt8](repeating: 5, count: 12_000), Self.stored(0)) == .stored)
    #expect(throws: StoreError.full) {
      try fixture.insert([UInt8](repeating: 5, count: 25_000), Self.stored(1))
    }
    #expect(try fixture.entries() == entries)
    try fixture.store.forEachEntry { entry in
      #expect((try? fixture.store.setPinned(true, entry)) == .unchanged)
      return true
    }
    // A store that is already above its capacity may stay as large as it is, but may not grow.
    let smaller = Store(
      root: fixture.store.root, clock: fixture.store.clock,
      limits: StoreLimits(capacity: 50_000, largestContent: 50_000))
    for (count, isStored) in [(10_000, true), (10_001, false)] {
      var writer = try smaller.beginInsertion()
      try writer.append([UInt8](repeating: 6, count: count))
      do throws(StoreError) {
        #expect(try writer.commit(Self.stored(2)) == .stored && isStored)
      } catch {
        #expect(error == .full && !isStored)
      }
    }
    let bytes = try bytes(fixture)
    let statistics = try fixture.store.statistics()
    #expect(statistics.bytes == bytes && !statistics.isEstimate && statistics.hosts.map(\.bytes) == [bytes])
  }

  @Test(
    "Eviction enforces a lowered capacity even when one directory holds more than the capacity",
    arguments: [(count: 1, size: 300_000, isPinned: false), (1, 300_000, true), (600, 3_000, false)])
  func loweredCapacity(_ large: (count: Int, size: Int, isPinned: Bool)) throws {
    let fixture = try fixture(100_000_000)
    for number in 0..<large.count {
      var stored = Self.stored(number)
      stored.marks.isPinned = large.isPinned
      try fixture.insert([UInt8](repeating: 4, count: large.size), stored)
    }
    let before = try bytes(fixture)
    let capacity: Int64 = large.count > 1 ? 5_000 : 100_000
    let smaller = Store(
      root: fixture.store.root, clock: fixture.store.clock,
      limits: StoreLimits(capacity: capacity, largestContent: 50_000))
    for number in 0..<100 {
      var writer = try smaller.beginInsertion()
      try writer.append([UInt8](repeating: 5, count: 1_000))
      _ = try? writer.commit(Self.stored(1_000 + number))
      let bytes = try bytes(fixture)
      #expect(bytes <= max(before, capacity * 110 / 100))
    }
    let after = try bytes(fixture)
    #expect(large.isPinned ? after <= before : after < before / 2)
  }

  @Test(
    "Eviction holds the capacity when stored responses are validated over and over", arguments: [30, 3_000, 70_000])
  func validations(_ size: Int) throws {
    let fixture = try fixture(Int64(20 * (size + 1_000)))
    for number in 0..<20 { try fixture.insert([UInt8](repeating: 4, count: size), Self.stored(number)) }
    for round in 0..<60 {
      for number in 0..<20 {
        let key = Self.stored(number).key
        var found = fixture.store.lookup(key, for: [:]) { _ in nil }
        guard let content = found.takeContent() else { continue }
        var stored = Self.stored(number)
        stored.response.fields.append("X-Round", FieldValue("\(round)"))
        _ = try? fixture.store.freshen(content, with: stored)
      }
      let bytes = try bytes(fixture)
      #expect(bytes <= Int64(20 * (size + 1_000)) * 110 / 100)
    }
    // Small entries get back what their added heads take. Of the large ones, one is evicted for the heads of all
    // others.
    let count = try fixture.entries().count
    #expect(size < 70_000 ? count == 20 : count > 15)
  }

  @Test("Eviction does not let one host push out the entries of others")
  func crowd() throws {
    let fixture = try fixture()
    let others = (0..<30).map { Self.stored($0, host: "small\($0 % 3).example") }
    for stored in others {
      try fixture.insert([UInt8](repeating: 5, count: 10_000), stored)
      try setLastUse(1_000, stored, fixture)
    }
    for number in 0..<300 {
      try fixture.insert([UInt8](repeating: 5, count: 10_000), Self.stored(number, host: "flood.example"))
    }
    let areOthersThere = others.allSatisfy { isThere($0, fixture) }
    #expect(areOthersThere)
    let held = try bytes(fixture)
    #expect(held <= Self.capacity * 105 / 100)
  }

  @Test("Eviction leaves content that a reader has open readable to its end")
  func openContent() throws {
    let fixture = try fixture()
    let body = StoreFixture.bytes(45_000)
    let first = Self.stored(0)
    try fixture.insert(body, first)
    try setLastUse(1_000, first, fixture)
    var found = fixture.store.lookup(first.key, for: [:]) { _ in nil }
    guard let content = found.takeContent() else { throw CancellationError() }
    for number in 1..<60 { try fixture.insert([UInt8](repeating: 6, count: 40_000), Self.stored(number)) }
    let isThere = isThere(first, fixture)
    #expect(!isThere)
    var read: [UInt8] = []
    try content.forEachVerifiedChunk { read += $0 }
    #expect(read == body)
  }

  @Test("Eviction goes on when the tallies are removed, and the new tallies are right")
  func removedTallies() throws {
    let fixture = try fixture()
    for number in 0..<400 {
      try fixture.insert([UInt8](repeating: 7, count: 9_000), Self.stored(number))
      if number % 100 == 99 { try FileManager.default.removeItem(at: fixture.root.appending(path: "v1/tallies")) }
    }
    let held = try bytes(fixture)
    #expect(held <= Self.capacity * 105 / 100)
    try fixture.insert([UInt8](repeating: 7, count: 9_000), Self.stored(400))
    let statistics = try fixture.store.statistics()
    let bytes = try bytes(fixture)
    #expect(statistics.bytes == bytes && !statistics.isEstimate)
  }

  @Test(
    "Eviction finds wrong sums in the tallies before it removes anything because of them",
    arguments: [Int64.max, 2_000_000, -5_000])
  func wrongSums(_ wrong: Int64) throws {
    let fixture = try fixture()
    for number in 0..<50 { try fixture.insert([UInt8](repeating: 8, count: 10_000), Self.stored(number)) }
    guard let root = try StoreRoot.open(fixture.store.root) else { throw CancellationError() }
    let file = try root.directory.openBeneath("v1/tallies", [.readWrite])
    let numbers = try SharedNumbers(in: file, count: TalliesLayout.count, for: .writing)
    let place = TalliesLayout.shard(200)
    try numbers.replace(try numbers.load(place), by: wrong, at: place)
    try fixture.insert([UInt8](repeating: 8, count: 10_000), Self.stored(50))
    #expect(try fixture.entries().count == 51)
  }

  @Test("An entry that is evicted to make room for its own successor is subtracted from the tallies once")
  func ownPredecessor() throws {
    let fixture = try fixture()
    for number in 0..<96 {
      try fixture.insert([UInt8](repeating: 9, count: 10_000), Self.stored(number))
      try setLastUse(1_000 + Int64(number), Self.stored(number), fixture)
    }
    try fixture.insert([UInt8](repeating: 9, count: 40_000), Self.stored(0))
    let bytes = try bytes(fixture)
    #expect(try fixture.store.statistics().bytes == bytes)
    #expect(try fixture.store.statistics().hosts.map(\.bytes) == [bytes])
  }

  @Test("Room that a killed writer had reserved is given back")
  func reservation() throws {
    let fixture = try fixture()
    for number in 0..<95 { try fixture.insert([UInt8](repeating: 9, count: 10_000), Self.stored(number)) }
    guard let root = try StoreRoot.open(fixture.store.root) else { throw CancellationError() }
    let tallies = try Tallies(in: root, for: .writing)
    tallies.add(EntryWeight(EntryName(Self.stored(3).key), 900_000, nil))
    try fixture.insert([UInt8](repeating: 9, count: 10_000), Self.stored(95))
    // All that is stored fits, if only just.
    #expect(try fixture.entries().count == 96)
    let bytes = try bytes(fixture)
    #expect(try fixture.store.statistics().bytes == bytes)
  }

  @Test("A list of variants is evicted together with its last variant")
  func variants() throws {
    let fixture = try fixture(100_000)
    for language in ["de", "en"] {
      try fixture.insert(
        [UInt8](repeating: 1, count: 4_000), StoreFixture.stored("/v", selecting: [("Accept-Language", language)]))
    }
    let old = try fixture.entries()
    #expect(old.count == 3)
    for file in old {
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSince1970: 1_000)], ofItemAtPath: fixture.root.path + "/" + file)
    }
    for number in 0..<60 { try fixture.insert([UInt8](repeating: 1, count: 4_000), Self.stored(number)) }
    #expect(Set(try fixture.entries()).isDisjoint(with: old))
    let bytes = try bytes(fixture)
    #expect(try fixture.store.statistics().bytes == bytes)
  }

  @Test("Content above the size limit is refused: at the start if its length is known, else when it exceeds the limit")
  func largestContent() throws {
    let fixture = try StoreFixture(limits: StoreLimits(capacity: 1_000_000, largestContent: 1_000))
    #expect(throws: StoreError.tooLarge) { _ = try fixture.store.beginInsertion(expecting: 1_001) }
    var writer = try fixture.store.beginInsertion(expecting: 1_000)
    try writer.append([UInt8](repeating: 0, count: 1_000))
    _ = try writer.commit(Self.stored(0))
    do throws(StoreError) {
      var writer = try fixture.store.beginInsertion()
      try writer.append([UInt8](repeating: 0, count: 1_000))
      try writer.append([0])
      Issue.record("1,001 bytes were taken")
    } catch {
      #expect(error == .tooLarge)
    }
    #expect(try fixture.entries().count == 1)
    #expect(try fixture.files().filter { $0.hasPrefix("v1/tmp/") } == [])
  }
}
