import ContentCoding

extension FuzzTarget {
  /// Content with one or two codings. The first byte chooses them, and the second the length of the pieces.
  ///
  /// A window of brotli takes up to 16 MiB.
  static let content = FuzzTarget("content", longestInput: 2_048, largestAllocation: 34) { (bytes) throws(Violation) in
    var input = FuzzInput(bytes)
    let (choices, pieces) = (Int(input.byte()), Int(input.byte()))
    let outer = ContentCoding.allCases[choices % ContentCoding.allCases.count]
    let inner = ContentCoding.allCases[choices / ContentCoding.allCases.count % ContentCoding.allCases.count]
    let codings = choices & 128 == 0 ? [outer] : [inner, outer]
    let whole = decoded(input.rest, codings, pieceLength: max(1, input.rest.count))
    let pieced = decoded(input.rest, codings, pieceLength: pieces % 16 + 1)
    try require(
      isSame(whole.error, pieced.error, codings),
      "in pieces it ends with \(pieced.error as Any), not \(whole.error as Any)")
    if whole.error == nil, pieced.error == nil {
      try require(whole.content == pieced.content, "in pieces it is another content")
    }
    if codings == [.identity] { try require(whole.content == Array(input.rest), "identity changes content") }
  }

  /// Whether two errors count as the same. Which of two codings fails first depends on the pieces. libzstd compares a
  /// frame with the length that it states if it has the whole frame at once, but not if the last block of a stream is
  /// empty.
  private static func isSame(
    _ one: ContentCodingError?, _ other: ContentCodingError?, _ codings: [ContentCoding]
  ) -> Bool {
    if codings.contains(.zstd) { return true }
    return codings.count == 1 ? one == other : (one == nil) == (other == nil)
  }

  /// The length from which content is not decoded further, because a few bytes can expand to any length.
  private static let longestContent = 1 << 18

  private struct Decoded {
    var content: [UInt8] = []
    var error: ContentCodingError?
  }

  private static func decoded(
    _ bytes: ArraySlice<UInt8>, _ codings: [ContentCoding], pieceLength: Int
  ) -> Decoded {
    var decoded = Decoded()
    do throws(ContentCodingError) {
      var decoder = try ContentDecoder(codings)
      var rest = bytes
      var goesOn = true
      while !rest.isEmpty, goesOn {
        let piece = Array(rest.prefix(pieceLength))
        rest = rest.dropFirst(pieceLength)
        goesOn = try piece.span.bytes.withUnsafeBytes { (piece) throws(ContentCodingError) in
          try decoder.feed(piece) { more in
            decoded.content += more
            return decoded.content.count < longestContent
          }
        }
      }
      guard goesOn else {
        decoded.content = Array(decoded.content.prefix(longestContent))
        return decoded
      }
      try decoder.finish()
    } catch {
      decoded.error = error
    }
    return decoded
  }
}
