import Foundation
import HTTPCaching
import HTTPSemantics
import Platform
import TestSupport
import Testing

@testable import CacheStore

@Suite("An entry that several runs change at the same time")
struct ContendedEntryTests {
  private static let rounds = 400

  /// Runs the closures side by side, each on a thread of its own.
  private static func sideBySide(_ works: [@Sendable () throws -> Void]) {
    DispatchQueue.concurrentPerform(iterations: works.count) { index in
      do { try works[index]() } catch { Issue.record(error) }
    }
  }

  @Test("The user's marks survive concurrent freshening and replacement, and the tallies stay right")
  func marks() throws {
    let fixture = try StoreFixture()
    try fixture.insert("text")
    let store = fixture.store
    var lost: [Int] = []
    for round in 0..<Self.rounds {
      let tag = try Tag(parsing: "round=\(round)".utf8)
      let find: @Sendable () throws -> StoredContent = {
        var found = store.lookup(StoreFixture.key(), for: [:]) { _ in nil }
        guard let content = found.takeContent() else { throw CancellationError() }
        return content
      }
      Self.sideBySide([
        { _ = try store.changeMarks(of: find()) { _ = $0.tags.set(tag) } },
        { try store.freshen(find(), with: StoreFixture.stored(tag: "\(round)")) },
        {
          var writer = try store.beginInsertion()
          try writer.append(Array("text".utf8))
          _ = try writer.commit(StoreFixture.stored(tag: "new"))
        },
      ])
      if fixture.lookup().selection.stored?.marks.tags.all != [tag] { lost.append(round) }
    }
    #expect(lost == [])
    // As `cache stats` shows it, without listing the directories.
    let size = try fixture.onlyEntry().resourceValues(forKeys: [.fileSizeKey]).fileSize
    #expect(try fixture.store.statistics().bytes == Int64(try #require(size)))
  }

  @Test("A run that appends a head holds the lock from reading the last head until it has written, then releases it")
  func held() throws {
    let fixture = try StoreFixture()
    try fixture.insert("text")
    let path = try #require(Path(fixture.onlyEntry().path))
    let file = try Descriptor.workingDirectory.open(path, [.writeOnly])
    var found = fixture.lookup()
    guard let content = found.takeContent() else { throw CancellationError() }
    var isFree: Bool?
    let marking = try fixture.store.changeMarks(of: content) { marks in
      isFree = try? file.tryLock(range: EntryChange.range)
      marks.isPinned = true
    }
    #expect(marking == .changed && isFree == false)
    #expect(try file.tryLock(range: EntryChange.range))
  }

  @Test("A run that was stopped in the middle of a change does not block the others forever")
  func stopped() throws {
    let fixture = try StoreFixture()
    try fixture.insert("text")
    let path = try #require(Path(fixture.onlyEntry().path))
    let file = try Descriptor.workingDirectory.open(path, [.writeOnly])
    EntryChange.begin(in: file)
    var found = fixture.lookup()
    guard let content = found.takeContent() else { throw CancellationError() }
    #expect(try fixture.store.freshen(content, with: StoreFixture.stored(tag: "two")) == .appended)
    try fixture.insert("replaced")
    #expect(fixture.outcome() == .text("replaced"))
  }
}
