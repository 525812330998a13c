/// A head in a file: magic, length of the payload, payload, sum.
enum HeadRecord {
  static func encode(_ payload: [UInt8], _ generation: Generation) -> [UInt8] {
    var writer = ByteWriter(expecting: EntryFormat.headFrameBytes + payload.count)
    writer.append(EntryFormat.headMagic)
    writer.append(UInt32(payload.count))
    writer.append(payload)
    writer.append(generation.sum(ofHead: writer.bytes[...]))
    return writer.bytes
  }

  /// - Returns: `nil` where no whole record of that generation stands at the front.
  fileprivate static func take(from reader: inout ByteReader, _ generation: Generation) -> ArraySlice<UInt8>? {
    let start = reader.rest
    guard reader.number(UInt32.self) == EntryFormat.headMagic,
      let length = reader.number(UInt32.self), length <= EntryFormat.maximumHeadBytes,
      let payload = reader.take(Int(length)), let sum = reader.number(UInt64.self)
    else { return nil }
    let covered = start.prefix(EntryFormat.headFrameBytes - 8 + Int(length))
    return sum == generation.sum(ofHead: covered) ? payload : nil
  }
}

/// What stands behind the content and its sums: the last whole record is the head.
struct HeadRecords {
  let last: ArraySlice<UInt8>
  /// Whether something unintelligible follows, such as the beginning of a record whose writer was killed.
  let hasRemains: Bool

  init(in bytes: ArraySlice<UInt8>, _ generation: Generation) throws(Damage) {
    var reader = ByteReader(bytes)
    var last: ArraySlice<UInt8>?
    while !reader.isAtEnd {
      var next = reader
      guard let payload = HeadRecord.take(from: &next, generation) else { break }
      last = payload
      reader = next
    }
    guard let last else { throw .headSum }
    self.last = last
    hasRemains = !reader.isAtEnd
  }
}
