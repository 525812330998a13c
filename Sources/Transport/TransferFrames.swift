import CTransport

/// A transfer as the frames of its stream tell of it.
extension Transfer {
  /// - Parameter send: takes a frame to the program.
  /// - Returns: the end, where this is it.
  mutating func take(
    _ frame: TransportProgram.Frame, answering send: (RequestFrame) throws(TransportError) -> Void
  ) throws(TransportError) -> TransferEnd? {
    switch frame.kind {
    case transport_head_line: receive(headLine: frame.payload)
    case transport_content: receive(content: frame.payload)
    case transport_remark: receive(remark: frame.payload)
    case transport_request_head: receive(requestHead: frame.payload)
    case transport_wanted: try send(try answer(to: frame))
    case transport_end:
      guard let end = TransferEnd(frame.payload) else {
        throw .programEnded(reason: "it gave a report of no known form")
      }
      return end
    default: throw .programEnded(reason: "it sent a frame of no known kind")
    }
    return nil
  }

  /// The content that the program asks for.
  private func answer(to frame: TransportProgram.Frame) throws(TransportError) -> RequestFrame {
    guard frame.payload.count == MemoryLayout<transport_wish>.size, case .bytes(let content) = message.content else {
      throw .programEnded(reason: "it asked for content that there is not")
    }
    let wish = frame.payload.loadUnaligned(as: transport_wish.self)
    guard wish.offset >= 0, wish.count > 0, wish.count <= transport_longest_piece,
      wish.offset <= content.count, wish.count <= content.count - Int(wish.offset)
    else { throw .programEnded(reason: "it asked for content that there is not") }
    let piece = content[Int(wish.offset)..<Int(wish.offset + wish.count)]
    return RequestFrame(kind: transport_request_content, stream: frame.stream, content: piece)
  }
}
