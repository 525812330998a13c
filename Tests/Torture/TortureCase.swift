import TestSupport

/// A fault in a certain place.
enum TortureCase: Sendable {
  /// At a call of a scenario's run.
  case call(scenario: Int, Call, Fault)
  /// In the bytes of an entry that is read in this process.
  case rot(target: Int, Mutation)
  /// In an entry that a run of the tool meets.
  case met(RottenEntry, Replacement, isOffline: Bool)
}

/// All cases, always in the same order.
struct TortureCatalogue {
  let scenarios: [Scenario]
  let targetNames: [String]
  private(set) var cases: [TortureCase] = []

  /// - Parameter worker: rehearses each scenario, which tells its calls.
  init(_ worker: TortureWorker) throws {
    scenarios = Scenario.all
    targetNames = worker.bench.targets.map(\.name)
    for index in scenarios.indices {
      let calls = try worker.rehearsal(of: index).calls
      for call in Self.representatives(of: calls) {
        cases += Fault.all(at: call).map { .call(scenario: index, call, $0) }
      }
    }
    for (index, target) in worker.bench.targets.enumerated() {
      cases += Mutation.all(fileCount: target.bytes.count, content: target.content).map { .rot(target: index, $0) }
    }
    for entry in RottenEntry.allCases {
      for replacement in entry.replacements {
        cases += [.met(entry, replacement, isOffline: false), .met(entry, replacement, isOffline: true)]
      }
    }
  }

  /// The calls to inject faults at: only some of a long run's. A walk through the store opens and closes hundreds of
  /// directories in the same way.
  private static func representatives(of calls: [Call]) -> [Call] {
    guard calls.count > longestSwept else { return calls }
    let step = calls.count * 2 / longestSwept
    return calls.prefix(longestSwept / 4) + calls.dropFirst(longestSwept / 4).filter { $0.number % step == 0 }
  }

  private static let longestSwept = 200

  /// The group of a case: the table at the end has a line for each group.
  func group(of one: TortureCase) -> String {
    switch one {
    case .call(let scenario, _, _): scenarios[scenario].name
    case .rot(let target, _): "rot/\(targetNames[target])"
    case .met(let entry, _, _): "met/\(entry.rawValue)"
    }
  }

  func name(of one: TortureCase) -> String {
    switch one {
    case .call(_, let call, let fault): "\(group(of: one))/\(call.number):\(call.name)/\(fault.name)"
    case .rot(_, let mutation): "\(group(of: one))/\(mutation.name)"
    case .met(_, let replacement, let isOffline):
      "\(group(of: one))/\(replacement.name)/\(isOffline ? "offline" : "online")"
    }
  }

  /// The cases to run. Two thirds of a sample are faults in runs, because these find more than damaged entries do.
  func selected(by options: Options) -> [TortureCase] {
    var chosen = options.only.isEmpty ? cases : cases.filter { name(of: $0).hasPrefix(options.only) }
    guard let sample = options.sample, sample < chosen.count else { return chosen }
    var generator = SeededNumbers(seed: options.seed)
    chosen.shuffle(using: &generator)
    let runs = chosen.filter { if case .rot = $0 { false } else { true } }.prefix(sample * 2 / 3)
    let rot = chosen.filter { if case .rot = $0 { true } else { false } }.prefix(sample - runs.count)
    return Array(runs + rot)
  }
}

/// Runs cases on one thread.
final class TortureWorker {
  let torturer: Torturer
  let bench: RotBench
  private var rehearsed: (index: Int, rehearsal: Torturer.Rehearsal)?

  init() throws {
    torturer = try Torturer()
    bench = try RotBench()
  }

  /// Rehearses a scenario, or returns the last rehearsal, which is kept because cases of a scenario follow each other.
  func rehearsal(of index: Int) throws -> Torturer.Rehearsal {
    if let rehearsed, rehearsed.index == index { return rehearsed.rehearsal }
    let rehearsal = try torturer.rehearse(Scenario.all[index])
    rehearsed = (index, rehearsal)
    return rehearsal
  }

  /// - Returns: descriptions of what is wrong; `nil` if the fault was not met.
  func run(_ one: TortureCase) throws -> [String]? {
    switch one {
    case .call(let scenario, let call, let fault):
      return try torturer.torture(try rehearsal(of: scenario), at: call, by: fault)
    case .rot(let target, let mutation):
      return try bench.inspect(bench.targets[target], mutation)
    case .met(let entry, let replacement, let isOffline):
      rehearsed = nil
      return try torturer.meet(entry, replacement, isOffline: isOffline)
    }
  }
}
