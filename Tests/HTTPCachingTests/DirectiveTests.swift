import HTTPCaching
import HTTPSemantics
import TestTraits
import Testing

@Suite("Cache-Control: RFC 9111 section 5.2")
struct DirectiveTests {
  /// The effect of a request's own fields on a stored response that stays fresh for another 60 of its 100 seconds.
  static let requests: [Row<Fields, Verdict>] = [
    Row("without a directive a fresh response is served", [:], .served),
    Row("an unknown directive changes nothing", ["Cache-Control": "foo, bar=\"max-age=0\""], .served),
    Row("max-age accepts a response of that age", ["Cache-Control": "max-age=40"], .served),
    Row("max-age accepts no older response", ["Cache-Control": "max-age=39"], .validated(.request)),
    Row("max-stale allows that much beyond max-age", ["Cache-Control": "max-age=39, max-stale=1"], .served),
    Row(
      "max-stale allows no more than it says beyond max-age", ["Cache-Control": "max-age=39, max-stale=0"],
      .validated(.request)),
    Row("max-stale without a limit accepts any age", ["Cache-Control": "max-age=0, max-stale"], .served),
    Row("max-age=0 asks the origin", ["Cache-Control": "max-age=0"], .validated(.request)),
    Row("a malformed max-age asks the origin", ["Cache-Control": "max-age=x"], .validated(.request)),
    Row("two different max-age ask the origin", ["Cache-Control": "max-age=50, max-age=60"], .validated(.request)),
    Row("min-fresh accepts a response that stays fresh that long", ["Cache-Control": "min-fresh=60"], .served),
    Row(
      "min-fresh accepts none that does not stay fresh that long", ["Cache-Control": "min-fresh=61"],
      .validated(.request)),
    Row("a malformed min-fresh asks the origin", ["Cache-Control": "min-fresh=x"], .validated(.request)),
    Row(
      "min-fresh counts beside max-age and max-stale", ["Cache-Control": "max-age=0, max-stale, min-fresh=61"],
      .validated(.request)),
    Row("no-cache asks the origin", ["Cache-Control": "no-cache"], .validated(.request)),
    Row("no-cache is not case-sensitive", ["Cache-Control": "No-Cache"], .validated(.request)),
    Row(
      "no-cache with an argument asks the origin all the same", ["Cache-Control": "no-cache=\"x\""],
      .validated(.request)),
    Row("no-store bypasses the cache", ["Cache-Control": "no-store"], .forwarded(.bypass)),
    Row("no-transform changes nothing", ["Cache-Control": "no-transform"], .served),
    Row("only-if-cached accepts a fresh response", ["Cache-Control": "only-if-cached"], .served),
    Row(
      "only-if-cached with no-cache cannot be satisfied", ["Cache-Control": "only-if-cached, no-cache"],
      .unsatisfiable(.request)),
    Row(
      "only-if-cached with max-age cannot be satisfied by an older response",
      ["Cache-Control": "only-if-cached, max-age=0"],
      .unsatisfiable(.request)),
    Row(
      "Pragma: no-cache asks the origin if there is no Cache-Control", ["Pragma": "no-cache"], .validated(.request)),
    Row("Pragma is not case-sensitive", ["Pragma": "x, No-Cache"], .validated(.request)),
    Row("Pragma means nothing beside Cache-Control", ["Pragma": "no-cache", "Cache-Control": "max-age=60"], .served),
    Row("another Pragma means nothing", ["Pragma": "no-store"], .served),
    Row("must-revalidate in a request means nothing", ["Cache-Control": "must-revalidate"], .served),
  ]

  @Test("The request's directives decide whether a fresh response answers it", arguments: requests)
  func fresh(_ row: Row<Fields, Verdict>) {
    let response = stored(["Cache-Control": "max-age=100", "ETag": "\"a\""])
    #expect(decide(get(row.subject), response, at: 40).verdict == row.outcome)
  }

  @Test("only-if-cached never sends a request, whatever is stored", arguments: CachePolicy.allCases)
  func onlyIfCached(_ policy: CachePolicy) {
    let fields: Fields = ["Cache-Control": "only-if-cached"]
    for method in [Method.get, .head, .post] {
      let request = Request(method, .example, fields: fields)
      for response in [nil, stored([:]), stored(["Cache-Control": "max-age=9"]), stored(["ETag": "\"a\""])] {
        #expect(decide(request, response, policy, at: 5).sent == nil)
      }
    }
  }

  /// The effect of a response's own directives on its reuse a second after it came.
  static let responses: [Row<FieldValue, Verdict>] = [
    Row("no-cache asks the origin, however fresh the response is", "max-age=60, no-cache", .validated(.stale)),
    Row("no-cache with names allows the response without these fields", "max-age=60, no-cache=\"Set-Cookie\"", .served),
    Row(
      "no-cache that names Date asks, because nothing can be dated without it", "max-age=60, no-cache=\"Date\"",
      .validated(.stale)),
    Row(
      "no-cache that names Content-Encoding asks", "max-age=60, no-cache=\"x, content-encoding\"", .validated(.stale)),
    Row("no-cache that names Vary asks", "max-age=60, no-cache=vary", .validated(.stale)),
    Row("no-cache with and without names asks", "max-age=60, no-cache=\"x\", no-cache", .validated(.stale)),
    Row("no-cache behind a quote that is never closed asks", "max-age=60, x=\"a, No-Cache", .validated(.stale)),
    Row("no-cache within a quoted string means nothing", "max-age=60, x=\"a, no-cache\"", .served),
    Row("max-age behind a quote that is never closed means nothing", "max-age=60, x=\"a, max-age=0", .served),
    Row("no-cache with invalid names asks", "max-age=60, no-cache=\"x y\"", .validated(.stale)),
    Row("no-cache with a valid and an invalid name asks", "max-age=60, no-cache=\"x, y z\"", .validated(.stale)),
    Row("no-cache with an empty list asks", "max-age=60, no-cache=\"\"", .validated(.stale)),
    Row("no-cache with an empty argument asks", "max-age=60, no-cache=", .validated(.stale)),
    Row("no-cache with an open quote asks", "max-age=60, no-cache=\"x", .validated(.stale)),
    Row("no-cache in another directive's quotes is none", "max-age=60, x=\"no-cache\"", .served),
    Row("must-revalidate allows a fresh response", "max-age=60, must-revalidate", .served),
    Row("must-revalidate asks for a stale response", "max-age=0, must-revalidate", .validated(.stale)),
    Row("private allows reuse in a private cache", "max-age=60, private", .served),
    Row("private with names allows reuse in a private cache", "max-age=60, private=\"x\"", .served),
    Row("public does not make a response fresh", "public", .validated(.stale)),
    Row("no-transform does not affect reuse", "max-age=60, no-transform", .served),
    Row("only-if-cached in a response means nothing", "max-age=60, only-if-cached", .served),
    Row("min-fresh in a response means nothing", "max-age=60, min-fresh=600", .served),
  ]

  @Test("The response's directives decide whether it is reused", arguments: responses)
  func response(_ row: Row<FieldValue, Verdict>) {
    #expect(decide(get(), stored(["Cache-Control": row.subject, "ETag": "\"a\""]), at: 1).verdict == row.outcome)
  }

  @Test("A directive without an argument counts, whether it is repeated with one or not")
  func repeated() {
    let argument = "=\"x y\""
    for (arguments, count) in [([""], 4), ([argument], 0), (["", argument], 4), ([argument, ""], 4)] {
      let names = ["public", "immutable", "must-understand", "private"]
      let members = names.flatMap { name in arguments.map { name + $0 } }.joined(separator: ",")
      #expect(Self.countingDirectives(CacheControl(of: ["Cache-Control": FieldValue(members)])) == count)
    }
  }

  private static func countingDirectives(_ directives: CacheControl) -> Int {
    [directives.isPublic, directives.immutable, directives.mustUnderstand, directives.isPrivate].count { $0 }
  }

  @Test("Expires and Age in a request do not affect the stored response's freshness")
  func requestFields() {
    let response = stored(["Cache-Control": "max-age=60"])
    #expect(decide(get(["Expires": "0", "Age": "99"]), response, at: 1).verdict == .served)
  }

  @Test("A private cache ignores targeted fields: RFC 9213")
  func targeted() {
    let fields: Fields = ["CDN-Cache-Control": "max-age=600", "Surrogate-Control": "max-age=600", "ETag": "\"a\""]
    #expect(decide(get(), stored(fields), at: 1).verdict == .validated(.stale))
    let forbidding: Fields = ["CDN-Cache-Control": "no-store", "Cache-Control": "max-age=60"]
    #expect(conclude(get(), nil, answer(200, forbidding)).change.inserted != nil)
  }

  /// Directives with malformed arguments. None of them may make a response more reusable than it is without the
  /// directive.
  static let malformed: [String] = {
    let names = [
      "max-age", "no-cache", "no-store", "public", "private", "must-revalidate", "immutable", "stale-if-error",
      "must-understand", "stale-while-revalidate", "max-stale", "min-fresh",
    ]
    let arguments = [
      "=", "=x", "=-1", "=1.5", "='60'", "=\"", "=\"60", "= 60", "=\"x\"y", "=\\", "=\u{0}", " 60", ";60",
    ]
    return names.flatMap { name in arguments.map { name + $0 } }
  }()

  @Test("A malformed request directive never allows more reuse than its absence", arguments: malformed)
  func wideningRequest(_ directive: String) {
    let request = get(["Cache-Control": FieldValue(directive)])
    for seconds in [0, 4, 5, 9] as [Int64] {
      for fields in [["Cache-Control": "max-age=5"], ["Cache-Control": "max-age=5, no-cache"]] as [Fields] {
        let isServed = decide(request, stored(fields), at: seconds).reuse != nil
        #expect(!isServed || decide(get(), stored(fields), at: seconds).reuse != nil)
        #expect(conclude(request, stored(fields), .failure, at: seconds).delivery.reuse == nil)
      }
    }
  }

  @Test("A malformed response directive never allows more reuse than its absence", arguments: malformed)
  func widening(_ directive: String) {
    let companions: [Fields] = [
      [:], ["Expires": .date(5)], ["Last-Modified": .date(-100)], ["Cache-Control": "max-age=5"],
      ["Cache-Control": "max-age=5, must-revalidate"], ["Cache-Control": "no-cache"],
    ]
    for companion in companions {
      let malformed = stored(Fields(companion.lines + [Field(.cacheControl, FieldValue(directive))]))
      let plain = stored(companion)
      for seconds in [0, 4, 5, 9, 100] as [Int64] {
        for policy in [CachePolicy.useProtocol, .cacheOnlyStrict] {
          let isServed = decide(get(), malformed, policy, at: seconds).verdict == .served
          #expect(!isServed || decide(get(), plain, policy, at: seconds).verdict == .served)
          let onError = conclude(get(), malformed, .failure, policy, at: seconds).delivery != .failure
          #expect(!onError || conclude(get(), plain, .failure, policy, at: seconds).delivery != .failure)
        }
      }
    }
  }
}
