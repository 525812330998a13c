import HTTPSemantics
import Platform

/// The choice of the entries of a sample that are removed to make room. It is pure, so that a table can test it.
enum VictimChoice {
  /// A file of the sample, by its index there.
  struct Candidate: Equatable, Sendable {
    let index: Int
    let bytes: Int64
    let lastUse: WallTime
  }

  /// What the head of a candidate says.
  enum Standing: Equatable, Sendable {
    /// Pinned, a list that leads to a variant, gone, or not readable at the moment.
    case kept
    /// - Parameter host: the hash of its name, if one is known.
    case expendable(host: Int64?)
  }

  /// Returns the last use of a file with this modification time. A time in the future comes from a clock that has been
  /// put back since: it says nothing, and must not keep the entry forever.
  static func lastUse(_ modified: WallTime, at now: WallTime) -> WallTime {
    modified.seconds > now.seconds + clockDifference ? WallTime(seconds: 0) : modified
  }

  /// Returns the last use, compared with the kernel's clock, which sets the times of files.
  static func lastUse(of status: FileStatus) -> WallTime {
    lastUse(status.modified, at: Clock.system.wallTime())
  }

  /// In seconds: how far the clock of a file server may be ahead.
  private static let clockDifference: Int64 = 3_600

  /// Returns the least recently used quarter of what may be removed, the oldest first, until enough is freed.
  ///
  /// - Parameter wanted: the bytes to be freed.
  /// - Parameter host: a host that holds more than its share; then only its entries may be removed.
  /// - Parameter standing: reads the head of a candidate, from the oldest on and no further than needed; `nil` ends the
  ///   choice.
  static func victims(
    of sample: [Candidate], freeing wanted: Int64, crowdedBy host: Int64?, standing: (Candidate) -> Standing?
  ) -> [Candidate] {
    let ordered = sample.ordered { ($0.lastUse, $0.index) < ($1.lastUse, $1.index) }
    var victims: [Candidate] = []
    var freed: Int64 = 0
    var keptCount = 0
    for candidate in ordered {
      // Rounded up: otherwise nothing would ever be removed from the smallest store.
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
