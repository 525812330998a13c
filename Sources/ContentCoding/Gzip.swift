import CCodings

/// An encoder that makes gzip data of members, each of which can be decoded by itself (RFC 1952 section 2.2).
///
/// The corresponding C function is `deflate`.
package final class GzipEncoder {
  /// On the heap: zlib keeps the address.
  private let stream: UnsafeMutablePointer<z_stream>
  private let output: UnsafeMutableRawBufferPointer
  private var isWithinMember = false

  package init() throws(ContentCodingError) {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    let status = deflateInit2_(
      stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, InflateStream.Format.gzip.rawValue, Self.memoryLevel,
      Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    guard status == Z_OK else {
      stream.deallocate()
      throw .outOfMemory
    }
    output = .allocate(byteCount: ContentDecoder.outputBytes, alignment: 16)
  }

  deinit {
    deflateEnd(stream)
    stream.deallocate()
    output.deallocate()
  }

  /// Compresses `bytes`, and passes on the output that there is so far.
  package func encode<Failure: Error>(
    _ bytes: UnsafeRawBufferPointer, to sink: (UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    var rest = bytes
    while !rest.isEmpty {
      let piece = rest.prefix(Int(UInt32.max))
      rest = UnsafeRawBufferPointer(rebasing: rest[piece.endIndex...])
      try deflated(UnsafeRawBufferPointer(rebasing: piece), Z_NO_FLUSH, to: sink)
    }
  }

  /// Ends the member. What comes next begins another one.
  package func endMember<Failure: Error>(
    to sink: (UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    guard isWithinMember else { return }
    try deflated(UnsafeRawBufferPointer(start: nil, count: 0), Z_FINISH, to: sink)
    deflateReset(stream)
    isWithinMember = false
  }

  /// Calls `deflate`, which fails only for a stream in an invalid state or without room. Neither can be here.
  private func deflated<Failure: Error>(
    _ bytes: UnsafeRawBufferPointer, _ flush: Int32, to sink: (UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    isWithinMember = true
    // zlib does not write to its input; its field merely lacks a `const`.
    stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
    stream.pointee.avail_in = UInt32(bytes.count)
    repeat {
      stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
      stream.pointee.avail_out = UInt32(output.count)
      deflate(stream, flush)
      let count = output.count - Int(stream.pointee.avail_out)
      if count > 0 { try sink(UnsafeRawBufferPointer(rebasing: output[..<count])) }
      // A full buffer means that there may be more output.
    } while stream.pointee.avail_out == 0
  }

  /// zlib's default.
  private static let memoryLevel: Int32 = 8
}

/// A decoder of gzip for a file that the user has named: the content of its members, one after the other.
///
/// No ratio is suspicious here, unlike in content that a stranger sends (`ContentDecoder`): the reader of an archive
/// bounds what is kept of it.
package struct GzipDecoder {
  /// The first bytes of a gzip file (RFC 1952 section 2.3.1).
  package static let magic: [UInt8] = [0x1f, 0x8b]

  private let stream: InflateStream

  package init() throws(ContentCodingError) {
    stream = try InflateStream(.gzip)
  }

  /// Whether the input so far consists of whole members.
  package var isAtEnd: Bool { stream.isAtEnd }

  /// Decodes as much of `input` as there is room for in `output`, and removes from `input` what it has read.
  ///
  /// - Returns: the number of bytes written.
  package func decode(
    _ input: inout UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(ContentCodingError) -> Int {
    try stream.decode(&input, into: output)
  }
}
