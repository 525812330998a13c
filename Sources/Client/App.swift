import FlagTable
import Interface
import Platform

/// The program: reads what was typed, does it, and tells how it went.
package enum App {
  /// The process's whole life.
  package static func main() -> Never {
    StandardDescriptors.ensureOpen()
    Signals.prepare()
    end(run(.ofProcess))
  }

  static func end(_ status: Int32) -> Never {
    if let signal = Signals.pending { Signals.reraise(signal) }
    ProcessExit.exit(status)
  }

  /// - Returns: the exit status.
  package static func run(_ context: ProcessContext) -> Int32 {
    let diagnostics = Diagnostics(context.standardError)
    do throws(Failure) {
      let settings = try RunSettings.read(context)
      let output = settings.run.output
      diagnostics.verbosity = Diagnostics.Verbosity(
        isSilent: output.isSilent, showsErrors: output.showsErrors,
        isVerbose: output.isVerbose)
      diagnostics.breaksLines = output.progress == .bar
      settings.warn(to: diagnostics)
      return try perform(settings, context, diagnostics)
    } catch {
      // What a signal has ended has failed in no other way.
      let failure = Signals.pending.map { Failure.interrupted($0) } ?? error
      // A command line that never does anything is told of, as one that cannot be read is.
      if case .contradiction = failure { diagnostics.verbosity.showsErrors = true }
      diagnostics.report(failure)
      return failure.exitCode
    }
  }

  private static func perform(
    _ settings: RunSettings, _ context: ProcessContext, _ diagnostics: Diagnostics
  ) throws(Failure) -> Int32 {
    let builder = PlanBuilder(settings.run, context)
    guard settings.run.command.isFetch else { return try performOther(settings, builder, context, diagnostics) }
    let plan = try builder.fetchPlan(settings)
    settings.note(to: diagnostics)
    plan.transfers.warn(to: diagnostics)
    if !settings.run.output.isDryRun { return FetchCommand(plan, context, diagnostics).run() }
    let printer = Printer(context, settings.run.output.color)
    try CacheCommand(settings.run, plan.store, context, printer).rehearse(plan, context, diagnostics)
    return ExitStatus.success.rawValue
  }

  // The stack is what a fetch needs, not what each of these would.
  @inline(never)
  private static func performOther(
    _ settings: RunSettings, _ builder: PlanBuilder, _ context: ProcessContext, _ diagnostics: Diagnostics
  ) throws(Failure) -> Int32 {
    let invocation = settings.run
    try settings.requireTrial()
    let printer = Printer(context, invocation.output.color)
    switch invocation.command {
    case .fetch, .prefetch:
      break
    case .cacheLs, .cacheShow, .cacheCat, .cacheRm, .cachePrune, .cacheVerify, .cacheStats, .cachePin, .cacheUnpin,
      .cacheTag, .cacheDir, .cacheComplete:
      let command = try CacheCommand(invocation, builder.storePlan(), context, printer)
      try command.run(diagnostics)
    case .cacheExplain:
      let command = try CacheCommand(invocation, builder.storePlan(), context, printer)
      let cookies = try builder.requestBuilder.cookiePlan().map { CookieRecord($0, context, diagnostics) }
      let hosts = invocation.connection.route.hstsFile.map { StrictHostRecord($0, context, diagnostics) }
      for typed in invocation.operands {
        try Failure.throwIfInterrupted()
        try command.explain(try plan(for: typed, settings, context), cookies, hosts, diagnostics)
      }
    case .cacheCheck:
      let plan = try builder.fetchPlan(settings)
      return try CacheCommand(invocation, plan.store, context, printer).check(plan, context, diagnostics)
    case .cacheExport:
      try CacheCommand(invocation, builder.storePlan(), context, printer).export(diagnostics)
    case .cacheImport:
      try CacheCommand(invocation, builder.storePlan(), context, printer).importArchive(context, diagnostics)
    case .configCheck:
      return try ConfigCommand(invocation: invocation, context: context, printer: printer).check(diagnostics)
    case .configShow:
      try ConfigCommand(invocation: invocation, context: context, printer: printer).show(settings, diagnostics)
    case .network:
      let own = invocation.operands.first.map { settings.invocation(for: $0) } ?? invocation
      let (reachability, use) = try PlanBuilder(own, context).reachability()
      let command = NetworkCommand(
        reachability: reachability, use: use, isJSON: invocation.storeCommand.form == .json, printer: printer)
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

  private static func plan(
    for typed: ArgumentText, _ settings: RunSettings, _ context: ProcessContext
  ) throws(Failure) -> TransferPlan {
    do throws(Failure) {
      return try PlanBuilder(settings.invocation(for: typed), context).transferPlan(for: typed)
    } catch {
      throw settings.inWordsOfUser(error, for: typed, in: settings.groupCount - 1)
    }
  }
}
