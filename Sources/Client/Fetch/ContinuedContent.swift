import HTTPCaching
import HTTPSemantics
import Transport

/// How much has been delivered of content that another answer is to continue: the content of a response that broke off,
/// or the sound beginning of a stored response that turned out to be damaged.
enum ContinuedContent {
  /// Nothing is to be continued, or all that was delivered has come again: the bytes that follow are delivered.
  case nothing
  /// The rest of a response that broke off is expected.
  case awaited(Resumption)
  /// The next bytes of the answer, this many, have been delivered already.
  case repeated(UInt64)
  /// The answer has to begin with what has been delivered. If it breaks off before it has repeated all of that, it
  /// cannot be resumed.
  case compared(PrefixCheck)

  /// Whether the next answer is to continue what has been delivered.
  var isAwaited: Bool {
    switch self {
    case .nothing, .repeated: false
    case .awaited, .compared: true
    }
  }

  var isCompared: Bool {
    if case .compared = self { true } else { false }
  }

  /// Whether all bytes that come lie behind the delivered ones, and are to be delivered.
  var isBehind: Bool {
    switch self {
    case .nothing, .awaited: true
    case .repeated, .compared: false
    }
  }

  /// Takes the head of the answer.
  ///
  /// - Returns: whether it continues what has been delivered, as far as its head says.
  mutating func begin(_ answer: Response) -> Bool {
    switch self {
    case .nothing, .repeated: return false
    case .compared: return answer.status == 200
    case .awaited(let resumption):
      guard let overlap = resumption.overlap(with: answer) else { return false }
      self = overlap > 0 ? .repeated(overlap) : .nothing
      return true
    }
  }

  /// Whether an answer to the request for the rest is useless: it neither continues the content nor stands by itself.
  func isMissed(by answer: Response) -> Bool {
    guard case .awaited(let resumption) = self else { return false }
    return (answer.status == 206 || answer.status == 416) && resumption.overlap(with: answer) == nil
  }

  /// The failure if an answer does not continue what has been delivered, and that cannot be taken back.
  func failure(by answer: Response, from target: TargetURI) -> Failure {
    guard case .awaited(let resumption) = self else { return .damagedWhileDelivered(target) }
    let received = resumption.received
    return resumption.isOutdated(by: answer)
      ? .changedMeanwhile(received: received, target) : .withoutRest(received: received, target)
  }

  /// The bytes of a piece that lie behind the delivered content; `nil` if there are none.
  mutating func undelivered(
    of content: UnsafeRawBufferPointer, from target: TargetURI
  ) throws(Failure) -> UnsafeRawBufferPointer? {
    let count: Int
    switch self {
    case .nothing, .awaited: return content
    case .repeated(let overlap):
      count = Int(clamping: min(overlap, UInt64(content.count)))
      self = overlap > UInt64(count) ? .repeated(overlap - UInt64(count)) : .nothing
      if count == content.count { return nil }
    case .compared(let check):
      switch check.consume(content) {
      case .undecided: return nil
      case .same(let same): count = same
      case .different: throw .damagedWhileDelivered(target)
      }
      self = .nothing
    }
    return UnsafeRawBufferPointer(rebasing: content[count...])
  }

  /// - Throws: if the answer was shorter than the content delivered before it.
  func finish(received: UInt64, from target: TargetURI) throws(Failure) {
    switch self {
    case .nothing, .awaited: return
    case .repeated: throw .transport(.truncated(after: received, of: nil), target)
    case .compared: throw .damagedWhileDelivered(target)
    }
  }
}
