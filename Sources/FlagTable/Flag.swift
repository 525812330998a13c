/// The heading under which flags are listed in help texts and in the manual.
package struct Theme: Equatable, Sendable {
  package let title: String

  package init(_ title: String) {
    self.title = title
  }
}

/// The completions that a shell offers for a value or an operand.
package enum ValueCompletion: Equatable, Sendable {
  case none
  case file
  /// The name of a file behind `@`, if the value begins with `@`.
  case fileBehindAt
  case directory
  case choices([String])
  /// Some of the possible values.
  case examples([String])
  /// A name of the first list, an equals sign and a value of the second. The flag's details list all of them.
  case pairs([String], [String])
  /// The words for the first of two operands, and behind some of them the words for the second.
  case path([CompletionStep])
  /// The lines that the program itself prints when it is called with the options of the line that are `CommonOptions`,
  /// these words, `--`, and what has been typed.
  case output(of: [String])
}

/// The words that a shell offers at one place.
package struct CompletionStep: Equatable, Sendable {
  /// The word before it; `nil` for the first place.
  package let previous: String?
  package let words: [String]

  package init(after previous: String? = nil, _ words: [String]) {
    self.previous = previous
    self.words = words
  }
}

/// Whether a flag is followed by a value, and the word that stands for the value in help texts.
package enum ValueShape: Equatable, Sendable {
  case none
  case required(String)
  /// Given as `--name=VALUE` only: a separate argument would be taken for an operand.
  case optional(String)
}

/// How and where on the command line help or the like was asked for.
package struct Question: Equatable, Sendable {
  /// Which of its names the flag was called by.
  package enum Spelling: Equatable, Sendable {
    case short
    case long
  }

  package let spelling: Spelling
  /// The command words before the flag, without the program's name.
  package let commandWords: [String]

  package init(spelling: Spelling, commandWords: [String]) {
    self.spelling = spelling
    self.commandWords = commandWords
  }
}

/// How help texts mention `--no-NAME`.
package enum Negation: Equatable, Sendable {
  /// In a line of its own, with this summary.
  case listed(String)
  /// Accepted, and mentioned in the details.
  case accepted

  /// What stands before NAME.
  static var prefix: String { "no-" }

  /// Returns the name that takes back what `name` sets.
  package static func name(of name: String) -> String { prefix + name }

  /// Returns the name of what `name` takes back; `nil` if `name` does not begin with `prefix`.
  static func positive(of name: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    name.starts(with: prefix.utf8) ? name.dropFirst(prefix.utf8.count) : nil
  }
}

/// The part of an option that the parser found beside the flag's name.
package enum Given: Equatable, Sendable {
  /// `false` for `--no-NAME`.
  case on(Bool)
  case value(ArgumentText)
  case noValue
  case question(Question)

  var text: ArgumentText? {
    if case .value(let text) = self { text } else { nil }
  }
}

/// The kind of a flag: what follows it, and what the parser does at it.
package enum FlagKind: Equatable, Sendable {
  case plain
  /// Also spelt `--no-NAME`.
  case toggle(Negation)
  case required(placeholder: String)
  case optional(placeholder: String)
  /// As `required`; on the command line, `@FILE` stands for a value in each line of FILE.
  case listable(placeholder: String)
  /// Asks for information instead of a run. The parser stops there, and no operand is missing then.
  case question
  /// Begins a new set of options, for the operands behind it; those before it have their own.
  case separator
  /// Names a file of further options, which count as if they were typed in its place.
  case inclusion(placeholder: String)
}

/// A flag, with all that describes it: what the parser accepts, what help texts and the manual say, what shells
/// complete.
///
/// `details` is markup: paragraphs are separated by empty lines, `` `literal` `` is set off, `\flag{name}` refers to
/// another flag, and lines indented by four columns are an example.
package struct Flag<Invocation>: Sendable {
  /// Checks what was given and records it, nothing else. The parser adds the flag's name to the error.
  private enum Action: Sendable {
    case plain(@Sendable (inout Invocation) -> Void)
    case toggle(@Sendable (inout Invocation, Bool) -> Void)
    case value(@Sendable (inout Invocation, ArgumentText) throws(InvalidValue) -> Void)
    case optionalValue(@Sendable (inout Invocation, ArgumentText?) throws(InvalidValue) -> Void)
    case question(@Sendable (inout Invocation, Question) -> Void)
    /// The parser reads the file.
    case inclusion
  }

  private let row: FlagRow
  private let action: Action

  private init(_ row: FlagRow, _ action: Action) {
    self.row = row
    self.action = action
  }

  package var name: String { row.name }
  package var short: UInt8? { row.short }
  package var aliases: [String] { row.aliases }
  package var theme: Theme { row.theme }
  package var summary: String { row.summary }
  package var details: String { row.details }
  package var completion: ValueCompletion { row.completion }
  package var kind: FlagKind { row.kind }
  package var scope: SettingScope { row.scope }
  /// `nil` if a setting concerns nothing but its flag, and is no secret.
  var facts: SettingFacts.OfValue? { row.facts }

  package var shape: ValueShape {
    switch kind {
    case .plain, .toggle, .question, .separator: .none
    case .required(let placeholder), .listable(let placeholder), .inclusion(let placeholder): .required(placeholder)
    case .optional(let placeholder): .optional(placeholder)
    }
  }

  package var negation: Negation? { row.negation }

  /// `no-NAME`, if that takes the flag back.
  var negatedName: String? { negation == nil ? nil : Negation.name(of: name) }

  /// Whether `--` followed by `spelling` is this flag; only exact names are.
  func isNamed(_ spelling: ArraySlice<UInt8>) -> Bool { row.isNamed(spelling) }

  /// Whether an option that was typed, with its dashes, is this flag.
  func isSpelt(_ option: String) -> Bool { row.isSpelt(option) }

  /// Records in `invocation` what was given.
  func apply(_ invocation: inout Invocation, _ given: Given) throws(InvalidValue) {
    switch action {
    case .plain(let note): note(&invocation)
    case .toggle(let note): note(&invocation, given != .on(false))
    case .value(let note): try note(&invocation, given.text ?? "")
    case .optionalValue(let note): try note(&invocation, given.text)
    case .question(let note): if case .question(let question) = given { note(&invocation, question) }
    case .inclusion: break
    }
  }
}

/// A flag without its action: its names, its texts and its kind, which do not depend on the type of the invocation.
///
/// A class, so that a copied flag is a copied reference: each start looks through a table of flags, and they are passed
/// on many times.
private final class FlagRow: Sendable {
  let name: String
  let short: UInt8?
  let aliases: [String]
  let theme: Theme
  let summary: String
  let details: String
  // A closure, because only help texts and completion scripts need it.
  private let makeCompletion: @Sendable () -> ValueCompletion
  let kind: FlagKind
  let scope: SettingScope
  let facts: SettingFacts.OfValue?

  init(
    _ name: String, _ short: Unicode.Scalar?, _ aliases: [String], _ theme: Theme, _ summary: String,
    _ details: String, completes completion: @escaping @Sendable () -> ValueCompletion = { .none },
    _ kind: FlagKind, _ scope: SettingScope, _ facts: SettingFacts.OfValue? = nil
  ) {
    self.name = name
    self.short = short.map { UInt8(ascii: $0) }
    self.aliases = aliases
    self.theme = theme
    self.summary = summary
    self.details = details
    makeCompletion = completion
    self.kind = kind
    self.scope = scope
    self.facts = facts
  }

  var completion: ValueCompletion { makeCompletion() }

  var negation: Negation? { if case .toggle(let negation) = kind { negation } else { nil } }

  func isNamed(_ spelling: ArraySlice<UInt8>) -> Bool {
    Self.equal(name, spelling) || aliases.contains { Self.equal($0, spelling) }
  }

  func isSpelt(_ option: String) -> Bool {
    let bytes = Array(option.utf8)
    guard bytes.count > 2 else { return bytes.count == 2 && bytes[1] == short }
    let name = bytes[2...]
    if isNamed(name) { return true }
    guard negation != nil, let positive = Negation.positive(of: name) else { return false }
    return isNamed(positive)
  }

  private static func equal(_ name: String, _ spelling: ArraySlice<UInt8>) -> Bool {
    name.utf8.count == spelling.count && name.utf8.elementsEqual(spelling)
  }
}

extension Flag {
  /// A flag without a value.
  package init(
    _ name: String, short: Unicode.Scalar? = nil, aliases: [String] = [], in theme: Theme,
    scope: SettingScope = .operand, facts: SettingFacts.OfValue? = nil,
    summary: String, details: String = "",
    apply: @escaping @Sendable (inout Invocation) -> Void
  ) {
    self.init(FlagRow(name, short, aliases, theme, summary, details, .plain, scope, facts), .plain(apply))
  }

  /// A flag that `--no-NAME` takes back.
  package init(
    _ name: String, short: Unicode.Scalar? = nil, aliases: [String] = [], negation: Negation, in theme: Theme,
    scope: SettingScope = .operand, facts: SettingFacts.OfValue? = nil,
    summary: String, details: String = "",
    apply: @escaping @Sendable (inout Invocation, Bool) -> Void
  ) {
    self.init(
      FlagRow(name, short, aliases, theme, summary, details, .toggle(negation), scope, facts), .toggle(apply))
  }

  /// A flag with a value, spelt `--name VALUE`, `--name=VALUE`, `-n VALUE` or `-nVALUE`.
  package init(
    _ name: String, short: Unicode.Scalar? = nil, value placeholder: String, aliases: [String] = [],
    completes completion: @escaping @Sendable @autoclosure () -> ValueCompletion = .none, in theme: Theme,
    scope: SettingScope = .operand, facts: SettingFacts.OfValue? = nil,
    summary: String, details: String = "",
    apply: @escaping @Sendable (inout Invocation, ArgumentText) throws(InvalidValue) -> Void
  ) {
    self.init(
      FlagRow(
        name, short, aliases, theme, summary, details, completes: completion, .required(placeholder: placeholder),
        scope, facts), .value(apply))
  }

  /// A flag that is given once for each of several things, spelt like one with a value, or `--name @FILE` for all lines
  /// of FILE.
  package init(
    _ name: String, short: Unicode.Scalar, listable placeholder: String, aliases: [String] = [],
    in theme: Theme, facts: SettingFacts.OfValue? = nil, summary: String, details: String = "",
    apply: @escaping @Sendable (inout Invocation, ArgumentText) throws(InvalidValue) -> Void
  ) {
    self.init(
      FlagRow(
        name, short, aliases, theme, summary, details, completes: { .fileBehindAt },
        .listable(placeholder: placeholder), .operand, facts), .value(apply))
  }

  /// A flag whose value may be left out, spelt `--name` or `--name=VALUE`.
  package init(
    _ name: String, optionalValue placeholder: String,
    completes completion: @escaping @Sendable @autoclosure () -> ValueCompletion = .none, in theme: Theme,
    scope: SettingScope = .operand, facts: SettingFacts.OfValue? = nil,
    summary: String, details: String = "",
    apply: @escaping @Sendable (inout Invocation, ArgumentText?) throws(InvalidValue) -> Void
  ) {
    self.init(
      FlagRow(
        name, nil, [], theme, summary, details, completes: completion, .optional(placeholder: placeholder), scope,
        facts), .optionalValue(apply))
  }

  /// A flag that stands between sets of options.
  package init(
    separating name: String, short: Unicode.Scalar, in theme: Theme, summary: String, details: String,
    apply: @escaping @Sendable (inout Invocation) -> Void
  ) {
    self.init(FlagRow(name, short, [], theme, summary, details, .separator, .typed), .plain(apply))
  }

  /// A flag that names a file of options, which the parser has read by its `include` closure.
  package init(
    including name: String, short: Unicode.Scalar, value placeholder: String, in theme: Theme, summary: String,
    details: String
  ) {
    self.init(
      FlagRow(
        name, short, [], theme, summary, details, completes: { .file }, .inclusion(placeholder: placeholder), .typed),
      .inclusion)
  }

  /// A flag that asks a question, such as `--help`.
  package init(
    asking name: String, short: Unicode.Scalar, in theme: Theme, summary: String, details: String = "",
    apply: @escaping @Sendable (inout Invocation, Question) -> Void
  ) {
    self.init(FlagRow(name, short, [], theme, summary, details, .question, .typed), .question(apply))
  }
}
