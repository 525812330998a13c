import CHash
import HTTPCaching
import HTTPSemantics
import Platform

/// What a glance at the file of an entry has shown; it is not held open.
struct EntryGlance {
  let name: EntryName
  let status: FileStatus
  /// `nil` where it is damaged, as the next.
  let head: EntryHead?
  let generation: Generation?

  // Inlined, these two would be in the program a dozen times, where nothing is in a hurry.
  /// Like the other, with the path from the store's root.
  @inline(never)
  init?(at name: EntryName, in root: borrowing StoreRoot) throws(StoreError) {
    do throws(Errno) {
      try self.init(at: name, path: name.path, in: root.directory, ownerID: root.ownerID)
    } catch {
      throw .failed(.readingEntry, error)
    }
  }

  /// - Parameter path: leads to the file, from `directory` on.
  /// - Returns: `nil` where there is no such file.
  /// - Throws: this process's own trouble, such as want of a descriptor: the entry may be in good order, and pinned.
  init?(at name: EntryName, path: Path, in directory: borrowing Directory, ownerID: UInt32) throws(Errno) {
    self.name = name
    do throws(StoreError) {
      guard let entry = try OpenEntry.open(name, at: path, in: directory, ownerID: ownerID, .head) else { return nil }
      status = entry.status
      head = entry.head
      generation = entry.preamble.generation
    } catch {
      if case .failed(_, let trouble) = error { throw trouble }
      // Whatever it is: it has the name, and a size.
      guard let status = directory.entryStatus(at: path) else { return nil }
      self.status = status
      (head, generation) = (nil, nil)
    }
  }

  var stored: StoredResponse? {
    if case .response(let stored, _) = head { stored } else { nil }
  }

  var variants: VariantList? {
    if case .variants(let list) = head { list } else { nil }
  }

  var key: CacheKey? { stored?.key ?? variants?.key }

  var weight: EntryWeight { EntryWeight(name, status.countedBytes, head) }
}

extension EntryGlance? {
  /// Those of the stored response of that key, where there is one.
  @inline(never)
  func marks(under key: CacheKey) -> Marks {
    guard let stored = self?.stored, stored.key == key else { return .none }
    return stored.marks
  }
}

/// What an entry counts for, and on whose account.
struct EntryWeight: Equatable, Sendable {
  let shard: UInt8
  /// Of the file.
  let bytes: Int64
  /// `nil` where no head says it.
  let host: TalliedHost?
  let category: ContentCategory?

  init(_ name: EntryName, _ bytes: Int64, _ head: EntryHead?) {
    shard = name.shardNumber
    self.bytes = bytes
    switch head {
    case .response(let stored, _):
      host = TalliedHost(stored.key)
      category = ContentCategory(stored.fields[.contentType])
    case .variants(let list):
      host = TalliedHost(list.key)
      category = nil
    case nil:
      host = nil
      category = nil
    }
  }
}

/// An entry that counts, whether or not it has a name yet.
struct CountedEntry {
  let weight: EntryWeight
  /// Of its shard, before it counted.
  let changes: ShardChanges
}

/// A host as the tallies know it.
struct TalliedHost: Hashable, Sendable {
  let name: [UInt8]
  /// XXH3-64 of the name; never 0, which is a slot without a host.
  let hash: Int64

  init(_ key: CacheKey) {
    self.init(name: Array(key.target.origin.host.utf8))
  }

  init(name: [UInt8]) {
    self.name = name
    let hash = name.span.bytes.withUnsafeBytes { chash_xxh3_64($0.baseAddress, $0.count, 0) }
    self.hash = Int64(bitPattern: max(hash, 1))
  }
}

extension FileStatus {
  /// What counts towards the capacity, in bytes: a directory in the place of an entry has a size of another sort, and
  /// sums of what somebody has made larger than any entry could be might not fit a number.
  var countedBytes: Int64 { kind == .regular ? min(size, Int64(2 * EntryFormat.maximumContentLength)) : 0 }
}
