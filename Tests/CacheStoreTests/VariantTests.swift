import CacheStore
import Foundation
import HTTPCaching
import HTTPSemantics
import Testing

@Suite("Variants: RFC 9111 section 4.1")
struct VariantTests {
  private func variant(_ value: String, at time: Int64 = 1_999_999_000) -> StoredResponse {
    StoreFixture.stored(selecting: [(.acceptLanguage, value)], at: time)
  }

  @Test("A request gets the variant that its fields select, or none")
  func selection() throws {
    let fixture = try StoreFixture()
    try fixture.insert("Guten Tag", variant("de"))
    try fixture.insert("Good day", variant("en"))
    #expect(fixture.outcome("/", ["Accept-Language": "de"]) == .text("Guten Tag"))
    #expect(fixture.outcome("/", ["Accept-Language": "en"]) == .text("Good day"))
    #expect(fixture.outcome("/", ["Accept-Language": "fr"]) == .miss(.varyMiss))
    #expect(fixture.outcome("/") == .miss(.varyMiss))
    #expect(try fixture.entries().count == 3)
  }

  @Test("A list is never appended to: what stands behind its head is damage")
  func appendedList() throws {
    let fixture = try StoreFixture()
    try fixture.insert("Guten Tag", variant("de"))
    let name = try #require(try fixture.entries().first { !$0.contains(".") })
    let handle = try FileHandle(forWritingTo: fixture.root.appending(path: name))
    try handle.seekToEnd()
    try handle.write(contentsOf: Data("H".utf8))
    try handle.close()
    #expect(fixture.outcome("/", ["Accept-Language": "de"]).damage == .malformedHead)
    try fixture.insert("Guten Tag", variant("de"))
    #expect(fixture.outcome("/", ["Accept-Language": "de"]) == .text("Guten Tag"))
  }

  @Test("A variant that is stored again replaces itself")
  func replaced() throws {
    let fixture = try StoreFixture()
    try fixture.insert("old", variant("de"))
    try fixture.insert("new", variant("de"))
    #expect(fixture.outcome("/", ["Accept-Language": "de"]) == .text("new"))
    #expect(try fixture.entries().count == 2)
  }

  @Test("All that is stored under a key is found by the key")
  func heads() throws {
    let fixture = try StoreFixture()
    #expect(try fixture.store.heads(under: StoreFixture.key()).isEmpty)
    try fixture.insert("elsewhere", StoreFixture.stored("/b"))
    try fixture.insert("somebody's", StoreFixture.stored(audience: [1]))
    for value in ["de", "en"] { try fixture.insert(value, variant(value)) }
    let variants = try fixture.store.heads(under: StoreFixture.key())
    #expect(variants.map(\.selecting) == ["de", "en"].map { variant($0).selecting })
    try fixture.insert("whatever the language", StoreFixture.stored())
    let heads = try fixture.store.heads(under: StoreFixture.key())
    #expect(heads.map(\.selecting) == [StoreFixture.stored().selecting] && heads.map(\.key) == [StoreFixture.key()])
  }

  @Test("Of several that match, the newest is chosen")
  func newest() throws {
    let fixture = try StoreFixture()
    try fixture.insert("by language", variant("de", at: 1_999_999_500))
    try fixture.insert("by coding", StoreFixture.stored(selecting: [(.acceptEncoding, "gzip")], at: 1_999_999_000))
    let request: Fields = ["Accept-Language": "de", "Accept-Encoding": "gzip"]
    #expect(fixture.outcome("/", request) == .text("by language"))
    try fixture.insert("by coding", StoreFixture.stored(selecting: [(.acceptEncoding, "gzip")], at: 1_999_999_900))
    #expect(fixture.outcome("/", request) == .text("by coding"))
  }

  @Test("Of nine variants the least recently used goes")
  func ninth() throws {
    let fixture = try StoreFixture()
    for number in 0..<8 { try fixture.insert("body \(number)", variant("l\(number)")) }
    let before = Set(try fixture.entries())
    // Used long ago: that one, though it was not the first to be stored.
    let third = try fixture.file(for: ["Accept-Language": "l3"])
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: third.path)
    try fixture.insert("body 8", variant("l8"))
    for number in 0..<9 where number != 3 {
      #expect(fixture.outcome("/", ["Accept-Language": FieldValue("l\(number)")]) == .text("body \(number)"))
    }
    #expect(fixture.outcome("/", ["Accept-Language": "l3"]) == .miss(.varyMiss))
    #expect(
      before.subtracting(try fixture.entries()) == ["v1/" + third.pathComponents.suffix(2).joined(separator: "/")])
    #expect(try fixture.entries().count == 9)
  }

  @Test("A response that does not vary takes the place of all variants, and the other way round")
  func exchanged() throws {
    let fixture = try StoreFixture()
    try fixture.insert("Guten Tag", variant("de"))
    try fixture.insert("Good day", variant("en"))
    try fixture.insert("one for all")
    #expect(fixture.outcome("/", ["Accept-Language": "de"]) == .text("one for all"))
    #expect(try fixture.entries().count == 1)
    try fixture.insert("Guten Tag", variant("de"))
    #expect(fixture.outcome("/", ["Accept-Language": "fr"]) == .miss(.varyMiss))
    #expect(try fixture.entries().count == 2)
    #expect(try fixture.remove("/", ["Accept-Language": "de"]) == 1)
    #expect(try fixture.entries() == [])
  }

  @Test("Removing what a request selects leaves the other variants")
  func removed() throws {
    let fixture = try StoreFixture()
    for value in ["de", "en"] { try fixture.insert(value, variant(value)) }
    try fixture.insert("of a type", StoreFixture.stored(selecting: [(.accept, "text/plain")], at: 1_999_998_000))
    let request: Fields = ["Accept-Language": "de", "Accept": "text/plain"]
    // What it would select then goes with it.
    #expect(try fixture.remove("/", request) == 2)
    #expect(fixture.outcome("/", request) == .miss(.varyMiss))
    #expect(fixture.outcome("/", ["Accept": "text/plain"]) == .miss(.varyMiss))
    #expect(fixture.outcome("/", ["Accept-Language": "en"]) == .text("en"))
  }

  @Test("A variant whose file is gone is a miss, one whose file holds something else is damage")
  func lost() throws {
    let fixture = try StoreFixture()
    try fixture.insert("Guten Tag", variant("de"))
    try fixture.insert("Good day", variant("en"))
    let germanFile = try fixture.file(for: ["Accept-Language": "de"])
    let englishFile = try fixture.file(for: ["Accept-Language": "en"])
    try FileManager.default.removeItem(at: germanFile)
    #expect(fixture.outcome("/", ["Accept-Language": "de"]) == .miss(.varyMiss))
    try FileManager.default.copyItem(at: englishFile, to: germanFile)
    #expect(fixture.outcome("/", ["Accept-Language": "de"]).damage == .notTheVariant)
    #expect(fixture.outcome("/", ["Accept-Language": "en"]) == .text("Good day"))
  }

  @Test("Values that are kept as digests are compared as digests")
  func concealed() throws {
    let fixture = try StoreFixture()
    let digest: SelectingFields.Concealer = { Array($0.reversed()) }
    let selecting = try #require(SelectingFields(["X-Tenant"], of: ["X-Tenant": "abc"], concealing: digest))
    var stored = StoreFixture.stored()
    stored.selecting = selecting
    try fixture.insert("tenant's", stored)
    for (tenant, isFound) in [("abc", true), ("cba", false)] {
      let found = fixture.store.lookup(
        StoreFixture.key(), for: ["X-Tenant": FieldValue(tenant)], concealing: digest)
      #expect((found.selection.stored != nil) == isFound)
    }
    #expect(fixture.outcome("/", ["X-Tenant": "abc"]) == .miss(.varyMiss))
  }

  @Test("Of nine variants none that is pinned goes: without room, the ninth is not stored")
  func ninthBesidePinned() throws {
    let fixture = try StoreFixture()
    for number in 0..<8 {
      var stored = variant("l\(number)")
      stored.marks.isPinned = number != 5
      try fixture.insert("body \(number)", stored)
    }
    try fixture.insert("body 8", variant("l8"))
    #expect(fixture.outcome("/", ["Accept-Language": "l5"]) == .miss(.varyMiss))
    #expect(fixture.outcome("/", ["Accept-Language": "l8"]) == .text("body 8"))
    var ninth = variant("l5")
    ninth.marks.isPinned = true
    try fixture.insert("body 5", ninth)
    let before = try fixture.entries()
    for isPinned in [false, true] {
      ninth = variant("l8")
      ninth.marks.isPinned = isPinned
      #expect(throws: StoreError.variantsPinned) { try fixture.insert("body 8", ninth) }
      #expect(try fixture.entries() == before)
    }
    try fixture.insert("body 0, anew", variant("l0"))
    for number in 1..<8 {
      #expect(fixture.outcome("/", ["Accept-Language": FieldValue("l\(number)")]) == .text("body \(number)"))
    }
    #expect(fixture.outcome("/", ["Accept-Language": "l0"]) == .text("body 0, anew"))
  }

  @Test("Eight variants that are pinned stay, and are listed again, when their list is damaged and a ninth is to come")
  func ninthBesideDamagedList() throws {
    let fixture = try StoreFixture()
    for number in 0..<8 {
      var stored = variant("l\(number)")
      stored.marks.isPinned = true
      try fixture.insert("body \(number)", stored)
    }
    let list = fixture.root.appending(path: try #require(try fixture.entries().first { !$0.contains(".") }))
    var bytes = try Data(contentsOf: list)
    bytes[70] ^= 1
    try bytes.write(to: list)
    #expect(throws: StoreError.variantsPinned) { try fixture.insert("body 8", variant("l8")) }
    for number in 0..<8 {
      #expect(fixture.outcome("/", ["Accept-Language": FieldValue("l\(number)")]) == .text("body \(number)"))
    }
    #expect(fixture.outcome("/", ["Accept-Language": "l8"]) == .miss(.varyMiss))
  }

  @Test("A variant that is on no list is listed when another one is stored, or goes with what takes their place")
  func unlisted() throws {
    let fixture = try StoreFixture()
    for value in ["de", "en"] { try fixture.insert(value, variant(value)) }
    // As a writer that is killed before its variant is on the list leaves it, or one that overtakes another.
    let list = fixture.root.appending(path: try #require(try fixture.entries().first { !$0.contains(".") }))
    let older = try Data(contentsOf: list)
    try fixture.insert("fr", variant("fr"))
    try older.write(to: list)
    #expect(fixture.outcome("/", ["Accept-Language": "fr"]) == .miss(.varyMiss))
    try fixture.insert("it", variant("it"))
    for value in ["de", "en", "fr", "it"] {
      #expect(fixture.outcome("/", ["Accept-Language": FieldValue(value)]) == .text(value))
    }
    try older.write(to: list)
    try fixture.insert("whatever the language")
    #expect(try fixture.entries().count == 1)
  }

  @Test("Verification finds a variant that is on no list, unless it has just been stored")
  func unlistedFound() throws {
    let fixture = try StoreFixture()
    for value in ["de", "en"] { try fixture.insert(value, variant(value)) }
    let english = try fixture.file(for: ["Accept-Language": "en"])
    try FileManager.default.removeItem(
      at: fixture.root.appending(path: try #require(try fixture.entries().first { !$0.contains(".") })))
    var found: [DamagedEntry] = []
    try fixture.store.verify { entry in
      found += entry.damage.map { [$0] } ?? []
      return true
    }
    #expect(found.isEmpty)
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1_000)], ofItemAtPath: english.path)
    try fixture.store.verify { entry in
      found += entry.damage.map { [$0] } ?? []
      return true
    }
    #expect(found.map(\.damage) == [.unlistedVariant])
    for damaged in found { try fixture.store.drop(damaged) }
    #expect(!FileManager.default.fileExists(atPath: english.path))
  }

  @Test("Of variants that are stored at the same time, eight stay, and all that stay are found")
  func race() async throws {
    for round in 0..<5 { try await race(round) }
  }

  private func race(_ round: Int) async throws {
    let fixture = try StoreFixture()
    let store = fixture.store
    // The first round has room for all.
    let values = (0..<(round == 0 ? 6 : 12)).map { "l\($0)" }
    await withTaskGroup(of: Void.self) { group in
      for value in values {
        group.addTask {
          for _ in 0..<5 {
            do {
              var writer = try store.beginInsertion()
              try writer.append(Array("body \(value)".utf8))
              _ = try writer.commit(StoreFixture.stored(selecting: [(.acceptLanguage, value)]))
            } catch { Issue.record(error) }
          }
        }
      }
    }
    var reachable = 0
    for value in values {
      let outcome = fixture.outcome("/", ["Accept-Language": FieldValue(value)])
      if outcome == .text("body \(value)") {
        reachable += 1
      } else {
        #expect(outcome == .miss(.varyMiss) && round > 0)
      }
    }
    #expect(reachable <= 8)
    #expect(try fixture.entries().count == reachable + 1)
  }
}
