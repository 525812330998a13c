import FlagTable
import Platform
import Testing
import Transport

@testable import Client
@testable import Interface

/// The settings that a site section of the config file may contain, checked by the plan that is made of them.
@Suite struct SettingScopeTests {
  static let ofOperands = ConfigKeys.table().flags.filter { $0.scope == .operand }.map(\.name)

  private static let digest = String(repeating: "0", count: 64)
  private static let base64 = String(repeating: "A", count: 43) + "="

  /// The part of a plan that exists once, however many URLs the plan has.
  private func commonPart(_ options: [ArgumentText]) throws -> String {
    let invocation = try CommandLineInterface.parse(options + ["http://a.test/"])
    let context = ProcessContext(
      arguments: [], environment: Environment(["HOME": "/nowhere"]),
      makeTransport: { ProgramTransport(shouldStop: { false }) },
      makeParallelTransport: { ParallelTransport(shouldStop: { false }) }, detach: { _, _ in })
    let plan = try PlanBuilder(invocation, context).fetchPlan(RunSettings(typedOnly: invocation))
    let first = plan.transfers.next()
    let planned = try #require(first)
    let (writeOut, headDump) = (planned.group.writeOut, planned.group.headDump)
    return "\(plan.store), \(String(describing: writeOut)), \(String(describing: headDump)), \(plan.endsEarly), "
      + "\(try planned.plan.get().content)"
  }

  @Test(arguments: ofOperands)
  func `an option that may be set for a site changes nothing that a run has once`(_ name: String) throws {
    let flag = try #require(ConfigKeys.table().flags.first { $0.name == name })
    let spellings: [String]
    switch (flag.shape, flag.completion) {
    case (.required, .choices(let choices)), (.required, .examples(let choices)):
      spellings = choices.map { "--\(name)=\($0)" }
    case (.required, _):
      let values = [
        "1", "a:b", "wifi=reload", "/dev/null", "a:1:b:2", "a:1:127.0.0.1", "http", Self.digest,
        "sha256-\(Self.base64)", "https://d.test/",
      ]
      spellings = values.map { "--\(name)=\($0)" }
    case (.none, _), (.optional, _): spellings = ["--\(name)"]
    }
    let part = try #require(spellings.lazy.compactMap { try? commonPart([ArgumentText($0)]) }.first)
    #expect(part == (try commonPart([])))
  }
}
