import CacheStore
import Foundation
import HTTPCaching
import HTTPSemantics
import Testing

@Suite("Entries of queries")
struct QueryEntryTests {
  private static func key(audience: [UInt8]?, content: SentContent?) -> CacheKey {
    CacheKey(StoreFixture.key().target, audience: audience, content: content)
  }

  private static func stored(under key: CacheKey, varying: Bool = false) -> StoredResponse {
    var stored = StoreFixture.stored(selecting: varying ? [("Accept", "x")] : [])
    stored.key = key
    stored.requestMethod = .query
    return stored
  }

  private static let keys: [CacheKey] = [nil, [1], [2]].flatMap { audience in
    [nil, .query([1]), .query([2]), .post([1])].map { key(audience: audience, content: $0) }
  }

  @Test("Each combination of audience and request content has an entry of its own", arguments: [false, true])
  func apart(varying: Bool) throws {
    let fixture = try StoreFixture()
    for (index, key) in Self.keys.enumerated() {
      try fixture.insert("body \(index)", Self.stored(under: key, varying: varying))
    }
    for (index, key) in Self.keys.enumerated() {
      let found = fixture.store.lookup(key, for: ["Accept": "x"]) { _ in nil }
      #expect(found.selection.stored?.key == key)
      #expect(found.selection.stored?.contentLength == UInt64("body \(index)".utf8.count))
      #expect(found.selection.stored?.requestMethod == .query)
    }
    #expect(try fixture.store.entries(for: Self.keys[0].target).count == Self.keys.count)
  }

  @Test("Invalidating a target removes its queries, and removing one key leaves the others", arguments: [false, true])
  func removal(varying: Bool) throws {
    let fixture = try StoreFixture()
    for key in Self.keys { try fixture.insert("body", Self.stored(under: key, varying: varying)) }
    let doomed = Self.keys[0]
    try fixture.store.removeAll(coveredBy: StoreFixture.supersession(doomed, ["Accept": "x"]))
    for key in Self.keys {
      let found = fixture.store.lookup(key, for: ["Accept": "x"]) { _ in nil }
      #expect((found.selection.stored == nil) == (key == doomed))
    }
    try fixture.store.removeAll(for: doomed.target)
    #expect(try fixture.store.entries(for: doomed.target).isEmpty)
  }
}
