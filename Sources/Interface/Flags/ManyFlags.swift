package import FlagTable

/// The options that name URLs beside the operands, and that say how the fetches of a run go together.
package struct ManyOptions: Equatable, Sendable {
  /// Files of URLs, a line each; `-` is standard input. They come after the operands.
  package var lists: [ArgumentText] = []
  /// Whether braces and brackets in a URL that was typed stand for several.
  package var expandsGlobs = true
  /// Whether nothing more is fetched once something has failed.
  package var endsEarly = false
  /// `nil` where no option said so.
  package var isParallel: Bool?
  /// How many transfers go on at a time, where they are parallel.
  package var parallelLimit = 50
}

enum ManyFlags {
  static let all: [Flag<Invocation>] = [url, list, parallel, parallelMax, globOff, next, curlConfig, failEarly]

  static let url = Flag<Invocation>(
    "url", value: "URL", in: .many, scope: .typed, facts: { .init(secrecy: .ofURL($0)) },
    summary: "Fetch URL, as if it were an operand.",
    details: #"For the files that \flag{curl-config} names."#
  ) { invocation, text throws(InvalidValue) in invocation.operands.append(try LineText.check(text)) }

  static let list = Flag<Invocation>(
    "input-file", value: "FILE", completes: .file, in: .many, scope: .typed,
    summary: "Fetch the URLs in FILE, too: one a line.",
    details: #"""
      They come after those that were typed. `-` is standard input. Blank lines, and lines that begin with `#`, are
      skipped. Braces and brackets stand for themselves there. The option may be repeated. With `--output`, they are
      counted on.
      """#
  ) { invocation, text throws(InvalidValue) in
    invocation.many.lists.append(try FileName.check(text))
  }

  static let parallel = Flag<Invocation>(
    "parallel", short: "Z", negation: .accepted, in: .many, scope: .run,
    summary: "Fetch the URLs side by side.",
    details: #"""
      What goes to standard output comes in the order of the URLs all the same; files appear as they are done. Of equal
      requests one is sent, unless its answer says no-store, no-cache or must-revalidate. Connections are shared where
      HTTP/2 allows it. \flag{parallel-max} says how many are fetched at a time. The default of `garner prefetch`.
      """#
  ) { invocation, isOn in invocation.many.isParallel = isOn }

  /// Each transfer has a thread and some descriptors, of which a process may mostly have 1,024. curl has this limit.
  private static let mostAtATime = 300

  static let parallelMax = Flag<Invocation>(
    "parallel-max", value: "NUMBER", in: .many, scope: .run,
    summary: #"With \flag{parallel}, fetch at most NUMBER URLs at a time."#,
    details: """
      50 is the default, and what 0 stands for; a number beyond 300 counts as 300. There are fewer where a process may
      have few files open (`ulimit -n`): each takes four.
      """
  ) { invocation, text throws(InvalidValue) in
    let limit = try Quantities.count(text)
    // As in curl, whose users write 0 or a large number for "as many as possible".
    invocation.many.parallelLimit = limit == 0 ? ManyOptions().parallelLimit : min(limit, mostAtATime)
  }

  static let globOff = Flag<Invocation>(
    "globoff", short: "g", negation: .accepted, in: .many,
    scope: .group,
    summary: "Take braces and brackets in a URL as they are.",
    details: #"""
      Otherwise `{a,b}` stands for each of its words, `[1-100]` and `[a-z]` for each number or letter, `[001-100]` with
      leading zeros, `[1-100:10]` for every tenth. Of several in a URL the last changes fastest. In the name of
      `--output`, `#1` is what the first of them stands for, `#2` the second, and so on. `\` takes the meaning from
      the bracket or brace behind it.
      """#
  ) { invocation, isOff in invocation.many.expandsGlobs = !isOff }

  static let next = Flag<Invocation>(
    separating: "next", short: ":", in: .many,
    summary: "Begin a new set of options, for the URLs that follow.",
    details: """
      Options before it are for the URLs before it. Those that a run has once count wherever they stand: where the cache
      is and what it may hold, what is told on standard error, and how URLs go together.
      """
  ) { $0.beginNext() }

  static let curlConfig = Flag<Invocation>(
    including: "curl-config", short: "K", value: "FILE", in: .many,
    summary: "Read options in curl's notation from FILE.",
    details: #"""
      Each line is an option as it would be typed, or its long name without dashes, then `=`, `:` or a blank, then its
      value, in quotation marks where that holds blanks; a line that begins with `#` is a comment. `url` names a URL,
      and `config` another file in this notation. What the file says counts as if it were typed in place of the option.
      `-` is standard input. garner's own config file is another one: see \flag{config}.
      """#)

  static let failEarly = Flag<Invocation>(
    "fail-early", negation: .accepted, in: .many, scope: .run,
    summary: "Fetch nothing more when a fetch has failed.",
    details: "Otherwise the others are fetched all the same. The last line says how many are left out."
  ) { invocation, isOn in invocation.many.endsEarly = isOn }
}
