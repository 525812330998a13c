/// An argument of a command that is no option.
package struct Operand<Invocation>: Sendable {
  package enum Count: Equatable, Sendable {
    case one
    case optional
    case oneOrMore
    case any

    var isRequired: Bool { self == .one || self == .oneOrMore }
    var repeats: Bool { self == .oneOrMore || self == .any }
  }

  package let name: String
  package let count: Count
  /// Whether the operand may be the name of an option, hyphens included.
  let mayBeOption: Bool
  // A closure, because only completion scripts need it.
  private let makeCompletion: @Sendable () -> ValueCompletion
  /// Whether something else on the command line replaces the operand, which may then be missing.
  let mayBeAbsent: @Sendable (Invocation) -> Bool
  package let apply: @Sendable (inout Invocation, ArgumentText) throws(InvalidValue) -> Void

  package init(
    _ name: String, _ count: Count, mayBeOption: Bool = false,
    completes completion: @escaping @Sendable @autoclosure () -> ValueCompletion = .none,
    unless mayBeAbsent: @escaping @Sendable (Invocation) -> Bool = { _ in false },
    apply: @escaping @Sendable (inout Invocation, ArgumentText) throws(InvalidValue) -> Void
  ) {
    self.name = name
    self.count = count
    self.mayBeOption = mayBeOption
    makeCompletion = completion
    self.mayBeAbsent = mayBeAbsent
    self.apply = apply
  }

  package var completion: ValueCompletion { makeCompletion() }

  /// The operand as a usage line shows it.
  var usage: String {
    switch count {
    case .one: name
    case .optional: "[\(name)]"
    case .oneOrMore: "\(name)..."
    case .any: "[\(name)...]"
    }
  }
}

/// A command with its flags, its operands and the commands below it.
///
/// A command word is the first operand; `--` before it makes it an ordinary operand.
package struct Command<Invocation>: Sendable {
  package let name: String
  package let aliases: [String]
  /// Names that other programs have for such a command. They are not accepted, but the error suggests this command.
  let foreignNames: [String]
  package let summary: String
  // These are closures, so that a run makes only what it needs: a table takes longer to make than a small response
  // takes to print.
  private let makeDetails: @Sendable () -> String
  private let flagSource: FlagSource
  private let firstListedTheme: Theme?
  private let makeCommonFlags: @Sendable () -> [Flag<Invocation>]
  private let makeFlagsIgnoredInFiles: @Sendable () -> [Flag<Invocation>]
  private let makeSubcommands: @Sendable () -> [Command<Invocation>]
  /// Only the last operand may repeat.
  package let operands: [Operand<Invocation>]
  package let isHidden: Bool
  /// Records that this command was chosen; `nil` if a command below it must be named.
  package let select: (@Sendable (inout Invocation) -> Void)?

  /// Offers a command's flags to `isEnough`, one by one, until it returns `true`. Returns whether it did.
  package typealias FlagSource = @Sendable (_ isEnough: (Flag<Invocation>) -> Bool) -> Bool

  package init(
    _ name: String, aliases: [String] = [], foreignNames: [String] = [], summary: String,
    details: @escaping @Sendable @autoclosure () -> String = "",
    flags: @escaping @Sendable @autoclosure () -> [Flag<Invocation>] = [],
    commonFlags: @escaping @Sendable @autoclosure () -> [Flag<Invocation>] = [],
    flagsIgnoredInFiles: @escaping @Sendable @autoclosure () -> [Flag<Invocation>] = [],
    operands: [Operand<Invocation>] = [],
    subcommands: @escaping @Sendable @autoclosure () -> [Command<Invocation>] = [], isHidden: Bool = false,
    select: (@Sendable (inout Invocation) -> Void)?
  ) {
    self.init(
      name, aliases: aliases, foreignNames: foreignNames, summary: summary, details: details(),
      flagSource: { isEnough in ArgumentParser.offer(flags(), isEnough) },
      commonFlags: commonFlags(), flagsIgnoredInFiles: flagsIgnoredInFiles(), operands: operands,
      subcommands: subcommands(), isHidden: isHidden, select: select)
  }

  /// - Parameters:
  ///   - flagSource: offers the flags that are used most before the others are made, for a command with many flags.
  ///   - theme: the theme whose flags are listed first, in whatever order `flagSource` offers them.
  package init(
    _ name: String, aliases: [String] = [], foreignNames: [String] = [], summary: String,
    details: @escaping @Sendable @autoclosure () -> String = "", flagSource: @escaping FlagSource,
    listingFirst theme: Theme? = nil,
    commonFlags: @escaping @Sendable @autoclosure () -> [Flag<Invocation>] = [],
    flagsIgnoredInFiles: @escaping @Sendable @autoclosure () -> [Flag<Invocation>] = [],
    operands: [Operand<Invocation>] = [],
    subcommands: @escaping @Sendable @autoclosure () -> [Command<Invocation>] = [], isHidden: Bool = false,
    select: (@Sendable (inout Invocation) -> Void)?
  ) {
    self.name = name
    self.aliases = aliases
    self.foreignNames = foreignNames
    self.summary = summary
    makeDetails = details
    self.flagSource = flagSource
    firstListedTheme = theme
    self.makeCommonFlags = commonFlags
    makeFlagsIgnoredInFiles = flagsIgnoredInFiles
    self.operands = operands
    self.makeSubcommands = subcommands
    self.isHidden = isHidden
    self.select = select
  }

  /// Markup, as in `Flag.details`.
  package var details: String { makeDetails() }

  package var flags: [Flag<Invocation>] {
    var flags: [Flag<Invocation>] = []
    _ = flagSource { flag in
      flags.append(flag)
      return false
    }
    guard let first = firstListedTheme else { return flags }
    return flags.filter { $0.theme == first } + flags.filter { $0.theme != first }
  }

  /// Returns the first of the command's own flags that is wanted. The flags behind it need not be made.
  func firstFlag(where isWanted: (Flag<Invocation>) -> Bool) -> Flag<Invocation>? {
    var found: Flag<Invocation>?
    _ = flagSource { flag in
      guard isWanted(flag) else { return false }
      found = flag
      return true
    }
    return found
  }

  /// Flags that the commands below have too.
  package var commonFlags: [Flag<Invocation>] { makeCommonFlags() }

  /// Flags of other commands that a file of options may set for this one, too, where they have no effect.
  var flagsIgnoredInFiles: [Flag<Invocation>] { makeFlagsIgnoredInFiles() }

  package var subcommands: [Command<Invocation>] { makeSubcommands() }

  /// Whether `word` can be the name of any command: lower-case letters and hyphens.
  static func canBeName(_ word: ArgumentText) -> Bool {
    word.bytes.allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || $0 == .hyphen }
  }

  /// Returns the command below this one that `word` names.
  package func subcommand(named word: ArgumentText) -> Command<Invocation>? {
    let commands = subcommands
    // By index, for the same reason as in `ArgumentParser.first(in:where:)`.
    for index in 0..<commands.count where commands[index].isNamed(word.bytes) { return commands[index] }
    return nil
  }

  private func isNamed(_ word: [UInt8]) -> Bool {
    name.utf8.elementsEqual(word) || aliases.contains { $0.utf8.elementsEqual(word) }
  }

  package var visibleSubcommands: [Command<Invocation>] {
    subcommands.filter { !$0.isHidden }
  }
}

/// A command and those above it, the outermost first.
struct CommandPath<Invocation> {
  // Kept apart from the commands above, of which there are mostly none, so that mostly no array is made.
  private(set) var last: Command<Invocation>
  private var above: [Command<Invocation>] = []

  init(_ root: Command<Invocation>) {
    last = root
  }

  var commands: [Command<Invocation>] { above + [last] }

  /// The words to be typed: `garner cache ls`.
  var words: String {
    commands.map(\.name).joined(separator: " ")
  }

  /// The command words without the program's name. Made without key paths and slices, which cost the runtime time,
  /// because `--version` asks for them.
  var commandWords: [String] {
    if above.isEmpty { return [] }
    var words: [String] = []
    for index in 1..<above.count { words.append(above[index].name) }
    words.append(last.name)
    return words
  }

  /// Every flag that this command takes, its own first.
  var flags: [Flag<Invocation>] {
    last.flags + commands.reversed().flatMap(\.commonFlags)
  }

  /// Returns the first wanted flag of those that the commands below have too, beginning with the outermost command.
  func firstCommonFlag(where isWanted: (Flag<Invocation>) -> Bool) -> Flag<Invocation>? {
    for index in 0..<above.count {
      if let flag = ArgumentParser.first(in: above[index].commonFlags, where: isWanted) { return flag }
    }
    return ArgumentParser.first(in: last.commonFlags, where: isWanted)
  }

  mutating func descend(to command: Command<Invocation>) {
    above.append(last)
    last = command
  }

  func descending(to command: Command<Invocation>) -> CommandPath {
    var path = self
    path.descend(to: command)
    return path
  }

  /// Returns the path to the command that `words` lead to from here; `nil` if there is none.
  func descending(by words: [String]) -> CommandPath? {
    var path = self
    for word in words {
      guard let command = path.last.subcommand(named: ArgumentText(word)) else { return nil }
      path.descend(to: command)
    }
    return path
  }

  /// This command and all visible ones below it, in the table's order.
  var withDescendants: [CommandPath] {
    [self] + last.visibleSubcommands.flatMap { descending(to: $0).withDescendants }
  }

  /// `garner cache ls [OPTIONS] [PATTERN...]`.
  var usage: String {
    let options = flags.isEmpty ? [] : ["[OPTIONS]"]
    let command = last.select == nil ? ["COMMAND"] : []
    return ([words] + options + command + last.operands.map(\.usage)).joined(separator: " ")
  }

  typealias ThemedFlags = (theme: Theme, flags: [Flag<Invocation>])

  /// The flags by theme, in the order in which the themes first appear.
  var flagsByTheme: [ThemedFlags] { flags.byTheme() }
}

extension Command {
  /// Returns the command that `words` lead to from this one; `nil` if there is none.
  package func descendant(_ words: [String]) -> Command<Invocation>? { CommandPath(self).descending(by: words)?.last }

  /// The visible commands below this one that can be chosen, each as it is typed without options: `cache ls
  /// [PATTERN...]`.
  package var synopses: [(usage: String, summary: String)] {
    CommandPath(self).withDescendants.dropFirst().filter { $0.last.select != nil }.map { path in
      ((path.commandWords + path.last.operands.map(\.usage)).joined(separator: " "), path.last.summary)
    }
  }
}

extension Array {
  /// The flags by theme, in the order in which the themes first appear.
  func byTheme<Invocation>() -> [CommandPath<Invocation>.ThemedFlags] where Element == Flag<Invocation> {
    let themes = map(\.theme).reduce(into: [Theme]()) { themes, theme in
      if !themes.contains(theme) { themes.append(theme) }
    }
    return themes.map { theme in (theme, filter { $0.theme == theme }) }
  }

  /// Whether `flag` is one of these. The name alone does not tell: flags of several commands may share one and mean
  /// different things.
  func hasRow<Invocation>(of flag: Flag<Invocation>) -> Bool where Element == Flag<Invocation> {
    contains { $0.name == flag.name && $0.summary == flag.summary && $0.details == flag.details }
  }
}
