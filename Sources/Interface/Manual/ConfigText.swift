import FlagTable

// What the manual says of settings in a file and in the environment.

extension ManualText {
  static let configDescription = ManualSection(
    "Description",
    """
    Every option of a fetch can also be set in a config file, by its long name without the dashes, one per line. Only
    these options must be typed: `--input-file`, `--url`, `--curl-config`, `--next`, `--config`, `--disable`, `--help`
    and `--version`.

    All commands read the file, except `garner config check`, `garner completions` and `garner help`. Commands that
    print no body ignore options for the body. `dry-run` applies to every command that sends or removes; while it is
    set, other commands that write, such as `garner cache tag`, refuse to run, with 2.

    If the file sets an option without a value, `no` in a section or in its variable undoes it, and so does its
    `--no-NAME` on the command line, if there is one. `--cache-policy protocol` replaces any policy.

    The file is `garner/config` below `$XDG_CONFIG_HOME` or `~/.config`, or the file that `--config` or GARNER_CONFIG
    names; with `-q`, none is read. `garner config check` prints every error in it, and `garner config show URL` shows
    which settings apply to a URL, and where each came from.
    """)

  static let configFile = ManualSection(
    "File format",
    #"""
    For example:

        # For every URL
        max-time = 2m
        header = "X-Team: build"

        # For some
        [site "https://api.github.com/*"]
        cache-policy = revalidate
        header = "Accept: application/vnd.github+json"
        compressed

    A value ends at the end of its line, or at a `#` after a blank. In quotation marks it may contain anything; `\"`,
    `\\`, `\t` and `\n` have the same meaning as in C. An option without a value is written as its name alone, or as
    `name = yes`; `name = no` turns it off, even if a weaker layer sets it, as `--no-name` does. Lines that begin with
    `#` are comments. Settings before the first section apply to every URL. If a value is the name of a file or
    directory, or `@` with such a name, the name may begin with `~` or `~/`, which stands for HOME; the same is true in
    a variable. Write `./~` for a directory that is called `~`.
    """#)

  static let sites = ManualSection(
    "Sites",
    """
    A section `[site "PATTERN"]` applies to the URLs that PATTERN matches. The host of a pattern may begin with `*.`,
    which matches every host below it; `*` in its path matches anything. Without a scheme, the pattern matches both http
    and https. Without a port, it matches the port of the scheme; `:*` matches any port. Without a path, it matches
    every path; a path without `*`, such as `/`, matches only itself.

    Of the sections that match, only the most specific applies: an exact host comes before `*.`, then the longer path,
    then a pattern that names a scheme and a port, then the later section. The pattern is compared with the URL that was
    typed, and redirects keep its settings; credentials, however, are not sent to another origin. An option that a run
    has only once (`cache-dir`, `output` and similar ones, `data` and similar ones, `verbose`) cannot be set for a site.
    """)

  static let networkStates = ManualSection(
    "Reachability",
    """
    A section `[reachability]` has lines such as `wwan = cache-only`; each sets `--reachability-policy` for a state.
    They apply if `reachability` is set, too. `garner`(1) describes the states.

        reachability = auto

        [reachability]
        not-reachable = cache-only
        wwan = cache-else-load
    """)

  static var storage: ManualSection {
    let flags = [
      CacheFlags.directory, CacheFlags.diskCapacity, CacheFlags.largestObject, CacheFlags.memoryCapacity,
      CacheFlags.memoryOnly, CacheFlags.noStore, CacheFlags.durable,
    ]
    return ManualSection(
      "Storage", "These settings say where responses are kept, and how much of them; `garner`(1) describes each.",
      terms: flags.map { .init($0.configLine, $0.summary) })
  }

  static let precedence = ManualSection(
    "Precedence",
    """
    If several layers set the same option, the first of these counts: the command line, an environment variable, the
    section for the site, the part before all sections, the default.

    A cache policy replaces another one, however they are spelt; but `--refresh`, `--reload` and `--prefer-offline` do
    not lift a no-store, wherever it is set. A header field replaces one with the same name; fields with other names are
    sent as well. The same is true of `--tag`, `--store-header`, `--strip-header` and `--reachability-policy`, each of
    which sets one thing among others. For `--ignore-param`, `--credential-field`, `--resolve` and `--connect-to`, the
    values of all layers are combined. For any other option that may be repeated, the values of weaker layers are
    ignored. A Cache-Control field with one directive is treated like the option of that name, such as `--max-age`.
    Credentials replace credentials, whether they are in an option, a typed URL or a netrc file. `--verbose` and `garner
    config show` print each setting with where it came from. For several URLs that were typed, `--verbose` prints the
    settings of each, unless they are the same; for a URL of `--input-file`, it prints them when its turn comes, if
    there is a section for its site.
    """)

  static let environment = ManualSection(
    "Environment",
    """
    Every option that a config file can set has a variable: `GARNER_` and its name in upper case, with underscores for
    hyphens and dots. Other names of an option, such as `--show-headers`, have no variable. `1`, `yes`, `on` or `true`
    sets an option without a value. `0`, `no`, `off` or `false` turns it off, as its `--no-NAME` does if there is one:
    GARNER_FAIL=0 is `--no-fail`. If the value of an option is optional, a word that can be its value is its value:
    GARNER_EXIT_UNCHANGED=yes is `--exit-unchanged`, and GARNER_EXIT_UNCHANGED=1 is `--exit-unchanged=1`. Any other
    value is an error, and an empty variable counts as not set. The command line takes precedence. garner warns of a
    variable whose name is nearly one of these, and of GARNER_NO_FAIL; other variables that begin with `GARNER_` are
    reported only with `--verbose`.

    The variables are \(ConfigKeys.variables.map { "`\($0)`" }.joined(separator: ", ")).
    """,
    terms: foundVariables)

  static let configDiagnostics = ManualSection(
    "Diagnostics",
    """
    An error in the file is reported with its file name and line, and the nearest name as a hint. The exit status is 2,
    and nothing is fetched. If options that are correct by themselves contradict each other, the error is found when a
    fetch begins, wherever they are set, and is reported with the variables and lines that set them. If the file cannot
    be read, the exit status is 26.

    A fetch ignores a file in a directory that this user may not enter, such as a HOME that remained after a change of
    user, unless the file was named; `garner config check` ends with 26 in this case, too, and `garner config show`
    prints a warning. `garner config check` also warns of a file that others can read if it holds credentials, or
    content that may hold some; of a relative `cache-dir`, with which each working directory has its own cache; and of a
    site pattern whose path ends in `/`.
    """)

  static let configExamples = ManualSection(
    "Examples",
    """
    Use a large cache, serve stale responses for a day if an origin fails, and validate the responses of one API each
    time:

        disk-capacity = 50GiB
        stale-if-error = 1d

        [site "https://api.example.com/*"]
        cache-policy = revalidate
        header = "Accept: application/json"

    Run once without the file, and once with another one:

        garner -q https://example.com/
        garner --config ./config https://example.com/
    """)
}

extension Flag {
  /// The flag as a config file has it: `disk-capacity = SIZE`.
  fileprivate var configLine: String {
    switch shape {
    case .none: name
    case .required(let placeholder), .optional(let placeholder): "\(name) = \(placeholder)"
    }
  }
}
