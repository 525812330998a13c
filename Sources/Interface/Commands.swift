import FlagTable

/// garner's commands: the table that everything else is printed from.
enum Commands {
  static let root = Command<Invocation>(
    "garner",
    summary: "Fetch over HTTP through a persistent private cache.",
    details: #"""
      Each URL is answered from the cache where RFC 9111 allows it, validated where that is asked for, and fetched where
      it must be. What is fetched is stored where that is allowed. The body goes to standard output, or to where
      \flag{output} says; nothing else does.
      """#,
    flagGroups: { isEnough in
      isEnough(OutputFlags.all) || isEnough(RequestFlags.all) || isEnough(CacheFlags.all)
        || isEnough(KeyFlags.all) || isEnough(FreshnessFlags.all) || isEnough(StoringFlags.all)
        || isEnough(ReachabilityFlags.all) || isEnough(ConnectionFlags.all) || isEnough(ResilienceFlags.all)
        || isEnough(IntegrityFlags.all) || isEnough(ManyFlags.all)
    },
    listingFirst: .request,
    commonFlags: [CacheFlags.directory, OutputFlags.color, ConfigFlags.file, ConfigFlags.disable, help, version],
    operands: [
      Operand("URL", .oneOrMore, unless: { $0.hasFurtherURLs }) { invocation, text throws(InvalidValue) in
        invocation.operands.append(try LineText.check(text))
      }
    ],
    subcommands: [prefetch, cache, config, network, completions, helpCommand],
    select: { $0.command = .fetch })

  static let prefetch = Command<Invocation>(
    "prefetch",
    summary: "Fill the cache, and print nothing.",
    details: #"""
      Each URL is answered as a fetch of it would be, and stored where that is allowed, so that later runs find it, with
      \flag{offline} too. They are fetched side by side (\flag{parallel}). A line at the end says how many were in the
      cache, were fetched and failed, and how much was received. The exit status is that of the first that failed.

          garner prefetch --input-file urls
      """#,
    flagGroups: { isEnough in
      isEnough(RequestFlags.all) || isEnough(OutputFlags.ofPrefetch) || isEnough(CacheFlags.all)
        || isEnough(KeyFlags.all) || isEnough(FreshnessFlags.all) || isEnough(StoringFlags.all)
        || isEnough(ReachabilityFlags.all) || isEnough(ConnectionFlags.all) || isEnough(ResilienceFlags.all)
        || isEnough(IntegrityFlags.all) || isEnough(ManyFlags.all)
    },
    operands: [
      Operand("URL", .oneOrMore, unless: { $0.hasFurtherURLs }) { invocation, text throws(InvalidValue) in
        invocation.operands.append(try LineText.check(text))
      }
    ],
    select: { $0.command = .prefetch })

  static let config = Command<Invocation>(
    "config",
    summary: "Look at what the config file and the environment set.",
    details: ManualText.configFile.text,
    subcommands: [configCheck, configShow],
    select: nil)

  static let configCheck = Command<Invocation>(
    "check",
    summary: "Check a config file.",
    details: """
      All that is wrong in it is printed, with its line, and the exit status is then 2. Without FILE, it is the file
      that a fetch would read.
      """,
    operands: [
      Operand("FILE", .optional, completes: .file) { invocation, text in invocation.operands.append(text) }
    ],
    select: { $0.command = .configCheck })

  static let configShow = Command<Invocation>(
    "show",
    summary: "Show the settings that apply to a URL, and where each came from.",
    details: """
      Without URL, those that apply to every URL. In a pipe, the columns are the option, its value, and where it was
      given.
      """,
    flags: [StoreCommandFlags.json, StoreCommandFlags.showSecrets],
    operands: [
      Operand("URL", .optional) { invocation, text throws(InvalidValue) in
        invocation.operands.append(try LineText.check(text))
      }
    ],
    select: { $0.command = .configShow })

  static let network = Command<Invocation>(
    "network",
    summary: "Print the state of the network, and the cache policy that it selects.",
    details: #"""
      The state is what \flag{reachability} goes by. It is read from the kernel's tables; nothing is sent, so that
      "reachable" means that there is a way out of this machine, and not that somebody answers at its end. The interface
      of the default route decides, of several the one with the lowest metric:

      `not-reachable`: no route leads beyond this machine, or its link is down.

      `wwan`: a modem in a mobile network, or a connection by PPP.

      `wifi`: a wireless or wired local network; also spelt `lan`. A telephone at a USB port is one.

      `unknown`: all else, such as the inside of a container, routes to near networks only, or a proxy on this machine.

      What is below a bridge, a bond, a VLAN or a VPN counts in its place, where it shows. A URL whose host is this
      machine is always reachable, and `wifi`.

      In a pipe, the columns are the state, the policy, the interface or `-`, and the reason. The exit status is 0
      whatever the state is.
      """#,
    flags: ReachabilityFlags.all + [StoreCommandFlags.json],
    operands: [
      Operand("URL", .optional) { invocation, text throws(InvalidValue) in
        invocation.operands.append(try LineText.check(text))
      }
    ],
    select: { $0.command = .network })

  static let completions = Command<Invocation>(
    "completions",
    summary: "Print the completion script of a shell.",
    details: """
      For example, in bash:

          source <(garner completions bash)
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
    summary: "Tell about a command or a topic.",
    details: """
      The topics are `commands`, `exit-status`, `cache-policies` and `man`, which is the source of the manual page:

          garner help man | man -l -
      """,
    operands: [
      Operand("TOPIC", .any, completes: .choices(["cache", "config", "network", "completions"] + topics.map(\.word))) {
        invocation, text throws(InvalidValue) in
        invocation.command = .help(try topic(text, after: invocation.command), .full)
      }
    ],
    select: { $0.command = .help(.command([]), .full) })

  static let help = Flag<Invocation>(
    asking: "help", short: "h", in: .common,
    summary: "Print help.",
    details: "`-h` is short, `--help` tells all. Behind a command, they tell of it."
  ) { invocation, question in
    let form: HelpForm = question.spelling == .short ? .short : .full
    invocation.command = .help(.command(question.commandWords), form)
  }

  static let version = Flag<Invocation>(
    asking: "version", short: "V", in: .common,
    summary: "Print the version."
  ) { invocation, _ in invocation.command = .version }

  static let topics: [(word: String, topic: HelpTopic)] = [
    ("commands", .commands),
    ("exit-status", .exitStatus),
    ("cache-policies", .cachePolicies),
    ("man", .manual),
  ]

  /// The topic that a further word of `garner help` leads to.
  private static func topic(_ word: ArgumentText, after choice: CommandChoice) throws(InvalidValue) -> HelpTopic {
    guard case .help(.command(let words), _) = choice, let command = root.descendant(words) else {
      throw .unacceptable("there is no use for a second topic")
    }
    if let below = command.subcommand(named: word) {
      return .command(words + [below.name])
    }
    let isFirst = words.isEmpty
    if isFirst, let topic = topics.first(where: { ArgumentText($0.word) == word }) {
      return topic.topic
    }
    let choices = command.subcommands.filter { !$0.isHidden }.map(\.name) + (isFirst ? topics.map(\.word) : [])
    throw choices.isEmpty ? .unacceptable("'\(command.name)' has no commands") : .notOneOf(choices)
  }
}

extension Command {
  fileprivate func descendant(_ words: [String]) -> Command? {
    var command = self
    for word in words {
      guard let below = command.subcommand(named: ArgumentText(word)) else { return nil }
      command = below
    }
    return command
  }
}
