package import HTTPSemantics

/// A response that broke off after part of its content had been delivered, and the request that continues it.
///
/// Requires a strong validator: without one, nobody knows whether the rest belongs to what has been delivered (RFC 9110
/// sections 13.1.5 and 15.3.7.3).
package final class Resumption {
  /// The range of the representation that the response was to bring; `end` is `nil` if it was not stated.
  private let start: UInt64
  private let end: UInt64?
  /// The length of the representation, if it was stated.
  private let completeLength: UInt64?
  /// Whether the response was a 200, which brings the whole representation, and not a 206.
  private let isWhole: Bool
  private let validator: FieldValue
  /// The name of the field that the validator comes from.
  private let validatorName: FieldName
  /// The response's head, to compare answers with.
  private let stored: StoredResponse
  /// Bytes of its content that have been delivered.
  package let received: UInt64

  /// - Parameters:
  ///   - received: bytes of its content that have come, as received.
  /// - Returns: `nil` if nothing can be known to continue the response.
  package init?(of response: Response, from target: TargetURI, after received: UInt64, now: Timestamp) {
    let stored = StoredResponse(response, under: CacheKey(target), requestTime: now, responseTime: now)
    guard let validator = PartialContent.strongValidator(of: stored) else { return nil }
    if response.status == 206 {
      guard let range = PartialContent.carriedRange(of: response), received < range.length else { return nil }
      (start, end, isWhole) = (range.bytes.lowerBound, range.bytes.upperBound, false)
      completeLength = range.completeLength
    } else {
      guard response.status == 200 else { return nil }
      (start, end, isWhole) = (0, response.fields[.contentLength]?.decimal, true)
      completeLength = end
    }
    self.validator = validator
    self.received = received
    validatorName = response.fields.contains(.etag) ? .etag : .lastModified
    self.stored = stored
  }

  /// Returns the request for the rest.
  package func request(_ request: Request) -> Request {
    var rest = request
    let last = isWhole ? nil : end.map { $0 - 1 }
    rest.fields.set(.range, ByteRange.from(start + received, through: last).fieldValue)
    rest.fields.set(.ifRange, validator)
    return rest
  }

  /// Returns how many bytes of an answer's content have already been delivered.
  ///
  /// - Returns: `nil` if the answer does not continue the response.
  package func overlap(with answer: Response) -> UInt64? {
    if answer.status == 206 {
      guard let range = PartialContent.carriedRange(of: answer), range.bytes.lowerBound == start + received,
        isSame(answer)
      else { return nil }
      let length = range.completeLength ?? completeLength
      // Only the rest up to the end will do: a shorter one would have to be continued in its turn, and one that may be
      // shorter is not known to be whole.
      guard length == completeLength ?? length, let last = end ?? length, range.bytes.upperBound == last else {
        return nil
      }
      return 0
    }
    guard answer.status == 200, isWhole, isSame(answer), PartialContent.hasSameCodings(stored, as: answer.fields),
      end == nil || answer.fields[.contentLength]?.decimal == end
    else { return nil }
    return received
  }

  /// Whether a whole response, or the head of a stored part, belongs to the response that was delivered in part.
  package func isContinued(by whole: Response?) -> Bool {
    guard let whole, whole.status == 200 else { return false }
    return overlap(with: whole) != nil
  }

  /// Whether an answer shows that the response that was delivered in part is outdated.
  package func isOutdated(by answer: Response) -> Bool {
    let stated = answer.fields.values(of: validatorName)
    return !stated.isEmpty && stated != [validator]
  }

  private func isSame(_ answer: Response) -> Bool { PartialContent.isOfSameBytes(stored, as: answer.fields) }
}
