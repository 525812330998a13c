import Foundation
import HTTPSemantics
import TestSupport
import Testing

@testable import FlagTable
@testable import Interface

@Suite("The table of commands and options is consistent")
struct TableTests {
  /// Every command with the words that choose it and the flags that it takes.
  static let commands: [(words: [String], command: Command<Invocation>, flags: [Flag<Invocation>])] = {
    func below(
      _ words: [String], _ command: Command<Invocation>, _ common: [Flag<Invocation>]
    ) -> [(words: [String], command: Command<Invocation>, flags: [Flag<Invocation>])] {
      let common = common + command.commonFlags
      return [(words, command, command.flags + common)]
        + command.subcommands.flatMap { below(words + [$0.name], $0, common) }
    }
    return below([], Commands.root, [])
  }()

  static let everyFlag = commands.flatMap(\.command.flags) + Commands.root.commonFlags

  @Test("No two flags of a command share a name or a letter")
  func uniqueNames() {
    for (words, _, flags) in Self.commands {
      let names = flags.flatMap { [$0.name] + $0.aliases + ($0.negatedName.map { [$0] } ?? []) }
      #expect(Set(names).count == names.count, "\(words)")
      let letters = flags.compactMap(\.short)
      #expect(Set(letters).count == letters.count, "\(words)")
    }
  }

  @Test("No two commands share a name")
  func uniqueCommands() {
    for (words, command, _) in Self.commands {
      let names = command.subcommands.flatMap { [$0.name] + $0.aliases }
      #expect(Set(names).count == names.count, "\(words)")
      #expect(names.allSatisfy { $0.utf8.allSatisfy { (0x61...0x7a).contains($0) || $0 == 0x2d } }, "\(words)")
    }
  }

  @Test("Texts refer only to flags that exist")
  func references() {
    for (words, command, flags) in Self.commands {
      let names = flags.map(\.name)
      let texts = [command.summary, command.details] + command.flags.flatMap { [$0.summary, $0.details] }
      for reference in texts.flatMap(Self.references) {
        #expect(names.contains(reference), "\(words)")
      }
    }
    let names = Self.commands[0].flags.map(\.name)
    for section in Self.sections {
      for reference in ([section.text] + section.terms.map(\.meaning)).flatMap(Self.references) {
        #expect(names.contains(reference), "\(section.title)")
      }
    }
  }

  /// The flags that a text refers to.
  private static func references(in text: String) -> [String] {
    Markup.blocks(of: text).flatMap { block -> [String] in
      guard case .paragraph(let inlines) = block else { return [] }
      return inlines.compactMap { if case .flag(let name) = $0 { name } else { nil } }
    }
  }

  /// The sections of the manual that are not made from the table.
  static let sections =
    ManualTopic.allCases.map(\.section) + [
      ManualText.description, ManualText.fetchEnvironment, ManualText.cacheDescription, ManualText.cacheExitStatus,
      ManualText.cacheExamples, ManualText.configDescription, ManualText.configFile, ManualText.networkStates,
      ManualText.storage, ManualText.configDiagnostics, ManualText.configExamples,
    ]

  @Test("A command line holds secrets exactly if one of its settings does")
  func secretsOfCommandLine() throws {
    let samples: [ArgumentText] = ["a:b", "a=b", "Authorization: x", "X-Mine: x", "Accept: x", "1"]
    var secretive: Set<String> = []
    for flag in Self.commands[0].flags where flag.shape != .none {
      for sample in samples {
        var noted: [Setting<Invocation>] = []
        var invocation = Invocation()
        let option = ArgumentText("--\(flag.name)=".utf8 + sample.bytes)
        try? CommandLineInterface.parse([option, "http://a/"], including: { _, _ in [] }, into: &invocation) {
          noted.append($0)
        }
        for listed in [[], ["X-Mine"]] as [[FieldName]] {
          let isSecret = noted.contains { setting in
            switch setting.secrecy(listed: listed) {
            case .all: true
            case .behind(let prefix): prefix < setting.value.bytes.count
            case .none, .possible, .inURL, .inText: false
            }
          }
          #expect(invocation.holdsSecrets(listed: listed) == isSecret, "--\(flag.name) \(sample.visible)")
          if isSecret { secretive.insert(flag.name) }
        }
      }
    }
    #expect(
      secretive == ["cert", "cookie", "header", "oauth2-bearer", "pass", "proxy-user", "store-header", "user"])
  }

  @Test("A summary is a sentence that fits a line")
  func summaries() {
    for flag in Self.everyFlag {
      #expect(flag.summary.hasSuffix("."), "\(flag.name)")
      #expect(Markup.plain(flag.summary).count <= 80, "\(flag.name)")
    }
  }

  @Test(
    "Options listed as another program's are not garner's, and their substitutes are",
    arguments: [(CurlOptions.absent, 150), (WgetOptions.absent, 100)])
  func foreignOptions(_ foreign: ForeignOptions, _ least: Int) {
    let flags = Self.commands[0].flags
    let names = flags.flatMap { [$0.name] + $0.aliases + ($0.negatedName.map { [$0] } ?? []) }
    #expect(foreign.options.count > least)
    for option in foreign.options {
      #expect(!names.contains(option.name), "\(option.name)")
      #expect(option.short == nil || !flags.map(\.short).contains(option.short), "\(option.name)")
      if case .flag(let nearest) = option.substitute { #expect(names.contains(nearest), "\(option.name)") }
    }
  }

  @Test("The manual names the options that cannot be set in a config file")
  func typedOptions() {
    let typed = Commands.root.flags.filter { $0.scope == .typed }
    #expect(!typed.isEmpty)
    for flag in typed { #expect(ManualText.configDescription.text.contains("`--\(flag.name)`"), "\(flag.name)") }
  }

  // MARK: Settings of the options

  static let settable = ConfigKeys.table().flags

  /// Values for options that want such text.
  private static let hexadecimal = ArgumentText(String(repeating: "0", count: 64))
  private static let metadata = ArgumentText("sha256-" + String(repeating: "A", count: 43) + "=")

  static func setting(of flag: Flag<Invocation>) -> Setting<Invocation>? {
    let words: [ArgumentText]
    switch (flag.shape, flag.completion) {
    case (.required, .choices(let choices)), (.required, .examples(let choices)):
      words = choices.suffix(1).map { ArgumentText($0) }
    case (.required, _):
      words = ["1", "a:b", "wifi=reload", "a:1:b:2", "a:1:127.0.0.1", "http", "https://a.test/", hexadecimal, metadata]
    case (.none, _), (.optional, _): return setting(of: flag, "yes")
    }
    return words.lazy.compactMap { setting(of: flag, $0) }.first
  }

  static func setting(of flag: Flag<Invocation>, _ value: ArgumentText) -> Setting<Invocation>? {
    var table = ConfigKeys.table()
    return try? table.setting(.init(name: ArgumentText(flag.name), value: value, line: 1), under: nil)
  }

  private static func result(of settings: Setting<Invocation>...) -> Invocation {
    settings.reduce(into: Invocation()) { try? $1.apply(to: &$0) }
  }

  @Test("If an option leaves nothing of another one, it claims that one's subject")
  func subjects() throws {
    let settings = try Self.settable.map { try #require(Self.setting(of: $0), "\($0.name)") }
    for (setting, other) in settings.flatMap({ setting in settings.map { (setting, $0) } }) {
      let isLost = Self.result(of: setting, other) == Self.result(of: other)
      guard setting.name != other.name, isLost, Self.result(of: setting) != Invocation() else { continue }
      #expect(setting.subjects.contains { other.claims.contains($0) }, "\(setting.name), \(other.name)")
    }
  }

  @Test("An option is its own subject, unless it is given once for each of several things")
  func ownSubjects() throws {
    for flag in Self.settable {
      let setting = try #require(Self.setting(of: flag))
      let isGivenForEach = [
        "header", "reachability-policy", "credential-field", "store-header", "strip-header", "tag", "resolve",
        "connect-to", "ignore-param",
      ].contains(flag.name)
      #expect(setting.subjects.contains(.flag(flag.name)) != isGivenForEach, "\(flag.name)")
    }
  }

  @Test("User information in a URL is secret in every option that takes a URL")
  func secretsInURLs() {
    let flags = Self.settable.filter { $0.shape == .required("URL") }
    #expect(!flags.isEmpty)
    for flag in flags {
      #expect(Self.setting(of: flag, "https://me:secret@a.test/")?.secrecy == .inURL, "\(flag.name)")
    }
  }

  @Test("The value of an option that mentions credentials is secret")
  func secrets() {
    let words = ["password", "credential", "token", "cookie"]
    let flags = Self.settable.filter { flag in
      // The name of a file is not secret.
      guard case .required(let placeholder) = flag.shape, flag.completion != .file else { return false }
      let text = (placeholder + flag.summary).lowercased()
      return words.contains { text.contains($0) }
    }
    #expect(!flags.isEmpty)
    for flag in flags { #expect(Self.setting(of: flag, "a:b")?.secrecy != Secrecy.none, "\(flag.name)") }
  }

  @Test("Values offered by completion are accepted")
  func choices() {
    for (words, _, flags) in Self.commands {
      for flag in flags {
        let choices: [String]
        switch flag.completion {
        case .choices(let words), .examples(let words): choices = words
        case .pairs(let names, let values): choices = names.flatMap { name in values.map { name + "=" + $0 } }
        case .none, .file, .fileBehindAt, .directory, .path, .output: continue
        }
        for choice in choices {
          let arguments = words + ["--\(flag.name)=\(choice)", "--version"]
          #expect(throws: Never.self) { try CommandLineInterface.parse(arguments.map { ArgumentText($0) }) }
        }
      }
    }
  }

  @Test("The help says whether the values offered by completion are all that exist")
  func openLists() {
    let text = CommandLineInterface.helpText(.command([]), .full, width: 100)
    #expect(text.contains("Example values are 200, 200,404, 2xx."))
    #expect(text.contains("The values are auto, always, never."))
  }

  @Test("Every help topic has a text")
  func topics() {
    for (words, command, _) in Self.commands where !command.isHidden {
      for form in [HelpForm.short, .full] {
        let text = CommandLineInterface.helpText(.command(words), form, width: 80)
        #expect(text.hasPrefix("Usage: " + (["garner"] + words).joined(separator: " ")))
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(words)")
      }
    }
    for topic in ManualTopic.allCases {
      let text = CommandLineInterface.helpText(.section(topic), .full, width: 80)
      #expect(!text.isEmpty && text.hasSuffix("\n"), "\(topic)")
      #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(topic)")
    }
  }

  @Test("The list of topics has every topic, every command and the manual, and each is accepted by help")
  func listOfTopics() {
    let words = ManualText.topics.terms.map { String($0.term.prefix { $0 != " " }) }
    let commands = Commands.root.visibleSubcommands.map(\.name)
    #expect(Set(words) == Set(ManualTopic.allCases.map(\.rawValue) + commands + [ManualPage.topic]))
    #expect(Set(words).count == words.count)
    let aliases = ManualTopic.allCases.flatMap(\.aliases)
    #expect(Set(words + aliases).count == words.count + aliases.count)
    for word in words + aliases {
      #expect(throws: Never.self, "\(word)") { try CommandLineInterface.parse(["help", ArgumentText(word)]) }
    }
    guard case .path(let steps) = Commands.helpCommand.operands[0].completion else {
      Issue.record("nothing is completed behind help")
      return
    }
    #expect(Set(steps.filter { $0.previous == nil }.flatMap(\.words)) == Set(words))
    #expect(steps.contains { $0.previous == "cache" && $0.words.contains("ls") })
    for step in steps {
      guard let previous = step.previous else { continue }
      for word in step.words {
        let arguments = ["help", previous, word].map { ArgumentText($0) }
        #expect(throws: Never.self, "\(word)") { try CommandLineInterface.parse(arguments) }
      }
    }
  }

  @Test("Every help topic but the lists is in the manual with the same text")
  func topicsInManual() {
    let pages = ManualPage.allCases.map(CommandLineInterface.text(of:))
    for topic in ManualTopic.allCases where topic != .topics && topic != .commands {
      let term = topic.section.terms.first?.meaning ?? topic.section.text
      var roff = Roff()
      roff.markup(term)
      #expect(pages.contains { $0.contains(roff.text) }, "\(topic)")
    }
  }

  @Test("Completion offers cache clear with its own options")
  func completionOfClear() {
    let script = BashCompletion(of: Commands.root).script
    #expect(script.contains("'garner cache:clear') REPLY='garner cache clear' ;;\n"))
    #expect(script.contains("'garner cache clear') REPLY='--dry-run --all --if-exists "))
  }

  @Test("The list of commands has every visible command")
  func listOfCommands() {
    let listed = Set(ManualText.commands.terms.map { $0.term.prefix { !"[ABCDEFGHIJKLMNOPQRSTUVWXYZ".contains($0) } })
    let told = Self.commands.filter { !$0.command.isHidden && $0.command.select != nil && !$0.words.isEmpty }
    #expect(
      Set(told.map { $0.words.joined(separator: " ") }) == Set(listed.map { $0.trimmingCharacters(in: .whitespaces) }))
  }

  @Test("The list of commands shows the operands that each command's own help shows")
  func synopses() {
    for (words, command, _) in Self.commands where !command.isHidden && command.select != nil && !words.isEmpty {
      let help = CommandLineInterface.helpText(.command(words), .short, width: 100)
      let usage = help.prefix { $0 != "\n" }.replacing("Usage: garner ", with: "").replacing(" [OPTIONS]", with: "")
      #expect(ManualText.commands.terms.contains { $0.term == usage }, "\(usage)")
    }
  }

  @Test("The exit statuses are in the manual, each once and in order")
  func exitStatuses() {
    let numbers = ExitStatus.allCases.map(\.rawValue)
    #expect(numbers == numbers.sorted())
    let page = CommandLineInterface.text(of: .garner)
    for status in ExitStatus.allCases {
      #expect(page.contains(".TP\n\\fB\(status.rawValue)\\fR\n"))
    }
  }

  @Test(
    "Groff formats a manual page without a warning", .enabled(if: Machine.has("groff"), "There is no groff."),
    arguments: ManualPage.allCases)
  func formattedPage(_ page: ManualPage) throws {
    try hasNothingToSay(["groff", "-ww", "-man", "-Tutf8", "-z"], of: CommandLineInterface.text(of: page))
  }

  @Test(
    "Mandoc finds no fault in a manual page", .enabled(if: Machine.has("mandoc"), "There is no mandoc."),
    arguments: ManualPage.allCases)
  func lintedPage(_ page: ManualPage) throws {
    try hasNothingToSay(["mandoc", "-T", "lint", "-W", "warning"], of: CommandLineInterface.text(of: page))
  }

  @Test("A manual page has the usual sections in their order, and refers to the other pages")
  func sectionsOfPages() {
    let order = [
      "NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "COMMANDS", "EXIT STATUS", "ENVIRONMENT", "FILES", "DIAGNOSTICS",
      "STANDARDS", "EXAMPLES", "SEE ALSO",
    ]
    for page in ManualPage.allCases {
      let text = CommandLineInterface.text(of: page)
      let headings = text.split(separator: "\n").filter { $0.hasPrefix(".SH ") }.map { $0.dropFirst(5).dropLast() }
      let known = headings.filter { order.contains(String($0)) }.map(String.init)
      #expect(known == order.filter(known.contains), "\(page)")
      #expect(Set(known).isSuperset(of: ["NAME", "SYNOPSIS", "DESCRIPTION", "EXAMPLES", "SEE ALSO"]), "\(page)")
      #expect(Set(headings).count == headings.count, "\(page)")
      let name = Roff.escape(page.rawValue)
      // The form that lexgrog(1) reads for whatis(1).
      #expect(text.contains(".SH \"NAME\"\n\(name) \\- "), "\(page)")
      let others = ManualPage.allCases.filter { $0 != page }.map { "\\fB\(Roff.escape($0.rawValue))\\fR(" }
      let end = text[(text.range(of: "SEE ALSO")?.lowerBound ?? text.endIndex)...]
      #expect(others.allSatisfy { end.contains($0) }, "\(page)")
    }
  }

  @Test("Each option is described in full once in the manual pages of the commands")
  func optionsOnce() {
    for page in [ManualPage.garner, .cache] {
      let lines = CommandLineInterface.text(of: page).split(separator: "\n", omittingEmptySubsequences: false)
      let labels = zip(lines, lines.dropFirst()).filter { $0.0 == ".TP" && $0.1.contains("\\-\\-") }.map { $0.1 }
      // Options of one name may mean something else for each command.
      let twice = Dictionary(grouping: labels, by: { $0 }).filter { $0.value.count > 1 }.keys
      #expect(twice.allSatisfy { $0.contains("all") || $0.contains("json") }, "\(page): \(twice)")
    }
    let cache = CommandLineInterface.text(of: .cache).split(separator: "\n").joined(separator: " ")
    #expect(cache.contains("It takes the options under Selection"))
    #expect(cache.contains("From \\fBgarner\\fR(1), it takes the options under Request except"))
  }

  @Test("bash can read its completion script", .enabled(if: Machine.has("bash"), "There is no bash."))
  func bashScript() throws { try canRead(.bash, ["--norc", "-n"]) }

  @Test("zsh can read its completion script", .enabled(if: Machine.has("zsh"), "There is no zsh."))
  func zshScript() throws { try canRead(.zsh, ["-f", "-n"]) }

  @Test("fish can read its completion script", .enabled(if: Machine.has("fish"), "There is no fish."))
  func fishScript() throws { try canRead(.fish, ["--no-config", "-n"]) }

  private func canRead(_ shell: Interface.Shell, _ options: [String]) throws {
    let script = CommandLineInterface.completionScript(shell)
    #expect(script.contains("cache-policy"))
    try hasNothingToSay([shell.rawValue] + options + ["/dev/stdin"], of: script)
  }

  private func hasNothingToSay(_ command: [String], of text: String) throws {
    var run = ToolRun(Array(command.dropFirst()), home: try TemporaryDirectory("linter"))
    run.executable = try #require(installedProgram(command[0]), "There is no \(command[0]).")
    run.stdin = .bytes(Array(text.utf8))
    let result = try run.run()
    #expect(result.succeeded && result.outputText == "" && result.errorText == "")
  }
}
