import FlagTable
import Platform

/// Which option standard input is read for: what comes there is there for one, once.
final class StandardInputUse: @unchecked Sendable {
  private let lock = Lock()
  // Under the lock.
  private var reader: String?
  private var isRead = false

  /// Keeps it for an option that reads it later, or bit by bit.
  ///
  /// - Parameter option: as it is spelt; it may come again.
  /// - Throws: where another option has it.
  func claim(for option: String) throws(UsageError) {
    lock.lock()
    defer { lock.unlock() }
    if let reader, reader != option { throw .sharedInput(reader, option) }
    reader = option
  }

  /// To be called before all of it is read.
  ///
  /// - Throws: where it has been read, for the same option too: it would find nothing there.
  func read(for option: String) throws(UsageError) {
    try claim(for: option)
    lock.lock()
    defer { lock.unlock() }
    if isRead { throw .sharedInput(option, option) }
    isRead = true
  }
}
