import ContentCoding
import Testing

@Suite("Encoding and decoding gzip")
struct GzipTests {
  private func compressed(_ members: [[UInt8]], pieceLength: Int) throws -> [UInt8] {
    var bytes: [UInt8] = []
    let encoder = try GzipEncoder()
    for member in members {
      for start in stride(from: 0, to: member.count, by: pieceLength) {
        member[start..<min(start + pieceLength, member.count)].withUnsafeBytes { piece in
          encoder.encode(piece) { bytes.append(contentsOf: $0) }
        }
      }
      encoder.endMember { bytes.append(contentsOf: $0) }
    }
    return bytes
  }

  @Test("Several members are decoded in order, in pieces of any size", arguments: [1, 1_000, 1_000_000])
  func members(pieceLength: Int) throws {
    let members = [Array("one".utf8), (0..<20_000).map { UInt8($0 * $0 % 251) }, Array("three".utf8)]
    let bytes = try compressed(members, pieceLength: pieceLength)
    #expect(bytes.starts(with: GzipDecoder.magic))
    var decoder = try ContentDecoder([.gzip])
    var decoded: [UInt8] = []
    _ = try bytes.withUnsafeBytes { bytes in
      try decoder.feed(bytes) {
        decoded.append(contentsOf: $0)
        return true
      }
    }
    try decoder.finish()
    #expect(decoded == members.flatMap(\.self))
  }

  @Test("An empty member is not written")
  func nothing() throws {
    #expect(try compressed([[], []], pieceLength: 1) == [])
  }

  @Test("A local gzip file is decoded at any ratio, while the same content from an origin is a bomb")
  func zeros() throws {
    let megabyte = [UInt8](repeating: 0, count: 1 << 20)
    var bytes: [UInt8] = []
    let encoder = try GzipEncoder()
    for _ in 0..<80 { megabyte.withUnsafeBytes { encoder.encode($0) { bytes.append(contentsOf: $0) } } }
    encoder.endMember { bytes.append(contentsOf: $0) }
    let decoder = try GzipDecoder()
    var room = megabyte
    var count = 0
    try bytes.withUnsafeBytes { bytes in
      var rest = bytes
      repeat {
        count += try room.withUnsafeMutableBytes { try decoder.decode(&rest, into: $0) }
      } while !decoder.isAtEnd
    }
    #expect(count == 80 << 20)
    var stranger = try ContentDecoder([.gzip])
    #expect(throws: ContentCodingError.bomb(ratio: ContentDecoder.defaultRatio)) {
      _ = try bytes.withUnsafeBytes { try stranger.feed($0) { _ in true } }
    }
  }
}
