import HTTPCaching
import HTTPSemantics

/// What an entry holds besides its content.
indirect enum EntryHead: Equatable, Sendable {
  case response(StoredResponse, tableSum: UInt64)
  case variants(VariantList)
}

/// The variants that are stored under a key, each by its selecting fields.
struct VariantList: Equatable, Sendable {
  let key: CacheKey
  /// The newest variant is the last.
  var variants: [SelectingFields]

  /// More variants mean a field with an endless set of values, for which no cache is of use.
  static let maximumCount = 8
}

/// The encoding of heads: items of a tag (1 byte), a length (4 bytes) and a value. Unknown tags are skipped.
enum HeadCodec {
  enum Tag: UInt8 {
    case scheme = 1
    case host = 2
    case port = 3
    case pathAndQuery = 4
    case audience = 5
    case query = 6
    case ignored = 7
    case chosen = 8
    case post = 9
    case method = 16
    case selecting = 17
    case status = 32
    case reason = 33
    case field = 34
    case requestTime = 48
    case responseTime = 49
    case tableSum = 64
    case extent = 65
    case pinned = 66
    case tag = 67
    case variant = 80
  }

  // MARK: Encoding

  /// - Returns: false if the head exceeds its bounds; the bytes that have been appended are then of no use.
  static func append(_ head: EntryHead, to writer: inout ByteWriter) -> Bool {
    let start = writer.count
    switch head {
    case .response(let stored, let tableSum):
      guard stored.fields.lines.count <= HeadBounds.maximumFields else { return false }
      writer.append(stored.key)
      writer.append(.method, stored.requestMethod.name)
      writer.append(stored.selecting)
      writer.append(.status) {
        $0.append(stored.response.version.rawValue)
        $0.append(stored.response.status.rawValue)
      }
      writer.append(.reason, stored.response.reason.bytes)
      for field in stored.fields.lines { writer.append(field) }
      writer.append(.requestTime, stored.requestTime.secondsSinceEpoch)
      writer.append(.responseTime, stored.responseTime.secondsSinceEpoch)
      writer.append(.tableSum, tableSum)
      if case .part(let range, of: let length) = stored.extent {
        writer.append(.extent) {
          $0.append(range.lowerBound)
          if let length { $0.append(length) }
        }
      }
      if stored.isPinned { writer.append(.pinned, []) }
      for tag in stored.marks.tags.all { writer.append(.tag, tag.description) }
    case .variants(let list):
      writer.append(list.key)
      for variant in list.variants { writer.append(.variant, canonicalBytes(of: variant)) }
    }
    return writer.count - start <= HeadBounds.maximumBytes
  }

  /// Returns equal bytes for equal selecting fields. The names of variants are hashes of these bytes.
  static func canonicalBytes(of selecting: SelectingFields) -> [UInt8] {
    var writer = ByteWriter()
    writer.append(selecting)
    return writer.bytes
  }

  static func canonicalBytes(of ignored: IgnoredParameters) -> [UInt8] {
    var writer = ByteWriter()
    writer.append(ignored)
    return writer.bytes
  }

  // MARK: Decoding

  static func decode(_ bytes: ArraySlice<UInt8>, _ preamble: Preamble) throws(Damage) -> EntryHead {
    var parts = HeadParts()
    try bytes.read { (reader) throws(Damage) in
      while let (tag, value) = try item(&reader) { try parts.add(tag, value) }
    }
    guard let key = parts.key else { throw .malformedHead }
    switch preamble.kind {
    case .variants:
      guard preamble.contentLength == 0, parts.variants.count <= VariantList.maximumCount else {
        throw .malformedHead
      }
      return .variants(VariantList(key: key, variants: parts.variants))
    case .response, .part:
      guard parts.hasExtent == (preamble.kind == .part),
        let stored = parts.storedResponse(under: key, contentLength: preamble.contentLength),
        let tableSum = parts.tableSum
      else { throw .malformedHead }
      return .response(stored, tableSum: tableSum)
    }
  }

  static func selecting(_ bytes: ByteReader.Bytes) throws(Damage) -> SelectingFields {
    var reader = ByteReader(bytes)
    var members: [SelectingFields.Member] = []
    while let (tag, value) = try item(&reader) {
      if tag == .selecting { members.append(try member(value)) }
    }
    return SelectingFields(members: members)
  }

  static func member(_ bytes: ByteReader.Bytes) throws(Damage) -> SelectingFields.Member {
    var reader = ByteReader(bytes)
    guard let kind = reader.number(UInt8.self), let length = reader.number(UInt32.self),
      let name = reader.take(Int(length)).flatMap({ FieldName($0.span) })
    else { throw .malformedHead }
    switch kind {
    case 0: return SelectingFields.Member(name, .absent)
    case 1: return SelectingFields.Member(name, .plain(Array(reader.rest)))
    case 2: return SelectingFields.Member(name, .concealed(Array(reader.rest)))
    default: throw .malformedHead
    }
  }

  /// - Returns: the next item with a known tag; `nil` after the last one.
  private static func item(
    _ reader: inout ByteReader
  ) throws(Damage) -> (tag: Tag, value: ByteReader.Bytes)? {
    while !reader.isAtEnd {
      guard let number = reader.number(UInt8.self), let length = reader.number(UInt32.self),
        let value = reader.take(Int(length))
      else { throw .malformedHead }
      if let tag = Tag(rawValue: number) { return (tag, value) }
    }
    return nil
  }
}

/// Appends items. A value too long for its length field is far beyond the bound of a head, and is refused for that.
extension ByteWriter {
  fileprivate mutating func append(_ tag: HeadCodec.Tag, _ value: [UInt8]) {
    append(tag.rawValue)
    append(UInt32(clamping: value.count))
    append(value)
  }

  fileprivate mutating func append(_ tag: HeadCodec.Tag, _ value: String) {
    append(tag.rawValue)
    append(UInt32(clamping: value.utf8.count))
    append(value)
  }

  fileprivate mutating func append<Number: FixedWidthInteger>(_ tag: HeadCodec.Tag, _ value: Number) {
    append(tag.rawValue)
    append(UInt32(MemoryLayout<Number>.size))
    append(value)
  }

  fileprivate mutating func append(_ tag: HeadCodec.Tag, _ write: (inout ByteWriter) -> Void) {
    append(tag.rawValue)
    appendCounted(write)
  }

  fileprivate mutating func append(_ field: Field) {
    let (name, value) = (field.name.spelling, field.value.bytes)
    append(HeadCodec.Tag.field.rawValue)
    append(UInt32(clamping: MemoryLayout<UInt32>.size + name.utf8.count + value.count))
    append(UInt32(clamping: name.utf8.count))
    append(name)
    append(value)
  }

  fileprivate mutating func append(_ key: CacheKey) {
    let target = key.target
    append(.scheme, target.origin.scheme.rawValue)
    append(.host, target.origin.host)
    append(.port, target.origin.port)
    append(.pathAndQuery, target.pathAndQuery)
    switch key.primary {
    case .target: break
    case .reduced(_, without: let ignored): append(ignored)
    case .chosen(let text, for: _): append(.chosen, text)
    }
    if let audience = key.audience { append(.audience, audience) }
    switch key.content {
    case .query(let digest): append(.query, digest)
    case .post(let digest): append(.post, digest)
    case nil: break
    }
  }

  fileprivate mutating func append(_ ignored: IgnoredParameters) {
    for pattern in ignored.patterns { append(.ignored, pattern) }
  }

  fileprivate mutating func append(_ selecting: SelectingFields) {
    for member in selecting.members {
      append(.selecting) {
        let (kind, value): (UInt8, [UInt8]) =
          switch member.value {
          case .absent: (0, [])
          case .plain(let value): (1, value)
          case .concealed(let digest): (2, digest)
          }
        $0.append(kind)
        let name = member.name.lowercased
        $0.append(UInt32(clamping: name.utf8.count))
        $0.append(name)
        $0.append(value)
      }
    }
  }
}
