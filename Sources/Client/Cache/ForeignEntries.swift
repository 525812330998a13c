import CacheStore
import HTTPSemantics
import Platform

/// Entries that are another user's: nobody reads them, whatever may be in them.
enum ForeignEntries {
  static func words(_ count: Int) -> String {
    "\(Words.count(count, "entry belongs", "entries belong")) to another user"
  }

  static func failure(to purpose: String, _ count: Int, of store: Store) -> Failure {
    .store(
      "cannot \(purpose) all of the cache in \(Escaping.visible(store.root.bytes)): \(words(count))",
      hint: hint)
  }

  /// Of the one response that a command is about, which is damaged or another user's.
  static func failure(of target: TargetURI, _ damage: Damage) -> Failure {
    guard damage.isForeign else { return .entryDamaged(target) }
    return .store("the stored response for \(Escaping.shown(target)) belongs to another user", hint: hint)
  }

  private static let hint = "'chown -R' gives them to another user, for root"
}
