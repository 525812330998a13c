package import FlagTable

/// The options that say which config file is read.
package struct ConfigOptions: Equatable, Sendable {
  /// `-` is standard input; `nil` where none was named.
  package var file: ArgumentText?
  package var isDisabled = false
}

enum ConfigFlags {
  static let file = Flag<Invocation>(
    "config", value: "FILE", completes: .file, in: .common, scope: .typed,
    summary: "Read the config file FILE instead of the user's own.",
    details: """
      `-` is standard input. Without the option, GARNER_CONFIG names the file, else `$XDG_CONFIG_HOME/garner/config` or
      `~/.config/garner/config` is read, if it is there. `garner help config` tells what it may hold.
      """
  ) { invocation, text throws(InvalidValue) in
    invocation.config.file = try FileName.check(text)
  }

  static let disable = Flag<Invocation>(
    "disable", short: "q", in: .common, scope: .typed,
    summary: #"Read no config file but one that \flag{config} names."#,
    details: "Unlike curl's, it need not stand first. Variables of the environment still count."
  ) { $0.config.isDisabled = true }
}
