package import HTTPSemantics

/// What goes when what a request has selected no longer holds (RFC 9111 section 4.1): that, and what the request would
/// select then, which is older still.
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
  ///   - selected: by the request, when it was looked up: it may have been changed since.
  ///   - answer: what supersedes it. What is more recent has been stored in the meantime, and stays; `nil` spares
  ///     nothing.
  ///   - kept: the answer, where it has been stored: what a look-up would not prefer to it is no matter then.
  ///   - conceal: see `SelectingFields.Concealer`.
  package init(
    of selected: StoredResponse?, under key: CacheKey, selectedBy request: Fields, by answer: Answer?,
    keeping kept: StoredResponse? = nil, at now: Timestamp, concealing conceal: @escaping SelectingFields.Concealer
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
