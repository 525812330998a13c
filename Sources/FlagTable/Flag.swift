/// The heading under which flags are listed in help texts and in the manual.
package struct Theme: Equatable, Sendable {
  package let title: String

  package init(_ title: String) {
    self.title = title
  }
}

/// What a shell offers where a value or an operand is typed.
package enum ValueCompletion: Equatable, Sendable {
  case none
  case file
  /// Where the value begins with `@`, the name of a file behind it.
  case fileBehindAt
  case directory
  case choices([String])
  /// Some of the values that there are.
  case examples([String])
  /// A word of the first, an equals sign and a word of the second, all of which the details tell.
  case pairs([String], [String])
  /// Of operands, the words of the first, and behind some of them those of the second.
  case path([CompletionStep])
  /// The lines that the program itself prints where it is given these words, `--`, and what has been typed.
  case output(of: [String])
}

/// The words that a shell offers at one place.
package struct CompletionStep: Equatable, Sendable {
  /// The word before it; `nil` for the first place.
  package let before: String?
  package let words: [String]

  package init(behind before: String? = nil, _ words: [String]) {
    self.before = before
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

/// How and where something was asked for.
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

/// How the helps speak of `--no-NAME`.
package enum Negation: Equatable, Sendable {
  /// In a line of its own, with this summary.
  case listed(String)
  /// Accepted, and said in the details.
  case accepted
}

/// What the parser found beside a flag's name.
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

/// What a flag is followed by, and what becomes of the parsing.
package enum FlagKind: Equatable, Sendable {
  case plain
  /// Also spelt `--no-NAME`.
  case toggle(Negation)
  case required(placeholder: String)
  case optional(placeholder: String)
  /// As `required`; on the command line, `@FILE` stands for one in each line of FILE.
  case listable(placeholder: String)
  /// Asks to be told something instead of a run: the parser stops at it, and nothing is missing any more.
  case question
  /// Begins a new set of options, for the operands behind it; those before it have their own.
  case separator
  /// Names a file of further options, which count as if they were typed in its place.
  case inclusion(placeholder: String)
}

/// One flag, whole: what the parser accepts, what the helps and the manual say, what the shells complete.
///
/// `details` is markup: paragraphs are separated by empty lines, `` `literal` `` is set off, `\flag{name}` refers to
/// another flag, and lines indented by four columns are an example.
package struct Flag<Invocation>: Sendable {
  package let name: String
  package let short: UInt8?
  package let aliases: [String]
  package let theme: Theme
  package let summary: String
  package let details: String
  package let completion: ValueCompletion
  package let isHidden: Bool
  package let kind: FlagKind
  package let scope: SettingScope
  /// `nil` where a setting is about nothing but its flag, and no secret.
  let facts: SettingFacts.OfValue?
  /// Checks what was given and notes it, nothing else; the parser adds the flag's name to the error.
  let apply: @Sendable (inout Invocation, Given) throws(InvalidValue) -> Void

  package var shape: ValueShape {
    switch kind {
    case .plain, .toggle, .question, .separator: .none
    case .required(let placeholder), .listable(let placeholder), .inclusion(let placeholder): .required(placeholder)
    case .optional(let placeholder): .optional(placeholder)
    }
  }

  package var negation: Negation? {
    if case .toggle(let negation) = kind { negation } else { nil }
  }

  /// Whether `--` followed by `spelling` is this flag; only exact names are.
  func isNamed(_ spelling: ArraySlice<UInt8>) -> Bool {
    Self.equal(name, spelling) || aliases.contains { Self.equal($0, spelling) }
  }

  /// Whether an option that was typed, with its dashes, is this flag.
  func isSpelt(_ option: String) -> Bool {
    let bytes = Array(option.utf8)
    guard bytes.count > 2 else { return bytes.count == 2 && bytes[1] == short }
    let name = bytes[2...]
    return isNamed(name) || (negation != nil && name.starts(with: "no-".utf8) && isNamed(name.dropFirst(3)))
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
    summary: String, details: String = "", isHidden: Bool = false,
    apply: @escaping @Sendable (inout Invocation) -> Void
  ) {
    self.init(
      name: name, short: short.map { UInt8(ascii: $0) }, aliases: aliases, theme: theme, summary: summary,
      details: details, completion: .none, isHidden: isHidden, kind: .plain, scope: scope, facts: facts,
      apply: { invocation, _ in apply(&invocation) })
  }

  /// A flag that `--no-NAME` takes back.
  package init(
    _ name: String, short: Unicode.Scalar? = nil, aliases: [String] = [], negation: Negation, in theme: Theme,
    scope: SettingScope = .operand, facts: SettingFacts.OfValue? = nil,
    summary: String, details: String = "",
    apply: @escaping @Sendable (inout Invocation, Bool) -> Void
  ) {
    self.init(
      name: name, short: short.map { UInt8(ascii: $0) }, aliases: aliases, theme: theme, summary: summary,
      details: details, completion: .none, isHidden: false, kind: .toggle(negation), scope: scope,
      facts: facts,
      apply: { invocation, given in apply(&invocation, given != .on(false)) })
  }

  /// A flag with a value, spelt `--name VALUE`, `--name=VALUE`, `-n VALUE` or `-nVALUE`.
  package init(
    _ name: String, short: Unicode.Scalar? = nil, value placeholder: String, aliases: [String] = [],
    completes completion: ValueCompletion = .none, in theme: Theme,
    scope: SettingScope = .operand, facts: SettingFacts.OfValue? = nil,
    summary: String, details: String = "", isHidden: Bool = false,
    apply: @escaping @Sendable (inout Invocation, ArgumentText) throws(InvalidValue) -> Void
  ) {
    self.init(
      name: name, short: short.map { UInt8(ascii: $0) }, aliases: aliases, theme: theme, summary: summary,
      details: details, completion: completion, isHidden: isHidden,
      kind: .required(placeholder: placeholder), scope: scope, facts: facts,
      apply: { invocation, given throws(InvalidValue) in try apply(&invocation, given.text ?? "") })
  }

  /// A flag that is given once for each of several things, spelt as one with a value, or `--name @FILE` for all lines
  /// of FILE.
  package init(
    _ name: String, short: Unicode.Scalar? = nil, listable placeholder: String, aliases: [String] = [],
    in theme: Theme, scope: SettingScope = .operand, facts: SettingFacts.OfValue? = nil,
    summary: String, details: String = "",
    apply: @escaping @Sendable (inout Invocation, ArgumentText) throws(InvalidValue) -> Void
  ) {
    self.init(
      name: name, short: short.map { UInt8(ascii: $0) }, aliases: aliases, theme: theme, summary: summary,
      details: details, completion: .fileBehindAt, isHidden: false, kind: .listable(placeholder: placeholder),
      scope: scope, facts: facts,
      apply: { invocation, given throws(InvalidValue) in try apply(&invocation, given.text ?? "") })
  }

  /// A flag whose value may be left out, spelt `--name` or `--name=VALUE`.
  package init(
    _ name: String, optionalValue placeholder: String, aliases: [String] = [],
    completes completion: ValueCompletion = .none, in theme: Theme,
    scope: SettingScope = .operand, facts: SettingFacts.OfValue? = nil,
    summary: String, details: String = "",
    apply: @escaping @Sendable (inout Invocation, ArgumentText?) throws(InvalidValue) -> Void
  ) {
    self.init(
      name: name, short: nil, aliases: aliases, theme: theme, summary: summary, details: details,
      completion: completion, isHidden: false, kind: .optional(placeholder: placeholder),
      scope: scope, facts: facts,
      apply: { invocation, given throws(InvalidValue) in try apply(&invocation, given.text) })
  }

  /// A flag that stands between sets of options.
  package init(
    separating name: String, short: Unicode.Scalar? = nil, in theme: Theme, summary: String, details: String = "",
    apply: @escaping @Sendable (inout Invocation) -> Void
  ) {
    self.init(
      name: name, short: short.map { UInt8(ascii: $0) }, aliases: [], theme: theme, summary: summary,
      details: details, completion: .none, isHidden: false, kind: .separator, scope: .typed, facts: nil,
      apply: { invocation, _ in apply(&invocation) })
  }

  /// A flag that names a file of options; the parser is told how to read it.
  package init(
    including name: String, short: Unicode.Scalar? = nil, value placeholder: String, in theme: Theme,
    summary: String, details: String = ""
  ) {
    self.init(
      name: name, short: short.map { UInt8(ascii: $0) }, aliases: [], theme: theme, summary: summary,
      details: details, completion: .file, isHidden: false, kind: .inclusion(placeholder: placeholder),
      scope: .typed, facts: nil, apply: { _, _ in })
  }

  /// A flag that asks a question, such as `--help`.
  package init(
    asking name: String, short: Unicode.Scalar? = nil, in theme: Theme, summary: String, details: String = "",
    apply: @escaping @Sendable (inout Invocation, Question) -> Void
  ) {
    self.init(
      name: name, short: short.map { UInt8(ascii: $0) }, aliases: [], theme: theme, summary: summary,
      details: details, completion: .none, isHidden: false, kind: .question,
      scope: .typed, facts: nil,
      apply: { invocation, given in
        if case .question(let question) = given { apply(&invocation, question) }
      })
  }
}
