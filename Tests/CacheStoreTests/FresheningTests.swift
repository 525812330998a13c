import CacheStore
import Foundation
import HTTPCaching
import HTTPSemantics
import Platform
import Testing

@Suite("Freshening")
struct FresheningTests {
  private func freshen(_ fixture: borrowing StoreFixture, tag: String = "two") throws -> FreshenedEntry {
    var found = fixture.lookup()
    guard let content = found.takeContent() else { throw CancellationError() }
    return try fixture.store.freshen(content, with: StoreFixture.stored(at: 1_999_999_900, tag: tag))
  }

  private func tag(_ fixture: borrowing StoreFixture) -> String? {
    fixture.lookup().selection.stored?.fields[.etag]?.text
  }

  @Test("a new head is appended, the content stays", arguments: [0, 10, 65_536, 500_000])
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

  @Test("a head that was cut off while it was appended leaves the one before, in doubt")
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

  @Test("remains of an interrupted head are cleared away by rewriting")
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

  @Test("a file with a further name is read, and freshened by rewriting: the other name keeps what it had")
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

  @Test("however often an entry is freshened, its heads stay within bounds")
  func compaction() throws {
    let fixture = try StoreFixture()
    var stored = StoreFixture.stored()
    stored.response.fields.append("X-Padding", FieldValue([UInt8](repeating: 0x61, count: 10_000)))
    try fixture.insert("text", stored)
    var outcomes: Set<FreshenedEntry> = []
    for _ in 0..<30 {
      var found = fixture.lookup()
      guard let content = found.takeContent() else { throw CancellationError() }
      outcomes.insert(try fixture.store.freshen(content, with: stored))
      #expect(try Data(contentsOf: try fixture.onlyEntry()).count < 140_000)
    }
    #expect(outcomes == [.appended, .rewritten])
    #expect(fixture.outcome() == .text("text"))
  }

  @Test("what has taken the place of a response meanwhile is left alone")
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

  @Test("a variant is freshened as itself")
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

  @Test("freshened by many at the same time, an entry stays whole")
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
