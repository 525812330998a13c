import Platform

/// The sums of each host and content category that a look at every entry has shown, in the form that the tallies have.
struct Recount {
  private(set) var hosts: [TalliedHost: Sum] = [:]
  private(set) var categories: [ContentCategory: Sum] = [:]

  struct Sum: Equatable {
    var bytes: Int64 = 0
    var entries: Int64 = 0

    mutating func add(_ other: Sum) {
      bytes += other.bytes
      entries += other.entries
    }
  }

  mutating func add(_ weight: EntryWeight) {
    let sum = Sum(bytes: weight.bytes, entries: 1)
    if let host = weight.host { hosts[host, default: Sum()].add(sum) }
    if let category = weight.category { categories[category, default: Sum()].add(sum) }
  }
}

extension Store {
  /// Corrects the tallies by a look at every entry: for example, an entry that was damaged when it was removed still
  /// counts for its host.
  ///
  /// A sum that others change meanwhile stays as it is.
  package func recount() throws(StoreError) {
    guard let store = try ReadableStore(root, for: .counting),
      let tallies = try? Tallies(in: store.root, for: .writing)
    else { return }
    try storing(.counting) { () throws(Errno) in _ = try tallies.recount(store) }
  }
}

extension Tallies {
  /// Does the work of `Store.recount`. Entries that cannot be listed are on nobody's account.
  ///
  /// - Returns: whether the sums of hosts and categories were right before.
  /// - Throws: the first error, after the rest has been listed; the sums of hosts and categories then stay as they are.
  func recount(_ store: borrowing ReadableStore) throws(Errno) -> Bool {
    let before = try snapshot()
    var recount = Recount()
    var failure = FirstError<Errno>()
    for shard in 0...UInt8.max {
      do throws(Errno) {
        for file in try list(shard, below: store.version, within: .unlimited).files {
          let path = file.name.shard.appending(file.name.fileName)
          let found = try EntryGlance(at: file.name, path: path, in: store.version, ownerID: store.root.ownerID)
          if let found { recount.add(found.weight) }
        }
      } catch {
        // What may not be read is reported elsewhere: see `Store.unusableDirectories`.
        if !error.concernsFile { failure.note(error) }
      }
    }
    try failure.throwIfAny()
    return try correct(from: before, to: recount)
  }

  /// Sets the sums of hosts and categories to those of a recount, unless they have changed since before it.
  ///
  /// - Parameter before: a snapshot from before the recount.
  /// - Returns: whether the snapshot has the same sums already.
  private func correct(from before: [Int64], to recount: Recount) throws(Errno) -> Bool {
    var isRight = true
    for category in ContentCategory.allCases {
      let place = TalliesLayout.category(category)
      if try !correct(place, from: before, to: recount.categories[category] ?? Recount.Sum()) { isRight = false }
    }
    let counted = Set(recount.hosts.keys.map(\.hash))
    for place in (0..<TalliesLayout.hostCount).map(TalliesLayout.host)
    where before[place] != 0 && !counted.contains(before[place]) {
      if try !correct(place + TalliesLayout.HostSlot.bytes, from: before, to: Recount.Sum()) { isRight = false }
    }
    var others = Recount.Sum()
    for (host, sum) in recount.hosts {
      let place = try slot(of: host)
      if place == TalliesLayout.otherHosts {
        others.add(sum)
      } else if try !correct(place + TalliesLayout.HostSlot.bytes, from: before, to: sum) {
        isRight = false
      }
    }
    return try correct(TalliesLayout.otherHosts + TalliesLayout.HostSlot.bytes, from: before, to: others) && isRight
  }
}
