import FlagTable

// What the manual says of the `cache` commands.

extension ManualText {
  static let cacheDescription = ManualSection(
    "Description",
    #"""
    These commands look at what garner has stored, and change it. None of them sends anything, and all of them may run
    beside fetches, which neither wait nor fail for it. A cache that is not there is an empty one; one that may only be
    read is listed, verified and counted like any other.
    """#)

  static let patterns = ManualSection(
    "Patterns",
    #"""
    PATTERN is a URL, in which `*` stands for anything, also for a slash; without a scheme, both http and https are
    meant. Scheme and host have no case. A URL without an asterisk is the one that a fetch of it would store. It is
    matched with the URL itself, masked or not. What any PATTERN matches is meant, and everything where there is none.
    Of several options of one sort, one has to hold; of several sorts, each. Of several sizes, or moments, that were
    given to one option, the last counts.

    What is the URL of something stored, as it is spelt, is no pattern, and means that URL alone: with its asterisks,
    with its dot segments (`--path-as-is`), and with `***` in the place of its secrets, as `garner cache ls` prints it.
    Where several URLs are printed so, `ls` and `export` take all of them; the others refuse it, and do nothing.

        garner cache ls --host '*.example.com' --type json --stale
    """#)

  static let formats = ManualSection(
    "Listing formats",
    #"""
    On a terminal, `garner cache ls` prints a table with a letter for the state (`F` fresh, `S` stale, `V` to be
    validated before every use, `P` a part), with an asterisk behind it where the entry is pinned. In a pipe, the
    columns are the state (`fresh`, `stale`, `validate`, `partial`), the status code, the size in bytes, the age and the
    rest of the freshness lifetime in seconds, the type, and the URL, with tabs between.

    `partial` is what a transfer that broke off, or a range, has left: its size is that of the part, and behind a slash
    that of the whole, or `?`. The next fetch of the URL continues it where it can.

    `--json` prints an array, `--jsonl` an object a line, `--null` URLs alone, and `--format` what it is told to. Names
    are in snake_case, and times are those of RFC 3339. What is not known is `null`. These are the names:
    """#,
    terms: ListedField.allCases.map { .init($0.rawValue, $0.meaning) })

  static let cacheExitStatus = ManualSection(
    "Exit status", "Those that a command of these ends with; `garner`(1) has all.",
    terms: terms(of: [
      .success, .nothingMatched, .usage, .malformedURL, .partialContent, .writeFailed, .readFailed, .notCached,
      .storeUnusable, .storeDamaged,
    ]))

  static let cacheExamples = ManualSection(
    "Examples",
    """
    What is large and has not been used for a month, the largest first:

        garner cache ls --unused-for 4w --larger-than 10M --sort size

    Sizes and URLs, for another program:

        garner cache ls --format '{size}\\t{url}'

    Keep what a build needs, and let go of the rest:

        garner cache tag 'https://example.com/sdk/*' project=web
        garner cache pin --tag project=web
        garner cache prune --unused-for 4w

    What would be missing without a network:

        garner cache check --offline https://example.com/ https://example.com/data.json

    Carry what is stored of a site to another machine:

        garner cache export site.warc.gz 'https://example.com/*'
        garner cache import site.warc.gz

    What the cache was good for:

        garner cache stats
    """)
}

extension ListedField {
  /// A sentence for `garner help formats` and the manual page.
  fileprivate var meaning: String {
    switch self {
    case .url: "The URL; what looks like a secret in it is masked, unless `--show-secrets` is given."
    case .method: "The method of the request."
    case .status: "The status code."
    case .type: "The Content-Type."
    case .size: "The bytes of content that are stored."
    case .total: "The bytes of the whole content of which a part is stored."
    case .storedAt: "When it was received, or last validated."
    case .usedAt: "When it was last used; a use is noted at most once an hour."
    case .expiresAt: "When it becomes, or became, stale."
    case .age: "Its age, in seconds."
    case .ttl: "For how long it stays fresh, in seconds; negative where it is stale."
    case .state: "`fresh`, `stale`, `validate` or `partial`."
    case .pinned: "Whether it is kept when room is made."
    case .tags: "What was noted with it, as an object."
    case .vary: "The request fields that select it."
    case .etag: "Its ETag."
    case .lastModified: "Its Last-Modified."
    case .groups: "Its Cache-Groups."
    case .key: "What it is stored under."
    }
  }
}
