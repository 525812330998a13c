import HTTPCaching
import HTTPSemantics
import TestTraits
import Testing

@Suite("The explanation of a decision")
struct ExplanationTests {
  struct Situation: Sendable {
    var request = get()
    var stored: StoredResponse?
    var seconds: Int64 = 100

    var explanation: Explanation {
      Explanation(
        of: stored.map(Selection.selected) ?? .uriMiss, for: request, under: ReuseTerms(.useProtocol),
        at: .at(seconds))
    }
  }

  struct Said: Sendable {
    let subject: Finding.Subject
    let sentence: String
    let source: String
  }

  private static func says(_ subject: Finding.Subject, _ sentence: String, _ source: String) -> Said {
    Said(subject: subject, sentence: sentence, source: source)
  }

  static let requestRows: [Row<Situation, Said>] = [
    Row(
      "a method that is answered from a stored GET", Situation(),
      says(.method, "GET may be answered from a stored GET", "RFC 9111 section 4")),
    Row(
      "an unsafe method invalidates", Situation(request: post()),
      says(
        .method,
        "POST is not answered from the cache; if it succeeds, the stored responses for the URL are invalidated",
        "RFC 9111 section 4.4")),
    Row(
      "the request's no-store", Situation(request: get(["Cache-Control": "no-store"])),
      says(.request, "no-store: the cache is bypassed", "RFC 9111 section 5.2.1.5")),
    Row(
      "the request's no-cache", Situation(request: get(["Cache-Control": "no-cache"])),
      says(.request, "no-cache: the origin must be asked", "RFC 9111 section 5.2.1.4")),
    Row(
      "the request's Pragma", Situation(request: get(["Pragma": "no-cache"])),
      says(.request, "Pragma: no-cache: the origin must be asked", "RFC 9111 section 5.4")),
    Row(
      "the request's max-age", Situation(request: get(["Cache-Control": "max-age=5"])),
      says(.request, "max-age=5: an older response is not accepted", "RFC 9111 section 5.2.1.1")),
    Row(
      "a malformed max-age of the request", Situation(request: get(["Cache-Control": "max-age=x"])),
      says(.request, "max-age, malformed: an older response is not accepted", "RFC 9111 section 5.2.1.1")),
    Row(
      "the request's min-fresh", Situation(request: get(["Cache-Control": "min-fresh=5"])),
      says(.request, "min-fresh=5: the response must stay fresh for that long", "RFC 9111 section 5.2.1.3")),
    Row(
      "the request's max-stale without a limit", Situation(request: get(["Cache-Control": "max-stale"])),
      says(.request, "max-stale: the response may be stale for any time", "RFC 9111 section 5.2.1.2")),
    Row(
      "the request's max-stale", Situation(request: get(["Cache-Control": "max-stale=7"])),
      says(.request, "max-stale=7: the response may be stale for that long", "RFC 9111 section 5.2.1.2")),
    Row(
      "the request's only-if-cached", Situation(request: get(["Cache-Control": "only-if-cached"])),
      says(.request, "only-if-cached: nothing may be sent", "RFC 9111 section 5.2.1.7")),
    Row(
      "preconditions that guard against lost updates", Situation(request: get(["If-Match": "\"a\""])),
      says(
        .request, "only the origin can evaluate If-Match and If-Unmodified-Since", "RFC 9111 section 4.3.2")),
    Row(
      "a range", Situation(request: get(["Range": "bytes=0-1"])),
      says(.request, "a range of bytes is requested", "RFC 9110 section 14.2")),
    Row(
      "nothing is stored", Situation(),
      says(.stored, "no response is stored for this request: only the origin can answer", "RFC 9111 section 2")),
  ]

  private static func has(_ fields: Fields, at seconds: Int64 = 100) -> Situation {
    Situation(stored: stored(fields), seconds: seconds)
  }

  static let responseRows: [Row<Situation, Said>] = [
    Row(
      "an age of all its parts",
      Situation(
        stored: stored(["Date": .date(-3), "Age": "10"], requestTime: 0, responseTime: 2), seconds: 100),
      says(
        .age,
        "110 s: 12 s when it was received (5 s by its Date; 10 s by its Age field and 2 s of delay), and 98 s since",
        "RFC 9111 section 4.2.3")),
    Row(
      "an age that cannot be known", Situation(stored: stored([:], responseTime: 200), seconds: 100),
      says(
        .age, "unknown: the clock was set back after the response was received",
        "RFC 9111 section 4.2.3")),
    Row(
      "a lifetime from max-age", has(["Cache-Control": "max-age=60"]),
      says(.lifetime, "60 s, from max-age", "RFC 9111 section 4.2.1")),
    Row(
      "a malformed max-age", has(["Cache-Control": "max-age=x"]),
      says(.lifetime, "0 s, from max-age, which is malformed", "RFC 9111 section 4.2.1")),
    Row(
      "a lifetime from Expires", has(["Date": .date(0), "Expires": .date(30)]),
      says(.lifetime, "30 s, from Expires", "RFC 9111 section 4.2.1")),
    Row(
      "a guessed lifetime", has(["Date": .date(0), "Last-Modified": .date(-1000)]),
      says(
        .lifetime, "100 s, heuristic: a tenth of the Last-Modified age, at most a week", "RFC 9111 section 4.2.2")),
    Row(
      "no lifetime", has([:]),
      says(.lifetime, "0 s: the response states none, and no heuristic applies", "RFC 9111 section 4.2.2")),
    Row(
      "fresh", has(["Cache-Control": "max-age=160"]),
      says(.freshness, "fresh for 60 s more", "RFC 9111 section 4.2")),
    Row("stale", has(["Cache-Control": "max-age=60"]), says(.freshness, "stale for 40 s", "RFC 9111 section 4.2")),
    Row(
      "doubtful", Situation(stored: stored(["Cache-Control": "max-age=160"], isDoubtful: true)),
      says(.freshness, "not fresh: an update of the stored response was interrupted", "RFC 9111 section 4.2")),
    Row(
      "two validators", has(["ETag": "\"a\"", "Last-Modified": .date(0)]),
      says(
        .validators, "ETag: \"a\", Last-Modified: \(FieldValue.date(0).text)", "RFC 9111 section 4.3.1")),
    Row(
      "no validator", has([:]),
      says(
        .validators, "none: the origin can only be asked for the whole response", "RFC 9111 section 4.3.1")),
    Row(
      "the response's no-cache", has(["Cache-Control": "no-cache"]),
      says(.response, "no-cache: not used without asking the origin", "RFC 9111 section 5.2.2.4")),
    Row(
      "a qualified no-cache", has(["Cache-Control": "no-cache=\"set-cookie\""]),
      says(.response, "no-cache for some fields, which were not stored: set-cookie", "RFC 9111 section 3.1")),
    Row(
      "must-revalidate", has(["Cache-Control": "must-revalidate"]),
      says(.response, "must-revalidate: once stale, not used without asking the origin", "RFC 9111 section 5.2.2.2")),
    Row(
      "immutable", has(["Cache-Control": "immutable"]),
      says(.response, "immutable: not validated while it is fresh", "RFC 8246 section 2")),
    Row(
      "stale-if-error", has(["Cache-Control": "stale-if-error=9"]),
      says(
        .response, "stale-if-error=9: the response may be stale for that long if the origin fails",
        "RFC 5861 section 4")),
    Row(
      "stale-while-revalidate", has(["Cache-Control": "stale-while-revalidate=9"]),
      says(
        .response, "stale-while-revalidate=9: the response may be stale for that long while it is validated",
        "RFC 5861 section 3")),
  ]

  @Test(arguments: requestRows + responseRows)
  func `the findings of an explanation describe the situation`(_ row: Row<Situation, Said>) {
    let said = row.outcome
    let findings = row.subject.explanation.findings
    #expect(
      findings.contains {
        $0.subject == said.subject && $0.sentence == said.sentence && $0.source == said.source
      }, "\(findings.map { "\($0.subject): \($0.sentence) [\($0.source)]" })")
  }

  @Test(arguments: [
    ("max-age=1, must-revalidate, stale-if-error=9", "max-age=5", true), ("no-cache", "max-stale", true),
    ("must-revalidate", "max-age=5", false), ("stale-if-error=9", "max-stale", false),
  ])
  func `a finding says that a prohibition overrides permissions to serve, if there are both`(
    _ response: String, _ request: String, _ isSaid: Bool
  ) {
    let situation = Self.with(
      ["Cache-Control": FieldValue(request)], ["Cache-Control": FieldValue(response)])
    #expect(situation.explanation.findings.contains { $0.source == "RFC 9111 section 4.2.4" } == isSaid)
  }

  @Test(arguments: CachePolicy.allCases)
  func `the rule of a verdict fits its decision`(_ policy: CachePolicy) throws {
    let responses = ["max-age=160", "max-age=1", "max-age=160, no-cache", "max-age=1, must-revalidate", "immutable"]
    let requests = ["x", "no-store", "no-cache", "max-age=5", "min-fresh=99", "max-stale", "only-if-cached"]
    for response in responses {
      for request in requests {
        let situation = Self.with(["Cache-Control": FieldValue(request)], ["Cache-Control": FieldValue(response)])
        let verdict = try #require(situation.explanation.verdicts.first { $0.policy == policy })
        let rule = verdict.ruling.rule
        switch verdict.ruling.decision {
        case .serve(let reuse) where reuse.grant == nil: #expect(rule == .fresh || rule == .immutable)
        case .serve: #expect(rule == .staleGrant || rule == .policy)
        case .unsatisfiable: #expect(!policy.allowsNetwork || request == "only-if-cached")
        case .validate, .forward, .complete, .resume:
          #expect(policy.allowsNetwork && ![.fresh, .immutable, .staleGrant].contains(rule))
        }
      }
    }
  }

  @Test func `the findings of an explanation do not mention absent fields`() {
    let plain = Self.has(["Cache-Control": "max-age=60"]).explanation.findings.map(\.subject)
    #expect(plain == [.method, .stored, .age, .lifetime, .freshness, .validators])
    #expect(Situation(request: post()).explanation.findings.map(\.subject) == [.method])
  }

  @Test func `the figures of an explained age add up`() throws {
    let situation = Situation(
      stored: stored(["Date": .date(-3), "Age": "10"], requestTime: 0, responseTime: 2), seconds: 100)
    let age = try #require(situation.explanation.findings.first { $0.subject == .age })
    let expected: [(String, Finding.Value)] = [
      ("age", .seconds(110)), ("apparent_age", .seconds(5)), ("age_value", .seconds(10)),
      ("response_delay", .seconds(2)), ("resident_time", .seconds(98)), ("unknowable", .flag(false)),
    ]
    #expect(age.figures.map(\.name) == expected.map(\.0) && age.figures.map(\.value) == expected.map(\.1))
  }

  typealias Case = (policy: CachePolicy, situation: Situation)
  typealias Decided = (rule: ReuseRule, source: String?)

  private static func row(
    _ sentence: String, _ policy: CachePolicy, _ situation: Situation, _ rule: ReuseRule, _ source: String?
  ) -> Row<Case, Decided> {
    Row(sentence, (policy, situation), (rule, source))
  }

  private static func with(_ request: Fields, _ response: Fields = ["Cache-Control": "max-age=160"]) -> Situation {
    Situation(request: get(request), stored: stored(response))
  }

  static let ruleRows: [Row<Case, Decided>] = [
    row("the policy no-store", .noStore, with([:]), .policy, nil),
    row(
      "no-store of the request", .reload, with(["Cache-Control": "no-store"]), .requestNoStore,
      "RFC 9111 section 5.2.1.5"),
    row("the method", .useProtocol, Situation(request: post()), .method, "RFC 9111 section 4"),
    row("nothing stored", .useProtocol, Situation(), .uriMiss, "RFC 9111 section 2"),
    row("If-Match", .cacheElseLoad, with(["If-Match": "*"]), .preconditions, "RFC 9111 section 4.3.2"),
    row(
      "no-cache of the request", .useProtocol, with(["Cache-Control": "no-cache"]), .requestNoCache,
      "RFC 9111 section 5.2.1.4"),
    row("Pragma", .useProtocol, with(["Pragma": "no-cache"]), .requestPragma, "RFC 9111 section 5.4"),
    row(
      "max-age of the request", .useProtocol, with(["Cache-Control": "max-age=99"]), .requestMaxAge,
      "RFC 9111 section 5.2.1.1"),
    row("a max-age that is met", .useProtocol, with(["Cache-Control": "max-age=100"]), .fresh, "RFC 9111 section 4.2"),
    row(
      "min-fresh", .useProtocol, with(["Cache-Control": "min-fresh=61"]), .requestMinFresh,
      "RFC 9111 section 5.2.1.3"),
    row(
      "no-cache of the response", .useProtocol, with([:], ["Cache-Control": "max-age=160, no-cache"]),
      .responseNoCache, "RFC 9111 section 5.2.2.4"),
    row(
      "immutable", .revalidate, with([:], ["Cache-Control": "max-age=160, immutable"]), .immutable,
      "RFC 8246 section 2"),
    row(
      "max-stale", .useProtocol, with(["Cache-Control": "max-stale"], ["Cache-Control": "max-age=1"]), .staleGrant,
      "RFC 9111 section 5.2.1.2"),
    row(
      "stale-while-revalidate", .useProtocol, with([:], ["Cache-Control": "max-age=1, stale-while-revalidate=100"]),
      .staleGrant, "RFC 5861 section 3"),
    row(
      "disconnected by order", .cacheOnlyStrict, with([:], ["Cache-Control": "max-age=1"]), .staleGrant,
      "RFC 9111 section 4.2.4"),
    row(
      "must-revalidate, strictly offline", .cacheOnlyStrict,
      with([:], ["Cache-Control": "max-age=1, must-revalidate"]), .staleProhibited, "RFC 9111 section 4.2.4"),
    row("stale", .useProtocol, with([:], ["Cache-Control": "max-age=1"]), .stale, "RFC 9111 section 4.3"),
    row("the user's permission", .cacheOnly, with([:], ["Cache-Control": "max-age=1"]), .policy, nil),
  ]

  @Test(arguments: ruleRows)
  func `each verdict names the rule that decides`(_ row: Row<Case, Decided>) throws {
    let verdicts = row.subject.situation.explanation.verdicts
    #expect(verdicts.map(\.policy) == CachePolicy.allCases)
    let verdict = try #require(verdicts.first { $0.policy == row.subject.policy })
    #expect(verdict.ruling.rule == row.outcome.rule && verdict.source == row.outcome.source)
  }

  @Test func `a request that bypasses the cache is forwarded under each policy that may send it`() {
    let explanation = Explanation(
      of: .selected(stored(["Cache-Control": "max-age=60"])), for: get(), under: ReuseTerms(.useProtocol), at: .start,
      isBypassing: true)
    for verdict in explanation.verdicts {
      switch verdict.policy {
      case .cacheOnly, .cacheOnlyStrict: #expect(verdict.ruling.rule == .fresh)
      case .noStore: #expect(verdict.ruling.rule == .policy)
      default: #expect(verdict.ruling.rule == .notStored && verdict.source == nil)
      }
      if verdict.policy.allowsNetwork { #expect(verdict.ruling.decision.verdict == .forwarded(.bypass)) }
      #expect(verdict.addedFields.isEmpty)
    }
  }

  @Test func `each verdict lists the fields that its policy adds`() {
    let explanation = Self.with([:], ["Cache-Control": "max-age=1", "ETag": "\"a\""]).explanation
    let added = explanation.verdicts.filter { !$0.addedFields.isEmpty }.map { verdict in
      "\(verdict.policy.rawValue): " + verdict.addedFields.map { "\($0.name)=\($0.value.text)" }.joined(separator: " ")
    }
    #expect(
      added == [
        "protocol: If-None-Match=\"a\"", "reload-all: Cache-Control=no-cache Pragma=no-cache",
        "revalidate: If-None-Match=\"a\" Cache-Control=max-age=0", "network-first: If-None-Match=\"a\"",
      ])
  }
}
