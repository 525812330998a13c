import FlagTable

// What the manual says of the `cache` commands.

extension ManualText {
  static let cacheDescription = ManualSection(
    "Description",
    """
    These commands show and change what garner has stored. None of them sends anything. All of them can run at the same
    time as fetches, which neither wait nor fail because of them. A cache that does not exist counts as empty. A cache
    that is read-only can be listed, verified and counted like any other.
    """)

  static let patterns = ManualSection(
    "Patterns",
    """
    PATTERN is a URL, in which `*` matches anything, including slashes. Without a scheme, it matches both http and
    https. Case does not matter in the scheme and the host. A URL without an asterisk selects the response that a fetch
    of it would store. PATTERN is compared with the URL itself, not with its masked form. A response is selected if any
    PATTERN matches, or if there is none. If options of one kind are given several times, one of them must match;
    options of different kinds must all match. If an option for a size or a time is given several times, the last one
    counts.

    The exact URL of a stored response is not a pattern, but selects that URL alone: with its asterisks, with its dot
    segments (`--path-as-is`), and with `***` in place of its secrets, as `garner cache ls` prints it. If several URLs
    are printed alike, `ls` and `export` select all of them; the other commands refuse the URL, and do nothing.

        garner cache ls --host '*.example.com' --type json --stale
    """)

  static let formats = ManualSection(
    "Listing formats",
    """
    On a terminal, `garner cache ls` prints a table. A letter shows the state: `F` fresh, `S` stale, `V` to be validated
    before every use, `P` partial. An asterisk after the letter marks a pinned entry. In a pipe, the columns are the
    state (`fresh`, `stale`, `validate`, `partial`), the status code, the size in bytes, the age and the remaining
    freshness lifetime in seconds, the type, and the URL, separated by tabs.

    `partial` is what a transfer that broke off, or a range request, has left. Its size is that of the part, followed by
    a slash and the size of the whole, or `?`. The next fetch of the URL continues it if possible.

    `--json` prints an array, `--jsonl` one object per line, `--null` only URLs, and `--format` a given format. Names
    are in snake_case, and times have the format of RFC 3339. An unknown value is `null`. These are the names:
    """,
    terms: ListedField.allCases.map { .init($0.rawValue, $0.meaning) })

  static let cacheExitStatus = ManualSection(
    "Exit status", "These are the exit statuses of the cache commands; `garner`(1) lists all.",
    terms: terms(of: [
      .success, .nothingMatched, .usage, .malformedURL, .partialContent, .writeFailed, .readFailed, .notCached,
      .storeUnusable, .storeDamaged,
    ]))

  static let cacheExamples = ManualSection(
    "Examples",
    #"""
    List large responses that have not been used for a month, the largest first:

        garner cache ls --unused-for 4w --larger-than 10M --sort size

    Print sizes and URLs for another program:

        garner cache ls --format '{size}\t{url}'

    Keep what a build needs, and remove unused other responses:

        garner cache tag 'https://example.com/sdk/*' project=web
        garner cache pin --tag project=web
        garner cache prune --unused-for 4w

    Show what would be missing without a network:

        garner cache check --offline https://example.com/ https://example.com/data.json

    Carry the stored responses of a site to another machine:

        garner cache export site.warc.gz 'https://example.com/*'
        garner cache import site.warc.gz

    Show how useful the cache was:

        garner cache stats
    """#)
}

extension ListedField {
  /// A sentence for `garner help formats` and the manual page.
  fileprivate var meaning: String {
    switch self {
    case .url: "The URL; anything that looks like a secret in it is masked, unless `--show-secrets` is given."
    case .method: "The method of the request."
    case .status: "The status code."
    case .type: "The Content-Type."
    case .size: "The number of stored bytes of content."
    case .total: "The number of bytes of the whole content, if only a part is stored."
    case .storedAt: "When the response was received, or last validated."
    case .usedAt: "When the response was last used; a use is recorded at most once an hour."
    case .expiresAt: "When the response becomes, or became, stale."
    case .age: "The age of the response, in seconds."
    case .ttl: "How long the response stays fresh, in seconds; negative if it is stale."
    case .state: "`fresh`, `stale`, `validate` or `partial`."
    case .pinned: "Whether the response is pinned."
    case .tags: "The tags, as an object."
    case .vary: "The request fields that select the response."
    case .etag: "The ETag."
    case .lastModified: "The Last-Modified."
    case .groups: "The Cache-Groups."
    case .key: "The key that the response is stored under."
    }
  }
}
