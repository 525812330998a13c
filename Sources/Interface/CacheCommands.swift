import FlagTable

/// `garner cache` and the commands below it.
extension Commands {
  static let cache = Command<Invocation>(
    "cache",
    summary: "Inspect and manage the cache.",
    details: ManualText.cacheDescription.text,
    subcommands: [
      ls, show, cat, explain, rm, clear, prune, verify, stats, pin, unpin, tag, check, export, importArchive, dir,
      complete,
    ],
    select: nil)

  static let ls = Command<Invocation>(
    "ls", aliases: ["list"],
    summary: "List stored responses.",
    details: """
      Lists the responses that PATTERN and the options select, or all if there are none: see `garner help patterns`. On
      a terminal, prints a table; in a pipe, lines with tabs: see `garner help formats`. It is not an error if nothing
      is listed.
      """,
    flags: [
      StoreCommandFlags.json, StoreCommandFlags.jsonLines, StoreCommandFlags.null, StoreCommandFlags.format,
      StoreCommandFlags.sort, StoreCommandFlags.reverse, StoreCommandFlags.limit, StoreCommandFlags.showSecrets,
    ] + EntryFilterFlags.all,
    operands: [pattern],
    select: { $0.command = .cache(.ls) })

  static let show = Command<Invocation>(
    "show", aliases: ["info", "inspect"],
    summary: "Show what is known about a stored response.",
    details: """
      Prints its head, its times, how fresh it is, and where it is on disk. The exit status is 110 if it is not stored,
      113 if it is damaged, and 112 if it belongs to another user, or if it or the cache cannot be read.
      """,
    flags: [StoreCommandFlags.json, StoreCommandFlags.headers, StoreCommandFlags.showSecrets],
    operands: [url],
    select: { $0.command = .cache(.show) })

  static let cat = Command<Invocation>(
    "cat", foreignNames: ["get"],
    summary: "Print the body of a stored response.",
    details: """
      If there are several responses for URL, the one that was stored last is printed; `garner cache show` shows them
      all. Only verified content is printed, and on a terminal only text. The exit status is 110 if the response is not
      stored, or only a part of it; 113 if it is damaged, or 18 if the damage was found after a part had been printed;
      112 if it belongs to another user, or if it or the cache cannot be read; 23 if it is binary, and the output is a
      terminal.
      """,
    operands: [url],
    select: { $0.command = .cache(.cat) })

  static let explain = Command<Invocation>(
    "explain",
    summary: "Explain how a request would be answered, and why.",
    details: #"""
      Shows what is stored for the request, with everything that affects its reuse: its age and freshness lifetime, its
      validators and directives, and the variants that were compared. Then shows, for each cache policy, what a fetch
      under it would do now, and by which rule. Nothing is sent or changed. Redirects are not followed.

      The command takes the options of a fetch that change the request, except `--json`, which prints JSON here; use
      \flag{data} and \flag{header} instead. Only one URL is explained: braces and brackets have no special meaning.

          garner cache explain -H 'Accept-Language: de' https://example.com/
      """#,
    flags: RequestFlags.withoutJSON + KeyFlags.all + FreshnessFlags.all + ConnectionFlags.keyed + [
      StoreCommandFlags.json, StoreCommandFlags.require, StoreCommandFlags.showSecrets,
    ],
    operands: [url],
    select: { $0.command = .cache(.explain) })

  static let rm = Command<Invocation>(
    "rm", aliases: ["purge"], foreignNames: ["delete", "remove"],
    summary: "Remove stored responses.",
    details: #"""
      PATTERN and the options select responses as for `garner cache ls`, which shows what would be removed. Without
      PATTERN, one of these options or \flag{all} is required. Pinned responses are removed, too. A run that is being
      served a removed response receives all of it. Each PATTERN for which nothing is selected is reported, and the
      others are carried out; the exit status is then 1, as it is if the options select nothing, but 0 if \flag{all}
      finds nothing. `garner cache clear` is the same as `garner cache rm --all`.
      """#,
    flags: removalFlags + EntryFilterFlags.all,
    operands: [pattern],
    select: { $0.command = .cache(.rm) })

  static let clear = Command<Invocation>(
    "clear",
    summary: "Remove all stored responses.",
    flags: removalFlags,
    select: { invocation in
      invocation.command = .cache(.rm)
      invocation.storeCommand.removesAll = true
    })

  static let prune = Command<Invocation>(
    "prune",
    summary: "Remove stored responses that exceed a limit.",
    details: #"""
      Without options, removes the least recently used responses until the cache is no larger than its capacity. With
      limits, removes the responses that exceed any of them: \flag{older-than}, \flag{unused-for}, \flag{larger-than},
      \flag{stale}, and then \flag{max-size}. PATTERN, \flag{host}, \flag{status}, \flag{tag}, \flag{type} and
      \flag{group} select the responses that the limits apply to; others are left alone. Pinned responses are kept. The
      command prints how much was removed.

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
    summary: "Read every entry, and report damaged ones.",
    details: #"""
      Checks every checksum of every entry. For each damaged entry, prints a line with tabs: `damaged` or `dropped`, the
      file, the URL or `-`, and what is wrong. A fetch never prints damaged content, but fetches it anew. No time is
      changed. The exit status is 113 if damage was found, or 0 if \flag{repair} dropped all of it.

      An entry of another user is not damaged: it is reported as `foreign`, is neither read nor dropped, and the exit
      status is 112 if nothing worse is found. The same applies to an entry of one's own that may not be read, which is
      reported as `unread`. An entry whose last update is incomplete, because the update was interrupted or has been
      damaged since, is reported as `unfinished`: its previous state counts, as stale, and a fetch completes the update.
      """#,
    flags: [StoreCommandFlags.repair, StoreCommandFlags.json],
    select: { $0.command = .cache(.verify) })

  static let pin = Command<Invocation>(
    "pin",
    summary: "Keep stored responses when the cache is full.",
    details: """
      Neither a full cache nor `garner cache prune` removes a pinned response. It is freshened, replaced and invalidated
      as usual, and its replacement is pinned, too. If there is no room for the replacement, the response that it
      supersedes is removed all the same, with a warning. `garner cache rm` removes pinned responses. PATTERN and the
      options select responses as for `garner cache ls`. The exit status is 110 if a single URL is named and not stored.
      Otherwise, each PATTERN for which nothing is selected is reported, the others are carried out, and the exit status
      is 1.
      """,
    flags: EntryFilterFlags.all,
    operands: [pattern],
    select: { $0.command = .cache(.pin) })

  static let unpin = Command<Invocation>(
    "unpin",
    summary: "Let pinned responses be removed when the cache is full.",
    details: """
      The responses are no longer pinned. They stay until the cache needs room and their turn comes. PATTERN, the
      options and the exit status are as for `garner cache pin`.
      """,
    flags: EntryFilterFlags.all,
    operands: [pattern],
    select: { $0.command = .cache(.unpin) })

  static let tag = Command<Invocation>(
    "tag",
    summary: "Set or delete tags of stored responses.",
    details: #"""
      Sets each KEY to VALUE, which may be empty; \flag{delete} deletes a KEY. Other tags stay, and all tags stay when
      the response is freshened or replaced. `garner cache ls` and similar commands can select by tag. PATTERN and the
      exit status are as for `garner cache pin`.

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
    summary: "List the URLs that the cache cannot answer without the network.",
    details: #"""
      Looks up each URL as \flag{offline} would, with the options of the fetch that will need it: a response that is
      stored for another Accept or for other credentials is no answer, nor is a stored error. With \flag{sha256}, a
      response of any URL that has the digest is an answer. Redirects are followed, and stored responses are verified.
      Each URL without an answer is printed as it was typed, one per line, and the exit status is then 110. Nothing is
      sent or changed. `--json` takes DATA here, as for a fetch.

          garner cache check --offline --input-file urls.txt
      """#,
    flags: RequestFlags.all + KeyFlags.all + FreshnessFlags.all + ConnectionFlags.keyed + IntegrityFlags.all + [
      ConnectionFlags.location, ConnectionFlags.locationTrusted, ConnectionFlags.maxRedirects,
      CacheFlags.offline, ManyFlags.url, ManyFlags.list, ManyFlags.globOff, ManyFlags.next, ManyFlags.curlConfig,
      StoreCommandFlags.null,
    ],
    flagsIgnoredInFiles: OutputFlags.ofDelivery,
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
    summary: "Show how much is stored, and how often it was used.",
    details: """
      Requests are counted by their result: `hits` (served while fresh), `stale` (served stale, where that is allowed),
      `validated` (a 304), `updated` (a new response replaced the stored one), `misses` and `bypassed`. The ratio is the
      share of requests whose content came from the cache, among all requests except those that bypassed it. `saved` is
      the content that came from the cache and was not transferred. Hosts (the twenty largest) and types are shown with
      the bytes that are stored of them, and with bars, which consist of `#` if the locale does not use UTF-8. A figure
      with "about" is an estimate, because not everything has been counted yet. An entry is a file; instead of a
      response, it may hold the list of a URL's responses.

      In a pipe, each line has a name, a tab and a number: `entries`, `bytes`, `capacity`, `hits`, `stale`, `validated`,
      `updated`, `misses`, `bypassed`, `bytes_saved`, and `ratio`, which is from 0 to 1, or `-`. Then come all hosts, as
      `host`, the name, bytes, entries, hits and bytes saved, and the types, as `type`, the name, bytes and entries. The
      JSON has the same names, and `estimated`, `by_host` and `by_type`.
      """,
    flags: [StoreCommandFlags.json, StoreCommandFlags.zero, CacheFlags.diskCapacity],
    select: { $0.command = .cache(.stats) })

  static let dir = Command<Invocation>(
    "dir",
    summary: "Print the cache directory.",
    select: { $0.command = .cache(.dir) })

  private static var removalFlags: [Flag<Invocation>] {
    [StoreCommandFlags.dryRun, StoreCommandFlags.all, StoreCommandFlags.ifExists]
  }

  /// A hidden command for completion scripts, which are printed from this table and know its words.
  static let complete = Command<Invocation>(
    "complete",
    summary: "Print stored URLs, hosts, tags or groups that begin with a word.",
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
