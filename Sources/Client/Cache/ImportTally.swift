import Archives
import CacheStore

/// What has come of an archive's responses, and how far it has been read.
final class ImportTally {
  /// A file full of damage fills no terminal.
  private static let maximumWarnings = 20

  private let name: String
  private let input: ArchiveInput
  private let diagnostics: Diagnostics
  private let meter: ProgressMeter
  private var readBytes: UInt64 = 0
  private(set) var importedCount = 0
  /// What has been stored of a member of gzip whose sum has not come, and how far the archive had been read then.
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

  /// Where a member is not what was compressed, nobody knows which of its bytes are.
  ///
  /// - Returns: what has been stored of it, and counts no longer.
  func takeBackUnconfirmed() -> [WrittenEntry] {
    let confirmed = input.confirmedBytes ?? .max
    let taken = unconfirmed.filter { $0.end > confirmed }.map(\.entry)
    unconfirmed = []
    importedCount -= taken.count
    return taken
  }

  /// - Parameter offset: of the record.
  func count(_ refusal: ImportRefusal, at offset: UInt64) {
    skipped.count(refusal.word)
    guard case .damaged(let reason) = refusal else { return }
    damagedCount += 1
    guard damagedCount <= Self.maximumWarnings else { return }
    diagnostics.warn("the record at byte \(offset) of \(Escaping.visible(name)) is not imported: its \(reason)")
  }

  /// Shows how far the archive has been read, where anybody sees it.
  func advance() {
    let read = input.readBytes
    meter.advance(by: read - readBytes)
    readBytes = read
  }

  /// Says what has come of all.
  ///
  /// - Parameters:
  ///   - evictions: what has had to go; some of what has been imported, mostly.
  ///   - capacity: of the store, in bytes.
  func finish(_ evictions: EvictionRecord, within capacity: Int64) {
    meter.finish()
    let count = Words.count(importedCount, "response")
    let skipped = skipped.words(beginning: ", skipped ")
    guard evictions.bytes > 0 else { return diagnostics.inform("imported \(count)\(skipped)") }
    let (gone, limit) = (ByteCount(UInt64(clamping: evictions.bytes)), ByteCount(UInt64(clamping: capacity)))
    diagnostics.inform(
      "imported \(count)\(skipped); \(gone) of what was stored had to make room (the capacity is \(limit))")
  }
}
