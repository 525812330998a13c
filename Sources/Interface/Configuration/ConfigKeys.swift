import FlagTable

/// The options that the config file and the environment may set: those of a fetch, from the rows of the command line.
package enum ConfigKeys {
  /// The prefix of the program's variables.
  package static let variablePrefix = "GARNER_"
  /// The variable that names the config file.
  package static let fileVariable = "GARNER_CONFIG"

  /// - Parameter home: the directory that `~` stands for.
  static func table(home: ArgumentText? = nil) -> SettingTable<Invocation> {
    SettingTable(of: Commands.root, blank: Invocation(), home: home, foreign: { ForeignOptionTables.all })
  }

  /// The variables of all options, in the order of the helps.
  static var variables: [String] {
    table().flags.map { variable(of: $0.name) }
  }

  package static func variable(of name: String) -> String {
    variablePrefix + SettingTable<Invocation>.variableName(of: name)
  }
}
