import CacheStore
import FlagTable
import HTTPCaching
import HTTPSemantics
import Interface
import Platform

/// Which stored responses a command is about: by their URLs, and by what else is known of them.
struct EntrySelection {
  private let patterns: [URLPattern]
  /// Those of the patterns that mean one URL each, of which there may be thousands.
  private let literals: Set<TargetURI>
  private let globs: [URLPattern]
  private let filters: EntryFilters

  /// - Parameter patterns: none of them means every URL.
  init(_ patterns: [URLPattern], _ filters: EntryFilters) {
    self.patterns = patterns
    literals = Set(patterns.flatMap(\.targets))
    globs = patterns.filter(\.targets.isEmpty)
    self.filters = filters
  }

  /// The URLs that are meant; `nil` where only a look at everything tells.
  var targets: Set<TargetURI>? { patterns.isEmpty || !globs.isEmpty ? nil : literals }

  /// Told from the URL alone: nothing more need be looked at where it is not meant.
  func mayInclude(_ key: PrimaryKey) -> Bool {
    (patterns.isEmpty || literals.contains(key) || globs.contains { $0.matches(key) })
      && (filters.hosts.isEmpty || filters.hosts.contains { $0.matches(key.target.origin) })
  }

  /// As far as the name of what is damaged says for which URL it is.
  func mayInclude(_ walked: WalkedEntry) -> Bool {
    patterns.isEmpty
      || patterns.contains { $0.targets.isEmpty || $0.targets.contains { walked.mayBeFor($0) } }
  }

  /// The URL that is meant, and for which this is, in good order or not.
  func target(of walked: WalkedEntry) -> TargetURI? {
    for pattern in patterns {
      for target in pattern.targets where walked.isFor(target) { return target }
    }
    return nil
  }

  /// - Returns: `nil` for what is not meant, or cannot be read.
  func entry(_ walked: WalkedEntry, at now: Timestamp) -> ListedEntry? {
    guard case .response(let stored) = walked.state, mayInclude(stored.key.primary),
      let entry = ListedEntry(walked, at: now), includes(entry, at: now)
    else { return nil }
    return entry
  }

  /// - Parameter entry: one whose URL may be meant.
  func includes(_ entry: ListedEntry, at now: Timestamp) -> Bool {
    if filters.isEmpty { return true }
    let stored = entry.stored
    return (filters.states.isEmpty || filters.states.contains { entry.state == ListedEntry.State($0) })
      && (!filters.requiresPin || stored.isPinned)
      && (filters.tags.isEmpty || filters.tags.contains { $0.matches(stored.marks.tags) })
      && (filters.statuses.isEmpty || filters.statuses.contains { $0.matches(stored.response.status) })
      && (filters.types.isEmpty || filters.types.contains { $0.matches(stored.fields[.contentType]) })
      && (filters.groups.isEmpty || entry.groups.contains { group in filters.groups.contains { $0.bytes == group } })
      && (filters.olderThan.map { entry.isOlder(than: $0, at: now) } ?? true)
      && (filters.youngerThan.map { entry.isYounger(than: $0, at: now) } ?? true)
      && (filters.unusedFor.map { entry.isUnused(for: $0, at: now) } ?? true)
      && (filters.largerThan.map(entry.isLarger) ?? true)
  }
}

extension Store {
  /// Shows what may be meant, in good order or not, until `body` answers false; of URLs that were typed, it looks only
  /// where they may be.
  func forEachEntry(in selection: EntrySelection, _ body: (WalkedEntry) -> Bool) throws(StoreError) {
    guard let targets = selection.targets else { return try forEachEntry(body) }
    try forEachEntry(thatMayBeFor: targets, body)
  }
}

extension Set<TargetURI> {
  /// Whether what is stored under a key is for one of them.
  fileprivate func contains(_ key: PrimaryKey) -> Bool {
    // Of a key without some parameters, each URL with them is one.
    if case .reduced = key { contains { key.concerns($0) } } else { contains(key.target) }
  }
}

extension ListedEntry.State {
  fileprivate init(_ state: EntryFilters.State) {
    self =
      switch state {
      case .fresh: .fresh
      case .stale: .stale
      }
  }
}

extension ListedEntry {
  func isOlder(than moment: PastMoment, at now: Timestamp) -> Bool {
    switch moment {
    case .ago(let time): .seconds(freshness.age.seconds) > time
    case .on(let date): now.advanced(bySeconds: -freshness.age.seconds) < date
    }
  }

  func isYounger(than moment: PastMoment, at now: Timestamp) -> Bool {
    switch moment {
    case .ago(let time): .seconds(freshness.age.seconds) < time
    case .on(let date): now.advanced(bySeconds: -freshness.age.seconds) > date
    }
  }

  func isUnused(for time: Duration, at now: Timestamp) -> Bool {
    // Whatever the file's time says, this does not overflow.
    .seconds(Double(now.secondsSinceEpoch) - Double(walked.file.lastUse.seconds)) > time
  }

  func isLarger(than bytes: Int64) -> Bool { stored.contentLength > UInt64(clamping: bytes) }

  /// The members of its Cache-Groups.
  var groups: [[UInt8]] { CacheGroups(of: stored)?.names ?? [] }
}
