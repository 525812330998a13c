import Glibc
import TestSupport

/// Reports the results so far, and prints the table at the end.
final class TortureReport: Sendable {
  private struct Tally {
    var injected = 0
    var wrong = 0
  }

  private let catalogue: TortureCatalogue
  private let total: Int
  private let tallies = Monitor<[String: Tally]>([:])
  private let showsProgress = isatty(STDERR_FILENO) == 1

  init(_ catalogue: TortureCatalogue, total: Int) {
    self.catalogue = catalogue
    self.total = total
  }

  /// - Parameter complaints: `nil` if nothing was injected.
  func note(_ one: TortureCase, _ complaints: [String]?) {
    guard let complaints else { return }
    let group = catalogue.group(of: one)
    tallies.withLock { tallies in
      tallies[group, default: Tally()].injected += 1
      if !complaints.isEmpty {
        tallies[group, default: Tally()].wrong += 1
        let said = complaints.map { "    \($0)\n" }.joined()
        write("\(startOfLine)wrong answer: torture --only \(catalogue.name(of: one))\n\(said)", to: STDERR_FILENO)
      }
      let done = tallies.values.reduce(0) { $0 + $1.injected }
      if showsProgress, done % Self.progressStep == 0 { write("\(startOfLine)\(done) of \(total)", to: STDERR_FILENO) }
    }
  }

  private var startOfLine: String { showsProgress ? "\r\u{1b}[K" : "" }
  private static let progressStep = 50

  /// Prints the table.
  ///
  /// - Returns: whether nothing was wrong.
  func finish() -> Bool {
    let tallies = tallies.withLock { $0 }
    var text = startOfLine
    for (group, tally) in tallies.sorted(by: { $0.key < $1.key }) {
      text += "  " + padded(group, 24) + padded("\(tally.injected)", 8, atStart: true)
      text += padded("\(tally.wrong)", 8, atStart: true) + "\n"
    }
    let injected = tallies.values.reduce(0) { $0 + $1.injected }
    let wrong = tallies.values.reduce(0) { $0 + $1.wrong }
    write(text + "faults injected \(injected) / wrong answers \(wrong)\n", to: STDOUT_FILENO)
    return wrong == 0
  }

  private func padded(_ text: String, _ width: Int, atStart: Bool = false) -> String {
    let space = String(repeating: " ", count: max(0, width - text.count))
    return atStart ? space + text : text + space
  }

  private func write(_ text: String, to descriptor: Int32) {
    // A report that cannot be written is no reason to stop.
    try? TestSupport.writeAll(Array(text.utf8), to: descriptor, "the report")
  }
}
