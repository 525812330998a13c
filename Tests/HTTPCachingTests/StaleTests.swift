import HTTPCaching
import HTTPSemantics
import TestTraits
import Testing

@Suite("Serving stale responses: RFC 9111 section 4.2.4")
struct StaleTests {
  /// A request, and the fields of a response that went stale 40 seconds ago unless the row says otherwise.
  typealias Case = (request: Request, response: Fields)

  static let cases: [Row<Case, Verdict>] = [
    Row("a stale response is not served without a grant", (get(), ["Cache-Control": "max-age=60"]), .validated(.stale)),
    Row(
      "max-stale without argument permits it", (get(["Cache-Control": "max-stale"]), ["Cache-Control": "max-age=60"]),
      .granted(.maxStale)),
    Row(
      "max-stale permits as much as it says", (get(["Cache-Control": "max-stale=40"]), ["Cache-Control": "max-age=60"]),
      .granted(.maxStale)),
    Row(
      "max-stale permits no more than it says",
      (get(["Cache-Control": "max-stale=39"]), ["Cache-Control": "max-age=60"]), .validated(.stale)),
    Row(
      "a max-stale with a limit counts beside one without",
      (get(["Cache-Control": "max-stale, max-stale=39"]), ["Cache-Control": "max-age=60"]), .validated(.stale)),
    Row(
      "the least of two limits counts",
      (get(["Cache-Control": "max-stale=39, max-stale=40"]), ["Cache-Control": "max-age=60"]), .validated(.stale)),
    Row(
      "a malformed max-stale permits nothing", (get(["Cache-Control": "max-stale=x"]), ["Cache-Control": "max-age=60"]),
      .validated(.stale)),
    Row(
      "an empty max-stale permits nothing", (get(["Cache-Control": "max-stale="]), ["Cache-Control": "max-age=60"]),
      .validated(.stale)),
    Row(
      "a malformed max-stale invalidates a well-formed one",
      (get(["Cache-Control": "max-stale=x, max-stale"]), ["Cache-Control": "max-age=60"]), .validated(.stale)),
    Row(
      "a malformed max-stale permits nothing that went stale this second",
      (get(["Cache-Control": "max-stale=x"]), ["Cache-Control": "max-age=100"]), .validated(.stale)),
    Row(
      "max-stale=0 permits what went stale this second",
      (get(["Cache-Control": "max-stale=0"]), ["Cache-Control": "max-age=100"]), .granted(.maxStale)),
    Row(
      "max-stale in a response is ignored", (get(), ["Cache-Control": "max-age=60, max-stale"]), .validated(.stale)),
    Row(
      "must-revalidate forbids it",
      (get(["Cache-Control": "max-stale"]), ["Cache-Control": "max-age=60, must-revalidate"]), .validated(.stale)),
    Row(
      "no-cache forbids it", (get(["Cache-Control": "max-stale"]), ["Cache-Control": "max-age=60, no-cache"]),
      .validated(.stale)),
    Row(
      "a private cache ignores proxy-revalidate",
      (get(["Cache-Control": "max-stale"]), ["Cache-Control": "max-age=60, proxy-revalidate"]), .granted(.maxStale)),
    Row(
      "a private cache ignores s-maxage",
      (get(["Cache-Control": "max-stale"]), ["Cache-Control": "max-age=60, s-maxage=60"]), .granted(.maxStale)),
    Row(
      "no-cache in the request overrides its max-stale",
      (get(["Cache-Control": "no-cache, max-stale"]), ["Cache-Control": "max-age=60"]), .validated(.request)),
    Row(
      "max-stale limits stale-while-revalidate, too",
      (get(["Cache-Control": "max-stale=39"]), ["Cache-Control": "max-age=60, stale-while-revalidate=1000"]),
      .validated(.stale)),
    Row(
      "a malformed max-stale excludes stale-while-revalidate",
      (get(["Cache-Control": "max-stale=x"]), ["Cache-Control": "max-age=60, stale-while-revalidate=1000"]),
      .validated(.stale)),
    Row(
      "within max-stale, stale-while-revalidate validates it later",
      (get(["Cache-Control": "max-stale=40"]), ["Cache-Control": "max-age=60, stale-while-revalidate=1000"]),
      .granted(.staleWhileRevalidate)),
    Row(
      "stale-while-revalidate permits its number of seconds",
      (get(), ["Cache-Control": "max-age=60, stale-while-revalidate=41"]), .granted(.staleWhileRevalidate)),
    Row(
      "stale-while-revalidate permits no more seconds",
      (get(), ["Cache-Control": "max-age=60, stale-while-revalidate=40"]), .validated(.stale)),
    Row(
      "a window of 0 permits nothing that went stale this second",
      (get(), ["Cache-Control": "max-age=100, stale-while-revalidate=0"]), .validated(.stale)),
    Row(
      "stale-while-revalidate precedes max-stale",
      (get(["Cache-Control": "max-stale"]), ["Cache-Control": "max-age=60, stale-while-revalidate=41"]),
      .granted(.staleWhileRevalidate)),
    Row(
      "must-revalidate overrides stale-while-revalidate",
      (get(), ["Cache-Control": "max-age=60, must-revalidate, stale-while-revalidate=41"]), .validated(.stale)),
    Row(
      "a request's no-cache overrides stale-while-revalidate",
      (get(["Cache-Control": "no-cache"]), ["Cache-Control": "max-age=60, stale-while-revalidate=41"]),
      .validated(.request)),
    Row(
      "a request's max-age excludes stale responses",
      (get(["Cache-Control": "max-age=1000"]), ["Cache-Control": "max-age=60, stale-while-revalidate=41"]),
      .validated(.stale)),
    Row(
      "a request's max-age with max-stale permits stale-while-revalidate",
      (
        get(["Cache-Control": "max-age=1000, max-stale=40"]), ["Cache-Control": "max-age=60, stale-while-revalidate=41"]
      ), .granted(.staleWhileRevalidate)),
    Row(
      "a request's max-age with max-stale limits stale-while-revalidate",
      (
        get(["Cache-Control": "max-age=1000, max-stale=39"]), ["Cache-Control": "max-age=60, stale-while-revalidate=41"]
      ), .validated(.stale)),
    Row(
      "stale-if-error permits nothing without an error",
      (get(), ["Cache-Control": "max-age=60, stale-if-error=600"]), .validated(.stale)),
  ]

  @Test("A stale response is served only if the request or the response permits it", arguments: cases)
  func stale(_ row: Row<Case, Verdict>) {
    var fields = row.subject.response
    fields.append(.etag, "\"a\"")
    #expect(decide(row.subject.request, stored(fields), at: 100).verdict == row.outcome)
  }

  @Test(
    "max-stale does not permit a response of unknown age, as after an interrupted update or a clock that was put back")
  func immeasurable() {
    let fields: Fields = ["Cache-Control": "max-age=60", "ETag": "\"a\""]
    let request = get(["Cache-Control": "max-stale"])
    #expect(decide(request, stored(fields, isDoubtful: true), at: 100).verdict == .validated(.stale))
    #expect(decide(request, stored(fields), at: -1).verdict == .validated(.stale))
  }
}

@Suite("stale-if-error: RFC 5861 section 4")
struct StaleIfErrorTests {
  typealias Case = (request: Request, response: Fields)

  /// The grant by which a response that went stale 40 seconds ago is delivered when the origin fails.
  static let cases: [Row<Case, StaleGrant?>] = [
    Row("without a grant the failure is delivered", (get(), ["Cache-Control": "max-age=60"]), nil),
    Row(
      "stale-if-error in the response grants it", (get(), ["Cache-Control": "max-age=60, stale-if-error=41"]),
      .staleIfError),
    Row(
      "stale-if-error grants no more seconds than it says", (get(), ["Cache-Control": "max-age=60, stale-if-error=40"]),
      nil),
    Row("a window of 0 grants nothing", (get(), ["Cache-Control": "max-age=100, stale-if-error=0"]), nil),
    Row(
      "stale-if-error in the request grants it",
      (get(["Cache-Control": "stale-if-error=41"]), ["Cache-Control": "max-age=60"]), .staleIfError),
    Row(
      "the longer of both windows counts",
      (get(["Cache-Control": "stale-if-error=0"]), ["Cache-Control": "max-age=60, stale-if-error=41"]), .staleIfError),
    Row("a malformed window grants nothing", (get(), ["Cache-Control": "max-age=60, stale-if-error=x"]), nil),
    Row("a directive without argument grants nothing", (get(), ["Cache-Control": "max-age=60, stale-if-error"]), nil),
    Row(
      "must-revalidate overrides the grant",
      (get(), ["Cache-Control": "max-age=60, must-revalidate, stale-if-error=600"]), nil),
    Row("no-cache overrides the grant", (get(), ["Cache-Control": "max-age=60, no-cache, stale-if-error=600"]), nil),
    Row(
      "no-cache in the request overrides the grant",
      (get(["Cache-Control": "no-cache"]), ["Cache-Control": "max-age=60, stale-if-error=600"]), nil),
    Row(
      "Pragma: no-cache in the request overrides the grant",
      (get(["Pragma": "no-cache"]), ["Cache-Control": "max-age=60, stale-if-error=600"]), nil),
  ]

  @Test("If the origin cannot be reached, a stale response is delivered only with a grant", arguments: cases)
  func failure(_ row: Row<Case, StaleGrant?>) {
    for validators in [["ETag": "\"a\""], [:]] as [Fields] {
      let response = stored(Fields(row.subject.response.lines + validators.lines))
      let conclusion = conclude(row.subject.request, response, .failure, at: 100)
      #expect(conclusion.delivery.reuse?.grant == row.outcome)
      #expect((conclusion.delivery == .failure) == (row.outcome == nil))
      #expect(conclusion.change == .none(.incomplete))
      #expect(conclusion.invalidated.isEmpty)
    }
  }

  @Test("A response of unknown age is served on an error only by a policy without a bound")
  func immeasurable() {
    func grant(
      _ policy: CachePolicy, _ permission: StalePermission, isDoubtful: Bool, at seconds: Int64
    ) -> StaleGrant? {
      let response = stored(
        ["Cache-Control": "max-age=60, stale-if-error=600", "ETag": "\"a\""], isDoubtful: isDoubtful)
      let terms = ReuseTerms(policy, stalePermission: permission)
      return decideReuse(of: .selected(response), for: get(), under: terms, at: .at(seconds)).onError?.grant
    }
    let bounded = StalePermission(ifError: .seconds(600))
    #expect(grant(.useProtocol, .none, isDoubtful: false, at: 100) == .staleIfError)
    #expect(grant(.networkFirst, bounded, isDoubtful: false, at: 100) == .userPolicy)
    // An update that was interrupted, and a clock that was put back.
    for (isDoubtful, seconds) in [(true, 100), (false, -1)] as [(Bool, Int64)] {
      for permission in [.none, bounded, StalePermission(ifError: .unlimited)] {
        #expect(grant(.useProtocol, permission, isDoubtful: isDoubtful, at: seconds) == nil)
      }
      #expect(grant(.networkFirst, bounded, isDoubtful: isDoubtful, at: seconds) == nil)
      #expect(grant(.networkFirst, .none, isDoubtful: isDoubtful, at: seconds) == .userPolicy)
    }
  }

  @Test("A grant applies to the statuses 500, 502, 503 and 504", arguments: [500, 502, 503, 504] as [StatusCode])
  func serverError(_ status: StatusCode) {
    let granted = stored(["Cache-Control": "max-age=60, stale-if-error=600", "ETag": "\"a\""])
    #expect(conclude(get(), granted, answer(status), at: 100).delivery.reuse?.grant == .staleIfError)
    let refused = stored(["Cache-Control": "max-age=60", "ETag": "\"a\""])
    #expect(conclude(get(), refused, answer(status), at: 100).delivery == .answer)
  }

  @Test(
    "An error of another status is delivered, and no grant applies",
    arguments: [400, 403, 404, 429, 501, 505, 599] as [StatusCode])
  func otherErrors(_ status: StatusCode) {
    let granted = stored(["Cache-Control": "max-age=60, stale-if-error=600", "ETag": "\"a\""])
    #expect(conclude(get(), granted, answer(status), at: 100).delivery == .answer)
  }

  @Test("An error is not stored if a stored response is served in its place")
  func errorNotStored() {
    let granted = stored(["Cache-Control": "max-age=60, stale-if-error=600", "ETag": "\"a\""])
    let change = conclude(get(), granted, answer(503, ["Cache-Control": "max-age=60"]), at: 100).change
    #expect(change.inserted == nil && !change.isRemoval)
  }

  @Test("A stale response that is served on an error is subject to the user's own condition")
  func conditional() {
    let granted = stored(["Cache-Control": "max-age=60, stale-if-error=600", "ETag": "\"a\""])
    let conclusion = conclude(get(["If-None-Match": "\"a\""]), granted, .failure, at: 100)
    #expect(conclusion.delivery.reuse?.form == .notModified)
  }

  static let disconnections: [Row<Case, StaleGrant?>] = [
    Row("a disconnection is a grant of its own", (get(), ["Cache-Control": "max-age=60"]), .disconnected),
    Row("a disconnection grants a response without any lifetime", (get(), [:]), .disconnected),
    Row(
      "an exceeded max-stale excludes it",
      (get(["Cache-Control": "max-stale=39"]), ["Cache-Control": "max-age=60"]), nil),
    Row(
      "an exceeded stale-if-error excludes it",
      (get(["Cache-Control": "stale-if-error=40"]), ["Cache-Control": "max-age=60"]),
      nil),
    Row("stale-if-error precedes it", (get(), ["Cache-Control": "max-age=60, stale-if-error=41"]), .staleIfError),
    Row("must-revalidate forbids it", (get(), ["Cache-Control": "max-age=60, must-revalidate"]), nil),
    Row("no-cache forbids it", (get(), ["Cache-Control": "max-age=60, no-cache"]), nil),
    Row("a request with no-cache excludes it", (get(["Cache-Control": "no-cache"]), [:]), nil),
    Row("a request with Pragma: no-cache excludes it", (get(["Pragma": "no-cache"]), [:]), nil),
    Row("a request with max-age excludes it", (get(["Cache-Control": "max-age=10"]), [:]), nil),
    Row("a request with min-fresh excludes it", (get(["Cache-Control": "min-fresh=10"]), [:]), nil),
  ]

  @Test("Without a network a stale response is delivered if no directive forbids it", arguments: disconnections)
  func disconnected(_ row: Row<Case, StaleGrant?>) {
    let conclusion = conclude(row.subject.request, stored(row.subject.response), .disconnected, at: 100)
    #expect(conclusion.delivery.reuse?.grant == row.outcome)
  }

  @Test("Without a network a stored error is delivered only with an explicit grant", arguments: [404, 410, 500])
  func disconnectedFromError(status: StatusCode) {
    for (control, grant) in [("max-age=60", nil), ("max-age=60, stale-if-error=600", .staleIfError)]
      as [(FieldValue, StaleGrant?)]
    {
      let response = stored(["Cache-Control": control], status: status)
      #expect(conclude(get(), response, .disconnected, at: 100).delivery.reuse?.grant == grant)
    }
  }

  @Test("On an error a fresh response is served despite must-revalidate, but not despite no-cache")
  func freshOnError() {
    let permission = StalePermission(ifError: .unlimited)
    for (directive, isServed) in [("must-revalidate", true), ("no-cache", false)] {
      let response = stored(["Cache-Control": FieldValue("max-age=600, \(directive)"), "ETag": "\"a\""])
      let terms = ReuseTerms(.revalidate, stalePermission: permission)
      let decision = decideReuse(of: .selected(response), for: get(), under: terms, at: .at(100))
      guard case .validate(_, _, _, let onError) = decision else {
        Issue.record("what --refresh asks for is validated")
        continue
      }
      #expect((onError != nil) == isServed)
    }
  }

  @Test("Without a network only the policy protocol grants a disconnection, and network-first applies its own")
  func disconnectedUnderPolicies() {
    for policy in CachePolicy.allCases where ![.useProtocol, .networkFirst].contains(policy) {
      #expect(conclude(get(), stored([:]), .disconnected, policy, at: 100).delivery.reuse?.grant != .disconnected)
    }
    #expect(conclude(get(), stored([:]), .disconnected, .networkFirst, at: 100).delivery.reuse?.grant == .userPolicy)
  }

  @Test("A failure without a stored response is delivered as a failure")
  func nothingStored() {
    #expect(conclude(get(), nil, .failure).delivery == .failure)
  }
}

@Suite("immutable: RFC 8246 section 2")
struct ImmutableTests {
  static let cases: [Row<(Fields, CachePolicy), Verdict>] = [
    Row(
      "a fresh immutable response is not validated, even under revalidate",
      (["Cache-Control": "max-age=600, immutable"], .revalidate), .served),
    Row(
      "a response that is not immutable is validated", (["Cache-Control": "max-age=600"], .revalidate),
      .validated(.request)),
    Row(
      "a stale immutable response is validated", (["Cache-Control": "max-age=60, immutable"], .revalidate),
      .validated(.request)),
    Row(
      "an immutable response with no-cache is validated",
      (["Cache-Control": "max-age=600, immutable, no-cache"], .revalidate), .validated(.request)),
    Row(
      "an immutable response without lifetime is validated", (["Cache-Control": "immutable"], .useProtocol),
      .validated(.stale)),
    Row(
      "the policy reload asks for an immutable response", (["Cache-Control": "max-age=600, immutable"], .reload),
      .forwarded(.request)),
  ]

  @Test("A fresh immutable response is not validated under the policy revalidate", arguments: cases)
  func immutable(_ row: Row<(Fields, CachePolicy), Verdict>) {
    var fields = row.subject.0
    fields.append(.etag, "\"a\"")
    #expect(decide(get(), stored(fields), row.subject.1, at: 100).verdict == row.outcome)
  }

  @Test(
    "A request's own directives cause an immutable response to be validated",
    arguments: [
      ["Cache-Control": "no-cache"], ["Pragma": "no-cache"], ["Cache-Control": "max-age=99"],
      ["Cache-Control": "min-fresh=501"],
    ] as [Fields], [CachePolicy.useProtocol, .revalidate])
  func demand(_ request: Fields, _ policy: CachePolicy) {
    let fields: Fields = ["Cache-Control": "max-age=600, immutable", "ETag": "\"a\""]
    #expect(decide(get(request), stored(fields), policy, at: 100).verdict == .validated(.request))
  }
}
