import FlagTable

// What the manual says of settings in a file and in the environment.

extension ManualText {
  static let configDescription = ManualSection(
    "Description",
    #"""
    Every option of a fetch can be given in a config file too, by its long name without the dashes, one a line. Only
    typed are `--input-file`, `--url`, `--curl-config`, `--next`, `--config`, `--disable`, `--help` and `--version`.

    A fetch heeds the file, and so does every command but `garner config check`, `garner completions` and `garner help`.
    Commands that print no body leave aside what is about one. But `dry-run` holds for every command that sends or
    removes; others that write, such as `garner cache tag`, refuse to run while it is set, with 2.

    An option without a value that the file has set is taken back by `no`, in a section or in its variable, and by its
    `--no-NAME` on the command line, where it has one. `--cache-policy protocol` takes the place of any policy.

    The file is `garner/config` below `$XDG_CONFIG_HOME` or `~/.config`, or what `--config` or GARNER_CONFIG names; `-q`
    reads none. `garner config check` tells all that is wrong in it, and `garner config show URL` which settings a URL
    has, and where each came from.
    """#)

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

    A value goes on to the end of its line, or to a `#` behind a blank. In quotation marks it may hold anything; `\"`,
    `\\`, `\t` and `\n` are what they are in C. An option without a value is its name alone, or `name = yes`, and
    `name = no` leaves it off, even where a weaker layer gives it, as `--no-name` does. Lines that begin with `#` are
    comments. What stands before the first section is for every URL. A value that is the name of a file or directory,
    or `@` with one, may begin it with `~` or `~/`, which is HOME; so it is in a variable. A directory that is called
    `~` is `./~`.
    """#)

  static let sites = ManualSection(
    "Sites",
    #"""
    A section `[site "PATTERN"]` is for the URLs that PATTERN matches. The host of a pattern may begin with `*.`, which
    stands for every host below it; `*` in its path stands for anything. Without a scheme, both http and https are
    meant; without a port, that of the scheme, and `:*` is any; without a path, every path, and a path without `*`, such
    as `/`, is that one alone. Of the sections that match, the most specific counts, alone: an exact host before `*.`,
    then the longer path, then a scheme and a port that are given, then the later section. It is the URL that was typed
    which is matched, and a redirect keeps its settings; credentials, though, go to no other origin. What a run has only
    once (`cache-dir`, `output` and its kin, `data` and its kin, `verbose`) cannot be set for a site.
    """#)

  static let networkStates = ManualSection(
    "Reachability",
    #"""
    A section `[reachability]` holds lines such as `wwan = cache-only`: each is `--reachability-policy` for a state.
    They count where `reachability` is set, too; `garner`(1) says what the states are.

        reachability = auto

        [reachability]
        not-reachable = cache-only
        wwan = cache-else-load
    """#)

  static var storage: ManualSection {
    let flags = [
      CacheFlags.directory, CacheFlags.diskCapacity, CacheFlags.largestObject, CacheFlags.memoryCapacity,
      CacheFlags.memoryOnly, CacheFlags.noStore, CacheFlags.durable,
    ]
    return ManualSection(
      "Storage", "Where responses are kept, and how much of them; `garner`(1) tells more of each.",
      terms: flags.map { .init($0.configLine, $0.summary) })
  }

  static let precedence = ManualSection(
    "Precedence",
    """
    Of several that set the same, the first of these counts: the command line, a variable of the environment, the
    section for the site, the part before all sections, the default. One cache policy takes the place of another,
    however it is spelt; but `--refresh`, `--reload` and `--prefer-offline` leave a no-store, whoever has said it. A
    header field takes the place of one with the same name; others are sent as well. So it is with `--tag`,
    `--store-header`, `--strip-header` and `--reachability-policy`, each of which is about one thing among others; and
    all layers count of `--ignore-param`, `--credential-field`, `--resolve` and `--connect-to`. Of any other option that
    may be repeated, what a weaker layer says does not count. A field Cache-Control with one directive is the option of
    that name, such as `--max-age`. Credentials take the place of credentials, whether an option has them, a URL that is
    typed or a netrc file. With `--verbose`, and in `garner config show`, each setting is printed with where it came
    from.
    """)

  static let environment = ManualSection(
    "Environment",
    """
    Every option that a config file can have has a variable: its name in upper case behind `GARNER_`, with underscores
    for hyphens and dots. Another name of an option, such as `--show-headers`, has none. An option without a value is
    given by `1`, `yes`, `on` or `true`. By `0`, `no`, `off` or `false` it is taken back, as by its `--no-NAME` where
    there is one: GARNER_FAIL=0 is `--no-fail`. Of an option whose value may be left out, what can be its value is:
    GARNER_EXIT_UNCHANGED=yes is `--exit-unchanged`, and GARNER_EXIT_UNCHANGED=1 is `--exit-unchanged=1`. Any other
    value is an error, and an empty one counts as none. The command line comes first. A variable that is nearly spelt as
    one of these is warned of, and so is GARNER_NO_FAIL; of another that begins with `GARNER_`, only `--verbose` tells.

    The variables are \(ConfigKeys.variables.map { "`\($0)`" }.joined(separator: ", ")).
    """,
    terms: foundVariables)

  static let configDiagnostics = ManualSection(
    "Diagnostics",
    """
    What is wrong in the file is an error with its name and line, the nearest name as a hint, and the exit status 2;
    nothing is fetched. That options which are right by themselves contradict each other is found when a fetch begins,
    whoever gave them, and told with the variables and the lines that have set them. A file that cannot be read is one
    with 26. What lies in a directory that this user may not enter, such as a HOME that a change of user left behind, is
    passed over by a fetch, unless it has been named; `garner config check` ends with 26 then too, and
    `garner config show` warns. A file that holds credentials, or content that may hold some, and can be read by others
    is warned of by `garner config check`, and so are a relative `cache-dir`, with which each working directory has a
    cache of its own, and the pattern of a site whose path ends in `/`.
    """)

  static let configExamples = ManualSection(
    "Examples",
    """
    A large cache, stale answers for a day where an origin fails, and a partner's interface that is asked each time:

        disk-capacity = 50GiB
        stale-if-error = 1d

        [site "https://api.example.com/*"]
        cache-policy = revalidate
        header = "Accept: application/json"

    Run once without it, and once with another one:

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
