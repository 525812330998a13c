import Archives
import HTTPSemantics
import Platform

/// The points from which earlier responses of a WARC file can be read again: a revisit may refer to one that is not
/// stored.
struct WARCRereading {
  /// The most points to note, of a few bytes each. An archive with more contents is taken for that of a crawl, whose
  /// revisits refer to other files as well.
  private static let maximumPoints = 65_536

  /// How much may be read again: `times` as many bytes as have been read so far, and `bytes` more, which take a second.
  /// Without a limit, a few bytes of an archive could ask for any amount.
  private static let limit: (times: UInt64, bytes: UInt64) = (8, 1 << 30)

  private let file: Descriptor?
  /// The beginnings of the responses read so far, by a hash of the digest and the URL by which a revisit refers to
  /// them.
  private var points: [Int: ArchiveInput.RereadPoint] = [:]
  private var rereadBytes: UInt64 = 0

  /// - Parameter file: the imported file; `nil` if it cannot be read more than once.
  init(of file: Descriptor?) { self.file = file }

  /// Notes where a response begins.
  mutating func notePoint(of record: WARCRecord, in input: ArchiveInput) {
    guard file != nil, record.kind == .response, let payload = record.payloadDigest, points.count < Self.maximumPoints,
      let reference = try? ArchivedExchange.reference(record.target), let point = input.rereadPoint(for: record.offset)
    else { return }
    points[Self.hash(payload, of: reference.target)] = point
  }

  private static func hash(_ payload: LabelledDigest, of target: TargetURI) -> Int {
    var hasher = Hasher()
    hasher.combine(payload.bytes)
    hasher.combine(target.bytes)
    return hasher.finalize()
  }

  /// Returns an input that begins with the record of an earlier response.
  ///
  /// - Parameter offset: how far the archive has been read.
  /// - Returns: `nil` if the archive has no such response before `offset`, or too much would be read again.
  mutating func input(at payload: LabelledDigest, of target: TargetURI, before offset: UInt64) -> ArchiveInput? {
    guard let file, let point = points[Self.hash(payload, of: target)],
      rereadBytes <= Self.limit.bytes + Self.limit.times * offset
    else { return nil }
    rereadBytes += point.skippedBytes
    return try? ArchiveInput(file, at: point)
  }

  /// Counts bytes that have been read from such an input.
  mutating func count(_ bytes: UInt64) { rereadBytes += bytes }
}
