package import FlagTable
package import HTTPSemantics

/// The command line as it was read, with the settings that it makes.
package final class TypedSettings: Sendable {
  package let invocation: Invocation
  private let settings: [Setting<Invocation>]
  /// Where in `settings` each set of options begins, except for the first.
  private let laterGroups: [Int]

  /// - Parameter include: reads the files that `--curl-config` and `--header @FILE` name.
  /// - Throws: the first thing that could not be understood.
  package init(_ arguments: [ArgumentText], including include: @escaping OptionLine.Reader) throws(UsageError) {
    var typed = Invocation()
    var noted: [Setting<Invocation>] = []
    var separators: [Int] = []
    try CommandLineInterface.parse(arguments, including: include, into: &typed) { setting in
      if setting.flag.kind == .separator { return separators.append(noted.count) }
      if setting.flag.scope != .command { noted.append(setting) }
    }
    invocation = typed
    settings = noted
    laterGroups = separators
  }

  /// Returns the settings that count for one set of options: its own, and those of the whole run from other sets.
  fileprivate func settings(of group: Int) -> [Setting<Invocation>] {
    let start = group == 0 ? 0 : laterGroups[group - 1]
    let end = group < laterGroups.count ? laterGroups[group] : settings.count
    var counting: [Setting<Invocation>] = []
    for index in 0..<settings.count
    where (start..<end).contains(index) || settings[index].flag.scope == .run {
      counting.append(settings[index])
    }
    return counting
  }
}

/// The layers of settings, the strongest first: the command line, the environment, the section of the config file for
/// the URL's site, and the file's general part.
package final class SettingLayers: Sendable {
  private let configuration: Configuration?
  private let environment: [Setting<Invocation>]
  private let typed: TypedSettings

  package init(_ configuration: Configuration?, _ environment: [Setting<Invocation>], _ typed: TypedSettings) {
    self.configuration = configuration
    self.environment = environment
    self.typed = typed
  }

  package var hasSites: Bool { configuration.map { !$0.sites.isEmpty } ?? false }

  /// Whether a site's section sets the option.
  package func hasSite(setting option: OptionName) -> Bool {
    configuration?.sites.contains { $0.settings.contains { $0.sets(option) } } ?? false
  }

  /// The fields that the environment and the config file, for any site, list as credential fields.
  package var listedFields: [FieldName] {
    var invocation = Invocation()
    for setting in environment + (configuration?.settings ?? []) where setting.name == KeyFlags.credentialField.name {
      try? setting.apply(to: &invocation)
    }
    return invocation.key.credentialFields
  }

  /// Whether the settings of a URL may differ from those of its set of options. Only a section for its site, and user
  /// information in the URL, make a difference.
  package func mayDiffer(for url: ArgumentText) -> Bool { hasSites || url.bytes.contains(ASCII.at) }

  /// Returns the settings that count for a URL, the weakest first. Without a URL, they are those that count for all
  /// URLs of a set of options.
  package func settings(for url: URIReference?, in group: Int) -> [Setting<Invocation>] {
    let typed = typed.settings(of: group)
    // The command line is the strongest layer, so all of its settings count.
    var counting = typed
    var taken: [Subject] = []
    // User information in the URL counts as typed.
    if let userInfo = url?.userInfo {
      taken.append(.field(.authorization))
      // If it has no password, a netrc file may still give one.
      if userInfo.hasPassword { taken += [.netrc, .flag(RequestFlags.netrcFile.name)] }
    }
    for setting in typed { taken += setting.claims }
    let command = self.typed.invocation.command
    Self.add(command.usable(environment), to: &counting, unless: &taken)
    if let configuration {
      if let url, let site = configuration.site(for: url.target) {
        Self.add(command.usable(site.settings), to: &counting, unless: &taken)
      }
      Self.add(command.usable(configuration.general), to: &counting, unless: &taken)
    }
    return counting
  }

  /// How many sets of options there are.
  package var groupCount: Int { typed.invocation.groupCount }

  /// Returns what was typed for a set of options.
  package func typedInvocation(of group: Int) -> Invocation { typed.invocation.group(group) }

  /// Returns whether the config file has a section for the site of a URL.
  package func hasSite(for target: TargetURI) -> Bool { configuration?.site(for: target) != nil }

  /// Returns the invocation that `settings` make, with the command that was typed.
  package func invocation(by settings: [Setting<Invocation>], in group: Int) -> Invocation {
    let typed = typed.invocation.group(group)
    // No setting holds these: the command, what it records when it is chosen, and its own options.
    var invocation = Invocation()
    invocation.command = typed.command
    invocation.storeCommand = typed.storeCommand
    invocation.archive = typed.archive
    // Each value was tried when it was read.
    for setting in settings { try? setting.apply(to: &invocation) }
    // Operands are no settings, except for URLs given by `--url`. The typed operands hold all of them.
    invocation.operands = typed.operands
    // Two options are called `--dry-run`. A dry run of everything includes one of a removal.
    if invocation.output.isDryRun { invocation.storeCommand.isDryRun = true }
    return invocation
  }

  /// Adds the settings of a weaker layer, except those about which a stronger layer has said something. They are placed
  /// before the stronger settings, which are applied later and so win; only those of a list whose first member counts
  /// are placed behind.
  private static func add(
    _ layer: [Setting<Invocation>], to counting: inout [Setting<Invocation>], unless taken: inout [Subject]
  ) {
    // No key path, which would take longer to make than all else here.
    let subjects = layer.map { $0.subjects }
    var (before, behind): ([Setting<Invocation>], [Setting<Invocation>]) = ([], [])
    for index in layer.indices where !shareOne(subjects[index], taken) && !isSuperseded(index, in: layer, subjects) {
      if layer[index].goesBehindStrongerLayers { behind.append(layer[index]) } else { before.append(layer[index]) }
    }
    counting = before + counting + behind
    for setting in layer { taken += setting.claims }
  }

  /// Whether a later setting of the same layer leaves nothing of this one, as the second of two time limits does.
  private static func isSuperseded(
    _ index: Int, in layer: [Setting<Invocation>], _ subjects: [[Subject]]
  ) -> Bool {
    let setting = layer[index]
    for other in (index + 1)..<layer.count where shareOne(subjects[other], subjects[index]) || layer[other].isOff {
      let later = layer[other]
      if later.isOff {
        if later.name == setting.name { return true }
      } else if result(of: [setting, later]) == result(of: [later]) {
        // An option that adds up keeps both, so that the results differ.
        return true
      }
    }
    return false
  }

  private static func shareOne(_ subjects: [Subject], _ others: [Subject]) -> Bool {
    for subject in subjects where others.contains(subject) { return true }
    return false
  }

  private static func result(of settings: [Setting<Invocation>]) -> Invocation {
    var invocation = Invocation()
    for setting in settings { try? setting.apply(to: &invocation) }
    return invocation
  }
}

extension CommandChoice {
  /// Returns the settings of a layer that the command has a use for. What it refuses on the command line, it ignores
  /// elsewhere.
  fileprivate func usable(_ layer: [Setting<Invocation>]) -> [Setting<Invocation>] {
    switch self {
    case .prefetch, .cache(.check), .cache(.explain):
      let names = OutputFlags.ofDelivery.map(\.name)
      return layer.filter { !names.contains($0.name) }
    default:
      return layer
    }
  }
}
