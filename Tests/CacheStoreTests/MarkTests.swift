import Foundation
import HTTPCaching
import HTTPSemantics
import Platform
import Synchronization
import TestSupport
import Testing

@testable import CacheStore

@Suite("Pins, tags and pruning")
struct MarkTests {
  /// The only entry, as a walk through the store shows it.
  private func onlyWalked(_ fixture: borrowing StoreFixture) throws -> WalkedEntry {
    var shown: WalkedEntry?
    try fixture.store.forEachEntry { entry in
      shown = entry
      return true
    }
    return try #require(shown)
  }

  private func isPinned(_ fixture: borrowing StoreFixture, _ path: String = "/", _ request: Fields = [:]) -> Bool? {
    fixture.lookup(path, request).selection.stored?.isPinned
  }

  @Test("A pin survives freshening and replacement of its response, until it is removed")
  func kept() throws {
    let fixture = try StoreFixture()
    try fixture.insert("text")
    #expect(isPinned(fixture) == false)
    #expect(try fixture.store.pinAll() == [.changed])
    #expect(isPinned(fixture) == true && fixture.outcome() == .text("text"))
    #expect(try fixture.store.pinAll() == [.unchanged])
    var found = fixture.lookup()
    guard let content = found.takeContent() else { throw CancellationError() }
    #expect(try fixture.store.freshen(content, with: StoreFixture.stored(tag: "two")) == .appended)
    #expect(isPinned(fixture) == true)
    try fixture.insert("replaced")
    #expect(isPinned(fixture) == true && fixture.outcome() == .text("replaced"))
    #expect(try fixture.store.pinAll(false) == [.changed])
    #expect(isPinned(fixture) == false)
    try fixture.insert("again")
    #expect(isPinned(fixture) == false)
  }

  @Test("A pin passes to the variant that replaces a response without Vary, and from variants to such a response")
  func variants() throws {
    let fixture = try StoreFixture()
    try fixture.insert("text")
    _ = try fixture.store.pinAll()
    try fixture.insert("de", StoreFixture.stored(selecting: [("Accept-Language", "de")]))
    #expect(isPinned(fixture, "/", ["Accept-Language": "de"]) == true)
    try fixture.insert("en", StoreFixture.stored(selecting: [("Accept-Language", "en")]))
    #expect(isPinned(fixture, "/", ["Accept-Language": "en"]) == false)
    try fixture.insert("any")
    #expect(isPinned(fixture) == true)
    #expect(try fixture.entries().count == 1)
  }

  @Test("An entry with the remains of an interrupted update is not pinned")
  func doubtful() throws {
    let fixture = try StoreFixture()
    try fixture.insert("text")
    let file = try FileHandle(forWritingTo: try fixture.onlyEntry())
    try file.seekToEnd()
    try file.write(contentsOf: Data("HEAD".utf8))
    try file.close()
    #expect(try fixture.store.pinAll() == [.doubtful])
    #expect(isPinned(fixture) == false)
  }

  @Test("Invalidation removes a pinned entry")
  func invalidation() throws {
    let fixture = try StoreFixture()
    try fixture.insert("text")
    _ = try fixture.store.pinAll()
    try fixture.store.removeAll(for: StoreFixture.key().target)
    #expect(try fixture.entries().isEmpty)
  }

  @Test(
    "An entry pinned since a walk showed it is kept by a removal of untouched files, and removed by an explicit one")
  func pinnedMeanwhile() throws {
    let fixture = try StoreFixture()
    try fixture.insert("text")
    let file = try onlyWalked(fixture).file
    #expect(try fixture.store.pinAll() == [.changed])
    #expect(try fixture.store.remove(file, .ifUntouched) == nil)
    #expect(isPinned(fixture) == true)
    #expect(try fixture.store.remove(file, .ifSameFile) ?? 0 > 0)
    #expect(try fixture.store.remove(file, .ifSameFile) == 0)
    #expect(fixture.outcome() == .miss(.uriMiss))
  }

  @Test("Marking an entry that is removed meanwhile reports it superseded; the mark goes to an entry that replaces it")
  func markedTooLate() throws {
    let fixture = try StoreFixture()
    try fixture.insert("text")
    var found = fixture.lookup()
    guard let content = found.takeContent() else { throw CancellationError() }
    let store = fixture.elsewhere
    let file = try fixture.onlyEntry()
    // The entry changes between the call that opens the file and the write.
    let removed = try store.changeHead(of: content) { last in
      try? FileManager.default.removeItem(at: file)
      var pinned = last
      pinned.marks.isPinned = true
      return pinned
    }
    #expect(removed == .superseded)
    try fixture.insert("new")
    var again = fixture.lookup()
    guard let newer = again.takeContent() else { throw CancellationError() }
    var isFirst = true
    let marking = try store.changeMarks(of: newer) { marks in
      if isFirst, var writer = try? store.beginInsertion() {
        isFirst = false
        try? writer.append(Array("newest".utf8))
        _ = try? writer.commit(StoreFixture.stored())
      }
      marks.isPinned = true
    }
    #expect(marking == .changed && isPinned(fixture) == true)
    #expect(fixture.outcome() == .text("newest"))
  }

  @Test(
    "A mark that is added to an entry while it is being replaced passes to the replacement",
    arguments: [[], [("Accept-Language", "de")]])
  func markedLate(selecting: [(FieldName, String)]) throws {
    let fixture = try StoreFixture()
    let stored = StoreFixture.stored(selecting: selecting)
    try fixture.insert("text", stored)
    var request = Fields()
    for (name, value) in selecting { request.append(name, FieldValue(value)) }
    let calm = fixture.elsewhere
    let isFirst = Mutex(true)
    // The store asks the clock after it has read the entry to be replaced.
    let clock = Clock(
      wallTime: {
        guard
          isFirst.withLock({ isFirst in
            defer { isFirst = false }
            return isFirst
          })
        else { return calm.clock.wallTime() }
        #expect(throws: Never.self) {
          try calm.forEachEntry { entry in (try? calm.setPinned(true, entry)) == .changed }
        }
        return calm.clock.wallTime()
      }, monotonic: { 0 }, pause: { _ in })
    var writer = try Store(root: calm.root, clock: clock).beginInsertion()
    try writer.append(Array("newer".utf8))
    #expect(try writer.commit(stored) == .stored)
    #expect(isFirst.withLock { !$0 } && isPinned(fixture, "/", request) == true)
    #expect(fixture.outcome("/", request) == .text("newer"))
  }

  @Test("Pinning an entry that was removed since a walk showed it reports it absent")
  func gone() throws {
    let fixture = try StoreFixture()
    try fixture.insert("text")
    let shown = try onlyWalked(fixture)
    try fixture.remove()
    #expect(try fixture.store.setPinned(true, shown) == .absent)
  }

  /// Prunes a store, and returns what that has removed, or would.
  private func prune(
    _ store: Store, to bytes: Int64, besides gone: Set<EntryName> = [], isDryRun: Bool = false
  ) throws -> EntrySum {
    var sum = EntrySum()
    try store.prune(to: bytes, besides: gone, isDryRun: isDryRun) { _, freed in sum.add(bytes: freed) }
    return sum
  }

  @Test("Pruning removes the least recently used entries down to a size, and skips pinned ones")
  func pruning() throws {
    let fixture = try StoreFixture()
    for number in 0..<10 {
      try fixture.insert([UInt8](repeating: 0, count: 10_000), StoreFixture.stored("/\(number)"))
    }
    let store = fixture.store
    var pinned: WalkedEntry?
    try store.forEachEntry { entry in
      if let stored = entry.stored, stored.key.target.pathAndQuery == "/1" { pinned = entry }
      return true
    }
    #expect(try store.setPinned(true, try #require(pinned)) == .changed)
    for number in 0..<10 {
      let file = fixture.root.appending(path: EntryName(StoreFixture.key("/\(number)")).path.description)
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSince1970: TimeInterval(1_000 + number))], ofItemAtPath: file.path)
    }
    var told: [String] = []
    try store.prune(to: 75_000, besides: [], isDryRun: true) { stored, _ in
      told.append(stored?.key.target.pathAndQuery ?? "-")
    }
    let dryRun = try prune(store, to: 75_000, isDryRun: true)
    #expect(told == ["/0", "/2", "/3"] && dryRun.count == 3)
    #expect(try fixture.entries().count == 10)
    #expect(try prune(store, to: 75_000) == dryRun)
    #expect(fixture.outcome("/1") == .body([UInt8](repeating: 0, count: 10_000)))
    #expect(fixture.outcome("/2") == .miss(.uriMiss))
    #expect(try fixture.entries().count == 7)
    #expect(try prune(store, to: 75_000).count == 0)
    #expect(try prune(store, to: 0).count == 6)
    #expect(try fixture.entries().count == 1)
    #expect(try store.statistics().entries == 1)
  }

  @Test(
    "A dry run of pruning reports what pruning then removes, including the list that goes with the last variant",
    arguments: [1, 2])
  func pruningOfVariants(count: Int) throws {
    let fixture = try StoreFixture()
    let variants = (0..<count).map { StoreFixture.stored("/", selecting: [("Accept", "\($0)")]) }
    for stored in variants + [StoreFixture.stored("/one"), StoreFixture.stored("/two")] {
      try fixture.insert([UInt8](repeating: 0, count: 1_000), stored)
    }
    let doomed = variants.map { EntryName(of: $0) }
    let names = doomed + ["/", "/one", "/two"].map { EntryName(StoreFixture.key($0)) }
    let files = names.map { fixture.root.appending(path: $0.path.description) }
    for (age, file) in files.enumerated() {
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSince1970: TimeInterval(1_000 + age))], ofItemAtPath: file.path)
    }
    let store = fixture.store
    let all = try store.statistics().bytes
    let variantBytes = try files.prefix(count).reduce(0) { try $0 + Data(contentsOf: $1).count }
    // The last byte makes the list go, too.
    let bytes = all - Int64(variantBytes + 1)
    let dryRun = try prune(store, to: bytes, isDryRun: true)
    #expect(dryRun.count == count && all - dryRun.bytes <= bytes)
    #expect(try fixture.entries().count == names.count)
    // As if another limit had already removed the variants.
    #expect(try prune(store, to: all - dryRun.bytes, besides: Set(doomed), isDryRun: true).count == 0)
    #expect(try prune(store, to: bytes) == dryRun)
    #expect(try fixture.entries().count == 2)
  }

  @Test("Removing what a writer has written spares pinned entries and those that have replaced its own")
  func removingWritten() throws {
    let fixture = try StoreFixture()
    let store = fixture.store
    func write(_ text: String, _ stored: StoredResponse) throws -> WrittenEntry {
      var writer = try store.beginInsertion()
      try writer.append(Array(text.utf8))
      let written = writer.identity(as: stored)
      #expect(try writer.commit(stored) == .stored)
      return written
    }
    let variant = StoreFixture.stored("/variant", selecting: [(.accept, "text/plain")])
    let pinned = try write("pinned", StoreFixture.stored())
    #expect(try store.setPinned(true, walked(fixture)) == .changed)
    let replaced = try write("replaced", StoreFixture.stored("/replaced"))
    try fixture.insert("newer", StoreFixture.stored("/replaced"))
    let written =
      [pinned, replaced] + [try write("plain", StoreFixture.stored("/plain")), try write("varies", variant)]
    #expect(store.remove(written) > 0)
    #expect(fixture.outcome() == .text("pinned"))
    #expect(fixture.outcome("/replaced") == .text("newer"))
    #expect(try fixture.entries().count == 2, "the list of the variant is gone, too")
  }

  // MARK: Concurrent changes

  /// Looks an entry up, applies `change`, then freshens the entry and returns what is stored.
  private func freshened(
    _ fixture: borrowing StoreFixture, with marks: Marks = .none, after change: (Store, WalkedEntry) throws -> Void
  ) throws -> StoredResponse? {
    var found = fixture.lookup()
    guard let content = found.takeContent() else { throw CancellationError() }
    let store = fixture.store
    try change(store, try walked(fixture))
    var fresh = StoreFixture.stored(at: 1_999_999_999, tag: "two")
    fresh.marks = marks
    #expect(try store.freshen(content, with: fresh) == .appended)
    return fixture.lookup().selection.stored
  }

  private func walked(_ fixture: borrowing StoreFixture) throws -> WalkedEntry {
    var entries: [WalkedEntry] = []
    try fixture.store.forEachEntry { entry in
      entries.append(entry)
      return true
    }
    return try #require(entries.first)
  }

  @Test("A pin or tag that is set between a look-up and its 304 survives, and the entry is freshened")
  func betweenLookupAndFreshening() throws {
    let fixture = try StoreFixture()
    try fixture.insert("text")
    let stored = try freshened(fixture, with: Marks(tags: tags("b=2"))) { (store, entry) throws in
      #expect(try store.setPinned(true, entry) == .changed)
      #expect(try store.changeMarks(of: entry) { $0.tags = tags("a=1", "b=1") } == .changed)
    }
    #expect(stored?.marks == Marks(isPinned: true, tags: tags("a=1", "b=2")))
    #expect(stored?.fields[.etag]?.text == "\"two\"")
    // A pin that is removed in between does not return with the marks that the look-up had found.
    let unpinned = try freshened(fixture) { (store, entry) throws in
      #expect(try store.setPinned(false, entry) == .changed)
    }
    #expect(unpinned?.isPinned == false)
  }

  @Test("Two runs that change an entry's marks at the same time do not undo each other's changes")
  func atTheSameTime() async throws {
    let fixture = try StoreFixture()
    try fixture.insert("text")
    let (store, entry) = (fixture.store, try walked(fixture))
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<2 {
        group.addTask {
          for round in 0..<8 {
            do {
              let text = "\(number)=\(round)"
              let tag = try Tag(parsing: text.utf8)
              _ = try store.changeMarks(of: entry) { $0.tags.set(tag) }
            } catch {
              Issue.record(error)
            }
          }
        }
      }
    }
    #expect(fixture.lookup().selection.stored?.marks.tags.all.map(\.description) == ["0=7", "1=7"])
  }

  @Test("Pinning an entry with a second hard link writes the pin to a copy that takes its place")
  func linked() throws {
    let fixture = try StoreFixture()
    try fixture.insert("text")
    try FileManager.default.linkItem(at: try fixture.onlyEntry(), to: fixture.base.appending(path: "backup"))
    #expect(try fixture.store.pinAll() == [.changed])
    #expect(isPinned(fixture) == true && fixture.outcome() == .text("text"))
    #expect(try fixture.store.pinAll(false) == [.changed])
    #expect(isPinned(fixture) == false)
  }

  // MARK: Tags

  private func tags(_ texts: String...) -> Tags { Tags(texts.map { certain($0.utf8, Tag.init(parsing:)) })! }

  @Test(
    "If old and new tags do not fit together, the head is written whole with the old ones, and the tallies are right")
  func tagsWithoutRoom() throws {
    let fixture = try StoreFixture()
    var stored = StoreFixture.stored()
    stored.marks.tags = Tags(try (0..<Tags.maximumCount).map { try Tag(parsing: "\($0)=".utf8) })!
    let kept = stored.marks
    try fixture.insert("text", stored)
    stored.marks.tags = tags("z=" + String(repeating: "z", count: 1_000))
    #expect(!stored.marks.tags.isEmpty)
    try fixture.insert("next", stored)
    let found = fixture.lookup().selection.stored
    #expect(found?.marks == kept && found?.isDoubtful == false)
    #expect(fixture.outcome() == .text("next"))
    let statistics = try fixture.store.statistics()
    let bytes = try Data(contentsOf: fixture.file(for: [:])).count
    #expect(statistics.entries == 1 && statistics.bytes == Int64(bytes))
  }

  @Test("Tags are kept, replaced by key, and passed on to the response that replaces theirs")
  func tagged() throws {
    let fixture = try StoreFixture()
    var stored = StoreFixture.stored()
    stored.marks.tags = tags("b=2", "a=1", "leer=")
    try fixture.insert("text", stored)
    #expect(fixture.lookup().selection.stored?.marks.tags == tags("a=1", "b=2", "leer="))
    stored.marks.tags = tags("a=ä")
    try fixture.insert("next", stored)
    #expect(fixture.lookup().selection.stored?.marks.tags == tags("a=ä", "b=2", "leer="))
    let entry = try walked(fixture)
    #expect(try fixture.store.changeMarks(of: entry) { $0.tags.remove("b") } == .changed)
    #expect(try fixture.store.changeMarks(of: entry) { $0.tags.remove("b") } == .unchanged)
    #expect(fixture.lookup().selection.stored?.marks.tags == tags("a=ä", "leer="))
    #expect(fixture.outcome() == .text("next"))
  }

  @Test(
    "A head with a malformed or repeated tag is damage", arguments: [["a"], ["a=1", "a=2"]])
  func malformed(_ texts: [String]) throws {
    var items = ByteWriter()
    #expect(HeadCodec.append(.response(StoreFixture.stored(), tableSum: 0), to: &items))
    for text in texts {
      items.append(HeadCodec.Tag.tag.rawValue)
      items.append(UInt32(text.utf8.count))
      items.append(text)
    }
    let generation = Generation(low: 1, high: 2)
    let bytes = items.bytes
    #expect(throws: Damage.malformedHead) {
      try HeadCodec.decode(bytes[...], Preamble(.response, generation, contentLength: 0))
    }
  }
}
