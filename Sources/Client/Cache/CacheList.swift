import HTTPCaching
import HTTPSemantics
import Interface

/// `garner cache ls`.
extension CacheCommand {
  func list() throws(Failure) {
    switch invocation.storeCommand.form {
    case .json:
      let values = try lines { [json($0)] }.map { $0.cells[0] }
      try printer.write(values.isEmpty ? "[]\n" : "[\n" + values.joined(separator: ",\n") + "\n]\n")
    case .jsonLines: try printer.write(joined(try lines { [json($0) + "\n"] }))
    case .nulSeparated: try printer.write(joined(try lines { [url($0) + "\0"] }))
    case .automatic, .fields:
      try printer.write(printer.isTerminal ? table(try lines(cells)) : joined(try lines { [tabSeparated($0)] }))
    }
  }

  /// What `cells` says of each entry, in the order that was asked for.
  private func lines(_ cells: (ListedEntry) -> [String]) throws(Failure) -> [ListedLine] {
    let options = invocation.storeCommand
    let key = options.sortKey ?? .url
    var lines: [ListedLine] = []
    try forEachEntry { lines.append(ListedLine(place: key.place(of: $0), cells: cells($0))) }
    lines.sort { $0.place < $1.place }
    if options.isReversed { lines.reverse() }
    if let limit = options.limit { lines.removeLast(max(0, lines.count - limit)) }
    return lines
  }

  private func joined(_ lines: [ListedLine]) -> String {
    var text = ""
    for line in lines { text += line.cells[0] }
    return text
  }

  private func json(_ entry: ListedEntry) -> String {
    JSON.object(entry.json(showingSecrets: invocation.storeCommand.showsSecrets)).text
  }

  private func url(_ entry: ListedEntry) -> String {
    entry.url(showingSecrets: invocation.storeCommand.showsSecrets)
  }

  private func visibleName(_ entry: ListedEntry) -> String {
    Escaping.visible(entry.name(showingSecrets: invocation.storeCommand.showsSecrets))
  }

  private func tabSeparated(_ entry: ListedEntry) -> String {
    var text = entry.state.rawValue
    for cell in [
      String(entry.stored.response.status.rawValue), entry.size { String($0) }, String(entry.freshness.age.seconds),
      String(entry.freshness.remaining), Self.type(of: entry), visibleName(entry),
    ] {
      text += "\t"
      text += cell
    }
    text += "\n"
    return text
  }

  /// Of a table: what stands first and last has no width of its own.
  private func cells(_ entry: ListedEntry) -> [String] {
    [
      Self.letter(entry.state, coloured: printer.usesColor), String(entry.stored.response.status.rawValue),
      entry.size { ByteCount($0).description }, Words.duration(entry.freshness.age.seconds), Self.lifeWords(entry),
      visibleName(entry),
    ]
  }

  /// For people: the state by its letter and colour, the size and the age to the right, the URL as wide as there is
  /// room.
  private func table(_ lines: [ListedLine]) -> String {
    guard !lines.isEmpty else { return "" }
    let titles = ["code", "size", "age", "fresh for"]
    let columns = 1...titles.count
    let widths = columns.map { column in
      lines.reduce(titles[column - 1].count) { max($0, $1.cells[column].count) }
    }
    let urlWidth = max(20, printer.terminalWidth - widths.reduce(2, +) - 2 * widths.count)
    var text = "   " + zip(titles, widths).map { Self.right($0, $1) }.joined(separator: "  ") + "  URL\n"
    for line in lines {
      let url = line.cells[titles.count + 1]
      text += line.cells[0] + "  "
      text += zip(line.cells[columns], widths).map { Self.right($0, $1) }.joined(separator: "  ") + "  "
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
