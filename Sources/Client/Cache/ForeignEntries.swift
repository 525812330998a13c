import CacheStore
import Platform
import Synchronization

/// How many entries have been met that are another user's: nobody reads them, whatever may be in them.
final class ForeignEntries: Sendable {
  private let found = Atomic(0)

  static func words(_ count: Int) -> String {
    "\(Words.count(count, "entry belongs", "entries belong")) to another user"
  }

  static func failure(to purpose: String, _ count: Int, of store: Store) -> Failure {
    .store(
      "cannot \(purpose) all of the cache in \(Escaping.visible(store.root.bytes)): \(words(count))",
      hint: "'chown -R' gives them to another user, for root")
  }

  var count: Int { found.load(ordering: .relaxed) }

  /// To be called for each entry; by several threads at the same time, too.
  func look(at entry: WalkedEntry) {
    if case .damaged(.foreign) = entry.state { found.add(1, ordering: .relaxed) }
  }
}
