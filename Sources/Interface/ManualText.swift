import FlagTable
import HTTPCaching

/// The chapters of the manual that are not printed from the table of flags.
enum ManualText {
  static let description = ManualSection(
    "Description",
    #"""
    `garner` fetches URLs, as curl does, and keeps what it may keep, as a browser does. Each URL is answered from the
    cache where RFC 9111 allows it, validated where that is asked for, and fetched where it must be. What is fetched is
    stored where that is allowed. The body goes to standard output, or to where \flag{output} says; nothing else does.

    Options are spelt as curl's are. Where garner behaves otherwise, it is in this: redirects are followed
    (\flag{location}), though never from https to http; a status of 400 or above prints the body and makes the exit
    status 22 (\flag{fail}); a file given to \flag{output} appears whole or not at all; progress is shown only where
    standard error is a terminal and the body is not printed on one.

    The first operand may be one of the commands below. Behind `--` it is a URL, whatever its name. Options may stand
    anywhere; short ones may be bundled, as in `-sSo file`; `--name=value` works for every option with a value.
    """#)

  static let caching = ManualSection(
    "Caching",
    #"""
    The cache is private to its user, and persistent. It follows RFC 9110 and RFC 9111: a stored response is served
    while it is fresh; a stale one is validated with the origin, and when the origin says that it is unchanged, the
    stored body is printed. A response without an explicit lifetime is fresh for a tenth of the time since it was last
    modified, a week at most; without a Last-Modified, it is stale at once. Where the origin cannot be reached, or
    answers 500, 502, 503 or 504, a stale response is served if its stale-if-error (RFC 5861) allows it.

    Responses to requests with credentials are stored apart for each set of credentials, and so are those that were
    fetched with \flag{insecure} or \flag{cacert}. Several processes may use one cache at a time. Nothing that happens
    to the cache makes a fetch fail: where it cannot be used, garner says so once and does without. A stored response
    that is found damaged before any of it was printed is fetched anew.

    QUERY (RFC 10008), by \flag{request} and \flag{data}, is cached like GET; what is sent and its type are part of what
    is asked for.

    An origin can have its stored responses removed: all by Clear-Site-Data over https (not with \flag{insecure}), those
    of some Cache-Groups by Cache-Group-Invalidation in the answer to an unsafe method (RFC 9875).

    Where an origin says what digest its content has (Content-Digest or Repr-Digest, RFC 9530, with sha-256 or sha-512),
    that is checked: content with another one is neither stored nor put into the file of \flag{output}.

    Without a network, or over a mobile one, the cache can do more than the protocol lets it: \flag{reachability} has
    the state of the network select the policy, as `garner network` shows.

    The cache policies, which \flag{cache-policy} names in any of three vocabularies:
    """#,
    terms: cachePolicies.terms)

  static let cachePolicies = ManualSection(
    "Cache policies",
    #"""
    \flag{cache-policy} takes a policy by the name in the first column, by Apple's name for it, with or without
    `NSURLRequest` before it, or by that of the Fetch standard. Case does not matter.
    """#,
    terms: PolicyName.all.map { name in
      let others = name.apple + [name.fetch].compactMap { $0 == name.policy.rawValue ? nil : $0 }
      let spelt = others.isEmpty ? "" : " Also " + others.map { "`\($0)`" }.joined(separator: ", ") + "."
      return ManualSection.Term(name.policy.rawValue, name.meaning + spelt)
    })

  static let configFile = ManualSection(
    "Config file",
    #"""
    Every option of a fetch can be given in a config file too, by its long name without the dashes, one a line. It is
    `garner/config` below `$XDG_CONFIG_HOME` or `~/.config`, or what `--config` or GARNER_CONFIG names.

        # For every URL
        max-time = 2m
        header = "X-Team: build"

        # For some
        [site "https://api.github.com/*"]
        cache-policy = revalidate
        header = "Accept: application/vnd.github+json"
        compressed

    A value goes on to the end of its line, or to a `#` behind a blank. In quotation marks it may hold anything; `\"`,
    `\\`, `\t` and `\n` are what they are in C. An option without a value is its name alone, or `name = yes`, and
    `name = no` leaves it off, even where a weaker layer gives it. Lines that begin with `#` are comments.

    A section `[site "PATTERN"]` is for the URLs that PATTERN matches. The host of a pattern may begin with `*.`, which
    stands for every host below it; `*` in its path stands for anything. Without a scheme, both http and https are
    meant; without a port, that of the scheme, and `:*` is any; without a path, every path. Of the sections that match,
    the most specific counts, alone: an exact host before `*.`, then the longer path, then a scheme and a port that are
    given, then the later section. It is the URL that was typed which is matched, and a redirect keeps its settings;
    credentials, though, go to no other origin. What a run has only once (`cache-dir`, `output` and its kin, `data` and
    its kin, `verbose`) cannot be set for a site.

    A section `[reachability]` holds lines such as `wwan = cache-only`: each is `--reachability-policy` for a state.

    Of several that set the same, the first of these counts: the command line, a variable of the environment, the
    section for the site, the part before all sections. One cache policy takes the place of another, however it is
    spelt, and a field that of the same name; fields with other names are sent as well. With `--verbose`, and in
    `garner config show`, each setting is printed with where it came from.
    """#)

  static let exitStatus = ManualSection(
    "Exit status",
    """
    The numbers are curl's where curl has one. With several URLs, the status is that of the first that failed; the
    others are fetched all the same. A process that is ended by a signal ends by that signal, which a shell shows as 128
    and its number: 130 for an interrupt.
    """,
    terms: ExitStatus.allCases.map { .init(String($0.rawValue), $0.meaning) })

  static let environment = ManualSection(
    "Environment",
    """
    Every option of a fetch has a variable: its name in upper case behind `GARNER_`, with underscores for hyphens and
    dots. An option without a value is given by `1`, `yes`, `on` or `true`, and not given by `0`, `no`, `off` or
    `false`. Any other value is an error, and an empty one counts as none. The command line comes first.

    The variables are \(ConfigKeys.variables.map { "`\($0)`" }.joined(separator: ", ")).
    """,
    terms: [
      .init(ConfigKeys.fileVariable, #"The config file, where \flag{config} does not name one."#),
      .init(
        "XDG_CONFIG_HOME",
        "The directory above that of the config file, instead of `~/.config`. A relative path is ignored."),
      .init(
        "XDG_CACHE_HOME", "The directory above that of the cache, instead of `~/.cache`. A relative path is ignored."),
      .init("HOME", "The user's directory. Without it and the variables above, nothing is cached."),
      .init("NO_COLOR", #"Where it is set and not empty, nothing is coloured, unless \flag{color} says `always`."#),
      .init(
        "http_proxy, https_proxy, all_proxy, no_proxy",
        #"Proxies, and the hosts that none is used for, as in curl. \flag{proxy} comes first."#),
      .init(
        "CURL_CA_BUNDLE, SSL_CERT_DIR, SSL_CERT_FILE",
        #"""
        Where the certificate authorities are, as in curl: the first of them that is set counts. \flag{cacert} comes
        before them. What is fetched so is not stored apart.
        """#),
    ])

  static let files = ManualSection(
    "Files",
    terms: [
      .init("~/.config/garner/config", "The config file; it need not be there."),
      .init(
        "~/.cache/garner",
        "The cache. It belongs to its user alone, and may be removed at any time; garner makes a new one."),
    ])

  static let examples = ManualSection(
    "Examples",
    """
    Fetch, and fetch again without the network:

        garner https://example.com/data.json
        garner --offline https://example.com/data.json

    Ask the origin whether what is stored is still current, and see why garner does what it does:

        garner -v --refresh -o data.json https://example.com/data.json

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

  static let seeAlso = ManualSection("See also", "`curl`(1), RFC 9110, RFC 9111, RFC 5861, RFC 9211")

  static var after: [ManualSection] {
    [exitStatus, environment, files, examples, seeAlso]
  }

  static let commands = ManualSection(
    "Commands",
    "`garner URL...` fetches. The first operand may be a command instead:",
    terms: [
      .init("cache ls [PATTERN...]", Commands.ls.summary),
      .init("cache show URL", Commands.show.summary),
      .init("cache cat URL", Commands.cat.summary),
      .init("cache explain URL", Commands.explain.summary),
      .init("cache rm PATTERN...", Commands.rm.summary),
      .init("cache prune", Commands.prune.summary),
      .init("cache stats", Commands.stats.summary),
      .init("cache pin URL", Commands.pin.summary),
      .init("cache unpin URL", Commands.unpin.summary),
      .init("cache export FILE [PATTERN...]", Commands.export.summary),
      .init("cache import FILE", Commands.importArchive.summary),
      .init("cache dir", Commands.dir.summary),
      .init("config check [FILE]", Commands.configCheck.summary),
      .init("config show [URL]", Commands.configShow.summary),
      .init("network [URL]", Commands.network.summary),
      .init("completions SHELL", Commands.completions.summary),
      .init("help [TOPIC...]", Commands.helpCommand.summary),
    ])
}
