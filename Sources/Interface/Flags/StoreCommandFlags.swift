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
}
