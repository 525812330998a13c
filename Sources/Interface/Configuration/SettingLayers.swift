package import FlagTable
package import HTTPSemantics

/// All that was said, by whoever said it: the command line first, then the environment, the section of the config file
/// for the URL's site, its general part.
package struct SettingLayers: Sendable {
  private let configuration: Configuration?
  private let environment: [Setting<Invocation>]
  private let arguments: [ArgumentText]
  private let typed: [Setting<Invocation>]

  /// - Parameter arguments: the command line, which has been understood by itself.
  package init(
    _ configuration: Configuration?, _ environment: [Setting<Invocation>], _ arguments: [ArgumentText]
  ) throws(UsageError) {
    self.configuration = configuration
    self.environment = environment
    self.arguments = arguments
    var typed: [Setting<Invocation>] = []
    var scratch = Invocation()
    try CommandLineInterface.parse(arguments, into: &scratch) { setting in
      // What says how a list is printed may have the name of an option of the fetch.
      if setting.flag.theme != .listing, setting.flag.theme != .removal { typed.append(setting) }
    }
    self.typed = typed
  }

  package var hasSites: Bool { configuration.map { !$0.sites.isEmpty } ?? false }

  /// What counts for a URL, the weakest first; without one, what counts for the run.
  package func settings(for url: URIReference?) -> [Setting<Invocation>] {
    let site = url.flatMap { configuration?.site(for: $0.target)?.settings } ?? []
    // User information is typed with its URL.
    var taken = url?.userInfo == nil ? [] : [ConfigKeys.userInfoSubject]
    var counting: [Setting<Invocation>] = []
    for layer in [typed, environment, site, configuration?.general ?? []] {
      let kept = Self.withoutSuperseded(layer).filter { setting in
        setting.origin == .commandLine || !ConfigKeys.subjects(of: setting).contains(where: taken.contains)
      }
      counting = kept + counting
      taken += layer.flatMap(ConfigKeys.subjects)
    }
    return counting
  }

  /// What `settings` and the command line come to.
  package func invocation(by settings: [Setting<Invocation>]) throws(UsageError) -> Invocation {
    var invocation = Invocation()
    for setting in settings where setting.origin != .commandLine {
      // The value was tried when it was read.
      try? setting.apply(to: &invocation)
    }
    try CommandLineInterface.parse(arguments, into: &invocation)
    return invocation
  }

  /// Without settings that a later one of the same layer leaves nothing of: an option that adds up stays.
  private static func withoutSuperseded(_ layer: [Setting<Invocation>]) -> [Setting<Invocation>] {
    layer.enumerated().filter { index, setting in
      let subjects = ConfigKeys.subjects(of: setting)
      return !layer[(index + 1)...].contains { later in
        if later.isOff { return later.name == setting.name }
        let isRelated = ConfigKeys.subjects(of: later).contains(where: subjects.contains)
        return isRelated && result(of: [setting, later]) == result(of: [later])
      }
    }.map(\.element)
  }

  private static func result(of settings: [Setting<Invocation>]) -> Invocation {
    var invocation = Invocation()
    for setting in settings { try? setting.apply(to: &invocation) }
    return invocation
  }
}
