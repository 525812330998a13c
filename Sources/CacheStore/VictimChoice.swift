import HTTPSemantics
import Platform

/// Which entries of a sample go when room is needed: pure, so that a table can say it.
enum VictimChoice {
  /// A file of the sample, by its place there.
  struct Candidate: Equatable, Sendable {
    let index: Int
    let bytes: Int64
    let lastUse: WallTime
  }

  /// What the head of a candidate says.
  enum Standing: Equatable, Sendable {
    /// Pinned, or a list that leads to something, or not there any more, or not to be read now.
    case kept
    /// - Parameter host: the hash of its name, where one is known.
    case expendable(host: Int64?)
  }

  /// The last use of a file with such a time of change. One from the future is of a clock that has been put back: it
  /// says nothing, and must not keep its entry for ever.
  static func lastUse(_ modified: WallTime, at now: WallTime) -> WallTime {
    modified.seconds > now.seconds + clockDifference ? WallTime(seconds: 0) : modified
  }

  /// As of now. Times of files are the kernel's.
  static func lastUse(of status: FileStatus) -> WallTime {
    lastUse(status.modified, at: Clock.system.wallTime())
  }

  /// In seconds: what the clock of a file server may be ahead.
  private static let clockDifference: Int64 = 3_600

  /// The least recently used quarter of what may go, the oldest first, until enough is freed.
  ///
  /// - Parameter wanted: bytes to be freed.
  /// - Parameter host: where one holds more than its share, only its entries may go.
  /// - Parameter standing: reads a head, from the oldest on and no further than needed; `nil` ends the choice.
  static func victims(
    of sample: [Candidate], freeing wanted: Int64, crowdedBy host: Int64? = nil,
    standing: (Candidate) -> Standing?
  ) -> [Candidate] {
    let ordered = sample.ordered { ($0.lastUse, $0.index) < ($1.lastUse, $1.index) }
    var victims: [Candidate] = []
    var freed: Int64 = 0
    var keptCount = 0
    for candidate in ordered {
      // A quarter of one is one: else nothing would ever go from the smallest store.
      let quarter = (ordered.count - keptCount + 3) / 4
      guard freed < wanted, victims.count < quarter, let standing = standing(candidate) else { break }
      switch standing {
      case .expendable(let owner) where host == nil || owner == host:
        victims.append(candidate)
        freed += candidate.bytes
      case .expendable, .kept:
        keptCount += 1
      }
    }
    return victims
  }
}
