import HTTPCaching
import Platform

/// How much the store holds, how often requests had which result, and how many bytes were served without a transfer: in
/// numbers that all processes share without a lock.
///
/// The numbers are a hint: the file may be missing or wrong at any moment. An entry is counted before it has its name
/// and until it has lost it, so a writer that is killed in between leaves a sum that is too high, never one that is too
/// low. The next listing of the shard corrects it. A listing cannot see an entry that is counted and has no name yet.
/// Each shard therefore counts its listings, too: a writer that finds that one began while it was at work counts its
/// entry again.
struct Tallies: ~Copyable {
  private typealias ShardSlot = TalliesLayout.ShardSlot
  private typealias HostSlot = TalliesLayout.HostSlot

  private let numbers: SharedNumbers
  /// `nil` if the numbers are private to this process.
  private let file: OwnedDescriptor?

  /// - Throws: `.noSuchFile` if there are no tallies, `.invalidArgument` if something else is in their place.
  init(in root: borrowing StoreRoot, for access: SharedNumbers.Access) throws(Errno) {
    let options: OpenOptions = access == .writing ? .readWrite : .readOnly
    let file = try root.directory.openBeneath(
      StoreLayout.version.appending(StoreLayout.tallies), options.union(.nonBlocking).union(.noControllingTerminal))
    let status = try file.status()
    // A second hard link is probably a backup's, which writing here would change.
    guard status.isRegularFile(ownedBy: root.ownerID), status.size == TalliesLayout.fileBytes,
      access == .reading || status.linkCount == 1
    else { throw .invalidArgument }
    let mapped = try SharedNumbers(in: file, count: TalliesLayout.count, for: access)
    let head = try mapped.load(0..<TalliesLayout.cursorIndex)
    guard head == [TalliesLayout.magic, TalliesLayout.version, Int64(TalliesLayout.count)] else {
      throw .invalidArgument
    }
    numbers = mapped
    self.file = consume file
  }

  /// Makes tallies that are private to this process, and empty: every shard is unknown.
  init() throws(Errno) {
    numbers = try SharedNumbers(privately: TalliesLayout.count)
    file = nil
  }

  /// Whether these are still the tallies of all processes: the file has neither been removed nor cut short.
  var areShared: Bool {
    switch file {
    case .some(let file):
      guard let status = try? file.status() else { return false }
      return status.linkCount == 1 && status.size == TalliesLayout.fileBytes
    case .none: return false
    }
  }

  /// Returns the store's tallies, or private ones if the store has none that can be used.
  static func existing(in root: borrowing StoreRoot) throws(StoreError) -> Tallies {
    if let tallies = try? Tallies(in: root, for: .writing) { return tallies }
    return try storing(.counting) { () throws(Errno) in try Tallies() }
  }

  /// Returns a copy of the numbers that is private to this process.
  func copy() throws(Errno) -> Tallies {
    let copy = try Tallies()
    for (index, number) in try snapshot().enumerated() where number != 0 {
      try copy.numbers.add(number, at: index)
    }
    return copy
  }

  /// Returns all numbers as they are now.
  func snapshot() throws(Errno) -> [Int64] { try numbers.load(0..<numbers.count) }

  /// Sets the bytes and the entries of an account, unless they have changed since a snapshot.
  ///
  /// - Returns: whether the snapshot already has these values.
  func correct(_ place: Int, from before: [Int64], to sum: Recount.Sum) throws(Errno) -> Bool {
    let entries = TalliesLayout.entriesIndex(after: place)
    if before[place] == sum.bytes, before[entries] == sum.entries { return true }
    guard try numbers.replace(before[place], by: sum.bytes, at: place) else { return false }
    try numbers.replace(before[entries], by: sum.entries, at: entries)
    return false
  }

  // MARK: Entries

  /// Counts an entry; to be called before it has its name. Afterwards, `holds` tells whether it still counts.
  @discardableResult
  func add(_ weight: EntryWeight) -> CountedEntry {
    let counted = CountedEntry(weight: weight, changes: changes(of: weight.shard))
    addToShard(weight)
    addToAccounts(weight)
    return counted
  }

  /// Whether, since the entry was counted, the shard has not been listed and nothing has been taken off it.
  ///
  /// Otherwise the entry may be missing from the sum. To be called when the entry has its name, which no later listing
  /// misses.
  func holds(_ counted: CountedEntry) -> Bool { changes(of: counted.weight.shard) == counted.changes }

  /// Takes an entry off; to be called when it has lost its name, or is not going to have one.
  ///
  /// - Parameter changes: those of the shard before that.
  /// - Returns: false if another run has listed the shard since, and may have missed the entry already, or has taken
  ///   something off the shard. The shard then still counts the entry, because a sum that is too high does no harm.
  func removeUnlessListed(_ weight: EntryWeight, since changes: ShardChanges) -> Bool {
    let place = TalliesLayout.shard(weight.shard)
    removeFromAccounts(weight)
    do throws(Errno) {
      // Before the sum is lowered: otherwise a sum that has risen by as much meanwhile would look unchanged.
      let before = try add(ShardChanges.oneRevision, toChangesOf: weight.shard)
      try lower(weight, at: place)
      if before == changes, try loadChanges(of: weight.shard).isNext(after: changes) { return true }
    } catch {
      // If the mapped file cannot be accessed, for example after it was cut short, nothing is counted.
      return true
    }
    addToShard(weight)
    return false
  }

  /// Counts the new size of an entry in place of the old one; to be called before the file grows, and `endGrowth`
  /// afterwards.
  func beginGrowth(from old: EntryWeight, to new: EntryWeight) -> CountedEntry {
    let counted = CountedEntry(weight: new, changes: changes(of: new.shard))
    grow(from: old, to: new)
    addToAccounts(new)
    return counted
  }

  func endGrowth(from old: EntryWeight, to new: CountedEntry) {
    removeFromAccounts(old)
    if !holds(new) { grow(from: old, to: new.weight) }
  }

  private func grow(from old: EntryWeight, to new: EntryWeight) {
    _ = try? numbers.add(new.bytes - old.bytes, at: TalliesLayout.shard(new.shard))
  }

  /// Returns the changes of a shard: how often it has been listed, and something taken off it.
  func changes(of shard: UInt8) -> ShardChanges {
    // A counter that cannot be read is regarded as unchanged.
    (try? loadChanges(of: shard)) ?? ShardChanges(number: 0)
  }

  private func loadChanges(of shard: UInt8) throws(Errno) -> ShardChanges {
    ShardChanges(number: try numbers.load(TalliesLayout.shard(shard) + ShardSlot.changes))
  }

  /// - Returns: the changes before the addition.
  private func add(_ number: Int64, toChangesOf shard: UInt8) throws(Errno) -> ShardChanges {
    ShardChanges(number: try numbers.add(number, at: TalliesLayout.shard(shard) + ShardSlot.changes))
  }

  /// Counts an entry in its shard only: its host and its type count it already.
  func addToShard(_ weight: EntryWeight) { try? add(weight, at: TalliesLayout.shard(weight.shard)) }

  private func addToAccounts(_ weight: EntryWeight) {
    forEachAccount(of: weight) { (place) throws(Errno) in try add(weight, at: place) }
  }

  private func removeFromAccounts(_ weight: EntryWeight) {
    forEachAccount(of: weight) { (place) throws(Errno) in try lower(weight, at: place) }
  }

  private func add(_ weight: EntryWeight, at place: Int) throws(Errno) {
    try numbers.add(weight.bytes, at: place)
    try numbers.add(1, at: TalliesLayout.entriesIndex(after: place))
  }

  private func lower(_ weight: EntryWeight, at place: Int) throws(Errno) {
    try numbers.lower(by: weight.bytes, at: place)
    try numbers.lower(by: 1, at: TalliesLayout.entriesIndex(after: place))
  }

  /// Calls `body` with the place of each account on which the entry counts: that of its host, and that of its type. The
  /// bytes are at this index, and the number of entries comes next.
  private func forEachAccount(of weight: EntryWeight, _ body: (Int) throws(Errno) -> Void) {
    // If the mapped file cannot be accessed, for example after it was cut short, nothing is counted.
    if let host = weight.host, let slot = try? slot(of: host) { try? body(slot + HostSlot.bytes) }
    if let category = weight.category { try? body(TalliesLayout.category(category)) }
  }

  // MARK: Shards

  struct ShardTally: Equatable {
    let bytes: Int64
    let entries: Int64
    /// Whether the shard has ever been counted.
    let isKnown: Bool
    fileprivate let changes: ShardChanges

    /// - Parameter plausible: the most bytes that a shard can hold. One that is said to hold more, or less than
    ///   nothing, has not been counted correctly.
    func isCredible(upTo plausible: Int64) -> Bool {
      isKnown && (0...plausible).contains(bytes) && entries >= 0
    }
  }

  func shard(_ number: UInt8) -> ShardTally? {
    let start = TalliesLayout.shard(number)
    guard let numbers = try? numbers.load(start..<start + TalliesLayout.shardNumbers) else { return nil }
    return ShardTally(
      bytes: numbers[ShardSlot.bytes], entries: numbers[ShardSlot.entries], isKnown: numbers[ShardSlot.isKnown] != 0,
      changes: ShardChanges(number: numbers[ShardSlot.changes]))
  }

  /// Begins to list a shard; to be called before the directory is read.
  ///
  /// - Returns: what counts until now, including entries without a name yet, which the listing is not going to show;
  ///   `nil` if the numbers cannot be accessed.
  func beginListing(_ number: UInt8) -> ShardTally? {
    // The order matters: an entry that is counted after the read changes the sum, and the writer of one that was
    // counted before it finds a change.
    guard let before = shard(number), (try? add(ShardChanges.oneListing, toChangesOf: number)) != nil else {
      return nil
    }
    return before
  }

  /// Returns the sum over all shards.
  ///
  /// - Parameter plausible: the most that a shard can hold.
  func total(plausible: Int64 = .max) -> StoreTotal {
    let shards = TalliesLayout.shards..<TalliesLayout.hosts
    // If the mapped file cannot be accessed, nothing is known.
    guard let sums = try? numbers.rowSums(shards, width: TalliesLayout.shardNumbers, upTo: plausible) else {
      return StoreTotal(bytes: 0, entries: 0, ofShards: 0)
    }
    return StoreTotal(bytes: sums.first, entries: sums.second, ofShards: Int(sums.count))
  }

  /// Sets the sums to what a listing has shown, unless entries have come or gone since it began.
  func correct(_ number: UInt8, from before: ShardTally, to bytes: Int64, entries: Int64) {
    let start = TalliesLayout.shard(number)
    do throws(Errno) {
      // Equal sums prove nothing: one entry may have come and another of the same size gone, or another listing may
      // have set the same sum.
      guard try loadChanges(of: number).hasRevisions(of: before.changes),
        try add(ShardChanges.oneRevision, toChangesOf: number).hasRevisions(of: before.changes)
      else { return }
      guard try numbers.replace(before.bytes, by: bytes, at: start + ShardSlot.bytes) else { return }
      try numbers.replace(before.entries, by: entries, at: start + ShardSlot.entries)
      try numbers.replace(0, by: 1, at: start + ShardSlot.isKnown)
    } catch {
      // The next listing of the shard corrects it.
    }
  }

  /// Returns the first of `count` shards to look at next. No other caller gets them before all others have been looked
  /// at.
  func nextShards(_ count: Int) -> UInt8 {
    UInt8(truncatingIfNeeded: (try? numbers.add(Int64(count), at: TalliesLayout.cursorIndex)) ?? 0)
  }

  // MARK: Results

  /// - Parameter savedBytes: the bytes of content that was served and not transferred.
  func count(_ result: CacheResult, savedBytes: UInt64, of host: TalliedHost) {
    do throws(Errno) {
      try numbers.add(1, at: TalliesLayout.index(of: result))
      let saved = Int64(clamping: savedBytes)
      if saved > 0 { try numbers.add(saved, at: TalliesLayout.savedBytesIndex) }
      guard result == .hit || saved > 0 else { return }
      let slot = try slot(of: host)
      if result == .hit { try numbers.add(1, at: slot + HostSlot.hits) }
      if saved > 0 { try numbers.add(saved, at: slot + HostSlot.savedBytes) }
    } catch {
      // A lost count does no harm.
    }
  }

  /// Resets the counts of results. What others count meanwhile is kept.
  func forgetResults() throws(Errno) {
    for index in TalliesLayout.results.lowerBound...TalliesLayout.savedBytesIndex { try zero(index) }
    for slot in 0...TalliesLayout.hostCount {
      let place = TalliesLayout.host(slot)
      try zero(place + HostSlot.hits)
      try zero(place + HostSlot.savedBytes)
    }
  }

  /// Resets the bytes and the entries of all hosts and types, when nothing is stored any more.
  func forgetAccounts() {
    for slot in 0...TalliesLayout.hostCount {
      let place = TalliesLayout.host(slot)
      try? zero(place + HostSlot.bytes)
      try? zero(place + HostSlot.entries)
    }
    for index in TalliesLayout.categories..<TalliesLayout.shards { try? zero(index) }
  }

  private func zero(_ index: Int) throws(Errno) {
    try numbers.lower(by: try numbers.load(index), at: index)
  }

  func results() throws(Errno) -> [Int64] { try numbers.load(TalliesLayout.results) }

  func savedBytes() throws(Errno) -> Int64 { try numbers.load(TalliesLayout.savedBytesIndex) }

  func categories() throws(Errno) -> [Int64] { try numbers.load(TalliesLayout.categories..<TalliesLayout.shards) }

  // MARK: Hosts

  /// Returns the hash of the host with the most bytes of entries, if these are more than `bytes`.
  func host(holdingMoreThan bytes: Int64) -> Int64? {
    guard let numbers = try? hostNumbers() else { return nil }
    var largest: (hash: Int64, bytes: Int64)?
    for place in stride(from: 0, to: TalliesLayout.hostCount * TalliesLayout.hostNumbers, by: TalliesLayout.hostNumbers)
    where numbers[place + HostSlot.hash] != 0 && numbers[place + HostSlot.bytes] > max(bytes, largest?.bytes ?? 0) {
      largest = (numbers[place + HostSlot.hash], numbers[place + HostSlot.bytes])
    }
    return largest?.hash
  }

  func hostNumbers() throws(Errno) -> [Int64] {
    try numbers.load(TalliesLayout.hosts..<TalliesLayout.count)
  }

  /// Returns the index of a host's numbers: in the slot that it has or now takes, or else in that of all other hosts.
  func slot(of host: TalliedHost) throws(Errno) -> Int {
    guard host.name.count <= TalliesLayout.maximumNameBytes else { return TalliesLayout.otherHosts }
    let start = Int(UInt64(bitPattern: host.hash) % UInt64(TalliesLayout.hostCount))
    var vacant: (place: Int, hash: Int64)?
    for step in 0..<TalliesLayout.longestProbe {
      let place = TalliesLayout.host((start + step) % TalliesLayout.hostCount)
      var hash = try numbers.load(place)
      if hash == 0 {
        if try numbers.replace(0, by: host.hash, at: place) {
          try setName(host.name, at: place)
          return place
        }
        // Another process was quicker, maybe for the same host.
        hash = try numbers.load(place)
      }
      if hash == host.hash { return place }
      if vacant == nil, try numbers.load(place + HostSlot.bytes) == 0, try numbers.load(place + HostSlot.entries) == 0 {
        vacant = (place, hash)
      }
    }
    // A host with no stored entries gives up its slot. Its hits and saved bytes go to the account of the other hosts.
    guard let vacant, try numbers.replace(vacant.hash, by: host.hash, at: vacant.place) else {
      return TalliesLayout.otherHosts
    }
    for index in HostSlot.hits...HostSlot.savedBytes {
      let number = try numbers.load(vacant.place + index)
      try numbers.lower(by: number, at: vacant.place + index)
      try numbers.add(number, at: TalliesLayout.otherHosts + index)
    }
    try setName(host.name, at: vacant.place)
    return vacant.place
  }

  /// Writes the name in several steps; a reader checks it against the hash.
  private func setName(_ name: [UInt8], at place: Int) throws(Errno) {
    for word in 0..<(TalliesLayout.hostNumbers - HostSlot.name) {
      var number: Int64 = 0
      for byte in 0..<8 where word * 8 + byte < name.count {
        number |= Int64(bitPattern: UInt64(name[word * 8 + byte]) << (8 * UInt64(byte)))
      }
      try set(number, at: place + HostSlot.name + word)
    }
    try set(Int64(name.count), at: place + HostSlot.nameLength)
  }

  private func set(_ number: Int64, at index: Int) throws(Errno) {
    try numbers.replace(try numbers.load(index), by: number, at: index)
  }
}
