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

  /// None where `count` is negative.
  static func spaces(_ count: Int) -> String { String(repeating: " ", count: max(0, count)) }
}
