package import Platform

/// Content that waits for the decision whether it is stored: in memory and, beyond a limit, in a file of the store.
///
/// Other processes may read it by its path meanwhile, and write to it, so its length and each block are verified when
/// it is handed on. Destroying this value abandons the content.
package struct WaitingContent: ~Copyable {
  enum Disk: ~Copyable {
    case unused
    case used(TemporaryFile)
  }

  private let memory: OwnedDescriptor
  /// Where the content is once it is longer than the memory may hold.
  private var disk: Disk
  /// The file that has the content: the one in memory or the one on the disk.
  private var file: Descriptor
  private let store: Store?
  private let memoryLimit: UInt64
  private var blocks: ContentBlocks

  /// - Parameters:
  ///   - memoryLimit: in bytes.
  ///   - store: the store that takes longer content; if it is `nil`, such content is `.tooLarge`.
  package init(memoryLimit: UInt64, beyond store: Store?) throws(StoreError) {
    let generation = try storing(.writingEntry) { () throws(Errno) in try Generation.random() }
    let memory = try storing(.writingEntry) { () throws(Errno) in try OwnedDescriptor(memoryFile: "garner-content") }
    self.store = store
    self.memoryLimit = memoryLimit
    blocks = ContentBlocks(generation, from: 0, chunk: Self.chunk)
    file = memory.borrowed
    self.memory = memory
    disk = .unused
  }

  /// The bytes of content until now.
  package var length: UInt64 { blocks.length }

  /// The path by which a process of this user reads the content. All of it is there after `finish`.
  package var path: Path { file.sharedPath }

  package mutating func append(_ bytes: UnsafeRawBufferPointer) throws(StoreError) {
    if let store { try store.limits.check(length, adding: bytes.count) }
    var rest = bytes
    while !rest.isEmpty {
      if blocks.take(from: &rest) { try flush() }
    }
  }

  /// Ends the content: nothing more is appended.
  package mutating func finish() throws(StoreError) {
    if !blocks.pending.isEmpty { try flush() }
  }

  /// Hands the content to `body`, from the front, piece by piece.
  package func forEachVerifiedChunk(_ body: (UnsafeRawBufferPointer) -> Void) throws(StoreError) {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.chunkBytes, alignment: 4_096)
    defer { buffer.deallocate() }
    let written = blocks.written
    guard try reading({ () throws(Errno) in try file.status() }).size == Int64(written) else { throw .contentChanged }
    var position: UInt64 = 0
    while position < written {
      let window = UnsafeMutableRawBufferPointer(
        rebasing: buffer[..<Int(min(UInt64(buffer.count), written - position))])
      let count = try reading { () throws(Errno) in try file.readFully(into: window, at: Int64(position)) }
      guard count == window.count else { throw .contentChanged }
      do throws(Damage) {
        let first = Int(position / UInt64(EntryFormat.blockBytes))
        try BlockSums.verify(UnsafeRawBufferPointer(window), firstBlock: first, blocks.sums, blocks.generation)
      } catch {
        throw .contentChanged
      }
      body(UnsafeRawBufferPointer(window))
      position += UInt64(window.count)
    }
  }

  // MARK: The file

  private mutating func flush() throws(StoreError) {
    if length > memoryLimit { try moveToDisk() }
    let file = file
    try storing(.writingEntry) { () throws(Errno) in try blocks.write(to: file) }
  }

  private mutating func moveToDisk() throws(StoreError) {
    if file.rawValue != memory.rawValue { return }
    guard let store else { throw .tooLarge }
    let writable = try WritableStore(store.root, home: store.home, durable: store.limits.isDurable)
    TemporaryFile.removeOrphans(in: writable)
    let temporary = try storing(.writingEntry) { () throws(Errno) in try TemporaryFile(in: writable) }
    let (source, target) = (file, temporary.file.borrowed)
    var position: Int64 = 0
    while position < blocks.end {
      let piece = try reading { () throws(Errno) in try source.readBytes(limit: Self.chunkBytes, at: position) }
      guard !piece.isEmpty else { throw .contentChanged }
      try storing(.writingEntry) { () throws(Errno) in try target.writeAll(piece, at: position) }
      position += Int64(piece.count)
    }
    file = target
    disk = .used(temporary)
    // The copy in memory is not needed any more.
    try? memory.truncate(to: 0)
  }

  private func reading<Result>(_ call: () throws(Errno) -> Result) throws(StoreError) -> Result {
    try storing(.readingEntry, call)
  }

  /// In blocks.
  private static let chunk = 4
  private static let chunkBytes = chunk * EntryFormat.blockBytes
}
