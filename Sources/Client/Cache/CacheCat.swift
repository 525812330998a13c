import CacheStore
import HTTPCaching
import Platform

/// `garner cache cat`: prints the body of a stored response.
extension CacheCommand {
  func cat() throws(Failure) {
    let entries = try entriesOfURL()
    guard let entry = entries.first(where: { !$0.stored.isPart }) else {
      throw .absent(entries[0].target, isPartThere: true)
    }
    let content = try open(entry)
    if printer.isTerminal { try show(content, of: entry) } else { try send(content, of: entry) }
  }

  private func send(_ content: borrowing StoredContent, of entry: ListedEntry) throws(Failure) {
    do throws(ContentFailure<Errno>) {
      try content.send(to: printer.output)
    } catch {
      if let failure = Self.failure(error, of: entry, { .output(nil, $0) }) { throw failure }
    }
  }

  /// Prints content on a terminal, until there is a NUL: as in a fetch, such content is no text.
  private func show(_ content: borrowing StoredContent, of entry: ListedEntry) throws(Failure) {
    let terminal = printer.output
    do throws(ContentFailure<Failure>) {
      try content.forEachVerifiedChunk { (bytes) throws(Failure) in
        if bytes.contains(0) { throw .binary(entry.target, isFetched: false) }
        do throws(Errno) { try terminal.writeAll(bytes) } catch { throw .output(nil, error) }
      }
    } catch {
      if let failure = Self.failure(error, of: entry, { $0 }) { throw failure }
    }
  }

  private func open(_ entry: ListedEntry) throws(Failure) -> StoredContent {
    let content: StoredContent?
    do throws(StoreError) {
      content = try store.open(entry.walked)
    } catch .damaged(let found) {
      throw InaccessibleEntries.failure(of: entry.target, found.damage)
    } catch {
      throw .store(cannot: purpose, in: store.root, error)
    }
    guard let content else { throw .absent(entry.target) }
    return content
  }

  /// - Returns: `nil` if the printing has stopped without a signal.
  private static func failure<Sink: Error>(
    _ error: ContentFailure<Sink>, of entry: ListedEntry, _ ofSink: (Sink) -> Failure
  ) -> Failure? {
    switch error {
    case .damaged(let found, delivered: _) where found.damage == .changedMeanwhile: .changedStored(entry.target)
    case .damaged(_, delivered: 0): .entryDamaged(entry.target)
    case .damaged: .damagedWhileDelivered(entry.target)
    case .sink(let error): ofSink(error)
    case .interrupted: Signals.pending.map { .interrupted($0) }
    }
  }
}
