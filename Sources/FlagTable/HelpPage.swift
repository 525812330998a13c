/// How much a help page says.
package enum HelpForm: Equatable, Sendable {
  /// One line for each flag.
  case short
  /// With the details of every flag.
  case full
}

/// The help on a command that `-h` and `--help` print.
package struct HelpPage<Invocation> {
  static var labelIndent: Int { 2 }
  static var detailIndent: Int { 8 }
  static var summaryColumn: Int { 30 }

  private let path: CommandPath<Invocation>
  private let width: Int

  /// - Parameters:
  ///   - words: the names of the commands below `root` that lead to the one to describe.
  ///   - width: columns of the terminal.
  /// - Returns: `nil` if there is no such command.
  package init?(of root: Command<Invocation>, words: [String] = [], width: Int) {
    guard let path = CommandPath(root).descending(by: words) else { return nil }
    self.path = path
    self.width = width
  }

  package func text(_ form: HelpForm) -> String {
    var layout = TextLayout(width: width)
    layout.paragraph("Usage: " + path.usage)
    layout.line()
    layout.paragraph(Markup.plain(path.last.summary))
    if form == .full, !path.last.details.isEmpty {
      layout.line()
      layout.markup(path.last.details)
    }
    addCommands(to: &layout)
    for (theme, flags) in path.flagsByTheme {
      layout.line()
      layout.line(theme.title + ":")
      for (index, flag) in flags.enumerated() {
        switch form {
        case .short:
          addLine(flag, to: &layout)
        case .full:
          if index > 0 { layout.line() }
          layout.details(of: flag)
        }
      }
    }
    if form == .short {
      layout.line()
      layout.paragraph("See '\(path.words) --help' for details.")
    }
    return layout.text
  }

  /// Returns all that is known of one flag of the command.
  package func text(ofFlag name: String) -> String {
    var layout = TextLayout(width: width)
    if let flag = path.flags.first(where: { $0.name == name }) { layout.details(of: flag) }
    return layout.text
  }

  private func addCommands(to layout: inout TextLayout) {
    let commands = path.withDescendants.dropFirst().filter { $0.last.select != nil }
    guard !commands.isEmpty else { return }
    layout.line()
    layout.line("Commands:")
    for command in commands {
      let label = ([command.words] + command.last.operands.map(\.usage)).joined(separator: " ")
      layout.entry(
        label, Markup.plain(command.last.summary), indent: Self.labelIndent, column: Self.summaryColumn)
    }
  }

  private func addLine(_ flag: Flag<Invocation>, to layout: inout TextLayout) {
    layout.entry(flag.label, Markup.plain(flag.summary), indent: Self.labelIndent, column: Self.summaryColumn)
    if let (spelling, summary) = flag.listedNegation {
      layout.entry(
        "    " + spelling, Markup.plain(summary), indent: Self.labelIndent, column: Self.summaryColumn)
    }
  }
}

extension TextLayout {
  mutating func details<Invocation>(of flag: Flag<Invocation>) {
    let indent = HelpPage<Invocation>.detailIndent
    line(flag.label, indent: HelpPage<Invocation>.labelIndent)
    for (index, text) in ([flag.summary, flag.details] + flag.remarks).enumerated() where !text.isEmpty {
      if index > 0 { line() }
      markup(text, indent: indent)
    }
  }
}

extension Command {
  /// Returns the long name of an option of a command.
  ///
  /// - Parameters:
  ///   - words: the words that lead from this command to the one with the option.
  ///   - word: any name of the option, its negation or its letter, with or without hyphens before it.
  package func optionName(_ word: ArgumentText, of words: [String]) -> String? {
    let name = word.bytes.drop { $0 == .hyphen }
    let positive = Negation.positive(of: name)
    return CommandPath(self).descending(by: words)?.flags.first { flag in
      flag.isNamed(name) || name.count == 1 && flag.short == name.first
        || positive.map { flag.negation != nil && flag.isNamed($0) } == true
    }?.name
  }

  /// Returns the name that was probably meant by a word that names no option.
  ///
  /// - Parameters: as of `optionName`.
  package func nearestOptionName(_ word: ArgumentText, of words: [String]) -> String? {
    let flags = CommandPath(self).descending(by: words)?.flags ?? []
    return Suggestion.nearest(to: word.bytes.drop { $0 == .hyphen }, among: flags.flatMap { [$0.name] + $0.aliases })
  }
}

/// The text of a help topic: a section of the manual, and the flags that it is about.
package struct TopicPage<Invocation> {
  private let section: ManualSection
  private let flags: [Flag<Invocation>]

  package init(_ section: ManualSection, flags: [Flag<Invocation>]) {
    self.section = section
    self.flags = flags
  }

  /// - Parameter width: columns of the terminal.
  package func text(width: Int) -> String {
    var layout = TextLayout(width: width)
    layout.markup(section.text)
    if !section.terms.isEmpty, !section.text.isEmpty { layout.line() }
    let longest = section.terms.map { Markup.plain($0.term).count }.max() ?? 0
    let column = min(longest + 4, HelpPage<Invocation>.summaryColumn)
    for term in section.terms {
      layout.entry(
        Markup.plain(term.term), Markup.plain(term.meaning), indent: HelpPage<Invocation>.labelIndent, column: column)
    }
    for flag in flags {
      layout.line()
      layout.details(of: flag)
    }
    return layout.text
  }
}

extension Flag {
  /// The flag as help texts list it: `-o, --output FILE`.
  var label: String {
    let letter = short.map { "-" + String(UnicodeScalar($0)) + ", " } ?? "    "
    let value =
      switch shape {
      case .none: ""
      case .required(let placeholder): " " + placeholder
      case .optional(let placeholder): "[=" + placeholder + "]"
      }
    return letter + "--" + name + value
  }

  /// Sentences that follow from the table, so that the details need not say them.
  var remarks: [String] {
    var remarks: [String] = []
    switch completion {
    case .choices(let words):
      let verb = words.count == 1 ? "The only value is " : "The values are "
      remarks.append(verb + words.map { "`\($0)`" }.joined(separator: ", ") + ".")
    case .examples(let words):
      remarks.append("Example values are " + words.map { "`\($0)`" }.joined(separator: ", ") + ".")
    case .none, .file, .fileBehindAt, .directory, .pairs, .path, .output:
      break
    }
    switch negation {
    case .listed(let summary): remarks.append("`--\(Negation.name(of: name))`: " + summary)
    case .accepted: remarks.append("`--\(Negation.name(of: name))` turns it off.")
    case nil: break
    }
    if !aliases.isEmpty {
      remarks.append("Also spelt " + aliases.map { "`--\($0)`" }.joined(separator: ", ") + ".")
    }
    return remarks
  }
}
