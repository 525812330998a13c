package import HTTPCaching
import Platform

/// What has become of a stored response that has been validated.
package enum FreshenedEntry: Equatable, Sendable {
  /// One head more in its file.
  case appended
  /// Copied to a new file, which has taken the old one's place.
  case rewritten
  /// Another response is stored by now, or none: it is left alone.
  case superseded
}

extension Store {
  /// Gives a stored content a new head, after a 304 (RFC 9111 section 4.3.4).
  ///
  /// It costs one write, however long the content. A file with a further name, such as a backup's, with remains of an
  /// interrupted write, or with many heads, is rewritten instead.
  ///
  /// - Parameter stored: its key, selecting fields, length and extent are of no account: the content's are kept. Its
  ///   marks are added to those that the entry has by now.
  @discardableResult
  package func freshen(
    _ content: borrowing StoredContent, with stored: StoredResponse
  ) throws(StoreError) -> FreshenedEntry {
    try changeHead(of: content) { last in
      var fresh = stored
      fresh.marks = last.marks.adding(stored.marks)
      return fresh
    }
  }

  /// Gives an entry another head that goes with its content.
  ///
  /// - Parameter change: makes it of the last one that the file has; `nil` leaves the entry as it is. What it says of
  ///   key, selecting fields, length and extent is of no account. It may be called again, where another run has
  ///   appended a head in the meantime.
  func changeHead(
    of content: borrowing StoredContent, _ change: (StoredResponse) -> StoredResponse?
  ) throws(StoreError) -> FreshenedEntry {
    guard let opened = try openRoot() else { return .superseded }
    guard let file = try openForAppending(content, in: opened.root) else { return .superseded }
    EntryChange.begin(in: file)
    let status = try storing(.updatingEntry) { () throws(Errno) in try file.statusBetweenWrites() }
    // A name that stands for another file by now stands for another response.
    guard status.isSameFile(as: content.entry.status) else { return .superseded }
    let tallies = try Tallies.existing(in: opened.root)
    var last = LastHead(of: content)
    var end = status.size
    if end != content.entry.status.size { last = LastHead(of: content, endingAt: end) }
    var written: StoredResponse?
    var outcome = FreshenedEntry.superseded
    for _ in 0..<Self.attemptsToAppend {
      // Where the other run's head needs no change any more, it must still come last: this run's lies behind it.
      let restored = written == nil || last.stored.isDoubtful ? nil : last.stored
      guard let changed = (change(last.stored) ?? restored)?.fitting(content) else { return .superseded }
      if changed == written { break }
      let record = try Self.record(of: changed, for: content)
      let tail = last.tail
      if status.linkCount > 1 || tail.hasRemains || outgrows(content, tail, by: Int64(record.count), tallies) {
        // A copy may take long; who replaces the file by it begins a change anew.
        EntryChange.end(in: file)
        switch try rewrite(content, with: changed, inPlaceOf: Original(content, endingAt: end)) {
        case .rewritten: return .rewritten
        case .superseded: return .superseded
        case .outdated: EntryChange.begin(in: file)
        }
        end = try storing(.updatingEntry) { () throws(Errno) in try file.statusBetweenWrites().size }
        (written, last) = (nil, LastHead(of: content, endingAt: end))
        continue
      }
      guard let place = try append(record, to: file, endingAt: end, of: content, changed, in: opened.root, tallies)
      else { return .superseded }
      outcome = .appended
      // Nobody has appended in between, or their head has been taken into account.
      if place == end { break }
      (written, last, end) = (changed, LastHead(of: content, endingAt: place), place + Int64(record.count))
    }
    // An entry that has lost its name, even to its replacement, is no longer the stored one.
    let isNamed = try storing(.updatingEntry) { () throws(Errno) in try file.status().linkCount > 0 }
    do throws(Errno) {
      try file.close()
    } catch {
      throw .failed(.updatingEntry, error)
    }
    return isNamed ? outcome : .superseded
  }

  /// As many times another run would have to change the same entry between two system calls of this one.
  private static let attemptsToAppend = 100

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

  /// Whether one more record would waste space that rewriting the file gives back: where the store has no room for it,
  /// and the heads are the larger part of the file, or the content is quickly copied.
  private func outgrows(
    _ content: borrowing StoredContent, _ tail: OpenEntry.Tail, by growth: Int64, _ tallies: borrowing Tallies
  ) -> Bool {
    if Int64(tail.bytes) + growth > EntryFormat.compactionBytes { return true }
    guard content.entry.geometry.headsOffset <= max(tail.bytes, EntryFormat.blockBytes) else { return false }
    return Eviction(terms(toChange: content.name)).isNeeded(for: growth, tallies)
  }

  /// - Returns: where the record has come to lie in the file; `nil` where that has lost its name.
  private func append(
    _ record: [UInt8], to file: borrowing OwnedDescriptor, endingAt end: Int64, of content: borrowing StoredContent,
    _ stored: StoredResponse, in root: borrowing StoreRoot, _ tallies: borrowing Tallies
  ) throws(StoreError) -> Int64? {
    let growth = Int64(record.count)
    let old = EntryWeight(content.name, content.entry.status.size, content.entry.head)
    let new = EntryWeight(content.name, old.bytes + growth, .response(stored, tableSum: 0))
    try makeRoom(for: new, of: content.name, growth: growth, in: root, tallies)
    // A part of a record is worse than none: it puts what is stored in doubt.
    try storing(.updatingEntry) { () throws(Errno) in try file.allocate(end + growth) }
    // Who has taken its name away meanwhile has not counted what would be appended to it now, and takes nothing of that
    // off again.
    guard try storing(.updatingEntry, { () throws(Errno) in try file.status().linkCount > 0 }) else { return nil }
    let counted = tallies.beginGrowth(from: old, to: new)
    try storing(.updatingEntry) { () throws(Errno) in
      // Whatever has been written of it, the sum is not too low then.
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

  private func rewrite(
    _ content: borrowing StoredContent, with stored: StoredResponse, inPlaceOf original: Original
  ) throws(StoreError) -> Rewriting {
    var terms = terms(toChange: content.name)
    // It is stored already, whatever has been said of others since.
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

/// What has become of a copy that was to take the place of the file that it is of.
enum Rewriting {
  case rewritten
  /// The file has another head by now, which the copy lacks, or has just lost its name. The next attempt tells.
  case outdated
  /// Another file has the name by now, or none.
  case superseded
}

/// The file of a stored response that is going to be rewritten.
struct Original {
  let name: EntryName
  private let key: CacheKey
  private let selecting: SelectingFields
  private let status: FileStatus
  /// In bytes: what lies behind that has not been read.
  private let size: Int64

  init(_ content: borrowing StoredContent, endingAt size: Int64) {
    name = content.name
    key = content.stored.key
    selecting = content.stored.selecting
    status = content.entry.status
    self.size = size
  }

  enum Standing {
    case unchanged(EntryGlance)
    case headAppended
    case superseded
  }

  func standing(in root: borrowing StoreRoot) throws(StoreError) -> Standing {
    // What no list leads to, a response that answers whatever the fields are has superseded, or is about to.
    if let primary = name.primaryOfVariant {
      guard let list = try EntryGlance(at: primary, in: root)?.variants, list.key == key,
        list.variants.contains(selecting)
      else { return .superseded }
    }
    guard let found = try EntryGlance(at: name, in: root), found.status.isSameFile(as: status) else {
      return .superseded
    }
    return found.status.size == size ? .unchanged(found) : .headAppended
  }
}

/// The last head that is in an entry's file.
private struct LastHead {
  let stored: StoredResponse
  let tail: OpenEntry.Tail

  /// As it was when the entry was opened.
  init(of content: borrowing StoredContent) {
    stored = content.stored
    tail = content.entry.tail
  }

  /// Before `end`, in bytes from the beginning of the file. What is not intelligible counts as remains.
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
