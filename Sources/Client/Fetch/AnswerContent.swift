import HTTPCaching
import HTTPSemantics
import Transport

/// What the content of an answer is held against by itself, where what is delivered began before it: with a stored
/// part, or with a response that broke off.
struct AnswerContent {
  /// Of the rest that follows a stored part.
  var rest: AnnouncedRest?
  /// Of the answer's promises, and of those of the whole that it makes with a stored part.
  var checks: [ContentCheck] = []

  /// Takes the next piece.
  ///
  /// - Throws: where it is none of what was announced.
  mutating func take(_ content: UnsafeRawBufferPointer, from target: TargetURI) throws(Failure) {
    if rest?.take(content.count) == false { throw .transport(AnnouncedRest.excess, target) }
    for check in checks { check.update(content) }
  }

  /// Ends it.
  ///
  /// - Throws: where it is not what was announced.
  func finish(from target: TargetURI) throws(Failure) {
    if let shortfall = rest?.shortfall { throw .transport(shortfall, target) }
    for check in checks {
      if let broken = check.finish() { throw .digestMismatch(broken, target) }
    }
  }
}
