/// A change of the bytes of a file.
enum Mutation: Equatable, Sendable {
  case flip(offset: Int, bit: Int)
  case cut(to: Int)
  case append(count: Int)
  /// Repeats the last bytes, like an update that was carried out twice.
  case repeatEnd(count: Int)
  /// Replaces these bytes with those of another entry.
  case graft(Range<Int>)

  var name: String {
    switch self {
    case .flip(let offset, let bit): "flip-\(offset)-\(bit)"
    case .cut(let length): "cut-\(length)"
    case .append(let count): "append-\(count)"
    case .repeatEnd(let count): "repeat-\(count)"
    case .graft(let range): "graft-\(range.lowerBound)-\(range.upperBound)"
    }
  }

  /// Returns the changed bytes. Places beyond the end wrap around to the start.
  func applied(to bytes: [UInt8], graftingFrom other: [UInt8]) -> [UInt8] {
    var bytes = bytes
    switch self {
    case .flip(let offset, let bit): bytes[offset % bytes.count] ^= 1 << bit
    case .cut(let length): bytes.removeLast(bytes.count - length % bytes.count)
    case .append(let count): bytes += [UInt8](repeating: 0x5a, count: count)
    case .repeatEnd(let count): bytes += bytes.suffix(count)
    case .graft(let range):
      let end = min(range.upperBound, bytes.count, other.count)
      if range.lowerBound < end { bytes.replaceSubrange(range.lowerBound..<end, with: other[range.lowerBound..<end]) }
    }
    return bytes
  }

  /// All mutations of a file. Flips meet every bit outside of the content and of a small content, and single bits of a
  /// large one. Cuts have every length outside of a large content, and some within.
  ///
  /// - Parameter content: where the content lies in the file.
  static func all(fileCount: Int, content: Range<Int>) -> [Mutation] {
    let isLarge = content.count > largestSwept
    var mutations: [Mutation] = []
    for offset in 0..<fileCount {
      if isLarge, content.contains(offset) {
        if offset % contentStride == 0 { mutations.append(.flip(offset: offset, bit: offset / contentStride % 8)) }
      } else {
        for bit in 0..<8 { mutations.append(.flip(offset: offset, bit: bit)) }
      }
    }
    for length in 0..<fileCount where !isLarge || !content.contains(length) || length % cutStride == 0 {
      mutations.append(.cut(to: length))
    }
    for count in [1, 8, 100, 4_096, 65_536, 1 << 20, 2 << 20] { mutations.append(.append(count: count)) }
    for count in 1...200 { mutations.append(.repeatEnd(count: count)) }
    return mutations + grafts(fileCount: fileCount, content: content)
  }

  private static func grafts(fileCount: Int, content: Range<Int>) -> [Mutation] {
    let blocks = stride(from: content.lowerBound, to: content.upperBound, by: blockCount).map {
      $0..<min($0 + blockCount, content.upperBound)
    }
    let regions = blocks + [0..<content.lowerBound, content, content.upperBound..<fileCount, 0..<content.upperBound]
    return (regions + [0..<fileCount]).filter { !$0.isEmpty }.map(Mutation.graft)
  }

  /// The length of a block in the format of entries: each block has a sum of its own.
  private static let blockCount = 65_536
  private static let largestSwept = 10_000
  private static let contentStride = 16
  private static let cutStride = 512
}
