import HTTPCaching
import HTTPSemantics
import Transport

/// The head of an origin's answer, and the conclusion that is drawn from it.
struct ConcludedAnswer {
  let answer: Answer
  /// What is wrong with the answer's framing.
  let fault: FramingFault?
  let conclusion: Conclusion

  init(
    _ head: Response, _ framing: FramingVerdict, requestTime: Timestamp, to attempt: Attempt,
    _ parties: Exchange.Parties
  ) {
    var fault: FramingFault?
    if case .deliverOnly(let found) = framing { fault = found }
    self.fault = fault
    answer = Answer(
      head, requestTime: requestTime, responseTime: parties.clock.timestamp, isSoundlyFramed: fault == nil)
    if attempt.asksForWhole(after: head) {
      conclusion = Conclusion(.unconditionalRequest, .none(.partialContent))
    } else {
      conclusion = attempt.conclusion(of: .answer(answer), in: parties.cache)
    }
  }
}
