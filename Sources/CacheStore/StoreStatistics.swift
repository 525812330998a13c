package import HTTPCaching
import HTTPSemantics
import Platform

/// What the store holds and what it was good for.
package struct StoreStatistics: Equatable, Sendable {
  /// A host, or all others that have no account of their own.
  package struct Host: Equatable, Sendable {
    /// `nil` for all others together.
    package let name: String?
    package let bytes: Int64
    package let entries: Int64
    package let hits: Int64
    package let savedBytes: Int64
  }

  package struct Category: Equatable, Sendable {
    package let category: ContentCategory
    package let bytes: Int64
    package let entries: Int64
  }

  package var entries: Int64 = 0
  package var bytes: Int64 = 0
  /// Whether entries and bytes are extrapolated: not all of the store has been counted since its tallies were made.
  package var isEstimate = false
  private var counts = [Int64](repeating: 0, count: TalliesLayout.results.count)
  package var savedBytes: Int64 = 0
  /// The largest first.
  package var hosts: [Host] = []
  package var categories: [Category] = []

  package init() {}

  package func count(_ result: CacheResult) -> Int64 {
    counts[TalliesLayout.index(of: result) - TalliesLayout.results.lowerBound]
  }

  init(_ tallies: borrowing Tallies) throws(Errno) {
    let total = tallies.total()
    (entries, bytes) = (Self.plausible(total.entries), Self.plausible(total.bytes))
    isEstimate = !total.isExact
    counts = try tallies.results().map(Self.plausible)
    savedBytes = Self.plausible(try tallies.savedBytes())
    hosts = Self.hosts(try tallies.hostNumbers()).ordered { one, other in
      one.bytes == other.bytes ? (one.name ?? "") < (other.name ?? "") : one.bytes > other.bytes
    }
    let numbers = try tallies.categories()
    categories = ContentCategory.allCases.map { category in
      let place = category.number * TalliesLayout.categoryNumbers
      return Category(
        category: category, bytes: Self.plausible(numbers[place]),
        entries: Self.plausible(numbers[TalliesLayout.entries(behind: place)]))
    }.filter { $0.entries > 0 || $0.bytes > 0 }.ordered { $0.bytes > $1.bytes }
  }

  /// The tallies are a hint: whatever stands there must do no harm to who sums it up.
  private static func plausible(_ number: Int64) -> Int64 { min(max(0, number), 1 << 48) }

  private typealias HostSlot = TalliesLayout.HostSlot

  private static func hosts(_ numbers: [Int64]) -> [Host] {
    stride(from: 0, to: numbers.count, by: TalliesLayout.hostNumbers).compactMap { place in
      let isLast = place + TalliesLayout.hostNumbers == numbers.count
      let slot = numbers[place..<place + TalliesLayout.hostNumbers]
      let counts = slot[(place + HostSlot.bytes)...(place + HostSlot.savedBytes)]
      guard isLast || slot[place + HostSlot.hash] != 0, counts.contains(where: { $0 != 0 }) else { return nil }
      let name = isLast ? nil : Self.name(in: slot)
      return Host(
        name: name, bytes: plausible(slot[place + HostSlot.bytes]), entries: plausible(slot[place + HostSlot.entries]),
        hits: plausible(slot[place + HostSlot.hits]), savedBytes: plausible(slot[place + HostSlot.savedBytes]))
    }
  }

  /// - Returns: `nil` where it does not have the hash: its writer has not come to the end.
  private static func name(in slot: ArraySlice<Int64>) -> String? {
    let place = slot.startIndex
    let count = Int(clamping: slot[place + HostSlot.nameLength])
    guard (0...TalliesLayout.maximumNameBytes).contains(count) else { return nil }
    let bytes = slot[(place + HostSlot.name)...].flatMap { number in
      (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
    let host = TalliedHost(name: Array(bytes.prefix(count)))
    return host.hash == slot[place + HostSlot.hash] ? String(decoding: host.name, as: UTF8.self) : nil
  }
}

/// The sum over all shards; of those that have not been counted, what the others let expect.
struct StoreTotal: Equatable {
  let bytes: Int64
  let entries: Int64
  /// Entries in shards that have been counted.
  let countedEntries: Int64
  let knownShards: Int

  var isExact: Bool { knownShards == TalliesLayout.shardCount }

  /// - Parameters:
  ///   - bytes: of so many shards, as are `entries`.
  init(bytes: Int64, entries: Int64, ofShards known: Int) {
    (knownShards, countedEntries) = (known, entries)
    self.bytes = Self.extrapolated(bytes, from: known)
    self.entries = Self.extrapolated(entries, from: known)
  }

  private static func extrapolated(_ sum: Int64, from count: Int) -> Int64 {
    guard count > 0, count < TalliesLayout.shardCount else { return sum }
    return (sum / Int64(count)).multiplied(saturating: Int64(TalliesLayout.shardCount))
  }
}

extension Store {
  /// Reads the tallies; nothing is walked but, for a moment, shards that nobody has counted.
  package func statistics() throws(StoreError) -> StoreStatistics {
    guard let store = try ReadableStore(root, for: .counting) else { return StoreStatistics() }
    return try storing(.counting) { () throws(Errno) in
      // Of its own: a store that cannot be written has statistics, too.
      let tallies = try Self.copiedTallies(in: store.root)
      tallies.countUnknown(
        from: 0, in: store.version, within: TimeBudget(clock, milliseconds: Self.patienceMilliseconds))
      return try StoreStatistics(tallies)
    }
  }

  private static func copiedTallies(in root: borrowing StoreRoot) throws(Errno) -> Tallies {
    guard let shared = try? Tallies(in: root, for: .reading) else { return try Tallies() }
    return try shared.copy()
  }

  /// Half of what statistics may take.
  private static let patienceMilliseconds: UInt64 = 50

  /// Begins to count results anew; where nothing is counted yet, there is nothing to do.
  package func forgetResults() throws(StoreError) {
    guard let root = try StoreRoot.open(root) else { return }
    do throws(Errno) {
      try Tallies(in: root, for: .writing).forgetResults()
    } catch {
      guard error == .noSuchFile || error == .invalidArgument else { throw .failed(.counting, error) }
    }
  }

  /// Makes what results are counted in, where there is a store that has none yet; if that fails, nothing is counted.
  package func makeTallies() {
    guard (try? isPresent()) ?? false else { return }
    _ = try? Tallies.openOrCreate(in: openForWriting().store)
  }

  /// Counts what requests came to; `nil` where nothing is counted yet, or the numbers cannot be changed.
  package func resultCounter() -> ResultCounter? {
    guard let opened = try? openRoot(), let tallies = try? Tallies(in: opened.root, for: .writing) else { return nil }
    return ResultCounter(tallies)
  }
}

/// The store's tallies, kept at hand: what is counted after somebody has removed them is lost, as they are.
///
/// Threads may share it, as processes share the numbers.
package final class ResultCounter: @unchecked Sendable {
  private let tallies: Tallies

  fileprivate init(_ tallies: consuming Tallies) { self.tallies = tallies }

  /// - Parameter savedBytes: of content that was served and not transferred.
  package func count(_ result: CacheResult, savedBytes: UInt64, for key: CacheKey) {
    tallies.count(result, savedBytes: savedBytes, of: TalliedHost(key))
  }
}
