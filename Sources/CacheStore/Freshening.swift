package import HTTPCaching
import Platform

/// What has become of a stored response that has been validated.
package enum FreshenedEntry: Hashable, Sendable {
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
  /// - Parameter stored: its key, selecting fields, length, extent and pin are of no account: the content's are kept.
  @discardableResult
  package func freshen(
    _ content: borrowing StoredContent, with stored: StoredResponse
  ) throws(StoreError) -> FreshenedEntry {
    var stored = stored
    stored.isPinned = content.stored.isPinned
    return try changeHead(of: content, to: stored)
  }

  /// Gives an entry a new head that goes with its content.
  ///
  /// - Parameter stored: its key, selecting fields, length and extent are of no account: the content's are kept.
  func changeHead(
    of content: borrowing StoredContent, to stored: StoredResponse
  ) throws(StoreError) -> FreshenedEntry {
    guard let root = try StoreRoot.open(root) else { return .superseded }
    var stored = stored
    stored.key = content.stored.key
    stored.selecting = content.stored.selecting
    stored.contentLength = content.length
    stored.extent = content.stored.extent
    stored.isDoubtful = false
    guard case .response(_, let tableSum) = content.entry.head,
      let payload = HeadCodec.encode(.response(stored, tableSum: tableSum))
    else { throw .headTooLarge }
    let record = HeadRecord.encode(payload, content.entry.preamble.generation)
    guard let file = try openForAppending(content, in: root) else { return .superseded }
    let status = try storing(.updatingEntry) { () throws(Errno) in try file.status() }
    // A name that stands for another file by now stands for another response.
    guard status.isSameFile(as: content.entry.status) else { return .superseded }
    let tail = content.entry.tail
    if status.linkCount > 1 || tail.hasRemains || tail.bytes + record.count > EntryFormat.compactionBytes {
      try rewrite(content, with: stored)
      return .rewritten
    }
    let tallies = try Tallies.existing(in: root)
    let old = EntryWeight(content.name, content.entry.status.size, content.entry.head)
    tallies.add(
      EntryWeight(content.name, old.bytes + Int64(record.count), .response(stored, tableSum: tableSum)))
    // Where the record has been written and something fails then, the sum is too high: the safe side.
    do throws(Errno) {
      try file.writeOnce(record)
      tallies.remove(old)
      if limits.isDurable { try file.synchronize() }
      try file.close()
    } catch {
      throw .failed(.updatingEntry, error)
    }
    return .appended
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
    _ content: borrowing StoredContent, with stored: StoredResponse
  ) throws(StoreError) {
    var terms = PublishingTerms(limits: limits, clock: clock)
    // It is stored already, whatever has been said of others since.
    terms.limits.largestContent = .max
    var writer = try EntryWriter(self.root, terms)
    do throws(DeliveryFailure<StoreError>) {
      try content.forEachVerifiedChunk { (bytes) throws(StoreError) in try writer.append(bytes) }
    } catch {
      switch error {
      case .damaged(let entry, _): throw .damaged(entry)
      case .sink(let failure): throw failure
      }
    }
    try writer.commit(stored)
  }
}
