import HTTPCaching
import HTTPSemantics

/// The items of a head, collected while it is decoded.
struct HeadParts: ~Copyable {
  private var scheme: TargetURI.Scheme?
  private var host: String?
  private var port: UInt16?
  private var pathAndQuery: String?
  private var audience: [UInt8]?
  private var ignored: [[UInt8]] = []
  private var chosen: [UInt8]?
  private var query: [UInt8]?
  private var post: [UInt8]?
  private var method: Method?
  private var selecting: [SelectingFields.Member] = []
  private var version: HTTPVersion?
  private var status: StatusCode?
  private var reason: FieldValue?
  private var fields: [Field] = []
  private var requestTime: Timestamp?
  private var responseTime: Timestamp?
  private(set) var tableSum: UInt64?
  private var extent: Extent?
  private var pinned: Void?
  private var tags: [Tag] = []
  private(set) var variants: [SelectingFields] = []

  /// The offset at which a part begins, and the length of the whole representation if that is known.
  private struct Extent {
    let start: UInt64
    let completeLength: UInt64?
  }

  mutating func add(_ tag: HeadCodec.Tag, _ value: ByteReader.Bytes) throws(Damage) {
    switch tag {
    case .scheme: try Self.set(&scheme, TargetURI.Scheme(value.span))
    case .host: try Self.set(&host, Self.text(value))
    case .port: try Self.set(&port, Self.number(value))
    case .pathAndQuery: try Self.set(&pathAndQuery, Self.text(value))
    case .audience: try Self.set(&audience, Array(value))
    case .query: try Self.set(&query, Array(value))
    case .ignored: ignored.append(Array(value))
    case .chosen: try Self.set(&chosen, Array(value))
    case .post: try Self.set(&post, Array(value))
    case .method: try Self.set(&method, Method(value.span))
    case .selecting: selecting.append(try HeadCodec.member(value))
    case .status: try setStatus(value)
    case .reason: try Self.set(&reason, FieldValue(value.span))
    case .field: try addField(value)
    case .requestTime: try Self.set(&requestTime, Self.time(value))
    case .responseTime: try Self.set(&responseTime, Self.time(value))
    case .tableSum: try Self.set(&tableSum, Self.number(value))
    case .extent: try Self.set(&extent, Self.extent(value))
    case .pinned: try Self.set(&pinned, value.isEmpty ? () : nil)
    case .tag: try addTag(value)
    case .variant: variants.append(try HeadCodec.selecting(value))
    }
  }

  var key: CacheKey? {
    guard let scheme, let host, let port, let pathAndQuery else { return nil }
    let origin = TargetURI.Origin(scheme: scheme, host: host, port: port)
    let target = TargetURI(origin: origin, pathAndQuery: pathAndQuery)
    guard let primary = primaryKey(for: target), query == nil || post == nil else { return nil }
    return CacheKey(primary, audience: audience, content: query.map(SentContent.query) ?? post.map(SentContent.post))
  }

  /// - Returns: `nil` if the head has the items of two kinds of key.
  private func primaryKey(for target: TargetURI) -> PrimaryKey? {
    if let chosen { return ignored.isEmpty ? .chosen(chosen, for: target) : nil }
    return ignored.isEmpty ? .target(target) : .reduced(target, without: IgnoredParameters(ignored))
  }

  func storedResponse(under key: CacheKey, contentLength: UInt64) -> StoredResponse? {
    guard let method, let version, let status, let reason, let requestTime, let responseTime else { return nil }
    guard fields.count <= HeadBounds.maximumFields, let extent = self.extent(contentLength: contentLength),
      let tags = Tags(tags)
    else { return nil }
    let response = Response(status, reason: reason, version: version, fields: Fields(fields))
    return StoredResponse(
      response, to: method, under: key, selecting: SelectingFields(members: selecting), requestTime: requestTime,
      responseTime: responseTime, contentLength: contentLength, extent: extent,
      marks: Marks(isPinned: pinned != nil, tags: tags))
  }

  var hasExtent: Bool { extent != nil }

  /// - Returns: `nil` for a part that is empty or extends beyond the end of the representation.
  private func extent(contentLength: UInt64) -> StoredResponse.Extent? {
    guard let extent else { return .whole }
    let (end, overflow) = extent.start.addingReportingOverflow(contentLength)
    guard contentLength > 0, !overflow, extent.completeLength.map({ end <= $0 }) ?? true else { return nil }
    return .part(extent.start..<end, of: extent.completeLength)
  }

  private static func extent(_ value: ByteReader.Bytes) -> Extent? {
    var reader = ByteReader(value)
    guard let start = reader.number(UInt64.self) else { return nil }
    if reader.isAtEnd { return Extent(start: start, completeLength: nil) }
    guard let length = reader.number(UInt64.self), reader.isAtEnd else { return nil }
    return Extent(start: start, completeLength: length)
  }

  /// Sets an item that may occur once. An item that occurs twice or makes no sense is damage.
  private static func set<Value>(_ part: inout Value?, _ value: Value?) throws(Damage) {
    guard part == nil, let value else { throw .malformedHead }
    part = value
  }

  private mutating func setStatus(_ value: ByteReader.Bytes) throws(Damage) {
    var reader = ByteReader(value)
    try Self.set(&version, reader.number(UInt8.self).flatMap(HTTPVersion.init(rawValue:)))
    try Self.set(&status, reader.number(UInt16.self).map(StatusCode.init(rawValue:)))
    guard reader.isAtEnd else { throw .malformedHead }
  }

  private mutating func addField(_ value: ByteReader.Bytes) throws(Damage) {
    var reader = ByteReader(value)
    guard let length = reader.number(UInt32.self),
      let name = reader.take(Int(length)).flatMap({ FieldName($0.span) })
    else { throw .malformedHead }
    // Without this, the array would be copied each time it grows.
    if fields.isEmpty { fields.reserveCapacity(Self.usualFields) }
    fields.append(Field(name, FieldValue(reader.rest.span)))
  }

  private mutating func addTag(_ value: ByteReader.Bytes) throws(Damage) {
    guard tags.count < Tags.maximumCount, let tag = try? Tag(parsing: Array(value)) else { throw .malformedHead }
    tags.append(tag)
  }

  /// Most heads have fewer fields.
  private static let usualFields = 16

  private static func text(_ value: ByteReader.Bytes) -> String { String(decoding: value, as: UTF8.self) }

  private static func number<Number: FixedWidthInteger & UnsignedInteger>(_ value: ByteReader.Bytes) -> Number? {
    var reader = ByteReader(value)
    let number: Number? = reader.number()
    return reader.isAtEnd ? number : nil
  }

  private static func time(_ value: ByteReader.Bytes) -> Timestamp? {
    let bits: UInt64? = Self.number(value)
    return bits.map { Timestamp(secondsSinceEpoch: Int64(bitPattern: $0)) }
  }
}
