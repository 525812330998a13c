package import HTTPCaching
import HTTPSemantics
import Platform

/// Which marks an entry has that takes another one's place.
package enum MarkInheritance: Equatable, Sendable {
  /// Its own, and those of what it replaces.
  case addedToReplaced
  /// Its own alone.
  case asTheyAre
}

/// What has become of an entry that was written.
package enum Committed: Equatable, Sendable {
  case stored
  /// What another run has stored in the meantime, and is more recent, stays (RFC 9111 section 4), or a part that is of
  /// more use.
  case overtaken
}

/// An entry on its way into the store: content is appended as it comes, and the head is the last to be written.
///
/// Letting go abandons it. After an error it is of no use but to be let go.
package struct EntryWriter: ~Copyable {
  private let opened: OpenWritableStore
  private let temporary: TemporaryFile
  private let terms: PublishingTerms
  private var blocks: ContentBlocks

  init(_ opened: OpenWritableStore, _ terms: PublishingTerms, removingOrphans: Bool = true) throws(StoreError) {
    if removingOrphans { TemporaryFile.removeOrphans(in: opened.store) }
    let temporary = try storing(.writingEntry) { () throws(Errno) in try TemporaryFile(in: opened.store) }
    let generation = try storing(.writingEntry) { () throws(Errno) in try Generation.random() }
    self.opened = opened
    self.temporary = temporary
    self.terms = terms
    blocks = ContentBlocks(generation, from: EntryGeometry.contentOffset, chunk: 16)
  }

  /// Bytes of content until now.
  package var length: UInt64 { blocks.length }

  package mutating func append(_ bytes: UnsafeRawBufferPointer) throws(StoreError) {
    try terms.limits.check(length, adding: bytes.count)
    var rest = bytes
    while !rest.isEmpty {
      guard blocks.take(from: &rest) else { continue }
      try storing(.writingEntry) { () throws(Errno) in try blocks.write(to: temporary.file.borrowed) }
    }
  }

  package mutating func append(_ bytes: [UInt8]) throws(StoreError) {
    try bytes.span.bytes.withUnsafeBytes { (buffer) throws(StoreError) in try append(buffer) }
  }

  /// Makes an entry of what has been appended: visible to everybody, whole, at once.
  ///
  /// It replaces what is stored under the same key, or, where it varies, under the same selecting fields. A part
  /// replaces the key's part, whatever selects that, and nothing else.
  ///
  /// - Parameters:
  ///   - stored: its `contentLength` is of no account, what has been appended is.
  ///   - inheritance: whether it has the marks of what it replaces, too.
  /// - Returns: whether it is stored.
  /// - Throws: `.notItsExtent` for a part that is shorter or longer than it says; `.full` where no room can be made.
  package consuming func commit(
    _ stored: StoredResponse, marks inheritance: MarkInheritance = .addedToReplaced
  ) throws(StoreError) -> Committed {
    let name = EntryName(stored.key)
    // Copied out: `self` is consumed below, when the temporary file is taken from it.
    let opened = opened
    let counted = try opened.tallies()
    if case .part(let range, of: _) = stored.extent {
      guard range.upperBound - range.lowerBound == length else { throw .notItsExtent }
      return try commitPart(stored, as: name.part, counted.tallies)
    }
    let committed: Committed
    if stored.selecting.members.isEmpty {
      committed = try commitOnly(stored, as: name, counted.tallies, marks: inheritance)
    } else {
      committed = try commitVariant(stored, below: name, counted.tallies, marks: inheritance)
    }
    // The whole is worth more than any part.
    if committed == .stored { opened.store.discard(name.part, counted.tallies) }
    return committed
  }

  private consuming func commitPart(
    _ stored: StoredResponse, as name: EntryName, _ tallies: borrowing Tallies
  ) throws(StoreError) -> Committed {
    let replaced = EntryGlance(at: name, in: opened.store.root)
    // The key may have a part already that is of more use than this one.
    if let kept = replaced?.stored, kept.key == stored.key, PartialContent.isWorthMore(kept, than: stored) {
      return .overtaken
    }
    try publish(stored, as: name, replacing: replaced, tallies)
    return .stored
  }

  /// What answers whatever the request's fields are.
  private consuming func commitOnly(
    _ stored: StoredResponse, as name: EntryName, _ tallies: borrowing Tallies, marks inheritance: MarkInheritance
  ) throws(StoreError) -> Committed {
    // It hardly ever replaces anything, and then there is nothing to look at first.
    let head = try finish(stored)
    let entry = try opened.store.count(temporary, as: name, head, tallies, terms)
    if try opened.store.publishIfFree(temporary, as: name, entry, tallies, terms) { return .stored }
    return try replace(name, with: stored, entry, tallies, marks: inheritance)
  }

  private consuming func commitVariant(
    _ stored: StoredResponse, below primary: EntryName, _ tallies: borrowing Tallies,
    marks inheritance: MarkInheritance
  ) throws(StoreError) -> Committed {
    let (opened, terms) = (opened, terms)
    var stored = stored
    let atPrimary = EntryGlance(at: primary, in: opened.store.root)
    let name = primary.variant(stored.selecting)
    let replaced = EntryGlance(at: name, in: opened.store.root)
    if inheritance == .addedToReplaced {
      if isOvertaken(stored, by: atPrimary) || isOvertaken(stored, by: replaced) { return .overtaken }
      let marks = atPrimary.marks(under: stored.key).adding(replaced.marks(under: stored.key))
      stored.marks = marks.adding(stored.marks)
    }
    try publish(stored, as: name, replacing: replaced, tallies)
    try VariantIndex.add(stored.selecting, under: stored.key, in: opened.store, tallies, terms)
    return .stored
  }

  /// - Parameter replaced: what has the name now.
  @inline(never)
  private consuming func publish(
    _ stored: StoredResponse, as name: EntryName, replacing replaced: EntryGlance?, _ tallies: borrowing Tallies
  ) throws(StoreError) {
    let head = try finish(stored)
    try opened.store.publish(temporary, as: name, head, replacing: replaced, tallies, terms)
  }

  /// Takes the place of what has the name, and of the variants that it leads to.
  ///
  /// - Parameter counted: the entry as it has been written.
  private consuming func replace(
    _ primary: EntryName, with stored: StoredResponse, _ counted: CountedEntry, _ tallies: borrowing Tallies,
    marks inheritance: MarkInheritance
  ) throws(StoreError) -> Committed {
    let (opened, terms) = (opened, terms)
    let replaced = EntryGlance(at: primary, in: opened.store.root)
    var (marked, counted) = (stored, counted)
    if inheritance == .addedToReplaced {
      let variants = replaced?.variants.map { $0.key == stored.key ? $0.variants : [] } ?? []
      let others = [replaced] + variants.map { EntryGlance(at: primary.variant($0), in: opened.store.root) }
      var marks = Marks.none
      for other in others {
        if isOvertaken(stored, by: other) {
          tallies.takeBack(counted)
          return .overtaken
        }
        marks = marks.adding(other.marks(under: stored.key))
      }
      marked.marks = marks.adding(stored.marks)
    }
    if marked.marks != stored.marks {
      tallies.takeBack(counted)
      // Where there are too many tags, the head may be shorter than the one that lies there.
      try storing(.writingEntry) { () throws(Errno) in try temporary.file.truncate(to: blocks.end) }
      let head = try finish(marked)
      counted = try opened.store.count(temporary, as: primary, head, tallies, terms)
    }
    try opened.store.replace(replaced, at: primary, with: temporary, counted, tallies, terms)
    // Nothing leads to them any more; nor to what has come since.
    if replaced?.variants != nil {
      for name in VariantIndex.names(of: primary, in: opened.store) { opened.store.discard(name, tallies) }
    }
    return .stored
  }

  private borrowing func isOvertaken(_ stored: StoredResponse, by replaced: EntryGlance?) -> Bool {
    guard let other = replaced?.stored else { return false }
    return stored.isOvertaken(by: other, at: Timestamp(secondsSinceEpoch: terms.clock.wallTime().seconds))
  }

  // MARK: The file

  /// Writes what is missing: for a small entry everything, in one call. Another head may take the place of this one, as
  /// long as the file has no name.
  ///
  /// - Returns: the head of the entry.
  private func finish(_ stored: StoredResponse) throws(StoreError) -> EntryHead {
    let sums = blocks.sums + blocks.pendingSums()
    let isWhole = blocks.written == 0
    let generation = blocks.generation
    let sumBytes = MemoryLayout<UInt64>.size * sums.count
    var rest = ByteWriter(
      expecting: EntryFormat.preambleBytes + blocks.pending.count + sumBytes + HeadRecord.usualBytes)
    let preamble = Preamble(stored.isPart ? .part : .response, generation, contentLength: length)
    if isWhole { preamble.append(to: &rest) }
    rest.append(blocks.pending)
    let table = rest.count
    BlockSums.append(sums, to: &rest)
    var stored = stored
    stored.contentLength = length
    let head = EntryHead.response(
      stored, tableSum: rest.withUnsafeBytes(from: table) { generation.sum(ofTable: $0) })
    guard HeadRecord.append(head, generation, to: &rest) else { throw .headTooLarge }
    do throws(Errno) {
      let start = isWhole ? 0 : blocks.end
      try rest.withUnsafeBytes { (bytes) throws(Errno) in try temporary.file.writeAll(bytes, at: start) }
      if !isWhole { try temporary.file.writeAll(preamble.encoded, at: 0) }
    } catch {
      throw .failed(.writingEntry, error)
    }
    return head
  }
}
