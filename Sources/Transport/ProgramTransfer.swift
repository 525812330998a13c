import CTransport
import HTTPSemantics

/// One exchange of messages while it happens: makes a response of the frames that come.
struct ProgramTransfer {
  let message: OutgoingMessage
  private let receiver: any ResponseReceiver
  private var parser: HeadParser
  private var content: ContentReader
  /// Of a line that has not come to its end.
  private var lineStart: [UInt8] = []
  /// Why this side has ended the transfer: what still comes is nobody's.
  private(set) var failure: TransportError?

  init(_ message: OutgoingMessage, _ receiver: any ResponseReceiver) {
    self.message = message
    self.receiver = receiver
    parser = HeadParser(method: message.request.method)
    content = ContentReader(message.content)
  }

  var hasHead: Bool { parser.isComplete }

  mutating func interrupt() { failure = .interrupted }

  mutating func noteTimeOver() { failure = .timedOut(hasHead ? .receiving : .waiting) }

  /// A piece of the request's content; `nil` where it cannot be had, which ends the transfer.
  mutating func piece(at offset: Int64, count: Int) -> ArraySlice<UInt8>? {
    // The one before is on its way.
    receiver.receive(sent: UInt64(offset))
    do throws(TransportError) {
      return try content.piece(at: offset, count: count)
    } catch {
      failure = error
      return nil
    }
  }

  /// Takes note that the response will say in a frame where its content ends.
  mutating func noteFramed() { parser.isFramed = true }

  mutating func receive(headLinePart part: UnsafeRawBufferPointer) {
    guard failure == nil else { return }
    lineStart += part
    // No line is longer than a whole head may be.
    if lineStart.count > HeadBounds.bytes { failure = .unusableHead(.tooLarge) }
  }

  mutating func receive(headLine line: UnsafeRawBufferPointer) {
    guard failure == nil else { return }
    guard lineStart.isEmpty else {
      let whole = lineStart + line
      lineStart = []
      return whole.withUnsafeBytes { take(headLine: $0) }
    }
    take(headLine: line)
  }

  private mutating func take(headLine line: UnsafeRawBufferPointer) {
    do throws(HeadError) {
      let line = UnsafeBufferPointer(start: line.baseAddress?.assumingMemoryBound(to: UInt8.self), count: line.count)
      switch try parser.consume(line.span) {
      case nil: break
      case .interim(let response): receiver.receive(interim: response)
      case .final(let response, let framing): note(receiver.receive(head: response, framing: framing))
      }
    } catch {
      failure = .unusableHead(error)
    }
  }

  mutating func receive(content: UnsafeRawBufferPointer) {
    guard failure == nil else { return }
    guard hasHead else {
      failure = .weirdReply(reason: "content came before a response's head")
      return
    }
    note(receiver.receive(content: content))
  }

  func receive(remark: UnsafeRawBufferPointer) {
    let lineEnd = remark.last == ASCII.lineFeed ? 1 : 0
    receiver.receive(trace: .remark(Array(remark.dropLast(lineEnd))))
  }

  func receive(requestHead: UnsafeRawBufferPointer) { receiver.receive(trace: .requestHead(Array(requestHead))) }

  private mutating func note(_ reception: Reception) {
    switch reception {
    case .proceed: break
    case .abort: failure = .abortedByReceiver
    }
  }
}
