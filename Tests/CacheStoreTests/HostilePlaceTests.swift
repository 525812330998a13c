import Foundation
import HTTPCaching
import Platform
import Testing

@testable import CacheStore

@Suite("Hostile files and directories in place of the store's own")
struct HostilePlaceTests {
  /// What stands in the place of the store, and why the store refuses it.
  private static let roots: [(sentence: String, make: @Sendable (URL) throws -> Void, refusal: UnsafePlace)] = [
    ("a file is no store", { try Data().write(to: $0) }, .notDirectory),
    (
      "a symbolic link is no store, wherever it leads",
      {
        let real = $0.deletingLastPathComponent().appending(path: "real")
        try FileManager.default.createDirectory(at: real, withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(at: $0, withDestinationURL: real)
      }, .symbolicLink
    ),
    (
      "a dangling link is no store and is not followed to make one",
      { try FileManager.default.createSymbolicLink(atPath: $0.path, withDestinationPath: "nowhere") }, .symbolicLink
    ),
    (
      "others must not be able to write to the store", { try directory($0, 0o777) },
      .writableByOthers(.init(rawValue: 0o777))
    ),
    (
      "the group must not be able to write to the store either", { try directory($0, 0o770) },
      .writableByOthers(.init(rawValue: 0o770))
    ),
  ]

  private func path(_ text: String) throws -> Path { try #require(Path(Array(text.utf8)[...])) }

  private static func directory(_ url: URL, _ mode: Int) throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: url.path)
  }

  @Test("A store root that others control is refused, for reading and for writing", arguments: 0..<roots.count)
  func root(row: Int) throws {
    let (sentence, make, refusal) = Self.roots[row]
    let fixture = try StoreFixture()
    try make(fixture.root)
    #expect(fixture.outcome() == .fault(.unsafe(refusal)), "\(sentence)")
    #expect(throws: StoreError.unsafe(refusal), "\(sentence)") { try fixture.insert("text") }
    #expect(!StoreError.unsafe(refusal).description.isEmpty)
  }

  @Test(
    "No store is made below another user's directory, unless that directory is sticky",
    .enabled(if: geteuid() == 0, "Only root can give directories away."), arguments: ["store", "cache/store"])
  func foreignParent(name: String) throws {
    let fixture = try StoreFixture()
    let home = fixture.base.appending(path: "home")
    try Self.directory(home, 0o777)
    #expect(chown(home.path, 1, 1) == 0)
    let store = Store(root: try path(home.appending(path: name).path), clock: fixture.store.clock)
    #expect(throws: StoreError.unsafe(.foreignParent(ownerID: 1))) { _ = try store.beginInsertion() }
    #expect(try FileManager.default.contentsOfDirectory(atPath: home.path).isEmpty)
    #expect(chmod(home.path, 0o1777) == 0)
    _ = try store.beginInsertion()
  }

  @Test(
    "Anything else in place of an entry is a miss, found without blocking, and is dropped and replaced",
    arguments: [
      ("fifo", Damage.notRegularFile), ("link", .notRegularFile), ("dangling", .notRegularFile),
      ("directory", .notRegularFile), ("empty", .notAnEntry),
    ])
  func inPlaceOfAnEntry(kind: String, damage: Damage) throws {
    let fixture = try StoreFixture()
    try fixture.insert("text")
    let entry = try fixture.onlyEntry()
    let target = fixture.base.appending(path: "target")
    try FileManager.default.moveItem(at: entry, to: target)
    switch kind {
    case "fifo": #expect(mkfifo(entry.path, 0o600) == 0)
    case "link": try FileManager.default.createSymbolicLink(at: entry, withDestinationURL: target)
    case "dangling": try FileManager.default.createSymbolicLink(atPath: entry.path, withDestinationPath: "nowhere")
    case "directory": try FileManager.default.createDirectory(at: entry, withIntermediateDirectories: false)
    default: try Data().write(to: entry)
    }
    let outcome = fixture.outcome()
    #expect(outcome.damage == damage)
    if case .fault(.damaged(let damaged)) = outcome { try fixture.store.drop(damaged) }
    #expect(fixture.outcome() == .miss(.uriMiss))
    #expect(FileManager.default.fileExists(atPath: target.path))
    try fixture.insert("again")
    #expect(fixture.outcome() == .text("again"))
  }

  @Test(
    "Nothing is written through a symbolic link in place of a directory of the store",
    arguments: ["v1", "tmp", "shard"])
  func plantedDirectories(place: String) throws {
    let fixture = try StoreFixture()
    try fixture.insert("text")
    let shard = try fixture.onlyEntry().deletingLastPathComponent()
    let planted =
      switch place {
      case "v1": fixture.root.appending(path: "v1")
      case "tmp": fixture.root.appending(path: "v1/tmp")
      default: shard
      }
    let outside = fixture.base.appending(path: "outside")
    try FileManager.default.moveItem(at: planted, to: outside)
    try FileManager.default.createSymbolicLink(at: planted, withDestinationURL: outside)
    let before = try FileManager.default.subpathsOfDirectory(atPath: outside.path).sorted()
    #expect(throws: StoreError.self) { try fixture.insert("more") }
    #expect(try FileManager.default.subpathsOfDirectory(atPath: outside.path).sorted() == before)
    guard place != "tmp" else { return }
    let link = place == "v1" ? "v1" : "v1/\(shard.lastPathComponent)"
    #expect(fixture.outcome() == .fault(.unsafe(.linkWithin(try path(link)))))
    guard place == "v1" else { return }
    let error = StoreError.unsafe(.linkWithin(try path(link)))
    #expect(throws: error) { _ = try fixture.store.statistics() }
    #expect(throws: error) { _ = try fixture.store.secret(creating: true) }
  }

  @Test("A hard link to a foreign file in place of the lock file is replaced and not written to")
  func linkedLock() throws {
    let fixture = try StoreFixture()
    let outside = fixture.base.appending(path: "outside")
    try Data("theirs".utf8).write(to: outside)
    try fixture.insert("text")
    let lock = fixture.root.appending(path: "v1/lock")
    try? FileManager.default.removeItem(at: lock)
    try FileManager.default.linkItem(at: outside, to: lock)
    guard case .lead(var lead) = fixture.store.turn(at: StoreFixture.key(), of: .none) else {
      Issue.record("nobody has the turn")
      return
    }
    try lead.report(isEndKnown: false)
    #expect(try Data(contentsOf: outside) == Data("theirs".utf8))
    #expect(try Data(contentsOf: lock) != Data("theirs".utf8))
  }

  @Test(
    "Anything but a file in place of the secret is refused with an error that names the place",
    arguments: ["directory", "fifo", "link"])
  func secret(kind: String) throws {
    let fixture = try StoreFixture()
    try fixture.insert("text")
    let secret = fixture.root.appending(path: "v1/secret")
    switch kind {
    case "directory": try FileManager.default.createDirectory(at: secret, withIntermediateDirectories: false)
    case "fifo": #expect(mkfifo(secret.path, 0o600) == 0)
    default: try FileManager.default.createSymbolicLink(at: secret, withDestinationURL: fixture.base)
    }
    #expect(throws: StoreError.unsafe(.noFileWithin(try path("v1/secret")))) {
      _ = try fixture.store.secret(creating: true)
    }
  }

  @Test(
    "Removing everything also removes obstacles in place of entries, but refuses and names a directory with content")
  func removingEverything() throws {
    let fixture = try StoreFixture()
    try fixture.insert("text")
    let entry = try fixture.onlyEntry()
    let shard = entry.deletingLastPathComponent()
    try FileManager.default.removeItem(at: entry)
    try FileManager.default.createDirectory(at: entry, withIntermediateDirectories: false)
    try fixture.store.removeEverything()
    #expect(!FileManager.default.fileExists(atPath: entry.path))

    try FileManager.default.removeItem(at: shard)
    try Data([1]).write(to: shard)
    #expect(throws: StoreError.unsafe(.noDirectoryWithin(try path("v1/\(shard.lastPathComponent)")))) {
      try fixture.insert("text")
    }
    try fixture.store.removeEverything()
    try fixture.insert("text")
    #expect(fixture.outcome() == .text("text"))

    try FileManager.default.removeItem(at: entry)
    try FileManager.default.createDirectory(at: entry, withIntermediateDirectories: false)
    try Data([1]).write(to: entry.appending(path: "precious"))
    let other = shard.appending(path: String(repeating: "f", count: 32))
    try Data([1]).write(to: other)
    let place = try path("v1/\(shard.lastPathComponent)/\(entry.lastPathComponent)")
    #expect(throws: StoreError.unsafe(.directoryWithin(place))) {
      try fixture.store.removeEverything()
    }
    #expect(FileManager.default.fileExists(atPath: entry.appending(path: "precious").path))
    #expect(!FileManager.default.fileExists(atPath: other.path))
  }

  @Test(
    "A file or a link in place of a shard does not keep entries of other shards from being removed",
    arguments: [true, false])
  func inPlaceOfAShard(isLink: Bool) throws {
    let fixture = try StoreFixture()
    try fixture.insert("text")
    let others = (0...255).map { fixture.root.appending(path: "v1/\($0 < 16 ? "0" : "")\(String($0, radix: 16))") }
      .filter { !FileManager.default.fileExists(atPath: $0.path) }
    for shard in others {
      if isLink {
        try FileManager.default.createSymbolicLink(atPath: shard.path, withDestinationPath: "tmp")
      } else {
        try Data([1]).write(to: shard)
      }
    }
    try fixture.store.removeAll(for: StoreFixture.key("/absent").target)
    #expect(try fixture.entries().count == 1)
    try fixture.store.removeAll(for: StoreFixture.key().target)
    #expect(try fixture.entries().isEmpty)
  }

  @Test("An entry's name in a wrong shard is ignored when its target is removed, but goes when everything is removed")
  func misplaced() throws {
    let fixture = try StoreFixture()
    let key = StoreFixture.key("/?query")
    try fixture.insert("text", StoreFixture.stored("/?query"))
    let entry = try fixture.onlyEntry()
    let others = EntryName.shardNumbers(of: key.target).filter { $0 != EntryName(key).shardNumber }
    for shard in others {
      let directory = fixture.root.appending(path: "v1/\(StoreLayout.shard(shard))")
      try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
      try FileManager.default.copyItem(at: entry, to: directory.appending(path: entry.lastPathComponent))
    }
    try fixture.store.removeAll(for: key.target)
    #expect(try !others.isEmpty && fixture.entries().count == others.count)
    try fixture.store.removeEverything()
    #expect(try fixture.entries().isEmpty)
  }

  @Test("Dropping damage removes the damaged file that was seen, and not an entry stored since")
  func droppedOnlyOnce() throws {
    let fixture = try StoreFixture()
    try fixture.insert("text")
    let handle = try FileHandle(forWritingTo: try fixture.onlyEntry())
    try handle.write(contentsOf: Data([0]))
    try handle.close()
    guard case .fault(.damaged(let damaged)) = fixture.outcome() else {
      Issue.record("not found damaged")
      return
    }
    try fixture.insert("new")
    try fixture.store.drop(damaged)
    #expect(fixture.outcome() == .text("new"))
  }

  @Test("Open content stays readable when its entry, or the whole store, has been removed")
  func stillOpen() throws {
    let fixture = try StoreFixture()
    let body = StoreFixture.bytes(400_000)
    try fixture.insert(body)
    var found = fixture.lookup()
    guard let content = found.takeContent() else { throw CancellationError() }
    try FileManager.default.removeItem(at: fixture.root)
    var read: [UInt8] = []
    try content.forEachVerifiedChunk { read += $0 }
    #expect(read == body)
    #expect(fixture.outcome() == .miss(.uriMiss))
  }
}
