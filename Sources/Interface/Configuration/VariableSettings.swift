package import FlagTable
import HTTPSemantics

/// The settings that environment variables make: `GARNER_OPTION_NAME` for `--option-name`.
package struct VariableSettings: Sendable {
  /// A variable that belongs to no option.
  package struct Unknown: Equatable, Sendable {
    package let name: String
    /// The variable, or the assignment, that was probably meant.
    package let nearest: String?

    /// The least number of bytes behind the prefix for a misspelling. Shorter names are near to many: `GARNER_BIN` may
    /// be anybody's, and is one letter from `GARNER_PIN`.
    private static let shortestSlip = 5

    /// Whether it is reported unasked, as a misspelling. A name that resembles no option may be meant for another
    /// program or another version.
    package var isSlip: Bool {
      nearest != nil && name.utf8.count >= ConfigKeys.variablePrefix.utf8.count + Self.shortestSlip
    }
  }

  /// A variable with a value that its option refuses.
  package struct Fault: Error, Equatable, Sendable {
    package let reason: SettingError
  }

  package private(set) var settings: [Setting<Invocation>] = []
  package private(set) var unknown: [Unknown] = []

  /// - Parameters:
  ///   - variables: `NAME=VALUE`. An empty value counts as not set, and of several variables of one name the first
  ///     counts.
  ///   - home: the directory that `~` stands for before the name of a file.
  /// - Throws: a fault for the first value that its option refuses.
  package init(_ variables: [[UInt8]], home: ArgumentText?) throws(Fault) {
    var table = ConfigKeys.table(home: home)
    for variable in variables {
      guard let equals = variable.firstIndex(of: ASCII.equals) else { continue }
      let value = ArgumentText(variable[(equals + 1)...])
      let name = ArgumentText(variable[..<equals]).visible
      if value.bytes.isEmpty || name == ConfigKeys.fileVariable { continue }
      let option = variable[..<equals].dropFirst(ConfigKeys.variablePrefix.utf8.count)
      do throws(SettingError) {
        if let setting = try table.setting(variable: name, named: option, value: value) {
          let isFirst = !settings.contains { $0.origin == setting.origin }
          if isFirst { settings.append(setting) }
        } else {
          let nearest = table.assignment(takingBack: option) ?? table.nearestVariable(to: option)
          unknown.append(Unknown(name: name, nearest: nearest.map { ConfigKeys.variablePrefix + $0 }))
        }
      } catch {
        throw Fault(reason: error)
      }
    }
  }
}
