package import FlagTable

/// The options that name URLs beside the operands, and that say how the fetches of a run go together.
package struct ManyOptions: Equatable, Sendable {
  /// Files of URLs, a line each; `-` is standard input. They come after the operands.
  package var lists: [ArgumentText] = []
  /// Whether braces and brackets in a URL that was typed stand for several.
  package var expandsGlobs = true
  /// Whether nothing more is fetched once something has failed.
  package var endsEarly = false
  /// `nil` if no option said so.
  package var isParallel: Bool?
  /// How many transfers go on at a time, if they are parallel.
  package var parallelLimit = 50
}

enum ManyFlags {
  static let all: [Flag<Invocation>] = [url, list, parallel, parallelMax, globOff, next, curlConfig, failEarly]

  static let url = Flag<Invocation>(
    "url", value: "URL", in: .many, scope: .typed, facts: { .init(secrecy: .ofURL($0)) },
    summary: "Fetch URL, as if it were an operand.",
    details: #"For use in the files that \flag{curl-config} names."#
  ) { invocation, text in invocation.operands.append(text) }

  static let list = Flag<Invocation>(
    "input-file", value: "FILE", completes: .file, in: .many, scope: .typed,
    summary: "Also fetch the URLs in FILE, one per line.",
    details: """
      They come after the URLs that were typed. `-` is standard input. Blank lines, and lines that begin with `#`, are
      skipped. Braces and brackets have no special meaning in FILE. The option may be repeated. When `--output` options
      are assigned to URLs, these URLs come after those that were typed.
      """
  ) { invocation, text throws(InvalidValue) in
    invocation.many.lists.append(try FileName.check(text))
  }

  static let parallel = Flag<Invocation>(
    "parallel", short: "Z", negation: .accepted, in: .many, scope: .run,
    summary: "Fetch the URLs in parallel.",
    details: #"""
      Standard output still has the bodies in the order of the URLs; files appear as they are done. Of equal requests,
      only one is sent, unless its answer says no-cache or must-revalidate, or is not stored. With `--reload`,
      `--refresh` or `--no-store`, with a range or a condition, and with a method other than GET and QUERY, each is
      sent. Connections are shared if HTTP/2 allows it. \flag{parallel-max} limits how many URLs are fetched at a time.
      This is the default of `garner prefetch`.
      """#
  ) { invocation, isOn in invocation.many.isParallel = isOn }

  /// Each transfer has a thread and some descriptors, of which a process may mostly have 1,024. curl has this limit.
  private static let maximumParallelLimit = 300

  static let parallelMax = Flag<Invocation>(
    "parallel-max", value: "NUMBER", in: .many, scope: .run,
    summary: #"With \flag{parallel}, fetch at most NUMBER URLs at a time."#,
    details: """
      The default is 50. 0 stands for the default, and a number above 300 for 300. Fewer URLs are fetched at a time if
      the process may open only a few files (`ulimit -n`): each URL takes nine. If it may open fewer than 24, nothing is
      stored.
      """
  ) { invocation, text throws(InvalidValue) in
    let limit = try Quantities.count(text)
    // As in curl, whose users write 0 or a large number for "as many as possible".
    invocation.many.parallelLimit = limit == 0 ? ManyOptions().parallelLimit : min(limit, maximumParallelLimit)
  }

  static let globOff = Flag<Invocation>(
    "globoff", short: "g", negation: .accepted, in: .many,
    scope: .group,
    summary: "Do not expand braces and brackets in URLs.",
    details: #"""
      Without the option, `{a,b}` stands for each of its words, `[1-100]` and `[a-z]` for each number or letter,
      `[001-100]` for numbers with leading zeros, and `[1-100:10]` for every tenth. If a URL has several, the last
      changes fastest. In the name of `--output`, `#1` stands for the current word of the first, `#2` for that of the
      second, and so on. `\` before a bracket or brace removes its special meaning.
      """#
  ) { invocation, isOff in invocation.many.expandsGlobs = !isOff }

  static let next = Flag<Invocation>(
    separating: "next", short: ":", in: .many,
    summary: "Begin a new set of options, for the URLs that follow.",
    details: """
      Options before it apply to the URLs before it. Options that a run has only once apply wherever they stand: where
      the cache is and what it may hold, what is reported on standard error, and how the URLs are fetched together.
      """
  ) { $0.beginNext() }

  static let curlConfig = Flag<Invocation>(
    including: "curl-config", short: "K", value: "FILE", in: .many,
    summary: "Read options from FILE, in the notation of curl's config files.",
    details: #"""
      Each line is an option as it would be typed, or its long name without dashes, then `=`, `:` or a blank, then its
      value, in quotation marks if it contains blanks. Lines that begin with `#` are comments. `url` names a URL, and
      `config` another file in this notation. The options in FILE count as if they were typed in place of this option;
      but commands that print no body ignore options for the body there. `-` is standard input. garner's own config file
      is a different one: see \flag{config}.
      """#)

  static let failEarly = Flag<Invocation>(
    "fail-early", negation: .accepted, in: .many, scope: .run,
    summary: "Fetch nothing more after a fetch has failed.",
    details: """
      Without the option, the other URLs are still fetched. With it, the last line says how many URLs are left out.
      """
  ) { invocation, isOn in invocation.many.endsEarly = isOn }
}
