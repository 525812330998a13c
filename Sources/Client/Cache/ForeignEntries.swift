import CacheStore
import HTTPSemantics
import Platform

/// Entries that are another user's, or may not be read: nobody reads them, whatever may be in them.
enum ForeignEntries {
  static func words(_ count: Int) -> String {
    "\(Words.count(count, "entry belongs", "entries belong")) to another user"
  }

  static func words(_ count: Int, unreadFor reason: Errno) -> String {
    "\(Words.count(count, "entry", "entries")) cannot be read: \(reason)"
  }

  /// - Parameters:
  ///   - count: of those that are another user's.
  ///   - unread: how many others may not be read.
  static func failure(to purpose: String, _ count: Int, unread: Int, of store: Store) -> Failure {
    let reasons = (count > 0 ? [words(count)] : []) + (unread > 0 ? [words(unread, unreadFor: .accessDenied)] : [])
    return failure(to: purpose, reasons.joined(separator: ", "), of: store, hint: count > 0 ? hint : nil)
  }

  static func failure(to purpose: String, _ reason: String, of store: Store, hint: String? = nil) -> Failure {
    .store("cannot \(purpose) all of the cache in \(Escaping.visible(store.root.bytes)): \(reason)", hint: hint)
  }

  /// Of the one response that a command is about, which is damaged, another user's, or may not be read.
  static func failure(of target: TargetURI, _ damage: Damage) -> Failure {
    if damage.isUnread {
      return .store(
        "the stored response for \(Escaping.shown(target)) cannot be read: \(Errno.accessDenied)", hint: nil)
    }
    guard damage.isForeign else { return .entryDamaged(target) }
    return .store("the stored response for \(Escaping.shown(target)) belongs to another user", hint: hint)
  }

  private static let hint = "'chown -R' gives them to another user, for root"
}
