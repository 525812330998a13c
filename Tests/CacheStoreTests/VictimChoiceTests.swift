import Platform
import Testing

@testable import CacheStore

/// Tests that pass a sample of entries, and compare the victims that are chosen.
@Suite("The choice of entries to evict")
struct VictimChoiceTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The last use of each entry of the sample, in the order of the sample; each entry has 10 bytes.
    let lastUses: [Int64]
    let wanted: Int64
    let kept: Set<Int>
    /// The entries of host 7; the others belong to host 1.
    let hosts: Set<Int>
    let crowding: Int64?
    let victims: [Int]

    init(
      _ rule: String, _ lastUses: [Int64], freeing wanted: Int64 = 1_000, kept: Set<Int> = [], of7 hosts: Set<Int> = [],
      crowdedBy crowding: Int64? = nil, _ victims: [Int]
    ) {
      testDescription = rule
      (self.lastUses, self.wanted, self.kept, self.hosts) = (lastUses, wanted, kept, hosts)
      (self.crowding, self.victims) = (crowding, victims)
    }
  }

  static let rows: [Row] = [
    Row("nothing goes from nothing", [], []),
    Row("the only entry of a sample goes", [5], [0]),
    Row("of four, the least recently used goes", [4, 2, 3, 9], [1]),
    Row("of eight, two go, the oldest first", [8, 7, 1, 6, 5, 2, 4, 3], [2, 5]),
    Row("a quarter of the sample is rounded up", [5, 4, 3, 2, 1], [4, 3]),
    Row("no more go than are needed", [8, 7, 1, 6, 5, 2, 4, 3], freeing: 10, [2]),
    Row("where nothing is needed, nothing goes", [1, 2, 3, 4], freeing: 0, []),
    Row("of those used at the same time, the first go", [1, 1, 1, 1, 1, 1, 1, 1], [0, 1]),
    Row("an entry that has to stay is skipped", [1, 2, 3, 4], kept: [0], [1]),
    Row("the quarter is that of the entries that may go", [1, 2, 3, 4, 5, 6, 7, 8], kept: [0, 1, 2, 3], [4]),
    Row("if all entries have to stay, nothing goes", [1, 2, 3, 4], kept: [0, 1, 2, 3], []),
    Row(
      "if a host has too much, its own entries go, however recently used", [1, 2, 3, 4, 5], of7: [2, 3, 4],
      crowdedBy: 7, [2]),
    Row(
      "if a host has too much, the quarter is that of its own entries", [1, 2, 3, 4, 5, 6, 7, 8, 9],
      of7: [4, 5, 6, 7, 8], crowdedBy: 7, [4, 5]),
    Row(
      "if a host has too much, its entries that have to stay are skipped", [1, 2, 3, 4], kept: [2], of7: [2, 3],
      crowdedBy: 7, [3]),
    Row("if the host with too much is not in the sample, nothing goes", [1, 2, 3, 4], crowdedBy: 7, []),
  ]

  @Test("The choice of victims depends on last use, need, pins and the hosts' shares", arguments: rows)
  func choice(_ row: Row) {
    let sample = row.lastUses.enumerated().map { index, time in
      VictimChoice.Candidate(index: index, bytes: 10, lastUse: WallTime(seconds: time))
    }
    let victims = VictimChoice.victims(of: sample, freeing: row.wanted, crowdedBy: row.crowding) { candidate in
      row.kept.contains(candidate.index) ? .kept : .expendable(host: row.hosts.contains(candidate.index) ? 7 : 1)
    }
    #expect(victims.map(\.index) == row.victims)
  }

  @Test(
    "The choice of victims treats a last use far in the future as no use",
    arguments: [(1_000, 1_000), (4_600, 4_600), (4_601, 0)])
  func usesToCome(_ modified: Int64, _ counted: Int64) {
    let time = VictimChoice.lastUse(WallTime(seconds: modified), at: WallTime(seconds: 1_000))
    #expect(time == WallTime(seconds: counted))
  }

  @Test("The choice of victims reads no more heads than it needs")
  func laziness() {
    let sample = (0..<1_000).map {
      VictimChoice.Candidate(index: $0, bytes: 1, lastUse: WallTime(seconds: Int64($0)))
    }
    var read: [Int] = []
    _ = VictimChoice.victims(of: sample, freeing: 3, crowdedBy: nil) { candidate in
      read.append(candidate.index)
      return .expendable(host: nil)
    }
    #expect(read == [0, 1, 2])
    let victims = VictimChoice.victims(of: sample, freeing: 1_000, crowdedBy: nil) {
      $0.index < 5 ? .expendable(host: nil) : nil
    }
    #expect(victims.map(\.index) == [0, 1, 2, 3, 4])
  }
}
