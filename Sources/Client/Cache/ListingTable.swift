import HTTPCaching
import HTTPSemantics
import Interface

/// A listing for people: a letter and a colour for the state, right-aligned figures, and the URL in the rest of the
/// line.
struct ListingTable {
  private let rows: [[String]]

  /// - Parameter rows: the cells of each entry, as `cells` makes them.
  init(_ rows: [[String]]) { self.rows = rows }

  /// Returns the cells of an entry: the mark, the figures and the name.
  ///
  /// - Parameter name: the name of the entry, fit for a terminal.
  static func cells(_ entry: ListedEntry, name: String) -> [String] {
    [
      letter(entry.state) + (entry.stored.isPinned ? "*" : " "), String(entry.stored.response.status.rawValue),
      entry.size { ByteCount($0).description }, Words.duration(entry.freshness.age.seconds), lifeWords(entry), name,
    ]
  }

  private static let titles = ["", "code", "size", "age", "fresh for", "URL"]
  private static let nameColumn = titles.count - 1
  private static let markWidth = 2
  private static let gap = 2
  /// The least columns for a URL: with fewer it is hard to tell from the next one. Figures give way first, in the order
  /// of `expendable`.
  private static let narrowestName = 24
  private static let expendable = [4, 1, 3, 2]

  /// - Parameter width: in columns.
  func text(width: Int, coloured: Bool, _ glyphs: Glyphs) -> String {
    guard !rows.isEmpty else { return "" }
    let widths = Self.titles.indices.map { column in
      rows.reduce(Self.titles[column].count) { max($0, $1[column].count) }
    }
    var columns = Array(1..<Self.nameColumn)
    var nameWidth = Self.nameWidth(beside: columns, widths, in: width)
    for column in Self.expendable where nameWidth < Self.narrowestName {
      columns.removeAll { $0 == column }
      nameWidth = Self.nameWidth(beside: columns, widths, in: width)
    }
    nameWidth = max(nameWidth, 1)
    var text = Self.line(Words.spaces(Self.markWidth), Self.titles, columns, widths, "URL")
    for row in rows {
      let mark = coloured ? Self.painted(row[0]) : row[0]
      text += Self.line(mark, row, columns, widths, Self.shortened(row[Self.nameColumn], to: nameWidth, glyphs))
    }
    return text
  }

  private static func nameWidth(beside columns: [Int], _ widths: [Int], in width: Int) -> Int {
    columns.reduce(width - markWidth - gap) { $0 - widths[$1] - gap }
  }

  private static func line(
    _ mark: String, _ cells: [String], _ columns: [Int], _ widths: [Int], _ name: String
  ) -> String {
    let space = Words.spaces(gap)
    return columns.reduce(mark + space) { $0 + Words.right(cells[$1], widths[$1]) + space } + name + "\n"
  }

  /// Returns a text without its middle if it is too long: the host and the end of the path say most.
  static func shortened(_ text: String, to width: Int, _ glyphs: Glyphs) -> String {
    guard text.utf8.count > width, text.count > width else { return text }
    let kept = max(0, width - glyphs.ellipsis.count)
    return text.prefix(kept - kept / 2) + glyphs.ellipsis + text.suffix(kept / 2)
  }

  private static func lifeWords(_ entry: ListedEntry) -> String {
    switch entry.state {
    case .fresh: Words.duration(entry.freshness.remaining)
    case .stale: "-"
    case .validate: "asks"
    case .partial: "-"
    }
  }

  private static func letter(_ state: ListedEntry.State) -> String {
    switch state {
    case .fresh: "F"
    case .stale: "S"
    case .validate: "V"
    case .partial: "P"
    }
  }

  private static func painted(_ mark: String) -> String {
    let color: TerminalColor =
      switch mark.first {
      case "F": .green
      case "S": .yellow
      case "V": .cyan
      default: .magenta
      }
    return color.painting(mark)
  }
}
