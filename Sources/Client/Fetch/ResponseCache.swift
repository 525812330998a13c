import CacheStore
import Digests
import HTTPCaching
import HTTPSemantics
import Platform
import Transport

/// The store as a fetch sees it: whatever goes wrong in it is a miss, or a response that is not stored, with a reason.
final class ResponseCache {
  private let store: Store?
  private let diagnostics: Diagnostics
  /// The key of all keyed digests, once it has been read.
  private var secret: [UInt8]?
  /// Whether the run may make such a key: one that only reads makes nothing.
  private var mayCreateSecret = true
  /// Set at the first failure: the store is let alone for the rest of the run.
  private var isOff = false
  /// Set when the store turns out not to be writable.
  private var isReadOnly = false

  init(_ plan: StorePlan, _ clock: Clock, _ diagnostics: Diagnostics) {
    self.diagnostics = diagnostics
    store = plan.root.map { Store(root: $0, clock: clock) }
    if store == nil {
      diagnostics.warn("there is no directory for the cache: set HOME, XDG_CACHE_HOME or GARNER_CACHE_DIR")
    }
  }

  /// Looks up what is stored for a request.
  ///
  /// A request whose credentials or query cannot be concealed is kept out of the cache: its policy becomes one that
  /// does not store.
  func lookup(_ hop: inout Hop) -> CachedLookup {
    if hop.policy == .noStore { return CachedLookup(key: CacheKey(hop.request.target)) }
    mayCreateSecret = hop.policy.allowsNetwork
    guard let key = key(of: hop) else {
      if hop.policy.allowsNetwork { hop.policy = .noStore }
      return CachedLookup(key: CacheKey(hop.request.target))
    }
    guard let store, !isOff, hop.request.method.isAnsweredFromCache else {
      return CachedLookup(key: key)
    }
    let found = store.lookup(key, for: hop.request.fields, concealing: conceal)
    if let fault = found.fault { note(fault, about: hop.request.target) }
    return CachedLookup(key: key, found)
  }

  /// - Returns: `nil` where what belongs to it cannot be concealed.
  private func key(of hop: Hop) -> CacheKey? {
    let trust = hop.request.target.origin.scheme == .https ? hop.trust : []
    var audience: [UInt8]?
    if let bytes = Audience(of: hop.request, trust: trust).canonicalBytes {
      audience = conceal(bytes)
      if audience == nil { return nil }
    }
    var content: [UInt8]?
    if let bytes = QueryContent.canonicalBytes(of: hop.request, content: hop.content.octets) {
      content = conceal(bytes)
      if content == nil { return nil }
    }
    return CacheKey(hop.request.target, audience: audience, content: content)
  }

  /// A keyed digest of what may be a secret; `nil` where there is no key to be had.
  func conceal(_ bytes: [UInt8]) -> [UInt8]? {
    guard let store, !isOff else { return nil }
    do throws(StoreError) {
      if secret == nil { secret = try store.secret(creating: mayCreateSecret) }
    } catch {
      turnOff(error)
    }
    return secret.map { keyedDigest(key: $0, message: bytes) }
  }

  /// - Returns: `nil` where nothing can be stored.
  func beginInsertion(of stored: StoredResponse) -> Insertion? {
    guard let store, !isOff, !isReadOnly else { return nil }
    do throws(StoreError) {
      return Insertion(try store.beginInsertion(), stored) { [unowned self] in noteUnwritable($0) }
    } catch {
      noteUnwritable(error)
      return nil
    }
  }

  /// Does what a conclusion says to what is stored already.
  func apply(_ change: Conclusion.Change, to lookup: CachedLookup) {
    guard let store, !isOff, !isReadOnly else { return }
    do throws(StoreError) {
      switch change {
      case .freshen(let stored): try lookup.freshen(with: stored, in: store)
      case .remove: try store.remove(lookup.key)
      case .insert, .none: break
      }
    } catch {
      noteUnwritable(error)
    }
  }

  /// Removes everything stored for a URI, whoever asked for it (RFC 9111 section 4.4).
  func invalidate(_ target: TargetURI) {
    guard let store, !isOff else { return }
    do throws(StoreError) {
      try store.removeAll(for: target)
      diagnostics.note("cache: \(Escaping.shown(target)) is invalidated")
    } catch {
      turnOff(error)
    }
  }

  /// Removes what an answer declares void for its whole origin.
  func invalidate(_ invalidation: OriginInvalidation) {
    guard let store, !isOff else { return }
    do throws(StoreError) {
      let count = try store.removeAll(coveredBy: invalidation)
      let field = invalidation.extent == .everything ? FieldName.clearSiteData : .cacheGroupInvalidation
      let origin = Escaping.visible(invalidation.origin.description)
      diagnostics.note("cache: \(field) of \(origin): responses removed: \(count)")
    } catch {
      turnOff(error)
    }
  }

  /// Does `work` unless somebody else is at work for the same key.
  func alone(with hop: Hop, _ work: () -> Void) {
    var hop = hop
    let key = lookup(&hop).key
    guard let store, !isOff else { return }
    switch store.lock(key) {
    case .taken: return
    case .held(let lock):
      work()
      // Held until the work is done.
      _ = consume lock
    case .impossible: work()
    }
  }

  /// Notes that a stored response has been served.
  func noteUse(of lookup: CachedLookup) {
    if let store, !isOff { lookup.touch(in: store) }
  }

  func dropDamaged(_ damaged: DamagedEntry) {
    // What cannot be removed is found damaged again.
    try? store?.drop(damaged)
  }

  private func note(_ fault: StoreError, about target: TargetURI) {
    if case .damaged = fault {
      diagnostics.warn("the stored response for \(Escaping.shown(target)) is not used: \(fault)")
    } else {
      turnOff(fault)
    }
  }

  private func turnOff(_ error: StoreError) {
    isOff = true
    let place = store.map { " in \(Escaping.visible($0.root.bytes))" } ?? ""
    diagnostics.warn("the cache\(place) is not used: \(error)")
  }

  /// A store that cannot be written is read all the same; one whose owner has made it so needs no warning.
  private func noteUnwritable(_ error: StoreError) {
    isReadOnly = true
    if error.isReadOnly {
      diagnostics.note("cache: nothing is stored: \(error)")
    } else {
      let place = store.map { " in \(Escaping.visible($0.root.bytes))" } ?? ""
      diagnostics.warn("nothing is stored in the cache\(place): \(error)")
    }
  }
}

extension OutgoingMessage.Content {
  /// What is sent, empty where nothing is.
  fileprivate var octets: [UInt8] {
    switch self {
    case .none: []
    case .bytes(let bytes): bytes
    }
  }
}
