/// Decodes the content codings of one representation while it arrives.
///
/// Memory is bounded by the codings' windows, whatever the length of the content.
///
/// - Source: RFC 9110 section 8.4.
package struct ContentDecoder: ~Copyable {
  /// Nothing real has more than two, and each further one multiplies what a bomb can do.
  static let maximumCodings = 5
  /// Deflate cannot exceed 1,032 to 1 and a bomb comes close to that; what people compress, logs and tables too, stays
  /// below 100 to 1.
  package static let defaultRatio: Int64 = 256
  /// Below this size, no ratio is an attack: decoding takes less than a second, and a page of zeros is fine.
  package static let ratioFloorBytes: Int64 = 64 << 20
  /// Large enough that the calls cost nothing, small enough to stay in the processor's second-level cache.
  static let outputBytes = 64 << 10

  /// Whether the content passes through as it is.
  package let isIdentity: Bool

  /// The stages in the order of decoding: the coding that was applied last comes first.
  private let stages: [Stage]
  /// `nil` is no limit.
  private let maximumRatio: Int64?
  private var received: Int64 = 0

  /// - Parameters:
  ///   - names: the members of Content-Encoding, in the order in which the codings were applied.
  ///   - maximumRatio: the highest ratio of decoded to received bytes, beyond `ratioFloorBytes`; `nil` is no limit.
  package init(
    names: some Collection<some Collection<UInt8>>, maximumRatio: Int64? = defaultRatio
  ) throws(ContentCodingError) {
    guard names.count <= Self.maximumCodings else { throw .tooMany(count: names.count) }
    var codings: [ContentCoding] = []
    for name in names {
      guard let coding = ContentCoding(name: name) else { throw .unknown(name: Array(name)) }
      codings.append(coding)
    }
    try self.init(codings, maximumRatio: maximumRatio)
  }

  /// - Parameter codings: the codings in the order in which they were applied.
  package init(
    _ codings: [ContentCoding], maximumRatio: Int64? = defaultRatio
  ) throws(ContentCodingError) {
    guard codings.count <= Self.maximumCodings else { throw .tooMany(count: codings.count) }
    var stages: [Stage] = []
    for coding in codings.reversed() {
      if let stream = try Self.stream(coding) { stages.append(Stage(coding, stream)) }
    }
    self.stages = stages
    self.maximumRatio = maximumRatio
    isIdentity = stages.isEmpty
  }

  private static func stream(_ coding: ContentCoding) throws(ContentCodingError) -> (any CodingStream)? {
    switch coding {
    case .gzip: try InflateStream(.gzip)
    case .deflate: DeflateStream()
    case .brotli: try BrotliStream()
    case .zstd: try ZstdStream()
    case .identity: nil
    }
  }

  /// Decodes what has arrived.
  ///
  /// - Parameter sink: takes the decoded content piece by piece, each valid only during the call; returns `false` to
  ///   stop.
  /// - Returns: `false` when the sink has stopped.
  package mutating func feed(
    _ bytes: UnsafeRawBufferPointer, to sink: (UnsafeRawBufferPointer) -> Bool
  ) throws(ContentCodingError) -> Bool {
    received += Int64(bytes.count)
    return try pass(bytes, toStage: 0, sink)
  }

  /// Ends the content.
  ///
  /// Empty content is whole in any coding, because origins label empty content, too.
  ///
  /// - Throws: `truncated` if a coding has not come to its end.
  package consuming func finish() throws(ContentCodingError) {
    for stage in stages where !stage.stream.isAtEnd { throw .truncated(stage.coding) }
  }

  private func pass(
    _ bytes: UnsafeRawBufferPointer, toStage index: Int, _ sink: (UnsafeRawBufferPointer) -> Bool
  ) throws(ContentCodingError) -> Bool {
    guard index < stages.count else { return bytes.isEmpty || sink(bytes) }
    let stage = stages[index]
    var input = bytes
    while true {
      let inputCount = input.count
      let count = try stage.stream.decode(&input, into: stage.output)
      if count > 0 {
        stage.produced += Int64(count)
        try guardAgainstBomb(stage)
        let decoded = UnsafeRawBufferPointer(rebasing: stage.output[..<count])
        guard try pass(decoded, toStage: index + 1, sink) else { return false }
      }
      // A full buffer means that the stream may hold more.
      if input.isEmpty && count < stage.output.count { return true }
      if input.count == inputCount && count == 0 { throw .malformed(stage.coding) }
    }
  }

  /// Compares every stage with what came from the network, so that no nesting hides a growth.
  private func guardAgainstBomb(_ stage: Stage) throws(ContentCodingError) {
    guard let maximumRatio, stage.produced > Self.ratioFloorBytes else { return }
    if stage.produced / maximumRatio > received { throw .bomb(ratio: maximumRatio) }
  }
}

private final class Stage {
  let coding: ContentCoding
  let stream: any CodingStream
  let output: UnsafeMutableRawBufferPointer
  var produced: Int64 = 0

  init(_ coding: ContentCoding, _ stream: any CodingStream) {
    self.coding = coding
    self.stream = stream
    output = .allocate(byteCount: ContentDecoder.outputBytes, alignment: 16)
  }

  deinit { output.deallocate() }
}

/// A decoder of one coding.
protocol CodingStream: AnyObject {
  /// Decodes as much of `input` as there is room for in `output`, and removes from `input` what it has read.
  ///
  /// - Returns: the number of bytes written.
  func decode(
    _ input: inout UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(ContentCodingError) -> Int

  /// Whether the input so far is whole: nothing at all, or complete data.
  var isAtEnd: Bool { get }
}
