import CacheStore

/// Checks that an answer begins with what has been delivered of a stored response that turned out to be damaged, so
/// that the rest of the answer can follow.
final class PrefixCheck {
  enum Verdict {
    /// More of the prefix is to come.
    case undecided
    /// The answer begins with the whole prefix: this many bytes of the piece belong to it.
    case same(count: Int)
    case different
  }

  private let prefix: StoredPrefix
  /// The beginning of the block that is being received.
  private var pending: [UInt8] = []
  private var checkedBlocks = 0

  init(_ prefix: StoredPrefix) {
    self.prefix = prefix
  }

  func consume(_ content: UnsafeRawBufferPointer) -> Verdict {
    var consumed = 0
    while checkedBlocks < prefix.blockCount {
      let count = min(StoredPrefix.blockBytes - pending.count, content.count - consumed)
      pending.append(contentsOf: content[consumed..<(consumed + count)])
      consumed += count
      if pending.count < StoredPrefix.blockBytes { return .undecided }
      guard prefix.isBlock(at: checkedBlocks, pending) else { return .different }
      checkedBlocks += 1
      pending.removeAll(keepingCapacity: true)
    }
    return .same(count: consumed)
  }
}
