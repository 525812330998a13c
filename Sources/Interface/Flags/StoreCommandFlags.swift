import FlagTable
package import HTTPCaching

/// The options that say what the `cache` commands do and print.
package struct StoreCommandOptions: Equatable, Sendable {
  package enum Form: Equatable, Sendable {
    case json
    case jsonLines
    /// URLs only, a NUL after each.
    case nulSeparated
    /// The stored fields only.
    case fields

    /// The option that asks for the form.
    fileprivate var option: OptionName {
      switch self {
      case .json: OptionName(StoreCommandFlags.json)
      case .jsonLines: OptionName(StoreCommandFlags.jsonLines)
      case .nulSeparated: OptionName(StoreCommandFlags.null)
      case .fields: OptionName(StoreCommandFlags.headers)
      }
    }
  }

  package enum SortKey: String, Equatable, Sendable, CaseIterable {
    case url
    case size
    case age
    case used
    case expires
  }

  /// A change to the tags of an entry. Changes are made one after the other.
  package enum TagChange: Equatable, Sendable {
    case set(Tag)
    case delete(key: String)
  }

  /// The forms in the order in which they were typed. They are all the same unless options contradict each other.
  package var forms: [Form] = []
  package var sortKey: SortKey?
  package var isReversed = false
  package var limit: Int?
  package var showsSecrets = false
  package var isDryRun = false
  package var removesAll = false
  package var toleratesAbsence = false
  package var repairs = false
  package var requiresPresence = false
  package var zeroesCounters = false
  package var tagChanges: [TagChange] = []
  package var format: ListingFormat?
  package var filters = EntryFilters()
  /// What `cache prune` leaves, in bytes.
  package var maximumBytes: Int64?

  /// The form of the output; `nil` for a table on a terminal, and for tab-separated lines in a pipe.
  package var form: Form? { forms.first }

  /// Two options that contradict each other about what is printed; `nil` if none do.
  var contradiction: (OptionName, OptionName)? {
    guard let form else { return nil }
    if let other = forms.first(where: { $0 != form }) { return (form.option, other.option) }
    // A format and a NUL go together: the format says what stands before the NUL.
    return format != nil && form != .nulSeparated ? (OptionName(StoreCommandFlags.format), form.option) : nil
  }
}

enum StoreCommandFlags {
  static let json = Flag<Invocation>(
    "json", in: .listing, scope: .command,
    summary: "Print JSON.",
    details: "Names are in snake_case, and times have the format of RFC 3339."
  ) { $0.storeCommand.forms.append(.json) }

  static let jsonLines = Flag<Invocation>(
    "jsonl", in: .listing, scope: .command,
    summary: "Print one JSON object per line."
  ) { $0.storeCommand.forms.append(.jsonLines) }

  static let null = Flag<Invocation>(
    "null", short: "0", in: .listing, scope: .command,
    summary: "Print only URLs, with a NUL byte after each."
  ) { $0.storeCommand.forms.append(.nulSeparated) }

  static let format = Flag<Invocation>(
    "format", value: "FORMAT", completes: .examples(ListedField.allCases.map { "{\($0.rawValue)}" }), in: .listing,
    scope: .command,
    summary: "Print FORMAT for each entry.",
    details: #"""
      A name of the JSON form in braces, as in `{url}\t{size}`, stands for its value, or for `-` if the value is `null`.
      `\t`, `\n`, `\r`, `\0` and `\\` have the same meaning as in C, and `{{` is a brace. Each entry is followed by a
      line feed or, with \flag{null}, by a NUL byte.
      """#
  ) { invocation, text throws(InvalidValue) in invocation.storeCommand.format = try ListingFormat(text) }

  static let headers = Flag<Invocation>(
    "headers", in: .listing, scope: .command,
    summary: "Print only the stored header fields."
  ) { $0.storeCommand.forms.append(.fields) }

  static let require = Flag<Invocation>(
    "require", in: .listing, scope: .command,
    summary: "Exit with 110 if nothing is stored for the request."
  ) { $0.storeCommand.requiresPresence = true }

  static let zero = Flag<Invocation>(
    "zero", in: .listing, scope: .command,
    summary: "Reset the counts after printing them.",
    details: "Stored responses are not changed."
  ) { $0.storeCommand.zeroesCounters = true }

  static let sort = Flag<Invocation>(
    "sort", value: "KEY", completes: .choices(StoreCommandOptions.SortKey.allCases.map(\.rawValue)), in: .listing,
    scope: .command,
    summary: "Sort by KEY.",
    details: """
      `url` sorts from A to Z, `size` the largest first, `age` the newest first, `used` the most recently used first,
      `expires` the one that expires soonest first.
      """
  ) { invocation, text throws(InvalidValue) in
    guard let key = text.string.flatMap(StoreCommandOptions.SortKey.init) else {
      throw .notOneOf(StoreCommandOptions.SortKey.allCases.map(\.rawValue))
    }
    invocation.storeCommand.sortKey = key
  }

  static let reverse = Flag<Invocation>(
    "reverse", negation: .accepted, in: .listing, scope: .command,
    summary: "Reverse the order."
  ) { invocation, isOn in invocation.storeCommand.isReversed = isOn }

  static let limit = Flag<Invocation>(
    "limit", value: "NUMBER", in: .listing, scope: .command,
    summary: "Print at most NUMBER entries."
  ) { invocation, text throws(InvalidValue) in invocation.storeCommand.limit = try Quantities.count(text) }

  static let showSecrets = Flag<Invocation>(
    "show-secrets", in: .listing, scope: .command,
    summary: "Print secrets instead of masking them.",
    details: """
      Without the option, anything in a URL that looks like a password or a token is printed as asterisks, and the value
      of a stored Set-Cookie is not printed.
      """
  ) { $0.storeCommand.showsSecrets = true }

  static let dryRun = Flag<Invocation>(
    "dry-run", short: "n", in: .removal, scope: .command,
    summary: "Print what would be removed, without removing it."
  ) { $0.storeCommand.isDryRun = true }

  static let all = Flag<Invocation>(
    "all", in: .removal, scope: .command,
    summary: "Remove everything."
  ) { $0.storeCommand.removesAll = true }

  static let ifExists = Flag<Invocation>(
    "if-exists", in: .removal, scope: .command,
    summary: "Exit with 0 even if nothing matches.",
    details: "A PATTERN that matches nothing is not reported."
  ) { $0.storeCommand.toleratesAbsence = true }

  static let repair = Flag<Invocation>(
    "repair", in: .removal, scope: .command,
    summary: "Drop damaged entries.",
    details: "Also corrects the figures that `garner cache stats` prints of hosts and types."
  ) { $0.storeCommand.repairs = true }

  static let delete = Flag<Invocation>(
    "delete", short: "d", value: "KEY", in: .removal, scope: .command,
    summary: "Delete the tag KEY.",
    details: "It is not an error if there is no such tag. The option may be repeated."
  ) { invocation, text throws(InvalidValue) in
    guard let key = text.string, !key.isEmpty, !key.utf8.contains(UInt8(ascii: "=")) else {
      throw .expected("a key, without an equals sign")
    }
    invocation.storeCommand.tagChanges.append(.delete(key: key))
  }

  static let maximumSize = Flag<Invocation>(
    "max-size", value: "SIZE", completes: .examples(["100M", "1G", "10G"]), in: .removal, scope: .command,
    summary: "Remove the least recently used responses until at most SIZE is left."
  ) { invocation, text throws(InvalidValue) in
    invocation.storeCommand.maximumBytes = try Quantities.byteCount(text)
  }
}
