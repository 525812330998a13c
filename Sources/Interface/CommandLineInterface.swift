package import FlagTable
package import HTTPSemantics

/// The program's version, and its date.
package enum ProgramVersion {
  package static let number = "0.1.0"
  package static let date = "2026-11-21"
}

/// garner's command line: reads it, and prints help texts and completion scripts from the same table.
package enum CommandLineInterface {
  /// Reads the arguments, without the program's name.
  ///
  /// - Parameter include: reads the files that `--curl-config` and `--header @FILE` name.
  /// - Throws: the first thing that could not be understood.
  package static func parse(
    _ arguments: [ArgumentText], including include: @escaping OptionLine.Reader = { _, _ in [] }
  ) throws(UsageError) -> Invocation {
    var invocation = Invocation()
    try parse(arguments, including: include, into: &invocation)
    return invocation
  }

  /// As above, but adds to what `invocation` holds already.
  ///
  /// - Parameter note: called with each option that was typed.
  static func parse(
    _ arguments: [ArgumentText], including include: @escaping OptionLine.Reader, into invocation: inout Invocation,
    noting note: ((Setting<Invocation>) -> Void)? = nil
  ) throws(UsageError) {
    let parser = ArgumentParser(Commands.root, foreign: { ForeignOptionTables.all }, including: include)
    do throws(UsageError) {
      try parser.parse(arguments, into: &invocation, noting: note)
    } catch {
      throw hinting(error, at: arguments, of: invocation.command)
    }
    if let (one, other) = invocation.storeCommand.contradiction {
      throw .conflictingOptions(one.spelling, other.spelling)
    }
    if invocation.command == .cache(.tag), invocation.storeCommand.tagChanges.isEmpty {
      throw .missingOperand(name: "KEY=VALUE or --delete", command: "garner cache tag")
    }
    // A forgotten pattern must not apply the command to everything.
    if !invocation.selectsEntries {
      switch invocation.command {
      case .cache(.rm) where !invocation.storeCommand.removesAll:
        throw .missingOperand(name: "PATTERN or --all", command: "garner cache rm")
      case .cache(.pin): throw .missingOperand(name: "PATTERN", command: "garner cache pin")
      case .cache(.unpin): throw .missingOperand(name: "PATTERN", command: "garner cache unpin")
      default: break
      }
    }
  }

  /// Passes to `conceal` each secret of a command line that has been parsed without an error, with the number of bytes
  /// at the front of the value that are not secret.
  ///
  /// - Parameters:
  ///   - include: as of `parse`; must return the same lines as it did there.
  ///   - listed: fields that the environment or the config file lists as credential fields.
  package static func forEachSecret(
    in arguments: [ArgumentText], including include: @escaping OptionLine.Reader, listed: [FieldName],
    _ conceal: (_ value: [UInt8], _ prefix: Int) -> Void
  ) {
    var invocation = Invocation()
    // All settings are collected first, because a field may be listed as a credential field behind the option that sets
    // it.
    var settings: [Setting<Invocation>] = []
    try? parse(arguments, including: include, into: &invocation) { settings.append($0) }
    let listed = listed + invocation.groups.flatMap(\.key.credentialFields)
    for setting in settings {
      switch setting.secrecy(listed: listed) {
      case .none, .possible, .inURL, .inText: break
      case .all: conceal(setting.value.bytes, 0)
      case .behind(let prefix): conceal(setting.value.bytes, prefix)
      }
    }
  }

  /// Returns the command, as it is typed, that was probably meant by a URL whose host does not exist.
  package static func commandMeant(by target: TargetURI) -> String? {
    let host = target.origin.host
    let isWord = target.origin.authority == host && target.pathAndQuery == "/" && !host.utf8.contains(ASCII.period)
    guard isWord, target.origin.scheme == .http else { return nil }
    if host == "version" { return "garner --version" }
    // The words of `cache` must match exactly: words of two and three letters are near to many.
    if Commands.cache.subcommand(named: ArgumentText(host))?.isHidden == false { return "garner cache \(host)" }
    let names = Commands.root.visibleSubcommands.map(\.name)
    return Suggestion.nearest(to: host.utf8, among: names).map { "garner \($0)" }
  }

  /// Returns the text of a help topic, `width` columns wide.
  package static func helpText(_ topic: HelpTopic, _ form: HelpForm, width: Int) -> String {
    switch topic {
    case .command(let words):
      // The words come from the table: the parser has found the command that they lead to.
      HelpPage(of: Commands.root, words: words, width: width)?.text(form) ?? ""
    case .option(let name, of: let words):
      HelpPage(of: Commands.root, words: words, width: width)?.text(ofFlag: name) ?? ""
    case .section(let topic): TopicPage(topic.section, flags: topic.flags).text(width: width)
    case .manual(let page): text(of: page ?? .garner)
    }
  }

  /// Returns the completion script for `shell`.
  package static func completionScript(_ shell: Shell) -> String {
    switch shell {
    case .bash: BashCompletion(of: Commands.root).script
    case .zsh: ZshCompletion(of: Commands.root).script
    case .fish: FishCompletion(of: Commands.root).script
    }
  }

  /// What `--version` prints.
  package static var versionText: String { "garner \(ProgramVersion.number)\n" }
}
