import Foundation
import HTTPCaching
import HTTPSemantics
import Platform
import Testing

@testable import CacheStore

@Suite("Pins and pruning")
struct PinTests {
  private func pin(_ fixture: borrowing StoreFixture, _ isPinned: Bool = true) throws -> [Store.Pinning] {
    let store = fixture.store
    var outcomes: [Store.Pinning] = []
    try store.forEachEntry { entry in
      if let outcome = try? store.setPinned(isPinned, entry) { outcomes.append(outcome) }
      return true
    }
    return outcomes
  }

  private func isPinned(_ fixture: borrowing StoreFixture, _ path: String = "/", _ request: Fields = [:]) -> Bool? {
    fixture.lookup(path, request).selection.stored?.isPinned
  }

  @Test("a pin is kept by freshening and by what replaces the response, and taken back")
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

  @Test("a pin goes over to variants that take a response's place, and back")
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

  @Test("an entry with remains of an update is not pinned before it has been validated")
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

  @Test("an invalidation removes what is pinned")
  func invalidation() throws {
    let fixture = try StoreFixture()
    try fixture.insert("text")
    _ = try pin(fixture)
    #expect(try fixture.store.removeAll(for: StoreFixture.key().target) == 1)
  }

  @Test("pruning removes the least recently used down to a size, and passes over pins")
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
    let trial = try store.prune(to: 75_000, isTrial: true) { told.append($0?.key.target.pathAndQuery ?? "-") }
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
}
