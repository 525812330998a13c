import HTTPCaching
import HTTPSemantics
import Interface
import Platform

/// What a listing says of an entry, and where: all that is kept of it until the last one has been read.
struct ListedLine {
  /// What lines are sorted by: equal ones come as they were found.
  enum Place: Comparable {
    case text(String)
    case number(Int64)
  }

  let place: Place
  /// One, but in a table.
  let cells: [String]
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
  func place(of entry: ListedEntry) -> ListedLine.Place {
    switch self {
    case .url: .text(entry.target.description)
    case .size: .number(-Int64(clamping: entry.stored.contentLength))
    case .age: .number(entry.freshness.age.seconds)
    // From -1 down, so that no moment overflows when it is turned round.
    case .used: .number(-1 - entry.usedAt.secondsSinceEpoch)
    case .expires: .number(entry.expiresAt.secondsSinceEpoch)
    }
  }
}
