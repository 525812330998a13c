// What the three shells' completions have in common.

extension Flag {
  /// The spellings that a user may type for this flag, without a value.
  var spellings: [String] {
    let letter = short.map { ["-" + String(UnicodeScalar($0))] } ?? []
    return letter + ([name] + aliases).map { "--" + $0 }
  }

  /// The spelling that takes the flag back, if help texts list it.
  var listedNegation: (spelling: String, summary: String)? {
    if case .listed(let summary) = negation { ("--" + Negation.name(of: name), summary) } else { nil }
  }
}

extension ValueCompletion {
  static func pairs(of names: [String], _ values: [String]) -> [String] {
    names.flatMap { name in values.map { name + "=" + $0 } }
  }
}

extension CommandPath {
  /// The options whose value is the next argument.
  var spellingsBeforeValue: [String] {
    flags.flatMap { flag -> [String] in
      if case .required = flag.shape { flag.spellings } else { [] }
    }
  }

  /// The options that completion scripts pass on to the program when they call it: those that all commands share,
  /// except for questions.
  var commonOptions: CommonOptions {
    var (beforeValue, others): ([String], [String]) = ([], [])
    for flag in last.commonFlags where flag.kind != .question {
      if case .required = flag.shape {
        beforeValue += flag.spellings
      } else {
        others += flag.spellings + (flag.negatedName.map { ["--" + $0] } ?? [])
      }
    }
    return CommonOptions(
      beforeValue: beforeValue, others: others, allBeforeValue: withDescendants.flatMap(\.spellingsBeforeValue))
  }

  /// The names of the commands below, with their aliases, and where each leads.
  var steps: [(words: [String], path: CommandPath)] {
    last.visibleSubcommands.map { ([$0.name] + $0.aliases, descending(to: $0)) }
  }

  /// The path as the name of a shell function: `_garner_cache_ls`.
  var functionName: String {
    "_" + commands.map(\.name).joined(separator: "_")
  }
}

/// The options that completion scripts look for in the whole line, whatever its command.
struct CommonOptions {
  /// The options whose value is the next word.
  let beforeValue: [String]
  let others: [String]
  /// The letters of options that take a value, of all commands.
  let lettersBeforeValue: [String]

  var spellings: [String] { beforeValue + others }
  var letters: [String] { Self.letters(of: others) }

  init(beforeValue: [String], others: [String], allBeforeValue: [String]) {
    self.beforeValue = beforeValue
    self.others = others
    var distinct: [String] = []
    for letter in Self.letters(of: allBeforeValue) where !distinct.contains(letter) { distinct.append(letter) }
    lettersBeforeValue = distinct
  }

  private static func letters(of spellings: [String]) -> [String] {
    spellings.filter { $0.utf8.count == 2 }.map { String($0.dropFirst()) }
  }
}

/// Text in a form that all three shells read alike.
enum ShellText {
  /// Returns `text` as one word for any of the three shells.
  static func quote(_ text: String) -> String {
    "'" + text.reduce(into: "") { $0 += $1 == "'" ? "'\\''" : String($1) } + "'"
  }

  /// A summary as menus show it: one phrase without the full stop.
  static func menuText(_ summary: String) -> String {
    let text = Markup.plain(summary)
    return text.hasSuffix(".") ? String(text.dropLast()) : text
  }
}
