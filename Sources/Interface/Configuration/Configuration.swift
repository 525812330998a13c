package import FlagTable
package import HTTPSemantics

/// The settings of a config file: those for all URLs, and those for the URLs of certain sites.
package struct Configuration: Sendable {
  /// The names of sections.
  private static let siteSection = "site"
  private static let reachabilitySection = "reachability"

  /// A `[site "..."]` section.
  package struct Site: Sendable {
    package let pattern: SitePattern
    /// The pattern as it was written.
    package let argument: ArgumentText
    package let line: Int
    package let settings: [Setting<Invocation>]
  }

  package private(set) var general: [Setting<Invocation>] = []
  package private(set) var sites: [Site] = []
  /// Everything that is wrong, in the order of the lines.
  package private(set) var faults: [ConfigFault]

  /// - Parameter home: the directory that `~` stands for before the name of a file.
  package init(parsing bytes: [UInt8], home: ArgumentText?) {
    let file = ConfigFile(bytes)
    faults = file.faults
    var table = ConfigKeys.table(home: home)
    for section in file.sections {
      do throws(SettingError) {
        try read(section, &table)
      } catch {
        faults.append(ConfigFault(line: section.line, error))
      }
    }
    faults.sort { $0.line < $1.line }
  }

  /// Returns the section for `target`: the most specific of those that match, and the last of equally specific ones.
  package func site(for target: TargetURI) -> Site? {
    var best: Site?
    for site in sites where site.pattern.matches(target) {
      if let found = best, site.pattern.isLessSpecific(than: found.pattern) { continue }
      best = site
    }
    return best
  }

  package var settings: [Setting<Invocation>] { general + sites.flatMap(\.settings) }

  private mutating func read(
    _ section: ConfigFile.Section, _ table: inout SettingTable<Invocation>
  ) throws(SettingError) {
    switch section.heading {
    case .none:
      general = settings(of: section, heading: nil, &table)
    case .named(let name, let argument) where ArgumentText(Self.siteSection) == name:
      guard let argument else { throw .missingArgument(section: Self.siteSection, placeholder: "URL") }
      let settings = settings(of: section, heading: "[\(Self.siteSection) \"\(argument.visible)\"]", &table)
      do throws(InvalidValue) {
        sites.append(
          Site(pattern: try SitePattern(argument), argument: argument, line: section.line, settings: settings))
      } catch {
        throw .invalidArgument(section: Self.siteSection, value: argument, reason: error)
      }
    case .named(let name, nil) where ArgumentText(Self.reachabilitySection) == name:
      general += policies(of: section, &table)
    case .named(let name, _?) where ArgumentText(Self.reachabilitySection) == name:
      throw .unexpectedArgument(section: Self.reachabilitySection)
    case .named(let name, _):
      let sections = [Self.siteSection, Self.reachabilitySection]
      throw .unknownSection(name, nearest: Suggestion.nearest(to: name.bytes, among: sections))
    case .malformed:
      // The heading has been reported. Without it, the names in the section cannot be checked.
      break
    }
  }

  /// Returns the settings of a `[reachability]` section. `STATE = POLICY` in it is another spelling of
  /// `reachability-policy = STATE=POLICY`.
  private mutating func policies(
    of section: ConfigFile.Section, _ table: inout SettingTable<Invocation>
  ) -> [Setting<Invocation>] {
    var settings: [Setting<Invocation>] = []
    for entry in section.entries {
      do throws(SettingError) {
        guard let policy = entry.value else { throw .missingValue(entry.name.visible, placeholder: "POLICY") }
        try Self.check(entry.name, as: Self.reachabilitySection) { name throws(InvalidValue) in
          _ = try ReachabilityState(parsing: name)
        }
        try Self.check(policy, as: entry.name.visible) { policy throws(InvalidValue) in
          _ = try PolicyName.policy(policy)
        }
        let option = ConfigFile.Entry(
          name: ArgumentText(ReachabilityFlags.policy.name),
          value: ArgumentText(entry.name.bytes + [ASCII.equals] + policy.bytes), line: entry.line)
        settings.append(try table.setting(option, under: "[\(Self.reachabilitySection)]"))
      } catch {
        faults.append(ConfigFault(line: entry.line, error))
      }
    }
    return settings
  }

  /// Reads one half of a line, so that an error names the half that it is in.
  private static func check(
    _ text: ArgumentText, as name: String, _ read: (ArgumentText) throws(InvalidValue) -> Void
  ) throws(SettingError) {
    do throws(InvalidValue) {
      try read(text)
    } catch {
      throw .invalidValue(name, value: text, reason: error)
    }
  }

  private mutating func settings(
    of section: ConfigFile.Section, heading: String?, _ table: inout SettingTable<Invocation>
  ) -> [Setting<Invocation>] {
    var settings: [Setting<Invocation>] = []
    var sum = Invocation()
    for entry in section.entries {
      do throws(SettingError) {
        let setting = try table.setting(entry, under: heading)
        if heading != nil, setting.flag.scope != .operand {
          throw .ofRun(entry.name.visible, section: Self.siteSection)
        }
        let before = sum.cache
        // The table has tried the value.
        try? setting.apply(to: &sum)
        if sum.cache.offline != nil, let option = sum.cache.policyOption {
          // A refused line is left out of the sum, so that the lines behind it are compared with accepted ones only.
          sum.cache = before
          throw .contradiction(CacheFlags.offline.name, option.text)
        }
        settings.append(setting)
      } catch {
        faults.append(ConfigFault(line: entry.line, error))
      }
    }
    return settings
  }
}
