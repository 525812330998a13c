import FlagTable
import Platform
import Testing
import Transport

@testable import Client
@testable import Interface

/// What a section of the config file for a site may set, by the plan that is made of it.
@Suite struct SettingScopeTests {
  static let ofOperands = ConfigKeys.table().flags.filter { $0.scope == .operand }.map(\.name)

  /// What a plan has once, however many URLs it is for.
  private func commonPart(_ options: [ArgumentText]) throws -> String {
    let invocation = try CommandLineInterface.parse(options + ["http://a.test/"])
    let context = ProcessContext(
      arguments: [], environment: Environment(["HOME": "/nowhere"]), makeTransport: { ProgramTransport() },
      detach: { _, _ in })
    let plan = try PlanBuilder(invocation: invocation, context: context).fetchPlan(RunSettings(typedOnly: invocation))
    return "\(plan.store), \(String(describing: plan.writeOut)), \(String(describing: plan.headDump)), "
      + "\(plan.transfers.map(\.content))"
  }

  @Test(arguments: ofOperands)
  func `an option that may be set for a site changes nothing that a run has once`(_ name: String) throws {
    let flag = try #require(ConfigKeys.table().flags.first { $0.name == name })
    let spellings: [String]
    switch (flag.shape, flag.completion) {
    case (.required, .choices(let choices)): spellings = choices.map { "--\(name)=\($0)" }
    case (.required, _): spellings = ["1", "a:b", "wifi=reload", "/dev/null"].map { "--\(name)=\($0)" }
    case (.none, _), (.optional, _): spellings = ["--\(name)"]
    }
    let part = try #require(spellings.lazy.compactMap { try? commonPart([ArgumentText($0)]) }.first)
    #expect(part == (try commonPart([])))
  }
}
