/// Text of a manual page under construction.
struct Roff {
  /// mandoc's lint objects to longer lines in the source.
  private static let sourceWidth = 80
  private static let exampleIndent = "    "

  private(set) var text = ""

  mutating func macro(_ name: String, _ arguments: String...) {
    let quoted = arguments.map { " \"" + Self.escape($0, hyphens: false) + "\"" }
    text += "." + name + quoted.joined() + "\n"
  }

  /// Appends a line of text that has been escaped.
  mutating func line(_ line: String) {
    // A control character in the first column would make the line a request.
    let isRequest = line.first == "." || line.first == "'"
    text += (isRequest ? "\\&" : "") + line + "\n"
  }

  mutating func markup(_ source: String, paragraphMacro: String = "PP") {
    for (index, block) in Markup.blocks(of: source).enumerated() {
      switch block {
      case .paragraph(let inlines):
        if index > 0 { macro(paragraphMacro) }
        for sentence in Self.sentences(Self.render(inlines)) {
          for part in TextLayout.wrap(String(sentence), to: Self.sourceWidth) { line(part) }
        }
      case .example(let lines):
        macro(paragraphMacro)
        macro("nf")
        for example in lines { line(Self.exampleIndent + Self.escape(example)) }
        macro("fi")
      }
    }
  }

  private static func render(_ inlines: [Markup.Inline]) -> String {
    inlines.reduce(into: "") { text, inline in
      switch inline {
      case .text(let prose): text += escape(prose, hyphens: false)
      case .literal(let literal): text += "\\fB" + escape(literal) + "\\fR"
      case .flag(let name): text += "\\fB" + escape("--" + name) + "\\fR"
      }
    }
  }

  /// Splits a text into sentences, each for a line of its own, because the formatter sets the space between them.
  static func sentences(_ text: String) -> [Substring] {
    var sentences: [Substring] = []
    var start = text.startIndex
    var previous: Character = " "
    for index in text.indices {
      if text[index] == " ", previous == ".", !endsInAbbreviation(text[start..<index]) {
        sentences.append(text[start..<index])
        start = text.index(after: index)
      }
      previous = text[index]
    }
    sentences.append(text[start...])
    return sentences.filter { !$0.isEmpty }
  }

  private static func endsInAbbreviation(_ text: Substring) -> Bool {
    ["e.g.", "i.e.", "etc.", "..."].contains { text.hasSuffix($0) }
  }

  /// - Parameter hyphens: whether `-` is the character that a user types, not one that joins words.
  static func escape(_ text: String, hyphens: Bool = true) -> String {
    text.reduce(into: "") { escaped, character in
      switch character {
      case "\\": escaped += "\\e"
      case "-" where hyphens: escaped += "\\-"
      case "'": escaped += "\\(aq"
      case "\"": escaped += "\\(dq"
      case "`": escaped += "\\(ga"
      case "^": escaped += "\\(ha"
      case "~": escaped += "\\(ti"
      default: escaped.append(character)
      }
    }
  }
}
