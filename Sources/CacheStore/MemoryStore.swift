package import HTTPCaching
package import HTTPSemantics
import Platform
import Synchronization

/// Stored responses in memory, for as long as the process lives.
///
/// It is used like `Store` and follows the same rules of selection. Parts are not kept, because nobody could continue
/// them. The least recently used responses are dropped first.
///
/// Several threads may use it: calls are serialized.
package final class MemoryStore: @unchecked Sendable {
  /// In bytes, for contents, heads and what the heap takes besides.
  package let capacity: Int
  // Recursive, because calls make other calls.
  private let lock = Lock()
  private var responses = [PrimaryKey: [Held]]()
  /// In the order of their times. Only the last use of a response counts; the others are skipped.
  private var uses: [Use] = []
  /// The index of the first use that has not been processed yet.
  private var firstUse = 0
  /// The time of the latest use; each is later than the one before.
  private var now: UInt64 = 0
  /// The number of responses.
  private var count = 0
  /// Whether anything has ever been kept; read without the lock.
  private let hasHeld = Atomic(false)
  /// Hashes of the keys that were asked for recently: a direct-mapped table, in which a new hash overwrites the one in
  /// its slot. Empty until the first key is noted.
  private var recentKeyHashes: [Int] = []
  /// The bytes of the capacity that the kept responses take.
  package private(set) var size = 0
  /// The bytes of the capacity that responses on their way take.
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
    // Mostly nothing is kept, and that is known without waiting for the lock.
    guard hasHeld.load(ordering: .acquiring) else { return MemoryLookup(.uriMiss) }
    lock.lock()
    defer { lock.unlock() }
    return count > 0 ? find(key, for: request, concealing: conceal) : MemoryLookup(.uriMiss)
  }

  /// Whether any response is stored under the primary key.
  package func contains(_ key: CacheKey) -> Bool {
    lock.lock()
    defer { lock.unlock() }
    return count > 0 && responses[key.primary] != nil
  }

  /// Returns the selecting fields of each response under a key.
  package func variants(of key: CacheKey) -> [SelectingFields] {
    lock.lock()
    defer { lock.unlock() }
    return responses[key.primary]?.map(\.stored).filter { $0.key == key }.map(\.selecting) ?? []
  }

  /// Notes that the key has been asked for.
  ///
  /// - Returns: whether it had been asked for before, not long ago.
  package func noteAsked(for key: CacheKey) -> Bool {
    let hash = key.primary.hashValue
    lock.lock()
    defer { lock.unlock() }
    if recentKeyHashes.isEmpty { recentKeyHashes = Array(repeating: 0, count: Self.keysRemembered) }
    let place = hash & (Self.keysRemembered - 1)
    defer { recentKeyHashes[place] = hash }
    return recentKeyHashes[place] == hash
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

  /// The largest response that is kept: a quarter of the capacity. So one response never drives out all others, and the
  /// memory for a response that turns out too large is bounded.
  package var largestSize: Int { capacity / 4 }

  /// Whether a response with content of that length is small enough to be kept.
  package func hasRoom(for stored: StoredResponse, contentLength: UInt64) -> Bool {
    guard let length = Int(exactly: contentLength), length <= largestSize else { return false }
    return Self.size(of: stored, contentLength: length) <= largestSize
  }

  /// - Parameters:
  ///   - limit: in bytes; longer content is dropped.
  ///   - expected: the length of the content if it is known, else 0.
  package func beginInsertion(limit: Int, expecting expected: Int) -> MemoryWriter {
    MemoryWriter(self, limit: limit, expecting: expected)
  }

  /// Takes room for content on its way, at the expense of the least recently used responses.
  ///
  /// - Returns: whether there is enough room.
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

  /// Stores a response in place of those that it replaces. Those are removed even if the new response is too large to
  /// be kept.
  ///
  /// - Parameter stored: its `contentLength` is ignored.
  /// - Returns: whether it is kept.
  @discardableResult
  package func insert(_ stored: StoredResponse, content: [UInt8]) -> Bool {
    lock.lock()
    defer { lock.unlock() }
    removeReplaced(by: stored)
    guard !stored.isPart, hasRoom(for: stored, contentLength: UInt64(content.count)) else { return false }
    // A response that does not vary has replaced all variants.
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
  ///   - old: the response that was validated. Another response in its place is left unchanged.
  ///   - new: the new head. Its key, selecting fields and length are ignored: those of the content are kept. Its marks
  ///     are added to the old ones.
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

  /// Removes the responses that storing `stored` would replace.
  package func removeReplaced(by stored: StoredResponse) {
    removeAll(of: stored.key.primary) { stored.replaces($0) }
  }

  /// Removes the responses that are superseded.
  package func removeAll(coveredBy supersession: Supersession) {
    removeAll(of: supersession.key.primary) { supersession.covers($0) }
  }

  /// Removes every stored response that the invalidation of a target makes void.
  package func removeAll(coveredBy invalidation: TargetInvalidation) {
    removeAll { invalidation.covers($0.key) }
  }

  /// Removes the responses that an answer has declared void for its origin, for every audience.
  package func removeAll(coveredBy invalidation: OriginInvalidation) {
    removeAll { invalidation.covers($0) }
  }

  private func removeAll(where isMeant: (StoredResponse) -> Bool) {
    lock.lock()
    defer { lock.unlock() }
    for primary in responses.keys { removeAll(of: primary, where: isMeant) }
  }

  private func removeAll(of primary: PrimaryKey, where isMeant: (StoredResponse) -> Bool) {
    lock.lock()
    defer { lock.unlock() }
    guard count > 0, let held = responses[primary] else { return }
    let kept = held.filter { !isMeant($0.stored) }
    guard kept.count < held.count else { return }
    size += kept.reduce(0) { $0 + $1.size } - held.reduce(0) { $0 + $1.size }
    count -= held.count - kept.count
    responses[primary] = kept.isEmpty ? nil : kept
  }

  // MARK: The least recently used

  private func noteUse(of primary: PrimaryKey) -> UInt64 {
    now += 1
    // Only one use of each response counts: the others are removed before they are the majority.
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

  /// What the heap takes for a response besides its bytes, and again for each of its fields: an array or a string has
  /// an object with 32 bytes before the first element, rounded up, and a pointer to it.
  private static let overheadBytes = 128
  /// So few uses are not worth clearing.
  private static let usesKept = 64
  /// A power of two: 32 KiB of hashes.
  private static let keysRemembered = 4_096
}

/// What a look-up in memory has found.
package struct MemoryLookup {
  package let selection: Selection
  /// Present if the selection is a stored response.
  package let content: [UInt8]?

  init(_ selection: Selection, content: [UInt8]? = nil) {
    self.selection = selection
    self.content = content
  }
}

/// A response on its way into memory. Destroying the writer without a commit abandons it.
package struct MemoryWriter: ~Copyable {
  /// In bytes: an origin may announce content that never comes.
  private static let maximumReservedBytes = 16 << 20

  private let store: MemoryStore
  private let limit: Int
  /// `nil` once the content is longer than the limit, or there is no room for it.
  private var content: [UInt8]? = []
  /// The capacity reserved at the beginning, in bytes. As long as it is not written to, it takes no memory.
  private let reserved: Int
  /// The bytes taken of the store's capacity.
  private var taken = 0

  init(_ store: MemoryStore, limit: Int, expecting expected: Int) {
    self.store = store
    self.limit = limit
    if expected <= limit { content?.reserveCapacity(min(expected, Self.maximumReservedBytes)) }
    reserved = content?.capacity ?? 0
  }

  deinit { store.giveBackRoom(taken) }

  package mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard let length = content?.count else { return }
    guard bytes.count <= limit - length else { return abandon() }
    content?.append(contentsOf: bytes)
    // An array that has grown by appending has spare capacity, which counts.
    let capacity = content?.capacity ?? 0
    let wanted = capacity > reserved ? capacity : length + bytes.count
    if wanted > taken {
      guard store.takeRoom(wanted - taken) else { return abandon() }
      taken = wanted
    }
  }

  private mutating func abandon() {
    content = nil
    store.giveBackRoom(taken)
    taken = 0
  }

  /// Stores what has been appended in place of the responses that it replaces. These are removed in any case.
  ///
  /// - Returns: whether it is kept.
  package consuming func commit(_ stored: StoredResponse) -> Bool {
    guard var content = content.take() else {
      store.removeReplaced(by: stored)
      return false
    }
    // An array that has grown by appending may have as much spare capacity again.
    if content.capacity - content.count > content.count / 8 { content = Array(content[...]) }
    store.giveBackRoom(taken)
    taken = 0
    return store.insert(stored, content: content)
  }
}
