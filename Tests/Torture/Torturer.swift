import Glibc
import TestSupport

/// Runs scenarios with injected faults, each time on a restored store.
final class Torturer {
  /// The state that the origin's threads need.
  struct Script {
    var answer: Scenario.Handler = { _, _ in .disconnect }
    var stage = Scenario.Stage.preparation
    var requestCount = 0
  }

  /// The results of a scenario's run without a fault.
  struct Rehearsal {
    let scenario: Scenario
    let calls: [Call]
    /// The right outcomes: the run must have one of them.
    let outcomes: [Outcome]
    let probeOutcomes: [Outcome]
    /// How many requests reach the origin in the run, and how many in the run after it.
    let requestCounts: (run: Int, probe: Int)
    /// How many warnings each of the two runs prints without a fault.
    let warningCounts: (run: Int, probe: Int)

    /// Whether the call closes a duplicate of a file's descriptor, to learn whether a delayed write has failed, right
    /// before the file gets its name.
    func publishes(at call: Call) -> Bool {
      guard call.number > 1, call.number < calls.count else { return false }
      return calls[call.number - 2].name == "fcntl+duplicate" && call.name == "close"
        && ["renameat", "linkat"].contains(calls[call.number].name)
    }
  }

  struct Broken: Error, CustomStringConvertible {
    let description: String
  }

  /// The origin of all URLs. The test's server is the proxy for it, so that the names of entries and the numbers of
  /// calls do not depend on the server's port.
  static let site = "http://127.0.0.1"

  let sandbox: Sandbox
  private let origin: OriginServer
  private let scriptState: Monitor<Script>
  /// The kind of entry that the saved store was made for, where it was made for damaged entries.
  var prepared: RottenEntry?

  init() throws {
    let script = Monitor(Script())
    scriptState = script
    origin = try OriginServer { request in
      let (answer, stage) = script.withLock {
        $0.requestCount += 1
        return ($0.answer, $0.stage)
      }
      return answer(request, stage)
    }
    sandbox = try Sandbox(proxy: origin.url(""))
  }

  deinit { origin.stop() }

  // MARK: Without a fault

  func rehearse(_ scenario: Scenario) throws -> Rehearsal {
    prepared = nil
    script { $0 = Script(answer: scenario.answer) }
    try sandbox.clear()
    for arguments in scenario.preparation { _ = try sandbox.run(["-s"] + spelt(arguments)) }
    try sandbox.save()
    script { $0.stage = .torture }

    try sandbox.restore(scenario.tampering)
    let arguments = spelt(scenario.arguments)
    var outcomes: [Outcome] = []
    if scenario.kind == .fetch { outcomes.append(try outcome(["--cache-policy", "no-store"] + arguments)) }
    try sandbox.restore(scenario.tampering)
    let before = requestCount
    outcomes.append(try outcome(arguments, .counting))
    let between = requestCount
    let calls = try sandbox.logLines().compactMap(Call.init(logLine:))
    let probe = try probe(scenario)
    let after = requestCount
    for outcome in outcomes + [probe] where outcome.ending == .exit(2) {
      throw Broken(description: "\(scenario.name): a run without a fault: \(outcome)")
    }
    if calls.isEmpty { throw Broken(description: "\(scenario.name): the preloaded library has seen no call") }
    let complaints = StoreInspection(of: sandbox).complaints
    if !complaints.isEmpty { throw Broken(description: "\(scenario.name): without a fault: \(complaints)") }
    return Rehearsal(
      scenario: scenario, calls: calls, outcomes: outcomes,
      probeOutcomes: scenario.kind == .fetch ? outcomes + [probe] : [probe],
      requestCounts: (between - before, after - between),
      warningCounts: (outcomes.last?.warnings.count ?? 0, probe.warnings.count))
  }

  var requestCount: Int { scriptState.withLock { $0.requestCount } }

  func script(_ change: (inout Script) -> Void) { scriptState.withLock(change) }

  func spelt(_ arguments: [String]) -> [String] {
    arguments.map { argument in
      if argument == "@out" { return sandbox.output }
      return argument.hasPrefix("/") && argument != "/dev/null" ? Self.site + argument : argument
    }
  }

  func outcome(_ arguments: [String], _ shim: Sandbox.Shim = .absent) throws -> Outcome {
    Outcome(try sandbox.run(arguments, shim), in: sandbox)
  }

  private func probe(_ scenario: Scenario) throws -> Outcome {
    try outcome(spelt(scenario.probe ?? scenario.arguments), scenario.isDetached ? .counting : .absent)
  }

  // MARK: With one

  /// Injects a fault at a call of the scenario's run.
  ///
  /// - Returns: descriptions of what is wrong about the run, the store that it left, or the run after it; `nil` if
  ///   the run has not made the call.
  func torture(_ rehearsal: Rehearsal, at call: Call, by fault: Fault) throws -> [String]? {
    let scenario = rehearsal.scenario
    script { $0 = Script(answer: scenario.answer, stage: .torture) }
    try sandbox.restore(scenario.tampering)
    let outcome = try outcome(spelt(scenario.arguments), .injecting(fault.plan(for: call)))
    var complaints: [String] = []
    let met = try sandbox.logLines().first
    if met == nil {
      if scenario.isRandom { return nil }
      complaints.append("the fault was not injected")
    }
    // Content that arrives in other pieces than in the rehearsal causes other calls.
    let isElsewhere = met.flatMap { Call(logLine: $0) }.map { $0.name != call.name } ?? false
    if fault.kills, !scenario.isDetached || outcome.ending == .signal(SIGKILL) {
      if !rehearsal.outcomes.contains(where: outcome.isBeginning) { complaints.append("killed: \(outcome)") }
    } else {
      complaints += judge(outcome, rehearsal)
    }
    let isHarmless = fault.isHarmless(at: call) && !scenario.isRandom && !isElsewhere
    if isHarmless, outcome.warnings.count > rehearsal.warningCounts.run { complaints.append("a warning: \(outcome)") }
    complaints += StoreInspection(of: sandbox).complaints
    let between = requestCount
    complaints += try judgeProbe(rehearsal)
    if isHarmless || (scenario.kind == .removal && outcome.ending == .exit(0)),
      requestCount - between != rehearsal.requestCounts.probe
    {
      complaints.append("the run after it makes \(requestCount - between) requests")
    }
    if !scenario.isRandom, !isElsewhere, rehearsal.publishes(at: call), fault.kind == .fail,
      rehearsal.requestCounts.probe == 0, requestCount == between
    {
      complaints.append("what could not be closed is published")
    }
    return complaints + (try judgeResidue())
  }

  private func judge(_ outcome: Outcome, _ rehearsal: Rehearsal) -> [String] {
    var complaints: [String] = []
    switch rehearsal.scenario.kind {
    case .fetch:
      if !rehearsal.outcomes.contains(where: outcome.isLike) { complaints.append("it ends in \(outcome)") }
    case .removal, .counting:
      guard case .exit = outcome.ending else { return ["it ends in \(outcome)"] }
    case .printing:
      guard case .exit(let status) = outcome.ending else { return ["it ends in \(outcome)"] }
      if status == 0, !rehearsal.outcomes.contains(where: outcome.isLike) { complaints.append("it ends in \(outcome)") }
    case .listing:
      guard case .exit = outcome.ending else { return ["it ends in \(outcome)"] }
      let whole = rehearsal.outcomes.flatMap { $0.output.split(separator: 0) }
      if !outcome.output.split(separator: 0).allSatisfy(whole.contains) { complaints.append("it prints \(outcome)") }
    }
    if outcome.warnings.count > rehearsal.warningCounts.run + 1 {
      complaints.append("more than one warning: \(outcome)")
    }
    return complaints
  }

  private func judgeProbe(_ rehearsal: Rehearsal) throws -> [String] {
    unlink(sandbox.output)
    let probe = try probe(rehearsal.scenario)
    var complaints: [String] = []
    if !rehearsal.probeOutcomes.contains(where: probe.isLike)
      || probe.warnings.count > rehearsal.warningCounts.probe
    {
      complaints.append("the run after it ends in \(probe)")
    }
    return complaints + StoreInspection(of: sandbox).complaints.map { "after a further run: \($0)" }
  }

  /// Checks that a further run that stores removes the temporary files that others have left.
  private func judgeResidue() throws -> [String] {
    guard sandbox.hasTemporaries else { return [] }
    script { $0.answer = { request, _ in Resource().answer(to: request) } }
    _ = try sandbox.run(["\(Self.site)/small/last"])
    return sandbox.hasTemporaries ? ["temporary files stay"] : []
  }
}
