import CHash
import HTTPCaching
import HTTPSemantics
import Platform

/// How much an entry counts for in the tallies, and on which accounts.
struct EntryWeight: Equatable, Sendable {
  let shard: UInt8
  /// The size of the file.
  let bytes: Int64
  /// `nil` if no head could be read.
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

/// An entry that counts in the tallies, whether or not it has its name yet.
struct CountedEntry {
  let weight: EntryWeight
  /// The changes of its shard before the entry counted.
  let changes: ShardChanges
}

/// A host as the tallies identify it.
struct TalliedHost: Hashable, Sendable {
  let name: [UInt8]
  /// XXH3-64 of the name; never 0, which marks a slot without a host.
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
  /// The bytes that count towards the capacity. Only regular files count: the size of a directory in the place of an
  /// entry means something else. The size is clamped, because sums could overflow if somebody made files larger than
  /// any entry.
  var countedBytes: Int64 { kind == .regular ? min(size, Int64(2 * EntryFormat.maximumContentLength)) : 0 }
}
