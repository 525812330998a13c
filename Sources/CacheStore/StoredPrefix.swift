/// The beginning of a stored content, known by the sums of its blocks: another content can be compared with it although
/// nothing of it can be read any more.
package struct StoredPrefix: Sendable {
  private let sums: ArraySlice<UInt64>
  private let generation: Generation

  init(sums: ArraySlice<UInt64>, generation: Generation) {
    self.sums = sums
    self.generation = generation
  }

  /// Of each block, in bytes.
  package static let blockBytes = EntryFormat.blockBytes

  package var blockCount: Int { sums.count }

  /// Whether a block has the bytes that the stored one had.
  package func isBlock(at index: Int, _ bytes: [UInt8]) -> Bool {
    bytes.span.bytes.withUnsafeBytes { generation.sum(ofBlock: UInt64(index), $0) } == sums[index]
  }
}
