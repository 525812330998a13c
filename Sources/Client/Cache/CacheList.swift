import CacheStore
import HTTPCaching
import HTTPSemantics
import Interface

/// `garner cache ls`.
extension CacheCommand {
  func list() throws(Failure) {
    let options = invocation.storeCommand
    if let format = options.format { return try list(by: format) }
    switch options.form {
    case .json:
      try printer.write(JSON.lines(try lines { [self.json($0)] }.map { $0[0] }))
    case .jsonLines: try printer.write(joined(try lines { [self.json($0) + "\n"] }))
    case .nulSeparated: try printer.write(joined(try lines { [self.url($0) + "\0"] }))
    case nil, .fields:
      if printer.isTerminal {
        let table = ListingTable(try lines { ListingTable.cells($0, name: self.visibleName($0)) })
        try printer.write(
          table.text(width: printer.terminalWidth, coloured: printer.usesColor, printer.glyphs))
      } else {
        try printer.write(joined(try lines { [self.tabSeparated($0)] }))
      }
    }
  }

  private func list(by format: ListingFormat) throws(Failure) {
    let end = invocation.storeCommand.form == .nulSeparated ? 0 : ASCII.lineFeed
    var text: [UInt8] = []
    for line in try lines({ self.values(of: $0, in: format) }) {
      var values = line[...]
      for part in format.parts {
        switch part {
        case .literal(let bytes): text += bytes
        case .field: text += (values.popFirst() ?? "").utf8
        }
      }
      text.append(end)
    }
    try printer.write(bytes: text)
  }

  /// Returns the cells of each selected entry, in the order that was asked for.
  private func lines(_ cells: @escaping @Sendable (ListedEntry) -> [String]) throws(Failure) -> [[String]] {
    let options = invocation.storeCommand
    let key = options.sortKey ?? .url
    let collector = LineCollector()
    try forEachEntryInParallel { collector.add(cells($0), of: $0, at: key.rank(of: $0)) }
    var lines = collector.linesInOrder
    if options.isReversed { lines.reverse() }
    if let limit = options.limit { lines.removeLast(max(0, lines.count - limit)) }
    return lines
  }

  private func joined(_ lines: [[String]]) -> String {
    var text = ""
    for line in lines { text += line[0] }
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
    let url = Escaping.visible(url(entry))
    var text = entry.state.rawValue
    text.reserveCapacity(url.utf8.count + Self.usualBytesBesideURL)
    for cell in [
      String(entry.stored.response.status.rawValue), entry.size { String($0) }, String(entry.freshness.age.seconds),
      String(entry.freshness.remaining), Self.type(of: entry), url,
    ] {
      text += "\t"
      text += cell
    }
    text += "\n"
    return text
  }

  /// The usual bytes of a line beside the URL. They are reserved, so that the string does not grow.
  private static let usualBytesBesideURL = 64

  /// Returns the values of the fields in the format, escaped so that nothing an origin has sent ends a field or a line.
  private func values(of entry: ListedEntry, in format: ListingFormat) -> [String] {
    var values: [String] = []
    for case .field(let field) in format.parts {
      values.append(
        Escaping.visible(entry.value(of: field, showingSecrets: invocation.storeCommand.showsSecrets).plain))
    }
    return values
  }

  static func type(of entry: ListedEntry) -> String {
    guard let value = entry.stored.fields[.contentType] else { return "-" }
    return Escaping.visible(ListSyntax.withoutParameters(value.bytes[...]))
  }
}
