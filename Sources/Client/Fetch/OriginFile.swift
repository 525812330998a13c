import FlagTable
import HTTPSemantics
import Interface
import Platform

/// A file in which runs keep what origins say of themselves.
///
/// Runs write it one after the other, each from what the one before has left: its directory is locked meanwhile.
struct OriginFile {
  /// How long a run waits for others, in nanoseconds, each of which takes a millisecond; and for how long at a time.
  private static let patience: (all: UInt64, once: UInt64) = (1_000_000_000, 2_000_000)

  private let path: Path
  private let name: ArgumentText
  /// Completes "... are not kept".
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
    // `-` is a file of that name here, and no standard input.
    self.name = name == "-" ? "./-" : name
    self.contents = contents
    self.option = option
    self.context = context
    self.diagnostics = diagnostics
  }

  func read() throws(Failure) -> [UInt8] { try context.read(.file(name), for: option, upTo: .notes) }

  /// Writes what is made of what is there now, to which another run may have added something.
  ///
  /// - Parameter change: `nil` where nothing is to be written.
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
      // The first run has none to read. What is in any other is not replaced by what this run has learnt.
      if !error.isOfMissingInput { return warn(of: error) }
    }
    guard let changed = change(bytes) else { return }
    do throws(Errno) {
      let file = try AtomicFile(path)
      try file.descriptor.writeAll(changed)
      try file.commit()
    } catch {
      // As with a file of cookies: what was fetched is there.
      warn(of: .output(path.visible, error))
    }
  }

  /// - Returns: what is to be let go when the file is written; `nil` where there are no locks, or others take too long.
  private func waitForTurn() -> Directory? {
    guard let place = AtomicFile.place(of: path), let directory = try? Directory(place.parent) else { return nil }
    let start = context.clock.monotonic()
    do throws(Errno) {
      while try !directory.tryLockWhole() {
        if context.clock.monotonic() &- start >= Self.patience.all { return nil }
        context.clock.pause(Self.patience.once)
      }
      return directory
    } catch {
      return nil
    }
  }

  private func warn(of failure: Failure) {
    diagnostics.warn("the \(contents) of \(option) are not kept: \(failure.message)")
  }

  // MARK: What curl's files have in common

  /// The lines that say something.
  static func lines(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    bytes.split(whereSeparator: { $0 == ASCII.lineFeed || $0 == ASCII.carriageReturn })
      .map { ASCII.trimmed($0) }.filter { $0.first != UInt8(ascii: "#") }
  }

  /// An IPv6 address has no brackets in such files.
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

  /// - Returns: `nil` for what is later than the form can say, which is as good as never.
  static func words(_ moment: Timestamp) -> String? {
    let time = CivilTime(moment)
    if time.year > 9999 { return nil }
    let date = [CivilTime.padded(time.year, to: 4), CivilTime.padded(time.month), CivilTime.padded(time.day)].joined()
    return "\(date) \(time.clockText)"
  }
}
