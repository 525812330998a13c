import HTTPCaching
import HTTPSemantics
import TestTraits
import Testing

@Suite("The cache policies")
struct PolicyTests {
  enum State: String, CaseIterable, Sendable {
    case absent, fresh, stale, prohibited, noCache

    /// The stored response, 40 seconds old.
    var stored: StoredResponse? {
      switch self {
      case .absent: nil
      case .fresh: HTTPCachingTests.stored(["Cache-Control": "max-age=60", "ETag": "\"a\""])
      case .stale: HTTPCachingTests.stored(["Cache-Control": "max-age=30", "ETag": "\"a\""])
      case .prohibited: HTTPCachingTests.stored(["Cache-Control": "max-age=30, must-revalidate", "ETag": "\"a\""])
      case .noCache: HTTPCachingTests.stored(["Cache-Control": "max-age=60, no-cache", "ETag": "\"a\""])
      }
    }
  }

  typealias Case = (policy: CachePolicy, state: State)

  static let cases: [Row<Case, Verdict>] = [
    Row("protocol: absent is fetched", (.useProtocol, .absent), .forwarded(.uriMiss)),
    Row("protocol: fresh is served", (.useProtocol, .fresh), .served),
    Row("protocol: stale is validated", (.useProtocol, .stale), .validated(.stale)),
    Row(
      "protocol: a response with must-revalidate is validated once stale", (.useProtocol, .prohibited),
      .validated(.stale)),
    Row("protocol: no-cache is validated, however fresh", (.useProtocol, .noCache), .validated(.stale)),
    Row("reload: absent is fetched", (.reload, .absent), .forwarded(.uriMiss)),
    Row("reload: fresh is fetched, unconditionally", (.reload, .fresh), .forwarded(.request)),
    Row("reload: stale is fetched, unconditionally", (.reload, .stale), .forwarded(.request)),
    Row("reload-all: fresh is fetched, unconditionally", (.reloadAll, .fresh), .forwarded(.request)),
    Row("reload-all: stale is fetched, unconditionally", (.reloadAll, .stale), .forwarded(.request)),
    Row("revalidate: absent is fetched", (.revalidate, .absent), .forwarded(.uriMiss)),
    Row("revalidate: fresh is validated first", (.revalidate, .fresh), .validated(.request)),
    Row("revalidate: stale is validated first", (.revalidate, .stale), .validated(.request)),
    Row("cache-else-load: absent is fetched", (.cacheElseLoad, .absent), .forwarded(.uriMiss)),
    Row("cache-else-load: fresh is served", (.cacheElseLoad, .fresh), .served),
    Row("cache-else-load: stale is served by the user's policy", (.cacheElseLoad, .stale), .granted(.userPolicy)),
    Row("cache-else-load: must-revalidate is overruled", (.cacheElseLoad, .prohibited), .granted(.userPolicy)),
    Row("cache-else-load: no-cache is overruled", (.cacheElseLoad, .noCache), .granted(.userPolicy)),
    Row("cache-only: absent fails", (.cacheOnly, .absent), .unsatisfiable(.uriMiss)),
    Row("cache-only: fresh is served", (.cacheOnly, .fresh), .served),
    Row("cache-only: stale is served by the user's policy", (.cacheOnly, .stale), .granted(.userPolicy)),
    Row("cache-only: must-revalidate is overruled", (.cacheOnly, .prohibited), .granted(.userPolicy)),
    Row("cache-only: no-cache is overruled", (.cacheOnly, .noCache), .granted(.userPolicy)),
    Row("cache-only, strict: absent fails", (.cacheOnlyStrict, .absent), .unsatisfiable(.uriMiss)),
    Row("cache-only, strict: fresh is served", (.cacheOnlyStrict, .fresh), .served),
    Row(
      "cache-only, strict: stale is served because there is no network", (.cacheOnlyStrict, .stale),
      .granted(.disconnected)),
    Row("cache-only, strict: must-revalidate forbids it", (.cacheOnlyStrict, .prohibited), .unsatisfiable(.stale)),
    Row("cache-only, strict: no-cache forbids it", (.cacheOnlyStrict, .noCache), .unsatisfiable(.stale)),
    Row("network-first: absent is fetched", (.networkFirst, .absent), .forwarded(.uriMiss)),
    Row("network-first: fresh is validated first", (.networkFirst, .fresh), .validated(.request)),
    Row("network-first: stale is validated first", (.networkFirst, .stale), .validated(.stale)),
    Row("no-store: absent is fetched past the cache", (.noStore, .absent), .forwarded(.bypass)),
    Row("no-store: fresh is fetched past the cache", (.noStore, .fresh), .forwarded(.bypass)),
  ]

  @Test(
    "Each policy has its decision for an absent, fresh, stale, must-revalidate and no-cache response", arguments: cases)
  func decision(_ row: Row<Case, Verdict>) {
    #expect(decide(get(), row.subject.state.stored, row.subject.policy, at: 40).verdict == row.outcome)
  }

  @Test("Every policy is in the table of decisions")
  func complete() {
    #expect(Set(Self.cases.map(\.subject.policy)) == Set(CachePolicy.allCases))
    let names = [
      "protocol", "reload", "reload-all", "revalidate", "cache-else-load", "cache-only", "cache-only-strict",
      "network-first", "no-store",
    ]
    #expect(CachePolicy.allCases.map(\.rawValue) == names)
  }

  @Test("reload sends the request without changes")
  func reload() {
    let request = get(["X": "1"])
    #expect(decide(request, State.fresh.stored, .reload, at: 1).sent == request)
  }

  @Test("reload-all adds no-cache for caches on the way, and keeps the request's other fields")
  func reloadAll() {
    for state in [State.absent, .fresh, .stale] {
      let sent = decide(get(["X": "1"]), state.stored, .reloadAll, at: 40).sent
      #expect(sent?.fields == ["X": "1", "Cache-Control": "no-cache", "Pragma": "no-cache"])
    }
    let sent = decide(get(["Cache-Control": "no-transform"]), State.fresh.stored, .reloadAll, at: 1).sent
    let directives = sent?.fields.members(of: .cacheControl).map { String(decoding: $0, as: UTF8.self) }
    #expect(directives == ["no-transform", "no-cache"])
  }

  @Test(
    "Policies that ask the origin store its answer",
    arguments: [.reload, .reloadAll, .revalidate, .networkFirst] as [CachePolicy])
  func stores(_ policy: CachePolicy) {
    let conclusion = conclude(get(), State.fresh.stored, answer(200, ["ETag": "\"b\""]), policy, at: 1)
    #expect(conclusion.change.inserted?.fields == ["ETag": "\"b\"", "Date": .date(0)])
    #expect(conclusion.delivery == .answer)
  }

  @Test("reload removes the stored response if the answer may not be stored")
  func reloadRemoves() {
    let conclusion = conclude(get(), State.fresh.stored, answer(200, ["Cache-Control": "no-store"]), .reload, at: 1)
    #expect(conclusion.change == .remove(.noStore))
  }

  @Test(
    "A failure under reload, reload-all and revalidate delivers nothing from the store",
    arguments: [.reload, .reloadAll, .revalidate] as [CachePolicy])
  func reloadFails(_ policy: CachePolicy) {
    #expect(conclude(get(), State.fresh.stored, .failure, policy, at: 1).delivery == .failure)
  }

  @Test("revalidate delivers the stored content after a 304")
  func revalidate() {
    let conclusion = conclude(get(), State.fresh.stored, answer(304, ["ETag": "\"a\""]), .revalidate, at: 1)
    #expect(conclusion.delivery.reuse?.form == .whole)
    #expect(conclusion.change.freshened != nil)
  }

  @Test("revalidate adds max-age=0 for caches on the way, unless the request has directives of its own")
  func revalidateOnTheWay() {
    for state in [State.fresh, .stale] {
      let sent = decide(get(["X": "1"]), state.stored, .revalidate, at: 40).sent
      #expect(sent?.fields.values(of: .cacheControl) == ["max-age=0"])
    }
    #expect(decide(get(["X": "1"]), nil, .revalidate, at: 40).sent == get(["X": "1"]))
    let own = decide(get(["Cache-Control": "max-age=9"]), State.stale.stored, .revalidate, at: 40).sent
    #expect(own?.fields.values(of: .cacheControl) == ["max-age=9"])
    let conditional = get(["If-None-Match": "\"u\""])
    let sent = decide(conditional, State.stale.stored, .revalidate, at: 40).sent
    #expect(sent?.fields == ["If-None-Match": "\"u\"", "Cache-Control": "max-age=0"])
  }

  @Test(
    "network-first serves the stored response if only-if-cached forbids asking the origin", arguments: State.allCases)
  func networkFirstOffline(_ state: State) {
    let request = get(["Cache-Control": "only-if-cached"])
    let expected = state == .absent ? Verdict.unsatisfiable(.uriMiss) : .granted(.userPolicy)
    #expect(decide(request, state.stored, .networkFirst, at: 40).verdict == expected)
  }

  @Test(
    "network-first serves the stored response if the origin fails or answers 503, but not for a 403",
    arguments: State.allCases)
  func networkFirst(_ state: State) {
    let failed = conclude(get(), state.stored, .failure, .networkFirst, at: 40)
    let unavailable = conclude(get(), state.stored, answer(503), .networkFirst, at: 40)
    let refused = conclude(get(), state.stored, answer(403), .networkFirst, at: 40)
    #expect(failed.delivery.reuse?.stored == state.stored)
    #expect((failed.delivery == .failure) == (state == .absent))
    #expect(failed.delivery.reuse.map(\.grant) == (state == .absent ? nil : .some(.userPolicy)))
    #expect(unavailable.delivery.reuse?.stored == state.stored)
    #expect(refused.delivery == .answer)
  }

  static let bounds: [Row<(FieldValue, State), Bool>] = [
    Row("stale for less than the bound is served", ("stale-if-error=11", .stale), true),
    Row("stale for as long as the bound is not served", ("stale-if-error=10", .stale), false),
    Row("a fresh response is served", ("stale-if-error=0", .fresh), true),
    Row("must-revalidate is overruled within the bound", ("stale-if-error=11", .prohibited), true),
    Row("a malformed bound is ignored", ("stale-if-error=x", .stale), true),
  ]

  @Test("network-first serves nothing that has been stale longer than the request's stale-if-error", arguments: bounds)
  func networkFirstBound(_ row: Row<(FieldValue, State), Bool>) {
    let (directive, state) = row.subject
    let conclusion = conclude(get(["Cache-Control": directive]), state.stored, .failure, .networkFirst, at: 40)
    #expect((conclusion.delivery.reuse?.grant == .userPolicy) == row.outcome)
    #expect((conclusion.delivery == .failure) == !row.outcome)
  }

  @Test("The policy no-store neither stores nor removes, but unsafe requests still invalidate")
  func noStore() {
    let conclusion = conclude(get(), State.fresh.stored, answer(200), .noStore, at: 1)
    #expect(conclusion == Conclusion(.answer, .none(.policy)))
    #expect(conclude(post(), State.fresh.stored, answer(200), .noStore, at: 1).invalidated == [.example])
  }

  @Test(
    "Policies without a network do not send an unsafe request",
    arguments: [.cacheOnly, .cacheOnlyStrict] as [CachePolicy])
  func unsafeOffline(_ policy: CachePolicy) {
    #expect(!policy.allowsNetwork)
    #expect(decide(post(), State.fresh.stored, policy, at: 1).verdict == .unsatisfiable(.method))
  }

  @Test("cache-only answers ranges and conditions from the stored response")
  func forms() {
    #expect(decide(get(["Range": "bytes=0-9"]), State.stale.stored, .cacheOnly, at: 40).reuse?.form == .part(0..<10))
    #expect(decide(get(["If-None-Match": "\"a\""]), State.stale.stored, .cacheOnly, at: 40).reuse?.form == .notModified)
  }
}
