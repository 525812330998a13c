import FlagTable
import Interface
import Platform

/// The files with options or their values. Each is read once, because standard input cannot be read again.
final class OptionFiles {
  private let context: ProcessContext
  private var read: [(file: ArgumentText, content: OptionLine.Content, lines: [OptionLine])] = []

  init(_ context: ProcessContext) {
    self.context = context
  }

  func lines(of file: ArgumentText, as content: OptionLine.Content) throws(UsageError) -> [OptionLine] {
    for known in read where known.file == file && known.content == content { return known.lines }
    do throws(Failure) {
      let option = content == .options ? "--curl-config" : "--header"
      let bytes = try context.read(.file(file), for: option, upTo: .settings)
      let lines =
        switch content {
        case .options: CurlConfigText.lines(bytes)
        case .values: ValueLines.lines(bytes)
        }
      read.append((file, content, lines))
      return lines
    } catch {
      switch error {
      case .usage(let error): throw error
      case .input(_, let error): throw .unreadable(file: file, reason: "\(error)")
      case .unreadableInput(_, let reason): throw .unreadable(file: file, reason: reason)
      default: throw .unreadable(file: file, reason: error.message)
      }
    }
  }
}
