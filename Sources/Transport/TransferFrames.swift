import CTransport

/// A transfer as the frames of its stream tell of it.
extension ProgramTransfer {
  /// - Parameter send: takes a frame to the program.
  /// - Returns: the end, where this is it.
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
    case transport_wanted: if let content = try answer(to: frame) { try send(content) }
    case transport_end:
      guard let end = TransferEnd(frame.payload) else {
        throw .programEnded(reason: "it gave a report of no known form")
      }
      return end
    default: throw .programEnded(reason: "it sent a frame of no known kind")
    }
    return nil
  }

  /// The content that the program asks for; `nil` where it cannot be had, which ends the transfer.
  private mutating func answer(to frame: TransportProgram.Frame) throws(TransportError) -> RequestFrame? {
    guard frame.payload.count == MemoryLayout<transport_wish>.size else {
      throw .programEnded(reason: "it asked for content in no known form")
    }
    let wish = frame.payload.loadUnaligned(as: transport_wish.self)
    guard wish.offset >= 0, wish.count > 0, wish.count <= transport_longest_piece else {
      throw .programEnded(reason: "it asked for content that there is not")
    }
    guard let piece = piece(at: wish.offset, count: Int(wish.count)) else { return nil }
    return RequestFrame(kind: transport_request_content, stream: frame.stream, content: piece)
  }
}
