/// A line of a file of options, as the arguments that it stands for. The parser refuses an operand among them.
package struct OptionLine: Equatable, Sendable {
  /// What each line of a file holds.
  package enum Content: Equatable, Sendable {
    /// An option, with its value.
    case options
    /// A value of the option that names the file.
    case values
  }

  /// Reads a file of options, or of values.
  package typealias Reader = (_ file: ArgumentText, _ content: Content) throws(UsageError) -> [OptionLine]

  /// The deepest nesting of files of options, more than anybody needs. A file that names itself would never end.
  static let deepestNesting = 8

  package let number: Int
  package let arguments: [ArgumentText]
  /// Whether the quotation mark at the front of the value has no counterpart.
  package let hasOpenQuote: Bool

  package init(number: Int, arguments: [ArgumentText], hasOpenQuote: Bool = false) {
    self.number = number
    self.arguments = arguments
    self.hasOpenQuote = hasOpenQuote
  }
}
