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
      isEnough(RequestFlags.all) || isEnough(OutputFlags.all) || isEnough(CacheFlags.all)
        || isEnough(FreshnessFlags.all) || isEnough(StoringFlags.all)
        || isEnough(ReachabilityFlags.all) || isEnough(ConnectionFlags.all) || isEnough(ResilienceFlags.all)
    },
    commonFlags: [CacheFlags.directory, OutputFlags.color, ConfigFlags.file, ConfigFlags.disable, help, version],
    operands: [
      Operand("URL", .oneOrMore) { invocation, text throws(InvalidValue) in
        invocation.operands.append(try LineText.check(text))
      }
    ],
    subcommands: [cache, config, network, completions, helpCommand],
    select: { $0.command = .fetch })

  static let cache = Command<Invocation>(
    "cache",
    summary: "Look at what is stored, and remove it.",
    subcommands: [ls, show, cat, explain, rm, clear, prune, stats, pin, unpin, export, importArchive, dir],
    select: nil)

  static let ls = Command<Invocation>(
    "ls", aliases: ["list"],
    summary: "List what is stored.",
    details: """
      PATTERN is a URL, in which `*` stands for anything; what any of them matches is listed, and everything where there
      is none. Nothing listed is no error.

      In a pipe, the columns are the state (`fresh`, `stale`, `validate`, `partial`), the status code, the size in
      bytes, the age and the rest of the freshness lifetime in seconds, the type, and the URL. `partial` is what a
      transfer that broke off, or a range, has left: its size is that of the part, and behind a slash that of the whole,
      or `?`. The next fetch of the URL continues it where it can.
      """,
    flags: [
      StoreCommandFlags.json, StoreCommandFlags.jsonLines, StoreCommandFlags.null, StoreCommandFlags.sort,
      StoreCommandFlags.reverse, StoreCommandFlags.limit, StoreCommandFlags.showSecrets,
    ],
    operands: [pattern],
    select: { $0.command = .cacheLs })

  static let show = Command<Invocation>(
    "show", aliases: ["info", "inspect"],
    summary: "Show what is known of a stored response.",
    details:
      "Its head, its times, how fresh it is, and where it is on disk. The exit status is 110 where it is absent.",
    flags: [StoreCommandFlags.json, StoreCommandFlags.headers],
    operands: [url],
    select: { $0.command = .cacheShow })

  static let cat = Command<Invocation>(
    "cat",
    summary: "Print a stored body.",
    details: """
      What is printed has been verified. The exit status is 110 where the response is absent, or only a part of it is
      there.
      """,
    operands: [url],
    select: { $0.command = .cacheCat })

  static let explain = Command<Invocation>(
    "explain",
    summary: "Explain what would answer a request, and why.",
    details: #"""
      What is stored for the request is shown with all that bears on its reuse: how old it is and for how long it is
      fresh, its validators and directives, the variants that were compared. Then comes, for each cache policy, what a
      fetch under it would do now, and by which rule. Nothing is sent, and nothing is changed. Redirects are not
      followed.

      The options of a fetch that make its request another one are those of the fetch, but for `--json`, which prints
      JSON here: say \flag{data} and \flag{header} instead.

          garner cache explain -H 'Accept-Language: de' https://example.com/
      """#,
    flags: RequestFlags.withoutJSON + FreshnessFlags.all + ConnectionFlags.keyed + [
      StoreCommandFlags.json, StoreCommandFlags.require,
    ],
    operands: [url],
    select: { $0.command = .cacheExplain })

  static let rm = Command<Invocation>(
    "rm", aliases: ["purge"],
    summary: "Remove what is stored.",
    details: """
      PATTERN is as for `garner cache ls`. The exit status is 1 where nothing matched. `garner cache clear` is the same
      as `garner cache rm --all`.
      """,
    flags: removalFlags,
    operands: [pattern],
    select: { $0.command = .cacheRm })

  static let clear = Command<Invocation>(
    "clear",
    summary: "Remove everything that is stored.",
    flags: removalFlags,
    isHidden: true,
    select: { invocation in
      invocation.command = .cacheRm
      invocation.storeCommand.removesAll = true
    })

  static let prune = Command<Invocation>(
    "prune",
    summary: "Remove what is beyond a limit.",
    details: #"""
      Without options, the least recently used is removed until the cache is no larger than its capacity. With some,
      what is beyond any of them is removed. What is pinned is kept. How much was removed is printed.
      """#,
    flags: [
      StoreCommandFlags.maximumSize, StoreCommandFlags.olderThan, StoreCommandFlags.unusedFor, StoreCommandFlags.stale,
      StoreCommandFlags.dryRun, CacheFlags.diskCapacity,
    ],
    select: { $0.command = .cachePrune })

  static let pin = Command<Invocation>(
    "pin",
    summary: "Keep a stored response when room is made.",
    details: """
      Neither a full cache nor `garner cache prune` removes what is pinned. It is freshened, replaced and invalidated as
      ever, and what replaces it is pinned, too. `garner cache rm` removes it. The exit status is 110 where it is
      absent.
      """,
    operands: [url],
    select: { $0.command = .cachePin })

  static let unpin = Command<Invocation>(
    "unpin",
    summary: "Let a pinned response go when room is made.",
    operands: [url],
    select: { $0.command = .cacheUnpin })

  static let stats = Command<Invocation>(
    "stats",
    summary: "Tell how much is stored, and what it was good for.",
    details: """
      Counted are requests, by what they came to: `hit` (served, nothing was sent), `stale` (served stale, by leave),
      `validated` (a 304), `updated` (the origin had another response), `miss` and `bypass`. The ratio is that of
      requests whose content came from the cache to all but those that bypassed it. `saved` is the content that came
      from the cache and was not transferred. Hosts and types are told with the bytes that are stored of them.

      In a pipe, a line has a name, a tab and a number; those of hosts begin with `host`, the name, and then bytes,
      entries, hits and bytes saved; those of types with `type`, the name, bytes and entries.
      """,
    flags: [StoreCommandFlags.json, StoreCommandFlags.zero, CacheFlags.diskCapacity],
    select: { $0.command = .cacheStats })

  static let dir = Command<Invocation>(
    "dir",
    summary: "Print the directory of the cache.",
    select: { $0.command = .cacheDir })

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

  private static var removalFlags: [Flag<Invocation>] {
    [StoreCommandFlags.dryRun, StoreCommandFlags.all, StoreCommandFlags.ifExists]
  }

  private static let url = Operand<Invocation>("URL", .one) { invocation, text throws(InvalidValue) in
    invocation.operands.append(try LineText.check(text))
  }

  static let pattern = Operand<Invocation>("PATTERN", .any) { invocation, text throws(InvalidValue) in
    invocation.operands.append(try LineText.check(text))
  }

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
