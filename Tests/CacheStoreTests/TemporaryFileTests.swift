import Foundation
import Platform
import Testing

@testable import CacheStore

/// Temporary files in the store, and the removal of those whose writers are dead.
@Suite struct TemporaryFileTests {
  @Test func `a file with a temporary name is left to its writer, as long as the writer lives`() throws {
    let fixture = try StoreFixture()
    let store = try WritableStore(fixture.store.root, home: nil, durable: false)
    var temporary = try TemporaryFile(in: store, isNamed: true)
    TemporaryFile.removeOrphans(in: store)
    #expect(try temporary.file.status().linkCount == 1)
    try temporary.replace("published", in: store.version, of: store, durable: false)
    #expect(try fixture.files().filter { $0.hasPrefix("v1/tmp/") } == [])
  }

  @Test("A temporary file has no name before it is whole, and with or without a name it replaces a published file")
  func names() throws {
    let fixture = try StoreFixture()
    try fixture.insert("one")
    let store = try WritableStore(fixture.store.root, home: nil, durable: false)
    let isNamedAnyway = store.temporaries.openNameable(mode: .privateFile) == nil
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

  /// Whether the file system can create a file in the store that has no name yet.
  private static let hasUnnamedFiles = (try? opensUnnamedFile()) ?? false

  private static func opensUnnamedFile() throws -> Bool {
    let fixture = try StoreFixture()
    let store = try WritableStore(fixture.store.root, home: nil, durable: false)
    let opened = store.temporaries.openNameable(mode: .privateFile)
    return opened != nil
  }

  @Test(
    "A file without a name is not linked over an existing one, and can then still replace it",
    .enabled(if: hasUnnamedFiles, "Unnamed files are not available here."))
  func linkedOnce() throws {
    let fixture = try StoreFixture()
    let store = try WritableStore(fixture.store.root, home: nil, durable: false)
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

  /// - Returns: `nil` if other threads removed the file at each attempt.
  private static func made(in store: borrowing WritableStore) throws(Errno) -> TemporaryFile? {
    do throws(Errno) {
      return try TemporaryFile(in: store, isNamed: true)
    } catch {
      if error == .fileExists { return nil }
      throw error
    }
  }

  @Test("Removing dead writers' files never takes one that a living writer has just created")
  func reapers() async throws {
    let fixture = try StoreFixture()
    let root = fixture.store.root
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<2 {
        group.addTask {
          let store = try WritableStore(root, home: nil, durable: false)
          for _ in 0..<4_000 { TemporaryFile.removeOrphans(in: store) }
        }
        group.addTask {
          let store = try WritableStore(root, home: nil, durable: false)
          var madeCount = 0
          for _ in 0..<2_000 {
            // Threads that do nothing but remove files may win every attempt.
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
