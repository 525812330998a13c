import CCodings

/// - Source: RFC 8878. The corresponding C function is `ZSTD_decompressStream`.
final class ZstdStream: CodingStream {
  /// 8 MiB, the most that a recipient has to support and a sender may use: RFC 9659 section 3.
  private static let maximumWindowLog: Int32 = 23

  /// The first byte of a frame's magic number, and the first bytes of those of skippable frames: RFC 8878 section 3.1.
  ///
  /// A library may also read formats from before the standard, where the bound on the window does not hold.
  private static let frame: UInt8 = 0x28
  private static let skippableFrames: ClosedRange<UInt8> = 0x50...0x5f

  private let context: OpaquePointer
  /// A series of frames is decoded to their contents in a row (RFC 8878 section 3.1): the data may end between two
  /// frames.
  private(set) var isAtEnd = true

  init() throws(ContentCodingError) {
    guard let context = ZSTD_createDCtx() else { throw .outOfMemory }
    self.context = context
    let status = ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, Self.maximumWindowLog)
    guard ZSTD_isError(status) == 0 else { throw .outOfMemory }
  }

  deinit { ZSTD_freeDCtx(context) }

  func decode(
    _ input: inout UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(ContentCodingError) -> Int {
    if isAtEnd {
      guard let first = input.first else { return 0 }
      guard first == Self.frame || Self.skippableFrames.contains(first) else { throw .malformed(.zstd) }
    }
    var inBuffer = ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
    var outBuffer = ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
    let status = ZSTD_decompressStream(context, &outBuffer, &inBuffer)
    guard ZSTD_isError(status) == 0 else {
      throw ZSTD_getErrorCode(status) == ZSTD_error_frameParameter_windowTooLarge ? .windowTooLarge : .malformed(.zstd)
    }
    input = UnsafeRawBufferPointer(rebasing: input[inBuffer.pos...])
    isAtEnd = status == 0
    return outBuffer.pos
  }
}
