import CCodings

/// - Source: RFC 7932. The corresponding C function is `BrotliDecoderDecompressStream`.
final class BrotliStream: CodingStream {
  private enum Progress {
    case nothingRead
    case within
    case ended
  }

  private let state: OpaquePointer
  private var progress = Progress.nothingRead

  init() throws(ContentCodingError) {
    guard let state = BrotliDecoderCreateInstance(nil, nil, nil) else { throw .outOfMemory }
    self.state = state
  }

  deinit { BrotliDecoderDestroyInstance(state) }

  var isAtEnd: Bool { progress != .within }

  func decode(
    _ input: inout UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(ContentCodingError) -> Int {
    if progress == .ended {
      if !input.isEmpty { throw .malformed(.brotli) }
      return 0
    }
    if progress == .nothingRead && input.isEmpty { return 0 }
    progress = .within

    var inputCount = input.count
    var nextInput = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
    var room = output.count
    var nextOutput = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
    let result = BrotliDecoderDecompressStream(state, &inputCount, &nextInput, &room, &nextOutput, nil)
    input = UnsafeRawBufferPointer(rebasing: input[(input.count - inputCount)...])
    switch result {
    case BROTLI_DECODER_RESULT_SUCCESS: progress = .ended
    case BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT, BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT: break
    default: throw .malformed(.brotli)
    }
    return output.count - room
  }
}
