/// The markup of summaries, details and manual texts.
///
///     paragraph = lines, ended by an empty line
///     example   = lines indented by four columns
///     inline    = text | "`" literal "`" | "\flag{" name "}"
package enum Markup {
  package enum Block: Equatable, Sendable {
    case paragraph([Inline])
    case example([String])
  }

  package enum Inline: Equatable, Sendable {
    case text(String)
    case literal(String)
    /// A flag's long name without dashes.
    case flag(String)
  }

  /// Returns the paragraphs and examples of a text, in their order.
  package static func blocks(of source: String) -> [Block] {
    var blocks: [Block] = []
    var prose: [Substring] = []
    var example: [String] = []
    func flush() {
      if !prose.isEmpty { blocks.append(.paragraph(inlines(of: prose.joined(separator: " ")))) }
      if !example.isEmpty { blocks.append(.example(example)) }
      prose = []
      example = []
    }
    for line in source.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.isEmpty {
        flush()
      } else if line.hasPrefix("    ") {
        if !prose.isEmpty { flush() }
        example.append(String(line.dropFirst(4)))
      } else {
        if !example.isEmpty { flush() }
        prose.append(line)
      }
    }
    flush()
    return blocks
  }

  /// Returns the pieces of a paragraph. Marks without their counterparts are text.
  package static func inlines(of source: String) -> [Inline] {
    let flagOpening = "\\flag{"
    var inlines: [Inline] = []
    var text = ""
    var rest = source[...]
    func flush() {
      if !text.isEmpty { inlines.append(.text(text)) }
      text = ""
    }
    while true {
      // Text without marks is copied at once, not character by character.
      let mark = rest.utf8.firstIndex { $0 == UInt8(ascii: "`") || $0 == .backslash } ?? rest.endIndex
      text += rest[..<mark]
      rest = rest[mark...]
      guard let character = rest.first else { break }
      if character == "`", let end = rest.dropFirst().firstIndex(of: "`") {
        flush()
        inlines.append(.literal(String(rest[rest.index(after: rest.startIndex)..<end])))
        rest = rest[end...].dropFirst()
      } else if rest.hasPrefix(flagOpening), let end = rest.firstIndex(of: "}") {
        flush()
        inlines.append(.flag(String(rest[..<end].dropFirst(flagOpening.count))))
        rest = rest[end...].dropFirst()
      } else {
        text.append(character)
        rest = rest.dropFirst()
      }
    }
    flush()
    return inlines
  }

  /// Returns the pieces as a terminal or a shell's menu shows them.
  package static func plain(_ inlines: [Inline]) -> String {
    inlines.reduce(into: "") { plain, inline in
      switch inline {
      case .text(let text), .literal(let text): plain += text
      case .flag(let name): plain += "--" + name
      }
    }
  }

  /// Returns the paragraph as a terminal or a shell's menu shows it.
  package static func plain(_ source: String) -> String {
    plain(inlines(of: source))
  }
}
