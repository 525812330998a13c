import Glibc
import TestSupport

/// Some runs change the content of a URL while others fetch it. A fetch that begins after a change is over must print
/// the changed content, or a later one.
struct Changing {
  private let stage: Stage
  private let origin: OriginServer
  private let versions: Monitor<[Version]>

  /// The versions of a URL's content, as numbers: each change adds 1.
  private struct Version {
    /// The newest version that the origin has made.
    var made = 0
    /// The newest version known to have been made when a run that changed the content had ended.
    var confirmed = 0
  }

  /// Few, so that a change often comes while an answer is under way.
  private static let urlCount = 8
  /// The divisor for the number of fetches: a tenth of the other scenarios', because more of them reach the origin.
  private static let share = 10
  private static let changesPerCent = 15

  init(on stage: Stage) throws(SystemFailure) {
    self.stage = stage
    let versions = Monitor([Version](repeating: Version(), count: Self.urlCount))
    self.versions = versions
    origin = try OriginServer { request in
      guard let place = Int(request.path.dropFirst()), place < Self.urlCount else { return .disconnect }
      if request.method == "PUT" {
        versions.withLock { $0[place].made += 1 }
        return .response(204)
      }
      let content = Self.content(of: versions.withLock { $0[place].made }, at: place)
      // A change during the pause makes the content out of date before it has been received.
      let head = OriginAnswer.head(
        200, nil, fields: [("Cache-Control", "max-age=86400"), ("Content-Length", "\(content.count)")])
      let half = content.count / 2
      return OriginAnswer([.bytes(head), .content(Array(content[..<half])), .pause, .content(Array(content[half...]))])
    }
  }

  func outcome() throws -> Scenario.Outcome {
    let tally = Monitor(Tally())
    stage.inParallel(stage.options.processes) { number in
      var numbers = SeededNumbers(seed: stage.options.seed << 32 | UInt64(number))
      for _ in 0..<max(stage.options.fetches / Self.share, 10) {
        let place = Int.random(in: 0..<Self.urlCount, using: &numbers)
        let changes = Int.random(in: 0..<100, using: &numbers) < Self.changesPerCent
        let ending = changes ? change(place) : fetch(place)
        tally.withLock { $0.add(ending, of: origin.url("/\(place)")) }
      }
    }
    return Scenario.Outcome(tally: tally.withLock { $0 }, requests: origin.requests.count)
  }

  private func change(_ place: Int) -> Ending {
    let before = versions.withLock { $0[place].made }
    let ending = run(["-X", "PUT", "-d", "", origin.url("/\(place)")]) { $0.isEmpty }
    guard case .right = ending else { return ending }
    versions.withLock { $0[place].confirmed = max($0[place].confirmed, before + 1) }
    return ending
  }

  private func fetch(_ place: Int) -> Ending {
    let oldest = versions.withLock { $0[place].confirmed }
    return run([origin.url("/\(place)")]) { printed in
      let newest = versions.withLock { $0[place].made }
      return (oldest...newest).contains { Self.content(of: $0, at: place) == printed }
    }
  }

  private func run(_ arguments: [String], accepting isRight: @escaping ([UInt8]) -> Bool) -> Ending {
    do {
      return try Fetch(["-sS"] + arguments, in: stage.surroundings, accepting: isRight).finish()
    } catch {
      return .wrong("\(error)")
    }
  }

  private static func content(of version: Int, at place: Int) -> [UInt8] {
    Array("\(place) is version \(version)\n".utf8) + Pattern.bytes(count: 1_000 * (place + 1))
  }
}
