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
  private func pin(_ fixture: borrowing StoreFixture, _ isPinned: Bool = true) throws -> [Store.Marking] {
    let store = fixture.store
    var outcomes: [Store.Marking] = []
    try store.forEachEntry { entry in
      if let outcome = try? store.setPinned(isPinned, entry) { outcomes.append(outcome) }
      return true
    }
    return outcomes
  }

  /// The entry as a walk shows it now.
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

  @Test("A pin is kept by freshening and by what replaces the response, and taken back")
  func kept() throws {
    let fixture = try StoreFixture()
    try fixture.insert("text")
    #expect(isPinned(fixture) == false)
    #expect(try pin(fixture) == [.changed])
    #expect(isPinned(fixture) == true && fixture.outcome() == .text("text"))
    #expect(try pin(fixture) == [.unchanged])
    var found = fixture.lookup()
    guard let content = found.takeContent() else { throw CancellationError() }
    #expect(try fixture.store.freshen(content, with: StoreFixture.stored(tag: "two")) == .appended)
    #expect(isPinned(fixture) == true)
    try fixture.insert("replaced")
    #expect(isPinned(fixture) == true && fixture.outcome() == .text("replaced"))
    #expect(try pin(fixture, false) == [.changed])
    #expect(isPinned(fixture) == false)
    try fixture.insert("again")
    #expect(isPinned(fixture) == false)
  }

  @Test("A pin goes over to variants that take a response's place, and back")
  func variants() throws {
    let fixture = try StoreFixture()
    try fixture.insert("text")
    _ = try pin(fixture)
    try fixture.insert("de", StoreFixture.stored(selecting: [("Accept-Language", "de")]))
    #expect(isPinned(fixture, "/", ["Accept-Language": "de"]) == true)
    try fixture.insert("en", StoreFixture.stored(selecting: [("Accept-Language", "en")]))
    #expect(isPinned(fixture, "/", ["Accept-Language": "en"]) == false)
    try fixture.insert("any")
    #expect(isPinned(fixture) == true)
    #expect(try fixture.entries().count == 1)
  }

  @Test("An entry with remains of an update is not pinned before it has been validated")
  func doubtful() throws {
    let fixture = try StoreFixture()
    try fixture.insert("text")
    let file = try FileHandle(forWritingTo: try fixture.onlyEntry())
    try file.seekToEnd()
    try file.write(contentsOf: Data("HEAD".utf8))
    try file.close()
    #expect(try pin(fixture) == [.doubtful])
    #expect(isPinned(fixture) == false)
  }

  @Test("An invalidation removes what is pinned")
  func invalidation() throws {
    let fixture = try StoreFixture()
    try fixture.insert("text")
    _ = try pin(fixture)
    #expect(try fixture.store.removeAll(for: StoreFixture.key().target) == 1)
  }

  @Test("What is pinned since a walk has shown it is not removed as untouched, but on demand")
  func pinnedMeanwhile() throws {
    let fixture = try StoreFixture()
    try fixture.insert("text")
    let file = try onlyWalked(fixture).file
    #expect(try pin(fixture) == [.changed])
    #expect(try fixture.store.remove(file, .ifUntouched) == nil)
    #expect(isPinned(fixture) == true)
    #expect(try fixture.store.remove(file, .ifSameFile) ?? 0 > 0)
    #expect(try fixture.store.remove(file, .ifSameFile) == 0)
    #expect(fixture.outcome() == .miss(.uriMiss))
  }

  @Test("A mark on what is removed or replaced at that moment is told as such, and given to what has replaced it")
  func markedTooLate() throws {
    let fixture = try StoreFixture()
    try fixture.insert("text")
    var found = fixture.lookup()
    guard let content = found.takeContent() else { throw CancellationError() }
    let store = fixture.elsewhere
    let file = try fixture.onlyEntry()
    // Between the call that opens the file, and the write.
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
    "A mark that comes between a look at what is replaced and its end is the replacement's, too",
    arguments: [[], [("Accept-Language", "de")]])
  func markedLate(selecting: [(FieldName, String)]) throws {
    let fixture = try StoreFixture()
    let stored = StoreFixture.stored(selecting: selecting)
    try fixture.insert("text", stored)
    var request = Fields()
    for (name, value) in selecting { request.append(name, FieldValue(value)) }
    let calm = fixture.elsewhere
    let isFirst = Mutex(true)
    // The clock is asked when what is replaced has been looked at.
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

  @Test("What has gone since a walk has shown it is told from what has been replaced")
  func gone() throws {
    let fixture = try StoreFixture()
    try fixture.insert("text")
    let shown = try onlyWalked(fixture)
    try fixture.remove()
    #expect(try fixture.store.setPinned(true, shown) == .absent)
  }

  @Test("Pruning removes the least recently used down to a size, and passes over pins")
  func pruning() throws {
    let fixture = try StoreFixture()
    for number in 0..<10 {
      try fixture.insert([UInt8](repeating: 0, count: 10_000), StoreFixture.stored("/\(number)"))
    }
    let store = fixture.store
    var pinned: WalkedEntry?
    try store.forEachEntry { entry in
      if case .response(let stored) = entry.state, stored.key.target.pathAndQuery == "/1" { pinned = entry }
      return true
    }
    #expect(try store.setPinned(true, try #require(pinned)) == .changed)
    for number in 0..<10 {
      let file = fixture.root.appending(path: EntryName(StoreFixture.key("/\(number)")).path.description)
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSince1970: TimeInterval(1_000 + number))], ofItemAtPath: file.path)
    }
    var told: [String] = []
    let trial = try store.prune(to: 75_000, isTrial: true) { stored, _ in
      told.append(stored?.key.target.pathAndQuery ?? "-")
    }
    #expect(told == ["/0", "/2", "/3"] && trial.count == 3)
    #expect(try fixture.entries().count == 10)
    #expect(try store.prune(to: 75_000) == trial)
    #expect(fixture.outcome("/1") == .body([UInt8](repeating: 0, count: 10_000)))
    #expect(fixture.outcome("/2") == .miss(.uriMiss))
    #expect(try fixture.entries().count == 7)
    #expect(try store.prune(to: 75_000).count == 0)
    #expect(try store.prune(to: 0).count == 6)
    #expect(try fixture.entries().count == 1)
    #expect(try store.statistics().entries == 1)
  }

  @Test("What a trial of pruning tells is what pruning does: with the last variant its list goes", arguments: [1, 2])
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
    // It takes the list, too.
    let bytes = all - Int64(variantBytes + 1)
    let trial = try store.prune(to: bytes, isTrial: true)
    #expect(trial.count == count && all - trial.bytes <= bytes)
    #expect(try fixture.entries().count == names.count)
    // As where another limit has had them removed.
    #expect(try store.prune(to: all - trial.bytes, besides: Set(doomed), isTrial: true).count == 0)
    #expect(try store.prune(to: bytes) == trial)
    #expect(try fixture.entries().count == 2)
  }

  @Test("Of what a writer has written, neither what has replaced it since is removed nor what is pinned")
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

  // MARK: At the same time as others

  /// What a look-up has found, and what becomes of the entry before it is freshened.
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

  @Test("What is pinned or tagged between a look-up and its 304 stays pinned and tagged, and freshened")
  func betweenLookupAndFreshening() throws {
    let fixture = try StoreFixture()
    try fixture.insert("text")
    let stored = try freshened(fixture, with: Marks(tags: tags("b=2"))) { (store, entry) throws in
      #expect(try store.setPinned(true, entry) == .changed)
      #expect(try store.changeMarks(of: entry) { $0.tags = tags("a=1", "b=1") } == .changed)
    }
    #expect(stored?.marks == Marks(isPinned: true, tags: tags("a=1", "b=2")))
    #expect(stored?.fields[.etag]?.text == "\"two\"")
    // What is let go in between is not pinned again by what the look-up had found.
    let unpinned = try freshened(fixture) { (store, entry) throws in
      #expect(try store.setPinned(false, entry) == .changed)
    }
    #expect(unpinned?.isPinned == false)
  }

  @Test("Of two runs that change the marks of an entry at the same time, neither undoes what the other does")
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

  @Test("The pin of an entry with a second name is in the copy that takes its place")
  func linked() throws {
    let fixture = try StoreFixture()
    try fixture.insert("text")
    try FileManager.default.linkItem(at: try fixture.onlyEntry(), to: fixture.base.appending(path: "backup"))
    #expect(try pin(fixture) == [.changed])
    #expect(isPinned(fixture) == true && fixture.outcome() == .text("text"))
    #expect(try pin(fixture, false) == [.changed])
    #expect(isPinned(fixture) == false)
  }

  // MARK: Tags

  private func tags(_ texts: String...) -> Tags { Tags(texts.map { certain($0.utf8, Tag.init(parsing:)) })! }

  @Test("Where tags leave no room for those of the new response, its head is whole, and counts for what it is")
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

  @Test("Tags are kept, replaced by key, and pass to what takes the response's place")
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
    "A head with a tag that makes no sense, twice, or with too many, is damage", arguments: [["a"], ["a=1", "a=2"]])
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
