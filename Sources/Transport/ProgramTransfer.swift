import CTransport
import HTTPSemantics
import Platform

/// Content of a request that the program asks for.
struct ContentWish {
  let offset: Int64
  /// In bytes: of bytes, no more are taken.
  let count: Int
  /// Whether the program cannot read it itself.
  let isForBytes: Bool
}

/// One exchange of messages while it happens: makes a response of the frames that come.
struct ProgramTransfer {
  let message: OutgoingMessage
  private let receiver: any ResponseReceiver
  private var parser: HeadParser
  private var content: ContentReader
  /// Of a line that has not come to its end.
  private var lineStart: [UInt8] = []
  /// A refusal to give leave to send content, until it is certain that libcurl does not ask again without waiting.
  private var refusal: (response: Response, framing: Framing)?
  /// Content that the program has asked for, and has not got.
  private var wish: ContentWish?
  /// Whether the rest of the answer is wanted no longer than for a while.
  private var isUnwanted = false
  /// Whether the program has got all of the request's content.
  private var hasHandedOut: Bool
  /// Why this side has ended the transfer: what still comes is nobody's.
  private(set) var failure: TransportError?

  init(_ message: OutgoingMessage, _ receiver: any ResponseReceiver) {
    self.message = message
    self.receiver = receiver
    parser = HeadParser(method: message.request.method, mayUpgrade: message.mayUpgrade)
    content = ContentReader(message.content)
    hasHandedOut =
      switch message.content {
      case .none: true
      // With the request itself.
      case .bytes(let bytes): bytes.count <= transport_longest_whole_content
      case .streamed: false
      }
  }

  var hasHead: Bool { parser.isComplete }

  /// Why there is no response, or not all of it, where the program says that the transfer has ended so.
  func failure(at end: TransferEnd) -> TransportError? {
    failure ?? end.failure(of: message, hasHead: hasHead, isWithinHead: parser.isWithinHead)
  }

  /// Whether the rest of the answer is waited for no longer than for a while: what may still be on its way to the
  /// origin is sent to its end.
  var isBrief: Bool { isUnwanted && hasHandedOut }

  mutating func interrupt() { failure = .interrupted }

  /// Takes note that the rest has not come soon enough to be worth the wait.
  mutating func letGo() { failure = .abortedByReceiver }

  mutating func noteTimeOver() { failure = .timedOut(hasHead ? .receiving : .waiting) }

  /// Takes note that nothing has come for a moment.
  func noteWait() { receiver.receiveNothing() }

  /// What brings the content that the program waits for, where somebody else has to write it first.
  var awaited: Descriptor? { wish == nil || failure != nil ? nil : content.awaited }

  /// Takes note of what the program asks for.
  mutating func receive(_ wish: ContentWish) { self.wish = wish }

  func receive(sent: UInt64) { receiver.receive(sent: sent) }

  /// The piece of the request's content that the program waits for; `nil` where it does not, where there is none yet,
  /// or where it cannot be had, which ends the transfer.
  mutating func popPiece() -> ContentPiece? {
    guard failure == nil, let asked = wish else { return nil }
    let longestPart = asked.isForBytes ? nil : Int(transport_longest_file_part)
    do throws(TransportError) {
      guard let piece = try content.piece(at: asked.offset, count: asked.count, longestPart: longestPart) else {
        return nil
      }
      wish = nil
      // What has no length ends with an empty piece.
      hasHandedOut = piece.count == 0 || message.content.count == asked.offset + Int64(piece.count)
      return piece
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
    if lineStart.count > HeadBounds.bytes { failure = .unusableHead(hasHead ? .trailersTooLarge : .tooLarge) }
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
      case .final(let response, let framing):
        if mayBeAskedAgain(behind: response) {
          refusal = (response, framing)
          parser.mayBeReplaced = true
        } else {
          refusal = nil
          note(receiver.receive(head: response, framing: framing))
        }
      }
    } catch {
      failure = .unusableHead(error)
    }
  }

  /// "A client that receives a 417 (Expectation Failed) status code in response to a request containing a 100-continue
  /// expectation SHOULD repeat that request without a 100-continue expectation" (RFC 9110 section 10.1.1).
  private func mayBeAskedAgain(behind response: Response) -> Bool {
    // Over HTTP/2, frames of both answers would be taken for those of one.
    response.status == 417 && message.request.fields.contains("Expect")
      && (response.version == .http10 || response.version == .http11)
  }

  /// Takes note that the answer is what has come, however it goes on.
  mutating func takeRefusal() {
    guard failure == nil, parser.isComplete, let (response, framing) = refusal else { return }
    refusal = nil
    parser.mayBeReplaced = false
    note(receiver.receive(head: response, framing: framing))
  }

  mutating func receive(content: UnsafeRawBufferPointer) {
    guard failure == nil else { return }
    guard hasHead else {
      failure = .weirdReply(reason: "content came before a response's head")
      return
    }
    takeRefusal()
    guard failure == nil else { return }
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
    case .proceedBriefly: isUnwanted = true
    case .abort: failure = .abortedByReceiver
    }
  }
}

extension OutgoingMessage {
  /// Whether the user asks for another protocol than HTTP. What asks for HTTP/2 over plain http is libcurl's, whatever
  /// the user says beside it.
  fileprivate var mayUpgrade: Bool {
    request.fields.contains("Upgrade") && !(options.version == .http2 && request.target.origin.scheme == .http)
  }
}
