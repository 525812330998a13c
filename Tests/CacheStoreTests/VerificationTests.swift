import Foundation
import HTTPCaching
import HTTPSemantics
import Platform
import TestSupport
import Testing

@testable import CacheStore

@Suite("Verification")
struct VerificationTests {
  /// A store of seven files: a small entry, a large one, two variants with their list, a part, and an audience's entry.
  private func filled() throws -> StoreFixture {
    let fixture = try StoreFixture()
    try fixture.insert("small", StoreFixture.stored("/small"))
    try fixture.insert(StoreFixture.bytes(300_000), StoreFixture.stored("/large"))
    for language in ["de", "en"] {
      try fixture.insert(language, StoreFixture.stored("/v", selecting: [("Accept-Language", language)]))
    }
    var part = StoreFixture.stored("/part")
    part.extent = .part(2..<6, of: 10)
    try fixture.insert("part", part)
    try fixture.insert("mine", StoreFixture.stored("/mine", audience: [1, 2, 3]))
    return fixture
  }

  private func verify(_ store: Store) throws -> [VerifiedEntry] {
    var entries: [VerifiedEntry] = []
    try store.verify {
      entries.append($0)
      return true
    }
    return entries
  }

  private func file(of name: EntryName, in fixture: borrowing StoreFixture) -> URL {
    fixture.root.appending(path: name.path.description)
  }

  private func change(_ name: EntryName, in fixture: borrowing StoreFixture, _ change: (inout Data) -> Void) throws {
    let file = file(of: name, in: fixture)
    var bytes = try Data(contentsOf: file)
    change(&bytes)
    let handle = try FileHandle(forWritingTo: file)
    try handle.truncate(atOffset: 0)
    try handle.write(contentsOf: bytes)
    try handle.close()
  }

  @Test("Verification reads every entry, and changes no file's times")
  func untouched() throws {
    let fixture = try filled()
    let root = fixture.root
    let names = try fixture.entries()
    let before = try names.map { try times(root.appending(path: $0).path) }
    var read = 0
    var entries: [VerifiedEntry] = []
    try fixture.store.verify(progress: { read += $0 }) {
      entries.append($0)
      return true
    }
    #expect(entries.count == 7 && entries.allSatisfy { $0.damage == nil && $0.target != nil })
    #expect(read == 300_000 + 5 + 4 + 4 + 4)
    #expect(try names.map { try times(root.appending(path: $0).path) } == before)
    var count = 0
    try fixture.store.verify { _ in
      count += 1
      return count < 3
    }
    #expect(count == 3)
  }

  /// The times of the last access, of the last change of the content and of the last change of the inode, in
  /// nanoseconds.
  private func times(_ path: String) throws -> [Int] {
    var status = stat()
    try checked("stat", stat(path, &status))
    return [status.st_atim, status.st_mtim, status.st_ctim].map { Int($0.tv_sec) * 1_000_000_000 + Int($0.tv_nsec) }
  }

  /// Damage that is done to a file.
  enum Harm: Sendable {
    /// One bit of the byte at this offset is flipped.
    case flipped(Int)
    case cut(to: Int)

    func happen(to bytes: inout Data) {
      switch self {
      case .flipped(let offset): bytes[offset] ^= 1
      case .cut(let count): bytes = bytes.prefix(count)
      }
    }
  }

  static let harms: [(path: String, harm: Harm, damage: Damage)] = [
    ("/small", .flipped(64), .blockSum(index: 0)), ("/large", .flipped(64 + 200_000), .blockSum(index: 3)),
    ("/large", .flipped(64 + 300_001), .tableSum), ("/small", .flipped(3), .notAnEntry),
    ("/small", .flipped(40), .preambleSum), ("/small", .flipped(64 + 5 + 8 + 20), .headSum),
    ("/large", .cut(to: 200_000), .truncated), ("/small", .cut(to: 0), .notAnEntry),
  ]

  @Test("Verification names each damaged entry and what is wrong with it", arguments: harms)
  func damage(path: String, harm: Harm, expected: Damage) throws {
    let fixture = try filled()
    let name = EntryName(StoreFixture.key(path))
    try change(name, in: fixture) { harm.happen(to: &$0) }
    let bad = try verify(fixture.store).filter { $0.damage != nil }
    #expect(bad.map(\.name) == [name] && bad.first?.damage?.damage == expected)
  }

  @Test("Verification finds an entry under the name of another key, which no checksum shows")
  func misnamed() throws {
    let fixture = try filled()
    let other = EntryName(StoreFixture.key("/other"))
    let manager = FileManager.default
    try manager.createDirectory(
      at: file(of: other, in: fixture).deletingLastPathComponent(), withIntermediateDirectories: true)
    try manager.moveItem(
      at: file(of: EntryName(StoreFixture.key("/small")), in: fixture), to: file(of: other, in: fixture))
    let bad = try verify(fixture.store).filter { $0.damage != nil }
    #expect(bad.map(\.name) == [other] && bad.first?.damage?.damage == .misnamed)
    #expect(bad.first?.target == StoreFixture.key("/small").target)
  }

  @Test("Verification finds directories and links in place of entries")
  func strangers() throws {
    let fixture = try filled()
    let names = ["/a", "/b"].map { EntryName(StoreFixture.key($0)) }
    for name in names {
      try FileManager.default.createDirectory(
        at: file(of: name, in: fixture).deletingLastPathComponent(), withIntermediateDirectories: true)
    }
    try FileManager.default.createDirectory(at: file(of: names[0], in: fixture), withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(
      at: file(of: names[1], in: fixture),
      withDestinationURL: file(of: EntryName(StoreFixture.key("/small")), in: fixture))
    let bad = try verify(fixture.store).filter { $0.damage != nil }
    #expect(Set(bad.map(\.name)) == Set(names) && bad.allSatisfy { $0.damage?.damage == .notRegularFile })
  }

  @Test("Verification of a store that does not exist finds nothing")
  func absent() throws {
    #expect(try verify(try StoreFixture().store).isEmpty)
  }

  // MARK: Recounting

  @Test("A recount corrects the accounts of hosts after damaged entries have been removed")
  func recount() throws {
    let fixture = try filled()
    let before = try fixture.store.statistics()
    for path in ["/small", "/large"] {
      try change(EntryName(StoreFixture.key(path)), in: fixture) { $0[40] ^= 1 }
    }
    for entry in try verify(fixture.store) {
      if let damage = entry.damage { try fixture.store.drop(damage) }
    }
    let drifted = try fixture.store.statistics()
    #expect(drifted.entries == 5 && drifted.hosts == before.hosts, "what has no head is on nobody's account")
    try fixture.store.recount()
    let right = try fixture.store.statistics()
    #expect(right.entries == 5 && right.hosts.map(\.entries) == [5] && right.hosts.map(\.bytes) == [right.bytes])
    #expect(right.categories.map(\.entries) == [4])
    try fixture.store.recount()
    #expect(try fixture.store.statistics() == right)
  }

  @Test("A recount drops hosts without entries, and adds those that were never counted")
  func recountHosts() throws {
    let fixture = try filled()
    let tallies = fixture.root.appending(path: "v1/tallies")
    try FileManager.default.removeItem(at: tallies)
    // Storing creates new tallies that count this entry alone.
    try fixture.insert("more", StoreFixture.stored("/more"))
    #expect(try fixture.store.statistics().hosts.map(\.entries) == [1])
    try fixture.store.recount()
    #expect(try fixture.store.statistics().hosts.map(\.entries) == [8])
    for name in try fixture.entries() {
      try FileManager.default.removeItem(at: fixture.root.appending(path: name))
    }
    try fixture.store.recount()
    let empty = try fixture.store.statistics()
    #expect(empty.hosts.isEmpty && empty.categories.isEmpty && empty.entries == 0 && empty.bytes == 0)
  }
}
