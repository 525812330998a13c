import FlagTable
import Interface
import Platform

/// The program: reads what was typed, does it, and tells how it went.
package enum App {
  /// The process's whole life.
  package static func main() -> Never {
    StandardDescriptors.ensureOpen()
    Signals.prepare()
    let status = run(.ofProcess)
    if let signal = Signals.pending { Signals.reraise(signal) }
    ProcessExit.exit(status)
  }

  /// - Returns: the exit status.
  package static func run(_ context: ProcessContext) -> Int32 {
    let diagnostics = Diagnostics(context.standardError)
    do throws(Failure) {
      let invocation = try parse(context.arguments)
      diagnostics.verbosity = Diagnostics.Verbosity(
        isSilent: invocation.output.isSilent, showsErrors: invocation.output.showsErrors,
        isVerbose: invocation.output.isVerbose)
      return try perform(invocation, context, diagnostics)
    } catch {
      diagnostics.report(error)
      return error.exitCode
    }
  }

  private static func parse(_ arguments: [[UInt8]]) throws(Failure) -> Invocation {
    do throws(UsageError) {
      return try CommandLineInterface.parse(arguments.map { ArgumentText($0) })
    } catch {
      throw .usage(error)
    }
  }

  private static func perform(
    _ invocation: Invocation, _ context: ProcessContext, _ diagnostics: Diagnostics
  ) throws(Failure) -> Int32 {
    let builder = PlanBuilder(invocation: invocation, context: context)
    let printer = Printer(context, invocation.output.color)
    switch invocation.command {
    case .fetch:
      return try FetchCommand(builder.fetchPlan(), context, diagnostics).run()
    case .cacheLs, .cacheShow, .cacheCat, .cacheRm, .cacheDir:
      let command = try CacheCommand(invocation, builder.storePlan(), context, printer)
      try command.run()
    case .cacheExplain:
      let plan = try builder.fetchPlan()
      let command = try CacheCommand(invocation, plan.store, context, printer)
      for transfer in plan.transfers { try command.explain(transfer, diagnostics) }
    case .network:
      let (reachability, use) = try builder.reachability()
      let command = NetworkCommand(
        reachability: reachability, use: use, form: invocation.storeCommand.form, printer: printer)
      try command.run()
    case .completions(let shell):
      try printer.write(CommandLineInterface.completionScript(shell))
    case .help(let topic, let form):
      try printer.write(CommandLineInterface.helpText(topic, form, width: printer.width))
    case .version:
      try printer.write(CommandLineInterface.versionText)
    }
    return ExitStatus.success.rawValue
  }
}
