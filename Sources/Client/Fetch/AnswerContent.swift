import HTTPCaching
import HTTPSemantics
import Transport

/// The count and the checks of an answer's own content, which `ReceivedContent` does not make if the delivery began
/// before the answer: with a stored part that the answer completes, or with other content that it continues.
struct AnswerContent {
  /// The count of the rest that follows a stored part.
  var rest: AnnouncedRest?
  /// The checks of what the answer promises for its content, and for the whole that it makes with a stored part.
  var checks: [ContentCheck] = []

  /// Takes the next piece.
  ///
  /// - Throws: if it exceeds the announced rest.
  mutating func take(_ content: UnsafeRawBufferPointer, from target: TargetURI) throws(Failure) {
    if rest?.take(content.count) == false { throw .transport(AnnouncedRest.excess, target) }
    for check in checks { check.update(content) }
  }

  /// Ends the content.
  ///
  /// - Throws: if it is shorter than announced, or has another digest than promised.
  func finish(from target: TargetURI) throws(Failure) {
    if let shortfall = rest?.shortfall { throw .transport(shortfall, target) }
    for check in checks {
      if let broken = check.finish() { throw .digestMismatch(broken, target) }
    }
  }
}
