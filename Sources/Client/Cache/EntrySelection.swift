import CacheStore
import FlagTable
import HTTPCaching
import HTTPSemantics
import Interface
import Platform

/// The stored responses that a command applies to, selected by their URLs and by their other properties.
struct EntrySelection {
  private let patterns: [URLPattern]
  /// The URLs of the patterns without an asterisk, of which there may be thousands.
  private let literals: Set<TargetURI>
  private let globs: [URLPattern]
  private let filters: EntryFilters

  /// - Parameter patterns: select every URL if there are none.
  init(_ patterns: [URLPattern], _ filters: EntryFilters) {
    self.patterns = patterns
    literals = Set(patterns.flatMap(\.targets))
    globs = patterns.filter(\.targets.isEmpty)
    self.filters = filters
  }

  /// The selected URLs; `nil` if only a walk through all entries finds them.
  var targets: Set<TargetURI>? { patterns.isEmpty || !globs.isEmpty ? nil : literals }

  /// Returns whether the URL alone lets an entry be selected; if not, nothing else of the entry need be looked at.
  private func mayInclude(_ key: PrimaryKey) -> Bool {
    (patterns.isEmpty || literals.contains(key) || globs.contains { $0.matches(key) })
      && (filters.hosts.isEmpty || filters.hosts.contains { $0.matches(key.target.origin) })
  }

  /// Returns whether an entry may be selected, as far as the name of a damaged one tells which URL it is for.
  func mayInclude(_ walked: WalkedEntry) -> Bool {
    patterns.isEmpty
      || patterns.contains { $0.targets.isEmpty || $0.targets.contains { walked.mayBeFor($0) } }
  }

  /// Returns the selected URL that an entry is for, whether it is damaged or not; `nil` without one.
  func target(of walked: WalkedEntry) -> TargetURI? {
    for pattern in patterns {
      for target in pattern.targets where walked.isFor(target) { return target }
    }
    return nil
  }

  /// - Returns: `nil` for an entry that is not selected or cannot be read.
  func entry(_ walked: WalkedEntry, at now: Timestamp) -> ListedEntry? {
    guard let stored = walked.stored, mayInclude(stored.key.primary), let entry = ListedEntry(walked, at: now),
      includes(entry, at: now)
    else { return nil }
    return entry
  }

  /// Returns whether the filters select an entry.
  ///
  /// - Parameter entry: an entry whose URL may be selected.
  private func includes(_ entry: ListedEntry, at now: Timestamp) -> Bool {
    if filters.isEmpty { return true }
    let stored = entry.stored
    return (filters.states.isEmpty || filters.states.contains { entry.state == ListedEntry.State($0) })
      && (!filters.requiresPin || stored.isPinned)
      && (filters.tags.isEmpty || filters.tags.contains { $0.matches(stored.marks.tags) })
      && (filters.statuses.isEmpty || filters.statuses.contains { $0.matches(stored.response.status) })
      && (filters.types.isEmpty || filters.types.contains { $0.includes(stored.fields[.contentType]) })
      && (filters.groups.isEmpty || entry.groups.contains { group in filters.groups.contains { $0.bytes == group } })
      && (filters.olderThan.map { entry.isOlder(than: $0, at: now) } ?? true)
      && (filters.youngerThan.map { entry.isYounger(than: $0, at: now) } ?? true)
      && (filters.unusedFor.map { entry.isUnused(for: $0, at: now) } ?? true)
      && (filters.largerThan.map(entry.isLarger) ?? true)
  }
}

extension Store {
  /// Calls `body` with each entry that may be selected, damaged or not, until `body` returns false. If only URLs
  /// without an asterisk were typed, it looks only where their entries may be.
  func forEachEntry(in selection: EntrySelection, _ body: (WalkedEntry) -> Bool) throws(StoreError) {
    guard let targets = selection.targets else { return try forEachEntry(body) }
    try forEachEntry(thatMayBeFor: targets, body)
  }

  /// Does the same, until `body` throws.
  ///
  /// - Parameter purpose: completes "cannot ... the cache".
  func forEachEntry(
    in selection: EntrySelection, to purpose: String, _ body: (WalkedEntry) throws(Failure) -> Void
  ) throws(Failure) {
    var failure: Failure?
    do throws(StoreError) {
      try forEachEntry(in: selection) { walked in
        do throws(Failure) { try body(walked) } catch { failure = error }
        return failure == nil
      }
    } catch {
      throw .store(cannot: purpose, in: root, error)
    }
    if let failure { throw failure }
  }
}

extension Set<TargetURI> {
  /// Returns whether the responses stored under a key are for one of these targets.
  fileprivate func contains(_ key: PrimaryKey) -> Bool {
    // A key without some parameters is for each URL that differs only in these.
    if case .reduced = key { contains { key.concerns($0) } } else { contains(key.target) }
  }
}

extension MediaTypePattern {
  /// Returns whether the pattern matches a Content-Type, or is the word under which `garner cache stats` counts it.
  fileprivate func includes(_ contentType: FieldValue?) -> Bool {
    matches(contentType) || ContentCategory(contentType).rawValue == text
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
    // In floating point, because the difference of integers might overflow, whatever the file's time is.
    .seconds(Double(now.secondsSinceEpoch) - Double(walked.file.lastUse.seconds)) > time
  }

  func isLarger(than bytes: Int64) -> Bool { stored.contentLength > UInt64(clamping: bytes) }

  /// The members of the response's Cache-Groups.
  var groups: [[UInt8]] { CacheGroups(of: stored)?.names ?? [] }
}
