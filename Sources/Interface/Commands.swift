import FlagTable

/// garner's commands: the table from which help texts, manual pages and completion scripts are printed.
enum Commands {
  // Defined here, where the types are known: in FlagTable, each look at a flag would go through the runtime.
  private static func offer(_ flags: [Flag<Invocation>], _ isEnough: (Flag<Invocation>) -> Bool) -> Bool {
    for flag in flags where isEnough(flag) { return true }
    return false
  }

  static let root = Command<Invocation>(
    "garner",
    summary: "Fetch over HTTP through a persistent private cache.",
    details: #"""
      garner answers each URL from the cache where RFC 9111 allows it, validates the stored response with the origin
      where that is required, and fetches it otherwise. Fetched responses are stored where that is allowed. The body
      goes to standard output, or to the file of \flag{output}; nothing else goes there unless an option asks for it.
      """#,
    flagSource: { isEnough in
      OutputFlags.offerUsual(isEnough) || offer(OutputFlags.others, isEnough) || offer(RequestFlags.all, isEnough)
        || offer(CacheFlags.all, isEnough) || offer(KeyFlags.all, isEnough) || offer(FreshnessFlags.all, isEnough)
        || offer(StoringFlags.all, isEnough) || offer(ReachabilityFlags.all, isEnough)
        || offer(ConnectionFlags.all, isEnough) || offer(ResilienceFlags.all, isEnough)
        || offer(IntegrityFlags.all, isEnough) || offer(ManyFlags.all, isEnough)
    },
    listingFirst: .request,
    commonFlags: [CacheFlags.directory, OutputFlags.color, ConfigFlags.file, ConfigFlags.disable, help, version],
    operands: [urls],
    subcommands: namedCommands + [helpCommand],
    select: { $0.command = .fetch })

  /// The commands below `garner` except `help`, whose own definition needs them.
  private static var namedCommands: [Command<Invocation>] { [prefetch, cache, config, network, completions] }

  /// The URLs of a fetch. They may be missing if an option gives URLs.
  private static var urls: Operand<Invocation> {
    Operand("URL", .oneOrMore, unless: { $0.hasFurtherURLs }) { invocation, text in invocation.operands.append(text) }
  }

  private static var urlIfAny: Operand<Invocation> {
    Operand("URL", .optional) { invocation, text in invocation.operands.append(text) }
  }

  static let prefetch = Command<Invocation>(
    "prefetch",
    summary: "Store responses in the cache without printing them.",
    details: #"""
      Each URL is answered as by a fetch, and the response is stored where that is allowed, so that later runs find it,
      also with \flag{offline}. The URLs are fetched in parallel (\flag{parallel}). A line at the end says how many
      responses were in the cache, were fetched, could not be stored and failed, and how much was received. It is not a
      failure if a response may not be stored, such as a redirect without a freshness lifetime (but see \flag{ttl});
      `garner cache check` reports its URL, unless an older response is stored. The exit status is that of the first URL
      that failed, and 112 if the cache cannot be written. The command contradicts \flag{no-store}, \flag{memory-only}
      and \flag{disk-capacity} with 0. In a file of \flag{curl-config}, it ignores options for the body.

          garner prefetch --input-file urls
      """#,
    flagSource: { isEnough in
      offer(RequestFlags.all, isEnough) || offer(OutputFlags.ofPrefetch, isEnough) || offer(CacheFlags.all, isEnough)
        || offer(KeyFlags.all, isEnough) || offer(FreshnessFlags.all, isEnough) || offer(StoringFlags.all, isEnough)
        || offer(ReachabilityFlags.all, isEnough) || offer(ConnectionFlags.all, isEnough)
        || offer(ResilienceFlags.all, isEnough) || offer(IntegrityFlags.all, isEnough) || offer(ManyFlags.all, isEnough)
    },
    flagsIgnoredInFiles: OutputFlags.ofDelivery,
    operands: [urls],
    select: { $0.command = .prefetch })

  static let config = Command<Invocation>(
    "config",
    summary: "Check and show the settings of the config file and the environment.",
    details: [ManualText.configDescription, ManualText.configFile].map(\.text).joined(separator: "\n\n")
      + "\n\n`garner help sites` and `garner help settings` describe which settings apply to a URL.",
    subcommands: [configCheck, configShow],
    select: nil)

  static let configCheck = Command<Invocation>(
    "check",
    summary: "Check a config file.",
    details: """
      Prints every error in the file, with its line; the exit status is then 2. Without FILE, checks the file that a
      fetch would read.
      """,
    operands: [
      Operand("FILE", .optional, completes: .file) { invocation, text in invocation.operands.append(text) }
    ],
    select: { $0.command = .configCheck })

  static let configShow = Command<Invocation>(
    "show",
    summary: "Show the settings that apply to a URL, and where each came from.",
    details: """
      Without URL, shows the settings that apply to every URL. In a pipe, the columns are the option, its value, and
      where it was given.
      """,
    flags: [StoreCommandFlags.json, StoreCommandFlags.showSecrets],
    operands: [urlIfAny],
    select: { $0.command = .configShow })

  static let network = Command<Invocation>(
    "network",
    summary: "Print the state of the network, and the cache policy that it selects.",
    details: #"""
      \flag{reachability} selects a policy by this state; `garner help offline` describes the states.

      In a pipe, the columns are the state, the policy, the interface or `-`, and the reason. The exit status is 0
      whatever the state is.
      """#,
    flags: ReachabilityFlags.all + [StoreCommandFlags.json],
    operands: [urlIfAny],
    select: { $0.command = .network })

  static let completions = Command<Invocation>(
    "completions",
    summary: "Print the completion script for a shell.",
    details: """
      Add a line to the file that the shell reads when it starts, `~/.bashrc` or `~/.zshrc` (there after `compinit`):

          source <(garner completions bash)
          source <(garner completions zsh)

      For fish, run once:

          garner completions fish > ~/.config/fish/completions/garner.fish

      For zsh, a file `_garner` in a directory of `fpath` works, too. `make install` and the Debian package install all
      three scripts.
      """,
    operands: [
      Operand("SHELL", .one, completes: .choices(Shell.allCases.map(\.rawValue))) {
        invocation, text throws(InvalidValue) in
        guard let shell = text.string.flatMap(Shell.init) else {
          throw .notOneOf(Shell.allCases.map(\.rawValue))
        }
        invocation.command = .completions(shell)
      }
    ],
    select: { _ in })

  static let helpCommand = Command<Invocation>(
    "help",
    summary: "Show help on a command, an option or a topic.",
    details: """
      `garner help topics` lists the topics, each of which is a section of the manual. An option is named with or
      without its hyphens, and after the name of a command if it is an option of that command. `man` prints the source
      of a page of the manual, `garner`, `garner-cache` or `garner-config`:

          garner help cache ls
          garner help --output
          garner help cache ls --sort
          garner help exit-status
          garner help man garner-cache | man -l -
      """,
    operands: [
      Operand("TOPIC", .any, mayBeOption: true, completes: .path(helpSteps)) {
        invocation, text throws(InvalidValue) in
        invocation.command = .help(try topic(text, after: invocation.command), .full)
      }
    ],
    select: { $0.command = .help(.command([]), .full) })

  static let help = Flag<Invocation>(
    asking: "help", short: "h", in: .common,
    summary: "Print help.",
    details: "`-h` prints a short help, `--help` the full help. After a command, they print the help of that command."
  ) { invocation, question in
    let form: HelpForm = question.spelling == .short ? .short : .full
    invocation.command = .help(.command(question.commandWords), form)
  }

  static let version = Flag<Invocation>(
    asking: "version", short: "V", in: .common,
    summary: "Print the version."
  ) { invocation, _ in invocation.command = .version }

  /// The words that may follow `garner help`.
  private static var helpWords: [String] {
    ManualTopic.allCases.map(\.rawValue) + [ManualPage.topic] + namedCommands.map(\.name) + ["help"]
  }

  private static var helpSteps: [CompletionStep] {
    [CompletionStep(helpWords)]
      + namedCommands.compactMap { command in
        let names = command.visibleSubcommands.map(\.name)
        return names.isEmpty ? nil : CompletionStep(after: command.name, names)
      } + [CompletionStep(after: ManualPage.topic, ManualPage.allCases.map(\.rawValue))]
  }

  /// Returns the topic that one more word of `garner help` leads to.
  private static func topic(_ word: ArgumentText, after choice: CommandChoice) throws(InvalidValue) -> HelpTopic {
    switch choice {
    case .help(.command(let words), _):
      guard let command = root.descendant(words) else { break }
      if let below = command.subcommand(named: word) { return .command(words + [below.name]) }
      if words.isEmpty { return try topic(word) }
      if let name = root.optionName(word, of: words) { return .option(name, of: words) }
      if word.bytes.first == UInt8(ascii: "-") { throw noOption(word, of: words) }
      let names = command.visibleSubcommands.map(\.name)
      throw names.isEmpty ? .unacceptable("'\(command.name)' has no commands") : .notOneOf(names)
    case .help(.manual(nil), _):
      guard let page = word.string.flatMap(ManualPage.init) else {
        throw .notOneOf(ManualPage.allCases.map(\.rawValue))
      }
      return .manual(page)
    default:
      break
    }
    throw .unacceptable("only one topic can be given")
  }

  private static func topic(_ word: ArgumentText) throws(InvalidValue) -> HelpTopic {
    if word == ArgumentText(ManualPage.topic) { return .manual(nil) }
    // As `--help all`, which is curl's: all options.
    if word == "all" { return .command([]) }
    if let topic = ManualTopic.named(word) { return .section(topic) }
    if let name = root.optionName(word, of: []) { return .option(name, of: []) }
    if word.bytes.first == UInt8(ascii: "-") { throw noOption(word, of: []) }
    let near = Suggestion.nearest(to: word.bytes, among: helpWords + ManualTopic.allCases.flatMap(\.aliases))
    throw .unknown("topic", hint: near.map { "did you mean \($0)?" } ?? "'garner help topics' lists them")
  }

  private static func noOption(_ word: ArgumentText, of words: [String]) -> InvalidValue {
    let near = root.nearestOptionName(word, of: words)
    let help = (["garner help"] + words).joined(separator: " ")
    return .unknown("option", hint: near.map { "did you mean --\($0)?" } ?? "'\(help)' lists them")
  }
}
