package import HTTPCaching
package import Platform

/// Why stored content was not delivered, or not all of it.
package enum ContentFailure<Sink: Error>: Error {
  /// Found before any of the damaged bytes was delivered. The bytes that were delivered until then, `delivered` in
  /// number, are right, unless the damage is that the file was `.changedMeanwhile`.
  case damaged(DamagedEntry, delivered: UInt64)
  /// An error of the sink, not of the store.
  case sink(Sink)
  /// A signal asks the process to end.
  case interrupted
}

/// The content of a stored response, in an open file: it stays readable whatever becomes of the file's name.
///
/// Every byte is verified before it is handed on.
package struct StoredContent: ~Copyable {
  let entry: OpenEntry
  /// The head of the response.
  package let stored: StoredResponse

  init(_ entry: consuming OpenEntry, _ stored: StoredResponse) {
    self.entry = entry
    self.stored = stored
  }

  /// In bytes as received, with the content coding.
  package var length: UInt64 { entry.preamble.contentLength }

  package var name: EntryName { entry.name }

  /// The time of the file: when it was last used, to the hour.
  package var modified: WallTime { entry.status.modified }

  /// Writes the content, or a part of it.
  ///
  /// - Parameters:
  ///   - range: clamped to the content.
  ///   - makesRoom: called after an error of the sink; returns whether there may be room by now.
  /// - Returns: the number of bytes written.
  @discardableResult
  package func send(
    _ range: Range<UInt64>? = nil, to sink: borrowing some OpenDescriptor & ~Copyable,
    makingRoom makesRoom: (Errno) -> Bool = { _ in false }
  ) throws(ContentFailure<Errno>) -> UInt64 {
    let number = sink.borrowed
    guard entry.resident == nil, isPipe(number) else {
      return try forEachVerifiedChunk(in: range) { (bytes) throws(Errno) in
        try number.writeAll(bytes, makingRoom: makesRoom)
      }
    }
    // A larger pipe means fewer switches between two processes. Beyond a user's share, the kernel refuses it.
    try? number.setPipeCapacity(bytes: Self.pipeBytes)
    return try sendPages(range, into: number)
  }

  /// Hands the content, or a part of it, to `body`, piece by piece.
  ///
  /// - Parameter range: clamped to the content.
  /// - Returns: the number of bytes handed on.
  @discardableResult
  package func forEachVerifiedChunk<Sink: Error>(
    in range: Range<UInt64>? = nil, _ body: (UnsafeRawBufferPointer) throws(Sink) -> Void
  ) throws(ContentFailure<Sink>) -> UInt64 {
    try forEachChunk(in: range) { (bytes, _) throws(Sink) in try body(bytes) }
  }

  /// The whole content, if it was read together with the head; `nil` for a larger one.
  package var resident: [UInt8]? {
    entry.resident.map { Array($0[EntryFormat.preambleBytes..<(EntryFormat.preambleBytes + Int(length))]) }
  }

  // MARK: Reading

  private func forEachChunk<Sink: Error>(
    in range: Range<UInt64>?, _ body: (UnsafeRawBufferPointer, Int64) throws(Sink) -> Void
  ) throws(ContentFailure<Sink>) -> UInt64 {
    let range = (range ?? 0..<length).clamped(to: 0..<length)
    guard !range.isEmpty else { return 0 }
    if let resident = entry.resident {
      let start = EntryFormat.preambleBytes
      let wanted = resident[(start + Int(range.lowerBound))..<(start + Int(range.upperBound))]
      try sinking { () throws(Sink) in
        try wanted.span.bytes.withUnsafeBytes { (bytes) throws(Sink) in
          try body(bytes, EntryGeometry.contentOffset + Int64(range.lowerBound))
        }
      }
      return UInt64(wanted.count)
    }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.windowBytes, alignment: 4_096)
    defer { buffer.deallocate() }
    var delivered: UInt64 = 0
    var start = range.lowerBound / UInt64(EntryFormat.blockBytes) * UInt64(EntryFormat.blockBytes)
    while start < range.upperBound {
      // Reading without writing makes no call that blocks, and may go on for minutes.
      if Signals.pending != nil { throw .interrupted }
      let window = try verifiedWindow(from: start, in: buffer, delivered: delivered, for: Sink.self)
      let end = start + UInt64(window.count)
      let wanted = range.clamped(to: start..<end)
      let bytes = window[Int(wanted.lowerBound - start)..<Int(wanted.upperBound - start)]
      try sinking { () throws(Sink) in
        try body(UnsafeRawBufferPointer(rebasing: bytes), EntryGeometry.contentOffset + Int64(wanted.lowerBound))
      }
      delivered += UInt64(bytes.count)
      start = end
    }
    return delivered
  }

  /// Reads and verifies blocks from `start` on, as many as the buffer holds.
  private func verifiedWindow<Sink: Error>(
    from start: UInt64, in buffer: UnsafeMutableRawBufferPointer, delivered: UInt64, for _: Sink.Type
  ) throws(ContentFailure<Sink>) -> UnsafeRawBufferPointer {
    let count = Int(min(UInt64(buffer.count), length - start))
    let window = UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
    do throws(Damage) {
      let offset = EntryGeometry.contentOffset + Int64(start)
      let read = try readable { () throws(Errno) in try entry.descriptor.readFully(into: window, at: offset) }
      guard read == count else { throw .truncated }
      let first = Int(start / UInt64(EntryFormat.blockBytes))
      let bytes = UnsafeRawBufferPointer(window)
      try BlockSums.verify(bytes, firstBlock: first, entry.blockSums, entry.preamble.generation)
      return bytes
    } catch {
      throw .damaged(DamagedEntry(name: name, damage: error, status: entry.status), delivered: delivered)
    }
  }

  private func sinking<Sink: Error>(_ call: () throws(Sink) -> Void) throws(ContentFailure<Sink>) {
    do throws(Sink) {
      try call()
    } catch {
      throw .sink(error)
    }
  }

  /// Returns the sums of the first bytes of the content, for a caller that has handed them on.
  ///
  /// - Returns: `nil` if these bytes are not whole blocks.
  package func prefix(_ count: UInt64) -> StoredPrefix? {
    let (blockCount, rest) = count.quotientAndRemainder(dividingBy: UInt64(EntryFormat.blockBytes))
    guard rest == 0, blockCount <= entry.blockSums.count else { return nil }
    return StoredPrefix(sums: entry.blockSums.prefix(Int(blockCount)), generation: entry.preamble.generation)
  }

  // MARK: Pipes

  private func isPipe(_ sink: Descriptor) -> Bool {
    (try? sink.status().kind) == .fifo
  }

  /// Moves the content into a pipe and, once all of it is there, verifies it once more if the file has changed. Until
  /// the reader takes them, the pages in the pipe are those of the file, to whose content nobody writes except to
  /// damage it.
  ///
  /// - Throws: `.damaged` with `.changedMeanwhile` if the content has been written to since.
  private func sendPages(_ range: Range<UInt64>?, into pipe: Descriptor) throws(ContentFailure<Errno>) -> UInt64 {
    // What was written before this look, such as the head of a 304, cannot matter, because blocks are verified after
    // it.
    let before = try? entry.descriptor.statusAndChange()
    var hasMoved = false
    var damaged: DamagedEntry?
    var delivered: UInt64 = 0
    do throws(ContentFailure<Errno>) {
      delivered = try forEachChunk(in: range) { (bytes, offset) throws(Errno) in
        if try splice(bytes, at: offset, into: pipe) { hasMoved = true }
      }
    } catch .damaged(let entry, delivered: let count) {
      (damaged, delivered) = (entry, count)
    }
    let start = range?.lowerBound ?? 0
    if hasMoved, let before, !isStill(start..<start + delivered, since: before) {
      damaged = DamagedEntry(name: name, damage: .changedMeanwhile, status: entry.status)
    }
    if let damaged { throw .damaged(damaged, delivered: delivered) }
    return delivered
  }

  /// Whether a part of the content is still what it was, as far as can be seen.
  ///
  /// The file may have changed otherwise: a head was appended, a time of use was noted, or the name was removed.
  private func isStill(_ range: Range<UInt64>, since before: (status: FileStatus, changed: Int64)) -> Bool {
    guard let (status, changed) = try? entry.descriptor.statusAndChange(),
      changed != before.changed || status.size != before.status.size || status.modified != before.status.modified
    else { return true }
    do throws(ContentFailure<Errno>) {
      try forEachVerifiedChunk(in: range) { (_) throws(Errno) in }
      return true
    } catch {
      // Content that cannot be read again has not been seen to differ.
      switch error {
      case .interrupted: return true
      case .damaged(let found, delivered: _): if case .unreadable = found.damage { return true } else { return false }
      case .sink: return false
      }
    }
  }

  /// Moves pages that have just been read and verified into the pipe, without copying them.
  ///
  /// - Returns: whether any bytes went that way. Those that cannot are written.
  private func splice(_ bytes: UnsafeRawBufferPointer, at offset: Int64, into pipe: Descriptor) throws(Errno) -> Bool {
    var moved = 0
    while moved < bytes.count {
      do throws(Errno) {
        let count = try entry.descriptor.splice(
          from: offset + Int64(moved), count: bytes.count - moved, into: pipe)
        // The file has shrunk since it was read.
        if count == 0 { break }
        moved += count
      } catch {
        if error == .interrupted { throw error }
        // The file system has no splice, or the file cannot be read any more. If the pipe is the cause, writing fails.
        break
      }
    }
    try pipe.writeAll(UnsafeRawBufferPointer(rebasing: bytes[moved...]))
    return moved > 0
  }

  /// Four blocks: as measured with pipes of 64 KiB to 1 MiB, larger windows exceed the level 2 cache and gain nothing.
  private static let windowBytes = 4 * EntryFormat.blockBytes
  /// The most that an unprivileged user may ask for by default (/proc/sys/fs/pipe-max-size).
  private static let pipeBytes: Int32 = 1 << 20
}
