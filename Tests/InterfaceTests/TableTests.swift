import FlagTable
import Foundation
import Testing

@testable import Interface

@Suite("The table is sound")
struct TableTests {
  /// Every command with the flags that it takes, by the words that choose it.
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
      let names = flags.flatMap { [$0.name] + $0.aliases + ($0.negation == nil ? [] : ["no-" + $0.name]) }
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

  @Test("A text refers to flags that there are")
  func references() {
    for (words, command, flags) in Self.commands {
      let names = flags.map(\.name)
      let texts = [command.summary, command.details] + command.flags.flatMap { [$0.summary, $0.details] }
      for reference in texts.flatMap(Markup.references) {
        #expect(names.contains(reference), "\(words)")
      }
    }
    let names = Self.commands[0].flags.map(\.name)
    let sections =
      [ManualText.description, ManualText.caching, ManualText.configFile, ManualText.commands] + ManualText.after
    for reference in sections.flatMap({ [$0.text] + $0.terms.map(\.meaning) }).flatMap(Markup.references) {
      #expect(names.contains(reference))
    }
  }

  @Test("A summary is a sentence that fits a line")
  func summaries() {
    for flag in Self.everyFlag {
      #expect(flag.summary.hasSuffix("."), "\(flag.name)")
      #expect(Markup.plain(flag.summary).count <= 80, "\(flag.name)")
    }
  }

  @Test("Only flags that garner does not have are called curl's, and what is named as the nearest is garner's")
  func foreignOptions() {
    let flags = Self.commands[0].flags
    let names = flags.flatMap { [$0.name] + $0.aliases }
    let foreign = CurlOptions.absent.options
    #expect(foreign.count > 150)
    for option in foreign {
      #expect(!names.contains(option.name), "\(option.name)")
      #expect(option.short == nil || !flags.map(\.short).contains(option.short), "\(option.name)")
      #expect(option.nearest.map(names.contains) ?? true, "\(option.name)")
    }
  }

  // MARK: What a row says of settings

  static let settable = ConfigKeys.table().flags

  /// With the last of the values that the flag names, which is no default, or else the first that it takes.
  private static let hexadecimal = ArgumentText(String(repeating: "0", count: 64))
  private static let metadata = ArgumentText("sha256-" + String(repeating: "A", count: 43) + "=")

  static func setting(of flag: Flag<Invocation>) -> Setting<Invocation>? {
    let words: [ArgumentText]
    switch (flag.shape, flag.completion) {
    case (.required, .choices(let choices)): words = choices.suffix(1).map { ArgumentText($0) }
    case (.required, _): words = ["1", "a:b", "wifi=reload", "a:1:b:2", "http", hexadecimal, metadata]
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

  @Test("An option of which another leaves nothing shares a subject with it")
  func subjects() throws {
    let settings = try Self.settable.map { try #require(Self.setting(of: $0), "\($0.name)") }
    for (setting, other) in settings.flatMap({ setting in settings.map { (setting, $0) } }) {
      let isLost = Self.result(of: setting, other) == Self.result(of: other)
      guard setting.name != other.name, isLost, Self.result(of: setting) != Invocation() else { continue }
      #expect(!Set(setting.subjects).isDisjoint(with: other.subjects), "\(setting.name), \(other.name)")
    }
  }

  @Test("An option is about itself, unless it is given once for each of several things")
  func ownSubjects() throws {
    for flag in Self.settable {
      let setting = try #require(Self.setting(of: flag))
      let isGivenForEach = [
        "header", "reachability-policy", "credential-field", "store-header", "strip-header", "tag", "resolve",
        "connect-to",
      ].contains(flag.name)
      #expect(setting.subjects.contains(.flag(flag.name)) != isGivenForEach, "\(flag.name)")
    }
  }

  @Test("The user information in a URL is a secret, whichever option has the URL")
  func secretsInURLs() {
    let flags = Self.settable.filter { $0.shape == .required("URL") }
    #expect(!flags.isEmpty)
    for flag in flags {
      #expect(Self.setting(of: flag, "http://me:secret@a.test/")?.secrecy == .userInfo, "\(flag.name)")
    }
  }

  @Test("The value of an option that speaks of credentials is a secret")
  func secrets() {
    let words = ["password", "credential", "token", "cookie"]
    let flags = Self.settable.filter { flag in
      // The name of a file is none.
      guard case .required(let placeholder) = flag.shape, flag.completion != .file else { return false }
      let text = (placeholder + flag.summary).lowercased()
      return words.contains { text.contains($0) }
    }
    #expect(!flags.isEmpty)
    for flag in flags { #expect(Self.setting(of: flag, "a:b")?.secrecy != Secrecy.none, "\(flag.name)") }
  }

  @Test("The words that complete a value are accepted as values")
  func choices() {
    for (words, _, flags) in Self.commands {
      for flag in flags {
        guard case .choices(let choices) = flag.completion else { continue }
        for choice in choices {
          let arguments = words + ["--\(flag.name)=\(choice)", "--version"]
          #expect(throws: Never.self) { try CommandLineInterface.parse(arguments.map { ArgumentText($0) }) }
        }
      }
    }
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
    for (word, topic) in Commands.topics {
      #expect(!CommandLineInterface.helpText(topic, .full, width: 80).isEmpty, "\(word)")
    }
  }

  @Test("The list of commands has every command that a user is told of")
  func listOfCommands() {
    let listed = Set(ManualText.commands.terms.map { $0.term.prefix { !"[ABCDEFGHIJKLMNOPQRSTUVWXYZ".contains($0) } })
    let told = Self.commands.filter { !$0.command.isHidden && $0.command.select != nil && !$0.words.isEmpty }
    #expect(
      Set(told.map { $0.words.joined(separator: " ") }) == Set(listed.map { $0.trimmingCharacters(in: .whitespaces) }))
  }

  @Test("The exit statuses are in the manual, in order and once")
  func exitStatuses() {
    let numbers = ExitStatus.allCases.map(\.rawValue)
    #expect(numbers == numbers.sorted())
    let page = CommandLineInterface.manualPage()
    for status in ExitStatus.allCases {
      #expect(page.contains(".TP\n\\fB\(status.rawValue)\\fR\n"))
    }
  }

  static let linters: [[String]] = [
    ["groff", "-ww", "-man", "-Tutf8", "-z"], ["mandoc", "-T", "lint", "-W", "warning"],
  ]

  @Test("The manual page has no fault, where there is something to find one", arguments: linters)
  func manualPage(_ linter: [String]) throws {
    guard let program = Self.program(linter[0]) else { return }
    let result = try Self.run(program, Array(linter.dropFirst()), input: CommandLineInterface.manualPage())
    #expect(result.output == "")
    #expect(result.status == 0)
  }

  @Test(
    "The completion script is one of its shell, where there is that shell",
    arguments: [(Shell.bash, ["--norc", "-n"]), (.zsh, ["-f", "-n"]), (.fish, ["--no-config", "-n"])])
  func completions(_ shell: Shell, _ options: [String]) throws {
    let script = CommandLineInterface.completionScript(shell)
    #expect(script.contains("cache-policy"))
    guard let program = Self.program(shell.rawValue) else { return }
    let result = try Self.run(program, options + ["/dev/stdin"], input: script)
    #expect(result.output == "")
    #expect(result.status == 0)
  }

  private static func program(_ name: String) -> URL? {
    ["/usr/bin/", "/bin/", "/usr/local/bin/"].map { $0 + name }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
      .map { URL(fileURLWithPath: $0) }
  }

  private static func run(
    _ program: URL, _ arguments: [String], input: String
  ) throws -> (output: String, status: Int32) {
    let process = Process()
    let (standardInput, output) = (Pipe(), Pipe())
    process.executableURL = program
    process.arguments = arguments
    process.standardInput = standardInput
    process.standardOutput = output
    process.standardError = output
    try process.run()
    // What is written fits the pipe, or the program reads it before it writes.
    standardInput.fileHandleForWriting.write(Data(input.utf8))
    try standardInput.fileHandleForWriting.close()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (String(decoding: data, as: UTF8.self), process.terminationStatus)
  }
}
