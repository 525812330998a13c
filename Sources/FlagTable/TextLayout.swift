/// Text laid out for a terminal's width.
struct TextLayout {
  /// Narrower columns would hold single words.
  static let narrowest = 40
  /// Longer lines are hard to read, however wide the terminal.
  static let widest = 100

  let width: Int
  private(set) var text = ""

  init(width: Int) {
    self.width = min(max(width, Self.narrowest), Self.widest)
  }

  mutating func line(_ line: String = "", indent: Int = 0) {
    if !line.isEmpty { text += Self.spaces(indent) + line }
    text += "\n"
  }

  mutating func paragraph(_ paragraph: String, indent: Int = 0) {
    for line in Self.wrap(paragraph, to: width - indent) {
      self.line(line, indent: indent)
    }
  }

  /// Appends markup, with empty lines between its blocks.
  mutating func markup(_ source: String, indent: Int = 0) {
    for (index, block) in Markup.blocks(of: source).enumerated() {
      if index > 0 { line() }
      switch block {
      case .paragraph(let inlines): paragraph(Markup.plain(inlines), indent: indent)
      case .example(let lines): for example in lines { line(example, indent: indent + 4) }
      }
    }
  }

  /// Appends a label at `indent` and its meaning from `column` on. The meaning begins on the next line if the label is
  /// too long.
  mutating func entry(_ label: String, _ meaning: String, indent: Int, column: Int) {
    let lines = Self.wrap(meaning, to: width - column)
    let fits = indent + label.count + 2 <= column
    let padding = Self.spaces(column - indent - label.count)
    line(fits && !lines.isEmpty ? label + padding + lines[0] : label, indent: indent)
    for rest in lines.dropFirst(fits ? 1 : 0) {
      line(rest, indent: column)
    }
  }

  /// Breaks a text into lines of at most `width` characters. Line ends in it count as spaces.
  static func wrap(_ text: String, to width: Int) -> [String] {
    var lines: [String] = []
    for word in text.split(whereSeparator: { $0 == " " || $0 == "\n" }) {
      if let last = lines.last, last.count + 1 + word.count <= width {
        lines[lines.count - 1] += " " + word
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }

  private static func spaces(_ count: Int) -> String {
    String(repeating: " ", count: max(0, count))
  }
}
