import FlagTable
import Interface

extension FuzzTarget {
  /// A command line, with one argument on each line.
  static let arguments = FuzzTarget("arguments", longestInput: 256) { (bytes) throws(Violation) in
    let arguments = bytes.split(separator: 10, omittingEmptySubsequences: false).map { ArgumentText($0) }
    do throws(UsageError) {
      let invocation = try CommandLineInterface.parse(arguments)
      if case .help(let topic, let form) = invocation.command {
        let text = CommandLineInterface.helpText(topic, form, width: 80)
        try holds(!text.isEmpty, "help that was found is empty")
      }
    } catch {
      try checkLine(error.message)
      if let hint = error.hint { try checkLine(hint) }
    }
  }

  private static func holds(_ condition: Bool, _ sentence: String) throws(UsageError) {
    precondition(condition, sentence)
  }
}
