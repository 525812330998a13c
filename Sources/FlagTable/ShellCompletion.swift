// What the three shells' completions have in common.

extension Flag {
  /// What a user may type for this flag, without a value.
  var spellings: [String] {
    let letter = short.map { ["-" + String(UnicodeScalar($0))] } ?? []
    return letter + ([name] + aliases).map { "--" + $0 }
  }

  /// The spelling that takes the flag back, where it is told of.
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

  /// The names of the commands below, with their aliases, and where each leads.
  var steps: [(words: [String], path: CommandPath)] {
    last.visibleSubcommands.map { ([$0.name] + $0.aliases, descending(to: $0)) }
  }

  /// The path as the name of a shell function: `_garner_cache_ls`.
  var functionName: String {
    "_" + commands.map(\.name).joined(separator: "_")
  }
}

/// What all three shells read alike.
enum ShellText {
  /// `text` as one word of any of the three shells.
  static func quote(_ text: String) -> String {
    "'" + text.reduce(into: "") { $0 += $1 == "'" ? "'\\''" : String($1) } + "'"
  }

  /// A summary as menus show it: one phrase without the full stop.
  static func menuText(_ summary: String) -> String {
    let text = Markup.plain(summary)
    return text.hasSuffix(".") ? String(text.dropLast()) : text
  }
}
