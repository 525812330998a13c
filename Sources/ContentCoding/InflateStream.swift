import CCodings

/// A decoder of zlib's three wrappings of deflated data.
///
/// - Source: RFC 1950 to 1952. The corresponding C function is `inflate`.
final class InflateStream: CodingStream {
  /// The value is zlib's `windowBits`.
  enum Format: Int32 {
    case gzip = 31
    case zlib = 15
    case raw = -15
  }

  private enum Progress {
    case nothingRead
    case within
    /// At the end of the data, or between two members of gzip.
    case ended
  }

  private let format: Format
  /// On the heap: zlib keeps the address.
  private let stream: UnsafeMutablePointer<z_stream>
  private var progress = Progress.nothingRead

  init(_ format: Format) throws(ContentCodingError) {
    self.format = format
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    let status = inflateInit2_(stream, format.rawValue, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    // All properties are set, so `deinit` releases them.
    guard status == Z_OK else { throw .outOfMemory }
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
  }

  var isAtEnd: Bool { progress != .within }

  func decode(
    _ input: inout UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(ContentCodingError) -> Int {
    if progress == .ended {
      try startNextMember(&input)
      if progress == .ended { return 0 }
    }
    if progress == .nothingRead && input.isEmpty { return 0 }
    progress = .within

    let limit = Int(UInt32.max)
    let offered = min(input.count, limit)
    let room = min(output.count, limit)
    // zlib does not write to its input; its field merely lacks a `const`.
    stream.pointee.next_in = UnsafeMutablePointer(
      mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self))
    stream.pointee.avail_in = UInt32(offered)
    stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
    stream.pointee.avail_out = UInt32(room)
    let status = inflate(stream, Z_NO_FLUSH)

    let consumed = offered - Int(stream.pointee.avail_in)
    input = UnsafeRawBufferPointer(rebasing: input[consumed...])
    switch status {
    case Z_STREAM_END: progress = .ended
    // Z_BUF_ERROR means that there was nothing to do; the caller judges that.
    case Z_OK, Z_BUF_ERROR: break
    case Z_MEM_ERROR: throw .outOfMemory
    default: throw .malformed(coding)
    }
    return room - Int(stream.pointee.avail_out)
  }

  private var coding: ContentCoding { format == .gzip ? .gzip : .deflate }

  /// Begins the next member, if there is one. A gzip file is a series of members (RFC 1952 section 2.2); zeros after
  /// the last one are padding, as for gzip(1). Anything else after the data is malformed.
  private func startNextMember(_ input: inout UnsafeRawBufferPointer) throws(ContentCodingError) {
    let rest = format == .gzip ? input.drop { $0 == 0 } : input[...]
    input = UnsafeRawBufferPointer(rebasing: rest)
    guard let first = input.first else { return }
    // The first byte of a member's magic number.
    guard format == .gzip, first == 0x1f, inflateReset(stream) == Z_OK else { throw .malformed(coding) }
    progress = .within
  }
}

/// The coding `deflate`: zlib's format, or the bare deflated data that some origins send instead.
///
/// - Source: RFC 9110 section 8.4.1.2.
final class DeflateStream: CodingStream {
  /// The first bytes, until there are the two that tell the formats apart.
  private var start: [UInt8] = []
  private var stream: InflateStream?

  var isAtEnd: Bool { stream?.isAtEnd ?? start.isEmpty }

  func decode(
    _ input: inout UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(ContentCodingError) -> Int {
    if let stream { return try stream.decode(&input, into: output) }
    while start.count < 2, let byte = input.first {
      start.append(byte)
      input = UnsafeRawBufferPointer(rebasing: input.dropFirst())
    }
    guard start.count == 2 else { return 0 }
    let stream = try InflateStream(Self.isZlibHeader(start[0], start[1]) ? .zlib : .raw)
    self.stream = stream
    // Two bytes yield less output than fits, so `inflate` takes both.
    return try start.withUnsafeBufferPointer { (start) throws(ContentCodingError) in
      var bytes = UnsafeRawBufferPointer(start)
      return try stream.decode(&bytes, into: output)
    }
  }

  /// RFC 1950 section 2.2: the method is 8, the window at most 32 KiB, and both bytes together a multiple of 31.
  private static func isZlibHeader(_ method: UInt8, _ flags: UInt8) -> Bool {
    method & 0x0f == 8 && method >> 4 <= 7 && (UInt16(method) << 8 | UInt16(flags)) % 31 == 0
  }
}
