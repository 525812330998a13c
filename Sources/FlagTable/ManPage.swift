/// The manual page of a command and everything below it, in the man(7) macros.
package struct ManPage<Invocation> {
  private let root: Command<Invocation>
  private let date: String
  private let source: String
  private let sectionsBefore: [ManualSection]
  private let sectionsAfter: [ManualSection]

  /// - Parameters:
  ///   - date: of the last change, `YYYY-MM-DD`.
  ///   - source: the program and its version.
  ///   - before: what stands between the synopsis and the options.
  ///   - after: what follows the commands.
  package init(
    of root: Command<Invocation>, date: String, source: String, before: [ManualSection], after: [ManualSection]
  ) {
    self.root = root
    self.date = date
    self.source = source
    self.sectionsBefore = before
    self.sectionsAfter = after
  }

  package var text: String {
    let path = CommandPath(root)
    var page = Roff()
    page.macro("TH", root.name.uppercased(), "1", date, source, "User Commands")
    page.macro("SH", "NAME")
    page.line(Roff.escape(root.name) + " \\- " + Roff.escape(Markup.plain(root.summary).loweringFirst))
    addSynopsis(path, to: &page)
    for section in sectionsBefore { add(section, to: &page) }
    page.macro("SH", "OPTIONS")
    for (theme, flags) in path.flagsByTheme {
      page.macro("SS", theme.title)
      for flag in flags { add(flag, to: &page) }
    }
    addCommands(path, to: &page)
    for section in sectionsAfter { add(section, to: &page) }
    return page.text
  }

  private func addSynopsis(_ path: CommandPath<Invocation>, to page: inout Roff) {
    page.macro("SH", "SYNOPSIS")
    for (index, command) in path.withDescendants.filter({ $0.last.select != nil }).enumerated() {
      if index > 0 { page.macro("br") }
      page.line(synopsis(of: command))
    }
  }

  private func synopsis(of path: CommandPath<Invocation>) -> String {
    let options = path.visibleFlags.isEmpty ? [] : ["[\\fIOPTIONS\\fR]"]
    let operands = path.last.operands.map { "\\fI" + Roff.escape($0.usage) + "\\fR" }
    return (["\\fB" + Roff.escape(path.words) + "\\fR"] + options + operands).joined(separator: " ")
  }

  private func addCommands(_ path: CommandPath<Invocation>, to page: inout Roff) {
    let commands = path.withDescendants.dropFirst().filter { $0.last.select != nil }
    guard !commands.isEmpty else { return }
    page.macro("SH", "COMMANDS")
    for command in commands {
      page.macro("SS", command.words)
      page.line(synopsis(of: command))
      page.macro("PP")
      page.markup(command.last.summary)
      if !command.last.details.isEmpty {
        page.macro("PP")
        page.markup(command.last.details)
      }
      if !command.last.aliases.isEmpty {
        page.macro("PP")
        page.markup("Also spelt " + command.last.aliases.map { "`\($0)`" }.joined(separator: ", ") + ".")
      }
      for flag in command.last.flags where !flag.isHidden { add(flag, to: &page) }
    }
  }

  private func add(_ flag: Flag<Invocation>, to page: inout Roff) {
    page.macro("TP")
    page.line(flag.roffLabel)
    page.markup(flag.summary)
    for text in [flag.details] + flag.remarks where !text.isEmpty {
      page.macro("IP")
      page.markup(text, paragraphMacro: "IP")
    }
  }

  private func add(_ section: ManualSection, to page: inout Roff) {
    page.macro("SH", section.title.uppercased())
    page.markup(section.text)
    for term in section.terms {
      page.macro("TP")
      page.line("\\fB" + Roff.escape(Markup.plain(term.term)) + "\\fR")
      page.markup(term.meaning, paragraphMacro: "IP")
    }
  }
}

/// Text of a manual page under construction.
struct Roff {
  /// Longer lines of source are a fault to mandoc's lint.
  private static let sourceWidth = 80
  private static let exampleIndent = "    "

  private(set) var text = ""

  mutating func macro(_ name: String, _ arguments: String...) {
    let quoted = arguments.map { " \"" + Self.escape($0, hyphens: false) + "\"" }
    text += "." + name + quoted.joined() + "\n"
  }

  /// A line whose text is escaped already.
  mutating func line(_ line: String) {
    // A control character in the first column would make it a request.
    let isRequest = line.first == "." || line.first == "'"
    text += (isRequest ? "\\&" : "") + line + "\n"
  }

  mutating func markup(_ source: String, paragraphMacro: String = "PP") {
    for (index, block) in Markup.blocks(of: source).enumerated() {
      switch block {
      case .paragraph(let inlines):
        if index > 0 { macro(paragraphMacro) }
        for sentence in Self.sentences(Self.render(inlines)) {
          for part in TextLayout.wrap(String(sentence), to: Self.sourceWidth) { line(part) }
        }
      case .example(let lines):
        macro(paragraphMacro)
        macro("nf")
        for example in lines { line(Self.exampleIndent + Self.escape(example)) }
        macro("fi")
      }
    }
  }

  private static func render(_ inlines: [Markup.Inline]) -> String {
    inlines.reduce(into: "") { text, inline in
      switch inline {
      case .text(let prose): text += escape(prose, hyphens: false)
      case .literal(let literal): text += "\\fB" + escape(literal) + "\\fR"
      case .flag(let name): text += "\\fB" + escape("--" + name) + "\\fR"
      }
    }
  }

  /// A sentence a line, as the formatter wants to space them itself.
  static func sentences(_ text: String) -> [Substring] {
    var sentences: [Substring] = []
    var start = text.startIndex
    var previous: Character = " "
    for index in text.indices {
      if text[index] == " ", previous == ".", !endsInAbbreviation(text[start..<index]) {
        sentences.append(text[start..<index])
        start = text.index(after: index)
      }
      previous = text[index]
    }
    sentences.append(text[start...])
    return sentences.filter { !$0.isEmpty }
  }

  private static func endsInAbbreviation(_ text: Substring) -> Bool {
    ["e.g.", "i.e.", "etc.", "..."].contains { text.hasSuffix($0) }
  }

  /// - Parameter hyphens: whether `-` is the character that a user types, not one that joins words.
  static func escape(_ text: String, hyphens: Bool = true) -> String {
    text.reduce(into: "") { escaped, character in
      switch character {
      case "\\": escaped += "\\e"
      case "-" where hyphens: escaped += "\\-"
      case "'": escaped += "\\(aq"
      case "\"": escaped += "\\(dq"
      case "`": escaped += "\\(ga"
      case "^": escaped += "\\(ha"
      case "~": escaped += "\\(ti"
      default: escaped.append(character)
      }
    }
  }
}

extension Flag {
  fileprivate var roffLabel: String {
    let letter = short.map { "\\fB\\-" + Roff.escape(String(UnicodeScalar($0))) + "\\fR, " } ?? ""
    let long = "\\fB" + Roff.escape("--" + name) + "\\fR"
    return switch shape {
    case .none: letter + long
    case .required(let placeholder): letter + long + " \\fI" + Roff.escape(placeholder) + "\\fR"
    case .optional(let placeholder): letter + long + "[=\\fI" + Roff.escape(placeholder) + "\\fR]"
    }
  }
}

extension String {
  fileprivate var loweringFirst: String {
    let text = hasSuffix(".") ? dropLast() : self[...]
    return text.prefix(1).lowercased() + text.dropFirst()
  }
}
