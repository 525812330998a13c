import Interface
import Platform

/// Standard output, for what is not a response: listings, helps, completions.
struct Printer {
  /// Where it cannot be known: wide enough for a URL, narrow enough to be read.
  private static let defaultWidth = 80
  /// Longer lines are hard to read, however wide the terminal is.
  private static let longestLine = 120

  let output: Descriptor
  let isTerminal: Bool
  let usesColor: Bool
  /// In columns.
  let width: Int

  init(_ context: ProcessContext, _ color: OutputOptions.Color) {
    output = context.standardOutput
    isTerminal = output.isTerminal
    width = min(isTerminal ? output.terminalWidth ?? Self.defaultWidth : Self.defaultWidth, Self.longestLine)
    usesColor =
      switch color {
      case .always: true
      case .never: false
      // https://no-color.org: set, and not empty.
      case .auto: isTerminal && (context.environment["NO_COLOR"] ?? "").isEmpty && context.environment["TERM"] != "dumb"
      }
  }

  /// The columns of the terminal, where a table may use all of them.
  var terminalWidth: Int { isTerminal ? output.terminalWidth ?? Self.defaultWidth : .max }

  func write(_ text: String) throws(Failure) {
    try write(bytes: Array(text.utf8))
  }

  func write(bytes: [UInt8]) throws(Failure) {
    do throws(Errno) { try output.writeAll(bytes) } catch { throw .output(nil, error) }
  }
}
