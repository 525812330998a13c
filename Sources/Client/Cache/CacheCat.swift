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
    do throws(ContentFailure<Errno>) {
      try content.send(to: printer.output)
    } catch {
      if let failure = failure(error, of: entry) { throw failure }
    }
  }

  private func open(_ entry: ListedEntry) throws(Failure) -> StoredContent {
    let content: StoredContent?
    do throws(StoreError) {
      content = try store.open(entry.walked)
    } catch .damaged(let found) {
      throw ForeignEntries.failure(of: entry.target, found.damage)
    } catch {
      throw .store(cannot: purpose, in: store.root, error)
    }
    guard let content else { throw .absent(entry.target) }
    return content
  }

  /// - Returns: `nil` if the printing has stopped without a signal.
  private func failure(_ error: ContentFailure<Errno>, of entry: ListedEntry) -> Failure? {
    switch error {
    case .damaged(let found, delivered: _) where found.damage == .changedMeanwhile: .changedStored(entry.target)
    case .damaged(_, delivered: 0): .entryDamaged(entry.target)
    case .damaged: .damagedWhileDelivered(entry.target)
    case .sink(let error): .output(nil, error)
    case .interrupted: Signals.pending.map { .interrupted($0) }
    }
  }
}
