import HTTPCaching
import HTTPSemantics

/// `-C`: what an answer adds to the bytes that the user has already.
extension DeliveryPlan {
  /// How an answer relates to the request for the bytes behind the existing ones.
  enum Continuation {
    /// The rest, and its length if that is known.
    case rest(UInt64?)
    /// Only the beginning of the rest: its length, and the length of all that is missing.
    case beginning(UInt64, of: UInt64)
    /// Nothing is missing.
    case nothing
    /// An error, which is reported. Its content must not stand behind the existing bytes.
    case error
    /// Another response, which would have to replace the existing bytes.
    case other
  }

  /// - Parameter lengthIn416: the length of the body, coded or not, according to a 416 that came before.
  func continuation(by answer: Response, lengthIn416: UInt64?) -> Continuation {
    guard continuesAt > 0 else { return .rest(nil) }
    // Lengths and ranges of coded content say nothing of decoded bytes.
    let isCoded = decodesContent && answer.fields.contains(.contentEncoding)
    if answer.status == 416 {
      // A body of another length may end before the offset.
      return unsatisfiedLength(in: answer) == continuesAt ? .nothing : .error
    }
    // A server that ignores the range sends the whole body, not an empty rest. As in curl, the length that it states is
    // believed.
    if answer.status == 200, !isCoded, (answer.fields[.contentLength]?.decimal ?? lengthIn416) == continuesAt {
      return .nothing
    }
    if !answer.status.mayHaveContent { return .nothing }
    guard answer.status == 206 else { return answer.status.isError ? .error : .other }
    // A range of unknown complete length (`*`) may end before the body does: it is not known to be the rest.
    guard !isCoded, let range = PartialContent.carriedRange(of: answer), let length = range.completeLength,
      range.bytes.lowerBound == continuesAt
    else { return .other }
    // "... a server might want to send only a subset of the data requested" (RFC 9110 section 15.3.7).
    if range.bytes.upperBound < length { return .beginning(range.length, of: length - continuesAt) }
    return .rest(range.length)
  }

  /// Whether an answer leaves open how long the body is, so that the whole has to be requested: "A server generating a
  /// 416 ... SHOULD generate a Content-Range" (RFC 9110 section 15.5.17), and many send none. If content is decoded,
  /// the Content-Range may speak of the coded form.
  func needsLength(after answer: Response) -> Bool {
    guard continuesAt > 0, answer.status == 416 else { return false }
    let length = unsatisfiedLength(in: answer)
    return length == nil || decodesContent && length == continuesAt
  }

  /// The length, in bytes, of a body that ends before the requested offset; `nil` for any other answer.
  func length(ofShorter answer: Response) -> UInt64? {
    guard answer.status == 416, let length = unsatisfiedLength(in: answer) else { return nil }
    return length < continuesAt ? length : nil
  }

  func unsatisfiedLength(in answer: Response) -> UInt64? {
    answer.fields.combined(.contentRange).flatMap { ContentRange.unsatisfiedLength($0) }
  }
}

extension Delivery {
  /// Publishes the file of `-C -` with what has come of content that broke off or ran out of room. It is known to be a
  /// beginning, and the next run goes on behind it.
  ///
  /// - Returns: whether the file is there.
  func keepBeginning(after error: Failure) -> Bool {
    guard plan.keepsBeginning, error.leavesPart, let received, received.use == .delivered, sink.holdsPart,
      sink.canTakeBack, received.response.status == 200 || received.response.status == 206
    else { return false }
    // A printed head would stand amid the content, and decoded bytes do not tell the next run how many were received.
    guard !plan.includesHeads, !plan.decodesContent || !received.response.fields.contains(.contentEncoding),
      plan.integrity == nil, received.isBrokenOff || isContentSound
    else { return false }
    do throws(Failure) {
      try sink.finish()
      return true
    } catch {
      return false
    }
  }
}
