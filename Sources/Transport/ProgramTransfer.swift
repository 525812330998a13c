import CTransport
import HTTPSemantics
import Platform

/// A piece of the request's content that the program asks for.
struct PieceRequest {
  let offset: Int64
  /// In bytes. A part of a file may be longer, content in bytes may not.
  let count: Int
  /// Whether the program needs bytes, because it cannot read a file itself.
  let needsBytes: Bool
}

/// An exchange of messages in progress, which makes a response of the frames that come.
struct ProgramTransfer {
  let message: OutgoingMessage
  private let receiver: any ResponseReceiver
  private var parser: HeadParser
  private var content: ContentReader
  /// The beginning of a line whose end has not come yet.
  private var lineStart: [UInt8] = []
  /// A 417 to `Expect: 100-continue`, kept back until it is certain that libcurl does not repeat the request without
  /// it.
  private var refusal: (response: Response, framing: FramingVerdict)?
  /// Content that the program has asked for and not got yet.
  private var pieceRequest: PieceRequest?
  /// Whether the receiver wants the rest of the response only if it comes soon.
  private var isRestUnwanted = false
  /// Whether the program has got all of the request's content.
  private var hasHandedOverContent: Bool
  /// Why this side has ended the transfer. What still comes is ignored.
  private(set) var failure: TransportError?

  init(_ message: OutgoingMessage, _ receiver: any ResponseReceiver) {
    self.message = message
    self.receiver = receiver
    parser = HeadParser(method: message.request.method, mayUpgrade: message.mayUpgrade)
    content = ContentReader(message.content)
    hasHandedOverContent = message.content == .none || message.content.sentWithRequest != nil
  }

  var hasHead: Bool { parser.isComplete }

  /// Returns why there is no response, or only a part of one, if the program reports this end; `nil` for a whole one.
  func failure(at end: TransferEnd) -> TransportError? {
    failure ?? end.failure(of: message, hasHead: hasHead, isWithinHead: parser.isWithinHead)
  }

  /// Whether the rest of the response is waited for only briefly. False until the program has got all of the request's
  /// content: the origin may need it although the response is of no use.
  var isRestOptional: Bool { isRestUnwanted && hasHandedOverContent }

  mutating func interrupt() { failure = .interrupted }

  /// Notes that the rest has not come soon enough to be worth the wait.
  mutating func noteAborted() { failure = .abortedByReceiver }

  mutating func noteTimeOver() { failure = .timedOut(hasHead ? .receiving : .waiting) }

  /// Notes that nothing has come for a moment.
  func noteSilence() { receiver.receiveNothing() }

  /// The source of the content that the program waits for, if another process has to write that first.
  var awaited: Descriptor? { pieceRequest == nil || failure != nil ? nil : content.awaited }

  /// Notes what the program asks for.
  mutating func receive(_ pieceRequest: PieceRequest) { self.pieceRequest = pieceRequest }

  func receive(sent: UInt64) { receiver.receive(sent: sent) }

  /// Returns the piece of the request's content that the program waits for. Returns `nil` if it waits for none, if
  /// there is none yet, or if the piece cannot be read, which ends the transfer.
  mutating func popPiece() -> ContentPiece? {
    guard failure == nil, let request = pieceRequest else { return nil }
    let longestPart = request.needsBytes ? nil : Int(transport_longest_file_part)
    do throws(TransportError) {
      guard let piece = try content.piece(at: request.offset, count: request.count, longestPart: longestPart) else {
        return nil
      }
      pieceRequest = nil
      // Content without a length ends with an empty piece.
      hasHandedOverContent = piece.count == 0 || message.content.count == request.offset + Int64(piece.count)
      return piece
    } catch {
      failure = error
      return nil
    }
  }

  /// Notes that a frame will mark the end of the response's content.
  mutating func noteFramed() { parser.isFramed = true }

  mutating func receive(headLinePart part: UnsafeRawBufferPointer) {
    guard failure == nil else { return }
    lineStart += part
    // No line is longer than a whole head may be.
    if lineStart.count > HeadBounds.maximumBytes { failure = .unusableHead(hasHead ? .trailersTooLarge : .tooLarge) }
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
        if mayBeRepeated(after: response) {
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
  private func mayBeRepeated(after response: Response) -> Bool {
    // Over HTTP/2, the frames of both responses would be taken for those of one.
    response.status == 417 && message.request.fields.contains("Expect")
      && (response.version == .http10 || response.version == .http11)
  }

  /// Passes on a response that was kept back: it is the answer, however the transfer goes on.
  mutating func passOnRefusal() {
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
    passOnRefusal()
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
    case .proceedBriefly: isRestUnwanted = true
    case .abort: failure = .abortedByReceiver
    }
  }
}

extension OutgoingMessage {
  /// Whether the user asks for a protocol other than HTTP. An upgrade to HTTP/2 over plain http is libcurl's own,
  /// whatever fields the user adds.
  fileprivate var mayUpgrade: Bool {
    request.fields.contains("Upgrade") && !(options.version == .http2 && request.target.origin.scheme == .http)
  }
}
