import FlagTable
import HTTPSemantics
import Interface
import Platform

/// A file in which runs keep what origins say about themselves.
///
/// Runs write it one after the other, each on the basis of what the one before has left; its directory is locked
/// meanwhile.
struct OriginFile {
  /// How long a run waits for others, in nanoseconds. Each of them takes a millisecond.
  private static let patience: UInt64 = 1_000_000_000
  /// The time between two attempts to lock the directory, in nanoseconds.
  private static let pause: UInt64 = 2_000_000

  private let path: Path
  private let name: ArgumentText
  /// Completes "the ... of OPTION are not kept".
  private let contents: String
  private let option: String
  private let context: ProcessContext
  private let diagnostics: Diagnostics

  /// - Returns: `nil` for the empty name, which stands for no file.
  init?(
    _ name: ArgumentText, of option: String, keeping contents: String, _ context: ProcessContext,
    _ diagnostics: Diagnostics
  ) {
    guard let path = Path(name.bytes) else { return nil }
    self.path = path
    // `-` is a file of that name here, not standard input.
    self.name = name == "-" ? "./-" : name
    self.contents = contents
    self.option = option
    self.context = context
    self.diagnostics = diagnostics
  }

  func read() throws(Failure) -> [UInt8] {
    try check()
    return try context.read(.file(name), for: option, upTo: .settings)
  }

  /// Refuses a FIFO: it keeps nothing for a later run, and would be waited for.
  func check() throws(Failure) {
    if OutputPath.isFIFO(path) { throw .unreadableInput(name.visible, "it is a FIFO") }
  }

  /// Writes what `change` makes of the present content, to which another run may have added something.
  ///
  /// - Parameter change: returns `nil` if nothing is to be written.
  func update(_ change: ([UInt8]) -> [UInt8]?) {
    let turn = waitForTurn()
    updateInTurn(change)
    _ = consume turn
  }

  private func updateInTurn(_ change: ([UInt8]) -> [UInt8]?) {
    var bytes: [UInt8] = []
    do throws(Failure) {
      bytes = try read()
    } catch {
      // The first run finds no file. Any other file that cannot be read is not replaced by what this run has learnt.
      if !error.isOfMissingInput { return warn(of: error) }
    }
    guard let changed = change(bytes) else { return }
    do throws(Errno) {
      try AtomicFile.write(changed, to: path)
    } catch {
      // Only a warning, as for a file of cookies: the fetch itself has succeeded.
      warn(of: .output(path.visible, error))
    }
  }

  /// - Returns: the locked directory, to be released when the file is written; `nil` if there are no locks, or others
  ///   take too long.
  private func waitForTurn() -> Directory? {
    guard let finalPath = OutputPath.finalPath(of: path), let directory = try? Directory(finalPath.parent) else {
      return nil
    }
    let start = context.clock.monotonic()
    do throws(Errno) {
      while try !directory.tryLockWhole() {
        if context.clock.monotonic() &- start >= Self.patience { return nil }
        context.clock.pause(Self.pause)
      }
      return directory
    } catch {
      return nil
    }
  }

  private func warn(of failure: Failure) {
    diagnostics.warn("the \(contents) of \(option) are not saved: \(failure.message)")
  }

  // MARK: What curl's files have in common

  /// The trimmed lines that are not comments.
  static func lines(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    bytes.split(whereSeparator: { $0 == ASCII.lineFeed || $0 == ASCII.carriageReturn })
      .map { ASCII.trimmed($0) }.filter { $0.first != UInt8(ascii: "#") }
  }

  /// Returns the host as such files have it: an IPv6 address without brackets.
  static func host(_ host: String) -> String {
    let address = host.dropFirst().dropLast()
    return IPAddress.bracketed(address.utf8) == host ? String(address) : host
  }

  /// `YYYYMMDD HH:MM:SS`, in UTC.
  static func moment(_ bytes: ArraySlice<UInt8>) -> Timestamp? {
    let digits = bytes.filter(ASCII.isDigit)
    guard bytes.count == 17, digits.count == 14 else { return nil }
    let number = { (range: Range<Int>) in ASCII.decimalInt64(digits[range]) ?? 0 }
    return CivilTime(
      year: number(0..<4), month: number(4..<6), day: number(6..<8), hour: number(8..<10), minute: number(10..<12),
      second: number(12..<14)
    ).timestamp
  }

  /// - Returns: `nil` for a time beyond what the form can express, which is as good as never.
  static func words(_ moment: Timestamp) -> String? {
    let time = CivilTime(moment)
    if time.year > 9999 { return nil }
    let date = [CivilTime.padded(time.year, to: 4), CivilTime.padded(time.month), CivilTime.padded(time.day)].joined()
    return "\(date) \(time.clockText)"
  }
}
