import Foundation
import Platform
import Testing

@testable import CacheStore

/// Files on their way to a name in the store, and what becomes of those whose writers are dead.
@Suite struct TemporaryFileTests {
  @Test func `a file with a temporary name is left to its writer, as long as that lives`() throws {
    let fixture = try StoreFixture()
    let store = try WritableStore(fixture.store.root, durable: false)
    var temporary = try TemporaryFile(in: store, isNamed: true)
    TemporaryFile.removeOrphans(in: store)
    #expect(try temporary.file.status().linkCount == 1)
    try temporary.replace("published", in: store.version, of: store, durable: false)
    #expect(try fixture.files().filter { $0.hasPrefix("v1/tmp/") } == [])
  }

  @Test("What is being written has no name before it is whole, and another one takes its place whether it has or not")
  func names() throws {
    let fixture = try StoreFixture()
    try fixture.insert("one")
    let store = try WritableStore(fixture.store.root, durable: false)
    let isNamedAnyway = store.temporaries.openNameable() == nil
    for isNamed in [false, true] {
      for text in ["absent", "replaced"] {
        var temporary = try TemporaryFile(in: store, isNamed: isNamed)
        try temporary.file.writeAll(Array(text.utf8))
        #expect(try fixture.files().filter { $0.hasPrefix("v1/tmp/") }.count == (isNamed || isNamedAnyway ? 1 : 0))
        #expect(try temporary.seal(durable: false) == text.utf8.count)
        try temporary.replace("published", in: store.version, of: store, durable: false)
        let published = try Data(contentsOf: fixture.root.appending(path: "v1/published"))
        #expect(published == Data(text.utf8))
        #expect(try fixture.mode("v1/published") == 0o600)
      }
      try FileManager.default.removeItem(at: fixture.root.appending(path: "v1/published"))
    }
    #expect(try fixture.files().filter { $0.hasPrefix("v1/tmp/") } == [])
  }

  /// Whether a file can be made in a store that has no name yet.
  private static let hasUnnamedFiles = (try? opensUnnamedFile()) ?? false

  private static func opensUnnamedFile() throws -> Bool {
    let fixture = try StoreFixture()
    let opened = try WritableStore(fixture.store.root, durable: false).temporaries.openNameable()
    return opened != nil
  }

  @Test(
    "What can replace nothing leaves what has the name, and replaces it then",
    .enabled(if: hasUnnamedFiles, "Here no file is without a name."))
  func linkedOnce() throws {
    let fixture = try StoreFixture()
    let store = try WritableStore(fixture.store.root, durable: false)
    for text in ["one", "two"] {
      var temporary = try TemporaryFile(in: store)
      try temporary.file.writeAll(Array(text.utf8))
      let isFirst = try temporary.linkIfAbsent(as: "name", in: store.version, durable: true)
      #expect(isFirst == (text == "one"))
      #expect(try Data(contentsOf: fixture.root.appending(path: "v1/name")) == Data("one".utf8))
      if !isFirst { try temporary.replace("name", in: store.version, of: store, durable: true) }
    }
    #expect(try Data(contentsOf: fixture.root.appending(path: "v1/name")) == Data("two".utf8))
    #expect(try fixture.files().filter { $0.hasPrefix("v1/tmp/") } == [])
  }

  /// - Returns: `nil` where each try has been taken away.
  private static func made(in store: borrowing WritableStore) throws(Errno) -> TemporaryFile? {
    do throws(Errno) {
      return try TemporaryFile(in: store, isNamed: true)
    } catch {
      if error == .fileExists { return nil }
      throw error
    }
  }

  @Test("No reaper takes a file away from a writer that has just made it")
  func reapers() async throws {
    let fixture = try StoreFixture()
    let root = fixture.store.root
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<2 {
        group.addTask {
          let store = try WritableStore(root, durable: false)
          for _ in 0..<4_000 { TemporaryFile.removeOrphans(in: store) }
        }
        group.addTask {
          let store = try WritableStore(root, durable: false)
          var madeCount = 0
          for _ in 0..<2_000 {
            // Reapers that do nothing else may be quicker as often as it tries.
            guard let made = try Self.made(in: store) else { continue }
            #expect(try made.file.status().linkCount == 1)
            madeCount += 1
          }
          #expect(madeCount > 0)
        }
      }
      try await group.waitForAll()
    }
  }
}
