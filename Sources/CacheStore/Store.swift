package import HTTPCaching
package import HTTPSemantics
package import Platform

/// Stored responses in a directory that any number of processes use at the same time.
///
/// It has no state of its own: every call opens the directory, checks that it is ours alone, and closes it, unless the
/// store is to be kept open. Nothing is created before there is something to insert, a turn to take for which other
/// runs may have to wait, or something to digest under the store's secret. If there is a store, responses that are not
/// stored are counted in it, too.
package final class Store: Sendable {
  package let root: Path
  /// The user's home directory, if the root was chosen because it is in there; a store is not created without it.
  package let home: Path?
  package let clock: Clock
  package let limits: StoreLimits
  /// `nil` if each call opens what it needs.
  let kept: KeptStore?
  let evictions: EvictionRecord?

  /// - Parameters:
  ///   - isKeptOpen: whether what is opened for a look-up or an insertion stays open for the next.
  ///   - evictions: records what is removed to make room; `nil` if nobody wants to know.
  package init(
    root: Path, home: Path? = nil, clock: Clock, limits: StoreLimits = StoreLimits(), isKeptOpen: Bool = false,
    noting evictions: EvictionRecord? = nil
  ) {
    self.evictions = evictions
    self.root = root
    self.home = home
    self.clock = clock
    self.limits = limits
    kept = isKeptOpen ? KeptStore() : nil
  }

  /// Whether the store exists.
  ///
  /// - Throws: `.unsafe` if something in its place is not used as a store.
  package func isPresent() throws(StoreError) -> Bool {
    try StoreRoot.open(root) != nil
  }

  /// Whether the store exists, and files may be made in it.
  package var isWritable: Bool {
    guard let opened = try? openRoot() else { return false }
    return opened.root.directory.isWritable(StoreLayout.version.appending(StoreLayout.temporaries))
  }

  // MARK: Looking up

  /// Finds the stored response for a request (RFC 9111 section 4.1) or, if there is none, a part of it.
  ///
  /// - Parameters:
  ///   - conceal: called if a stored response depends on a request field that is kept as a digest.
  ///   - visit: the visit to continue; if it is `nil`, one begins.
  package func lookup(
    _ key: CacheKey, for request: Fields, concealing conceal: SelectingFields.Concealer, in visit: inout StoreVisit?
  ) -> Lookup {
    do throws(StoreError) {
      let opened: OpenRoot
      if let visit {
        opened = visit.root
      } else {
        guard let root = try openRoot() else { return Lookup(.uriMiss) }
        opened = root
        visit = StoreVisit(root: root)
      }
      let name = EntryName(key)
      let whole = try whole(name, key, for: request, in: opened.root, concealing: conceal)
      if whole.isFound || whole.fault != nil { return whole }
      if let part = try part(name.part, key, for: request, in: opened.root, concealing: conceal) { return part }
      return whole
    } catch {
      return Lookup(.uriMiss, fault: error)
    }
  }

  /// Whether anything has the name of the whole response under a key. Only a look-up tells what it is.
  package func contains(_ key: CacheKey) -> Bool {
    guard let opened = try? openRoot() else { return false }
    return (try? opened.root.directory.status(of: EntryName(key).path, followingLinks: false)) != nil
  }

  /// Returns the heads of all whole responses under a key, whatever selects them. Damaged entries are skipped.
  package func heads(under key: CacheKey) throws(StoreError) -> [StoredResponse] {
    guard let opened = try openRoot() else { return [] }
    let name = EntryName(key)
    let glance = try EntryGlance(at: name, in: opened.root)
    if let stored = glance?.stored { return stored.key == key ? [stored] : [] }
    var heads: [StoredResponse] = []
    for variant in glance.variants(under: key) ?? [] {
      guard let stored = try EntryGlance(at: name.variant(variant), in: opened.root)?.stored, stored.key == key else {
        continue
      }
      heads.append(stored)
    }
    return heads
  }

  /// Returns the selecting fields of each whole response under a key.
  package func variants(of key: CacheKey) -> [SelectingFields] {
    guard let opened = try? openRoot() else { return [] }
    let glance = try? EntryGlance(at: EntryName(key), in: opened.root)
    if let stored = glance?.stored { return stored.key == key ? [stored.selecting] : [] }
    return glance.variants(under: key) ?? []
  }

  private func whole(
    _ name: EntryName, _ key: CacheKey, for request: Fields, in root: borrowing StoreRoot,
    concealing conceal: SelectingFields.Concealer
  ) throws(StoreError) -> Lookup {
    guard let entry = try OpenEntry.open(name, in: root, .content) else { return Lookup(.uriMiss) }
    let head = entry.head
    switch head {
    case .response(let stored, _):
      // Names are hashes, which can collide.
      guard stored.key == key else { return try Self.missed(head, at: name, in: root) }
      guard stored.selecting.match(request, concealing: conceal) else { return Lookup(.varyMiss) }
      return Lookup(StoredContent(entry, stored))
    case .variants(let list):
      guard list.key == key else { return try Self.missed(head, at: name, in: root) }
      return newestVariant(in: list, in: root) { $0.match(request, concealing: conceal) }
    }
  }

  /// Treats an entry of another key under the name as a miss if the names collide, and as damage if the file has been
  /// given the name of another entry.
  private static func missed(
    _ head: EntryHead, at name: EntryName, in root: borrowing StoreRoot
  ) throws(StoreError) -> Lookup {
    guard EntryName(of: head) != name else { return Lookup(.uriMiss) }
    throw .damaged(name, .misnamed, at: name.path, in: root.directory, ownerID: root.ownerID)
  }

  private func part(
    _ name: EntryName, _ key: CacheKey, for request: Fields, in root: borrowing StoreRoot,
    concealing conceal: SelectingFields.Concealer
  ) throws(StoreError) -> Lookup? {
    guard let entry = try OpenEntry.open(name, in: root, .content) else { return nil }
    guard case .response(let stored, _) = entry.head, stored.key == key,
      stored.selecting.match(request, concealing: conceal)
    else { return nil }
    return Lookup(StoredContent(entry, stored))
  }

  private func newestVariant(
    in list: VariantList, in root: borrowing StoreRoot, where isMatch: (SelectingFields) -> Bool
  ) -> Lookup {
    let primary = EntryName(list.key)
    var newest = Lookup(.varyMiss)
    var fault: StoreError?
    for selecting in list.variants where isMatch(selecting) {
      let name = primary.variant(selecting)
      do throws(StoreError) {
        guard let entry = try OpenEntry.open(name, in: root, .content) else { continue }
        guard case .response(let stored, _) = entry.head, stored.key == list.key, stored.selecting == selecting else {
          throw .damaged(name, .notTheVariant, at: name.path, in: root.directory, ownerID: root.ownerID)
        }
        guard stored.isPreferred(to: newest.selection.stored) else { continue }
        newest = Lookup(StoredContent(entry, stored))
      } catch {
        fault = error
      }
    }
    newest.fault = fault
    return newest
  }

  // MARK: Storing

  /// Returns why content of that length is not stored; `nil` if it is stored, or the length is not known.
  package func refusal(expecting length: UInt64?) -> StoreError? {
    Int64(clamping: length ?? 0) > limits.largestContent ? .tooLarge : nil
  }

  /// Begins an entry, and creates the store where there is none.
  ///
  /// - Parameters:
  ///   - length: of the content, where it is known in advance.
  ///   - removingOrphans: whether files of dead writers are removed, which is enough once in a run that inserts often.
  ///   - watch: on the target, since before the response was asked for.
  /// - Throws: `.tooLarge` where `length` is more than a response may have. Where more content than announced comes,
  ///   appending throws it.
  package func beginInsertion(
    expecting length: UInt64? = nil, removingOrphans: Bool = true, unlessInvalidated watch: InvalidationWatch? = nil
  ) throws(StoreError) -> EntryWriter {
    if let refusal = refusal(expecting: length) { throw refusal }
    let terms = PublishingTerms(limits: limits, clock: clock, evictions: evictions, watch: watch)
    do throws(StoreError) {
      return try EntryWriter(openForWriting(), terms, removingOrphans: removingOrphans)
    } catch {
      // The store that was kept open may have been removed. Then it is created anew.
      guard let kept, case .failed(_, .noSuchFile) = error else { throw error }
      kept.forget()
      return try EntryWriter(openForWriting(), terms, removingOrphans: removingOrphans)
    }
  }

  /// Notes that a stored response has been used, at most hourly. If nothing can be written, there is no error.
  package func touch(_ content: borrowing StoredContent) {
    let age = clock.wallTime().seconds.subtractingReportingOverflow(content.modified.seconds)
    // A time in the future would keep the entry the most recently used forever.
    guard age.overflow || age.partialValue >= Self.useResolutionSeconds || age.partialValue < 0 else { return }
    try? content.entry.descriptor.touch()
  }

  private static let useResolutionSeconds: Int64 = 3_600
}

/// The store's root, found to be there and ours alone. Look-ups that follow each other within a moment share it, and do
/// not check again.
package struct StoreVisit {
  let root: OpenRoot
}

/// What a look-up has found.
package struct Lookup: ~Copyable {
  package let selection: Selection
  /// Present if the selection is a stored response, until the caller takes it.
  package private(set) var content: StoredContent?
  /// Why the store found nothing, or less than it should have: damage, or a store that cannot be used.
  package internal(set) var fault: StoreError?

  package init(_ miss: Selection, fault: StoreError? = nil) {
    selection = miss
    content = nil
    self.fault = fault
  }

  init(_ content: consuming StoredContent) {
    selection = .selected(content.stored)
    self.content = consume content
    fault = nil
  }

  var isFound: Bool { if case .selected = selection { true } else { false } }

  package mutating func takeContent() -> StoredContent? {
    content.take()
  }
}
