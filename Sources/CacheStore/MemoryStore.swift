package import HTTPCaching
package import HTTPSemantics
import Platform
import Synchronization

/// Stored responses in memory, for as long as the process lives.
///
/// It speaks as `Store` does, and by the same rules of selection. Parts are not kept: nobody could continue them. What
/// has been used least recently goes first.
///
/// Several threads may use it: each call has it to itself.
package final class MemoryStore: @unchecked Sendable {
  /// In bytes, of contents, heads and what the heap takes beside them.
  package let capacity: Int
  // Recursive: one call is made of others.
  private let lock = Lock()
  private var responses = [PrimaryKey: [Held]]()
  /// In the order of their times. Of the uses of one response the last one counts, the others are passed over.
  private var uses: [Use] = []
  /// Those before it have been passed over.
  private var firstUse = 0
  /// The time of the latest use; each is later than the one before.
  private var now: UInt64 = 0
  /// The number of responses.
  private var count = 0
  /// Whether anything has been kept; asked without the lock.
  private let hasHeld = Atomic(false)
  /// Hashes of the keys that were asked for lately, a direct-mapped table: a new one overwrites what is in its slot.
  /// Empty until the first is.
  private var lately: [Int] = []
  /// What is taken of the capacity by responses that are kept.
  package private(set) var size = 0
  /// And by those on their way.
  private var collected = 0

  private struct Held {
    var stored: StoredResponse
    let content: [UInt8]
    var usedAt: UInt64

    var size: Int { MemoryStore.size(of: stored, contentLength: content.count) }
  }

  private struct Use {
    let primary: PrimaryKey
    let time: UInt64
  }

  package init(capacity: Int) {
    self.capacity = capacity
  }

  // MARK: Looking up

  /// Finds the stored response for a request (RFC 9111 section 4.1), and counts that as a use.
  package func lookup(
    _ key: CacheKey, for request: Fields, concealing conceal: SelectingFields.Concealer
  ) -> MemoryLookup {
    // Mostly there is nothing, and nobody waits to hear that.
    guard hasHeld.load(ordering: .acquiring) else { return MemoryLookup(.uriMiss) }
    lock.lock()
    defer { lock.unlock() }
    return count > 0 ? find(key, for: request, concealing: conceal) : MemoryLookup(.uriMiss)
  }

  /// Whether anything is stored that has the primary key.
  package func contains(_ key: CacheKey) -> Bool {
    lock.lock()
    defer { lock.unlock() }
    return count > 0 && responses[key.primary] != nil
  }

  /// What selects each of the responses under a key.
  package func variants(of key: CacheKey) -> [SelectingFields] {
    lock.lock()
    defer { lock.unlock() }
    return responses[key.primary]?.map(\.stored).filter { $0.key == key }.map(\.selecting) ?? []
  }

  /// Remembers that the key has been asked for.
  ///
  /// - Returns: whether that had been remembered of it before, not long ago.
  package func noteAsked(for key: CacheKey) -> Bool {
    let hash = key.primary.hashValue
    lock.lock()
    defer { lock.unlock() }
    if lately.isEmpty { lately = Array(repeating: 0, count: Self.keysRemembered) }
    let place = hash & (Self.keysRemembered - 1)
    defer { lately[place] = hash }
    return lately[place] == hash
  }

  private func find(
    _ key: CacheKey, for request: Fields, concealing conceal: SelectingFields.Concealer
  ) -> MemoryLookup {
    guard let held = responses[key.primary] else { return MemoryLookup(.uriMiss) }
    var miss = Selection.uriMiss
    var best: Int?
    for (index, candidate) in held.enumerated() where candidate.stored.key == key {
      miss = .varyMiss
      if candidate.stored.selecting.match(request, concealing: conceal),
        candidate.stored.isPreferred(to: best.map { held[$0].stored })
      {
        best = index
      }
    }
    guard let best else { return MemoryLookup(miss) }
    let time = noteUse(of: key.primary)
    responses[key.primary]?[best].usedAt = time
    return MemoryLookup(.selected(held[best].stored), content: held[best].content)
  }

  // MARK: Storing

  /// The largest response that is kept: a quarter of the capacity, so that one never drives out all others, and what is
  /// collected in vain is bounded.
  package var largestSize: Int { capacity / 4 }

  /// Whether a response with a content of that many bytes is kept.
  package func hasRoom(for stored: StoredResponse, contentLength: UInt64) -> Bool {
    guard let length = Int(exactly: contentLength), length <= largestSize else { return false }
    return Self.size(of: stored, contentLength: length) <= largestSize
  }

  /// - Parameters:
  ///   - limit: in bytes; content that is longer is let go of.
  ///   - expected: the length of the content as far as it is known, else 0.
  package func beginInsertion(limit: Int, expecting expected: Int) -> MemoryWriter {
    MemoryWriter(self, limit: limit, expecting: expected)
  }

  /// Takes room for a content on its way, of what is kept and has been used least recently.
  ///
  /// - Returns: whether there is so much.
  fileprivate func takeRoom(_ bytes: Int) -> Bool {
    lock.lock()
    defer { lock.unlock() }
    guard bytes <= capacity - collected else { return false }
    collected += bytes
    dropExcess()
    return true
  }

  fileprivate func giveBackRoom(_ bytes: Int) {
    lock.lock()
    defer { lock.unlock() }
    collected -= bytes
  }

  /// Puts a response into the place of those that it replaces. They go even where it is too large to be kept.
  ///
  /// - Parameter stored: its `contentLength` is of no account.
  /// - Returns: whether it is kept.
  @discardableResult
  package func insert(_ stored: StoredResponse, content: [UInt8]) -> Bool {
    lock.lock()
    defer { lock.unlock() }
    removeReplaced(by: stored)
    guard !stored.isPart, hasRoom(for: stored, contentLength: UInt64(content.count)) else { return false }
    // What answers whatever the fields are has driven out all others.
    if !stored.selecting.members.isEmpty { dropExcessVariants(of: stored.key) }
    var stored = stored
    stored.contentLength = UInt64(content.count)
    let primary = stored.key.primary
    let held = Held(stored: stored, content: content, usedAt: noteUse(of: primary))
    responses[primary, default: []].append(held)
    count += 1
    hasHeld.store(true, ordering: .releasing)
    size += held.size
    dropExcess()
    return true
  }

  /// Gives a response a new head, after a 304 (RFC 9111 section 4.3.4).
  ///
  /// - Parameters:
  ///   - old: what was validated. Another response in its place is left alone.
  ///   - new: its key, selecting fields and length are of no account: the content's are kept. Its marks are added.
  /// - Returns: whether it is kept.
  package func freshen(_ old: StoredResponse, with new: StoredResponse) -> Bool {
    lock.lock()
    defer { lock.unlock() }
    let primary = old.key.primary
    guard let index = responses[primary]?.firstIndex(where: { $0.stored == old }) else { return false }
    var stored = new.fitting(contentOf: old)
    stored.marks = old.marks.adding(new.marks)
    guard hasRoom(for: stored, contentLength: old.contentLength) else {
      removeAll(of: primary) { $0 == old }
      return false
    }
    let added = Self.size(of: stored, contentLength: 0) - Self.size(of: old, contentLength: 0)
    let time = noteUse(of: primary)
    responses[primary]?[index].stored = stored
    responses[primary]?[index].usedAt = time
    size += added
    dropExcess()
    return true
  }

  // MARK: Removing

  /// Removes what storing a response would replace.
  package func removeReplaced(by stored: StoredResponse) {
    removeAll(of: stored.key.primary) { stored.replaces($0) }
  }

  /// Removes what has been superseded.
  ///
  /// - Returns: the number of responses removed.
  @discardableResult
  package func removeAll(coveredBy supersession: Supersession) -> Int {
    removeAll(of: supersession.key.primary) { supersession.covers($0) }
  }

  /// Removes every stored response that becomes void with a target.
  ///
  /// - Returns: the number of responses removed.
  @discardableResult
  package func removeAll(coveredBy invalidation: TargetInvalidation) -> Int {
    lock.lock()
    defer { lock.unlock() }
    return responses.keys.reduce(0) { removed, primary in
      removed + removeAll(of: primary) { invalidation.covers($0.key) }
    }
  }

  /// Removes what an answer has declared void for its origin, for every audience.
  ///
  /// - Returns: the number of responses removed.
  @discardableResult
  package func removeAll(coveredBy invalidation: OriginInvalidation) -> Int {
    lock.lock()
    defer { lock.unlock() }
    return responses.keys.reduce(0) { removed, primary in
      removed + removeAll(of: primary) { invalidation.covers($0) }
    }
  }

  @discardableResult
  private func removeAll(of primary: PrimaryKey, where isMeant: (StoredResponse) -> Bool) -> Int {
    lock.lock()
    defer { lock.unlock() }
    guard count > 0, let held = responses[primary] else { return 0 }
    let kept = held.filter { !isMeant($0.stored) }
    let removed = held.count - kept.count
    guard removed > 0 else { return 0 }
    size += kept.reduce(0) { $0 + $1.size } - held.reduce(0) { $0 + $1.size }
    count -= removed
    responses[primary] = kept.isEmpty ? nil : kept
    return removed
  }

  // MARK: The least recently used

  private func noteUse(of primary: PrimaryKey) -> UInt64 {
    now += 1
    // Each response has one use that counts: the rest is cleared away before it becomes the most.
    if uses.count > 2 * count + Self.usesKept {
      uses.removeAll { !isLatest($0) }
      firstUse = 0
    }
    uses.append(Use(primary: primary, time: now))
    return now
  }

  private func isLatest(_ use: Use) -> Bool {
    responses[use.primary]?.contains { $0.usedAt == use.time } ?? false
  }

  private func dropExcess() {
    while size > capacity - collected, firstUse < uses.count {
      let oldest = uses[firstUse]
      firstUse += 1
      guard let held = responses[oldest.primary]?.first(where: { $0.usedAt == oldest.time }) else { continue }
      removeAll(of: oldest.primary) { $0 == held.stored }
    }
  }

  private func dropExcessVariants(of key: CacheKey) {
    let variants = (responses[key.primary] ?? []).filter { $0.stored.key == key }
    guard variants.count >= VariantList.maximumCount, let oldest = variants.min(by: { $0.usedAt < $1.usedAt }) else {
      return
    }
    removeAll(of: key.primary) { $0 == oldest.stored }
  }

  private static func size(of stored: StoredResponse, contentLength: Int) -> Int {
    let fields = stored.fields.lines
    let texts = fields.reduce(stored.key.target.pathAndQuery.utf8.count) {
      $0 + $1.name.spelling.utf8.count + $1.value.bytes.count
    }
    return contentLength + texts + (1 + fields.count) * overheadBytes
  }

  /// What the heap takes for a response beside its bytes, and for each of its fields again: objects of an array and a
  /// string have 32 bytes each before the first element, rounded up, and are pointed at.
  private static let overheadBytes = 128
  /// So few uses are never worth clearing.
  private static let usesKept = 64
  /// A power of two: 32 KiB of hashes.
  private static let keysRemembered = 4_096
}

/// What a look-up in memory has found.
package struct MemoryLookup {
  package let selection: Selection
  /// Present where the selection is a stored response.
  package let content: [UInt8]?

  init(_ selection: Selection, content: [UInt8]? = nil) {
    self.selection = selection
    self.content = content
  }
}

/// A response on its way into memory; letting go abandons it.
package struct MemoryWriter: ~Copyable {
  /// In bytes: what an origin says is to come need not come.
  private static let mostReserved = 16 << 20

  private let store: MemoryStore
  private let limit: Int
  /// `nil` once it is longer than the limit, or there is no room for it.
  private var content: [UInt8]? = []
  /// In bytes; what is not written takes no memory.
  private let reserved: Int
  /// Of the store's capacity, in bytes.
  private var taken = 0

  init(_ store: MemoryStore, limit: Int, expecting expected: Int) {
    self.store = store
    self.limit = limit
    if expected <= limit { content?.reserveCapacity(min(expected, Self.mostReserved)) }
    reserved = content?.capacity ?? 0
  }

  deinit { store.giveBackRoom(taken) }

  package mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard let length = content?.count else { return }
    guard bytes.count <= limit - length else { return letGo() }
    content?.append(contentsOf: bytes)
    // An array that grew by appending has spare capacity.
    let capacity = content?.capacity ?? 0
    let wanted = capacity > reserved ? capacity : length + bytes.count
    if wanted > taken {
      guard store.takeRoom(wanted - taken) else { return letGo() }
      taken = wanted
    }
  }

  private mutating func letGo() {
    content = nil
    store.giveBackRoom(taken)
    taken = 0
  }

  /// Makes what has been appended the stored response, in the place of those that it replaces; they go in any case.
  ///
  /// - Returns: whether it is kept.
  package consuming func commit(_ stored: StoredResponse) -> Bool {
    guard var content = content.take() else {
      store.removeReplaced(by: stored)
      return false
    }
    // An array that has grown of itself may have room for as much again.
    if content.capacity - content.count > content.count / 8 { content = Array(content[...]) }
    store.giveBackRoom(taken)
    taken = 0
    return store.insert(stored, content: content)
  }
}
