import FlagTable

/// The texts of the manual that are not in the table of flags, each in one place.
///
/// This file has those of all pages; the files beside it have the others.
enum ManualText {
  static let description = ManualSection(
    "Description",
    #"""
    `garner` fetches URLs, as curl does, and caches responses, as a browser does. It answers each URL from the cache
    where RFC 9111 allows it, validates the stored response with the origin where that is required, and fetches it
    otherwise. Fetched responses are stored where that is allowed. The body goes to standard output, or to the file of
    \flag{output}; nothing else goes there unless an option asks for it.

    Options are spelt as in curl. garner differs from curl in these points: redirects are followed (\flag{location}),
    but from https to http only if \flag{proto-redir} allows it; a status of 400 or above prints the body and makes the
    exit status 22 (\flag{fail}); a file of \flag{output} appears whole or not at all; progress is shown only if
    standard error is a terminal and the body is not printed on one.

    The first operand may be a command. `garner-cache`(1) describes the commands that manage the cache. After `--`, the
    first operand is a URL, even if it is the name of a command. Options may stand anywhere, but before a command only
    options that a fetch also has. Short options may be combined, as in `-sSo file`. `--name=value` works for every
    option with a value. Options may also be set in a config file, for all URLs or for some, and in the environment: see
    `garner-config`(5).

    `garner help TOPIC` prints a section of this manual, and `garner help topics` lists the topics.
    """#)

  static let exitStatus = ManualSection(
    "Exit status",
    """
    The numbers are curl's where curl has one. With several URLs, the status is that of the first URL that failed; the
    others are still fetched. A process that is ended by a signal ends by that signal, which a shell shows as 128 plus
    its number: 130 for an interrupt.
    """,
    terms: terms(of: ExitStatus.allCases))

  static func terms(of statuses: [ExitStatus]) -> [ManualSection.Term] {
    statuses.map { .init(String($0.rawValue), $0.meaning) }
  }

  static let diagnostics = ManualSection(
    "Diagnostics",
    """
    Standard output has only the body, or what the command prints; messages go to standard error. Text in a message that
    comes from an origin, a file name or a URL is escaped, so that it cannot control the terminal, and passwords and
    tokens in URLs are masked. Heads are escaped only on a terminal.
    """,
    terms: [
      .init(
        "garner: WHAT: WHY",
        #"An error, in one line; \flag{silent} without \flag{show-error} hides it. The exit status shows its kind."#),
      .init("hint: TEXT", "Advice, in a line of its own after an error."),
      .init(
        "garner: warning: TEXT",
        #"""
        A problem that does not stop the run, such as a stale response, or a cache that cannot be used. It is reported
        once, and not at all with \flag{silent}.
        """#),
      .init(
        "garner: FILE, line NUMBER: WHAT",
        "An error in a config file, a list of URLs or a file of options, with its line."),
      .init(
        "* TEXT, > LINE, < LINE",
        #"With \flag{verbose}: what garner does and why, what is sent, and the heads of responses."#),
    ])

  static let standards = ManualSection(
    "Standards",
    terms: [
      .init("RFC 9110, RFC 9111, RFC 9112, RFC 9113", "HTTP, HTTP caching, HTTP/1.1 and HTTP/2."),
      .init("RFC 5861, RFC 8246", "stale-while-revalidate and stale-if-error; immutable."),
      .init("RFC 9211", "Cache-Status."),
      .init("RFC 9530", "Content-Digest and Repr-Digest."),
      .init("RFC 9875", "Cache-Groups and Cache-Group-Invalidation."),
      .init("RFC 10008", "The method QUERY."),
      .init("RFC 3986", "URLs."),
      .init("RFC 6265, RFC 6797, RFC 7838", "Cookies; HSTS; Alt-Svc."),
      .init("RFC 6266, RFC 8187", "File names in Content-Disposition."),
      .init("RFC 7578", "Forms."),
      .init("WARC 1.1, HAR 1.2", "The archives of `garner cache export` and `garner cache import`."),
    ])

  static let files = ManualSection(
    "Files",
    terms: [
      .init(
        "~/.config/garner/config",
        "The config file, which is optional. Its directory is below `$XDG_CONFIG_HOME` if that is set."),
      .init(
        "~/.cache/garner",
        """
        The cache, which is below `$XDG_CACHE_HOME` if that is set. It belongs to its user alone, and may be removed at
        any time; garner creates a new one.
        """),
      .init(
        "~/.netrc", #"Users and passwords by host, for \flag{netrc}."#),
      .init(
        "../libexec/garner/garner-transport",
        "The program that talks to origins, with libcurl. It is started when the first request is sent."),
      .init(
        "../libexec/garner/garner-idn",
        "The program that converts host names to ASCII, with libidn2. It is started for a name that is not in ASCII."),
      .init(
        "../libexec/garner/garner-psl",
        """
        The program that recognizes public suffixes, with libpsl. It is started for a cookie that applies to a whole
        domain.
        """),
    ])

  /// The environment of a fetch. `garner-config`(5) has the variables of options.
  static let fetchEnvironment = ManualSection(
    "Environment", "Every option that a config file can set has a variable: see `garner-config`(5).",
    terms: foundVariables)

  static let foundVariables: [ManualSection.Term] = [
    .init(ConfigKeys.fileVariable, #"The config file, if \flag{config} does not name one."#),
    .init(
      "XDG_CONFIG_HOME",
      "The directory above that of the config file, in place of `~/.config`. A relative path is ignored."),
    .init(
      "XDG_CACHE_HOME",
      """
      The directory above that of the cache, in place of `~/.cache`. With a relative path, nothing is cached, and garner
      warns once.
      """),
    .init("HOME", "The user's home directory. Without it and the variables above, nothing is cached."),
    .init("NO_COLOR", #"If it is set and not empty, nothing is coloured, unless \flag{color} is `always`."#),
    .init(
      "http_proxy, https_proxy, all_proxy, no_proxy",
      #"Proxies, and hosts that are reached without one, as in curl. \flag{proxy} takes precedence."#),
    .init(
      "CURL_CA_BUNDLE, SSL_CERT_DIR, SSL_CERT_FILE",
      #"""
      The certificate authorities to trust in place of the system's. The first variable that is set counts, as in curl.
      \flag{cacert} takes precedence. Responses are not stored separately.
      """#),
  ]

  static let examples = ManualSection(
    "Examples",
    """
    Fetch a URL, and fetch it again without the network:

        garner https://example.com/data.json
        garner --offline https://example.com/data.json

    Ask the origin whether the stored response is still current, and show why garner does what it does:

        garner -v --refresh -o data.json https://example.com/data.json

    Let a script know whether anything new has arrived. If not, the exit status is 114, and the file is left as it was:

        garner --exit-unchanged -so data.json https://example.com/data.json

    Post JSON:

        garner --json '{"name": "value"}' https://example.com/things

    Show how a request would be answered under each cache policy, and why:

        garner cache explain https://example.com/data.json

    List the stored responses of a site, and remove them:

        garner cache ls 'https://example.com/*'
        garner cache rm 'https://example.com/*'

    Let the network select the policy: without a network, answer from the cache, and over a mobile network, fetch only
    what is not stored. Then show the state of the network:

        garner --reachability auto https://example.com/data.json
        garner network
    """)

  static let commands = ManualSection(
    "Commands",
    "`garner URL...` fetches URLs. The first operand may be a command instead:",
    terms: Commands.root.synopses.map { .init($0.usage, $0.summary) })

  static var topics: ManualSection {
    ManualSection(
      "Topics",
      """
      `garner help TOPIC` describes one of these, and `garner help COMMAND` a command, such as `garner help cache ls`.
      """,
      terms: ManualTopic.allCases.map { .init($0.rawValue, $0.summary) }
        + Commands.root.visibleSubcommands.map { .init($0.name, $0.summary) } + [
          .init("\(ManualPage.topic) [PAGE]", "The source of a manual page: `garner help man | man -l -`.")
        ])
  }
}
