import Glibc
import HTTPCaching
import Platform
import TestSupport

@testable import CacheStore

extension FuzzTarget {
  /// A whole file in place of an entry.
  ///
  /// The first byte decides which checksums are corrected before the file is read, because no fuzzer guesses a
  /// checksum. The second decides how many bytes are inserted after the preamble, so that small inputs make large
  /// entries, too.
  static let entry = FuzzTarget("entry", longestInput: 4_096) { (bytes) throws(Violation) in
    var input = FuzzInput(bytes)
    let (choices, stretch) = (input.byte(), input.byte())
    var file = Array(input.rest)
    if file.count > EntryFormat.preambleBytes {
      let length = lengths.first { stretch >= $0.from }?.length ?? 0
      file.insert(contentsOf: [UInt8](repeating: stretch, count: length), at: EntryFormat.preambleBytes)
    }
    if choices & 1 != 0 { EntryMending.mend(&file) }
    try EntryFile.shared.check(file, asPart: choices & 2 != 0)
  }

  /// Lengths that exceed the window of delivery, and what is read at once for a look-up and for a listing. They are
  /// rare, because they take time.
  private static let lengths: [(from: UInt8, length: Int)] = [(252, 300_000), (248, 200_000), (240, 9_000)]
}

/// The one file that every input is written to.
private struct EntryFile {
  static let shared: EntryFile = {
    do {
      return try EntryFile()
    } catch {
      preconditionFailure("there is no place for an entry: \(error)")
    }
  }()

  private let place: TemporaryDirectory
  /// The open file, which is never truncated to nothing, because a file system may write a file out when it is closed
  /// after that.
  private let descriptor: Int32
  private static let fileName = "entry"

  private init() throws(SystemFailure) {
    place = try TemporaryDirectory("fuzz")
    let path = place.path(Self.fileName)
    // Static values are never released, so the directory is removed at exit.
    atexit {
      unlink(EntryFile.shared.place.path(EntryFile.fileName))
      rmdir(EntryFile.shared.place.path)
    }
    descriptor = try checked("open \(path)", open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600))
  }

  func check(_ file: [UInt8], asPart isPart: Bool) throws(Violation) {
    let count = pwrite(descriptor, file, file.count, 0)
    precondition(count == file.count && ftruncate(descriptor, off_t(count)) == 0, "the entry cannot be written")
    // The key that the golden entries were written for.
    let primary = EntryName(EntryMending.goldenKey)
    let name = isPart ? primary.part : primary
    let listed = try head(name)
    let read = try content(name, of: file)
    if let read { try require(listed == read, "a listing reads another head than a look-up") }
  }

  private func head(_ name: EntryName) throws(Violation) -> EntryHead? {
    guard let entry = opened(name, .head) else { return nil }
    try HeadChecks.check(undoubted(entry.head), entry.preamble)
    return entry.head
  }

  private func content(_ name: EntryName, of file: [UInt8]) throws(Violation) -> EntryHead? {
    guard let entry = opened(name, .content) else { return nil }
    let head = entry.head
    guard case .response(let stored, _) = head else { return head }
    let preamble = entry.preamble
    let content = StoredContent(entry, stored)
    let length = content.length
    for range in [nil, length / 3..<length / 2 + 1, length..<length + 9] {
      var delivered: [UInt8] = []
      do throws(ContentFailure<Never>) {
        try content.forEachVerifiedChunk(in: range) { delivered += $0 }
      } catch {
        continue
      }
      let wanted = (range ?? 0..<length).clamped(to: 0..<length)
      let right = file.dropFirst(EntryFormat.preambleBytes + Int(wanted.lowerBound)).prefix(wanted.count)
      try require(delivered.elementsEqual(right), "what is delivered is not what the file holds")
      if range == nil { try checkSums(of: delivered, preamble, in: file) }
    }
    return head
  }

  /// Checks that the content was allowed to be delivered.
  private func checkSums(of content: [UInt8], _ preamble: Preamble, in file: [UInt8]) throws(Violation) {
    let geometry = EntryGeometry(preamble)
    let table = file[Int(geometry.tableOffset)..<Int(geometry.headsOffset)]
    let sums = content.span.bytes.withUnsafeBytes { BlockSums.compute($0, firstBlock: 0, preamble.generation) }
    try require(BlockSums.decode(table) == sums, "what is delivered has other sums")
  }

  private func opened(_ name: EntryName, _ depth: ReadingDepth) -> OpenEntry? {
    do {
      guard let path = Path(Self.fileName), let directory = Path(place.path) else { return nil }
      return try OpenEntry.open(name, at: path, in: Directory(directory), ownerID: geteuid(), depth)
    } catch {
      return nil
    }
  }

  /// The head without its doubt, which is a property of the file and not of the head.
  private func undoubted(_ head: EntryHead) -> EntryHead {
    guard case .response(var stored, let tableSum) = head else { return head }
    stored.isDoubtful = false
    return .response(stored, tableSum: tableSum)
  }
}
