import Platform

/// Content on its way into a file. Bytes are collected until a chunk of whole blocks is full; then the blocks are
/// summed and written in one call.
struct ContentBlocks {
  let generation: Generation
  /// Where the content begins in the file.
  private let start: Int64
  /// The size of the buffer, a multiple of the block size: large enough for few calls, and yet little memory.
  private let chunkBytes: Int
  /// Content that has not been written to the file yet.
  private(set) var pending: [UInt8] = []
  /// The sums of the blocks in the file.
  private(set) var sums: [UInt64] = []
  /// Bytes of content in the file.
  private(set) var written: UInt64 = 0

  /// - Parameter chunk: how many blocks are written in one call.
  init(_ generation: Generation, from start: Int64, chunk: Int) {
    self.generation = generation
    self.start = start
    chunkBytes = chunk * EntryFormat.blockBytes
  }

  /// The bytes of content taken so far.
  var length: UInt64 { written + UInt64(pending.count) }

  /// The offset in the file at which the next write begins.
  var end: Int64 { start + Int64(written) }

  /// Moves bytes from the front of `bytes` into the buffer, as many as fit.
  ///
  /// - Returns: whether the buffer is full; `write` empties it.
  mutating func take(from bytes: inout UnsafeRawBufferPointer) -> Bool {
    let taken = min(bytes.count, chunkBytes - pending.count)
    pending.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[..<taken]))
    bytes = UnsafeRawBufferPointer(rebasing: bytes[taken...])
    return pending.count == chunkBytes
  }

  /// Writes the pending bytes. These are whole blocks, except at the end of the content.
  mutating func write(to file: Descriptor) throws(Errno) {
    sums += pendingSums()
    try file.writeAll(pending, at: end)
    written += UInt64(pending.count)
    pending.removeAll(keepingCapacity: true)
  }

  func pendingSums() -> [UInt64] {
    pending.span.bytes.withUnsafeBytes { BlockSums.compute($0, firstBlock: sums.count, generation) }
  }
}

/// The sums of a content's blocks: how they are computed, encoded and verified.
enum BlockSums {
  static func append(_ sums: [UInt64], to writer: inout ByteWriter) {
    for sum in sums { writer.append(sum) }
  }

  static func decode(_ table: ArraySlice<UInt8>) -> [UInt64] {
    var sums: [UInt64] = []
    sums.reserveCapacity(table.count / 8)
    table.read { reader in
      while let sum = reader.number(UInt64.self) { sums.append(sum) }
    }
    return sums
  }

  /// Computes the sums of consecutive blocks, of which `firstBlock` is the index of the first. The last block may be
  /// shorter.
  static func compute(
    _ bytes: UnsafeRawBufferPointer, firstBlock: Int, _ generation: Generation
  ) -> [UInt64] {
    var sums: [UInt64] = []
    forEachBlock(bytes) { sums.append(generation.sum(ofBlock: UInt64(firstBlock + sums.count), $0)) }
    return sums
  }

  static func verify(
    _ bytes: UnsafeRawBufferPointer, firstBlock: Int, _ sums: [UInt64], _ generation: Generation
  ) throws(Damage) {
    var index = firstBlock
    var wrong: Int?
    forEachBlock(bytes) { block in
      let isRight = index < sums.count && generation.sum(ofBlock: UInt64(index), block) == sums[index]
      if !isRight, wrong == nil { wrong = index }
      index += 1
    }
    if let wrong { throw .blockSum(index: UInt64(wrong)) }
  }

  private static func forEachBlock(_ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void) {
    var start = 0
    while start < bytes.count {
      let end = min(start + EntryFormat.blockBytes, bytes.count)
      body(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
      start = end
    }
  }
}
