package import HTTPCaching
import Platform

/// The outcome of giving a stored response a new head.
package enum HeadChangeOutcome: Equatable, Sendable {
  /// One head has been appended to its file.
  case appended
  /// The entry has been copied to a new file, which has taken the place of the old one.
  case rewritten
  /// Another response is stored by now, or none. The stored response is left unchanged.
  case superseded
}

extension Store {
  /// Gives a stored response a new head after a 304 (RFC 9111 section 4.3.4).
  ///
  /// It costs one write, however long the content is. The file is rewritten instead if it has a second hard link, such
  /// as a backup's, or remains of an interrupted write, or many heads.
  ///
  /// - Parameter stored: the new head. Its key, selecting fields, length and extent are ignored: those of the content
  ///   are kept. Its marks are added to those that the entry has by now.
  @discardableResult
  package func freshen(
    _ content: borrowing StoredContent, with stored: StoredResponse
  ) throws(StoreError) -> HeadChangeOutcome {
    try changeHead(of: content) { last in
      var fresh = stored
      fresh.marks = last.marks.adding(stored.marks)
      return fresh
    }
  }

  /// Gives an entry another head for the same content.
  ///
  /// - Parameter change: makes the new head from the last one in the file; `nil` leaves the entry as it is. The key,
  ///   selecting fields, length and extent of the new head are ignored. It may be called again if another run has
  ///   appended a head in the meantime.
  func changeHead(
    of content: borrowing StoredContent, _ change: (StoredResponse) -> StoredResponse?
  ) throws(StoreError) -> HeadChangeOutcome {
    guard let opened = try openRoot() else { return .superseded }
    guard let file = try openForAppending(content, in: opened.root) else { return .superseded }
    EntryChange.begin(in: file)
    let status = try storing(.updatingEntry) { () throws(Errno) in try file.statusBetweenWrites() }
    // If the name stands for another file by now, another response is stored.
    guard status.isSameFile(as: content.entry.status) else { return .superseded }
    let tallies = try Tallies.existing(in: opened.root)
    var heads = KnownHeads(of: content)
    if status.size != heads.end { heads = KnownHeads(of: content, endingAt: status.size) }
    var outcome = HeadChangeOutcome.superseded
    for _ in 0..<Self.attemptsToAppend {
      guard let changed = (change(heads.last.stored) ?? heads.toRestore)?.fitting(content) else { return .superseded }
      if changed == heads.written { break }
      let record = try Self.record(of: changed, for: content)
      let tail = heads.last.tail
      if status.linkCount > 1 || tail.hasRemains || outgrows(content, tail, by: Int64(record.count), tallies) {
        if let outcome = try rewrite(content, with: changed, inPlaceOf: file, &heads) { return outcome }
        continue
      }
      guard
        let place = try append(record, to: file, endingAt: heads.end, of: content, changed, in: opened.root, tallies)
      else { return .superseded }
      outcome = .appended
      // No other run has appended in between, or its head has been taken into account.
      if place == heads.end { break }
      heads = KnownHeads(of: content, endingAt: place)
      heads.noteAppended(changed, bytes: record.count)
    }
    // An entry whose file has lost its name, even to its own replacement, is no longer the stored one.
    let isNamed = try storing(.updatingEntry) { () throws(Errno) in try file.status().linkCount > 0 }
    do throws(Errno) {
      try file.close()
    } catch {
      throw .failed(.updatingEntry, error)
    }
    return isNamed ? outcome : .superseded
  }

  // The functions below are not inlined: `changeHead` is compiled once for each change, and three copies of them would
  // make the program larger, and not faster.

  /// Another run would have to change the same entry this often, each time between two system calls of this one.
  private static let attemptsToAppend = 100

  @inline(never)
  private static func record(
    of stored: StoredResponse, for content: borrowing StoredContent
  ) throws(StoreError) -> [UInt8] {
    guard case .response(_, let tableSum) = content.entry.head,
      let record = HeadRecord.encode(
        .response(stored, tableSum: tableSum), content.entry.preamble.generation)
    else { throw .headTooLarge }
    return record
  }

  private func terms(toChange name: EntryName) -> PublishingTerms {
    PublishingTerms(limits: limits, clock: clock, evictions: evictions, spared: name)
  }

  /// Whether the file is rewritten rather than given one more record: if the heads would pass their bound; and, in a
  /// store without room for the record, if the heads are the larger part of the file or the content is quickly copied.
  @inline(never)
  private func outgrows(
    _ content: borrowing StoredContent, _ tail: OpenEntry.Tail, by growth: Int64, _ tallies: borrowing Tallies
  ) -> Bool {
    if Int64(tail.bytes) + growth > EntryFormat.compactionBytes { return true }
    guard content.entry.geometry.headsOffset <= max(tail.bytes, EntryFormat.blockBytes) else { return false }
    return Eviction(terms(toChange: content.name)).isNeeded(for: growth, tallies)
  }

  /// - Returns: the offset of the record in the file; `nil` if the file has lost its name.
  @inline(never)
  private func append(
    _ record: [UInt8], to file: borrowing OwnedDescriptor, endingAt end: Int64, of content: borrowing StoredContent,
    _ stored: StoredResponse, in root: borrowing StoreRoot, _ tallies: borrowing Tallies
  ) throws(StoreError) -> Int64? {
    let growth = Int64(record.count)
    let old = EntryWeight(content.name, content.entry.status.size, content.entry.head)
    let new = EntryWeight(content.name, old.bytes + growth, .response(stored, tableSum: 0))
    try makeRoom(for: new, of: content.name, growth: growth, in: root, tallies)
    // A partial record is worse than none: it makes the stored response doubtful.
    try storing(.updatingEntry) { () throws(Errno) in try file.allocate(end + growth) }
    // A run that has removed the file meanwhile has taken off the tallies what the file held. A record that is counted
    // after that would stay counted.
    guard try storing(.updatingEntry, { () throws(Errno) in try file.status().linkCount > 0 }) else { return nil }
    let counted = tallies.beginGrowth(from: old, to: new)
    try storing(.updatingEntry) { () throws(Errno) in
      // Deferred, so that the sum is not too low, however much of the record has been written.
      defer { tallies.endGrowth(from: old, to: counted) }
      try file.writeOnce(record)
    }
    return try storing(.updatingEntry) { () throws(Errno) in
      if limits.isDurable { try file.synchronize() }
      return try file.position() - growth
    }
  }

  private func makeRoom(
    for weight: EntryWeight, of name: EntryName, growth: Int64, in root: borrowing StoreRoot,
    _ tallies: borrowing Tallies
  ) throws(StoreError) {
    var eviction = Eviction(terms(toChange: name))
    guard eviction.isNeeded(for: growth, tallies) else { return }
    let room = try storing(.counting) { () throws(Errno) in
      let version = try Directory(StoreLayout.version, in: root.directory, followingLinks: false)
      return eviction.makeRoom(
        for: weight, growth: growth, isCounted: false, in: version, ownerID: root.ownerID, tallies)
    }
    if case .none = room { throw .full }
  }

  @inline(never)
  private func openForAppending(
    _ content: borrowing StoredContent, in root: borrowing StoreRoot
  ) throws(StoreError) -> OwnedDescriptor? {
    do throws(Errno) {
      return try root.directory.openBeneath(content.name.path, [.writeOnly, .append, .nonBlocking])
    } catch {
      switch error {
      case .noSuchFile, .notDirectory, .tooManyLinks, .noSuchDevice: return nil
      default: throw .failed(.updatingEntry, error)
      }
    }
  }

  /// Replaces the entry's file, which is locked for a change, by a copy with another head.
  ///
  /// - Returns: `nil` if another attempt has to be made: the file is locked again, and `heads` are read anew.
  @inline(never)
  private func rewrite(
    _ content: borrowing StoredContent, with stored: StoredResponse, inPlaceOf file: borrowing OwnedDescriptor,
    _ heads: inout KnownHeads
  ) throws(StoreError) -> HeadChangeOutcome? {
    // The copy may take long. The writer that replaces the file by it begins a change of its own.
    EntryChange.end(in: file)
    switch try rewrite(content, with: stored, inPlaceOf: FileToRewrite(content, endingAt: heads.end)) {
    case .rewritten: return .rewritten
    case .superseded: return .superseded
    case .outdated: EntryChange.begin(in: file)
    }
    let end = try storing(.updatingEntry) { () throws(Errno) in try file.statusBetweenWrites().size }
    heads = KnownHeads(of: content, endingAt: end)
    return nil
  }

  @inline(never)
  private func rewrite(
    _ content: borrowing StoredContent, with stored: StoredResponse, inPlaceOf original: FileToRewrite
  ) throws(StoreError) -> RewriteOutcome {
    var terms = terms(toChange: content.name)
    // The limit on content is for new responses, and this one is stored already.
    terms.limits.largestContent = .max
    var writer = try EntryWriter(openForWriting(), terms)
    do throws(ContentFailure<StoreError>) {
      try content.forEachVerifiedChunk { (bytes) throws(StoreError) in try writer.append(bytes) }
    } catch {
      switch error {
      case .damaged(let entry, _): throw .damaged(entry)
      case .sink(let failure): throw failure
      case .interrupted: throw .failed(.updatingEntry, .interrupted)
      }
    }
    return try writer.commit(stored, inPlaceOf: original)
  }
}

/// The outcome of copying an entry to replace its file.
enum RewriteOutcome {
  case rewritten
  /// The file has another head by now, which the copy lacks, or has just lost its name. The next attempt tells which.
  case outdated
  /// Another file has the name by now, or none has it.
  case superseded
}

/// The file of a stored response that is going to be rewritten.
struct FileToRewrite {
  let name: EntryName
  private let key: CacheKey
  private let selecting: SelectingFields
  private let status: FileStatus
  /// The length up to which the file has been read, in bytes.
  private let size: Int64

  init(_ content: borrowing StoredContent, endingAt size: Int64) {
    name = content.name
    key = content.stored.key
    selecting = content.stored.selecting
    status = content.entry.status
    self.size = size
  }

  enum State {
    case unchanged(EntryGlance)
    case headAppended
    case superseded
  }

  func state(in root: borrowing StoreRoot) throws(StoreError) -> State {
    // A variant that no list leads to has been superseded by a response that does not vary, or is about to be.
    if let primary = name.primaryOfVariant {
      guard try EntryGlance(at: primary, in: root).variants(under: key)?.contains(selecting) == true else {
        return .superseded
      }
    }
    guard let found = try EntryGlance(at: name, in: root), found.status.isSameFile(as: status) else {
      return .superseded
    }
    return found.status.size == size ? .unchanged(found) : .headAppended
  }
}

/// What is known of the heads in an entry's file while a head is appended to it.
private struct KnownHeads {
  /// The last head that this run has not appended.
  let last: LastHead
  /// The head that this run has appended behind it.
  private(set) var written: StoredResponse?
  /// The offset in the file at which the heads end.
  private(set) var end: Int64

  /// The heads as they were when the entry was opened.
  init(of content: borrowing StoredContent) {
    last = LastHead(of: content)
    end = content.entry.status.size
  }

  @inline(never)
  init(of content: borrowing StoredContent, endingAt end: Int64) {
    last = LastHead(of: content, endingAt: end)
    self.end = end
  }

  mutating func noteAppended(_ head: StoredResponse, bytes: Int) {
    written = head
    end += Int64(bytes)
  }

  /// The head to append if the last one needs no change: another run's head, which lies before this run's, is appended
  /// once more, so that it comes last.
  var toRestore: StoredResponse? { written == nil || last.stored.isDoubtful ? nil : last.stored }
}

/// The last head in an entry's file.
private struct LastHead {
  let stored: StoredResponse
  let tail: OpenEntry.Tail

  /// The last head as it was when the entry was opened.
  init(of content: borrowing StoredContent) {
    stored = content.stored
    tail = content.entry.tail
  }

  /// The last head before `end`, which is an offset in the file. What is not intelligible counts as remains.
  @inline(never)
  init(of content: borrowing StoredContent, endingAt end: Int64) {
    let start = content.entry.geometry.headsOffset
    let count = Int(clamping: end - start)
    guard count <= EntryFormat.maximumTailBytes,
      let bytes = try? content.entry.descriptor.readBytes(limit: max(0, count), at: start), bytes.count == count,
      let records = try? HeadRecords(in: bytes[...], content.entry.preamble.generation),
      case .response(var last, _) = try? HeadCodec.decode(records.last, content.entry.preamble)
    else {
      stored = content.stored
      tail = OpenEntry.Tail(bytes: max(0, count), hasRemains: true)
      return
    }
    last.isDoubtful = records.hasRemains
    stored = last
    tail = OpenEntry.Tail(bytes: count, hasRemains: records.hasRemains)
  }
}

extension StoredResponse {
  fileprivate func fitting(_ content: borrowing StoredContent) -> StoredResponse {
    var stored = fitting(contentOf: content.stored)
    stored.contentLength = content.length
    stored.isDoubtful = false
    return stored
  }
}
