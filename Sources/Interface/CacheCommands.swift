import FlagTable

/// `garner cache` and the commands below it.
extension Commands {
  static let cache = Command<Invocation>(
    "cache",
    summary: "Look at what is stored, and remove it.",
    details: ManualText.cacheDescription.text,
    subcommands: [
      ls, show, cat, explain, rm, clear, prune, verify, stats, pin, unpin, tag, check, export, importArchive, dir,
      complete,
    ],
    select: nil)

  static let ls = Command<Invocation>(
    "ls", aliases: ["list"],
    summary: "List what is stored.",
    details: """
      What PATTERN and the options select is listed, and everything where there is none: `garner help patterns`. A table
      is printed on a terminal, and lines with tabs in a pipe: `garner help formats`. Nothing listed is no error.
      """,
    flags: [
      StoreCommandFlags.json, StoreCommandFlags.jsonLines, StoreCommandFlags.null, StoreCommandFlags.format,
      StoreCommandFlags.sort, StoreCommandFlags.reverse, StoreCommandFlags.limit, StoreCommandFlags.showSecrets,
    ] + EntryFilterFlags.all,
    operands: [pattern],
    select: { $0.command = .cache(.ls) })

  static let show = Command<Invocation>(
    "show", aliases: ["info", "inspect"],
    summary: "Show what is known of a stored response.",
    details: """
      Its head, its times, how fresh it is, and where it is on disk. The exit status is 110 where it is absent, 113
      where it is damaged, and 112 where it belongs to another user, or it or the cache cannot be read.
      """,
    flags: [StoreCommandFlags.json, StoreCommandFlags.headers, StoreCommandFlags.showSecrets],
    operands: [url],
    select: { $0.command = .cache(.show) })

  static let cat = Command<Invocation>(
    "cat", foreignNames: ["get"],
    summary: "Print a stored body.",
    details: """
      What is printed has been verified. The exit status is 110 where the response is absent, or only a part of it is
      there; 113 where it is damaged, and 18 where that was found when a part of it had been printed; 112 where it
      belongs to another user, or it or the cache cannot be read.
      """,
    operands: [url],
    select: { $0.command = .cache(.cat) })

  static let explain = Command<Invocation>(
    "explain",
    summary: "Explain what would answer a request, and why.",
    details: #"""
      What is stored for the request is shown with all that bears on its reuse: how old it is and for how long it is
      fresh, its validators and directives, the variants that were compared. Then comes, for each cache policy, what a
      fetch under it would do now, and by which rule. Nothing is sent, and nothing is changed. Redirects are not
      followed.

      The options of a fetch that make its request another one are those of the fetch, but for `--json`, which prints
      JSON here: say \flag{data} and \flag{header} instead. URL is one: braces and brackets stand for themselves.

          garner cache explain -H 'Accept-Language: de' https://example.com/
      """#,
    flags: RequestFlags.withoutJSON + KeyFlags.all + FreshnessFlags.all + ConnectionFlags.keyed + [
      StoreCommandFlags.json, StoreCommandFlags.require, StoreCommandFlags.showSecrets,
    ],
    operands: [url],
    select: { $0.command = .cache(.explain) })

  static let rm = Command<Invocation>(
    "rm", aliases: ["purge"], foreignNames: ["delete", "remove"],
    summary: "Remove what is stored.",
    details: #"""
      PATTERN and the options that select are as for `garner cache ls`, which shows what would go; without PATTERN, one
      of them or \flag{all} must be given. What is pinned goes, too. Runs that are being served from what is removed are
      served to the end. The exit status is 1 where nothing matched, but 0 where \flag{all} finds nothing. `garner cache
      clear` is the same as `garner cache rm --all`.
      """#,
    flags: removalFlags + EntryFilterFlags.all,
    operands: [pattern],
    select: { $0.command = .cache(.rm) })

  static let clear = Command<Invocation>(
    "clear",
    summary: "Remove everything that is stored.",
    flags: removalFlags,
    select: { invocation in
      invocation.command = .cache(.rm)
      invocation.storeCommand.removesAll = true
    })

  static let prune = Command<Invocation>(
    "prune",
    summary: "Remove what is beyond a limit.",
    details: #"""
      Without options, the least recently used is removed until the cache is no larger than its capacity. With limits,
      what is beyond any of them is removed: \flag{older-than}, \flag{unused-for}, \flag{larger-than}, \flag{stale}, and
      then \flag{max-size}. PATTERN, \flag{host}, \flag{status}, \flag{tag}, \flag{type} and \flag{group} say for what
      the limits are; the rest is left alone. What is pinned is kept. How much was removed is printed.

          garner cache prune --host '*.example.com' --unused-for 4w --max-size 1G
      """#,
    flags: [
      StoreCommandFlags.maximumSize, StoreCommandFlags.dryRun, CacheFlags.diskCapacity, EntryFilterFlags.olderThan,
      EntryFilterFlags.unusedFor, EntryFilterFlags.largerThan, EntryFilterFlags.stale,
    ] + EntryFilterFlags.narrowing,
    operands: [pattern],
    select: { $0.command = .cache(.prune) })

  static let verify = Command<Invocation>(
    "verify",
    summary: "Read every entry, and tell which are damaged.",
    details: #"""
      Every sum of every entry is checked. For each that is damaged, a line is printed: `damaged`, or `dropped`, the
      file, the URL or `-`, and what is wrong, with tabs between. Damaged content is never printed by any fetch; it is
      fetched anew instead. No time is touched. The exit status is 113 where damage was found, but with \flag{repair} 0
      where all of it was dropped. An entry that belongs to another user is no damage: it is `foreign`, is neither read
      nor dropped, and where there is nothing worse the exit status is 112. So it is with what is one's own and may not
      be read, which is `unread`. An entry whose last update is not whole, because it was interrupted or has been
      damaged since, is `unfinished`: what stood there before counts, as stale, and a fetch brings it to an end.
      """#,
    flags: [StoreCommandFlags.repair, StoreCommandFlags.json],
    select: { $0.command = .cache(.verify) })

  static let pin = Command<Invocation>(
    "pin",
    summary: "Keep a stored response when room is made.",
    details: """
      Neither a full cache nor `garner cache prune` removes what is pinned. It is freshened, replaced and invalidated as
      ever, and what replaces it is pinned, too. Where there is no room for that, what it supersedes goes all the same,
      with a warning. `garner cache rm` removes it. PATTERN and the options that select are as for `garner cache ls`.
      The exit status is 110 where the one URL that is named is absent, and 1 where nothing matches a pattern.
      """,
    flags: EntryFilterFlags.all,
    operands: [pattern],
    select: { $0.command = .cache(.pin) })

  static let unpin = Command<Invocation>(
    "unpin",
    summary: "Let a pinned response go when room is made.",
    details: """
      It is no longer pinned, and stays until room is made and it is its turn. PATTERN, the options that select and the
      exit status are as for `garner cache pin`.
      """,
    flags: EntryFilterFlags.all,
    operands: [pattern],
    select: { $0.command = .cache(.unpin) })

  static let tag = Command<Invocation>(
    "tag",
    summary: "Note something with a stored response.",
    details: #"""
      Each KEY has the VALUE from then on, which may be empty; \flag{delete} takes a KEY away. Other tags stay, and all
      of them stay when the response is freshened or replaced. `garner cache ls` and its kin select by them. PATTERN and
      the exit status are as for `garner cache pin`.

          garner cache tag https://example.com/data.json project=web reviewed=
          garner cache ls --tag project=web
      """#,
    flags: [StoreCommandFlags.delete],
    operands: [
      Operand("PATTERN", .one, completes: StoredWordKind.urls.completion) { invocation, text throws(InvalidValue) in
        invocation.operands.append(try LineText.check(text))
      },
      Operand("KEY=VALUE", .any) { invocation, text throws(InvalidValue) in
        invocation.storeCommand.tagChanges.append(.set(try TagText.newTag(text)))
      },
    ],
    select: { $0.command = .cache(.tag) })

  static let check = Command<Invocation>(
    "check",
    summary: "Tell which URLs have no answer without the network.",
    details: #"""
      Each URL is looked up as \flag{offline} would, with the options of the fetch that will need it: a response that is
      stored for another Accept or for other credentials is no answer, nor is a stored error. Redirections are
      followed, and what is stored is verified. What has no answer is printed as it was typed, a line each, and the exit
      status is then 110. Nothing is sent, and nothing is changed. `--json` takes DATA here, as for a fetch.

          garner cache check --offline --input-file urls.txt
      """#,
    flags: RequestFlags.all + KeyFlags.all + FreshnessFlags.all + ConnectionFlags.keyed + [
      ConnectionFlags.location, ConnectionFlags.locationTrusted, ConnectionFlags.maxRedirects,
      CacheFlags.offline, ManyFlags.list, ManyFlags.globOff, StoreCommandFlags.null,
    ],
    operands: [
      Operand(
        "URL", .oneOrMore, completes: StoredWordKind.urls.completion, unless: { $0.hasFurtherURLs }
      ) { invocation, text throws(InvalidValue) in
        invocation.operands.append(try LineText.check(text))
      }
    ],
    select: { $0.command = .cache(.check) })

  static let stats = Command<Invocation>(
    "stats",
    summary: "Tell how much is stored, and what it was good for.",
    details: """
      Counted are requests, by what they came to: `hits` (served while fresh), `stale` (served stale, by leave),
      `validated` (a 304), `updated` (a new response replaced it), `misses` and `bypassed`. The ratio is that of
      requests whose content came from the cache to all but those that bypassed it. `saved` is the content that came
      from the cache and was not transferred. Hosts, of which the twenty largest are shown, and types are told with the
      bytes that are stored of them, with bars of `#` where the locale is not one of UTF-8. What is "about" so much has
      not been counted yet. An entry is a file; one may hold no response, but the list of those that a URL has.

      In a pipe, a line has a name, a tab and a number: `entries`, `bytes`, `capacity`, `hits`, `stale`, `validated`,
      `updated`, `misses`, `bypassed`, `bytes_saved`, and `ratio`, which is from 0 to 1, or `-`. Then come all hosts,
      as `host`, the name, bytes, entries, hits and bytes saved, and the types, as `type`, the name, bytes and entries.
      The JSON has the same names, and `estimated`, `by_host` and `by_type`.
      """,
    flags: [StoreCommandFlags.json, StoreCommandFlags.zero, CacheFlags.diskCapacity],
    select: { $0.command = .cache(.stats) })

  static let dir = Command<Invocation>(
    "dir",
    summary: "Print the directory of the cache.",
    select: { $0.command = .cache(.dir) })

  private static var removalFlags: [Flag<Invocation>] {
    [StoreCommandFlags.dryRun, StoreCommandFlags.all, StoreCommandFlags.ifExists]
  }

  /// A hidden command for completion scripts, which are printed from this table and know its words.
  static let complete = Command<Invocation>(
    "complete",
    summary: "Print what is stored and begins with a word.",
    operands: [
      Operand("KIND", .one) { invocation, text throws(InvalidValue) in
        guard let kind = text.string.flatMap(StoredWordKind.init) else {
          throw .notOneOf(StoredWordKind.allCases.map(\.rawValue))
        }
        invocation.command = .cache(.complete(kind))
      },
      Operand("WORD", .optional) { invocation, text in invocation.operands.append(text) },
    ],
    isHidden: true,
    select: { _ in })

  private static let url = Operand<Invocation>(
    "URL", .one, completes: StoredWordKind.urls.completion
  ) { invocation, text throws(InvalidValue) in invocation.operands.append(try LineText.check(text)) }

  static let pattern = Operand<Invocation>(
    "PATTERN", .any, completes: StoredWordKind.urls.completion
  ) { invocation, text throws(InvalidValue) in invocation.operands.append(try LineText.check(text)) }
}

extension StoredWordKind {
  var completion: ValueCompletion { .output(of: ["cache", "complete", rawValue]) }
}
