import CacheStore
import ContentCoding
import HTTPCaching
import HTTPSemantics
import Platform

/// What a look-up found, with the content behind an open file, or in memory.
final class CachedLookup {
  enum DeliveryOutcome {
    case whole
    /// Damage was found before any damaged byte left. The bytes delivered until then are right, except as
    /// `ContentFailure` says.
    case damaged(DamagedEntry, delivered: UInt64)
    /// Not all of the content was delivered. `Delivery.failure` says why.
    case undelivered
  }

  fileprivate enum Content: ~Copyable {
    case nothing
    case file(StoredContent)
    case memory([UInt8])

    var isThere: Bool {
      switch self {
      case .nothing: false
      default: true
      }
    }

    /// The content if it is in memory, without a copy.
    var shared: [UInt8]? {
      switch self {
      case .memory(let bytes): bytes
      default: nil
      }
    }

    /// Passes the content, or a range of it, to `body`. A file's content is passed piece by piece, each verified first.
    ///
    /// - Parameter range: clamped to the content.
    func forEachChunk<Sink: Error>(
      in range: Range<UInt64>? = nil, _ body: (UnsafeRawBufferPointer) throws(Sink) -> Void
    ) throws(ContentFailure<Sink>) {
      switch self {
      case .nothing: return
      case .file(let content): try content.forEachVerifiedChunk(in: range, body)
      case .memory(let bytes):
        let whole = 0..<UInt64(bytes.count)
        let wanted = range?.clamped(to: whole) ?? whole
        do throws(Sink) {
          try bytes.span.bytes.withUnsafeBytes { (bytes) throws(Sink) in
            try body(UnsafeRawBufferPointer(rebasing: bytes[Int(wanted.lowerBound)..<Int(wanted.upperBound)]))
          }
        } catch {
          throw .sink(error)
        }
      }
    }
  }

  let key: CacheKey
  let selection: Selection
  /// Why the request must bypass the cache: `key` lacks a part that the response would have to be stored under.
  let bypassReason: NotStored?
  /// Whether an entry was found in the response's place that is damaged, and so of no use.
  let isDamaged: Bool
  private let content: Content

  typealias Taker = (UnsafeRawBufferPointer) -> Void

  init(key: CacheKey, bypassReason: NotStored? = nil) {
    self.key = key
    self.bypassReason = bypassReason
    isDamaged = false
    selection = .uriMiss
    content = .nothing
  }

  init(key: CacheKey, _ found: consuming Lookup) {
    self.key = key
    bypassReason = nil
    if case .damaged(let entry) = found.fault { isDamaged = !entry.damage.mayBeInGoodOrder } else { isDamaged = false }
    selection = found.selection
    if let file = found.takeContent() { content = .file(file) } else { content = .nothing }
  }

  init(key: CacheKey, _ found: MemoryLookup) {
    self.key = key
    bypassReason = nil
    isDamaged = false
    selection = found.selection
    if let bytes = found.content { content = .memory(bytes) } else { content = .nothing }
  }

  /// Delivers stored content to the user, straight from the file if it is not decoded.
  ///
  /// - Parameters:
  ///   - taker: receives the same bytes.
  ///   - isAll: whether no other content is delivered behind these bytes.
  func deliver(
    _ range: Range<UInt64>, into delivery: Delivery, and taker: Taker? = nil, isAll: Bool = true
  ) -> DeliveryOutcome {
    guard delivery.wantsContent || taker != nil else { return .whole }
    switch content {
    case .nothing:
      return .undelivered
    case .file(let content) where taker == nil:
      let range = range.clamped(to: 0..<content.length)
      if isAll, Self.finds(content, range, in: delivery) { return .whole }
      if let descriptor = delivery.directDescriptor(for: range.length) {
        return Self.send(content, range, to: descriptor, delivery)
      }
    default:
      break
    }
    return pass(range, through: delivery, and: taker)
  }

  /// Returns whether the output file already holds this content. If so, the delivery keeps the file, and nothing is
  /// written.
  ///
  /// If the content is damaged or cannot be read, the answer is no, and the code that writes it meets the same fault.
  private static func finds(
    _ content: borrowing StoredContent, _ range: Range<UInt64>, in delivery: Delivery
  ) -> Bool {
    guard let file = delivery.comparedFile(length: range.length) else { return false }
    do throws(ContentFailure<Stopped>) {
      try content.forEachVerifiedChunk(in: range) { (bytes) throws(Stopped) in
        if !file.matches(bytes) { throw Stopped() }
      }
    } catch {
      return false
    }
    guard file.isSame else { return false }
    delivery.keep(file)
    return true
  }

  private static func send(
    _ content: borrowing StoredContent, _ range: Range<UInt64>, to descriptor: Descriptor, _ delivery: Delivery
  ) -> DeliveryOutcome {
    do throws(ContentFailure<Errno>) {
      delivery.count(try content.send(range, to: descriptor, makingRoom: { delivery.sink.makeRoom($0) }))
      return .whole
    } catch {
      switch error {
      case .damaged(let entry, let delivered):
        delivery.count(delivered)
        return .damaged(entry, delivered: delivered)
      case .sink(let error):
        delivery.fail(delivery.sink.failure(error))
        return .undelivered
      case .interrupted:
        return Self.interrupt(delivery)
      }
    }
  }

  private func pass(_ range: Range<UInt64>, through delivery: Delivery, and taker: Taker?) -> DeliveryOutcome {
    do throws(ContentFailure<Stopped>) {
      try content.forEachChunk(in: range) { (bytes) throws(Stopped) in
        if !delivery.write(bytes) { throw Stopped() }
        taker?(bytes)
      }
      return .whole
    } catch {
      switch error {
      case .damaged(let entry, let delivered): return .damaged(entry, delivered: delivered)
      case .sink: return .undelivered
      case .interrupted: return Self.interrupt(delivery)
      }
    }
  }

  private static func interrupt(_ delivery: Delivery) -> DeliveryOutcome {
    delivery.fail(delivery.sink.failure(.interrupted))
    return .undelivered
  }

  private struct Stopped: Error {}

  /// The first bytes of the content, for comparison with those of another answer; `nil` if they cannot be compared.
  func prefix(_ count: UInt64) -> StoredPrefix? {
    switch content {
    case .file(let content): content.prefix(count)
    // Only content that is found damaged half-way is compared, and content in memory never is damaged.
    default: nil
    }
  }

  /// The whole content, for the memory tier.
  ///
  /// - Parameter limit: in bytes.
  /// - Returns: `nil` if it is longer than the limit, cannot be read any more, or is a part.
  func contentBytes(limit: Int) -> [UInt8]? {
    guard content.isThere, let stored = selection.stored, !stored.isPart else { return nil }
    guard stored.contentLength <= UInt64(limit) else { return nil }
    if let shared = content.shared { return shared }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Int(stored.contentLength))
    do throws(ContentFailure<Never>) {
      try content.forEachChunk { bytes.append(contentsOf: $0) }
    } catch {
      return nil
    }
    return bytes
  }

  /// The digest of the content, if it is one of the expected ones.
  ///
  /// - Parameter plan: whether, and within which bounds, the content codings are undone first.
  func digest(among expected: Integrity, deliveredBy plan: DeliveryPlan) -> [UInt8]? {
    guard content.isThere, let stored = selection.stored, !stored.isPart else { return nil }
    let codings = plan.decodesContent ? stored.fields.members(of: .contentEncoding) : []
    let check = IntegrityCheck(expected)
    do {
      var decoder = try ContentDecoder(names: codings, maximumRatio: plan.maximumRatio)
      try content.forEachChunk { bytes throws(ContentCodingError) in
        _ = try decoder.feed(bytes) { decoded in
          check.update(decoded)
          return true
        }
      }
      try decoder.finish()
    } catch {
      // Damage is reported when the content is delivered.
      return nil
    }
    let (digest, isExpected) = check.finish()
    return isExpected ? digest : nil
  }

  /// Copies the content, for the user's hook to read.
  ///
  /// - Returns: whether there is content that can be read.
  func copy(into copy: inout WaitingContent) throws(StoreError) -> Bool {
    guard content.isThere else { return false }
    do throws(ContentFailure<StoreError>) {
      try content.forEachChunk { (bytes) throws(StoreError) in try copy.append(bytes) }
    } catch {
      switch error {
      case .damaged, .interrupted: return false
      case .sink(let error): throw error
      }
    }
    try copy.finish()
    return true
  }

  /// The content, if it is in memory or was read together with the head; `nil` for longer content.
  var residentBytes: [UInt8]? {
    guard let stored = selection.stored, !stored.isPart else { return nil }
    switch content {
    case .file(let content): return content.resident
    default: return content.shared
    }
  }

  /// Whether memory holds the same response as the disk. Contents are compared only if this one's has been read
  /// already.
  func isSame(as held: MemoryLookup) -> Bool {
    guard var found = selection.stored, let known = held.selection.stored else { return false }
    // Either of them may have gained marks.
    found.marks = known.marks
    return found == known && (residentBytes ?? held.content) == held.content
  }

  /// - Returns: whether the store has the new head. It never has for a response that was found in memory.
  func freshen(with stored: StoredResponse, in store: Store) throws(StoreError) -> Bool {
    switch content {
    case .file(let content): try store.freshen(content, with: stored) != .superseded
    default: false
    }
  }

  /// Adds marks to the entry that was found on the disk.
  ///
  /// - Returns: whether the entry has them.
  func mark(_ marks: Marks, in store: Store) throws(StoreError) -> Bool {
    switch content {
    case .file(let content):
      switch try store.changeMarks(of: content, { $0 = $0.adding(marks) }) {
      case .changed, .unchanged: true
      case .doubtful, .superseded, .absent: false
      }
    default: false
    }
  }

  /// Records a use of the entry that was found.
  func touch(in store: Store) {
    switch content {
    case .file(let content): store.touch(content)
    default: break
    }
  }
}
