import Foundation
import HTTPCaching
import HTTPSemantics
import Testing

@testable import CacheStore

/// Entries under keys that the user chooses or influences.
@Suite("Entries under keys that the user chooses")
struct KeyEntryTests {
  private static func target(_ path: String, host: String = "example.org") -> TargetURI {
    TargetURI(origin: TargetURI.Origin(scheme: .https, host: host, port: 443), pathAndQuery: path)
  }

  private static let ignoring = IgnoredParameters([Array("u".utf8)])
  private static let ignoringOther = IgnoredParameters([Array("v".utf8)])

  private static let primaries: [PrimaryKey] = [
    .target(target("/a")), .target(target("/a?b=1")), .reduced(target("/a"), without: ignoring),
    .reduced(target("/a?b=1"), without: ignoring), .reduced(target("/a"), without: ignoringOther),
    .chosen(Array("k".utf8), for: target("/a")), .chosen(Array("l".utf8), for: target("/a", host: "example.com")),
    .chosen(Array("https://example.org/a".utf8), for: target("/x")),
  ]

  private static let keys: [CacheKey] = primaries.flatMap { primary in
    [nil, [1]].flatMap { audience in
      [nil, .query([1]), .post([1])].map { CacheKey(primary, audience: audience, content: $0) }
    }
  }

  private static func stored(under key: CacheKey, varying: Bool) -> StoredResponse {
    var stored = StoreFixture.stored(selecting: varying ? [("Accept", "x")] : [])
    stored.key = key
    return stored
  }

  private static func isThere(_ key: CacheKey, in fixture: borrowing StoreFixture) -> Bool {
    fixture.store.lookup(key, for: ["Accept": "x"]) { _ in nil }.selection.stored?.key == key
  }

  @Test(
    "Each key has an entry of its own, and the entry's name survives writing and reading", arguments: [false, true])
  func apart(varying: Bool) throws {
    let fixture = try StoreFixture()
    for (index, key) in Self.keys.enumerated() {
      try fixture.insert([UInt8](repeating: 1, count: index + 1), Self.stored(under: key, varying: varying))
    }
    for (index, key) in Self.keys.enumerated() {
      let found = fixture.store.lookup(key, for: ["Accept": "x"]) { _ in nil }
      #expect(found.selection.stored?.key == key && found.selection.stored?.contentLength == UInt64(index + 1))
      #expect(found.selection.stored?.key.target == key.target)
      let name = EntryName(key)
      #expect(EntryName(inListing: name.fileName) == name && EntryName(inListing: name.part.fileName)?.primary == name)
    }
    var count = 0
    try fixture.store.forEachEntry { _ in
      count += 1
      return true
    }
    #expect(count == Self.keys.count)
  }

  @Test(
    "Invalidating a target removes the entries whose keys are for that target, and nothing else",
    arguments: [false, true])
  func invalidation(varying: Bool) throws {
    for target in Set(Self.primaries.map(\.target) + [Self.target("/a?u=1"), Self.target("/a?v=1&b=1")]) {
      for cause in [nil, CacheKey(target, content: .post([2])), CacheKey(.chosen(Array("k".utf8), for: target))] {
        let fixture = try StoreFixture()
        for key in Self.keys { try fixture.insert("body", Self.stored(under: key, varying: varying)) }
        let invalidation = TargetInvalidation(of: target, by: cause)
        try fixture.store.removeAll(coveredBy: invalidation)
        for key in Self.keys {
          #expect(Self.isThere(key, in: fixture) != invalidation.covers(key), "\(target) \(key)")
        }
        let left = Self.keys.filter { $0.primary.concerns(target) && !invalidation.covers($0) }.count
        #expect(try fixture.store.entries(for: target).count == left)
      }
    }
  }

  @Test("The store in memory keeps, finds and invalidates entries by the same keys")
  func memory() {
    for cause in [nil, CacheKey(.chosen(Array("k".utf8), for: Self.target("/a")))] {
      let memory = MemoryStore(capacity: 1 << 20)
      for key in Self.keys { memory.insert(Self.stored(under: key, varying: false), content: [1]) }
      let invalidation = TargetInvalidation(of: Self.target("/a"), by: cause)
      memory.removeAll(coveredBy: invalidation)
      for key in Self.keys {
        let found = memory.lookup(key, for: [:]) { _ in nil }.selection.stored
        #expect((found == nil) == invalidation.covers(key), "\(key)")
      }
    }
  }

  @Test("A head that names two kinds of key is refused")
  func malformed() throws {
    #expect(try Self.isKey([.chosen]))
    #expect(try !Self.isKey([.chosen, .ignored]))
    #expect(try Self.isKey([.chosen, .query]))
    #expect(try !Self.isKey([.chosen, .query, .post]))
  }

  /// Whether the items of a URL and one more item for each tag make a key.
  private static func isKey(_ tags: [HeadCodec.Tag]) throws -> Bool {
    var items: [(HeadCodec.Tag, [UInt8])] = [
      (.scheme, Array("https".utf8)), (.host, [0x61]), (.pathAndQuery, [0x2f]), (.port, [187, 1]),
    ]
    items += tags.map { ($0, [1]) }
    var parts = HeadParts()
    for (tag, value) in items {
      try value.span.withUnsafeBufferPointer { (value) throws(Damage) in try parts.add(tag, value) }
    }
    return parts.key != nil
  }
}
