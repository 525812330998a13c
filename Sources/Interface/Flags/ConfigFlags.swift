package import FlagTable

/// The options that say which config file is read.
package struct ConfigOptions: Equatable, Sendable {
  /// `-` is standard input; `nil` if none was named.
  package var file: ArgumentText?
  package var isDisabled = false
}

enum ConfigFlags {
  static let file = Flag<Invocation>(
    "config", value: "FILE", completes: .file, in: .common, scope: .typed,
    summary: "Read the config file FILE instead of the user's own.",
    details: """
      `-` is standard input. Without the option, GARNER_CONFIG names the file. If that is not set,
      `$XDG_CONFIG_HOME/garner/config` or `~/.config/garner/config` is read, if it exists. `garner help config`
      describes the format.
      """
  ) { invocation, text throws(InvalidValue) in
    invocation.config.file = try FileName.check(text)
  }

  static let disable = Flag<Invocation>(
    "disable", short: "q", in: .common, scope: .typed,
    summary: #"Read no config file except one that \flag{config} names."#,
    details: "Unlike in curl, the option need not come first. Environment variables still apply."
  ) { $0.config.isDisabled = true }
}
