package import HTTPCaching
import HTTPSemantics
import Platform
import Synchronization

/// The outcome of committing an entry.
package enum CommitOutcome: Equatable, Sendable {
  case stored
  /// Another run has stored a more recent response in the meantime, which stays (RFC 9111 section 4), or a part that is
  /// of more use.
  case overtaken
  /// The target has been invalidated since the response was asked for.
  case invalidated
  /// The lock file has been removed, replaced or linked since the response was asked for, or cannot be checked.
  case storeChanged
}

/// The identity of an entry as one writer has written it. An entry that replaces it, or is a copy of it, has another
/// one.
package struct WrittenEntry: Equatable, Sendable {
  let name: EntryName
  let generation: Generation
}

/// The share of one writer in the buffer budget of the process. There are as many writers as a run has parallel
/// transfers.
private final class WriterShare {
  private static let writerCount = Atomic(0)
  /// 1 MiB: writing that much at once saves a twentieth of the time for a large content.
  private static let maximumBlocks = 16
  private static let blocksOfAll = 32

  /// The number of blocks that this writer may buffer. The first writers keep the share that they had when they were
  /// alone.
  let blocks: Int

  init() {
    let count = Self.writerCount.add(1, ordering: .relaxed).newValue
    blocks = max(1, min(Self.maximumBlocks, Self.blocksOfAll / count))
  }

  deinit { Self.writerCount.subtract(1, ordering: .relaxed) }
}

/// An entry on its way into the store: content is appended as it comes, and the head is written last.
///
/// Destroying the writer without a commit abandons the entry. After an error, nothing else can be done with it.
package struct EntryWriter: ~Copyable {
  private let opened: OpenWritableStore
  private var temporary: TemporaryFile
  private let terms: PublishingTerms
  private var blocks: ContentBlocks
  private let share: WriterShare

  /// - Parameter isNamed: whether the file has a temporary name from the start, as on file systems without unnamed
  ///   files. Tests pass `true`, to get that where there are unnamed files.
  init(
    _ opened: OpenWritableStore, _ terms: PublishingTerms, removingOrphans: Bool = true, isNamed: Bool = false
  ) throws(StoreError) {
    if removingOrphans { TemporaryFile.removeOrphans(in: opened.store) }
    let temporary = try storing(.writingEntry) { () throws(Errno) in
      try TemporaryFile(in: opened.store, isNamed: isNamed)
    }
    let generation = try storing(.writingEntry) { () throws(Errno) in try Generation.random() }
    self.opened = opened
    self.temporary = temporary
    self.terms = terms
    share = WriterShare()
    blocks = ContentBlocks(generation, from: EntryGeometry.contentOffset, chunk: share.blocks)
  }

  /// The bytes of content appended so far.
  package var length: UInt64 { blocks.length }

  /// Returns the identity that tells the entry from all earlier and later ones of the same name.
  ///
  /// - Parameter stored: the response as which the entry is going to be committed.
  package func identity(as stored: StoredResponse) -> WrittenEntry {
    WrittenEntry(name: EntryName(of: stored), generation: blocks.generation)
  }

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

  /// Makes an entry of what has been appended. All processes see it whole, from one moment on.
  ///
  /// It replaces the response that is stored under the same key and, if the response varies, under the same selecting
  /// fields. A part replaces the part of the key, whichever request fields select that part, and nothing else.
  ///
  /// - Parameter stored: the head of the entry. Its `contentLength` is ignored: the length of what has been appended
  ///   counts. The marks of the entries that it replaces are added to its own.
  /// - Returns: whether it is stored, or why not.
  /// - Throws: `.notItsExtent` for a part that is shorter or longer than it says; `.full` if no room can be made.
  package consuming func commit(_ stored: StoredResponse) throws(StoreError) -> CommitOutcome {
    // Copied out: `self` is consumed below, when the temporary file is taken from it.
    let (opened, watch) = (opened, terms.watch)
    if let refusal = watch?.refusal { return refusal }
    let counted = try opened.tallies()
    let committed = try commitUnwatched(stored, counted.tallies)
    // A run that invalidated the target may have looked for the entry before it had its name.
    if committed == .stored, let refusal = watch?.refusal {
      opened.store.discard(EntryName(of: stored), counted.tallies)
      return refusal
    }
    return committed
  }

  private consuming func commitUnwatched(
    _ stored: StoredResponse, _ tallies: borrowing Tallies
  ) throws(StoreError) -> CommitOutcome {
    let opened = opened
    let name = EntryName(stored.key)
    if case .part(let range, of: _) = stored.extent {
      guard range.length == length else { throw .notItsExtent }
      return try commitPart(stored, as: name.part, tallies)
    }
    let committed: CommitOutcome
    if stored.selecting.members.isEmpty {
      committed = try commitOnly(stored, as: name, tallies)
    } else {
      committed = try commitVariant(stored, below: name, tallies)
    }
    // The whole response is worth more than any part of it.
    if committed == .stored { opened.store.discard(name.part, tallies) }
    return committed
  }

  private consuming func commitPart(
    _ stored: StoredResponse, as name: EntryName, _ tallies: borrowing Tallies
  ) throws(StoreError) -> CommitOutcome {
    let change = EntryChange.begin(at: name, in: opened.store.root)
    let replaced = try EntryGlance(at: name, in: opened.store.root)
    // The key may have a part already that is of more use than this one.
    if let kept = replaced?.stored, kept.key == stored.key, PartialContent.isWorthMore(kept, than: stored) {
      return .overtaken
    }
    var stored = stored
    stored.marks = replaced.marks(under: stored.key).adding(stored.marks)
    let head = try finish(stored)
    try opened.store.publish(temporary, as: name, head, replacing: replaced, tallies, terms)
    _ = consume change
    return .stored
  }

  /// Commits a response that answers requests whatever their fields are.
  private consuming func commitOnly(
    _ stored: StoredResponse, as name: EntryName, _ tallies: borrowing Tallies
  ) throws(StoreError) -> CommitOutcome {
    // The entry hardly ever replaces anything, so nothing is looked at first.
    let head = try finish(stored)
    let entry = try opened.store.count(temporary, as: name, head, tallies, terms)
    if try opened.store.publishIfFree(temporary, as: name, entry, tallies, terms) { return .stored }
    return try replace(name, with: stored, entry, tallies)
  }

  private consuming func commitVariant(
    _ stored: StoredResponse, below primary: EntryName, _ tallies: borrowing Tallies
  ) throws(StoreError) -> CommitOutcome {
    let (opened, terms) = (opened, terms)
    let atPrimary = try EntryGlance(at: primary, in: opened.store.root)
    let name = primary.variant(stored.selecting)
    let replaced = try EntryGlance(at: name, in: opened.store.root)
    guard let replacement = replacement(stored, inheritingMarksOf: [atPrimary, replaced]) else { return .overtaken }
    let head = try finish(replacement)
    let entry = try opened.store.count(temporary, as: name, head, tallies, terms)
    let outcome: CommitOutcome
    if replaced == nil, try opened.store.publishIfFree(temporary, as: name, entry, tallies, terms) {
      outcome = .stored
    } else {
      outcome = try replace(name, with: stored, entry, having: replacement.marks, tallies) { [atPrimary, $0] }
    }
    if outcome == .stored {
      try VariantIndex.add(stored.selecting, under: stored.key, in: opened.store, tallies, terms)
    }
    return outcome
  }

  /// Replaces what has the name, and the variants that it leads to.
  ///
  /// - Parameter counted: the entry as it has been written.
  private consuming func replace(
    _ primary: EntryName, with stored: StoredResponse, _ counted: CountedEntry, _ tallies: borrowing Tallies
  ) throws(StoreError) -> CommitOutcome {
    let opened = opened
    var hasVariants = false
    let outcome = try replace(primary, with: stored, counted, having: stored.marks, tallies) {
      (replaced) throws(StoreError) in
      hasVariants = replaced?.variants != nil
      var glances = [replaced]
      for variant in replaced.variants(under: stored.key) ?? [] {
        glances.append(try EntryGlance(at: primary.variant(variant), in: opened.store.root))
      }
      return glances
    }
    // No list leads to the variants any more, nor to those that have been stored since.
    if outcome == .stored, hasVariants {
      for name in VariantIndex.names(of: primary, in: opened.store) { opened.store.discard(name, tallies) }
    }
    return outcome
  }

  /// Replaces what has the name.
  ///
  /// Marks that were set on the old entry before the last look at it are carried over. A mark that is set later is lost
  /// with the file.
  ///
  /// - Parameters:
  ///   - counted: the entry as it has been written, with these marks.
  ///   - inherited: returns the replaced entries, given the one that has the name: that one, or that one and others.
  private consuming func replace(
    _ name: EntryName, with stored: StoredResponse, _ counted: CountedEntry, having marks: Marks,
    _ tallies: borrowing Tallies, inheriting inherited: (EntryGlance?) throws(StoreError) -> [EntryGlance?]
  ) throws(StoreError) -> CommitOutcome {
    let (opened, terms) = (opened, terms)
    var (counted, marks) = (counted, marks)
    for attempt in 1...Self.attemptsToReplace {
      let change = EntryChange.begin(at: name, in: opened.store.root)
      let replaced: EntryGlance?
      let replacement: StoredResponse?
      do throws(StoreError) {
        replaced = try EntryGlance(at: name, in: opened.store.root)
        replacement = self.replacement(stored, inheritingMarksOf: try inherited(replaced))
      } catch {
        // The marks that the new entry has to inherit are unknown.
        opened.store.takeBack(counted, tallies)
        throw error
      }
      guard let replacement else {
        opened.store.takeBack(counted, tallies)
        return .overtaken
      }
      if replacement.marks != marks {
        counted = try rewriteHead(of: counted, as: name, with: replacement, tallies)
        marks = replacement.marks
      }
      var isNamed = true
      if let replaced, attempt < Self.attemptsToReplace {
        isNamed = try opened.store.replaceUnchanged(replaced, at: name, with: &temporary, counted, tallies, terms)
      } else {
        try opened.store.replace(replaced, at: name, with: &temporary, counted, tallies, terms)
      }
      _ = consume change
      if isNamed { break }
    }
    return .stored
  }

  /// How often to try again while others keep changing the entry. After that it is replaced all the same, and the marks
  /// of the last change are lost.
  private static let attemptsToReplace = 20

  /// Writes another head in place of the one that has been written, and counts the entry with it.
  private func rewriteHead(
    of counted: CountedEntry, as name: EntryName, with stored: StoredResponse, _ tallies: borrowing Tallies
  ) throws(StoreError) -> CountedEntry {
    opened.store.takeBack(counted, tallies)
    // Tags that are too many are dropped, so the new head may be shorter than the one that has been written.
    try storing(.writingEntry) { () throws(Errno) in try temporary.file.truncate(to: blocks.end) }
    let head = try finish(stored)
    return try opened.store.count(temporary, as: name, head, tallies, terms)
  }

  /// Returns the response with the marks of the entries that it replaces added, or `nil` if one of these is more
  /// recent, and stays.
  private borrowing func replacement(
    _ stored: StoredResponse, inheritingMarksOf replaced: [EntryGlance?]
  ) -> StoredResponse? {
    let now = Timestamp(secondsSinceEpoch: terms.clock.wallTime().seconds)
    var marks = Marks.none
    for other in replaced {
      if let found = other?.stored, stored.isOvertaken(by: found, over: terms.watch?.selection, at: now) { return nil }
      marks = marks.adding(other.marks(under: stored.key))
    }
    var replacement = stored
    replacement.marks = marks.adding(stored.marks)
    return replacement
  }

  /// Replaces an entry by a copy with the same content, and replaces nothing else: no file that has replaced the entry
  /// meanwhile, no removed entry, and no head that has not been read.
  ///
  /// - Parameter stored: the head of the copy; only its `contentLength` is ignored.
  consuming func commit(
    _ stored: StoredResponse, inPlaceOf original: FileToRewrite
  ) throws(StoreError) -> RewriteOutcome {
    let (opened, terms, name) = (opened, terms, original.name)
    let counted = try opened.tallies()
    let head = try finish(stored)
    let entry = try opened.store.count(temporary, as: name, head, counted.tallies, terms)
    let change = EntryChange.begin(at: name, in: opened.store.root)
    let state: FileToRewrite.State
    do throws(StoreError) {
      state = try original.state(in: opened.store.root)
    } catch {
      opened.store.takeBack(entry, counted.tallies)
      throw error
    }
    guard case .unchanged(let replaced) = state else {
      opened.store.takeBack(entry, counted.tallies)
      if case .headAppended = state { return .outdated }
      return .superseded
    }
    let isRewritten = try opened.store.replaceUnchanged(
      replaced, at: name, with: &temporary, entry, counted.tallies, terms)
    _ = consume change
    if !isRewritten { opened.store.takeBack(entry, counted.tallies) }
    return isRewritten ? .rewritten : .outdated
  }

  // MARK: The file

  /// Writes what is missing: for a small entry everything, in one call. As long as the file has no name, a further call
  /// replaces the head.
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
