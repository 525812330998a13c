import CacheStore
import HTTPCaching
import HTTPSemantics
import Interface
import Platform

/// What a listing says of each entry, from several threads, until the last one has been read.
final class LineCollector: @unchecked Sendable {
  /// What a line is sorted by first, with the bytes of its URL.
  private struct Key {
    let place: Int64
    let url: Range<Int>
  }

  private let lock = Lock()
  private var keys: [Key] = []
  /// One behind the other: a comparison of two counts no references.
  private var urls: [UInt8] = []
  private var names: [EntryName] = []
  private var lines: [[String]] = []

  func add(_ cells: [String], of entry: ListedEntry, at place: Int64) {
    let url = entry.target.description
    lock.lock()
    let start = urls.count
    urls += url.utf8
    keys.append(Key(place: place, url: start..<urls.count))
    names.append(entry.walked.file.name)
    lines.append(cells)
    lock.unlock()
  }

  /// By their places, of equal ones by the URL, and then by the name of the entry: threads find them in an order that
  /// is another one each time.
  var linesInOrder: [[String]] {
    urls.withUnsafeBytes { urls in
      placesInOrder(keys.count) { one, other in
        let (key, otherKey) = (keys[one], keys[other])
        if key.place != otherKey.place { return key.place < otherKey.place }
        let order = urls.order(of: key.url, and: otherKey.url)
        return order == 0 ? names[one].description < names[other].description : order < 0
      }
    }.map { lines[$0] }
  }
}

extension UnsafeRawBufferPointer {
  /// Which of two ranges has the lesser bytes.
  ///
  /// - Returns: below 0 for the first, above 0 for the second, and 0 where they are equal.
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
  /// A to Z, largest, newest, most recently used, or soonest to expire first.
  func place(of entry: ListedEntry) -> Int64 {
    switch self {
    case .url: 0
    case .size: -Int64(clamping: entry.stored.contentLength)
    case .age: entry.freshness.age.seconds
    // From -1 down, so that no moment overflows when it is turned round.
    case .used: -1 - entry.usedAt.secondsSinceEpoch
    case .expires: entry.expiresAt.secondsSinceEpoch
    }
  }
}
