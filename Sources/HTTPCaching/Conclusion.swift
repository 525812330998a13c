package import HTTPSemantics

/// The head of an origin's answer, and when it came.
package struct Answer: Equatable, Sendable {
  package let response: Response
  package let requestTime: Timestamp
  package let responseTime: Timestamp
  /// Whether the framing is sound, so that the message ends where it seems to.
  package let isSoundlyFramed: Bool

  package init(
    _ response: Response, requestTime: Timestamp, responseTime: Timestamp, isSoundlyFramed: Bool = true
  ) {
    self.response = response
    self.requestTime = requestTime
    self.responseTime = responseTime
    self.isSoundlyFramed = isSoundlyFramed
  }

  /// The answer that a stored response, or one that was to be stored, came from.
  package init(of stored: StoredResponse) {
    self.init(stored.response, requestTime: stored.requestTime, responseTime: stored.responseTime)
  }
}

/// The outcome of forwarding a request.
package enum ForwardingOutcome: Equatable, Sendable {
  case answer(Answer)
  /// The origin could not be reached, or the connection broke off before a head came.
  case disconnected
  /// The origin, or something on the way to it, was reached and misbehaved, or broke off after its head.
  case failure
}

/// What is delivered, stored and invalidated once a request has been forwarded.
package struct Conclusion: Equatable, Sendable {
  package indirect enum Delivered: Equatable, Sendable {
    /// The answer, as it comes.
    case answer
    case stored(Reuse)
    /// The stored part, followed by the answer's content, under the head of the whole.
    case joined(StoredResponse)
    /// The answer to a condition or a range that the cache added does not fit the stored response: the request is made
    /// again as the user made it.
    case unconditionalRequest
    case failure
  }

  package indirect enum Change: Equatable, Sendable {
    case insert(StoredResponse)
    /// The stored head is replaced, its content is kept.
    case freshen(StoredResponse)
    /// The stored response no longer holds, and the answer is not stored in its place.
    case remove(NotStored)
    /// A part shows that the stored response no longer holds. If that part breaks off, the stored response may still be
    /// served.
    case removeOutdatedByPart
    case none(NotStored)
  }

  package let delivery: Delivered
  package let change: Change
  package let invalidated: [TargetURI]

  package init(_ delivery: Delivered, _ change: Change, invalidated: [TargetURI] = []) {
    self.delivery = delivery
    self.change = change
    self.invalidated = invalidated
  }
}

/// The terms under which an answer is stored.
package struct ConclusionTerms {
  package let policy: CachePolicy
  /// Why the request bypasses the cache, if the policy is not the reason.
  package let bypassReason: NotStored?
  /// The user's orders for stored responses.
  package let storing: StoringRules
  package let key: CacheKey
  package let conceal: SelectingFields.Concealer

  /// - Parameter conceal: see `SelectingFields.Concealer`.
  package init(
    _ policy: CachePolicy, bypassReason: NotStored? = nil, storing: StoringRules = .none, key: CacheKey,
    concealing conceal: @escaping SelectingFields.Concealer
  ) {
    self.policy = policy
    self.bypassReason = bypassReason
    self.storing = storing
    self.key = key
    self.conceal = conceal
  }
}

/// Decides what is delivered and what is stored, once the head of an answer has come or will never come.
///
/// - Parameters:
///   - request: as the user made it, without the cache's conditions.
///   - selection: the result of the look-up on which the decision was taken.
package func conclude(
  _ decision: ReuseDecision, _ outcome: ForwardingOutcome, for request: Request, _ selection: Selection,
  under terms: ConclusionTerms
) -> Conclusion {
  switch outcome {
  case .disconnected, .failure:
    guard let onError = decision.onError, Staleness.covers(onError.grant, outcome) else {
      return Conclusion(.failure, .none(.incomplete))
    }
    return Conclusion(.stored(onError), .none(.incomplete))
  case .answer(let answer):
    let rules = ConclusionRules(
      decision: decision, answer: answer, request: request, selection: selection, terms: terms)
    return rules.removingStoredOnError(rules.conclusion)
  }
}

private struct ConclusionRules {
  let decision: ReuseDecision
  let answer: Answer
  let request: Request
  let selection: Selection
  let terms: ConclusionTerms

  private var storing: StoringRules { terms.storing }
  private var stored: StoredResponse? { selection.stored }

  var conclusion: Conclusion {
    let status = answer.response.status
    // "... if a cache receives a 5xx (Server Error) response while attempting to validate a response, it can either
    // forward this response to the requesting client or act as if the server failed to respond"
    // (RFC 9111 section 4.3.3).
    if let onError = decision.onError, Staleness.covers(onError.grant, .answer(answer)) {
      return Conclusion(.stored(onError), .none(.incomplete))
    }
    if case .complete(let part, _) = decision, [206, 304, 416].contains(status) { return completion(of: part) }
    if case .resume(let rest, because: _, onError: _) = decision, status == 206 {
      return Conclusion(.answer, superseded(byRest: rest))
    }
    // "... 412 (Precondition Failed) ... for all other methods" (RFC 9110 section 13.1.2): it does not answer a request
    // whose condition is not the user's.
    if case .validate = decision, status == 412, !Validation.isConditional(request), !Validation.needsOrigin(request) {
      return Conclusion(.unconditionalRequest, .none(.requestBound))
    }
    let invalidated = Invalidation.targets(of: request, answered: answer.response)
    if status == 304, invalidated.isEmpty { return notModified }
    if request.method == .head { return Conclusion(.answer, changeByHead()) }
    return Conclusion(.answer, storedChange(), invalidated: invalidated)
  }

  /// Returns the conclusion, with the stored response removed if the user wants a failed fetch to do that.
  func removingStoredOnError(_ conclusion: Conclusion) -> Conclusion {
    guard storing.forgetsOnError, stored != nil, conclusion.delivery == .answer, answer.response.status.isError,
      case .none(let reason) = conclusion.change
    else { return conclusion }
    return Conclusion(.answer, .remove(reason), invalidated: conclusion.invalidated)
  }

  private var notModified: Conclusion {
    guard case .validate(let stored, _, _, _) = decision else { return notModifiedForUser }
    if keepsSelection(of: stored) {
      let fields = answerFields
      if Validation.selects(stored, by: fields) { return freshening(stored) }
      if Validation.confirms(stored, by: fields) { return confirming(stored) }
    }
    return Conclusion(.unconditionalRequest, .none(.notModified))
  }

  /// A 304 to the user's own condition is delivered, and may freshen the stored response. A 304 to a request without a
  /// condition says nothing about any stored response.
  private var notModifiedForUser: Conclusion {
    guard let stored, Validation.isConditional(request), concernsStored, !forbidsStoring(of: stored.response.status),
      keepsSelection(of: stored), Validation.selects(stored, by: answerFields),
      answer.response.fields.hasValidator
    else { return Conclusion(.answer, .none(.notModified)) }
    return Conclusion(.answer, .freshen(freshened(stored)))
  }

  /// Delivers the stored response as it is: the 304 confirms it, and may not update it.
  private func confirming(_ stored: StoredResponse) -> Conclusion {
    let freshness = Freshness(of: stored, at: answer.responseTime)
    let isForbidden = forbidsStoring(of: stored.response.status)
    return Conclusion(
      .stored(Reuse(stored, freshness, form: .whole)), isForbidden ? .remove(.noStore) : .none(.notModified))
  }

  /// Delivers the stored response with the fields that the 304 updates.
  private func freshening(_ stored: StoredResponse) -> Conclusion {
    let fresh = freshened(stored)
    let freshness = Freshness(of: fresh, at: answer.responseTime)
    var delivered = fresh
    for field in StorableFields.lent(by: answer.response.fields, beside: fresh.fields) {
      delivered.response.fields.append(field)
    }
    let delivery = Conclusion.Delivered.stored(Reuse(delivered, freshness, form: .whole))
    // The fields that a 304 adds may forbid keeping the response any longer.
    if fresh.cacheControl.forbidsStoring(fresh.response.status) {
      return Conclusion(delivery, .remove(.noStore))
    }
    return Conclusion(delivery, .freshen(fresh))
  }

  /// Concludes from the answer to a request for the rest of a stored part. Whatever it is, it is not the whole
  /// response: it completes the part, or it is of no use to the user.
  private func completion(of part: StoredResponse) -> Conclusion {
    guard keepsSelection(of: part),
      let whole = PartialContent.joined(part, with: storing.changed(answer)).map(storing.changed)
    else {
      return Conclusion(.unconditionalRequest, .none(.partialContent))
    }
    if whole.cacheControl.forbidsStoring(whole.response.status) {
      return Conclusion(.joined(whole), .remove(.noStore))
    }
    if !storing.admits(whole.response.status) { return Conclusion(.joined(whole), .none(.status)) }
    return Conclusion(.joined(whole), .insert(whole))
  }

  /// Returns the change that the rest of an interrupted answer makes to the stored response. A rest up to the end
  /// completes the whole, which is delivered and not stored, so the stored response is outdated. The rest of a part has
  /// an end of its own, and only its validator shows whether the stored response is outdated. `rest` tells which of the
  /// two it is; the user's request does not, because "A server MAY ignore the Range header field" (RFC 9110 section
  /// 14.2).
  ///
  /// - Parameter rest: the request for the rest.
  private func superseded(byRest rest: Request) -> Conclusion.Change {
    if let bypass { return .none(bypass) }
    guard let stored, request.isAnsweredFromCache, !PartialContent.sharesStrongValidator(stored, with: answerFields)
    else { return .none(.partialContent) }
    if case .from(_, through: nil)? = rest.byteRange { return .removeOutdatedByPart }
    let changed = storing.changed(answer)
    let form = storedForm(of: changed, CacheControl(of: changed.response.fields))
    return supersedesStored(form) ? .removeOutdatedByPart : .none(.partialContent)
  }

  /// "... if the stored response and HEAD response have matching values for any received validator fields ... and, if
  /// the HEAD response has a Content-Length header field, the value of Content-Length matches that of the stored
  /// response, the cache SHOULD update the stored response ...; otherwise, the cache SHOULD consider the stored
  /// response to be stale" (RFC 9111 section 4.3.5).
  ///
  /// Without validators on either side, an equal length alone shows that the content is the same; without a length,
  /// nothing is learnt. The HEAD's 200 is the one that a GET would get, so a response stored with another status is
  /// outdated.
  private func changeByHead() -> Conclusion.Change {
    guard let stored, concernsStored, answer.response.status == 200 else { return .none(.method) }
    // The answer may be about another variant than the stored response.
    let outdated = stored.isOfKnownVariant ? Conclusion.Change.remove(.method) : .none(.method)
    if stored.response.status != 200 { return outdated }
    let fields = answerFields
    // An answer with another content coding, or with the entity tag in its other strength, is about another form of the
    // same representation and says nothing about the stored one.
    let isOfOtherCoding = fields[.contentEncoding] != stored.fields[.contentEncoding]
    if isOfOtherCoding || Validation.isOfOtherStrength(stored, than: fields) { return .none(.method) }
    let validators = [FieldName.etag, .lastModified]
    let received = validators.filter { fields.contains($0) }
    let hasSameLength = fields[.contentLength].flatMap { length in
      stored.completeLength.map { length.decimal == $0 }
    }
    guard received.allSatisfy({ fields[$0] == stored.fields[$0] }), hasSameLength ?? true,
      keepsSelection(of: stored)
    else { return outdated }
    // An update keeps fields of the answer, which no-store forbids. Finding the stored response outdated keeps none.
    if forbidsStoring(of: answer.response.status) { return .none(.noStore) }
    if received.isEmpty, hasSameLength == nil || validators.contains(where: { stored.fields.contains($0) }) {
      return .none(.method)
    }
    return .freshen(freshened(stored))
  }

  /// Whether the stored response stays selected by the same requests. A hook may change Vary, so `StoreProposal` checks
  /// this after the hook has been asked.
  private func keepsSelection(of stored: StoredResponse) -> Bool {
    storing.asksHook || Validation.keepsSelection(of: stored, after: answerFields)
  }

  private func freshened(_ stored: StoredResponse) -> StoredResponse {
    storing.changed(Freshening.freshened(stored, by: answer))
  }

  /// Whether an answer to a request that the cache did not make conditional says anything about the stored response.
  private var concernsStored: Bool {
    request.isAnsweredFromCache && Validation.sharesOrigin(stored, with: request) && bypass == nil
  }

  /// Why the request bypasses the cache, which then leaves everything as it is: the user wants it so, or "a cache MUST
  /// NOT store any part of either this request or any response to it" (no-store in a request, RFC 9111 section
  /// 5.2.1.5).
  private var bypass: NotStored? {
    if let bypassReason = terms.bypassReason { return bypassReason }
    if terms.policy == .noStore { return .policy }
    return CacheControl(of: request.fields).noStore ? .requestNoStore : nil
  }

  /// The answer's fields with the user's changes, as the rules see them.
  private var answerFields: Fields { storing.changed(answer.response.fields) }

  /// Whether no part of the answer may be kept (RFC 9111 section 5.2.2.5).
  ///
  /// - Parameter status: that of the response that the answer is about; for a 304, the stored response's.
  private func forbidsStoring(of status: StatusCode) -> Bool { CacheControl(of: answerFields).forbidsStoring(status) }

  private func storedChange() -> Conclusion.Change {
    if let bypass { return .none(bypass) }
    let changed = storing.changed(answer)
    let directives = CacheControl(of: changed.response.fields)
    let form = storedForm(of: changed, directives)
    if let refusal = Storability.refusal(of: changed, directives, to: request) {
      return change(notStoring: form, because: refusal)
    }
    if let stored, confirmsByLess(stored, changed.response) { return .freshen(freshened(stored)) }
    if extent != .whole, let stored, !stored.isPart { return change(notStoring: form, because: .partialContent) }
    if !storing.admits(form.status) { return change(notStoring: form, because: .status) }
    guard let selecting = selectingFields(of: changed.response) else {
      return change(notStoring: form, because: .cannotConceal)
    }
    let new = StoredResponse(
      form, to: request.method, under: terms.key, selecting: selecting,
      requestTime: answer.requestTime, responseTime: answer.responseTime, extent: extent)
    return mayReplaceStored(new) ? .insert(new) : change(notStoring: form, because: .errorWithoutLifetime)
  }

  /// Returns the change that an answer makes to the stored response if it is not stored in its place.
  ///
  /// - Parameter form: the head of the answer, as it would be stored.
  private func change(notStoring form: Response, because refusal: NotStored) -> Conclusion.Change {
    guard supersedesStored(form) else { return .none(refusal) }
    return refusal == .partialContent ? .removeOutdatedByPart : .remove(refusal)
  }

  /// Whether the answer is a part, holds less than the stored response, and shows that this one still holds.
  private func confirmsByLess(_ stored: StoredResponse, _ response: Response) -> Bool {
    guard case .part(let bytes, of: _) = extent, !stored.isPart || stored.heldBytes.length > bytes.length else {
      return false
    }
    return Validation.sharesOrigin(stored, with: request) && keepsSelection(of: stored)
      && PartialContent.confirms(stored, by: response)
  }

  /// Whether the new response may take the place of the stored one. An error that says nothing about the resource, and
  /// cannot be reused without validation, is stored only if nothing but another such error is stored. RFC 9111 allows
  /// storing it, and does not ask for it.
  private func mayReplaceStored(_ new: StoredResponse) -> Bool {
    if Storability.supersedes(new.response.status, to: request) { return true }
    switch selection {
    case .uriMiss: return true
    case .varyMiss: break
    case .selected(let stored): if !Storability.supersedes(stored.response.status, to: request) { return true }
    }
    let control = new.cacheControl
    return new.isUsableUnvalidated(Freshness(of: new, cacheControl: control, at: answer.responseTime), control)
  }

  private func selectingFields(of response: Response) -> SelectingFields? {
    guard case .names(var names) = Vary(of: response.fields) else { return nil }
    // Many origins compress for requests that accept it, and do not name Accept-Encoding in Vary. A request that does
    // not accept the coding must not get that response: a fetch gives what it would give without the cache.
    if response.fields.contains(.contentEncoding), request.fields.contains(.acceptEncoding) {
      names.append(.acceptEncoding)
    }
    // The fields that the policy added were sent as well, and may be selecting.
    let hasAdded = names.contains(.cacheControl) || names.contains(.pragma)
    let sent = hasAdded ? decision.directing(request) : request
    return SelectingFields(names, of: sent.fields, concealing: terms.conceal)
  }

  private var extent: StoredResponse.Extent { PartialContent.extent(of: answer.response) ?? .whole }

  private func storedForm(of answer: Answer, _ directives: CacheControl) -> Response {
    var response = answer.response.status == 206 ? PartialContent.wholeHead(of: answer.response) : answer.response
    let kept = StorableFields.stored(response.fields, directives)
    response.fields = StorableFields.dated(kept, receivedAt: answer.responseTime)
    return response
  }

  /// - Parameter form: the head of the answer, as it would be stored.
  private func supersedesStored(_ form: Response) -> Bool {
    guard let stored else { return false }
    if Storability.supersedes(answer.response.status, to: request) { return true }
    // Only the validator of a part shows that it supersedes the stored response.
    guard request.hasStorableAnswer, Validation.sharesOrigin(stored, with: request), case .part = extent else {
      return false
    }
    let part = StoredResponse(
      form, under: terms.key, requestTime: answer.requestTime, responseTime: answer.responseTime)
    return PartialContent.contradicts(stored, by: part)
  }
}
