import Foundation
import Platform
import Testing

@testable import CacheStore

@Suite("Content that waits before it is delivered")
struct WaitingContentTests {
  /// Content that is appended in pieces of `pieces` bytes.
  private func waiting(
    _ body: [UInt8], memoryLimit: UInt64, beyond store: Store?, pieces: Int = 10_000
  ) throws -> WaitingContent {
    var content = try WaitingContent(memoryLimit: memoryLimit, beyond: store)
    for start in stride(from: 0, to: body.count, by: pieces) {
      let piece = Array(body[start..<min(start + pieces, body.count)])
      try piece.span.bytes.withUnsafeBytes { (bytes) throws(StoreError) in try content.append(bytes) }
    }
    try content.finish()
    return content
  }

  private func bytes(of content: borrowing WaitingContent) throws(StoreError) -> [UInt8] {
    var bytes: [UInt8] = []
    try content.forEachVerifiedChunk { bytes += $0 }
    return bytes
  }

  @Test(
    "Waiting content is readable at its path and delivered unchanged, in memory and on disk",
    arguments: [
      (0, 0), (10, 0), (10, 100), (262_144, 262_144), (262_145, 262_144), (1_000_000, 500_000), (1_000_000, 0),
    ])
  func handedOn(_ length: Int, _ limit: UInt64) throws {
    let fixture = try StoreFixture()
    let body = StoreFixture.bytes(length)
    do {
      let content = try waiting(body, memoryLimit: limit, beyond: fixture.store)
      #expect(content.length == UInt64(length))
      #expect(try Data(contentsOf: URL(filePath: content.path.description)) == Data(body))
      #expect(try bytes(of: content) == body)
      let isOnDisk = FileManager.default.fileExists(atPath: fixture.root.path)
      #expect(isOnDisk == (UInt64(length) > limit))
    }
    let left = try? FileManager.default.contentsOfDirectory(atPath: fixture.root.path + "/v1/tmp")
    #expect(left ?? [] == [])
  }

  @Test("Without a store, content above the memory limit is refused as too large")
  func memoryAlone() throws {
    #expect(throws: StoreError.tooLarge) {
      _ = try waiting(StoreFixture.bytes(600_000), memoryLimit: 500_000, beyond: nil)
    }
    #expect(try waiting(StoreFixture.bytes(500_000), memoryLimit: 500_000, beyond: nil).length == 500_000)
  }

  @Test("Content above the size limit of a stored response is refused as too large")
  func tooLarge() throws {
    let fixture = try StoreFixture(limits: StoreLimits(capacity: 1 << 20, largestContent: 1_000))
    #expect(throws: StoreError.tooLarge) {
      _ = try waiting(StoreFixture.bytes(1_001), memoryLimit: 1 << 20, beyond: fixture.store)
    }
  }

  @Test("Content that was changed while it waited is not delivered", arguments: [0, UInt64(1 << 20)])
  func changed(_ limit: UInt64) throws {
    let fixture = try StoreFixture()
    for offset in [0, 150_000, 299_999] {
      let content = try waiting(StoreFixture.bytes(300_000), memoryLimit: limit, beyond: fixture.store)
      let file = try FileHandle(forUpdating: URL(filePath: content.path.description))
      try file.seek(toOffset: UInt64(offset))
      let byte = try #require(try file.read(upToCount: 1)?.first)
      try file.seek(toOffset: UInt64(offset))
      try file.write(contentsOf: Data([byte ^ 1]))
      #expect(throws: StoreError.contentChanged) { try bytes(of: content) }
    }
    for (count, length) in [(300_000, 299_999), (300_000, 300_001), (0, 1)] as [(Int, UInt64)] {
      let content = try waiting(StoreFixture.bytes(count), memoryLimit: limit, beyond: fixture.store)
      try FileHandle(forUpdating: URL(filePath: content.path.description)).truncate(atOffset: length)
      #expect(throws: StoreError.contentChanged) { try bytes(of: content) }
    }
  }
}
