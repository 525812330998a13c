import Glibc
import TestSupport

/// What many processes do on one store, and what must come of it.
struct Scenario: Sendable {
  let name: String
  /// A flag that the scenario needs; a garner without it skips the scenario.
  var needs: String?
  let run: @Sendable (Stage) throws -> Outcome

  struct Outcome {
    let tally: Tally
    let requests: Int
    /// The most requests that the origin may see.
    var maximumRequests = Int.max
    /// The most seconds that may pass until the last process is served.
    var maximumSeconds = Double.infinity
  }

  static let all = [
    Scenario(name: "herd") { try Herding(on: $0).outcome() },
    Scenario(name: "killed") { try Herding(on: $0, killedPerCent: 5).outcome() },
    Scenario(name: "evicted", needs: "--disk-capacity") { stage in
      // A fifth of the space that the keys need.
      let capacity = max(stage.options.keys * 14_000, 600_000)
      return try Herding(on: stage, killedPerCent: 5, flags: ["--disk-capacity", "\(capacity)"]).outcome()
    },
    Scenario(name: "changed") { try Changing(on: $0).outcome() },
    Scenario(name: "waiters", needs: "--collapse-timeout") { try Waiting(on: $0).forOneAnswer() },
    Scenario(name: "uncacheable") { try Waiting(on: $0).forAnUncacheableAnswer() },
    Scenario(name: "stopped", needs: "--collapse-timeout") { try Waiting(on: $0).behindAStoppedLeader() },
  ]
}

/// The surroundings of a scenario, with an unused store.
struct Stage: Sendable {
  let options: Options
  let home: TemporaryDirectory
  /// Whether garner collapses equal requests: an older version sends each of them.
  let collapses: Bool

  init(_ options: Options, collapses: Bool) throws(SystemFailure) {
    self.options = options
    self.collapses = collapses
    home = try TemporaryDirectory("herd")
  }

  var surroundings: Surroundings { Surroundings(garner: options.garner, home: home.path) }

  /// Runs `body` in `count` threads, and waits for all of them.
  func inParallel(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    let running = Monitor(count)
    for number in 0..<count {
      startThread {
        body(number)
        running.withLock { $0 -= 1 }
      }
    }
    running.wait { $0 == 0 ? () : nil }
  }

  /// Whether garner knows a flag that takes a value.
  static func isKnown(_ flag: String, to garner: String) throws -> Bool {
    let home = try TemporaryDirectory("herd")
    let surroundings = Surroundings(garner: garner, home: home.path)
    if case .wrong(let complaint) = try Fetch([flag, "1", "--help"], in: surroundings, expecting: []).finish() {
      return !complaint.contains("unknown") && !complaint.hasPrefix("status 2")
    }
    return true
  }
}
