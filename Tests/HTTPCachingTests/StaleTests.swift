import HTTPCaching
import HTTPSemantics
import Testing

@Suite("Serving stale responses: RFC 9111 section 4.2.4")
struct StaleTests {
  /// A response that went stale 40 seconds ago, or what a row makes of it.
  typealias Case = (request: Request, response: Fields)

  static let cases: [Row<Case, Verdict>] = [
    Row("what is stale is not served by itself", (get(), ["Cache-Control": "max-age=60"]), .validated(.stale)),
    Row(
      "max-stale without argument takes it", (get(["Cache-Control": "max-stale"]), ["Cache-Control": "max-age=60"]),
      .granted(.maxStale)),
    Row(
      "max-stale takes as much as it says", (get(["Cache-Control": "max-stale=40"]), ["Cache-Control": "max-age=60"]),
      .granted(.maxStale)),
    Row("and no more", (get(["Cache-Control": "max-stale=39"]), ["Cache-Control": "max-age=60"]), .validated(.stale)),
    Row(
      "the stricter of two max-stale counts",
      (get(["Cache-Control": "max-stale, max-stale=39"]), ["Cache-Control": "max-age=60"]), .validated(.stale)),
    Row(
      "the least of those that say how much, wherever it stands",
      (get(["Cache-Control": "max-stale=39, max-stale=40"]), ["Cache-Control": "max-age=60"]), .validated(.stale)),
    Row(
      "a malformed max-stale takes nothing", (get(["Cache-Control": "max-stale=x"]), ["Cache-Control": "max-age=60"]),
      .validated(.stale)),
    Row(
      "an empty max-stale takes nothing", (get(["Cache-Control": "max-stale="]), ["Cache-Control": "max-age=60"]),
      .validated(.stale)),
    Row(
      "a malformed max-stale undoes a well-formed one",
      (get(["Cache-Control": "max-stale=x, max-stale"]), ["Cache-Control": "max-age=60"]), .validated(.stale)),
    Row(
      "a malformed max-stale takes nothing, not even what went stale this second",
      (get(["Cache-Control": "max-stale=x"]), ["Cache-Control": "max-age=100"]), .validated(.stale)),
    Row(
      "max-stale=0 takes that",
      (get(["Cache-Control": "max-stale=0"]), ["Cache-Control": "max-age=100"]), .granted(.maxStale)),
    Row(
      "max-stale in a response means nothing", (get(), ["Cache-Control": "max-age=60, max-stale"]), .validated(.stale)),
    Row(
      "must-revalidate forbids it",
      (get(["Cache-Control": "max-stale"]), ["Cache-Control": "max-age=60, must-revalidate"]), .validated(.stale)),
    Row(
      "no-cache forbids it", (get(["Cache-Control": "max-stale"]), ["Cache-Control": "max-age=60, no-cache"]),
      .validated(.stale)),
    Row(
      "proxy-revalidate is for shared caches",
      (get(["Cache-Control": "max-stale"]), ["Cache-Control": "max-age=60, proxy-revalidate"]), .granted(.maxStale)),
    Row(
      "s-maxage is for shared caches",
      (get(["Cache-Control": "max-stale"]), ["Cache-Control": "max-age=60, s-maxage=60"]), .granted(.maxStale)),
    Row(
      "no-cache in the request beats its max-stale",
      (get(["Cache-Control": "no-cache, max-stale"]), ["Cache-Control": "max-age=60"]), .validated(.request)),
    Row(
      "max-stale bounds stale-while-revalidate, too",
      (get(["Cache-Control": "max-stale=39"]), ["Cache-Control": "max-age=60, stale-while-revalidate=1000"]),
      .validated(.stale)),
    Row(
      "a malformed max-stale leaves nothing of it",
      (get(["Cache-Control": "max-stale=x"]), ["Cache-Control": "max-age=60, stale-while-revalidate=1000"]),
      .validated(.stale)),
    Row(
      "within max-stale it is brought up to date",
      (get(["Cache-Control": "max-stale=40"]), ["Cache-Control": "max-age=60, stale-while-revalidate=1000"]),
      .granted(.staleWhileRevalidate)),
    Row(
      "stale-while-revalidate serves what is stale, for so many seconds",
      (get(), ["Cache-Control": "max-age=60, stale-while-revalidate=41"]), .granted(.staleWhileRevalidate)),
    Row(
      "and for none more",
      (get(), ["Cache-Control": "max-age=60, stale-while-revalidate=40"]), .validated(.stale)),
    Row(
      "a window of 0 is none, not even for what went stale this second",
      (get(), ["Cache-Control": "max-age=100, stale-while-revalidate=0"]), .validated(.stale)),
    Row(
      "it comes before max-stale",
      (get(["Cache-Control": "max-stale"]), ["Cache-Control": "max-age=60, stale-while-revalidate=41"]),
      .granted(.staleWhileRevalidate)),
    Row(
      "must-revalidate wins",
      (get(), ["Cache-Control": "max-age=60, must-revalidate, stale-while-revalidate=41"]), .validated(.stale)),
    Row(
      "a request's no-cache wins",
      (get(["Cache-Control": "no-cache"]), ["Cache-Control": "max-age=60, stale-while-revalidate=41"]),
      .validated(.request)),
    Row(
      "a request's max-age wants nothing stale, however old it may be",
      (get(["Cache-Control": "max-age=1000"]), ["Cache-Control": "max-age=60, stale-while-revalidate=41"]),
      .validated(.stale)),
    Row(
      "but with max-stale",
      (
        get(["Cache-Control": "max-age=1000, max-stale=40"]), ["Cache-Control": "max-age=60, stale-while-revalidate=41"]
      ), .granted(.staleWhileRevalidate)),
    Row(
      "which permits so much and no more",
      (
        get(["Cache-Control": "max-age=1000, max-stale=39"]), ["Cache-Control": "max-age=60, stale-while-revalidate=41"]
      ), .validated(.stale)),
    Row(
      "stale-if-error alone serves nothing stale before there is an error",
      (get(), ["Cache-Control": "max-age=60, stale-if-error=600"]), .validated(.stale)),
  ]

  @Test("A cache must not generate a stale response unless ...", arguments: cases)
  func stale(_ row: Row<Case, Verdict>) {
    var fields = row.subject.response
    fields.append(.etag, "\"a\"")
    #expect(decide(row.subject.request, stored(fields), at: 100).verdict == row.outcome)
  }

  @Test("What cannot be dated is not given to max-stale: an update that was cut off, a clock put back")
  func immeasurable() {
    let fields: Fields = ["Cache-Control": "max-age=60", "ETag": "\"a\""]
    let request = get(["Cache-Control": "max-stale"])
    #expect(decide(request, stored(fields, isDoubtful: true), at: 100).verdict == .validated(.stale))
    #expect(decide(request, stored(fields), at: -1).verdict == .validated(.stale))
  }
}

@Suite("Stale-if-error: RFC 5861 section 4")
struct StaleIfErrorTests {
  typealias Case = (request: Request, response: Fields)

  /// A response that went stale 40 seconds ago, and an origin that fails: what is delivered, by whose leave.
  static let cases: [Row<Case, StaleGrant?>] = [
    Row("without a grant the failure is delivered", (get(), ["Cache-Control": "max-age=60"]), nil),
    Row("the response may grant it", (get(), ["Cache-Control": "max-age=60, stale-if-error=41"]), .staleIfError),
    Row("for as long as it says", (get(), ["Cache-Control": "max-age=60, stale-if-error=40"]), nil),
    Row("a window of 0 is none", (get(), ["Cache-Control": "max-age=100, stale-if-error=0"]), nil),
    Row(
      "the request may grant it to itself",
      (get(["Cache-Control": "stale-if-error=41"]), ["Cache-Control": "max-age=60"]), .staleIfError),
    Row(
      "the longer of both counts",
      (get(["Cache-Control": "stale-if-error=0"]), ["Cache-Control": "max-age=60, stale-if-error=41"]), .staleIfError),
    Row("a malformed grant is none", (get(), ["Cache-Control": "max-age=60, stale-if-error=x"]), nil),
    Row("a grant without argument is none", (get(), ["Cache-Control": "max-age=60, stale-if-error"]), nil),
    Row("must-revalidate wins", (get(), ["Cache-Control": "max-age=60, must-revalidate, stale-if-error=600"]), nil),
    Row("no-cache wins", (get(), ["Cache-Control": "max-age=60, no-cache, stale-if-error=600"]), nil),
    Row(
      "no-cache in the request wins",
      (get(["Cache-Control": "no-cache"]), ["Cache-Control": "max-age=60, stale-if-error=600"]), nil),
    Row(
      "in the way of HTTP/1.0, too",
      (get(["Pragma": "no-cache"]), ["Cache-Control": "max-age=60, stale-if-error=600"]), nil),
  ]

  @Test("On a failure to reach the origin", arguments: cases)
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

  @Test("What cannot be dated is served by nobody's leave for errors, but by a policy that sets no bound")
  func immeasurable() {
    func grant(_ policy: CachePolicy, _ leave: StaleLeave, isDoubtful: Bool, at seconds: Int64) -> StaleGrant? {
      let response = stored(
        ["Cache-Control": "max-age=60, stale-if-error=600", "ETag": "\"a\""], isDoubtful: isDoubtful)
      let terms = ReuseTerms(policy, leave: leave)
      return decideReuse(of: .selected(response), for: get(), under: terms, at: .at(seconds)).onError?.grant
    }
    let bounded = StaleLeave(ifError: .seconds(600))
    #expect(grant(.useProtocol, .none, isDoubtful: false, at: 100) == .staleIfError)
    #expect(grant(.networkFirst, bounded, isDoubtful: false, at: 100) == .userPolicy)
    // An update that was cut off, and a clock that was put back.
    for (isDoubtful, seconds) in [(true, 100), (false, -1)] as [(Bool, Int64)] {
      for leave in [.none, bounded, StaleLeave(ifError: .unlimited)] {
        #expect(grant(.useProtocol, leave, isDoubtful: isDoubtful, at: seconds) == nil)
      }
      #expect(grant(.networkFirst, bounded, isDoubtful: isDoubtful, at: seconds) == nil)
      #expect(grant(.networkFirst, .none, isDoubtful: isDoubtful, at: seconds) == .userPolicy)
    }
  }

  @Test("500, 502, 503 and 504 are errors for which a grant counts", arguments: [500, 502, 503, 504] as [StatusCode])
  func serverError(_ status: StatusCode) {
    let granted = stored(["Cache-Control": "max-age=60, stale-if-error=600", "ETag": "\"a\""])
    #expect(conclude(get(), granted, answer(status), at: 100).delivery.reuse?.grant == .staleIfError)
    let refused = stored(["Cache-Control": "max-age=60", "ETag": "\"a\""])
    #expect(conclude(get(), refused, answer(status), at: 100).delivery == .answer)
  }

  @Test("Other errors are the origin's answer", arguments: [400, 403, 404, 429, 501, 505, 599] as [StatusCode])
  func otherErrors(_ status: StatusCode) {
    let granted = stored(["Cache-Control": "max-age=60, stale-if-error=600", "ETag": "\"a\""])
    #expect(conclude(get(), granted, answer(status), at: 100).delivery == .answer)
  }

  @Test("An error for which something stored is served is not stored itself, whatever it allows")
  func errorNotStored() {
    let granted = stored(["Cache-Control": "max-age=60, stale-if-error=600", "ETag": "\"a\""])
    let change = conclude(get(), granted, answer(503, ["Cache-Control": "max-age=60"]), at: 100).change
    #expect(change.inserted == nil && !change.isRemoval)
  }

  @Test("The user's own condition is answered from what is served stale")
  func conditional() {
    let granted = stored(["Cache-Control": "max-age=60, stale-if-error=600", "ETag": "\"a\""])
    let conclusion = conclude(get(["If-None-Match": "\"a\""]), granted, .failure, at: 100)
    #expect(conclusion.delivery.reuse?.form == .notModified)
  }

  static let disconnections: [Row<Case, StaleGrant?>] = [
    Row("being disconnected is a leave of its own", (get(), ["Cache-Control": "max-age=60"]), .disconnected),
    Row("without any lifetime, too", (get(), [:]), .disconnected),
    Row(
      "but not beside a max-stale that is exceeded",
      (get(["Cache-Control": "max-stale=39"]), ["Cache-Control": "max-age=60"]), nil),
    Row(
      "nor beside a stale-if-error", (get(["Cache-Control": "stale-if-error=40"]), ["Cache-Control": "max-age=60"]),
      nil),
    Row("stale-if-error comes first", (get(), ["Cache-Control": "max-age=60, stale-if-error=41"]), .staleIfError),
    Row("must-revalidate forbids it", (get(), ["Cache-Control": "max-age=60, must-revalidate"]), nil),
    Row("no-cache forbids it", (get(), ["Cache-Control": "max-age=60, no-cache"]), nil),
    Row("a request that asks the origin forbids it", (get(["Cache-Control": "no-cache"]), [:]), nil),
    Row("so does a Pragma", (get(["Pragma": "no-cache"]), [:]), nil),
    Row("so does one that states an age", (get(["Cache-Control": "max-age=10"]), [:]), nil),
    Row("or a remaining freshness", (get(["Cache-Control": "min-fresh=10"]), [:]), nil),
  ]

  @Test("On being disconnected", arguments: disconnections)
  func disconnected(_ row: Row<Case, StaleGrant?>) {
    let conclusion = conclude(row.subject.request, stored(row.subject.response), .disconnected, at: 100)
    #expect(conclusion.delivery.reuse?.grant == row.outcome)
  }

  @Test("A stored error is nothing to fall back on, but by an explicit leave", arguments: [404, 410, 500])
  func disconnectedFromError(status: StatusCode) {
    for (control, grant) in [("max-age=60", nil), ("max-age=60, stale-if-error=600", .staleIfError)]
      as [(FieldValue, StaleGrant?)]
    {
      let response = stored(["Cache-Control": control], status: status)
      #expect(conclude(get(), response, .disconnected, at: 100).delivery.reuse?.grant == grant)
    }
  }

  @Test("must-revalidate says nothing of what is fresh, and no-cache does")
  func freshOnError() {
    let leave = StaleLeave(ifError: .unlimited)
    for (directive, isServed) in [("must-revalidate", true), ("no-cache", false)] {
      let response = stored(["Cache-Control": FieldValue("max-age=600, \(directive)"), "ETag": "\"a\""])
      let terms = ReuseTerms(.revalidate, leave: leave)
      let decision = decideReuse(of: .selected(response), for: get(), under: terms, at: .at(100))
      guard case .validate(_, _, _, let onError) = decision else {
        Issue.record("what --refresh asks for is validated")
        continue
      }
      #expect((onError != nil) == isServed)
    }
  }

  @Test("Policies with an order of their own take no leave from being disconnected")
  func disconnectedUnderPolicies() {
    for policy in CachePolicy.allCases where ![.useProtocol, .networkFirst].contains(policy) {
      #expect(conclude(get(), stored([:]), .disconnected, policy, at: 100).delivery.reuse?.grant != .disconnected)
    }
    #expect(conclude(get(), stored([:]), .disconnected, .networkFirst, at: 100).delivery.reuse?.grant == .userPolicy)
  }

  @Test("Without anything stored a failure is a failure")
  func nothingStored() {
    #expect(conclude(get(), nil, .failure).delivery == .failure)
  }
}

@Suite("Immutable: RFC 8246 section 2")
struct ImmutableTests {
  static let cases: [Row<(Fields, CachePolicy), Verdict>] = [
    Row(
      "while fresh it is not validated, even where the user asks for it",
      (["Cache-Control": "max-age=600, immutable"], .revalidate), .served),
    Row("what is not immutable is", (["Cache-Control": "max-age=600"], .revalidate), .validated(.request)),
    Row(
      "what is stale is validated, immutable or not", (["Cache-Control": "max-age=60, immutable"], .revalidate),
      .validated(.request)),
    Row(
      "what says no-cache is validated, immutable or not",
      (["Cache-Control": "max-age=600, immutable, no-cache"], .revalidate), .validated(.request)),
    Row("without a lifetime it is no promise", (["Cache-Control": "immutable"], .useProtocol), .validated(.stale)),
    Row(
      "a reload of the unconditional kind asks all the same", (["Cache-Control": "max-age=600, immutable"], .reload),
      .forwarded(.request)),
  ]

  @Test("A fresh immutable response", arguments: cases)
  func immutable(_ row: Row<(Fields, CachePolicy), Verdict>) {
    var fields = row.subject.0
    fields.append(.etag, "\"a\"")
    #expect(decide(get(), stored(fields), row.subject.1, at: 100).verdict == row.outcome)
  }

  @Test(
    "What a request demands is heeded all the same",
    arguments: [
      ["Cache-Control": "no-cache"], ["Pragma": "no-cache"], ["Cache-Control": "max-age=99"],
      ["Cache-Control": "min-fresh=501"],
    ] as [Fields], [CachePolicy.useProtocol, .revalidate])
  func demand(_ request: Fields, _ policy: CachePolicy) {
    let fields: Fields = ["Cache-Control": "max-age=600, immutable", "ETag": "\"a\""]
    #expect(decide(get(request), stored(fields), policy, at: 100).verdict == .validated(.request))
  }
}
