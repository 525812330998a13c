/// The beginning of stored content, known by the sums of its blocks. Other content can be compared with it even when
/// the stored content cannot be read any more.
package struct StoredPrefix: Sendable {
  private let sums: ArraySlice<UInt64>
  private let generation: Generation

  init(sums: ArraySlice<UInt64>, generation: Generation) {
    self.sums = sums
    self.generation = generation
  }

  /// The size of each block, in bytes.
  package static let blockBytes = EntryFormat.blockBytes

  package var blockCount: Int { sums.count }

  /// Whether the bytes are those of the stored block.
  package func isBlock(at index: Int, _ bytes: [UInt8]) -> Bool {
    bytes.span.bytes.withUnsafeBytes { generation.sum(ofBlock: UInt64(index), $0) } == sums[index]
  }
}
