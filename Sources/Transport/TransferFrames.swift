import CTransport

/// Applies the frames of a stream to its transfer.
extension ProgramTransfer {
  /// - Parameter send: sends a frame to the program.
  /// - Returns: the end of the transfer, if the frame reports it.
  mutating func take(
    _ frame: TransportProgram.Frame, answering send: (RequestFrame) throws(TransportError) -> Void
  ) throws(TransportError) -> TransferEnd? {
    switch frame.kind {
    case transport_framed: noteFramed()
    case transport_head_line: receive(headLine: frame.payload)
    case transport_head_line_part: receive(headLinePart: frame.payload)
    case transport_content: receive(content: frame.payload)
    case transport_remark: receive(remark: frame.payload)
    case transport_request_head: receive(requestHead: frame.payload)
    case transport_piece_requested:
      try note(pieceRequest: frame.payload)
      try sendContent(on: frame.stream, through: send)
    case transport_sent: try note(sent: frame.payload)
    case transport_end:
      guard let end = TransferEnd(frame.payload) else {
        throw .programEnded(reason: "it sent a malformed report")
      }
      passOnRefusal()
      return end
    default: throw .programEnded(reason: "it sent a frame of an unknown kind")
    }
    return nil
  }

  /// Sends the content that the program waits for, as soon as it is there.
  mutating func sendContent(
    on stream: UInt32, through send: (RequestFrame) throws(TransportError) -> Void
  ) throws(TransportError) {
    switch popPiece() {
    case nil: break
    case .bytes(let piece):
      try send(RequestFrame(kind: transport_request_content, stream: stream, content: piece))
    case .part(let file, let status, let offset, let count):
      try send(RequestFrame(partOf: file, status, offset: offset, count: count, stream: stream))
    }
  }

  private func note(sent payload: UnsafeRawBufferPointer) throws(TransportError) {
    guard payload.count == MemoryLayout<Int64>.size, let sent = UInt64(exactly: payload.loadUnaligned(as: Int64.self))
    else { throw .programEnded(reason: "it sent a malformed count of sent bytes") }
    receive(sent: sent)
  }

  private mutating func note(pieceRequest payload: UnsafeRawBufferPointer) throws(TransportError) {
    guard payload.count == MemoryLayout<transport_piece_request>.size else {
      throw .programEnded(reason: "it sent a malformed request for content")
    }
    let request = payload.loadUnaligned(as: transport_piece_request.self)
    guard request.offset >= 0, request.count > 0, request.count <= transport_longest_piece else {
      throw .programEnded(reason: "it asked for content that does not exist")
    }
    receive(PieceRequest(offset: request.offset, count: Int(request.count), needsBytes: request.needs_bytes != 0))
  }
}
