import FlagTable
import Interface
import Testing

/// Arguments that are refused, with the message and the hint.
struct RefusalRow: CustomTestStringConvertible, Sendable {
  let testDescription: String
  private let arguments: [ArgumentText]
  private let message: String
  private let hint: String?

  init(_ rule: String, _ arguments: [ArgumentText], _ message: String, hint: String? = nil) {
    self.testDescription = rule
    self.arguments = arguments
    self.message = message
    self.hint = hint
  }

  func check() {
    let error = #expect(throws: UsageError.self) { try CommandLineInterface.parse(arguments) }
    #expect(error?.message == message)
    #expect(error?.hint == hint)
  }
}
