import HTTPSemantics
import Transport

/// What has been delivered of a content that another answer is to continue: of a response that broke off, or the right
/// part of a stored one that turned out to be damaged.
struct ContinuedContent {
  /// Set while the rest of a response that broke off is waited for.
  private var resumption: Resumption?
  /// Set while the content of an answer is compared with what has been delivered already.
  private var prefixCheck: PrefixCheck?
  /// Bytes at the front of an answer that have been delivered already.
  private var overlap: UInt64 = 0

  /// Whether the next answer is to continue what has been delivered.
  var isAwaited: Bool { isResumed || isCompared }
  var isResumed: Bool { resumption != nil }
  /// Whether what has been delivered is compared with an answer; of that, nothing can be continued in its turn.
  var isCompared: Bool { prefixCheck != nil }
  /// Whether all that comes has still to be delivered.
  var isBehind: Bool { overlap == 0 && prefixCheck == nil }

  /// Expects an answer that brings the rest.
  mutating func await(_ rest: Resumption) { (resumption, overlap) = (rest, 0) }

  /// Expects an answer that begins with what has been delivered.
  mutating func await(_ check: PrefixCheck) { prefixCheck = check }

  /// Takes the head of the answer.
  ///
  /// - Parameter isFollowed: whether it is a redirection.
  /// - Returns: whether it continues what has been delivered, as far as its head says.
  mutating func begin(_ answer: Response, isFollowed: Bool) -> Bool {
    if prefixCheck != nil { return answer.status == 200 && !isFollowed }
    guard let overlap = resumption?.overlap(with: answer) else { return false }
    (resumption, self.overlap) = (nil, overlap)
    return true
  }

  /// Why an answer that continues nothing cannot be delivered, where what has been cannot be taken back.
  func failure(from target: TargetURI) -> Failure {
    guard let resumption else { return .damaged(target) }
    return .changedMeanwhile(received: resumption.received, target)
  }

  /// What of a piece comes behind the content that has been delivered already; `nil` while nothing does.
  mutating func undelivered(
    of content: UnsafeRawBufferPointer, from target: TargetURI?
  ) throws(Failure) -> UnsafeRawBufferPointer? {
    if overlap > 0 {
      let count = Int(clamping: min(overlap, UInt64(content.count)))
      overlap -= UInt64(count)
      return count == content.count ? nil : UnsafeRawBufferPointer(rebasing: content[count...])
    }
    guard let prefixCheck, let target else { return content }
    switch prefixCheck.consume(content) {
    case .undecided:
      return nil
    case .same(let count):
      self.prefixCheck = nil
      return UnsafeRawBufferPointer(rebasing: content[count...])
    case .different:
      throw .damaged(target)
    }
  }

  /// - Throws: where the answer was shorter than what had been delivered.
  func finish(received: UInt64, from target: TargetURI) throws(Failure) {
    if prefixCheck != nil { throw .damaged(target) }
    if overlap > 0 { throw .transport(.truncated(received: Int64(clamping: received), expected: nil), target) }
  }
}

extension Delivery {
  /// What the content of a response is for.
  enum Use {
    case delivered
    /// Nobody gets it: that of a redirection that is followed, of a 304, with `-f` of an error, with `-I` any.
    case unwanted
    /// With `-C`: nothing is missing behind the bytes that are not asked for.
    case nothingMissing
    /// With `-C` into a file: an error in the place of the rest.
    case errorInPlaceOfRest
  }
}

extension DeliveryPlan {
  /// What an answer is to a request for what is behind the bytes that are there (`-C`).
  enum Continuation {
    /// Of so many bytes, where that is known.
    case rest(UInt64?)
    /// Nothing is missing.
    case nothing
    /// It is told of, and its content is nothing that could stand behind what is there.
    case error
    /// It would have to be written in the place of what is there.
    case other
  }

  func continuation(by answer: Response) -> Continuation {
    guard continuesAt > 0 else { return .rest(nil) }
    if answer.status == 416 {
      // It may have ended before where it was to be continued.
      return Self.unsatisfiedLength(in: answer).map { $0 == continuesAt } ?? true ? .nothing : .error
    }
    // The whole instead of nothing: as curl does, a length is believed where a range is not heeded.
    if answer.status == 200, answer.fields[.contentLength]?.decimal == continuesAt { return .nothing }
    if answer.status == 204 || answer.status == 304 { return .nothing }
    guard answer.status == 206 else { return answer.status.isError ? .error : .other }
    // Several parts have no Content-Range of their own, and what is coded is no rest of what has been decoded.
    guard let range = answer.fields.combined(.contentRange).flatMap({ ContentRange($0) }),
      range.bytes.lowerBound == continuesAt, range.completeLength.map({ $0 == range.bytes.upperBound }) ?? true,
      !decodesContent || !answer.fields.contains(.contentEncoding)
    else { return .other }
    return .rest(range.length)
  }

  /// The length of a body that ends before the bytes that were asked for, in bytes.
  func length(ofShorter answer: Response) -> UInt64? {
    guard answer.status == 416, let length = Self.unsatisfiedLength(in: answer) else { return nil }
    return length < continuesAt ? length : nil
  }

  /// Of `bytes */LENGTH` (RFC 9110 section 14.4).
  private static func unsatisfiedLength(in answer: Response) -> UInt64? {
    let length = answer.fields[.contentRange]?.bytes.split(separator: UInt8(ascii: "/")).last
    return length.flatMap { ASCII.unsignedDecimal($0) }
  }
}
