import FlagTable
import Interface
import Platform

/// The files that `--curl-config` names, each read once: standard input cannot be read again.
final class OptionFiles {
  private let context: ProcessContext
  private var read: [(file: ArgumentText, lines: [OptionLine])] = []

  init(_ context: ProcessContext) {
    self.context = context
  }

  func lines(of file: ArgumentText) throws(UsageError) -> [OptionLine] {
    for known in read where known.file == file { return known.lines }
    do throws(Failure) {
      let lines = CurlConfigText.lines(try context.read(.file(file)))
      read.append((file, lines))
      return lines
    } catch {
      guard case .input(_, let error) = error else { throw .unreadable(file: file, reason: error.message) }
      throw .unreadable(file: file, reason: "\(error)")
    }
  }
}
