package import FlagTable

/// The name of an option that other modules ask about, taken from its row.
package struct OptionName: Equatable, Sendable {
  /// The name without dashes.
  let text: String

  init(_ flag: Flag<Invocation>) {
    text = flag.name
  }

  /// The name as it is typed.
  package var spelling: String { "--" + text }

  package static var cacheDirectory: OptionName { OptionName(CacheFlags.directory) }
  package static var cacheKey: OptionName { OptionName(KeyFlags.key) }
  package static var createDirectories: OptionName { OptionName(OutputFlags.createDirectories) }
  package static var dryRun: OptionName { OptionName(OutputFlags.dryRun) }
  package static var integrity: OptionName { OptionName(IntegrityFlags.integrity) }
  package static var memoryOnly: OptionName { OptionName(CacheFlags.memoryOnly) }
  package static var offline: OptionName { OptionName(CacheFlags.offline) }
  package static var pin: OptionName { OptionName(StoringFlags.pin) }
  package static var remoteHeaderName: OptionName { OptionName(OutputFlags.remoteHeaderName) }
  package static var sha256: OptionName { OptionName(IntegrityFlags.sha256) }
  package static var tag: OptionName { OptionName(StoringFlags.tag) }
}

extension Setting<Invocation> {
  package func sets(_ option: OptionName) -> Bool { name == option.text }

  /// Whether a message that names `option` means this setting. `data` means any option that gives data, and `no-NAME` a
  /// setting that takes NAME back.
  package func isMeant(by option: Substring) -> Bool {
    if name.elementsEqual(option) { return true }
    if option == RequestFlags.data.name { return RequestFlags.giving.contains { $0.name == name } }
    return given == .on(false) && option == Negation.name(of: name)
  }
}
