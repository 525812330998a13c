/// What may stand where no option does.
package struct Operand<Invocation>: Sendable {
  package enum Count: Hashable, Sendable {
    case one
    case optional
    case oneOrMore
    case any

    var isRequired: Bool { self == .one || self == .oneOrMore }
    var repeats: Bool { self == .oneOrMore || self == .any }
  }

  package let name: String
  package let count: Count
  package let completion: ValueCompletion
  package let apply: @Sendable (inout Invocation, ArgumentText) throws(InvalidValue) -> Void

  package init(
    _ name: String, _ count: Count, completes completion: ValueCompletion = .none,
    apply: @escaping @Sendable (inout Invocation, ArgumentText) throws(InvalidValue) -> Void
  ) {
    self.name = name
    self.count = count
    self.completion = completion
    self.apply = apply
  }

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
  package let summary: String
  /// Markup, as in `Flag.details`.
  package let details: String
  // What a run does not need is not made: a table takes longer to make than a small response takes to print.
  private let makeFlags: @Sendable () -> [Flag<Invocation>]
  private let makeCommonFlags: @Sendable () -> [Flag<Invocation>]
  private let makeSubcommands: @Sendable () -> [Command<Invocation>]
  /// Only the last may repeat.
  package let operands: [Operand<Invocation>]
  package let isHidden: Bool
  /// Notes that this command was chosen; `nil` where a command below must be named.
  package let select: (@Sendable (inout Invocation) -> Void)?

  package init(
    _ name: String, aliases: [String] = [], summary: String, details: String = "",
    flags: @escaping @Sendable @autoclosure () -> [Flag<Invocation>] = [],
    commonFlags: @escaping @Sendable @autoclosure () -> [Flag<Invocation>] = [],
    operands: [Operand<Invocation>] = [],
    subcommands: @escaping @Sendable @autoclosure () -> [Command<Invocation>] = [], isHidden: Bool = false,
    select: (@Sendable (inout Invocation) -> Void)?
  ) {
    self.name = name
    self.aliases = aliases
    self.summary = summary
    self.details = details
    self.makeFlags = flags
    self.makeCommonFlags = commonFlags
    self.operands = operands
    self.makeSubcommands = subcommands
    self.isHidden = isHidden
    self.select = select
  }

  package var flags: [Flag<Invocation>] { makeFlags() }

  /// Flags that the commands below have too; only these may stand before a command word.
  package var commonFlags: [Flag<Invocation>] { makeCommonFlags() }

  package var subcommands: [Command<Invocation>] { makeSubcommands() }

  /// Whether `word` can be the name of any command: lower-case letters and hyphens.
  static func canBeName(_ word: ArgumentText) -> Bool {
    word.bytes.allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || $0 == UInt8(ascii: "-") }
  }

  /// The command below that `word` names.
  package func subcommand(named word: ArgumentText) -> Command<Invocation>? {
    subcommands.first { command in
      command.name.utf8.elementsEqual(word.bytes)
        || command.aliases.contains { $0.utf8.elementsEqual(word.bytes) }
    }
  }

  var visibleSubcommands: [Command<Invocation>] {
    subcommands.filter { !$0.isHidden }
  }
}

/// A command and those above it, the outermost first.
struct CommandPath<Invocation> {
  private(set) var commands: [Command<Invocation>]

  init(_ root: Command<Invocation>) {
    commands = [root]
  }

  var last: Command<Invocation> { commands[commands.count - 1] }

  /// The words to be typed: `garner cache ls`.
  var words: String {
    commands.map(\.name).joined(separator: " ")
  }

  /// Every flag that this command takes, its own first.
  var flags: [Flag<Invocation>] {
    last.flags + commands.reversed().flatMap(\.commonFlags)
  }

  var visibleFlags: [Flag<Invocation>] {
    flags.filter { !$0.isHidden }
  }

  mutating func descend(to command: Command<Invocation>) {
    commands.append(command)
  }

  func descending(to command: Command<Invocation>) -> CommandPath {
    var path = self
    path.descend(to: command)
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

  /// The flags by theme, in the order in which the themes first appear.
  var flagsByTheme: [(theme: Theme, flags: [Flag<Invocation>])] {
    let flags = visibleFlags
    let themes = flags.map(\.theme).reduce(into: [Theme]()) { themes, theme in
      if !themes.contains(theme) { themes.append(theme) }
    }
    return themes.map { theme in (theme, flags.filter { $0.theme == theme }) }
  }
}
