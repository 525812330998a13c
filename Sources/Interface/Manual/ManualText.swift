import FlagTable

/// The texts of the manual that are not in the table of flags, each in one place.
///
/// This file has those of all pages; the files beside it have the others.
enum ManualText {
  static let description = ManualSection(
    "Description",
    #"""
    `garner` fetches URLs, as curl does, and keeps what it may keep, as a browser does. Each URL is answered from the
    cache where RFC 9111 allows it, validated where that is asked for, and fetched where it must be. What is fetched is
    stored where that is allowed. The body goes to standard output, or to where \flag{output} says; nothing else does.

    Options are spelt as curl's are. Where garner behaves otherwise, it is in this: redirects are followed
    (\flag{location}), from https to http only where \flag{proto-redir} says so; a status of 400 or above prints the
    body and makes the exit status 22 (\flag{fail}); a file given to \flag{output} appears whole or not at all; progress
    is shown only where standard error is a terminal and the body is not printed on one.

    The first operand may be a command; those that look after the cache are in `garner-cache`(1). Behind `--` it is a
    URL, whatever its name. Options may stand anywhere, but before a command only those that a fetch has as well; short
    ones may be bundled, as in `-sSo file`; `--name=value` works for every option with a value. Options may also be
    given in a config file, for all URLs and for some, and in the environment: see `garner-config`(5).

    `garner help TOPIC` prints a section of this manual, and `garner help topics` lists them.
    """#)

  static let exitStatus = ManualSection(
    "Exit status",
    """
    The numbers are curl's where curl has one. With several URLs, the status is that of the first that failed; the
    others are fetched all the same. A process that is ended by a signal ends by that signal, which a shell shows as 128
    and its number: 130 for an interrupt.
    """,
    terms: terms(of: ExitStatus.allCases))

  static func terms(of statuses: [ExitStatus]) -> [ManualSection.Term] {
    statuses.map { .init(String($0.rawValue), $0.meaning) }
  }

  static let diagnostics = ManualSection(
    "Diagnostics",
    #"""
    Standard output has the body, or what a command was asked for, and nothing else; whatever is said stands on standard
    error. What an origin, a file name or a URL brings into a message is escaped, so that it cannot steer a terminal,
    and passwords and tokens in URLs are masked. Heads are escaped on a terminal only.
    """#,
    terms: [
      .init(
        "garner: WHAT: WHY",
        #"An error, in one line; \flag{silent} without \flag{show-error} leaves it out. The exit status says which."#),
      .init("hint: TEXT", "Behind an error, in a line of its own: what may help."),
      .init(
        "garner: warning: TEXT",
        #"""
        Something that does not stop the run, such as a response that is stale, or a cache that cannot be used. It is
        said once, and not at all with \flag{silent}.
        """#),
      .init(
        "garner: FILE, line NUMBER: WHAT",
        "An error in a config file, a list of URLs or a file of options, with its place."),
      .init(
        "* TEXT, > LINE, < LINE",
        #"With \flag{verbose}: what garner does and why, what was sent, and the heads of responses."#),
    ])

  static let standards = ManualSection(
    "Standards",
    terms: [
      .init("RFC 9110, RFC 9111, RFC 9112, RFC 9113", "HTTP, its caches, HTTP/1.1 and HTTP/2."),
      .init("RFC 5861, RFC 8246", "stale-while-revalidate and stale-if-error; immutable."),
      .init("RFC 9211", "Cache-Status."),
      .init("RFC 9530", "Content-Digest and Repr-Digest."),
      .init("RFC 9875", "Cache-Groups and Cache-Group-Invalidation."),
      .init("RFC 10008", "The method QUERY."),
      .init("RFC 3986", "URLs."),
      .init("RFC 6265, RFC 6797, RFC 7838", "Cookies; HSTS; Alt-Svc."),
      .init("RFC 6266, RFC 8187", "Names of files in Content-Disposition."),
      .init("RFC 7578", "Forms."),
      .init("WARC 1.1, HAR 1.2", "Archives of `garner cache export` and `garner cache import`."),
    ])

  static let files = ManualSection(
    "Files",
    terms: [
      .init(
        "~/.config/garner/config",
        "The config file; it need not be there. Its directory is below `$XDG_CONFIG_HOME` where that is set."),
      .init(
        "~/.cache/garner",
        """
        The cache; it is below `$XDG_CACHE_HOME` where that is set. It belongs to its user alone, and may be removed at
        any time; garner makes a new one.
        """),
      .init(
        "~/.netrc", #"Users and passwords by host, with \flag{netrc}."#),
      .init(
        "../libexec/garner/garner-transport",
        "The program that speaks with origins, by libcurl. It is started when the first request is sent."),
      .init(
        "../libexec/garner/garner-idn",
        "The program that brings the name of a host to ASCII, by libidn2. It is started for what is not in ASCII."),
      .init(
        "../libexec/garner/garner-psl",
        """
        The program that knows the public suffixes, by libpsl. It is started for a cookie that is to be for a whole
        domain.
        """),
    ])

  /// The environment of a fetch. `garner-config`(5) has the variables of options.
  static let fetchEnvironment = ManualSection(
    "Environment", "Every option that a config file can have has a variable: see `garner-config`(5).",
    terms: foundVariables)

  static let foundVariables: [ManualSection.Term] = [
    .init(ConfigKeys.fileVariable, #"The config file, where \flag{config} does not name one."#),
    .init(
      "XDG_CONFIG_HOME",
      "The directory above that of the config file, instead of `~/.config`. A relative path is ignored."),
    .init(
      "XDG_CACHE_HOME",
      """
      The directory above that of the cache, instead of `~/.cache`. With a relative path, nothing is cached, and one
      warning says so.
      """),
    .init("HOME", "The user's directory. Without it and the variables above, nothing is cached."),
    .init("NO_COLOR", #"Where it is set and not empty, nothing is coloured, unless \flag{color} says `always`."#),
    .init(
      "http_proxy, https_proxy, all_proxy, no_proxy",
      #"Proxies, and the hosts that none is used for, as in curl. \flag{proxy} comes first."#),
    .init(
      "CURL_CA_BUNDLE, SSL_CERT_DIR, SSL_CERT_FILE",
      #"""
      Where the certificate authorities are, in the place of the system's: the first of them that is set counts, as in
      curl. \flag{cacert} comes before them. What is fetched so is not stored apart.
      """#),
  ]

  static let examples = ManualSection(
    "Examples",
    """
    Fetch, and fetch again without the network:

        garner https://example.com/data.json
        garner --offline https://example.com/data.json

    Ask the origin whether what is stored is still current, and see why garner does what it does:

        garner -v --refresh -o data.json https://example.com/data.json

    Let a script know whether anything new has come: the exit status is then 114, and the file is as it was.

        garner --exit-unchanged -so data.json https://example.com/data.json

    Post JSON:

        garner --json '{"name": "value"}' https://example.com/things

    See why a request would be answered as it would, under each cache policy:

        garner cache explain https://example.com/data.json

    See what is stored of a site, and remove it:

        garner cache ls 'https://example.com/*'
        garner cache rm 'https://example.com/*'

    Go by the network: without one, answer from the cache, and over a mobile one, fetch what is absent only. See how it
    stands:

        garner --reachability auto https://example.com/data.json
        garner network
    """)

  static let commands = ManualSection(
    "Commands",
    "`garner URL...` fetches. The first operand may be a command instead:",
    terms: Commands.root.synopses.map { .init($0.usage, $0.summary) })

  static var topics: ManualSection {
    ManualSection(
      "Topics",
      """
      `garner help TOPIC` tells of one of these, and `garner help COMMAND` of a command, such as `garner help cache ls`.
      """,
      terms: ManualTopic.allCases.map { .init($0.rawValue, $0.summary) }
        + Commands.root.subcommands.filter { !$0.isHidden }.map { .init($0.name, $0.summary) } + [
          .init("\(ManualPage.topic) [PAGE]", "The source of a manual page: `garner help man | man -l -`.")
        ])
  }
}
