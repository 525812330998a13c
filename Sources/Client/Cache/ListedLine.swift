import CacheStore
import HTTPCaching
import HTTPSemantics
import Interface
import Platform

/// What a listing says of an entry, and where: all that is kept of it until the last one has been read.
struct ListedLine {
  /// What lines are sorted by, of equal ones the URL, and then the name of the entry: several threads find them, in an
  /// order that is another one each time.
  let place: Int64
  let url: String
  let name: EntryName
  /// One, but in a table.
  let cells: [String]

  func precedes(_ other: ListedLine) -> Bool {
    if place != other.place { return place < other.place }
    return url == other.url ? name.description < other.name.description : url < other.url
  }
}

/// Lines from several threads.
final class LineCollector: @unchecked Sendable {
  private let lock = Lock()
  private(set) var lines: [ListedLine] = []

  func add(_ line: consuming ListedLine) {
    lock.lock()
    lines.append(line)
    lock.unlock()
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
