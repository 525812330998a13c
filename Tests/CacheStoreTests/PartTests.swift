import CacheStore
import Foundation
import HTTPCaching
import HTTPSemantics
import TestSupport
import Testing

@Suite("Parts of responses")
struct PartTests {
  private static let body = Array("a part, kept for good\n".utf8)
  private static let golden = Data(base64Encoded: GoldenEntries.part, options: .ignoreUnknownCharacters) ?? Data()

  /// A part of the content that begins at byte `start`.
  private static func part(
    from start: UInt64 = 5, of length: UInt64? = 100, count: Int = body.count, tag: String = "one",
    selecting: [(FieldName, String)] = []
  ) -> StoredResponse {
    var stored = StoreFixture.stored(selecting: selecting, tag: tag)
    stored.extent = .part(start..<(start + UInt64(count)), of: length)
    return stored
  }

  @Test("A stored part is found as a part, with its extent", arguments: [100, 27, nil] as [UInt64?])
  func roundTrip(length: UInt64?) throws {
    let fixture = try StoreFixture()
    var part = Self.part(of: length)
    try fixture.insert(Self.body, part)
    part.contentLength = UInt64(Self.body.count)
    #expect(fixture.lookup().selection == .selected(part))
    #expect(fixture.outcome() == .body(Self.body))
    #expect(try fixture.onlyEntry().lastPathComponent.hasSuffix("+"))
  }

  @Test("A part whose extent does not fit the numbers is damage, and never traps")
  func extremes() throws {
    let fixture = try StoreFixture()
    let end = UInt64.max
    var part = Self.part()
    part.extent = .part((end - UInt64(Self.body.count))..<end, of: nil)
    try fixture.insert(Self.body, part)
    #expect(fixture.lookup().selection.stored?.extent == part.extent)
    part.extent = .part(90..<(90 + UInt64(Self.body.count)), of: 100)
    try fixture.insert(Self.body, part)
    #expect(fixture.outcome().damage == .malformedHead)
  }

  @Test("A part whose content is not as long as its extent is refused")
  func length() throws {
    let fixture = try StoreFixture()
    #expect(throws: StoreError.notItsExtent) { try fixture.insert(Self.body, Self.part(count: 3)) }
    #expect(try fixture.files().filter { $0.contains("/tmp/") }.isEmpty)
    #expect(fixture.outcome() == .miss(.uriMiss))
  }

  @Test("A part does not replace the whole response, and the whole response removes the part")
  func besideTheWhole() throws {
    let fixture = try StoreFixture()
    try fixture.insert("whole")
    try fixture.insert(Self.body, Self.part())
    #expect(fixture.outcome() == .text("whole"))
    #expect(try fixture.entries().count == 2)
    try fixture.insert("other")
    #expect(fixture.outcome() == .text("other"))
    #expect(try fixture.entries().count == 1)
  }

  @Test("A part of a variant is found only by requests that select that variant")
  func variants() throws {
    let fixture = try StoreFixture()
    try fixture.insert("german", StoreFixture.stored(selecting: [(.acceptLanguage, "de")]))
    try fixture.insert(Self.body, Self.part(selecting: [(.acceptLanguage, "en")]))
    #expect(fixture.outcome("/", ["Accept-Language": "de"]) == .text("german"))
    #expect(fixture.outcome("/", ["Accept-Language": "en"]) == .body(Self.body))
    #expect(fixture.outcome("/", ["Accept-Language": "fr"]) == .miss(.varyMiss))
  }

  @Test("A shorter part replaces a longer one only under another validator")
  func replacing() throws {
    let fixture = try StoreFixture()
    try fixture.insert(Self.body, Self.part())
    try fixture.insert("abc", Self.part(count: 3))
    #expect(fixture.outcome() == .body(Self.body))
    try fixture.insert("abc", Self.part(count: 3, tag: "two"))
    #expect(fixture.outcome() == .text("abc"))
    #expect(try fixture.entries().count == 1)
  }

  @Test("Removing by request or by target removes a part, too; removing another key leaves it")
  func removing() throws {
    let fixture = try StoreFixture()
    try fixture.insert(Self.body, Self.part())
    #expect(try fixture.remove("/other") == 0)
    #expect(try fixture.remove() == 1)
    try fixture.insert(Self.body, Self.part())
    try fixture.store.removeAll(for: StoreFixture.key().target)
    #expect(fixture.outcome() == .miss(.uriMiss))
  }

  @Test("A part is freshened in its place, and keeps its extent")
  func freshening() throws {
    let fixture = try StoreFixture()
    try fixture.insert(Self.body, Self.part())
    var found = fixture.lookup()
    guard let content = found.takeContent() else { throw CancellationError() }
    #expect(try fixture.store.freshen(content, with: StoreFixture.stored(at: 1_999_999_900)) == .appended)
    let stored = fixture.lookup().selection.stored
    #expect(stored?.extent == Self.part().extent)
    #expect(stored?.responseTime.secondsSinceEpoch == 1_999_999_900)
  }

  @Test("A part under the name of a whole response, and a whole response under that of a part, are damage")
  func misplaced() throws {
    let fixture = try StoreFixture()
    try fixture.insert(Self.body, Self.part())
    let part = try fixture.onlyEntry()
    let primary = part.deletingLastPathComponent().appending(path: String(part.lastPathComponent.dropLast()))
    try FileManager.default.moveItem(at: part, to: primary)
    #expect(fixture.outcome().damage == .misplacedPart)
    try FileManager.default.removeItem(at: primary)
    try fixture.insert("whole")
    try FileManager.default.moveItem(at: primary, to: part)
    #expect(fixture.outcome().damage == .misplacedPart)
  }

  @Test("A walk through the store shows a part as a part")
  func walk() throws {
    let fixture = try StoreFixture()
    try fixture.insert(Self.body, Self.part())
    var extents: [StoredResponse.Extent] = []
    try fixture.store.forEachEntry { entry in
      if let stored = entry.stored { extents.append(stored.extent) }
      return true
    }
    #expect(extents == [Self.part().extent])
  }

  // MARK: Damage

  private func placeGolden(in fixture: borrowing StoreFixture) throws -> URL {
    try fixture.insert(Self.body, Self.part())
    let file = try fixture.onlyEntry()
    try overwrite(file, Self.golden)
    return file
  }

  @Test("A part of format version 1 is read")
  func goldenPart() throws {
    let fixture = try StoreFixture()
    _ = try placeGolden(in: fixture)
    #expect(fixture.outcome() == .body(Self.body))
    #expect(fixture.lookup().selection.stored?.extent == Self.part().extent)
  }

  @Test("Whichever bit of a part flips, it is not delivered")
  func flips() throws {
    let fixture = try StoreFixture()
    let file = try placeGolden(in: fixture)
    for index in Self.golden.indices {
      for bit in 0..<8 {
        var bytes = Self.golden
        bytes[index] ^= 1 << bit
        try overwrite(file, bytes)
        #expect(fixture.outcome().damage != nil, "byte \(index), bit \(bit)")
      }
    }
  }

  @Test("Wherever a part is cut off, it is not delivered")
  func truncations() throws {
    let fixture = try StoreFixture()
    let file = try placeGolden(in: fixture)
    #expect(!Self.golden.isEmpty)
    for length in Self.golden.indices {
      try overwrite(file, Self.golden.prefix(length))
      #expect(fixture.outcome().damage != nil, "cut off after \(length)")
    }
  }
}
