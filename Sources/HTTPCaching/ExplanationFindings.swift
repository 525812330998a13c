import HTTPSemantics

/// The findings on a request that bear on a decision.
struct RequestFindings {
  let request: Request
  /// The directives that count for it.
  let asked: CacheControl
  let stalePermission: StalePermission

  var findings: [Finding] { [method] + directives + permissions + conditions }

  private var method: Finding {
    let name = request.method.name
    guard request.isAnsweredFromCache else {
      return request.method.isSafe
        ? Finding(.method, "\(name) is not answered from the cache", "RFC 9111 section 4")
        : Finding(
          .method,
          "\(name) is not answered from the cache; if it succeeds, the stored responses for the URL are invalidated",
          "RFC 9111 section 4.4")
    }
    if request.method == .query {
      return Finding(.method, "QUERY may be answered from a stored response to the same query", "RFC 10008 section 2.7")
    }
    if request.isPostedQuery {
      return Finding(
        .method, "POST, declared a query, may be answered from a stored response to the same POST",
        "RFC 9110 section 9.3.3")
    }
    return Finding(.method, "\(name) may be answered from a stored GET", "RFC 9111 section 4")
  }

  private var directives: [Finding] {
    let control = asked
    var findings: [Finding] = []
    func add(_ sentence: String, _ source: String, _ figures: [Finding.Figure] = []) {
      findings.append(Finding(.request, sentence, source, figures))
    }
    if control.noStore { add("no-store: the cache is bypassed", "RFC 9111 section 5.2.1.5") }
    if control.onlyIfCached { add("only-if-cached: nothing may be sent", "RFC 9111 section 5.2.1.7") }
    if control.asksOrigin { add("no-cache: the origin must be asked", "RFC 9111 section 5.2.1.4") }
    if Validation.pragmaAsksOrigin(request) {
      add("Pragma: no-cache: the origin must be asked", "RFC 9111 section 5.4")
    }
    if let (words, figures) = Self.words("max-age", "max_age", control.maxAge) {
      add("\(words): an older response is not accepted", "RFC 9111 section 5.2.1.1", figures)
    }
    if let (words, figures) = Self.words("min-fresh", "min_fresh", control.minFresh) {
      add("\(words): the response must stay fresh for that long", "RFC 9111 section 5.2.1.3", figures)
    }
    switch control.maxStale {
    case nil: break
    case .unlimited: add("max-stale: the response may be stale for any time", "RFC 9111 section 5.2.1.2")
    case .seconds(let seconds):
      add(
        "max-stale=\(seconds): the response may be stale for that long", "RFC 9111 section 5.2.1.2",
        [.init("max_stale", .seconds(seconds))])
    }
    if let (words, figures) = Self.words("stale-if-error", "stale_if_error", control.staleIfError) {
      add("\(words): the response may be stale for that long if the origin fails", "RFC 5861 section 4", figures)
    }
    return findings
  }

  /// The findings on the permission that the user gives apart from the request.
  private var permissions: [Finding] {
    var findings: [Finding] = []
    func add(_ limit: CacheControl.Limit?, _ figure: String, _ situation: String, _ source: String) {
      switch limit {
      case nil: break
      case .unlimited: findings.append(Finding(.request, "the response may be stale for any time \(situation)", source))
      case .seconds(let seconds):
        findings.append(
          Finding(
            .request, "the response may be stale for \(seconds) s \(situation)", source,
            [.init(figure, .seconds(seconds))]))
      }
    }
    add(stalePermission.whileRevalidating, "stale_while_revalidate", "while it is validated", "RFC 5861 section 3")
    add(stalePermission.ifError, "stale_if_error", "if the origin fails", "RFC 5861 section 4")
    return findings
  }

  private var conditions: [Finding] {
    if Validation.needsOrigin(request) {
      return [
        Finding(
          .request, "only the origin can evaluate If-Match and If-Unmodified-Since", "RFC 9111 section 4.3.2")
      ]
    }
    if Validation.isConditional(request) {
      return [
        Finding(
          .request, "its own condition is evaluated for a stored response, and sent to the origin unchanged",
          "RFC 9111 section 4.3.2")
      ]
    }
    if let range = request.fields.combined(.range) {
      return [
        Finding(
          .request, "a range of bytes is requested", "RFC 9110 section 14.2", [.init("range", .text(range.text))])
      ]
    }
    return []
  }

  /// Returns the directive as it is understood, with its figures; `nil` if it is absent.
  static func words(
    _ directive: String, _ figure: String, _ delta: CacheControl.Delta
  ) -> (String, [Finding.Figure])? {
    switch delta {
    case .absent: nil
    case .seconds(let seconds): ("\(directive)=\(seconds)", [.init(figure, .seconds(seconds))])
    case .invalid: ("\(directive), malformed", [])
    }
  }
}

/// The findings on a stored response that bear on its reuse at a given time.
struct ResponseFindings {
  let stored: StoredResponse
  /// The directives that count for the request.
  let asked: CacheControl
  let stalePermission: StalePermission
  let freshness: Freshness

  init(stored: StoredResponse, asked: CacheControl, stalePermission: StalePermission, now: Timestamp) {
    self.stored = stored
    self.asked = asked
    self.stalePermission = stalePermission
    freshness = Freshness(of: stored, at: now)
  }

  var findings: [Finding] { [age, lifetime, state, validators] + directives }

  private var age: Finding {
    let age = freshness.age
    let sentence =
      age.isUnknowable
      ? "unknown: the clock was set back after the response was received"
      : "\(age.seconds) s: \(initialWords), and \(age.residentTime) s since"
    return Finding(
      .age, sentence, "RFC 9111 section 4.2.3",
      [
        .init("age", .seconds(age.seconds)), .init("apparent_age", .seconds(age.apparentAge)),
        .init("age_value", .seconds(age.ageValue)), .init("response_delay", .seconds(age.responseDelay)),
        .init("resident_time", .seconds(age.residentTime)), .init("unknowable", .flag(age.isUnknowable)),
      ])
  }

  private var initialWords: String {
    let age = freshness.age
    let date = stored.fields.contains(.date) ? "\(age.apparentAge) s by its Date" : "no Date"
    let field = stored.fields.contains(.age) ? "\(age.ageValue) s by its Age field" : "no Age field"
    return "\(age.correctedInitialAge) s when it was received (\(date); \(field) and \(age.responseDelay) s of delay)"
  }

  private var lifetime: Finding {
    let lifetime = freshness.lifetime
    var figures: [Finding.Figure] = [
      .init("lifetime", .seconds(lifetime.seconds)), .init("lifetime_source", .text(lifetime.source.rawValue)),
    ]
    for (name, field) in [("expires", FieldName.expires), ("last_modified", .lastModified), ("date", .date)] {
      if let value = stored.fields[field] { figures.append(.init(name, .text(value.text))) }
    }
    switch lifetime.source {
    case .maxAge:
      let isValid = stored.cacheControl.maxAge.seconds != nil
      return Finding(
        .lifetime, "\(lifetime.seconds) s, from max-age\(isValid ? "" : ", which is malformed")",
        "RFC 9111 section 4.2.1", figures)
    case .expires:
      return Finding(.lifetime, "\(lifetime.seconds) s, from Expires", "RFC 9111 section 4.2.1", figures)
    case .heuristic:
      return Finding(
        .lifetime, "\(lifetime.seconds) s, heuristic: a tenth of the Last-Modified age, at most a week",
        "RFC 9111 section 4.2.2", figures)
    case .none:
      return Finding(
        .lifetime, "0 s: the response states none, and no heuristic applies", "RFC 9111 section 4.2.2", figures)
    }
  }

  private var state: Finding {
    let sentence: String
    if stored.isDoubtful {
      sentence = "not fresh: an update of the stored response was interrupted"
    } else if freshness.age.isUnknowable {
      sentence = "not fresh: its age is unknown"
    } else if freshness.isFresh {
      sentence = "fresh for \(freshness.remaining) s more"
    } else {
      sentence = "stale for \(freshness.staleness) s"
    }
    return Finding(
      .freshness, sentence, "RFC 9111 section 4.2",
      [
        .init("fresh", .flag(freshness.isFresh)), .init("ttl", .seconds(freshness.remaining)),
        .init("staleness", .seconds(freshness.staleness)),
      ])
  }

  private var validators: Finding {
    var words: [String] = []
    var figures: [Finding.Figure] = []
    for (figure, name) in [("etag", FieldName.etag), ("last_modified", .lastModified)] {
      guard let value = stored.fields[name], !value.bytes.isEmpty else { continue }
      words.append("\(name): \(value.text)")
      figures.append(.init(figure, .text(value.text)))
    }
    let sentence =
      words.isEmpty
      ? "none: the origin can only be asked for the whole response" : words.joined(separator: ", ")
    return Finding(.validators, sentence, "RFC 9111 section 4.3.1", figures)
  }

  /// Whether the response, the request or the user gives permission to serve it stale.
  private var grantsStale: Bool {
    stored.cacheControl.staleWhileRevalidate != .absent || stored.cacheControl.staleIfError != .absent
      || asked.staleIfError != .absent || asked.maxStale != nil || stalePermission != .none
  }

  private var directives: [Finding] {
    let control = stored.cacheControl
    var findings: [Finding] = []
    func add(_ sentence: String, _ source: String, _ figures: [Finding.Figure] = []) {
      findings.append(Finding(.response, sentence, source, figures))
    }
    if control.noCache { add("no-cache: not used without asking the origin", "RFC 9111 section 5.2.2.4") }
    if !control.noCacheFields.isEmpty {
      let names = control.noCacheFields.map(\.spelling).joined(separator: ", ")
      add("no-cache for some fields, which were not stored: \(names)", "RFC 9111 section 3.1")
    }
    if control.mustRevalidate {
      add("must-revalidate: once stale, not used without asking the origin", "RFC 9111 section 5.2.2.2")
    }
    if control.immutable { add("immutable: not validated while it is fresh", "RFC 8246 section 2") }
    if let (words, figures) = RequestFindings.words(
      "stale-while-revalidate", "stale_while_revalidate", control.staleWhileRevalidate)
    {
      add("\(words): the response may be stale for that long while it is validated", "RFC 5861 section 3", figures)
    }
    if let (words, figures) = RequestFindings.words("stale-if-error", "stale_if_error", control.staleIfError) {
      add("\(words): the response may be stale for that long if the origin fails", "RFC 5861 section 4", figures)
    }
    if Staleness.isProhibited(by: control), grantsStale {
      add("that overrides all permissions to serve it stale except a policy for any age", "RFC 9111 section 4.2.4")
    }
    return findings
  }
}
