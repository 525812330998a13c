import HTTPSemantics

/// The record of a head in a file: magic, length of the payload, payload, sum.
enum HeadRecord {
  /// - Returns: `nil` if the head exceeds its bounds.
  static func encode(_ head: EntryHead, _ generation: Generation) -> [UInt8]? {
    var writer = ByteWriter(expecting: usualBytes)
    return append(head, generation, to: &writer) ? writer.bytes : nil
  }

  /// - Returns: false if the head exceeds its bounds; the bytes that have been appended are then of no use.
  static func append(_ head: EntryHead, _ generation: Generation, to writer: inout ByteWriter) -> Bool {
    let start = writer.count
    var isInBounds = false
    writer.append(EntryFormat.headMagic)
    writer.appendCounted { isInBounds = HeadCodec.append(head, to: &$0) }
    writer.append(writer.withUnsafeBytes(from: start) { generation.sum(ofHead: $0) })
    return isInBounds
  }

  /// Most records of responses are smaller.
  static let usualBytes = 1_024

  /// - Returns: the range of the payload; `nil` if the next bytes are no whole record of that generation.
  fileprivate static func take(from reader: inout ByteReader, _ generation: Generation) -> Range<Int>? {
    let start = reader.position
    guard reader.number(UInt32.self) == EntryFormat.headMagic,
      let length = reader.number(UInt32.self), length <= HeadBounds.maximumBytes
    else { return nil }
    let payload = reader.position..<reader.position + Int(length)
    guard reader.take(payload.count) != nil, let sum = reader.number(UInt64.self),
      sum == generation.sum(ofHead: reader.bytes(from: start, to: payload.upperBound))
    else { return nil }
    return payload
  }
}

/// The records behind the content and its sums, of which the last whole one is the head.
struct HeadRecords {
  let last: ArraySlice<UInt8>
  /// Whether something unintelligible follows, such as the beginning of a record whose writer was killed.
  let hasRemains: Bool

  init(in bytes: ArraySlice<UInt8>, _ generation: Generation) throws(Damage) {
    let (last, hasRemains) = bytes.read { reader in
      var last: Range<Int>?
      while !reader.isAtEnd {
        var next = reader
        guard let payload = HeadRecord.take(from: &next, generation) else { break }
        last = payload
        reader = next
      }
      return (last, !reader.isAtEnd)
    }
    guard let last else { throw .headSum }
    self.last = bytes[(bytes.startIndex + last.lowerBound)..<(bytes.startIndex + last.upperBound)]
    self.hasRemains = hasRemains
  }
}
