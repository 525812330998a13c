import CacheStore
import Foundation
import HTTPCaching
import HTTPSemantics
import TestSupport
import Testing

@Suite("Damaged entries")
struct EntryDamageTests {
  /// An entry as version 1 of the format writes it, freshened once. It must stay readable.
  private static let golden = Data(base64Encoded: GoldenEntries.freshened, options: .ignoreUnknownCharacters) ?? Data()
  private static let body = Array("a small body, kept for good\n".utf8)

  private func place(_ bytes: Data, in fixture: borrowing StoreFixture) throws -> URL {
    try fixture.insert("to be replaced")
    let file = try fixture.onlyEntry()
    try overwrite(file, bytes)
    return file
  }

  @Test("An entry of format version 1 is read")
  func goldenEntry() throws {
    let fixture = try StoreFixture()
    _ = try place(Self.golden, in: fixture)
    #expect(fixture.outcome() == .body(Self.body))
    var stored = StoreFixture.stored(at: 1_999_999_900, tag: "two")
    stored.contentLength = UInt64(Self.body.count)
    #expect(fixture.lookup().selection == .selected(stored))
  }

  @Test("An entry of format version 1 with several blocks is read")
  func largeGoldenEntry() throws {
    let fixture = try StoreFixture()
    let ends = try #require(Data(base64Encoded: GoldenEntries.large, options: .ignoreUnknownCharacters))
    let body = GoldenEntries.largeContent
    _ = try place(ends.prefix(64) + Data(body) + ends.dropFirst(64), in: fixture)
    let isRight = fixture.outcome() == .body(body)
    #expect(isRight)
  }

  /// A small entry is read in one piece; of a larger one, the table is read by itself.
  @Test(
    "A wrong sum in the table is found before any content is delivered",
    arguments: [(100, 0), (100, 7), (300_000, 0), (300_000, 7), (300_000, 8), (300_000, 39)])
  func tableDamage(count: Int, offset: Int) throws {
    let fixture = try StoreFixture()
    try fixture.insert(StoreFixture.bytes(count))
    let file = try fixture.onlyEntry()
    var bytes = try Data(contentsOf: file)
    bytes[64 + count + offset] ^= 1
    try overwrite(file, bytes)
    guard case .fault(.damaged(let entry)) = fixture.outcome() else {
      Issue.record("the table is believed")
      return
    }
    #expect(entry.damage == .tableSum)
  }

  @Test("Whichever bit of an entry flips, its content is right or is not delivered")
  func flips() throws {
    let fixture = try StoreFixture()
    let file = try place(Self.golden, in: fixture)
    var (right, doubtful) = (0, 0)
    for index in Self.golden.indices {
      for bit in 0..<8 {
        var bytes = Self.golden
        bytes[index] ^= 1 << bit
        try overwrite(file, bytes)
        let outcome = fixture.outcome()
        if case .body(let body) = outcome {
          #expect(body == Self.body, "byte \(index), bit \(bit)")
          right += 1
          // The last head is the only part that a reader may skip.
          if fixture.lookup().selection.stored?.isDoubtful == true { doubtful += 1 }
        } else {
          #expect(outcome.damage != nil, "byte \(index), bit \(bit)")
        }
      }
    }
    #expect(right > 0 && right == doubtful)
  }

  @Test("Wherever an entry is cut off, its content is right or is not delivered")
  func truncations() throws {
    let fixture = try StoreFixture()
    let file = try place(Self.golden, in: fixture)
    for length in Self.golden.indices {
      try overwrite(file, Self.golden.prefix(length))
      let outcome = fixture.outcome()
      #expect(outcome == .body(Self.body) || outcome.damage != nil, "cut off after \(length)")
    }
  }

  @Test("One entry's head at the end of another is damage or the remains of an update, and is never believed")
  func foreignHead() throws {
    let fixture = try StoreFixture()
    try fixture.insert("text", StoreFixture.stored(tag: "one"))
    let file = try fixture.onlyEntry()
    let one = try Data(contentsOf: file)
    try fixture.insert("text", StoreFixture.stored(tag: "two"))
    let two = try Data(contentsOf: file)
    let (content, head) = (64 + 4 + 8, one.count - (64 + 4 + 8))
    try overwrite(file, one.prefix(content) + two.suffix(head))
    #expect(fixture.outcome().damage == .headSum)
    try overwrite(file, one + two.suffix(head))
    #expect(fixture.outcome() == .text("text"))
    #expect(fixture.lookup().selection.stored?.fields[.etag]?.text == "\"one\"")
    #expect(fixture.lookup().selection.stored?.isDoubtful == true)
    try overwrite(file, two.prefix(64) + one.suffix(one.count - 64))
    #expect(fixture.outcome().damage == .headSum)
  }

  @Test("A large entry that is cut off or extended anywhere is right or found damaged")
  func largeTruncations() throws {
    let fixture = try StoreFixture()
    let body = StoreFixture.bytes(400_000)
    try fixture.insert(body)
    let file = try fixture.onlyEntry()
    let whole = try Data(contentsOf: file)
    for length in stride(from: 0, to: whole.count, by: 7_919) {
      try overwrite(file, whole.prefix(length))
      #expect(fixture.outcome().damage != nil)
    }
    for more in [1, 4_096, 1 << 20, 2 << 20] {
      try overwrite(file, whole + Data(repeating: 0x5a, count: more))
      let outcome = fixture.outcome()
      #expect(outcome == .body(body) || outcome.damage != nil)
    }
  }

  @Test("Arbitrary bytes, even behind a valid beginning, never trap the reader", arguments: 0..<40)
  func arbitrary(seed: UInt64) throws {
    let fixture = try StoreFixture()
    let file = try place(Self.golden, in: fixture)
    for round in 0..<25 {
      let noise = StoreFixture.bytes(Int(seed) * 20 + round, seed: seed &* 1_000 &+ UInt64(round))
      let kept = Self.golden.prefix(round * 16)
      try overwrite(file, kept + Data(noise))
      let outcome = fixture.outcome()
      #expect(outcome == .body(Self.body) || outcome.damage != nil)
    }
  }
}
