import CacheStore
import Platform

/// Entries that are another user's: nobody reads them, whatever may be in them.
enum ForeignEntries {
  static func words(_ count: Int) -> String {
    "\(Words.count(count, "entry belongs", "entries belong")) to another user"
  }

  static func failure(to purpose: String, _ count: Int, of store: Store) -> Failure {
    .store(
      "cannot \(purpose) all of the cache in \(Escaping.visible(store.root.bytes)): \(words(count))",
      hint: "'chown -R' gives them to another user, for root")
  }
}
