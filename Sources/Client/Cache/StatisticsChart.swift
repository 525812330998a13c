/// A chart of the statistics: a table whose rows end in bars.
struct StatisticsChart {
  struct Row {
    let name: String
    let bytes: Int64
    /// The cells after the name.
    let columns: [String]
  }

  private static let gap = "  "
  private static let longestName = 32
  private static let longestBar = 40

  /// That of the names, and those of the columns.
  let headings: [String]
  let rows: [Row]

  /// Returns a line for each row, with a bar whose length is the row's share of the largest one; nothing if no row has
  /// any bytes.
  ///
  /// - Parameter width: of the terminal, in columns.
  func text(width: Int, _ glyphs: Glyphs) -> String {
    guard let largest = rows.map(\.bytes).max(), largest > 0 else { return "" }
    let names = rows.map { row in
      guard row.name.count > Self.longestName else { return row.name }
      return row.name.prefix(Self.longestName - glyphs.ellipsis.count) + glyphs.ellipsis
    }
    let nameWidth = (names + [headings[0]]).map(\.count).max() ?? 0
    let widths = headings.indices.dropFirst().map { column in
      (rows.map { $0.columns[column - 1] } + [headings[column]]).map(\.count).max() ?? 0
    }
    let taken = nameWidth + widths.reduce(0) { $0 + Self.gap.count + $1 } + Self.gap.count
    let barWidth = max(0, min(Self.longestBar, width - taken))
    func line(_ name: String, _ columns: [String], _ bar: String = "") -> String {
      let cells = zip(columns, widths).map { Self.gap + Words.right($0, $1) }.joined()
      return Words.left(name, nameWidth) + cells + (bar.isEmpty ? "" : Self.gap + bar) + "\n"
    }
    let lines = zip(names, rows).map { name, row in
      let length = Int(Double(max(0, row.bytes)) / Double(largest) * Double(barWidth))
      return line(name, row.columns, String(repeating: glyphs.bar, count: length))
    }
    return "\n" + line(headings[0], Array(headings.dropFirst())) + lines.joined()
  }
}
