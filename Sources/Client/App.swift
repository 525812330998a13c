import FlagTable
import Interface
import Platform

/// The program: reads what was typed, does it, and tells how it went.
package enum App {
  /// Runs the whole process.
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
    var read: RunSettings?
    do throws(Failure) {
      let settings = try RunSettings.read(context)
      read = settings
      let output = settings.run.output
      diagnostics.verbosity = Diagnostics.Verbosity(
        isSilent: output.isSilent, showsErrors: output.showsErrors,
        isVerbose: output.isVerbose)
      diagnostics.breaksLines = output.progress == .bar
      settings.warn(to: diagnostics)
      return try perform(settings, context, diagnostics)
    } catch {
      // A run that a signal has ended reports that, whatever else has failed.
      let failure = Signals.pending.map { Failure.interrupted($0) } ?? error
      // A contradiction is shown even if errors are not, as a command line that cannot be parsed is.
      if case .contradiction = failure { diagnostics.verbosity.showsErrors = true }
      // A reader that closes the pipe has seen enough.
      let onlyShows = read?.run.onlyShows ?? false
      if !(onlyShows && failure.isEndOfReader) { diagnostics.report(failure) }
      return failure.exitStatus
    }
  }

  private static func perform(
    _ settings: RunSettings, _ context: ProcessContext, _ diagnostics: Diagnostics
  ) throws(Failure) -> Int32 {
    switch settings.run.command {
    case .fetch, .prefetch: return try fetch(settings, context, diagnostics)
    case .cache(let action): return try perform(action, settings, context, diagnostics)
    case .configCheck: return try checkConfig(settings, context, diagnostics)
    case .configShow: try showConfig(settings, context, diagnostics)
    case .network: try showNetwork(settings, context)
    case .completions(let shell):
      try printer(settings, context).write(CommandLineInterface.completionScript(shell))
    case .help(let topic, let form):
      let printer = printer(settings, context)
      try printer.write(CommandLineInterface.helpText(topic, form, width: printer.width))
    case .version:
      try printer(settings, context).write(CommandLineInterface.versionText)
    }
    return ExitStatus.success.rawValue
  }

  private static func printer(_ settings: RunSettings, _ context: ProcessContext) -> Printer {
    Printer(context, settings.run.output.color)
  }

  private static func fetch(
    _ settings: RunSettings, _ context: ProcessContext, _ diagnostics: Diagnostics
  ) throws(Failure) -> Int32 {
    let plan = try PlanBuilder(settings.run, context).fetchPlan(settings)
    settings.note(to: diagnostics)
    plan.transfers.warn(to: diagnostics)
    if !settings.run.output.isDryRun { return FetchCommand(plan, context, diagnostics).run() }
    let command = try CacheCommand(settings, plan.store, context, printer(settings, context))
    return try command.printDryRun(of: plan, context, diagnostics)
  }

  // Each of these has a function of its own, so that the stack of a fetch does not grow by what they need.

  @inline(never)
  private static func perform(
    _ action: CacheAction, _ settings: RunSettings, _ context: ProcessContext, _ diagnostics: Diagnostics
  ) throws(Failure) -> Int32 {
    try settings.refuseUnsupportedDryRun()
    let store = PlanBuilder(settings.run, context).storePlan()
    let command = try CacheCommand(settings, store, context, printer(settings, context))
    return try command.run(action, settings, context, diagnostics)
  }

  @inline(never)
  private static func checkConfig(
    _ settings: RunSettings, _ context: ProcessContext, _ diagnostics: Diagnostics
  ) throws(Failure) -> Int32 {
    try ConfigCommand(settings, context, printer(settings, context)).check(diagnostics)
  }

  @inline(never)
  private static func showConfig(
    _ settings: RunSettings, _ context: ProcessContext, _ diagnostics: Diagnostics
  ) throws(Failure) {
    try ConfigCommand(settings, context, printer(settings, context)).show(diagnostics)
  }

  @inline(never)
  private static func showNetwork(_ settings: RunSettings, _ context: ProcessContext) throws(Failure) {
    let own = settings.run.operands.first.map { settings.invocation(for: $0) } ?? settings.run
    let (reachability, use) = try PlanBuilder(own, context).reachability()
    let command = NetworkCommand(
      reachability: reachability, use: use, isJSON: settings.run.storeCommand.form == .json,
      printer: printer(settings, context))
    try command.run()
  }
}
