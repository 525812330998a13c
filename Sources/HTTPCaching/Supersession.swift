package import HTTPSemantics

/// The stored responses to be removed when the one that a request selected no longer holds (RFC 9111 section 4.1): that
/// one, and those that the request would select next, which are older still.
package struct Supersession {
  package let key: CacheKey
  private let selecting: SelectingFields?
  private let request: Fields
  private let selected: StoredResponse?
  private let answer: StoredResponse?
  private let kept: StoredResponse?
  private let now: Timestamp
  private let conceal: SelectingFields.Concealer

  /// - Parameters:
  ///   - selected: the response that the request selected when it was looked up; it may have been changed since.
  ///   - answer: the answer that supersedes it. Responses that are more recent were stored in the meantime, and stay.
  ///     If it is `nil`, because no answer has come, more recent ones are removed, too.
  ///   - kept: the answer, if it has been stored. Responses that a look-up would not prefer to it are not removed.
  ///   - conceal: see `SelectingFields.Concealer`.
  package init(
    of selected: StoredResponse?, under key: CacheKey, selectedBy request: Fields, by answer: Answer?,
    keeping kept: StoredResponse?, at now: Timestamp, concealing conceal: @escaping SelectingFields.Concealer
  ) {
    self.key = key
    selecting = selected?.selecting
    self.selected = selected
    self.request = request
    self.answer = answer.map {
      StoredResponse($0.response, under: key, requestTime: $0.requestTime, responseTime: $0.responseTime)
    }
    self.kept = kept
    self.now = now
    self.conceal = conceal
  }

  package func covers(_ stored: StoredResponse) -> Bool {
    guard stored.key == key, stored.selecting == selecting || stored.selecting.match(request, concealing: conceal)
    else { return false }
    if let kept, stored.selecting == kept.selecting || kept.isPreferred(to: stored) { return false }
    return answer?.isOvertaken(by: stored, over: selected.map { .selected($0) }, at: now) != true
  }
}
