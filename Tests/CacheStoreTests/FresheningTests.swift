import Foundation
import HTTPCaching
import HTTPSemantics
import Platform
import Testing

@testable import CacheStore

@Suite("Freshening of stored entries")
struct FresheningTests {
  private func freshen(_ fixture: borrowing StoreFixture, tag: String = "two") throws -> HeadChangeOutcome {
    var found = fixture.lookup()
    guard let content = found.takeContent() else { throw CancellationError() }
    return try fixture.store.freshen(content, with: StoreFixture.stored(at: 1_999_999_900, tag: tag))
  }

  private func tag(_ fixture: borrowing StoreFixture) -> String? {
    fixture.lookup().selection.stored?.fields[.etag]?.text
  }

  @Test("A reader finds the old or the new head while one is being appended, and never a doubtful entry")
  func besideReaders() async throws {
    let fixture = try StoreFixture()
    let long = StoredResponse(
      Response(200, reason: "OK", fields: ["X-Long": FieldValue(String(repeating: "x", count: 60_000))]),
      under: StoreFixture.key(), requestTime: Timestamp(secondsSinceEpoch: 1_999_998_999),
      responseTime: Timestamp(secondsSinceEpoch: 1_999_999_000))
    try fixture.insert("text", long)
    let store = fixture.store
    let writer = Task.detached {
      for _ in 0..<300 {
        var found = store.lookup(StoreFixture.key(), for: [:]) { _ in nil }
        guard let content = found.takeContent() else { throw CancellationError() }
        try store.freshen(content, with: long)
      }
    }
    var doubtful = 0
    for _ in 0..<3_000 {
      let found = store.lookup(StoreFixture.key(), for: [:]) { _ in nil }
      if found.selection.stored?.isDoubtful ?? true { doubtful += 1 }
    }
    try await writer.value
    #expect(doubtful == 0)
  }

  @Test("Freshening appends a new head, and the content stays", arguments: [0, 10, 65_536, 500_000])
  func appended(length: Int) throws {
    let fixture = try StoreFixture()
    let body = StoreFixture.bytes(length)
    try fixture.insert(body)
    let file = try fixture.onlyEntry()
    let before = try Data(contentsOf: file)
    #expect(try freshen(fixture) == .appended)
    let after = try Data(contentsOf: file)
    #expect(after.starts(with: before) && after.count > before.count)
    #expect(tag(fixture) == "\"two\"")
    #expect(fixture.outcome() == .body(body))
  }

  @Test("A head that was cut off while it was appended leaves the one before in force, with the entry in doubt")
  func cutOff() throws {
    let fixture = try StoreFixture()
    try fixture.insert("text")
    let file = try fixture.onlyEntry()
    let before = try Data(contentsOf: file).count
    #expect(try freshen(fixture) == .appended)
    let whole = try Data(contentsOf: file)
    for length in before..<whole.count {
      try whole.prefix(length).write(to: file)
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
      let stored = try #require(fixture.lookup().selection.stored)
      #expect(stored.fields[.etag]?.text == "\"one\"")
      #expect(stored.isDoubtful == (length > before))
      #expect(fixture.outcome() == .text("text"))
    }
  }

  @Test("Freshening an entry with the remains of an interrupted head rewrites it without them")
  func remains() throws {
    let fixture = try StoreFixture()
    let body = StoreFixture.bytes(300_000)
    try fixture.insert(body)
    let handle = try FileHandle(forWritingTo: try fixture.onlyEntry())
    try handle.seekToEnd()
    try handle.write(contentsOf: Data("HEAD".utf8))
    try handle.close()
    #expect(fixture.lookup().selection.stored?.isDoubtful == true)
    #expect(try freshen(fixture) == .rewritten)
    #expect(fixture.lookup().selection.stored?.isDoubtful == false)
    #expect(tag(fixture) == "\"two\"")
    #expect(fixture.outcome() == .body(body))
    #expect(try fixture.entries().count == 1)
  }

  @Test("An entry with a second hard link is read, and freshened in a copy, so that the other link keeps its content")
  func hardLink() throws {
    let fixture = try StoreFixture()
    try fixture.insert("text")
    let file = try fixture.onlyEntry()
    let backup = fixture.base.appending(path: "backup")
    try FileManager.default.linkItem(at: file, to: backup)
    let before = try Data(contentsOf: backup)
    #expect(fixture.outcome() == .text("text"))
    #expect(try freshen(fixture) == .rewritten)
    #expect(try Data(contentsOf: backup) == before)
    #expect(tag(fixture) == "\"two\"")
  }

  @Test("However often an entry is freshened, the size of its heads stays bounded")
  func compaction() throws {
    let fixture = try StoreFixture()
    var stored = StoreFixture.stored()
    stored.response.fields.append("X-Padding", FieldValue([UInt8](repeating: 0x61, count: 10_000)))
    try fixture.insert("text", stored)
    var outcomes: Set<HeadChangeOutcome> = []
    for _ in 0..<30 {
      var found = fixture.lookup()
      guard let content = found.takeContent() else { throw CancellationError() }
      outcomes.insert(try fixture.store.freshen(content, with: stored))
      #expect(try Data(contentsOf: try fixture.onlyEntry()).count < 140_000)
    }
    #expect(outcomes == [.appended, .rewritten])
    #expect(fixture.outcome() == .text("text"))
  }

  @Test("Freshening leaves alone a response that has replaced the validated one, and a removed one stays removed")
  func superseded() throws {
    let fixture = try StoreFixture()
    try fixture.insert("old")
    var found = fixture.lookup()
    guard let content = found.takeContent() else { throw CancellationError() }
    try fixture.insert("new", StoreFixture.stored(tag: "new"))
    #expect(try fixture.store.freshen(content, with: StoreFixture.stored(tag: "two")) == .superseded)
    #expect(tag(fixture) == "\"new\"")
    try fixture.remove()
    #expect(try fixture.store.freshen(content, with: StoreFixture.stored(tag: "two")) == .superseded)
    #expect(fixture.outcome() == .miss(.uriMiss))
  }

  @Test("Freshening a variant updates that variant")
  func variant() throws {
    let fixture = try StoreFixture()
    try fixture.insert("Guten Tag", StoreFixture.stored(selecting: [(.acceptLanguage, "de")]))
    let request: Fields = ["Accept-Language": "de"]
    var found = fixture.lookup("/", request)
    guard let content = found.takeContent() else { throw CancellationError() }
    #expect(try fixture.store.freshen(content, with: StoreFixture.stored(tag: "two")) == .appended)
    #expect(fixture.lookup("/", request).selection.stored?.fields[.etag]?.text == "\"two\"")
    #expect(fixture.outcome("/", request) == .text("Guten Tag"))
  }

  // MARK: Changes while an entry is rewritten

  /// Freshens an entry, and runs `change` as another run would once the last head has been read.
  private func freshen(
    _ store: Store, _ request: Fields = [:], padding: Int = 0, while change: () throws -> Void = {}
  ) throws -> HeadChangeOutcome {
    var found = store.lookup(StoreFixture.key(), for: request) { _ in nil }
    guard let content = found.takeContent() else { throw CancellationError() }
    var isFirst = true
    return try store.changeHead(of: content) { last in
      if isFirst {
        isFirst = false
        do { try change() } catch { Issue.record(error) }
      }
      var fresh = Self.padded(padding)
      fresh.marks = last.marks
      return fresh
    }
  }

  private static func padded(_ count: Int) -> StoredResponse {
    var stored = StoreFixture.stored(at: 1_999_999_900, tag: "two")
    if count > 0 { stored.response.fields.append("X-Padding", FieldValue([UInt8](repeating: 0x61, count: count))) }
    return stored
  }

  /// Gives the file a second link, so that a change of its head has to rewrite it.
  private func backUp(_ fixture: borrowing StoreFixture, _ request: Fields = [:]) throws -> URL {
    let backup = fixture.base.appending(path: "backup")
    try FileManager.default.linkItem(at: try fixture.file(for: request), to: backup)
    return backup
  }

  private func expectRightSum(_ fixture: borrowing StoreFixture) throws {
    let root = fixture.root
    let sum = try fixture.entries().reduce(0) { $0 + (try Data(contentsOf: root.appending(path: $1)).count) }
    let counted = try fixture.store.statistics().bytes
    #expect(counted == Int64(sum))
  }

  @Test("A response that replaces an entry while it is being rewritten stays")
  func replacedMeanwhile() throws {
    let fixture = try StoreFixture()
    try fixture.insert("old")
    _ = try backUp(fixture)
    let outcome = try freshen(fixture.store) { try fixture.insert("new", StoreFixture.stored(tag: "new")) }
    #expect(outcome == .superseded)
    #expect(fixture.outcome() == .text("new") && tag(fixture) == "\"new\"")
    try expectRightSum(fixture)
  }

  @Test("An entry that is removed while it is being rewritten stays removed")
  func removedMeanwhile() throws {
    let fixture = try StoreFixture()
    try fixture.insert("old")
    _ = try backUp(fixture)
    let outcome = try freshen(fixture.store) { () throws in #expect(try fixture.remove() == 1) }
    #expect(outcome == .superseded)
    #expect(fixture.outcome() == .miss(.uriMiss))
    try expectRightSum(fixture)
  }

  @Test("An entry that is invalidated while it is being rewritten stays removed")
  func invalidatedMeanwhile() throws {
    let fixture = try StoreFixture()
    try fixture.insert("old")
    _ = try backUp(fixture)
    let store = fixture.store
    let outcome = try freshen(store) { try store.removeAll(for: StoreFixture.key().target) }
    #expect(outcome == .superseded)
    #expect(fixture.outcome() == .miss(.uriMiss))
  }

  @Test("A pin that is written to a copy of an entry while that is being rewritten stays")
  func pinnedInCopyMeanwhile() throws {
    let fixture = try StoreFixture()
    try fixture.insert("text")
    _ = try backUp(fixture)
    let store = fixture.store
    let outcome = try freshen(store) { () throws in #expect(try store.pinAll() == [.changed]) }
    #expect(outcome == .superseded)
    #expect(fixture.lookup().selection.stored?.isPinned == true)
    #expect(fixture.outcome() == .text("text"))
    try expectRightSum(fixture)
  }

  @Test(
    "When an entry is replaced while its pin is being written, the replacement is pinned, be it a copy or not",
    arguments: [false, true])
  func replacedWhilePinned(isCopy: Bool) throws {
    let fixture = try StoreFixture()
    try fixture.insert("text")
    _ = try backUp(fixture)
    let store = fixture.store
    var outcomes: [Store.MarkingOutcome] = []
    var changes = 0
    try store.forEachEntry { entry in
      let outcome = try? store.changeMarks(of: entry) { marks in
        changes += 1
        if changes == 1 {
          do {
            if isCopy {
              #expect(try freshen(store) == .rewritten)
            } else {
              try fixture.insert("new", StoreFixture.stored(tag: "two"))
            }
          } catch { Issue.record(error) }
        }
        marks.isPinned = true
      }
      if let outcome { outcomes.append(outcome) }
      return true
    }
    #expect(outcomes == [.changed] && changes == 2)
    #expect(fixture.lookup().selection.stored?.isPinned == true && tag(fixture) == "\"two\"")
    #expect(fixture.outcome() == .text(isCopy ? "text" : "new"))
    try expectRightSum(fixture)
  }

  @Test("A pin for an entry that was found before it was rewritten goes to the copy in its place")
  func copiedBeforePinned() throws {
    let fixture = try StoreFixture()
    try fixture.insert("text")
    _ = try backUp(fixture)
    var found = fixture.lookup()
    guard let content = found.takeContent() else { throw CancellationError() }
    #expect(try freshen(fixture.store) == .rewritten)
    #expect(try fixture.store.changeMarks(of: content) { $0.isPinned = true } == .changed)
    #expect(fixture.lookup().selection.stored?.isPinned == true && tag(fixture) == "\"two\"")
    try expectRightSum(fixture)
  }

  @Test("Pinning an entry that is removed while its pin is being written reports it absent")
  func removedWhilePinned() throws {
    let fixture = try StoreFixture()
    try fixture.insert("text")
    _ = try backUp(fixture)
    let store = fixture.store
    var outcome: Store.MarkingOutcome?
    try store.forEachEntry { entry in
      outcome = try? store.changeMarks(of: entry) { marks in
        do { try fixture.remove() } catch { Issue.record(error) }
        marks.isPinned = true
      }
      return true
    }
    #expect(outcome == .absent)
    #expect(fixture.outcome() == .miss(.uriMiss))
  }

  @Test("A pin that is appended to an entry while that is being rewritten is kept, and the entry is freshened")
  func pinnedMeanwhile() throws {
    let fixture = try StoreFixture()
    let store = fixture.store
    try fixture.insert("text")
    for padding in [40_000, 40_000, 40_000, 0] {
      #expect(try freshen(store, padding: padding) == .appended)
    }
    let outcome = try freshen(store, padding: 40_000) { () throws in #expect(try store.pinAll() == [.changed]) }
    #expect(outcome == .rewritten)
    let stored = fixture.lookup().selection.stored
    #expect(stored?.isPinned == true && stored?.fields.contains("X-Padding") == true)
    #expect(fixture.outcome() == .text("text"))
    try expectRightSum(fixture)
  }

  @Test("Rewriting a variant leaves the other variants in place")
  func rewrittenVariant() throws {
    let fixture = try StoreFixture()
    for language in ["de", "en"] {
      try fixture.insert(language, StoreFixture.stored(selecting: [(.acceptLanguage, language)]))
    }
    let request: Fields = ["Accept-Language": "de"]
    _ = try backUp(fixture, request)
    #expect(try freshen(fixture.store, request) == .rewritten)
    #expect(fixture.lookup("/", request).selection.stored?.fields[.etag]?.text == "\"two\"")
    #expect(fixture.outcome("/", request) == .text("de"))
    #expect(fixture.outcome("/", ["Accept-Language": "en"]) == .text("en"))
    try expectRightSum(fixture)
  }

  @Test("A response without Vary that replaces all variants while one is rewritten stays, even if the file remains")
  func replacedVariants() throws {
    for isLeftBehind in [false, true] {
      let fixture = try StoreFixture()
      try fixture.insert("de", StoreFixture.stored(selecting: [(.acceptLanguage, "de")]))
      let request: Fields = ["Accept-Language": "de"]
      let (file, backup) = (try fixture.file(for: request), try backUp(fixture, request))
      let outcome = try freshen(fixture.store, request) {
        try fixture.insert("any", StoreFixture.stored(tag: "new"))
        if isLeftBehind { try FileManager.default.linkItem(at: backup, to: file) }
      }
      #expect(outcome == .superseded)
      #expect(fixture.outcome("/", request) == .text("any") && tag(fixture) == "\"new\"")
    }
  }

  @Test("An entry stays whole when many threads freshen it at the same time")
  func race() async throws {
    let fixture = try StoreFixture()
    let body = StoreFixture.bytes(100_000)
    try fixture.insert(body)
    let store = fixture.store
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<8 {
        group.addTask {
          for _ in 0..<50 {
            var found = store.lookup(StoreFixture.key(), for: [:]) { _ in nil }
            guard let content = found.takeContent() else {
              Issue.record("no content: \(String(describing: found.fault))")
              return
            }
            do { try store.freshen(content, with: StoreFixture.stored(tag: "\(number)")) } catch { Issue.record(error) }
          }
        }
      }
    }
    #expect(fixture.outcome() == .body(body))
  }
}
