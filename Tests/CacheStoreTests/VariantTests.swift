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

  @Test("A list of variants is never appended to, so bytes behind its head are damage")
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

  @Test("A list under the name of another key leads to no variant of that key")
  func misnamedList() throws {
    let fixture = try StoreFixture()
    try fixture.insert("two", StoreFixture.stored("/two"))
    let two = try fixture.onlyEntry()
    try fixture.insert("Guten Tag", variant("de"))
    let list = try #require(try fixture.entries().first { !$0.contains(".") && !two.path.hasSuffix($0) })
    try FileManager.default.removeItem(at: two)
    try FileManager.default.copyItem(at: fixture.root.appending(path: list), to: two)
    let key = StoreFixture.key("/two")
    #expect(fixture.store.variants(of: StoreFixture.key()) == [variant("de").selecting])
    #expect(fixture.store.variants(of: key).isEmpty)
    #expect(try fixture.store.heads(under: key).isEmpty)
    #expect(fixture.outcome("/", ["Accept-Language": "de"]) == .text("Guten Tag"))
  }

  @Test("All responses that are stored under a key are found by that key")
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

  @Test("Of several matching variants, the newest is chosen")
  func newest() throws {
    let fixture = try StoreFixture()
    try fixture.insert("by language", variant("de", at: 1_999_999_500))
    try fixture.insert("by coding", StoreFixture.stored(selecting: [(.acceptEncoding, "gzip")], at: 1_999_999_000))
    let request: Fields = ["Accept-Language": "de", "Accept-Encoding": "gzip"]
    #expect(fixture.outcome("/", request) == .text("by language"))
    try fixture.insert("by coding", StoreFixture.stored(selecting: [(.acceptEncoding, "gzip")], at: 1_999_999_900))
    #expect(fixture.outcome("/", request) == .text("by coding"))
  }

  @Test("A ninth variant replaces the least recently used of the eight")
  func ninth() throws {
    let fixture = try StoreFixture()
    for number in 0..<8 { try fixture.insert("body \(number)", variant("l\(number)")) }
    let before = Set(try fixture.entries())
    // This variant was used longest ago, though it was not the first to be stored.
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

  @Test("A response without Vary replaces all variants, and a variant replaces such a response")
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

  @Test("Removing by request leaves the variants that the request does not select")
  func removed() throws {
    let fixture = try StoreFixture()
    for value in ["de", "en"] { try fixture.insert(value, variant(value)) }
    try fixture.insert("of a type", StoreFixture.stored(selecting: [(.accept, "text/plain")], at: 1_999_998_000))
    let request: Fields = ["Accept-Language": "de", "Accept": "text/plain"]
    // The variant that the request would select after the first removal goes with it.
    #expect(try fixture.remove("/", request) == 2)
    #expect(fixture.outcome("/", request) == .miss(.varyMiss))
    #expect(fixture.outcome("/", ["Accept": "text/plain"]) == .miss(.varyMiss))
    #expect(fixture.outcome("/", ["Accept-Language": "en"]) == .text("en"))
  }

  @Test("A variant whose file is gone is a miss, and one whose file holds another entry is damage")
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

  @Test("Selecting fields that are stored as digests are compared as digests")
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

  @Test("A ninth variant does not replace a pinned one, and is refused if all eight are pinned")
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

  @Test("If the list of eight pinned variants is damaged, storing a ninth is refused, and the list is rebuilt")
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

  @Test(
    "An unlisted variant is listed when another variant is stored, or removed when a response without Vary is stored")
  func unlisted() throws {
    let fixture = try StoreFixture()
    for value in ["de", "en"] { try fixture.insert(value, variant(value)) }
    // A writer leaves an unlisted variant if it is killed before it has listed it, or if another writer overtakes it.
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

  @Test("Verification reports an unlisted variant, unless it has just been stored")
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

  @Test("Of variants that are stored at the same time at most eight stay, and all of these are found")
  func race() async throws {
    for round in 0..<5 { try await race(round) }
  }

  private func race(_ round: Int) async throws {
    let fixture = try StoreFixture()
    let store = fixture.store
    // In the first round there is room for all variants.
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
