package import HTTPCaching
import HTTPSemantics
import Platform

/// How much the store holds, how often requests had which result, and how many bytes were served without a transfer.
package struct StoreStatistics: Equatable, Sendable {
  /// A host, or all hosts together that have no account of their own.
  package struct Host: Equatable, Sendable {
    /// `nil` for the hosts without an account of their own.
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
  /// Whether entries and bytes are extrapolated, because not all shards have been counted since the tallies were made.
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
        entries: Self.plausible(numbers[TalliesLayout.entriesIndex(after: place)]))
    }.filter { $0.entries > 0 || $0.bytes > 0 }.ordered { $0.bytes > $1.bytes }
  }

  /// Clamps a number of the tallies. These are a hint, and whatever they hold must do no harm to code that sums it up.
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

  /// - Returns: `nil` if the name does not have the hash, because its writer has not finished.
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

/// The sum over all shards. What is not counted is extrapolated from the shards that are.
struct StoreTotal: Equatable {
  let bytes: Int64
  let entries: Int64
  /// Entries in shards that have been counted.
  let countedEntries: Int64
  let knownShards: Int

  var isExact: Bool { knownShards == TalliesLayout.shardCount }

  /// - Parameters:
  ///   - bytes: the sum over the known shards, as is `entries`.
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
  /// Reads the tallies. Lists nothing except, for a moment, shards that have not been counted.
  package func statistics() throws(StoreError) -> StoreStatistics {
    guard let store = try ReadableStore(root, for: .counting) else { return StoreStatistics() }
    return try storing(.counting) { () throws(Errno) in
      // A copy for this process alone: a store that cannot be written to has statistics, too.
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

  /// Half of the time that statistics may take.
  private static let patienceMilliseconds: UInt64 = 50

  /// Resets the counts of results. If nothing is counted yet, there is nothing to do.
  package func forgetResults() throws(StoreError) {
    guard let root = try StoreRoot.open(root) else { return }
    do throws(Errno) {
      try Tallies(in: root, for: .writing).forgetResults()
    } catch {
      guard error == .noSuchFile || error == .invalidArgument else { throw .failed(.counting, error) }
    }
  }

  /// Creates the tallies, in which results are counted, if a store has none yet. If that fails, nothing is counted.
  package func makeTallies() {
    guard (try? isPresent()) ?? false else { return }
    _ = try? Tallies.openOrCreate(in: openForWriting().store)
  }

  /// Returns a counter of results; `nil` if nothing is counted yet, or the numbers cannot be changed.
  package func resultCounter() -> ResultCounter? {
    guard let opened = try? openRoot(), let tallies = try? Tallies(in: opened.root, for: .writing) else { return nil }
    return ResultCounter(tallies)
  }
}

/// The store's tallies, kept open. What is counted after the file has been removed is lost, like the rest of it.
///
/// Threads may share it, as processes share the numbers.
package final class ResultCounter: @unchecked Sendable {
  private let tallies: Tallies

  fileprivate init(_ tallies: consuming Tallies) { self.tallies = tallies }

  /// - Parameter savedBytes: the bytes of content that was served and not transferred.
  package func count(_ result: CacheResult, savedBytes: UInt64, for key: CacheKey) {
    tallies.count(result, savedBytes: savedBytes, of: TalliedHost(key))
  }
}
