import HTTPCaching
import HTTPSemantics

/// `-C`: what is there already, and what an answer adds to it.
extension DeliveryPlan {
  /// What an answer is to a request for what is behind the bytes that are there.
  enum Continuation {
    /// Of so many bytes, where that is known.
    case rest(UInt64?)
    /// The beginning of the rest: so many bytes of those that are missing.
    case beginning(UInt64, of: UInt64)
    /// Nothing is missing.
    case nothing
    /// It is told of, and its content is nothing that could stand behind what is there.
    case error
    /// It would have to be written in the place of what is there.
    case other
  }

  /// - Parameter said: the length that a 416 before it has said the body to have, coded or not.
  func continuation(by answer: Response, after said: UInt64? = nil) -> Continuation {
    guard continuesAt > 0 else { return .rest(nil) }
    // Neither its length nor its parts are those of what has been decoded.
    let isCoded = decodesContent && answer.fields.contains(.contentEncoding)
    if answer.status == 416 {
      // It may have ended before where it was to be continued.
      return unsatisfiedLength(in: answer) == continuesAt ? .nothing : .error
    }
    // The whole instead of nothing: as curl does, a length is believed where a range is not heeded.
    if answer.status == 200, !isCoded, (answer.fields[.contentLength]?.decimal ?? said) == continuesAt {
      return .nothing
    }
    if !answer.status.mayHaveContent { return .nothing }
    guard answer.status == 206 else { return answer.status.isError ? .error : .other }
    // What may end before the end (`*`) is not known to be the rest.
    guard !isCoded, let range = PartialContent.carriedRange(of: answer), let length = range.completeLength,
      range.bytes.lowerBound == continuesAt
    else { return .other }
    // "... a server might want to send only a subset of the data requested" (RFC 9110 section 15.3.7).
    if range.bytes.upperBound < length { return .beginning(range.length, of: length - continuesAt) }
    return .rest(range.length)
  }

  /// Whether an answer leaves open whether there is more, which that to a request for the whole tells: "A server
  /// generating a 416 ... SHOULD generate a Content-Range" (RFC 9110 section 15.5.17), and many send none. Where
  /// content is decoded, it may speak of the coded form.
  func needsLength(after answer: Response) -> Bool {
    guard continuesAt > 0, answer.status == 416 else { return false }
    let said = unsatisfiedLength(in: answer)
    return said == nil || decodesContent && said == continuesAt
  }

  /// The length of a body that ends before the bytes that were asked for, in bytes.
  func length(ofShorter answer: Response) -> UInt64? {
    guard answer.status == 416, let length = unsatisfiedLength(in: answer) else { return nil }
    return length < continuesAt ? length : nil
  }

  func unsatisfiedLength(in answer: Response) -> UInt64? {
    answer.fields.combined(.contentRange).flatMap { ContentRange.unsatisfiedLength($0) }
  }
}

extension Delivery {
  /// Makes the file of `-C -` appear with what has come of content that broke off, or what there was room for: it is
  /// known to be a beginning, and the next run goes on behind it.
  ///
  /// - Returns: whether it has.
  func keepBeginning(after error: Failure) -> Bool {
    guard plan.keepsBeginning, error.leavesPart, let received, received.use == .delivered, sink.holdsPart,
      sink.canTakeBack, received.response.status == 200 || received.response.status == 206
    else { return false }
    // A head stands amid the content, and of what is decoded the next run cannot tell how much has come.
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
