import Glibc
import TestSupport

/// All processes fetch keys in random orders, and some are killed meanwhile. The store is checked afterwards.
struct Herding {
  private let stage: Stage
  private let origin: HerdOrigin
  private let killedPerCent: Int
  private let arguments: [String]

  /// In milliseconds: a hit takes a few, a miss some more.
  private static let latestKill = 12

  init(on stage: Stage, killedPerCent: Int = 0, flags: [String] = []) throws(SystemFailure) {
    self.stage = stage
    self.killedPerCent = killedPerCent
    arguments = ["-sS"] + flags
    origin = try HerdOrigin(keys: stage.options.keys)
  }

  func outcome() throws -> Scenario.Outcome {
    let tally = Monitor(Tally())
    stage.inParallel(stage.options.processes) { number in
      var numbers = SeededNumbers(seed: stage.options.seed << 32 | UInt64(number))
      for _ in 0..<stage.options.fetches {
        let key = Int.random(in: 0..<stage.options.keys, using: &numbers)
        let isVictim = Int.random(in: 0..<100, using: &numbers) < killedPerCent
        let ending = fetch(key, killedAfter: isVictim ? Int.random(in: 0...Self.latestKill, using: &numbers) : nil)
        tally.withLock { $0.add(ending, of: origin.url(ofKey: key)) }
      }
    }
    let requests = origin.requestCount
    var result = tally.withLock { $0 }
    try lookThrough(&result)
    // A killed run may have been the one that the others waited for: then one of them asks the origin again.
    let maximumRequests = isEvicting || !stage.collapses ? Int.max : stage.options.keys + result.killed
    return Scenario.Outcome(tally: result, requests: requests, maximumRequests: maximumRequests)
  }

  private var isEvicting: Bool { arguments.count > 1 }

  private func fetch(_ key: Int, killedAfter moment: Int?) -> Ending {
    do {
      let fetch = try Fetch(
        arguments + [origin.url(ofKey: key)], in: stage.surroundings, expecting: origin.content(ofKey: key))
      return fetch.finish(killedAfter: moment)
    } catch {
      return .wrong("\(error)")
    }
  }

  /// Checks that the stored responses are right, and that no temporary file is left once a further run has stored one.
  private func lookThrough(_ tally: inout Tally) throws {
    for key in 0..<stage.options.keys {
      if case .wrong(let complaint) = fetch(key, killedAfter: nil) { tally.complain("afterwards: \(complaint)") }
    }
    let last = try Fetch(
      ["-sS", origin.server.url("/key/0?last")], in: stage.surroundings, expecting: origin.content(ofKey: 0)
    ).finish()
    if case .wrong(let complaint) = last { tally.complain("the last run: \(complaint)") }
    let residue = namesInDirectory("\(stage.home.path)/cache/v1/tmp")
    if !residue.isEmpty { tally.complain("\(residue.count) temporary files are left") }
  }
}
