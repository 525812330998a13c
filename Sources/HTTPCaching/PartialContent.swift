package import HTTPSemantics

/// The rules for parts of a representation: storing them, answering from them, completing them (RFC 9111 sections 3.3
/// and 3.4).
package enum PartialContent {
  // MARK: Keeping

  /// Returns what a 206 carries; `nil` if that is not a single range, or contradicts its other fields.
  ///
  /// A 206 that carries everything counts as the whole, as if it were a 200 (RFC 9110 section 15.3.7.3).
  static func extent(of response: Response) -> StoredResponse.Extent? {
    guard response.status == 206, let range = singleRange(of: response.fields) else { return nil }
    if range.completeLength == range.length { return .whole }
    return .part(range.bytes, of: range.completeLength)
  }

  /// Returns the head with which a 206 is stored: the one that the whole representation would have.
  static func wholeHead(of response: Response) -> Response {
    var whole = response
    whole.status = 200
    whole.reason = "OK"
    let length = response.fields[.contentRange].flatMap { ContentRange($0) }?.completeLength
    whole.fields.removeAll { partFields.contains($0.name) }
    if let length { whole.fields.set(.contentLength, FieldValue(String(length))) }
    return whole
  }

  /// Returns the part that is kept of a response whose transfer broke off behind its whole head: the bytes from the
  /// front.
  ///
  /// - Parameters:
  ///   - stored: the response as it was to be stored.
  ///   - count: the number of content bytes that have come.
  /// - Returns: `nil` if the bytes could never be joined with the rest, so that they would answer next to nothing.
  package static func interrupted(_ stored: StoredResponse, after count: UInt64) -> StoredResponse? {
    // "A cache MUST NOT store incomplete or partial-content responses if it does not support the Range and
    // Content-Range header fields"; an incomplete one is a 200 (RFC 9111 section 3.3).
    guard count > 0, stored.response.status == 200, strongValidator(of: stored) != nil else { return nil }
    if case .post = stored.key.content { return nil }
    var part = stored
    let start: UInt64
    let length: UInt64?
    switch stored.extent {
    case .whole:
      start = 0
      length = stored.fields[.contentLength]?.decimal
    case .part(let range, of: let complete):
      start = range.lowerBound
      length = complete
    }
    let (end, overflow) = start.addingReportingOverflow(count)
    guard !overflow, length.map({ end < $0 }) ?? true else { return nil }
    part.extent = .part(start..<end, of: length)
    return part
  }

  /// Whether a stored part is of more use than another part that would replace it.
  package static func isWorthMore(_ kept: StoredResponse, than other: StoredResponse) -> Bool {
    guard let validator = strongValidator(of: kept), validator == strongValidator(of: other),
      kept.selecting == other.selecting
    else { return false }
    return kept.heldBytes.length > other.heldBytes.length
  }

  // MARK: Answering

  /// Returns the bytes of a stored part that answer a range request; `nil` if it does not hold all that are asked
  /// for.
  static func answeringRange(in stored: StoredResponse, for request: Request, at now: Timestamp) -> Range<UInt64>? {
    guard !Validation.isConditional(request),
      let range = Validation.applicableRange(of: request, to: stored, at: now),
      let wanted = resolved(range, in: stored.completeLength)
    else { return nil }
    return wanted.clamped(to: stored.heldBytes) == wanted ? wanted : nil
  }

  /// Resolves a range. If the length is not known, only a range that states both ends says which bytes it means.
  private static func resolved(_ range: ByteRange, in length: UInt64?) -> Range<UInt64>? {
    if let length { return range.resolved(in: length) }
    guard case .from(let first, through: let last?) = range, last < .max else { return nil }
    return first..<(last + 1)
  }

  /// Whether a response may answer the request. A 206 that was not asked for would be taken for the whole, or for
  /// another part.
  package static func answers(_ response: Response, to request: Request) -> Bool {
    if response.status != 206 || request.method == .head { return true }
    guard request.fields.contains(.range) else { return extent(of: response) == .whole }
    guard let asked = request.byteRange, let range = singleRange(of: response.fields) else { return true }
    switch asked {
    case .from(let first, through: _): return range.bytes.lowerBound == first
    case .suffix:
      guard let length = range.completeLength else { return true }
      return asked.resolved(in: length)?.lowerBound == range.bytes.lowerBound
    }
  }

  /// Returns the range that a 206 carries, for a caller that puts its content somewhere: "A client MUST inspect a 206
  /// response's Content-Type and Content-Range field(s) to determine what parts are enclosed" (RFC 9110 section
  /// 15.3.7).
  ///
  /// - Returns: `nil` if it carries several ranges, each with a head of its own, or does not say which range it
  ///   carries.
  package static func carriedRange(of response: Response) -> ContentRange? {
    guard response.status == 206, !isMultipart(response.fields) else { return nil }
    return response.fields.combined(.contentRange).flatMap { ContentRange($0) }
  }

  /// Returns the number of content bytes that a 206 has by its range, if no Content-Length states it.
  package static func impliedLength(of response: Response) -> UInt64? {
    guard !response.fields.contains(.contentLength) else { return nil }
    return carriedRange(of: response)?.length
  }

  // MARK: Making whole

  /// Returns the request for the bytes behind a stored part; `nil` if they could not be joined with it. If-Range is not
  /// left out alone, because without it the bytes of another representation might come.
  static func continuation(of request: Request, from stored: StoredResponse) -> Request? {
    guard case .part(let held, of: let length) = stored.extent, held.lowerBound == 0, !held.isEmpty,
      length.map({ held.upperBound < $0 }) ?? true, stored.response.status == 200,
      !request.leavesOut(.range), !request.leavesOut(.ifRange),
      request.method.hasStorableAnswer, !hasConditionsOrRange(request), isCodingAccepted(of: stored, by: request),
      Validation.sharesOrigin(stored, with: request), let validator = strongValidator(of: stored)
    else { return nil }
    var continuation = request
    continuation.fields.set(.range, ByteRange.from(held.upperBound, through: nil).fieldValue)
    continuation.fields.set(.ifRange, validator)
    return continuation
  }

  /// Returns the whole response that a stored part and the answer to its continuation make; `nil` if they do not
  /// belong together.
  ///
  /// "A client that has received multiple partial responses ... MAY combine those responses into a larger continuous
  /// range if they share the same strong validator" (RFC 9110 section 15.3.7.3).
  static func joined(_ stored: StoredResponse, with answer: Answer) -> StoredResponse? {
    let fields = answer.response.fields
    // The answer must carry the rest up to the end: anything shorter would have to be continued in its turn.
    guard answer.response.status == 206, answer.isSoundlyFramed, let range = singleRange(of: fields),
      let length = range.completeLength, range.bytes.lowerBound == stored.heldBytes.upperBound,
      range.bytes.upperBound == length,
      isOfSameBytes(stored, as: fields),
      stored.completeLength.map({ $0 == length }) ?? true
    else { return nil }
    // "... the cache MUST update the stored response header fields using the header fields provided in the new
    // response" (RFC 9111 section 3.4).
    var whole = Freshening.freshened(stored, by: answer)
    whole.extent = .whole
    whole.contentLength = length
    whole.response.fields.set(.contentLength, FieldValue(String(length)))
    return whole
  }

  /// Whether a 206 shows that the stored response still is the representation, or part of it (RFC 9111 section 3.4).
  static func confirms(_ stored: StoredResponse, by response: Response) -> Bool {
    guard stored.response.status == 200, let range = singleRange(of: response.fields) else { return false }
    return (range.completeLength ?? stored.completeLength) == (stored.completeLength ?? range.completeLength)
      && isOfSameBytes(stored, as: response.fields)
  }

  /// Whether two responses are of the same form of a representation, as far as their validators tell.
  package static func sharesValidator(_ stored: StoredResponse, with new: StoredResponse) -> Bool {
    let name = stored.fields.contains(.etag) || new.fields.contains(.etag) ? FieldName.etag : .lastModified
    let validators = new.fields.values(of: name)
    return !validators.isEmpty && validators == stored.fields.values(of: name)
  }

  /// Whether a new response's strong validator shows that the stored response is no longer the representation.
  package static func contradicts(_ stored: StoredResponse, by new: StoredResponse) -> Bool {
    guard let validator = strongValidator(of: new) else { return false }
    guard let tag = new.fields.entityTag else {
      guard !stored.fields.contains(.etag), let modified = stored.fields[.lastModified] else { return false }
      return modified != validator
    }
    return stored.fields.entityTag?.matchesWeakly(tag) == false
  }

  // MARK: Validators

  /// Returns what If-Range may carry: a strong entity tag or, if there is no entity tag at all, a strong Last-Modified
  /// (RFC 9110 section 13.1.5).
  static func strongValidator(of stored: StoredResponse) -> FieldValue? {
    if let value = stored.fields[.etag] {
      guard stored.fields.values(of: .etag).count == 1, let etag = EntityTag(value), !etag.isWeak else { return nil }
      return value
    }
    guard let modified = stored.fields[.lastModified], stored.fields.values(of: .lastModified).count == 1,
      Validation.isStrong(lastModifiedOf: stored, by: clockDifference, now: stored.responseTime)
    else { return nil }
    return modified
  }

  /// Whether an answer that brings another part, or all, of a representation says that it is the stored response's,
  /// byte for byte.
  static func isOfSameBytes(_ stored: StoredResponse, as fields: Fields) -> Bool {
    sharesStrongValidator(stored, with: fields)
      && (!fields.contains(.contentEncoding) || hasSameCodings(stored, as: fields))
  }

  /// Whether an answer states the stored response's content codings. A 206 need not: it may leave out fields that did
  /// not change (RFC 9110 section 15.3.7).
  static func hasSameCodings(_ stored: StoredResponse, as fields: Fields) -> Bool {
    fields.members(of: .contentEncoding).map(ASCII.lowercased)
      == stored.fields.members(of: .contentEncoding).map(ASCII.lowercased)
  }

  static func sharesStrongValidator(_ stored: StoredResponse, with fields: Fields) -> Bool {
    guard let validator = strongValidator(of: stored) else { return false }
    guard stored.fields.contains(.etag) else {
      return fields.values(of: .lastModified) == [validator] && !fields.contains(.etag)
    }
    return fields.values(of: .etag) == [validator]
  }

  /// Whether the request accepts the stored part's content coding. A 206 need not repeat the coding. Without this
  /// check, an origin that tells its forms apart neither by Vary nor by their tags could send the rest of another form.
  private static func isCodingAccepted(of stored: StoredResponse, by request: Request) -> Bool {
    let accepted = request.fields.members(of: .acceptEncoding).map { member in
      ASCII.lowercased(ASCII.trimmed(member.prefix { $0 != ASCII.semicolon }))
    }
    return stored.fields.members(of: .contentEncoding).allSatisfy { accepted.contains(ASCII.lowercased($0)) }
  }

  /// Returns the Content-Range of a message that carries a single range, and as many bytes as that says (RFC 9110
  /// section 14.4).
  private static func singleRange(of fields: Fields) -> ContentRange? {
    let values = fields.values(of: .contentRange)
    guard values.count == 1, let range = ContentRange(values[0]), !isMultipart(fields) else { return nil }
    if let length = fields[.contentLength], length.decimal != range.length { return nil }
    return range
  }

  private static func isMultipart(_ fields: Fields) -> Bool {
    fields.values(of: .contentType).contains { type in
      ASCII.equalIgnoringCase(type.bytes.prefix(multipart.utf8.count), multipart.utf8)
    }
  }

  private static func hasConditionsOrRange(_ request: Request) -> Bool {
    request.fields.contains(.range) || request.fields.contains(.ifRange) || Validation.isConditional(request)
      || Validation.needsOrigin(request)
  }

  /// The seconds by which a Last-Modified must precede the Date, which may be of garner's own clock. A minute was the
  /// standard's figure for clocks that differ (RFC 7232 section 2.2.2).
  private static let clockDifference: Int64 = 60

  private static let multipart = "multipart/byteranges"

  /// Fields of a 206 that describe the part that it carries.
  private static let partFields: [FieldName] = [.contentRange, .contentLength, "Content-MD5", "Content-Digest"]
}
