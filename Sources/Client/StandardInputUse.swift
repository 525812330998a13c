import FlagTable
import Platform

/// Which option standard input is read for: what comes there is there for one.
final class StandardInputUse: @unchecked Sendable {
  private let lock = Lock()
  // Under the lock.
  private var reader: String?

  /// - Parameter option: as it is spelt; it may come again.
  /// - Throws: where another option has it.
  func claim(for option: String) throws(UsageError) {
    lock.lock()
    defer { lock.unlock() }
    if let reader, reader != option { throw .sharedInput(reader, option) }
    reader = option
  }
}
