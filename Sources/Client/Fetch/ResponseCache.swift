import CacheStore
import Digests
import HTTPCaching
import HTTPSemantics
import Platform
import Transport

/// The store, and memory in front of it, as a fetch sees them: a failure of the store becomes a miss, or a response
/// that is not stored, with a reason.
///
/// This file looks up. The rest is in files of its own: `InsertionDestination.swift` (where a response is kept, and how
/// an insertion begins), `HookedStoring.swift` (the user's hook), `StoredChanges.swift` (what an answer does to stored
/// responses), `Collapsing.swift` (whose turn it is to ask the origin), `DigestSearch.swift` and `DigestReuse.swift`
/// (what has a digest that was typed), `CacheUpkeep.swift` (what is noted of a use, or of damage).
final class ResponseCache {
  let store: Store?
  /// The store in place of `store` if the disk is turned off: nothing is looked up in it, but invalidated responses
  /// have to go (RFC 9111 section 4.4).
  let unusedStore: Store?
  let memory: MemoryTier
  let clock: Clock
  /// How long a run waits without news for another run that asks for the same response.
  let collapseLimitNanoseconds: UInt64
  let diagnostics: Diagnostics
  let condition: StoreCondition
  let faults: StoreFaults
  let reclaimableSpace: ReclaimableSpace
  let dropsDamaged: Bool
  /// The turns of this thread; `nil` if the run has no parallel transfers.
  let keyTurns: ThreadTurns?
  /// Kept while a thread looks up a few URLs one after the other; see `endVisit`.
  private var visit: StoreVisit?
  /// The target for which damage was found last: `holdsSome` does not report that a response is stored for it.
  var damagedTarget: TargetURI?
  /// The counter of `condition`, kept here because asking for it takes a lock.
  var counter: ResultCounter?

  var isOff: Bool { condition.isOff }
  /// The store, unless a failure has turned it off.
  var storeInUse: Store? { isOff ? nil : store }
  /// The hint if there is no directory for a store, unless a warning gives it.
  private let directoryHint: String?
  /// The hint for a response that is missing because the cache is not used; empty, which shows none, if the store could
  /// not be used.
  var hint: String? { directoryHint ?? (isOff ? "" : nil) }
  /// Why a run whose purpose is to store could not store.
  var failure: Failure? { faults.failure }

  init(_ plan: StorePlan, _ clock: Clock, _ diagnostics: Diagnostics) {
    self.clock = clock
    self.diagnostics = diagnostics
    condition = StoreCondition()
    faults = StoreFaults(condition, diagnostics, plan)
    dropsDamaged = plan.dropsDamaged
    keyTurns = nil
    memory = MemoryTier(plan.memory)
    let disk = plan.root.map {
      Store(root: $0, home: plan.home, clock: clock, limits: plan.limits, isKeptOpen: true)
    }
    // A store without capacity is not used.
    (store, unusedStore) = plan.limits.capacity > 0 ? (disk, nil) : (nil, disk)
    reclaimableSpace = ReclaimableSpace(store, faults)
    collapseLimitNanoseconds = plan.collapseLimitNanoseconds
    directoryHint = plan.root == nil && diagnostics.verbosity.isSilent ? plan.noDirectory.hint : nil
    if plan.root == nil { faults.turnOff(plan.noDirectory) }
  }

  /// Makes the cache of another thread of the run. Each thread has its own; they share what they keep and find out.
  init(besides other: ResponseCache, turns: ThreadTurns) {
    store = other.store
    unusedStore = other.unusedStore
    directoryHint = other.directoryHint
    memory = other.memory
    clock = other.clock
    collapseLimitNanoseconds = other.collapseLimitNanoseconds
    diagnostics = other.diagnostics
    condition = other.condition
    faults = other.faults
    reclaimableSpace = other.reclaimableSpace
    dropsDamaged = other.dropsDamaged
    keyTurns = turns
  }

  /// Makes the next look-up check that the store is still there, and this user's alone. To be called before each block
  /// of URLs, and before the thread waits; without threads, each look-up checks it.
  func endVisit() { visit = nil }

  /// Whether any response is stored for a target, under whatever key.
  func holdsSome(for target: TargetURI) -> Bool {
    guard let store = storeInUse, damagedTarget != target, let entries = try? store.entries(for: target) else {
      return false
    }
    return entries.contains { if case .response = $0.state { true } else { false } }
  }

  /// Looks up the stored response for a request.
  ///
  /// A request whose credentials or content cannot be concealed has no complete key, and is to bypass the cache.
  func lookup(_ hop: Hop) -> CachedLookup {
    if hop.policy == .noStore { return CachedLookup(key: CacheKey(hop.primaryKey)) }
    let key: CacheKey
    switch self.key(of: hop) {
    case .complete(let complete): key = complete
    case .incomplete(let reason): return CachedLookup(key: CacheKey(hop.primaryKey), bypassReason: reason)
    }
    guard hop.request.isAnsweredFromCache else { return CachedLookup(key: key) }
    return lookup(key, for: hop)
  }

  /// Answers from memory if the response there may be served even without the permission to serve a stale one, and has
  /// all marks that the hop sets. Otherwise looks at the disk first, which may have something newer by now.
  private func lookup(_ key: CacheKey, for hop: Hop) -> CachedLookup {
    keyTurns?.noteLookup()
    let conceal = concealer(for: hop)
    let held = memory.store.lookup(key, for: hop.request.fields, concealing: conceal)
    if held.content != nil, held.selection.stored?.marks.include(hop.terms.marks) == true,
      case .serve(let reuse) = decideReuse(
        of: held.selection, for: hop.request, under: hop.reuseTerms, at: clock.timestamp),
      reuse.grant == nil
    {
      diagnostics.note("cache: found in memory")
      return CachedLookup(key: key, held)
    }
    guard let store = storeInUse else { return CachedLookup(key: key, held) }
    let found = store.lookup(key, for: hop.request.fields, concealing: conceal, in: &visit)
    if keyTurns == nil { endVisit() }
    if let fault = found.fault { note(fault, about: hop) }
    let isFoundDamaged = found.fault != nil && held.content == nil
    guard isFoundDamaged || found.selection.isPreferred(to: held.selection) else {
      return CachedLookup(key: key, held)
    }
    let lookup = CachedLookup(key: key, found)
    // If both have the same response, the one on the disk is taken, so that a change reaches both.
    if isNewerInMemory(held.selection, than: lookup.selection), !lookup.isSame(as: held) {
      return CachedLookup(key: key, held)
    }
    if lookup.selection != held.selection { memory.hold(lookup, as: hop.storage) }
    return lookup
  }

  /// Whether the response in memory would have replaced the one on the disk if it could have been stored there.
  private func isNewerInMemory(_ held: Selection, than found: Selection) -> Bool {
    guard let held = held.stored, let found = found.stored else { return false }
    return held.replaces(found) && held.isAskedFor(after: found) || held.outdates(found)
  }

  /// Whether something is stored under a key by now, after a look-up that found nothing.
  func hasAppeared(_ key: CacheKey) -> Bool {
    memory.store.contains(key) || storeInUse?.contains(key) == true
  }

  private enum KeyOutcome {
    case complete(CacheKey)
    /// A component of the key cannot be concealed, or is not at hand.
    case incomplete(NotStored)
  }

  private func key(of hop: Hop) -> KeyOutcome {
    let trust = hop.terms.trust.lines(
      for: hop.request.target.origin.scheme, showingClient: hop.showsClientCertificate)
    var audience: [UInt8]?
    if let bytes = Audience(of: hop.request, trust: trust, under: hop.keyRules).canonicalBytes {
      audience = concealer(for: hop)(bytes)
      if audience == nil { return .incomplete(.cannotConceal) }
    }
    var content: SentContent?
    // Content that is read while it is sent cannot be compared before.
    if hop.content.octets == nil, hop.request.isAnsweredFromCache { return .incomplete(.contentUnread) }
    if let bytes = SentContent.canonicalBytes(of: hop.request, content: hop.content.octets ?? []) {
      guard let digest = concealer(for: hop)(bytes) else { return .incomplete(.cannotConceal) }
      content = SentContent(digest, sentWith: hop.request.method)
    }
    return .complete(CacheKey(hop.primaryKey, audience: audience, content: content))
  }

  /// Returns a function that makes keyed digests of what may be a secret of a hop. It returns `nil` if there is no key.
  func concealer(for hop: Hop) -> SelectingFields.Concealer {
    let mayCreate = hop.mayCreate
    let mayUseOwn = memory.holds(hop.storage)
    return { [self] bytes in
      guard let key = storeSecret(creating: mayCreate) ?? (mayUseOwn ? condition.ownSecret : nil) else { return nil }
      return keyedDigest(key: key, message: bytes)
    }
  }

  private func storeSecret(creating mayCreate: Bool) -> [UInt8]? {
    guard let store = storeInUse else { return nil }
    if let secret = condition.secret { return secret }
    do throws(StoreError) {
      condition.secret = try store.secret(creating: false)
    } catch {
      faults.turnOff(error)
      return nil
    }
    if condition.secret == nil, mayCreate { createSecret() }
    return condition.secret
  }

  /// A store in which no secret can be created is still read.
  private func createSecret() {
    guard let store = storeForWriting() else { return }
    do throws(StoreError) {
      condition.secret = try store.secret(creating: true)
    } catch {
      if case .unsafe = error { faults.turnOff(error) } else { faults.noteUnwritable(error) }
    }
  }

  /// Returns the store if it may be written; otherwise `nil`, with a warning if that is found out here.
  func storeForWriting() -> Store? {
    guard let store = storeInUse, !condition.isReadOnly else { return nil }
    // With fewer descriptors than this, all are left to the fetch itself.
    guard Descriptor.limit >= Self.fewestDescriptors else {
      faults.noteUnwritable(.failed(.writingEntry, .tooManyFiles))
      return nil
    }
    return store
  }

  /// What a run takes whose only transfer replaces a stored response: three standard streams, two pipes of
  /// garner-transport, seven files and directories of the store that a run keeps open, and eight for the transfer. Four
  /// more are for what else may be open: inherited descriptors, a file that is sent, a hook.
  static let fewestDescriptors: UInt64 = 24
}

extension OutgoingMessage.Content {
  /// The octets that are sent, empty if there are none; `nil` if they are not at hand.
  fileprivate var octets: [UInt8]? {
    switch self {
    case .none: []
    case .bytes(let bytes): bytes
    case .streamed: nil
    }
  }
}
