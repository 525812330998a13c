import HTTPCaching
import HTTPSemantics
import Testing

/// The request for the rest of an answer that broke off, and the changes of the stored response when the rest comes.
@Suite struct ResumingTests {
  private static let fields: Fields = ["Cache-Control": "max-age=60", "ETag": "\"a\""]
  private static let rest = get(["Range": "bytes=30-", "If-Range": "\"a\""])

  /// - Parameter isSame: whether the stored response is the one that has been delivered in part.
  private func decision(
    _ request: Request, _ stored: StoredResponse?, isSame: Bool, _ policy: CachePolicy = .useProtocol,
    mayBeReplaced: Bool = true
  ) -> ReuseDecision {
    decide(request, stored, policy, at: 10).resuming(
      request, with: Self.rest, from: isSame ? stored : nil, mayBeReplaced: mayBeReplaced)
  }

  @Test(arguments: [CachePolicy.useProtocol, .reload, .reloadAll, .revalidate, .networkFirst])
  func `a stored part of the answer that broke off is completed, whatever the policy`(_ policy: CachePolicy) {
    #expect(decision(get(), part(Self.fields), isSame: true, policy).verdict == .completed)
    var rest = Self.rest
    if policy == .reloadAll {
      rest.fields.append(.cacheControl, "no-cache")
      rest.fields.append(.pragma, "no-cache")
    }
    #expect(decision(get(), part(Self.fields), isSame: false, policy).sent == rest)
  }

  @Test func `a stored whole of the answer that broke off is served if request and policy allow it`() {
    #expect(decision(get(), stored(Self.fields), isSame: true).verdict == .served)
    #expect(decision(get(), stored(Self.fields), isSame: false).sent == Self.rest)
    #expect(decision(get(), stored(Self.fields), isSame: true, .reload).verdict == .resumed(.request))
    let conditional = get(["If-None-Match": "\"a\""])
    #expect(decision(conditional, stored(Self.fields), isSame: true).verdict == .resumed(.request))
  }

  @Test func `a no-store request does not complete a stored part of the answer that broke off`() {
    let request = get(["Cache-Control": "no-store"])
    #expect(decision(request, part(Self.fields), isSame: true).verdict == .resumed(.bypass))
  }

  @Test func `a stored response may still be served on an error, unless some content was delivered`() {
    for mayBeReplaced in [true, false] {
      let decision = decision(
        get(), stored(["Cache-Control": "max-age=1"]), isSame: false, mayBeReplaced: mayBeReplaced)
      #expect(decision.verdict == .resumed(.stale) && (decision.onError?.grant == .disconnected) == mayBeReplaced)
      #expect(!decision.mayCollapse(for: get(), .uriMiss, under: .useProtocol, among: .run))
    }
  }

  /// The change of the stored response when the rest has come with the tag "a".
  ///
  /// - Parameter sent: the request that asked for the rest.
  private func change(
    _ request: Request, _ stored: StoredResponse?, _ policy: CachePolicy = .useProtocol, sent: Request = Self.rest
  ) -> Conclusion.Change {
    let rest = answer(206, ["Content-Range": "bytes 30-99/100", "ETag": "\"a\"", "Content-Length": "70"])
    let conclusion = conclude(
      .resume(with: sent, because: .request, onError: nil), .answer(rest), for: request,
      stored.map(Selection.selected) ?? .uriMiss, under: ConclusionTerms(policy, key: .example, concealing: conceal))
    #expect(conclusion.delivery == .answer)
    return conclusion.change
  }

  @Test func `the rest of an answer is not stored, and removes the response that it supersedes`() {
    let old = stored(["Cache-Control": "max-age=60", "ETag": "\"old\""])
    #expect(change(get(), nil) == .none(.partialContent))
    #expect(change(get(), old) == .removeOutdatedByPart)
    #expect(change(get(), old, .reload) == .removeOutdatedByPart)
    #expect(change(get(), stored(Self.fields)) == .none(.partialContent))
    #expect(change(get(), part(Self.fields)) == .none(.partialContent))
  }

  @Test func `the rest of a whole that answered a range removes the response that it supersedes, too`() {
    let range = get(["Range": "bytes=20-"])
    #expect(change(range, stored(["Cache-Control": "max-age=60", "ETag": "\"old\""])) == .removeOutdatedByPart)
    #expect(change(range, stored(Self.fields)) == .none(.partialContent))
  }

  @Test func `the rest of a range removes only a response that its validator contradicts`() {
    let range = get(["Range": "bytes=20-"])
    let restOfPart = get(["Range": "bytes=30-99", "If-Range": "\"a\""])
    for (fields, isRemoved) in [
      (["ETag": "\"old\""], true), (["ETag": "W/\"a\""], false), (["Last-Modified": .date(-60)], false), ([:], false),
    ] as [(Fields, Bool)] {
      #expect(change(range, stored(fields), sent: restOfPart).isRemoval == isRemoved, "\(fields)")
    }
  }

  @Test func `under no-store, the rest of an answer leaves the stored response alone`() {
    let old = stored(["Cache-Control": "max-age=60", "ETag": "\"old\""])
    #expect(change(get(["Cache-Control": "no-store"]), old) == .none(.requestNoStore))
    #expect(change(get(), old, .noStore) == .none(.policy))
  }
}
