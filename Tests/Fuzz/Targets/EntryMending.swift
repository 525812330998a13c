import HTTPCaching
import HTTPSemantics

@testable import CacheStore

/// Corrects the checksums of an entry, so that the code behind their check is reached.
enum EntryMending {
  static let goldenKey = CacheKey(
    TargetURI(origin: TargetURI.Origin(scheme: .https, host: "example.org", port: 443), pathAndQuery: "/"))

  static func mend(_ file: inout [UInt8]) {
    guard file.count >= EntryFormat.preambleBytes else { return }
    var fixed = ByteWriter()
    fixed.append(EntryFormat.magic)
    fixed.append(EntryFormat.version)
    file.replaceSubrange(0..<fixed.bytes.count, with: fixed.bytes)
    mendPreamble(&file)
    guard let preamble = try? Preamble(decoding: file.prefix(EntryFormat.preambleBytes)) else { return }
    let geometry = EntryGeometry(preamble)
    guard geometry.headsOffset < Int64(file.count) else { return }
    let (table, heads) = (Int(geometry.tableOffset), Int(geometry.headsOffset))
    let content = file[EntryFormat.preambleBytes..<table]
    let sums = content.span.bytes.withUnsafeBytes {
      BlockSums.compute($0, firstBlock: 0, preamble.generation)
    }
    var writer = ByteWriter()
    BlockSums.append(sums, to: &writer)
    file.replaceSubrange(table..<heads, with: writer.bytes)
    let tableSum = preamble.generation.sum(ofTable: file[table..<heads])
    var start = heads
    while let end = mendRecord(&file, at: start, preamble.generation, tableSum) { start = end }
  }

  /// Corrects the sum of the first 56 bytes, which has no seed.
  private static func mendPreamble(_ file: inout [UInt8]) {
    let covered = EntryFormat.preambleBytes - 8
    let kind = Preamble.Kind(rawValue: file[EntryFormat.magic.count + 2]) ?? .response
    let (generation, length) = file[(covered - 40)..<covered].read { reader in
      (
        Generation(low: reader.number() ?? 0, high: reader.number() ?? 0),
        min(reader.number() ?? UInt64(0), EntryFormat.maximumContentLength)
      )
    }
    file.replaceSubrange(
      0..<EntryFormat.preambleBytes, with: Preamble(kind, generation, contentLength: length).encoded)
  }

  /// - Returns: the place of the next record; `nil` if there is no record at this place.
  private static func mendRecord(
    _ file: inout [UInt8], at start: Int, _ generation: Generation, _ tableSum: UInt64
  ) -> Int? {
    let length: Int? = file[start...].read { reader in
      guard reader.number(UInt32.self) == EntryFormat.headMagic, let length = reader.number(UInt32.self),
        reader.take(Int(length)) != nil, reader.take(8) != nil
      else { return nil }
      return Int(length)
    }
    guard let length else { return nil }
    let payload = start + 8
    let end = payload + length
    if let place = valueOfTableSum(in: file[payload..<end]) { replace(&file, at: place, with: tableSum) }
    replace(&file, at: end, with: file[start..<end].withUnsafeBytes { generation.sum(ofHead: $0) })
    return end + 8
  }

  /// The place of the table's sum among the items of a head.
  private static func valueOfTableSum(in payload: ArraySlice<UInt8>) -> Int? {
    payload.read { reader in
      while let tag = reader.number(UInt8.self), let length = reader.number(UInt32.self),
        let value = reader.take(Int(length))
      {
        let isSum = tag == HeadCodec.Tag.tableSum.rawValue && value.count == 8
        if isSum { return payload.startIndex + reader.position - value.count }
      }
      return nil
    }
  }

  private static func replace(_ file: inout [UInt8], at place: Int, with number: UInt64) {
    var writer = ByteWriter()
    writer.append(number)
    file.replaceSubrange(place..<place + 8, with: writer.bytes)
  }
}
