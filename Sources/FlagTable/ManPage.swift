/// A manual page in man(7) macros: about some commands of a table, or about a file that they read.
package struct ManPage<Invocation> {
  package struct Heading: Sendable {
    let name: String
    let chapter: Chapter
    /// The phrase behind the name in the line that `whatis` reads.
    let purpose: String
    let date: String
    let source: String

    /// - Parameters:
    ///   - summary: a sentence.
    ///   - date: the date of the last change, `YYYY-MM-DD`.
    ///   - source: the program and its version.
    package init(_ name: String, _ chapter: Chapter, summary: String, date: String, source: String) {
      self.name = name
      self.chapter = chapter
      let phrase = Markup.plain(summary.hasSuffix(".") ? String(summary.dropLast()) : summary)
      self.purpose = phrase.prefix(1).lowercased() + phrase.dropFirst()
      self.date = date
      self.source = source
    }
  }

  /// The part of the manual that a page is in.
  package enum Chapter: String, Sendable {
    case commands = "1"
    case files = "5"

    fileprivate var title: String {
      switch self {
      case .commands: "User Commands"
      case .files: "File Formats"
      }
    }
  }

  /// The section that stands before the options of a theme.
  package typealias ThemeText = (theme: Theme, section: ManualSection)

  private let heading: Heading
  private let root: CommandPath<Invocation>
  private let commands: [CommandPath<Invocation>]
  private let synopsis: [String]
  private let rootPage: String
  private let themeTexts: [ThemeText]
  private let sectionsBefore: [ManualSection]
  private let sectionsAfter: [ManualSection]

  /// - Parameters:
  ///   - commands: the words that choose each command the page is about; no words choose `root`.
  ///   - synopsis: further lines of the synopsis.
  ///   - rootPage: the page that describes the options of `root`, in markup, if this one does not describe them.
  ///   - before: the sections between the synopsis and the options.
  ///   - after: the sections behind the commands.
  package init(
    _ heading: Heading, of root: Command<Invocation>, commands: [[String]] = [], synopsis: [String] = [],
    rootPage: String = "", themes: [ThemeText] = [], before: [ManualSection], after: [ManualSection]
  ) {
    self.heading = heading
    self.root = CommandPath(root)
    self.commands = commands.compactMap { CommandPath(root).descending(by: $0) }
    self.synopsis = synopsis
    self.rootPage = rootPage
    self.themeTexts = themes
    self.sectionsBefore = before
    self.sectionsAfter = after
  }

  package var text: String {
    var page = Roff()
    page.macro(
      "TH", heading.name.uppercased(), heading.chapter.rawValue, heading.date, heading.source, heading.chapter.title)
    page.macro("SH", "NAME")
    page.line(Roff.escape(heading.name) + " \\- " + Roff.escape(heading.purpose))
    addSynopsis(to: &page)
    for section in sectionsBefore { add(section, to: &page) }
    addOptions(to: &page)
    addCommands(to: &page)
    for section in sectionsAfter { add(section, to: &page) }
    return page.text
  }

  private func addSynopsis(to page: inout Roff) {
    let lines =
      commands.map { synopsis(of: $0) }
      + synopsis.map { line in
        let words = line.split(separator: " ")
        return words.map { word in
          let isPlaceholder = word.first.map { ("A"..."Z").contains($0) } ?? false
          return "\\f" + (isPlaceholder ? "I" : "B") + Roff.escape(String(word)) + "\\fR"
        }.joined(separator: " ")
      }
    guard !lines.isEmpty else { return }
    page.macro("SH", "SYNOPSIS")
    for (index, line) in lines.enumerated() {
      if index > 0 { page.macro("br") }
      page.line(line)
    }
  }

  private func synopsis(of path: CommandPath<Invocation>) -> String {
    let options = path.flags.isEmpty ? [] : ["[\\fIOPTIONS\\fR]"]
    let operands = path.last.operands.map { "\\fI" + Roff.escape($0.usage) + "\\fR" }
    return (["\\fB" + Roff.escape(path.words) + "\\fR"] + options + operands).joined(separator: " ")
  }

  // MARK: Options

  private var describesRoot: Bool { commands.contains { $0.commandWords.isEmpty } }

  /// The options that the section OPTIONS describes, so that the commands only name them: those of the root, or those
  /// that several commands share.
  private var generalOptions: [CommandPath<Invocation>.ThemedFlags] {
    if describesRoot { return root.flagsByTheme }
    let known = root.flags
    var seen: [Flag<Invocation>] = []
    var shared: [Flag<Invocation>] = []
    for flag in commands.flatMap(\.last.flags) where !known.hasRow(of: flag) {
      if !seen.hasRow(of: flag) {
        seen.append(flag)
      } else if !shared.hasRow(of: flag) {
        shared.append(flag)
      }
    }
    return shared.byTheme()
  }

  private func addOptions(to page: inout Roff) {
    let options = generalOptions
    guard !options.isEmpty else { return }
    page.macro("SH", "OPTIONS")
    for (theme, flags) in options {
      page.macro("SS", theme.title)
      if let section = themeTexts.first(where: { $0.theme == theme })?.section { addContent(of: section, to: &page) }
      for flag in flags { add(flag, to: &page) }
    }
  }

  // MARK: Commands

  private func addCommands(to page: inout Roff) {
    let below = commands.filter { !$0.commandWords.isEmpty }
    guard !below.isEmpty else { return }
    let general = generalOptions
    page.macro("SH", "COMMANDS")
    for command in below {
      page.macro("SS", command.words)
      page.line(synopsis(of: command))
      for text in [command.last.summary, command.last.details] + remarks(on: command, general) where !text.isEmpty {
        page.macro("PP")
        page.markup(text)
      }
      let told = root.flags + general.flatMap(\.flags)
      for flag in command.last.flags where !told.hasRow(of: flag) { add(flag, to: &page) }
    }
  }

  /// Returns sentences about a command's other names, and about which of the options that are described elsewhere it
  /// takes.
  private func remarks(
    on command: CommandPath<Invocation>, _ general: [CommandPath<Invocation>.ThemedFlags]
  ) -> [String] {
    var remarks: [String] = []
    if !command.last.aliases.isEmpty {
      remarks.append("Also spelt " + command.last.aliases.map { "`\($0)`" }.joined(separator: ", ") + ".")
    }
    let flags = command.last.flags
    if let words = Self.words(for: flags, among: general) { remarks.append("It takes \(words).") }
    if !describesRoot, let words = Self.words(for: flags, among: root.flagsByTheme) {
      remarks.append("From \(rootPage), it takes \(words).")
    }
    return remarks
  }

  /// Returns a phrase such as `the options under Request except --json, those under Freshness, and --location`.
  private static func words(
    for flags: [Flag<Invocation>], among catalogue: [CommandPath<Invocation>.ThemedFlags]
  ) -> String? {
    var themes: [String] = []
    var single: [String] = []
    for (theme, all) in catalogue {
      let taken = all.filter { flags.hasRow(of: $0) }
      let missing = all.filter { !flags.hasRow(of: $0) }
      if taken.count > 1, missing.count * 2 < taken.count {
        let exceptions = missing.isEmpty ? "" : " except " + listed(missing.map { "`--\($0.name)`" })
        themes.append("\(themes.isEmpty ? "the options" : "those") under \(theme.title)\(exceptions)")
      } else {
        single += taken.map { "`--\($0.name)`" }
      }
    }
    let parts = themes + single
    return parts.isEmpty ? nil : listed(parts)
  }

  private static func listed(_ parts: [String]) -> String {
    parts.count < 3
      ? parts.joined(separator: " and ") : parts.dropLast().joined(separator: ", ") + ", and " + (parts.last ?? "")
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

  // MARK: Sections

  private func add(_ section: ManualSection, to page: inout Roff) {
    page.macro("SH", section.title.uppercased())
    addContent(of: section, to: &page)
  }

  private func addContent(of section: ManualSection, to page: inout Roff) {
    page.markup(section.text)
    for term in section.terms {
      page.macro("TP")
      page.line("\\fB" + Roff.escape(Markup.plain(term.term)) + "\\fR")
      page.markup(term.meaning, paragraphMacro: "IP")
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
