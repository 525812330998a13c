import FlagTable

/// The flags that say which stored responses a `cache` command is about.
enum EntryFilterFlags {
  static let all: [Flag<Invocation>] = narrowing + [fresh, stale, pinned, olderThan, newerThan, unusedFor, largerThan]

  /// The flags that no command takes for a limit.
  static let narrowing: [Flag<Invocation>] = [host, tag, status, type, group]

  private static let times = ValueCompletion.examples(["1h", "12h", "1d", "7d", "4w"])

  static let host = Flag<Invocation>(
    "host", value: "HOST", completes: StoredWordKind.hosts.completion, in: .selection, scope: .command,
    summary: "Select responses of HOST.",
    details: "`*` matches anything, as in `*.example.com`. A port may follow after a colon."
  ) { invocation, text throws(InvalidValue) in
    invocation.storeCommand.filters.hosts.append(try HostPattern(text))
  }

  static let tag = Flag<Invocation>(
    "tag", value: "KEY=VALUE", completes: StoredWordKind.tags.completion, in: .selection, scope: .command,
    summary: "Select responses with this tag.",
    details: "`*` in VALUE matches anything. KEY alone matches any value."
  ) { invocation, text throws(InvalidValue) in invocation.storeCommand.filters.tags.append(try TagPattern(text)) }

  static let status = Flag<Invocation>(
    "status", value: "STATUS", completes: .examples(["2xx", "3xx", "4xx", "5xx"]), in: .selection, scope: .command,
    summary: "Select responses with this status, such as 404, 4xx or 200,404."
  ) { invocation, text throws(InvalidValue) in
    invocation.storeCommand.filters.statuses.append(try StatusPattern(text))
  }

  static let type = Flag<Invocation>(
    "type", value: "TYPE",
    completes: .examples(["html", "css", "javascript", "json", "xml", "text", "image", "audio", "video", "font"]),
    in: .selection, scope: .command,
    summary: "Select content of this type, such as text/html, image/* or json.",
    details: """
      A word without a slash matches a type, a subtype, or the part of a subtype before or after its plus sign. `*`
      matches anything. A word of the types that `garner cache stats` counts, such as `script`, `archive` or `binary`,
      also matches what is counted there under it; `none` selects responses without a type.
      """
  ) { invocation, text throws(InvalidValue) in
    invocation.storeCommand.filters.types.append(try MediaTypePattern(text))
  }

  static let group = Flag<Invocation>(
    "group", value: "GROUP", completes: StoredWordKind.groups.completion, in: .selection, scope: .command,
    summary: "Select responses whose Cache-Groups field puts them into GROUP.",
    details: "Cache groups are defined in RFC 9875."
  ) { invocation, text throws(InvalidValue) in invocation.storeCommand.filters.groups.append(try LineText.check(text)) }

  static let fresh = Flag<Invocation>(
    "fresh", in: .selection, scope: .command,
    summary: "Select fresh responses.",
    details: #"""
      With \flag{stale}, selects both. Responses that must be validated before every use, and partial ones, are neither
      fresh nor stale.
      """#
  ) { $0.storeCommand.filters.states.append(.fresh) }

  static let stale = Flag<Invocation>(
    "stale", in: .selection, scope: .command,
    summary: "Select stale responses."
  ) { $0.storeCommand.filters.states.append(.stale) }

  static let pinned = Flag<Invocation>(
    "pinned", in: .selection, scope: .command,
    summary: "Select pinned responses."
  ) { $0.storeCommand.filters.requiresPin = true }

  static let olderThan = Flag<Invocation>(
    "older-than", value: "TIME", completes: times, in: .selection, scope: .command,
    summary: "Select responses older than TIME.",
    details: """
      TIME is written as `30s`, `10m`, `12h`, `7d` or `4w`. It is compared with the age that `garner cache ls` shows. A
      date in place of TIME, such as `2026-11-21T06:45:47Z` (RFC 3339), or `2026-11-21` for midnight in UTC, selects
      responses from before that date.
      """
  ) { invocation, text throws(InvalidValue) in
    invocation.storeCommand.filters.olderThan = try PastMoment(parsing: text)
  }

  static let newerThan = Flag<Invocation>(
    "newer-than", value: "TIME", completes: times, in: .selection, scope: .command,
    summary: "Select responses newer than TIME.",
    details: #"A date in place of TIME, as for \flag{older-than}, selects responses from after that date."#
  ) { invocation, text throws(InvalidValue) in
    invocation.storeCommand.filters.youngerThan = try PastMoment(parsing: text)
  }

  static let unusedFor = Flag<Invocation>(
    "unused-for", value: "TIME", completes: times, in: .selection, scope: .command,
    summary: "Select responses that have not been used for TIME.",
    details: "A use is recorded at most once an hour. Pinning, unpinning or tagging a response is a use, too."
  ) { invocation, text throws(InvalidValue) in
    invocation.storeCommand.filters.unusedFor = try Quantities.duration(text)
  }

  static let largerThan = Flag<Invocation>(
    "larger-than", value: "SIZE", completes: .examples(["100K", "1M", "10M", "100M"]), in: .selection, scope: .command,
    summary: "Select responses with more than SIZE bytes of content.",
    details: "SIZE is written as `500K`, `20M` or `2GiB`."
  ) { invocation, text throws(InvalidValue) in
    invocation.storeCommand.filters.largerThan = try Quantities.byteCount(text)
  }
}
