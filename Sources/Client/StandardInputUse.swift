import FlagTable
import Platform

/// Keeps track of which option reads standard input: its content can be read once, by one option.
final class StandardInputUse: @unchecked Sendable {
  private let lock = Lock()
  // Under the lock.
  private var reader: String?
  private var isRead = false

  /// Reserves standard input for an option that reads it later, or piece by piece.
  ///
  /// - Parameter option: its spelling; the same option may ask again.
  /// - Throws: if another option has it.
  func claim(for option: String) throws(Failure) {
    lock.lock()
    defer { lock.unlock() }
    if let reader, reader != option { throw .usage(.sharedInput(reader, option)) }
    reader = option
  }

  /// Notes that all of standard input is about to be read.
  ///
  /// - Throws: if another option has it, or if it has been read before, even for the same option: nothing is left
  ///   there.
  func read(for option: String) throws(Failure) {
    try claim(for: option)
    lock.lock()
    defer { lock.unlock() }
    if isRead { throw .usage(.sharedInput(option, option)) }
    isRead = true
  }
}
