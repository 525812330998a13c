/// The format of numbers and columns for people.
enum Words {
  /// Returns `3 s`, `5 min`, `7 h` or `12 d`: in the largest unit that there are at least two of, rounded down.
  static func duration(_ seconds: Int64) -> String {
    let seconds = max(0, seconds)
    if seconds < 120 { return "\(seconds) s" }
    if seconds < 2 * 3600 { return "\(seconds / 60) min" }
    if seconds < 2 * 86400 { return "\(seconds / 3600) h" }
    return "\(seconds / 86400) d"
  }

  /// `1 response`, `2 responses`.
  ///
  /// - Parameter plural: the plural, if it is not the word and an `s`.
  static func count(_ number: some BinaryInteger, _ word: String, _ plural: String? = nil) -> String {
    "\(number) \(number == 1 ? word : plural ?? word + "s")"
  }

  /// Returns the text with spaces after it.
  ///
  /// - Parameter width: in columns; a longer text is wider.
  static func left(_ text: String, _ width: Int) -> String { text + spaces(width - text.count) }

  /// Returns the text with spaces before it.
  static func right(_ text: String, _ width: Int) -> String { spaces(width - text.count) + text }

  /// None if `count` is negative.
  static func spaces(_ count: Int) -> String { String(repeating: " ", count: max(0, count)) }
}

/// A colour of text on a terminal, by the number that selects it.
enum TerminalColor: Int {
  case red = 31
  case green = 32
  case yellow = 33
  case magenta = 35
  case cyan = 36

  /// Returns the text between the sequences that begin and end the colour.
  func painting(_ text: String) -> String { "\u{1b}[\(rawValue)m\(text)\u{1b}[0m" }

  /// Counts the columns of a word without the sequences of `painting`, which begin with ESC and end in `m`.
  static func columns(of word: Substring) -> Int {
    var count = 0
    var isSequence = false
    for character in word {
      if character == "\u{1b}" { isSequence = true }
      if !isSequence { count += 1 }
      if character == "m" { isSequence = false }
    }
    return count
  }
}
