/// What may stand where no option does.
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
  /// Whether it may be an option, hyphens included.
  let mayBeOption: Bool
  // Made when a shell is told of it.
  private let makeCompletion: @Sendable () -> ValueCompletion
  /// Whether something else that was typed stands in for it.
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
  /// What other programs call such a command: not accepted, but led from.
  let foreignNames: [String]
  package let summary: String
  // What a run does not need is not made: a table takes longer to make than a small response takes to print.
  private let makeDetails: @Sendable () -> String
  private let flagSource: FlagSource
  private let firstListedTheme: Theme?
  private let makeCommonFlags: @Sendable () -> [Flag<Invocation>]
  private let makeSubcommands: @Sendable () -> [Command<Invocation>]
  /// Only the last may repeat.
  package let operands: [Operand<Invocation>]
  package let isHidden: Bool
  /// Notes that this command was chosen; `nil` where a command below must be named.
  package let select: (@Sendable (inout Invocation) -> Void)?

  /// Hands over a command's flags until it is told that one was enough; then it returns `true`.
  package typealias FlagSource = @Sendable (_ isEnough: (Flag<Invocation>) -> Bool) -> Bool

  package init(
    _ name: String, aliases: [String] = [], foreignNames: [String] = [], summary: String,
    details: @escaping @Sendable @autoclosure () -> String = "",
    flags: @escaping @Sendable @autoclosure () -> [Flag<Invocation>] = [],
    commonFlags: @escaping @Sendable @autoclosure () -> [Flag<Invocation>] = [],
    operands: [Operand<Invocation>] = [],
    subcommands: @escaping @Sendable @autoclosure () -> [Command<Invocation>] = [], isHidden: Bool = false,
    select: (@Sendable (inout Invocation) -> Void)?
  ) {
    self.init(
      name, aliases: aliases, foreignNames: foreignNames, summary: summary, details: details(),
      flagSource: { isEnough in ArgumentParser.offer(flags(), isEnough) },
      commonFlags: commonFlags(), operands: operands, subcommands: subcommands(), isHidden: isHidden, select: select)
  }

  /// - Parameters:
  ///   - flagSource: for a command with so many flags that what is used most is looked at before the others are made.
  ///   - theme: of the flags that are listed first all the same.
  package init(
    _ name: String, aliases: [String] = [], foreignNames: [String] = [], summary: String,
    details: @escaping @Sendable @autoclosure () -> String = "", flagSource: @escaping FlagSource,
    listingFirst theme: Theme? = nil,
    commonFlags: @escaping @Sendable @autoclosure () -> [Flag<Invocation>] = [],
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

  /// The first of its own flags that is wanted; those behind it need not be made.
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

  package var subcommands: [Command<Invocation>] { makeSubcommands() }

  /// Whether `word` can be the name of any command: lower-case letters and hyphens.
  static func canBeName(_ word: ArgumentText) -> Bool {
    word.bytes.allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || $0 == .hyphen }
  }

  /// The command below that `word` names.
  package func subcommand(named word: ArgumentText) -> Command<Invocation>? {
    let commands = subcommands
    // By index, as flags are looked through.
    for index in 0..<commands.count where commands[index].isNamed(word.bytes) { return commands[index] }
    return nil
  }

  private func isNamed(_ word: [UInt8]) -> Bool {
    name.utf8.elementsEqual(word) || aliases.contains { $0.utf8.elementsEqual(word) }
  }

  var visibleSubcommands: [Command<Invocation>] {
    subcommands.filter { !$0.isHidden }
  }
}

/// A command and those above it, the outermost first.
struct CommandPath<Invocation> {
  // Apart from those above it, of which there mostly are none: what is not needed is not made.
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

  /// Those behind the program's name; without the runtime's key paths and slices, since `--version` asks for them.
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

  var visibleFlags: [Flag<Invocation>] {
    flags.filter { !$0.isHidden }
  }

  /// The first flag that is wanted of those that the commands below have too, the outermost command's first.
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

  /// The path to the command below that `words` lead to; `nil` where there is none.
  func descending(by words: [String]) -> CommandPath? {
    var path = self
    for word in words {
      guard let command = path.last.subcommand(named: ArgumentText(word)) else { return nil }
      path.descend(to: command)
    }
    return path
  }

  /// This command and all below it that a user is told of, in the table's order.
  var withDescendants: [CommandPath] {
    [self] + last.visibleSubcommands.flatMap { descending(to: $0).withDescendants }
  }

  /// `garner cache ls [OPTIONS] [PATTERN...]`.
  var usage: String {
    let options = visibleFlags.isEmpty ? [] : ["[OPTIONS]"]
    let command = last.select == nil ? ["COMMAND"] : []
    return ([words] + options + command + last.operands.map(\.usage)).joined(separator: " ")
  }

  typealias ThemedFlags = (theme: Theme, flags: [Flag<Invocation>])

  /// The flags by theme, in the order in which the themes first appear.
  var flagsByTheme: [ThemedFlags] { visibleFlags.byTheme() }
}

extension Command {
  /// Each command below that can be chosen and that a user is told of, as it is typed without options:
  /// `cache ls [PATTERN...]`.
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

  /// Whether `flag` is one of these; another flag may have its name, and be for something else.
  func hasRow<Invocation>(of flag: Flag<Invocation>) -> Bool where Element == Flag<Invocation> {
    contains { $0.name == flag.name && $0.summary == flag.summary && $0.details == flag.details }
  }
}
