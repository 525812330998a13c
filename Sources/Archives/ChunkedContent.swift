import HTTPSemantics

/// Decodes the transfer coding `chunked` of a message that was archived as it was received (RFC 9112 section 7.1).
///
/// Some programs archive the decoded content, but keep the field that names the coding. So content that does not begin
/// with a chunk is taken as it is.
package struct ChunkedContent {
  private enum State: Equatable {
    case size
    case chunk(UInt64)
    case chunkEnd
    case ended
    /// The content is not chunked.
    case plain
    case malformed
  }

  /// The longest line that states a chunk's size, in bytes, with leading zeros and with chunk extensions, which are
  /// ignored. No sender needs a longer one.
  private static let longestSizeLine = 4 << 10

  private var state = State.size
  private var line: [UInt8] = []
  private var isFirst = true
  /// Whether content that was taken as it is may instead be the beginning of a chunked message, cut within the line of
  /// the first size or before it. Only a digest then tells whether the content is complete.
  package private(set) var mayBeCut = false

  package init() {}

  /// Whether the content was understood and is complete. Valid after `finish`.
  package var isComplete: Bool { state == .ended || state == .plain }

  /// Decodes `bytes`, and passes the content in them to `sink`.
  package mutating func feed<Failure: Error>(
    _ bytes: UnsafeRawBufferPointer, to sink: (UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    var rest = bytes
    while !rest.isEmpty {
      switch state {
      case .plain:
        return try sink(rest)
      case .ended, .malformed:
        // Trailers are no part of the content (RFC 9110 section 6.5).
        return
      case .chunk(let left):
        let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(Int(clamping: left)))
        try sink(piece)
        rest = UnsafeRawBufferPointer(rebasing: rest[piece.count...])
        let still = left - UInt64(piece.count)
        state = still == 0 ? .chunkEnd : .chunk(still)
      case .size, .chunkEnd:
        try takeLine(&rest, to: sink)
      }
    }
  }

  /// Passes on what is still held back: content that is not chunked, and that ended before it could be told from a
  /// chunk's size.
  package mutating func finish<Failure: Error>(
    to sink: (UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    guard state == .size, isFirst else { return }
    state = .plain
    let held = line
    mayBeCut = held.isEmpty || Self.state(after: held + [ASCII.lineFeed]) != nil
    try held.span.bytes.withUnsafeBytes { (bytes) throws(Failure) in try sink(bytes) }
  }

  private mutating func takeLine<Failure: Error>(
    _ rest: inout UnsafeRawBufferPointer, to sink: (UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    let end = rest.firstIndex(of: ASCII.lineFeed)
    let count = min(end.map { $0 + 1 } ?? rest.count, Self.longestSizeLine + 1 - line.count)
    line.append(contentsOf: rest[..<count])
    rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    guard line.last == ASCII.lineFeed || line.count > Self.longestSizeLine else { return }
    let taken = line
    line.removeAll(keepingCapacity: true)
    let isEmpty = taken.allSatisfy { $0 == ASCII.carriageReturn || $0 == ASCII.lineFeed }
    if state == .chunkEnd {
      state = isEmpty ? .size : .malformed
    } else if let next = Self.state(after: taken) {
      state = next
    } else if isFirst {
      state = .plain
      try taken.span.bytes.withUnsafeBytes { (bytes) throws(Failure) in try sink(bytes) }
    } else {
      state = .malformed
    }
    isFirst = false
  }

  /// Returns the state that follows the line of a chunk's size, `chunk-size [ chunk-ext ]`. Such a line may also be the
  /// beginning of one with too long extensions, which is malformed: "a recipient MUST anticipate potentially large
  /// hexadecimal numerals" (RFC 9112 section 7.1).
  ///
  /// - Returns: `nil` for any other line.
  private static func state(after line: [UInt8]) -> State? {
    let digits = ASCII.trimmed(line.prefix { ![ASCII.semicolon, ASCII.carriageReturn, ASCII.lineFeed].contains($0) })
    guard !digits.isEmpty, digits.allSatisfy({ Base16.value(of: $0) != nil }) else { return nil }
    guard line.last == ASCII.lineFeed else { return line.contains(ASCII.semicolon) ? .malformed : nil }
    // A number that exceeds UInt64 is more likely content, such as a digest, than a size.
    return UInt64(String(decoding: digits, as: UTF8.self), radix: 16).map { $0 == 0 ? .ended : .chunk($0) }
  }
}
