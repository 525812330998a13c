import FlagTable

/// The flags that say which stored responses a `cache` command is about.
enum EntryFilterFlags {
  static let all: [Flag<Invocation>] = narrowing + [fresh, stale, pinned, olderThan, newerThan, unusedFor, largerThan]

  /// The flags that no command takes for a limit.
  static let narrowing: [Flag<Invocation>] = [host, tag, status, type, group]

  private static let times = ValueCompletion.examples(["1h", "12h", "1d", "7d", "4w"])

  static let host = Flag<Invocation>(
    "host", value: "HOST", completes: StoredWordKind.hosts.completion, in: .selection, scope: .command,
    summary: "Only what is stored of HOST.",
    details: "`*` stands for anything, as in `*.example.com`; a port may follow a colon."
  ) { invocation, text throws(InvalidValue) in
    invocation.storeCommand.filters.hosts.append(try HostPattern(text))
  }

  static let tag = Flag<Invocation>(
    "tag", value: "KEY=VALUE", completes: StoredWordKind.tags.completion, in: .selection, scope: .command,
    summary: "Only what is tagged so.",
    details: "`*` in VALUE stands for anything; KEY alone is any value."
  ) { invocation, text throws(InvalidValue) in invocation.storeCommand.filters.tags.append(try TagPattern(text)) }

  static let status = Flag<Invocation>(
    "status", value: "STATUS", completes: .examples(["2xx", "3xx", "4xx", "5xx"]), in: .selection, scope: .command,
    summary: "Only responses with this status, such as 404 or 4xx."
  ) { invocation, text throws(InvalidValue) in
    invocation.storeCommand.filters.statuses.append(try StatusPattern(text))
  }

  static let type = Flag<Invocation>(
    "type", value: "TYPE",
    completes: .examples(["html", "css", "javascript", "json", "xml", "text", "image", "audio", "video", "font"]),
    in: .selection, scope: .command,
    summary: "Only content of this type, such as text/html, image/* or json.",
    details:
      "A word without a slash is a type, a subtype, or what stands before or behind the plus sign of one. "
      + "`*` stands for anything; `none` is what has no type."
  ) { invocation, text throws(InvalidValue) in
    invocation.storeCommand.filters.types.append(try MediaTypePattern(text))
  }

  static let group = Flag<Invocation>(
    "group", value: "GROUP", completes: StoredWordKind.groups.completion, in: .selection, scope: .command,
    summary: "Only what its Cache-Groups put into GROUP.",
    details: "The groups are those of RFC 9875."
  ) { invocation, text throws(InvalidValue) in invocation.storeCommand.filters.groups.append(try LineText.check(text)) }

  static let fresh = Flag<Invocation>(
    "fresh", in: .selection, scope: .command,
    summary: "Only what is fresh.",
    details:
      #"With \flag{stale}, what is either: neither is what must be validated before every use, and what is a part."#
  ) { $0.storeCommand.filters.states.append(.fresh) }

  static let stale = Flag<Invocation>(
    "stale", in: .selection, scope: .command,
    summary: "Only what is stale."
  ) { $0.storeCommand.filters.states.append(.stale) }

  static let pinned = Flag<Invocation>(
    "pinned", in: .selection, scope: .command,
    summary: "Only what is pinned."
  ) { $0.storeCommand.filters.requiresPin = true }

  static let olderThan = Flag<Invocation>(
    "older-than", value: "TIME", completes: times, in: .selection, scope: .command,
    summary: "Only what is older than TIME.",
    details: """
      Times are spelt `30s`, `10m`, `12h`, `7d` or `4w`. The age is the one that `garner cache ls` shows. A date in the
      place of TIME, such as `2026-11-21T06:45:47Z` (RFC 3339), or `2026-11-21` for midnight in UTC, is for what is from
      before it.
      """
  ) { invocation, text throws(InvalidValue) in
    invocation.storeCommand.filters.olderThan = try PastMoment(parsing: text)
  }

  static let newerThan = Flag<Invocation>(
    "newer-than", value: "TIME", completes: times, in: .selection, scope: .command,
    summary: "Only what is younger than TIME.",
    details: #"With a date, as for \flag{older-than}: what is from after it."#
  ) { invocation, text throws(InvalidValue) in
    invocation.storeCommand.filters.youngerThan = try PastMoment(parsing: text)
  }

  static let unusedFor = Flag<Invocation>(
    "unused-for", value: "TIME", completes: times, in: .selection, scope: .command,
    summary: "Only what has not been used for TIME.",
    details: "A use is noted at most once an hour. To pin, unpin or tag a response is one, too."
  ) { invocation, text throws(InvalidValue) in
    invocation.storeCommand.filters.unusedFor = try Quantities.duration(text)
  }

  static let largerThan = Flag<Invocation>(
    "larger-than", value: "SIZE", completes: .examples(["100K", "1M", "10M", "100M"]), in: .selection, scope: .command,
    summary: "Only what has more than SIZE bytes of content.",
    details: "Sizes are spelt `500K`, `20M` or `2GiB`."
  ) { invocation, text throws(InvalidValue) in
    invocation.storeCommand.filters.largerThan = try Quantities.byteCount(text)
  }
}
