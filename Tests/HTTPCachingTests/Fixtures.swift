import HTTPCaching
import HTTPSemantics

extension Timestamp {
  /// 2026-01-01T00:00:00Z: the time of every stored response's request and arrival, unless a test says otherwise.
  static let start = Timestamp(secondsSinceEpoch: 1_767_225_600)

  /// The time that many seconds after the start.
  static func at(_ seconds: Int64) -> Timestamp { start.advanced(bySeconds: seconds) }
}

extension FieldValue {
  /// The date that many seconds after the start.
  static func date(_ seconds: Int64) -> FieldValue { HTTPDate.format(.at(seconds)) }
}

let day: Int64 = 86400

extension TargetURI {
  static let example = on("example.com", "/a?b")

  /// A target with the scheme `https`.
  static func on(_ authority: String, _ path: String) -> TargetURI {
    do {
      return try URIReference(typed: "https://\(authority)\(path)".utf8).target
    } catch {
      preconditionFailure("a test names a target that is none: \(error.reason)")
    }
  }
}

extension CacheKey {
  static let example = CacheKey(.example)
}

func get(_ fields: Fields = [:]) -> Request { Request(.get, .example, fields: fields) }
func head(_ fields: Fields = [:]) -> Request { Request(.head, .example, fields: fields) }
func post(_ fields: Fields = [:]) -> Request { Request(.post, .example, fields: fields) }

/// A stored response that came at the start. It has a Date only if `fields` contain one.
func stored(
  _ fields: Fields, status: StatusCode = 200, length: UInt64 = 100, varying names: [FieldName] = [],
  with request: Request = get(), requestTime: Int64 = 0, responseTime: Int64 = 0,
  extent: StoredResponse.Extent = .whole,
  isDoubtful: Bool = false
) -> StoredResponse {
  var stored = StoredResponse(
    Response(status, fields: fields), under: .example,
    selecting: SelectingFields(names, of: request.fields, concealing: conceal) ?? .none,
    requestTime: .at(requestTime), responseTime: .at(responseTime), contentLength: length, extent: extent)
  stored.isDoubtful = isDoubtful
  return stored
}

func answer(_ status: StatusCode = 200, _ fields: Fields = [:], at seconds: Int64 = 0, isSound: Bool = true) -> Answer {
  Answer(
    Response(status, fields: fields), requestTime: .at(seconds), responseTime: .at(seconds), isSoundlyFramed: isSound)
}

/// A part of a response of 100 bytes, unless another length is given.
func part(_ fields: Fields, _ range: Range<UInt64> = 0..<40, of length: UInt64? = 100) -> StoredResponse {
  stored(fields, length: range.upperBound - range.lowerBound, extent: .part(range, of: length))
}

/// A stand-in for the store's keyed digest, which depends on the value and differs from it.
@Sendable func conceal(_ bytes: [UInt8]) -> [UInt8]? { [0xff] + bytes.map { ~$0 } }

func decide(
  _ request: Request, _ stored: StoredResponse?, _ policy: CachePolicy = .useProtocol, at seconds: Int64
) -> ReuseDecision {
  decideReuse(of: stored.map(Selection.selected) ?? .uriMiss, for: request, under: ReuseTerms(policy), at: .at(seconds))
}

/// Decides about the request, and draws the conclusion from its outcome.
func conclude(
  _ request: Request, _ stored: StoredResponse?, _ outcome: ForwardingOutcome, _ policy: CachePolicy = .useProtocol,
  at seconds: Int64 = 0
) -> Conclusion {
  let selection = stored.map(Selection.selected) ?? .uriMiss
  return conclude(
    decide(request, stored, policy, at: seconds), outcome, for: request, selection,
    under: ConclusionTerms(policy, key: .example, concealing: conceal))
}

func conclude(
  _ request: Request, _ stored: StoredResponse?, _ answer: Answer, _ policy: CachePolicy = .useProtocol,
  at seconds: Int64 = 0
) -> Conclusion {
  conclude(request, stored, .answer(answer), policy, at: seconds)
}

/// A decision in short, for use in tables.
enum Verdict: Equatable, Sendable {
  case served
  case granted(StaleGrant)
  case validated(ForwardReason)
  case forwarded(ForwardReason)
  case completed
  case resumed(ForwardReason)
  case unsatisfiable(ForwardReason)
}

extension ReuseDecision {
  var verdict: Verdict {
    switch self {
    case .serve(let reuse): reuse.grant.map(Verdict.granted) ?? .served
    case .validate(_, _, let reason, _): .validated(reason)
    case .forward(_, let reason, _): .forwarded(reason)
    case .complete: .completed
    case .resume(_, let reason, _): .resumed(reason)
    case .unsatisfiable(let reason): .unsatisfiable(reason)
    }
  }

  var reuse: Reuse? {
    if case .serve(let reuse) = self { reuse } else { nil }
  }
}

extension Conclusion.Change {
  var inserted: StoredResponse? { if case .insert(let stored) = self { stored } else { nil } }
  var freshened: StoredResponse? { if case .freshen(let stored) = self { stored } else { nil } }
  var refusal: NotStored? {
    switch self {
    case .remove(let reason), .none(let reason): reason
    case .removeOutdatedByPart: .partialContent
    case .insert, .freshen: nil
    }
  }

  var isRemoval: Bool {
    switch self {
    case .remove, .removeOutdatedByPart: true
    case .insert, .freshen, .none: false
    }
  }
}

extension Conclusion.Delivered {
  var reuse: Reuse? { if case .stored(let reuse) = self { reuse } else { nil } }
}
