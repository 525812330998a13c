import CacheStore
import Foundation
import HTTPCaching
import Platform
import TestSupport
import Testing

@Suite("Delivery of stored content")
struct DeliveryTests {
  private static let length = 1_000_000
  private static let body = StoreFixture.bytes(length)

  private enum Sink: String, CaseIterable { case file, pipe }

  /// Sends the content, and returns the bytes that arrive at the other end.
  private func sent(
    _ content: borrowing StoredContent, _ range: Range<UInt64>?, to sink: Sink, in base: URL
  ) throws -> (bytes: [UInt8], failure: ContentFailure<Errno>?) {
    var numbers: [Int32] = [-1, -1]
    let path = base.appending(path: "sink").path
    switch sink {
    case .pipe: #expect(pipe(&numbers) == 0)
    case .file: numbers = [open(path, O_RDWR | O_CREAT | O_TRUNC, 0o600), open(path, O_WRONLY)]
    }
    let (reading, writing) = (numbers[0], numbers[1])
    let received = sink == .pipe ? Drain(reading) : nil
    var failure: ContentFailure<Errno>?
    do throws(ContentFailure<Errno>) {
      let end = OwnedDescriptor(owning: writing)
      try content.send(range, to: end)
    } catch { failure = error }
    return (try (received ?? Drain(reading)).bytes(), failure)
  }

  private static let someRanges: [Range<UInt64>?] = [
    nil, 0..<1, 0..<65_536, 65_535..<65_537, 65_536..<131_072, 100_000..<900_001, 262_144..<262_145,
    999_999..<1_000_000, 500_000..<5_000_000, 1_000_000..<1_000_001, 7..<7,
  ]

  @Test(
    "Any range of the content arrives in files and pipes as it was stored", arguments: someRanges, ["file", "pipe"])
  func ranges(range: Range<UInt64>?, sink: String) throws {
    let fixture = try StoreFixture()
    try fixture.insert(Self.body)
    var found = fixture.lookup()
    guard let content = found.takeContent() else { throw CancellationError() }
    let arrived = try sent(content, range, to: try #require(Sink(rawValue: sink)), in: fixture.base)
    let clamped = (range ?? 0..<UInt64.max).clamped(to: 0..<UInt64(Self.length))
    #expect(arrived.bytes == Array(Self.body[Int(clamped.lowerBound)..<Int(clamped.upperBound)]))
    #expect(arrived.failure == nil)
  }

  @Test("Ranges of a small content are read correctly, too", arguments: [0..<10, 3..<5, 9..<100] as [Range<UInt64>])
  func smallRanges(range: Range<UInt64>) throws {
    let fixture = try StoreFixture()
    try fixture.insert("0123456789")
    var found = fixture.lookup()
    guard let content = found.takeContent() else { throw CancellationError() }
    var read: [UInt8] = []
    let count = try content.forEachVerifiedChunk(in: range) { read += $0 }
    let clamped = range.clamped(to: 0..<10)
    #expect(read == Array(Array("0123456789".utf8)[Int(clamped.lowerBound)..<Int(clamped.upperBound)]))
    #expect(count == UInt64(clamped.count))
  }

  @Test(
    "No byte of a damaged block is sent, and the failure says how many bytes were sent before it",
    arguments: [0, 3, 7, 15], ["file", "pipe"])
  func damage(block: Int, sink: String) throws {
    let fixture = try StoreFixture()
    try fixture.insert(Self.body)
    let handle = try FileHandle(forUpdating: try fixture.onlyEntry())
    try handle.seek(toOffset: UInt64(64 + block * 65_536 + 5))
    try handle.write(contentsOf: Data([Self.body[block * 65_536 + 5] ^ 0x10]))
    try handle.close()
    var found = fixture.lookup()
    guard let content = found.takeContent() else { throw CancellationError() }
    let arrived = try sent(content, nil, to: try #require(Sink(rawValue: sink)), in: fixture.base)
    guard case .damaged(let entry, let delivered)? = arrived.failure else {
      Issue.record("damage was not found")
      return
    }
    #expect(entry.damage == .blockSum(index: UInt64(block)))
    #expect(UInt64(arrived.bytes.count) == delivered)
    #expect(arrived.bytes.count <= block * 65_536)
    #expect(arrived.bytes == Array(Self.body.prefix(arrived.bytes.count)))
  }

  @Test("Two blocks that have changed places are found as damage")
  func swappedBlocks() throws {
    let fixture = try StoreFixture()
    try fixture.insert(Self.body)
    let file = try fixture.onlyEntry()
    var bytes = [UInt8](try Data(contentsOf: file))
    let (one, two) = (64..<64 + 65_536, 64 + 65_536..<64 + 131_072)
    let (first, second) = (Array(bytes[one]), Array(bytes[two]))
    bytes.replaceSubrange(one, with: second)
    bytes.replaceSubrange(two, with: first)
    let handle = try FileHandle(forWritingTo: file)
    try handle.write(contentsOf: Data(bytes))
    try handle.close()
    #expect(fixture.outcome() == .brokeOff([], .blockSum(index: 0), 0))
  }

  @Test("A failed write to the receiver is reported as the receiver's failure and not as damage")
  func brokenPipe() throws {
    let fixture = try StoreFixture()
    try fixture.insert(Self.body)
    var found = fixture.lookup()
    guard let content = found.takeContent() else { throw CancellationError() }
    let full = try Descriptor.workingDirectory.open("/dev/full", [.writeOnly])
    var failure: ContentFailure<Errno>?
    do throws(ContentFailure<Errno>) { try content.send(to: full) } catch { failure = error }
    guard case .sink(.noSpace)? = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
  }
}
