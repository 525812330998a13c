import Archives
import CacheStore

/// The counts of what has become of an archive's responses, and how far the archive has been read.
final class ImportTally {
  /// The most warnings of damage, so that a file full of it does not fill the terminal.
  private static let maximumWarnings = 20

  private let name: String
  private let input: ArchiveInput
  private let diagnostics: Diagnostics
  private let meter: ProgressMeter
  private var readBytes: UInt64 = 0
  private(set) var importedCount = 0
  /// Entries from a member of gzip whose checksum has not been read yet, and how far the archive had been read when
  /// each was stored.
  private var unconfirmed: [(end: UInt64, entry: WrittenEntry)] = []
  private var skipped = CountedReasons()
  private(set) var damagedCount = 0

  init(_ name: String, _ input: ArchiveInput, _ meter: ProgressMeter, _ diagnostics: Diagnostics) {
    self.name = name
    self.input = input
    self.meter = meter
    self.diagnostics = diagnostics
  }

  func countImported(_ written: WrittenEntry) {
    importedCount += 1
    guard let confirmed = input.confirmedBytes else { return }
    if let first = unconfirmed.first, first.end <= confirmed { unconfirmed.removeAll { $0.end <= confirmed } }
    unconfirmed.append((input.offset, written))
  }

  /// Takes back what came from a member of gzip without a confirmed checksum: if the member is not what was compressed,
  /// it is unknown which of its bytes are.
  ///
  /// - Returns: the entries stored from it, which do not count as imported any more.
  func takeBackUnconfirmed() -> [WrittenEntry] {
    let confirmed = input.confirmedBytes ?? .max
    let taken = unconfirmed.filter { $0.end > confirmed }.map(\.entry)
    unconfirmed = []
    importedCount -= taken.count
    return taken
  }

  /// Does some work on a record, and counts a refusal, which concerns this record alone.
  ///
  /// - Parameter offset: the offset of the record in the archive, in bytes.
  func attempting(at offset: UInt64, _ work: () throws(RecordFault) -> Void) throws(ImportFault) {
    do throws(RecordFault) {
      try work()
    } catch {
      switch error {
      case .refused(let refusal): count(refusal, at: offset)
      case .fatal(let fault): throw fault
      }
    }
  }

  private func count(_ refusal: ImportRefusal, at offset: UInt64) {
    skipped.count(refusal.word)
    guard case .damaged(let reason) = refusal else { return }
    damagedCount += 1
    guard damagedCount <= Self.maximumWarnings else { return }
    diagnostics.warn("the record at byte \(offset) of \(Escaping.visible(name)) is not imported: its \(reason)")
  }

  /// Shows how far the archive has been read, if progress is shown.
  func advance() {
    let read = input.readBytes
    meter.advance(by: read - readBytes)
    readBytes = read
  }

  /// Reports the result of the import.
  ///
  /// - Parameters:
  ///   - evictions: what was evicted to make room, mostly some of what has been imported.
  ///   - capacity: the capacity of the store, in bytes.
  func finish(_ evictions: EvictionRecord, within capacity: Int64) {
    meter.finish()
    let count = Words.count(importedCount, "response")
    let skipped = skipped.words(beginning: ", skipped ")
    guard evictions.bytes > 0 else { return diagnostics.inform("imported \(count)\(skipped)") }
    let (gone, limit) = (ByteCount(clamping: evictions.bytes), ByteCount(clamping: capacity))
    diagnostics.inform(
      "imported \(count)\(skipped); \(gone) of stored responses evicted to make room (the capacity is \(limit))")
  }
}
