import Foundation
import HTTPCaching
import HTTPSemantics
import Testing

@testable import CacheStore

@Suite("Finding stored content by its digest")
struct DigestHintTests {
  private static let digest = [UInt8](0..<32)

  private func selection(_ fixture: borrowing StoreFixture, _ digest: [UInt8] = digest) -> Selection {
    fixture.store.lookup(digest: digest).selection
  }

  @Test("A noted digest finds its entry, and the last note in a slot replaces the one before")
  func found() throws {
    let fixture = try StoreFixture()
    let (one, other) = (StoreFixture.stored("/one"), StoreFixture.stored("/other"))
    try fixture.insert("one", one)
    try fixture.insert("other", other)
    #expect(selection(fixture) == .uriMiss)
    fixture.store.note(digest: Self.digest, of: one)
    #expect(selection(fixture).stored?.key == one.key)
    // The same slot: the first eight bytes of the digest choose it.
    let neighbour = Self.digest.prefix(8) + [UInt8](repeating: 9, count: 24)
    fixture.store.note(digest: Array(neighbour), of: other)
    #expect(selection(fixture, Array(neighbour)).stored?.key == other.key)
    #expect(selection(fixture) == .uriMiss)
  }

  @Test("A digest finds a variant under the variant's own name")
  func variant() throws {
    let fixture = try StoreFixture()
    let stored = StoreFixture.stored(selecting: [(.accept, "text/html")])
    try fixture.insert("body", stored)
    fixture.store.note(digest: Self.digest, of: stored)
    #expect(selection(fixture).stored?.selecting == stored.selecting)
  }

  @Test("Any bytes in the file of digests are harmless")
  func rubbish() throws {
    let fixture = try StoreFixture()
    try fixture.insert("body")
    let file = fixture.root.appending(path: "v1/digests")
    for byte in [UInt8(0), 1, 32, 64, 255] {
      try Data(repeating: byte, count: 1 << 20).write(to: file)
      #expect(selection(fixture) == .uriMiss)
      #expect(selection(fixture, [UInt8](repeating: byte, count: 64)) == .uriMiss)
    }
    try FileManager.default.removeItem(at: file)
    try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
    fixture.store.note(digest: Self.digest, of: StoreFixture.stored())
    #expect(selection(fixture) == .uriMiss)
  }

  @Test("A file of digests with a second name belongs to a backup, and a new file is written instead of changing it")
  func backup() throws {
    let fixture = try StoreFixture()
    let stored = StoreFixture.stored()
    try fixture.insert("body", stored)
    fixture.store.note(digest: Self.digest, of: stored)
    let backup = fixture.base.appending(path: "backup")
    try FileManager.default.linkItem(at: fixture.root.appending(path: "v1/digests"), to: backup)
    let before = try Data(contentsOf: backup)
    let other = [UInt8](repeating: 7, count: 32)
    fixture.store.note(digest: other, of: stored)
    #expect(try Data(contentsOf: backup) == before)
    #expect(selection(fixture, other).stored?.key == stored.key)
    #expect(try fixture.mode("v1/digests") == 0o600)
  }

  @Test("The file of digests is private, and no longer than its slots")
  func size() throws {
    let fixture = try StoreFixture()
    try fixture.insert("body")
    for number in UInt8.min...UInt8.max {
      fixture.store.note(digest: [UInt8](repeating: number, count: 64), of: StoreFixture.stored())
    }
    let attributes = try FileManager.default.attributesOfItem(atPath: fixture.root.path + "/v1/digests")
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    #expect(attributes[.size] as? Int ?? .max <= 1 << 20)
  }

  @Test("Noting a digest does not create a store")
  func noStore() throws {
    let fixture = try StoreFixture()
    fixture.store.note(digest: Self.digest, of: StoreFixture.stored())
    #expect(!FileManager.default.fileExists(atPath: fixture.root.path))
  }
}
