import FlagTable
import Synchronization

/// Which option standard input is read for: what comes there is there for one.
package final class StandardInputUse: Sendable {
  private let reader = Mutex<String?>(nil)

  package init() {}

  /// - Parameter option: as it is spelt; it may come again.
  /// - Throws: where another option has it.
  func claim(for option: String) throws(UsageError) {
    let reader = reader.withLock { reader in
      if reader == nil { reader = option }
      return reader
    }
    if let reader, reader != option { throw .sharedInput(reader, option) }
  }
}
