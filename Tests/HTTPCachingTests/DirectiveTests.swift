import HTTPCaching
import HTTPSemantics
import Testing

@Suite("Cache-Control: RFC 9111 section 5.2")
struct DirectiveTests {
  /// What a request's own fields do to a response that is fresh for another 60 of its 100 seconds.
  static let requests: [Row<Fields, Verdict>] = [
    Row("no directive takes what is fresh", [:], .served),
    Row("an unknown directive takes what is fresh", ["Cache-Control": "foo, bar=\"max-age=0\""], .served),
    Row("max-age takes what is no older", ["Cache-Control": "max-age=40"], .served),
    Row("max-age takes nothing older", ["Cache-Control": "max-age=39"], .validated(.request)),
    Row("but what max-stale lets it be older by", ["Cache-Control": "max-age=39, max-stale=1"], .served),
    Row("and no more", ["Cache-Control": "max-age=39, max-stale=0"], .validated(.request)),
    Row("however old, where it says no limit", ["Cache-Control": "max-age=0, max-stale"], .served),
    Row("max-age=0 asks the origin", ["Cache-Control": "max-age=0"], .validated(.request)),
    Row("a malformed max-age asks the origin", ["Cache-Control": "max-age=x"], .validated(.request)),
    Row("two that differ ask the origin", ["Cache-Control": "max-age=50, max-age=60"], .validated(.request)),
    Row("min-fresh takes what stays fresh as long", ["Cache-Control": "min-fresh=60"], .served),
    Row("min-fresh takes nothing that does not", ["Cache-Control": "min-fresh=61"], .validated(.request)),
    Row("a malformed min-fresh asks the origin", ["Cache-Control": "min-fresh=x"], .validated(.request)),
    Row(
      "min-fresh counts beside max-age and max-stale", ["Cache-Control": "max-age=0, max-stale, min-fresh=61"],
      .validated(.request)),
    Row("no-cache asks the origin", ["Cache-Control": "no-cache"], .validated(.request)),
    Row("no-cache has no case", ["Cache-Control": "No-Cache"], .validated(.request)),
    Row(
      "no-cache with an argument that means nothing here asks all the same", ["Cache-Control": "no-cache=\"x\""],
      .validated(.request)),
    Row("no-store passes the cache by", ["Cache-Control": "no-store"], .forwarded(.bypass)),
    Row("no-transform has nothing to do with it", ["Cache-Control": "no-transform"], .served),
    Row("only-if-cached takes what is fresh", ["Cache-Control": "only-if-cached"], .served),
    Row(
      "only-if-cached with no-cache can have nothing", ["Cache-Control": "only-if-cached, no-cache"],
      .unsatisfiable(.request)),
    Row(
      "only-if-cached with max-age can have nothing older", ["Cache-Control": "only-if-cached, max-age=0"],
      .unsatisfiable(.request)),
    Row(
      "Pragma: no-cache asks the origin, where Cache-Control is absent", ["Pragma": "no-cache"], .validated(.request)),
    Row("Pragma has no case", ["Pragma": "x, No-Cache"], .validated(.request)),
    Row("Pragma means nothing beside Cache-Control", ["Pragma": "no-cache", "Cache-Control": "max-age=60"], .served),
    Row("another Pragma means nothing", ["Pragma": "no-store"], .served),
    Row("must-revalidate in a request means nothing", ["Cache-Control": "must-revalidate"], .served),
  ]

  @Test("A request's directives say whether a fresh response answers it", arguments: requests)
  func fresh(_ row: Row<Fields, Verdict>) {
    let response = stored(["Cache-Control": "max-age=100", "ETag": "\"a\""])
    #expect(decide(get(row.subject), response, at: 40).verdict == row.outcome)
  }

  @Test("only-if-cached sends nothing, whatever there is", arguments: CachePolicy.allCases)
  func onlyIfCached(_ policy: CachePolicy) {
    let fields: Fields = ["Cache-Control": "only-if-cached"]
    for method in [Method.get, .head, .post] {
      let request = Request(method, .example, fields: fields)
      for response in [nil, stored([:]), stored(["Cache-Control": "max-age=9"]), stored(["ETag": "\"a\""])] {
        #expect(decide(request, response, policy, at: 5).sent == nil)
      }
    }
  }

  /// What a response's own directives do to its reuse a second after it came.
  static let responses: [Row<FieldValue, Verdict>] = [
    Row("no-cache asks, however fresh", "max-age=60, no-cache", .validated(.stale)),
    Row("no-cache with names lets the rest be used", "max-age=60, no-cache=\"Set-Cookie\"", .served),
    Row(
      "no-cache with a name without which nothing can be dated asks", "max-age=60, no-cache=\"Date\"",
      .validated(.stale)),
    Row("or decoded", "max-age=60, no-cache=\"x, content-encoding\"", .validated(.stale)),
    Row("or selected", "max-age=60, no-cache=vary", .validated(.stale)),
    Row("no-cache with and without names asks", "max-age=60, no-cache=\"x\", no-cache", .validated(.stale)),
    Row("no-cache behind a quote that is never closed asks", "max-age=60, x=\"a, No-Cache", .validated(.stale)),
    Row("no-cache within a quoted string means nothing", "max-age=60, x=\"a, no-cache\"", .served),
    Row("max-age behind a quote that is never closed means nothing", "max-age=60, x=\"a, max-age=0", .served),
    Row("no-cache with what are no names asks", "max-age=60, no-cache=\"x y\"", .validated(.stale)),
    Row("no-cache with an empty list asks", "max-age=60, no-cache=\"\"", .validated(.stale)),
    Row("no-cache with an empty argument asks", "max-age=60, no-cache=", .validated(.stale)),
    Row("no-cache with an open quote asks", "max-age=60, no-cache=\"x", .validated(.stale)),
    Row("no-cache in another directive's quotes is none", "max-age=60, x=\"no-cache\"", .served),
    Row("must-revalidate lets be used what is fresh", "max-age=60, must-revalidate", .served),
    Row("must-revalidate asks for what is not", "max-age=0, must-revalidate", .validated(.stale)),
    Row("private lets a private cache use it", "max-age=60, private", .served),
    Row("private with names lets a private cache use it", "max-age=60, private=\"x\"", .served),
    Row("public makes nothing fresh", "public", .validated(.stale)),
    Row("no-transform means nothing to reuse", "max-age=60, no-transform", .served),
    Row("only-if-cached in a response means nothing", "max-age=60, only-if-cached", .served),
    Row("min-fresh in a response means nothing", "max-age=60, min-fresh=600", .served),
  ]

  @Test("A response's directives say whether it answers", arguments: responses)
  func response(_ row: Row<FieldValue, Verdict>) {
    #expect(decide(get(), stored(["Cache-Control": row.subject, "ETag": "\"a\""]), at: 1).verdict == row.outcome)
  }

  @Test("Expires, Age and Cache-Control of the request are not the response's")
  func requestFields() {
    let response = stored(["Cache-Control": "max-age=60"])
    #expect(decide(get(["Expires": "0", "Age": "99"]), response, at: 1).verdict == .served)
  }

  @Test("Targeted fields are not for a private cache: RFC 9213")
  func targeted() {
    let fields: Fields = ["CDN-Cache-Control": "max-age=600", "Surrogate-Control": "max-age=600", "ETag": "\"a\""]
    #expect(decide(get(), stored(fields), at: 1).verdict == .validated(.stale))
    let forbidding: Fields = ["CDN-Cache-Control": "no-store", "Cache-Control": "max-age=60"]
    #expect(conclude(get(), nil, answer(200, forbidding)).change.inserted != nil)
  }

  /// Directives, each with malformed spellings: none may make a response more reusable than its absence does.
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

  @Test("A malformed request directive never widens reuse beyond what its absence allows", arguments: malformed)
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

  @Test("A malformed directive never widens reuse beyond what its absence allows", arguments: malformed)
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
