/// A line of a file of options, as the arguments that it stands for; an operand is not among them.
package struct OptionLine: Equatable, Sendable {
  /// What the lines of a file are.
  package enum Content: Equatable, Sendable {
    /// Each an option, with its value.
    case options
    /// Each a value of the option that names the file.
    case values
  }

  /// Reads a file of options, or of values.
  package typealias Reader = (_ file: ArgumentText, _ content: Content) throws(UsageError) -> [OptionLine]

  package let number: Int
  package let arguments: [ArgumentText]

  package init(number: Int, arguments: [ArgumentText]) {
    self.number = number
    self.arguments = arguments
  }
}
