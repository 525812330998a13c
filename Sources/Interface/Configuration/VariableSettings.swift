package import FlagTable
import HTTPSemantics

/// What variables of the environment set: `GARNER_OPTION_NAME` for `--option-name`.
package struct VariableSettings: Sendable {
  /// A variable that is no option's.
  package struct Unknown: Equatable, Sendable {
    package let name: String
    /// The variable that may have been meant, or the assignment.
    package let nearest: String?

    /// Behind the prefix. Shorter names are near to many: `GARNER_BIN` is anybody's, and a letter from `GARNER_PIN`.
    private static let shortestSlip = 5

    /// Whether it is told of unasked. What resembles no option may be meant for somebody else, or another version.
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
  ///   - variables: `NAME=VALUE`; what is empty counts as not set, and of one name the first counts.
  ///   - home: the directory that `~` stands for before the name of a file.
  package init(_ variables: [[UInt8]], home: ArgumentText? = nil) throws(Fault) {
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
