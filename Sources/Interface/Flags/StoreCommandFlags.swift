import FlagTable

/// What the `cache` commands are to do and to print.
package struct StoreCommandOptions: Hashable, Sendable {
  package enum Form: Hashable, Sendable {
    /// A table on a terminal, tab-separated in a pipe.
    case automatic
    case json
    case jsonLines
    /// URLs only, a NUL after each.
    case nulSeparated
    /// The stored fields only.
    case fields
  }

  package enum SortKey: String, Hashable, Sendable, CaseIterable {
    case url
    case size
    case age
    case used
    case expires
  }

  package var form = Form.automatic
  package var sortKey: SortKey?
  package var isReversed = false
  package var limit: Int?
  package var showsSecrets = false
  package var isDryRun = false
  package var removesAll = false
  package var toleratesAbsence = false
  package var requiresPresence = false
  package var zeroesCounters = false
  package var pruning = PruningLimits()
}

/// What `cache prune` leaves nothing beyond.
package struct PruningLimits: Hashable, Sendable {
  package var maximumBytes: Int64?
  package var oldest: Duration?
  package var longestUnused: Duration?
  package var removeStale = false

  /// Whether any of them can be told from one entry alone.
  package var concernAge: Bool { oldest != nil || longestUnused != nil || removeStale }
}

enum StoreCommandFlags {
  static let json = Flag<Invocation>(
    "json", in: .listing,
    summary: "Print JSON.",
    details: "Names are in snake_case, and times are those of RFC 3339."
  ) { $0.storeCommand.form = .json }

  static let jsonLines = Flag<Invocation>(
    "jsonl", in: .listing,
    summary: "Print a JSON object a line."
  ) { $0.storeCommand.form = .jsonLines }

  static let null = Flag<Invocation>(
    "null", short: "0", in: .listing,
    summary: "Print URLs only, with a NUL byte after each."
  ) { $0.storeCommand.form = .nulSeparated }

  static let headers = Flag<Invocation>(
    "headers", in: .listing,
    summary: "Print the stored fields only."
  ) { $0.storeCommand.form = .fields }

  static let require = Flag<Invocation>(
    "require", in: .listing,
    summary: "Exit with 110 where nothing is stored for the request."
  ) { $0.storeCommand.requiresPresence = true }

  static let zero = Flag<Invocation>(
    "zero", in: .listing,
    summary: "Begin to count anew when the counts have been printed.",
    details: "What is stored is not changed."
  ) { $0.storeCommand.zeroesCounters = true }

  static let sort = Flag<Invocation>(
    "sort", value: "KEY", completes: .choices(StoreCommandOptions.SortKey.allCases.map(\.rawValue)), in: .listing,
    summary: "Sort by KEY.",
    details: """
      `url` sorts from A to Z, `size` the largest first, `age` the newest first, `used` the most recently used first,
      `expires` what expires soonest first.
      """
  ) { invocation, text throws(InvalidValue) in
    guard let key = text.string.flatMap(StoreCommandOptions.SortKey.init) else {
      throw .notOneOf(StoreCommandOptions.SortKey.allCases.map(\.rawValue))
    }
    invocation.storeCommand.sortKey = key
  }

  static let reverse = Flag<Invocation>(
    "reverse", negation: .accepted, in: .listing,
    summary: "Turn the order round."
  ) { invocation, isOn in invocation.storeCommand.isReversed = isOn }

  static let limit = Flag<Invocation>(
    "limit", value: "NUMBER", in: .listing,
    summary: "Print at most NUMBER entries."
  ) { invocation, text throws(InvalidValue) in invocation.storeCommand.limit = try Quantities.count(text) }

  static let showSecrets = Flag<Invocation>(
    "show-secrets", in: .listing,
    summary: "Print what is masked otherwise.",
    details: "Without it, what looks like a password or a token in a URL is printed as asterisks."
  ) { $0.storeCommand.showsSecrets = true }

  static let dryRun = Flag<Invocation>(
    "dry-run", short: "n", in: .removal,
    summary: "Print what would be removed, and remove nothing."
  ) { $0.storeCommand.isDryRun = true }

  static let all = Flag<Invocation>(
    "all", in: .removal,
    summary: "Remove everything."
  ) { $0.storeCommand.removesAll = true }

  static let ifExists = Flag<Invocation>(
    "if-exists", in: .removal,
    summary: "Exit with 0 even where nothing matched."
  ) { $0.storeCommand.toleratesAbsence = true }

  static let maximumSize = Flag<Invocation>(
    "max-size", value: "SIZE", in: .removal,
    summary: "Remove the least recently used until at most SIZE is left."
  ) { invocation, text throws(InvalidValue) in
    invocation.storeCommand.pruning.maximumBytes = try Quantities.byteCount(text)
  }

  static let olderThan = Flag<Invocation>(
    "older-than", value: "TIME", in: .removal,
    summary: "Remove what is older than TIME.",
    details: "Times are spelt `30s`, `10m`, `12h`, `7d` or `4w`. The age is the one that `garner cache ls` shows."
  ) { invocation, text throws(InvalidValue) in
    invocation.storeCommand.pruning.oldest = try Quantities.duration(text)
  }

  static let unusedFor = Flag<Invocation>(
    "unused-for", value: "TIME", in: .removal,
    summary: "Remove what has not been used for TIME.",
    details: "A use is noted at most once an hour."
  ) { invocation, text throws(InvalidValue) in
    invocation.storeCommand.pruning.longestUnused = try Quantities.duration(text)
  }

  static let stale = Flag<Invocation>(
    "stale", in: .removal,
    summary: "Remove what is stale."
  ) { $0.storeCommand.pruning.removeStale = true }
}
