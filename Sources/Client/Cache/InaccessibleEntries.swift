import CacheStore
import HTTPSemantics
import Platform

/// Messages about entries that belong to another user or may not be read. No command reads them, whatever they hold.
enum InaccessibleEntries {
  static func words(_ count: Int) -> String {
    "\(Words.count(count, "entry belongs", "entries belong")) to another user"
  }

  static func words(_ count: Int, unreadFor reason: Errno) -> String {
    "\(Words.count(count, "entry", "entries")) cannot be read: \(reason)"
  }

  /// - Parameters:
  ///   - count: the number of entries that belong to another user.
  ///   - unread: the number of other entries that may not be read.
  static func failure(to purpose: String, _ count: Int, unread: Int, of store: Store) -> Failure {
    let reasons = (count > 0 ? [words(count)] : []) + (unread > 0 ? [words(unread, unreadFor: .accessDenied)] : [])
    return failure(to: purpose, reasons.joined(separator: ", "), of: store, hint: count > 0 ? hint : nil)
  }

  static func failure(to purpose: String, _ reason: String, of store: Store, hint: String? = nil) -> Failure {
    .store("cannot \(purpose) all of the cache in \(Escaping.visible(store.root.bytes)): \(reason)", hint: hint)
  }

  /// Returns the failure for a single response that is damaged, belongs to another user, or may not be read.
  static func failure(of target: TargetURI, _ damage: Damage) -> Failure {
    if damage.isAccessDenied {
      return .store(
        "the stored response for \(Escaping.shown(target)) cannot be read: \(Errno.accessDenied)", hint: nil)
    }
    guard damage.isForeign else { return .entryDamaged(target) }
    return .store("the stored response for \(Escaping.shown(target)) belongs to another user", hint: hint)
  }

  private static let hint = "root can change the owner with 'chown -R'"
}
