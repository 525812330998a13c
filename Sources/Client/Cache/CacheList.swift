import HTTPCaching
import HTTPSemantics
import Interface

/// `garner cache ls`.
extension CacheCommand {
  func list() throws(Failure) {
    let options = invocation.storeCommand
    let showsSecrets = options.showsSecrets
    let key = options.sortKey ?? .url
    var entries = try entries().sorted(by: key.areInOrder)
    if options.isReversed { entries.reverse() }
    if let limit = options.limit { entries = Array(entries.prefix(limit)) }
    switch options.form {
    case .json:
      let values = entries.map { JSON.object($0.json(showingSecrets: showsSecrets)).text }
      try printer.write(values.isEmpty ? "[]\n" : "[\n" + values.joined(separator: ",\n") + "\n]\n")
    case .jsonLines:
      try printer.write(entries.map { JSON.object($0.json(showingSecrets: showsSecrets)).text + "\n" }.joined())
    case .nulSeparated:
      try printer.write(bytes: entries.flatMap { Array($0.url(showingSecrets: showsSecrets).utf8) + [0] })
    case .automatic, .fields:
      try printer.write(printer.isTerminal ? table(entries) : tabSeparated(entries))
    }
  }

  private func tabSeparated(_ entries: [ListedEntry]) -> String {
    entries.map { entry in
      [
        entry.state.rawValue, String(entry.stored.response.status.rawValue), entry.size { String($0) },
        String(entry.freshness.age.seconds), String(entry.freshness.remaining),
        Self.type(of: entry), Escaping.visible(entry.name(showingSecrets: invocation.storeCommand.showsSecrets)),
      ].joined(separator: "\t") + "\n"
    }.joined()
  }

  /// For people: the state by its letter and colour, the size and the age to the right, the URL as wide as there is
  /// room.
  private func table(_ entries: [ListedEntry]) -> String {
    guard !entries.isEmpty else { return "" }
    let rows = entries.map { entry in
      [
        String(entry.stored.response.status.rawValue), entry.size { ByteCount($0).description },
        Words.duration(entry.freshness.age.seconds), Self.lifeWords(entry),
      ]
    }
    let titles = ["code", "size", "age", "fresh for"]
    let widths = titles.indices.map { column in
      max(titles[column].count, rows.map { $0[column].count }.max() ?? 0)
    }
    let urlWidth = max(20, printer.terminalWidth - widths.reduce(2, +) - 2 * widths.count)
    var text = "   " + zip(titles, widths).map { Self.right($0, $1) }.joined(separator: "  ") + "  URL\n"
    for (entry, row) in zip(entries, rows) {
      let url = Escaping.visible(entry.name(showingSecrets: invocation.storeCommand.showsSecrets))
      text += Self.letter(entry.state, coloured: printer.usesColor) + "  "
      text += zip(row, widths).map { Self.right($0, $1) }.joined(separator: "  ") + "  "
      text += (url.count > urlWidth ? url.prefix(urlWidth - 1) + "…" : url) + "\n"
    }
    return text
  }

  private static func lifeWords(_ entry: ListedEntry) -> String {
    switch entry.state {
    case .fresh: Words.duration(entry.freshness.remaining)
    case .stale: "-"
    case .validate: "asks"
    case .partial: "-"
    }
  }

  private static func letter(_ state: ListedEntry.State, coloured: Bool) -> String {
    let (letter, color) =
      switch state {
      case .fresh: ("F", 32)
      case .stale: ("S", 33)
      case .validate: ("V", 36)
      case .partial: ("P", 35)
      }
    return coloured ? "\u{1b}[\(color)m\(letter)\u{1b}[0m" : letter
  }

  private static func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }

  static func type(of entry: ListedEntry) -> String {
    guard let value = entry.stored.fields[.contentType] else { return "-" }
    return Escaping.visible(value.bytes.prefix { $0 != ASCII.semicolon && $0 != ASCII.space })
  }
}
