import CacheStore
import HTTPCaching
import HTTPSemantics
import Interface
import Platform

/// A collector of the lines of a listing, which several threads add to, and which sorts them when all have been added.
final class LineCollector: @unchecked Sendable {
  /// The key that lines are sorted by: the rank, and then the bytes of the URL, which are a range of `urls`.
  private struct Key {
    let rank: Int64
    let url: Range<Int>
  }

  private let lock = Lock()
  private var keys: [Key] = []
  /// The bytes of all URLs, one after the other, so that a comparison of two changes no reference counts.
  private var urls: [UInt8] = []
  private var names: [EntryName] = []
  private var lines: [[String]] = []

  func add(_ cells: [String], of entry: ListedEntry, at rank: Int64) {
    let url = entry.target.description
    lock.lock()
    let start = urls.count
    urls += url.utf8
    keys.append(Key(rank: rank, url: start..<urls.count))
    names.append(entry.walked.file.name)
    lines.append(cells)
    lock.unlock()
  }

  /// The lines, sorted by rank, then by URL, then by the name of the entry, because threads find entries in a
  /// different order each time.
  var linesInOrder: [[String]] {
    urls.withUnsafeBytes { urls in
      sortedIndices(keys.count) { one, other in
        let (key, otherKey) = (keys[one], keys[other])
        if key.rank != otherKey.rank { return key.rank < otherKey.rank }
        let order = urls.order(of: key.url, and: otherKey.url)
        return order == 0 ? names[one].description < names[other].description : order < 0
      }
    }.map { lines[$0] }
  }
}

extension UnsafeRawBufferPointer {
  /// Compares the bytes of two ranges.
  ///
  /// - Returns: below 0 if the first is less, above 0 if the second is less, and 0 if they are equal.
  fileprivate func order(of one: Range<Int>, and other: Range<Int>) -> Int {
    let common = Swift.min(one.count, other.count)
    var offset = 0
    while offset + MemoryLayout<UInt64>.size <= common {
      let word = loadUnaligned(fromByteOffset: one.lowerBound + offset, as: UInt64.self)
      let otherWord = loadUnaligned(fromByteOffset: other.lowerBound + offset, as: UInt64.self)
      if word != otherWord { return word.bigEndian < otherWord.bigEndian ? -1 : 1 }
      offset += MemoryLayout<UInt64>.size
    }
    while offset < common {
      let (byte, otherByte) = (self[one.lowerBound + offset], self[other.lowerBound + offset])
      if byte != otherByte { return Int(byte) - Int(otherByte) }
      offset += 1
    }
    return one.count - other.count
  }
}

extension StoreCommandOptions.SortKey {
  /// Returns the number to sort an entry by: A to Z, largest, newest, most recently used, or soonest to expire first.
  func rank(of entry: ListedEntry) -> Int64 {
    switch self {
    case .url: 0
    case .size: -Int64(clamping: entry.stored.contentLength)
    case .age: entry.freshness.age.seconds
    // Subtracted from -1, so that no moment overflows when the order is reversed.
    case .used: -1 - entry.usedAt.secondsSinceEpoch
    case .expires: entry.expiresAt.secondsSinceEpoch
    }
  }
}
