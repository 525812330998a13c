import FlagTable
import HTTPCaching
import HTTPSemantics
import Interface
import Platform

/// The settings of a run and of each of its URLs, from the command line, the environment and the config file.
final class RunSettings {
  /// The settings that apply to the run.
  let run: Invocation
  /// `nil` if the command line says everything, as it does in most runs: then no layers are made.
  private let layers: SettingLayers?
  let configPath: Path?
  let unknownVariables: [VariableSettings.Unknown]

  /// Makes the settings of a run to which neither the environment nor a config file adds anything.
  convenience init(typedOnly typed: Invocation) {
    self.init(run: typed, layers: nil, configPath: nil, unknownVariables: [])
  }

  private init(
    run: Invocation, layers: SettingLayers?, configPath: Path?, unknownVariables: [VariableSettings.Unknown]
  ) {
    self.run = run
    self.layers = layers
    self.configPath = configPath
    self.unknownVariables = unknownVariables
  }

  /// - Throws: the first thing that is wrong with the command line, in the environment or in the config file.
  static func read(_ context: ProcessContext) throws(Failure) -> RunSettings {
    let variables = context.environment.variables(beginningWith: ConfigKeys.variablePrefix)
    let reader = CommandLineReader(context)
    // Typed settings are noted one by one only if they must be told apart from others, or shown.
    if variables.isEmpty {
      let typed = try reader.invocation()
      guard typed.command.usesSettings else { return RunSettings(typedOnly: typed) }
      let source = try ConfigSource.read(typed.config, context)
      if source == nil, typed.command != .configShow { return RunSettings(typedOnly: typed) }
      return try layered(reader.settings(), reader, variables, source, context)
    }
    let typed = try reader.settings()
    guard typed.invocation.command.usesSettings else { return RunSettings(typedOnly: typed.invocation) }
    return try layered(typed, reader, variables, ConfigSource.read(typed.invocation.config, context), context)
  }

  private static func layered(
    _ typed: TypedSettings, _ reader: CommandLineReader, _ variables: [[UInt8]], _ source: ConfigSource?,
    _ context: ProcessContext
  ) throws(Failure) -> RunSettings {
    let home = ArgumentText.home(in: context.environment)
    let environment: VariableSettings
    do throws(VariableSettings.Fault) {
      environment = try VariableSettings(variables, home: home)
    } catch {
      throw .setting(in: nil, error.reason)
    }
    let configuration = source.map { Configuration(parsing: $0.bytes, home: home) }
    if let source, let fault = configuration?.faults.first {
      throw .setting(in: (source.path, fault.line), fault.reason)
    }
    let layers = SettingLayers(configuration, environment.settings, typed)
    // The secrets of the command line were concealed before these fields were known.
    let listed = layers.listedFields
    if !listed.isEmpty { reader.concealSecrets(of: typed.invocation, listed: listed) }
    let last = layers.groupCount - 1
    return RunSettings(
      run: layers.invocation(by: layers.settings(for: nil, in: last), in: last), layers: layers,
      configPath: source?.path, unknownVariables: environment.unknown)
  }

  /// The fields with credentials, including those that the environment or the config file lists for all URLs.
  var credentialFields: CredentialFields { CredentialFields(listed: layers?.listedFields ?? []) }

  /// The number of sets of options.
  var groupCount: Int { layers?.groupCount ?? run.groupCount }

  /// The settings that apply to each set of options.
  var groups: [Invocation] {
    guard let layers else { return run.groups }
    return (0..<layers.groupCount).map { layers.invocation(by: layers.settings(for: nil, in: $0), in: $0) }
  }

  /// Returns the settings that apply to a URL of the last set of options.
  func invocation(for url: ArgumentText) -> Invocation { layeredInvocation(for: url, in: groupCount - 1) ?? run }

  /// Returns whether any setting may apply to a URL that does not apply to all of its set of options.
  func mayDiffer(for url: ArgumentText) -> Bool { layers?.mayDiffer(for: url) ?? false }

  /// Whether a section of the config file sets something for its site that is meant for one URL alone.
  var hasSiteSettingsForOneURL: Bool {
    guard let layers else { return false }
    for option in [OptionName.cacheKey, .sha256, .integrity] where layers.hasSite(setting: option) { return true }
    return false
  }

  /// Whether a section of the config file says for its site alone that directories are made, or that they are not.
  var makesDirectoriesForSite: Bool { layers?.hasSite(setting: .createDirectories) ?? false }

  /// Returns the settings that apply to a URL; `nil` if they are those of its set of options.
  func layeredInvocation(for url: ArgumentText, in group: Int) -> Invocation? {
    // A malformed URL is reported when it is to be fetched.
    guard let layers, layers.mayDiffer(for: url),
      let reference = try? URIReference.typed(url.bytes)
    else { return nil }
    return layers.invocation(by: layers.settings(for: reference, in: group), in: group)
  }

  /// Returns whether an option of a set of options was given on the command line, and not elsewhere.
  func isTyped(_ option: OptionName, in group: Int) -> Bool {
    guard let layers else { return true }
    return layers.settings(for: nil, in: group).contains { $0.sets(option) && $0.origin == .commandLine }
  }

  /// Returns whether an option of a set of options holds for all its URLs: a site's section may replace what the
  /// general part of the config file says, but not what the command line or a variable says.
  func isFixed(_ option: OptionName, in group: Int) -> Bool {
    guard let layers else { return true }
    return layers.settings(for: nil, in: group).contains { setting in
      guard setting.sets(option) else { return false }
      if case .file = setting.origin { return !layers.hasSite(setting: option) }
      return true
    }
  }

  /// Returns where an option was set for a URL; `nil` if it was typed.
  func untypedOriginText(of option: OptionName, for url: ArgumentText, in group: Int) -> String? {
    guard let layers, let reference = try? URIReference.typed(url.bytes),
      let setting = layers.settings(for: reference, in: group).last(where: { $0.sets(option) })
    else { return nil }
    return switch setting.origin {
    case .commandLine: nil
    case .environment: "\(setting.name) is set by \(originText(of: setting))"
    case .file: "\(setting.name) is set in \(originText(of: setting))"
    }
  }

  /// Returns the fields that settings list as credentials.
  func credentialFields(in settings: [Setting<Invocation>]) -> [FieldName] {
    layers?.invocation(by: settings, in: groupCount - 1).key.credentialFields ?? []
  }

  /// Returns the settings that apply to a URL, or to a run, with their origins; the weakest come first.
  func settings(for url: URIReference?) -> [Setting<Invocation>] {
    layers?.settings(for: url, in: groupCount - 1) ?? []
  }
}

/// Reads the command line, as often as that is needed.
private final class CommandLineReader {
  private let context: ProcessContext
  private let arguments: [ArgumentText]
  private let files: OptionFiles

  init(_ context: ProcessContext) {
    self.context = context
    // A loop, because `map` would have the runtime make the type of what it goes through.
    var arguments: [ArgumentText] = []
    for argument in context.arguments { arguments.append(ArgumentText(argument)) }
    self.arguments = arguments
    files = OptionFiles(context)
  }

  func invocation() throws(Failure) -> Invocation {
    do throws(UsageError) {
      let typed = try CommandLineInterface.parse(arguments, including: files.lines(of:as:))
      concealSecrets(of: typed)
      return typed
    } catch {
      throw .usage(error)
    }
  }

  func settings() throws(Failure) -> TypedSettings {
    do throws(UsageError) {
      let typed = try TypedSettings(arguments, including: files.lines(of:as:))
      concealSecrets(of: typed.invocation)
      return typed
    } catch {
      throw .usage(error)
    }
  }

  /// Conceals secrets among the arguments, as curl does, because anybody who lists the processes of the machine reads
  /// them.
  ///
  /// - Parameter listed: fields that the environment or the config file lists as credentials.
  func concealSecrets(of typed: Invocation, listed: [FieldName] = []) {
    // Most command lines have none, and finding them takes as long as reading the command line.
    guard typed.holdsSecrets(listed: listed) else { return }
    CommandLineInterface.forEachSecret(
      in: arguments, including: files.lines(of:as:), listed: listed, context.conceal)
  }
}

// MARK: What is told of it

extension RunSettings {
  /// Warns of a variable that is spelt nearly like an option's, because the run does not do what the user has asked
  /// for.
  func warn(to diagnostics: Diagnostics) {
    for variable in unknownVariables where variable.isSlip {
      guard let nearest = variable.nearest else { continue }
      diagnostics.warn("the variable \(Escaping.visible(variable.name)) belongs to no option: did you mean \(nearest)?")
    }
  }

  /// Refuses a command that would write although the environment or the config file asks for a dry run, which the
  /// command does not have.
  func refuseUnsupportedDryRun() throws(Failure) {
    guard run.output.isDryRun, run.lacksDryRun else { return }
    let origin = settings(for: nil).last { $0.sets(.dryRun) }.map(originText(of:)) ?? ""
    throw .contradiction(
      "\(origin) asks for a dry run, which the command does not support: nothing is done",
      hint: "GARNER_DRY_RUN=0 turns it off")
  }

  /// Returns a failure whose sentence names options, in the words of the user: see below.
  func inWordsOfUser(_ failure: Failure, for url: ArgumentText? = nil, in group: Int) -> Failure {
    func words(_ sentence: String) -> String { inWordsOfUser(sentence, for: url, in: group) }
    return switch failure {
    case .contradiction(let sentence, let hint): .contradiction(words(sentence), hint: hint)
    case .usage(.sharedInput(let one, let other)): .usage(.sharedInput(words(one), words(other)))
    default: failure
    }
  }

  /// Returns a sentence in which variables and lines of the config file take the place of the options that they have
  /// set, because the user has not typed those.
  ///
  /// - Parameter url: the URL whose settings count; `nil` for those of a whole set of options.
  func inWordsOfUser(_ sentence: String, for url: ArgumentText? = nil, in group: Int) -> String {
    guard let layers else { return sentence }
    let settings = layers.settings(for: url.flatMap { try? URIReference.typed($0.bytes) }, in: group)
    return sentence.split(separator: " ", omittingEmptySubsequences: false).map { named($0, by: settings) }
      .joined(separator: " ")
  }

  /// Returns a word as it is or, if it is an option, the place where that has been set.
  private func named(_ word: Substring, by settings: [Setting<Invocation>]) -> String {
    guard word.hasPrefix("--") else { return String(word) }
    let name = word.dropFirst(2).prefix { $0 != ":" && $0 != "," }
    guard let setting = settings.last(where: { $0.isMeant(by: name) }) else { return String(word) }
    let end = word[name.endIndex...]
    switch setting.origin {
    case .commandLine where setting.given == .on(false): return String(word)
    case .commandLine: return "--\(setting.name)\(end)"
    case .environment(let variable): return variable + end
    case .file: return "\(setting.name) (\(originText(of: setting)))\(end)"
    }
  }

  /// Prints, for `-v`, the settings that the command line did not give.
  func note(to diagnostics: Diagnostics) {
    guard diagnostics.verbosity.isVerbose, let layers else { return }
    for variable in unknownVariables where !variable.isSlip {
      diagnostics.note("the variable \(Escaping.visible(variable.name)) belongs to no option")
    }
    let typed = settingsAsTyped(in: layers)
    for (_, settings) in typed.dropFirst() where !Self.areSame(typed[0].settings, settings) {
      for (place, settings) in typed where settings.contains(where: { $0.origin != .commandLine }) {
        diagnostics.note("settings for \(place):")
        note(settings, to: diagnostics)
      }
      return
    }
    if let (_, settings) = typed.first { note(settings, to: diagnostics) }
  }

  /// Returns the settings for each URL that was typed, and for the files of URLs of each set of options.
  private func settingsAsTyped(in layers: SettingLayers) -> [(place: String, settings: [Setting<Invocation>])] {
    var found: [(place: String, settings: [Setting<Invocation>])] = []
    for group in 0..<layers.groupCount {
      let typed = layers.typedInvocation(of: group)
      for url in typed.operands {
        let reference = try? URIReference.typed(url.bytes)
        let place = reference.map { Escaping.shown($0.target) } ?? Escaping.shown(malformed: url.visible)
        found.append((place, layers.settings(for: reference, in: group)))
      }
      if !typed.many.lists.isEmpty {
        let files = typed.many.lists.map(\.inputName).joined(separator: ", ")
        found.append(("the URLs in \(files)", layers.settings(for: nil, in: group)))
      }
    }
    return found
  }

  /// Returns whether the settings are the same, apart from those that the command line gave.
  private static func areSame(_ one: [Setting<Invocation>], _ other: [Setting<Invocation>]) -> Bool {
    let (one, other) = (one.filter { $0.origin != .commandLine }, other.filter { $0.origin != .commandLine })
    return one.elementsEqual(other) { $0.name == $1.name && $0.value == $1.value && $0.origin == $1.origin }
  }

  /// Prints, for `-v`, the settings of a URL if the config file has a section for its site.
  fileprivate func noteSite(of url: ArgumentText, in group: Int, to diagnostics: Diagnostics) {
    guard diagnostics.verbosity.isVerbose, let layers, layers.hasSites,
      let reference = try? URIReference.typed(url.bytes), layers.hasSite(for: reference.target)
    else { return }
    diagnostics.note("settings for \(Escaping.shown(reference.target)):")
    note(layers.settings(for: reference, in: group), to: diagnostics)
  }

  private func note(_ settings: [Setting<Invocation>], to diagnostics: Diagnostics) {
    let listed = credentialFields(in: settings)
    for setting in settings where setting.origin != .commandLine {
      let value = setting.value.bytes.isEmpty ? "\"\"" : Masking.masked(setting, listed: listed)
      diagnostics.note("\(setting.name) = \(value) (from \(originText(of: setting)))")
    }
  }

  /// Returns where a setting came from, in words for people.
  func originText(of setting: Setting<Invocation>) -> String {
    switch setting.origin {
    case .commandLine: "the command line"
    case .environment(let variable): variable
    case .file(let line, let heading):
      "\(ArgumentText(configPath?.bytes ?? []).inputName), line \(line)"
        + (heading.map { ", \(Escaping.visible($0))" } ?? "")
    }
  }
}

extension PlannedTransfer {
  /// Tells of the settings of a URL that stands in a file, which are not told when the run begins.
  func noteSite(to diagnostics: Diagnostics) {
    group.settings.noteSite(of: typed, in: group.index, to: diagnostics)
  }
}
