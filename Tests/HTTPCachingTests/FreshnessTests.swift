import HTTPCaching
import HTTPSemantics
import TestTraits
import Testing

@Suite("Freshness: RFC 9111 section 4.2")
struct FreshnessTests {
  typealias Lifetime = (seconds: Int64, source: FreshnessLifetime.Source)

  /// The freshness lifetime: RFC 9111 section 4.2.1.
  static let lifetimes: [Row<Fields, Lifetime>] = [
    Row("max-age is the lifetime", ["Cache-Control": "max-age=60"], (60, .maxAge)),
    Row(
      "max-age beats Expires", ["Cache-Control": "max-age=60", "Expires": .date(3600), "Date": .date(0)],
      (60, .maxAge)),
    Row(
      "max-age=0 beats a future Expires", ["Cache-Control": "max-age=0", "Expires": .date(3600), "Date": .date(0)],
      (0, .maxAge)),
    Row("a private cache ignores s-maxage", ["Cache-Control": "s-maxage=3600, max-age=1"], (1, .maxAge)),
    Row("s-maxage alone gives no lifetime in a private cache", ["Cache-Control": "s-maxage=3600"], (0, .none)),
    Row("Expires minus Date is the lifetime", ["Expires": .date(90), "Date": .date(30)], (60, .expires)),
    Row("without a Date the lifetime counts from the arrival", ["Expires": .date(60)], (60, .expires)),
    Row("an invalid Date counts as none", ["Expires": .date(60), "Date": "yesterday"], (60, .expires)),
    Row("an Expires in the past is a lifetime of 0", ["Expires": .date(-60), "Date": .date(0)], (0, .expires)),
    Row("an Expires of 0 lies in the past", ["Expires": "0", "Date": .date(0)], (0, .expires)),
    Row("an invalid Expires lies in the past", ["Expires": "Fri, 01 Jan 2027 00:00:00 UTC"], (0, .expires)),
    Row("an empty Expires lies in the past", ["Expires": ""], (0, .expires)),
    Row("two different Expires are invalid", ["Expires": .date(60), "Expires": .date(90)], (0, .expires)),
    Row("two equal Expires count once", ["Expires": .date(60), "Expires": .date(60)], (60, .expires)),
    Row(
      "an invalid Expires excludes the heuristic", ["Expires": "0", "Last-Modified": .date(-day), "Date": .date(0)],
      (0, .expires)),
    Row(
      "a lifetime that is too large is limited to 2^31", ["Cache-Control": "max-age=99999999999999999999"],
      (1 << 31, .maxAge)),
    Row("a lifetime above 2^31 is limited to it", ["Cache-Control": "max-age=2147483649"], (1 << 31, .maxAge)),
    Row(
      "an Expires in the far future is limited to 2^31", ["Expires": "Fri, 31 Dec 9999 23:59:59 GMT"],
      (1 << 31, .expires)),
  ]

  @Test("The lifetime is max-age, else Expires minus Date, and else a heuristic", arguments: lifetimes)
  func lifetime(_ row: Row<Fields, Lifetime>) {
    let lifetime = Freshness(of: stored(row.subject), at: .start).lifetime
    #expect(lifetime.seconds == row.outcome.seconds)
    #expect(lifetime.source == row.outcome.source)
  }

  /// RFC 9111 section 4.2.1: caches are "encouraged to consider responses that have invalid freshness information to be
  /// stale".
  static let malformed: [Row<FieldValue, Int64>] = [
    Row("a number in quotes is valid", "max-age=\"60\"", 60),
    Row("leading zeros are ignored", "max-age=0060", 60),
    Row("the directive is not case-sensitive", "Max-AGE=60", 60),
    Row("an unknown directive is ignored", "foobar, max-age=60, x=y", 60),
    Row("an empty member is ignored", ",, max-age=60 ,", 60),
    Row("two equal max-age count once", "max-age=60, max-age=60", 60),
    Row("two different max-age are invalid", "max-age=60, max-age=61", 0),
    Row("a valid and an invalid max-age are invalid", "max-age=60, max-age=a", 0),
    Row("a negative number is invalid", "max-age=-60", 0),
    Row("a signed number is invalid", "max-age=+60", 0),
    Row("a fraction is invalid", "max-age=60.0", 0),
    Row("letters behind the number are invalid", "max-age=60s", 0),
    Row("single quotes are invalid", "max-age='60'", 0),
    Row("an argument that is missing is invalid", "max-age", 0),
    Row("an argument that is empty is invalid", "max-age=", 0),
    Row("quotes around nothing are invalid", "max-age=\"\"", 0),
    Row("a space before the argument is invalid", "max-age= 60", 0),
    Row("an open quoted string is invalid", "max-age=\"60", 0),
    Row("text in another directive's quoted string is ignored", "x=\"max-age=3600\", max-age=60", 60),
    Row("text in a later directive's quoted string is ignored", "max-age=60, x=\"max-age=3600\"", 60),
    Row("text behind an escaped quote is ignored", #"x="\", max-age=3600, ", max-age=60"#, 60),
    Row("another separator makes the directive malformed", "max-age=60; public", 0),
  ]

  @Test("max-age consists of digits, and a malformed max-age makes the response stale", arguments: malformed)
  func maxAge(_ row: Row<FieldValue, Int64>) {
    let response = stored(["Cache-Control": row.subject, "Last-Modified": .date(-100 * day)])
    let lifetime = Freshness(of: response, at: .start).lifetime
    #expect(lifetime.seconds == row.outcome)
    #expect(lifetime.source == .maxAge)
  }

  @Test("A response is fresh while its lifetime is greater than its age, and stale when they are equal")
  func boundary() {
    let response = stored(["Cache-Control": "max-age=60"])
    #expect(Freshness(of: response, at: .at(59)).isFresh)
    #expect(Freshness(of: response, at: .at(59)).remaining == 1)
    #expect(Freshness(of: response, at: .at(59)).staleness == 0)
    #expect(!Freshness(of: response, at: .at(60)).isFresh)
    #expect(!Freshness(of: response, at: .at(70)).isFresh)
    #expect(Freshness(of: response, at: .at(70)).remaining == -10)
    #expect(Freshness(of: response, at: .at(70)).staleness == 10)
  }

  @Test("A response of unknown age is not fresh, and its remaining and exceeded lifetime are 0")
  func undatable() {
    for (isDoubtful, seconds) in [(true, 0), (true, 59), (false, -1)] as [(Bool, Int64)] {
      let response = stored(["Cache-Control": "max-age=60"], isDoubtful: isDoubtful)
      let freshness = Freshness(of: response, at: .at(seconds))
      #expect(!freshness.isFresh && freshness.remaining == 0 && freshness.staleness == 0)
    }
    let stale = stored(["Cache-Control": "max-age=60"], isDoubtful: true)
    #expect(Freshness(of: stale, at: .at(70)).remaining == -10)
  }

  @Test("A response without a lifetime is never fresh, not even on arrival")
  func noLifetime() {
    #expect(!Freshness(of: stored([:]), at: .start).isFresh)
  }
}

@Suite("Heuristic freshness: RFC 9111 section 4.2.2")
struct HeuristicTests {
  static let lifetimes: [Row<(status: StatusCode, fields: Fields), Int64>] = [
    Row(
      "it is a tenth of the time since Last-Modified", (200, ["Last-Modified": .date(-day), "Date": .date(0)]), 8640),
    Row("without a Date it counts from the arrival", (200, ["Last-Modified": .date(-day)]), 8640),
    Row("it is a week at most", (200, ["Last-Modified": .date(-1000 * day)]), 7 * day),
    Row("there is none without Last-Modified", (200, ["Date": .date(0)]), 0),
    Row("there is none if Last-Modified is no date", (200, ["Last-Modified": "today"]), 0),
    Row("there is none if Last-Modified lies in the future", (200, ["Last-Modified": .date(day)]), 0),
    Row(
      "with a Date in the future it counts from the arrival",
      (200, ["Last-Modified": .date(-day), "Date": .date(day)]),
      8640),
    Row(
      "there is none if only the Date is later than Last-Modified",
      (200, ["Last-Modified": .date(60), "Date": .date(day)]), 0),
    Row("there is none if Last-Modified equals the Date", (200, ["Last-Modified": .date(0), "Date": .date(0)]), 0),
    Row("a permanent redirection has it", (301, ["Last-Modified": .date(-day)]), 8640),
    Row("a 404 has it", (404, ["Last-Modified": .date(-day)]), 8640),
    Row("a status that is not heuristically cacheable has none", (201, ["Last-Modified": .date(-day)]), 0),
    Row("an unknown status has none", (599, ["Last-Modified": .date(-day)]), 0),
    Row(
      "an unknown status has it if it is marked public",
      (599, ["Last-Modified": .date(-day), "Cache-Control": "public"]), 8640),
    Row(
      "an unknown status that is marked private has none",
      (599, ["Last-Modified": .date(-day), "Cache-Control": "private"]), 0),
    Row("an explicit lifetime replaces it", (200, ["Last-Modified": .date(-day), "Cache-Control": "max-age=1"]), 1),
  ]

  @Test("The heuristic lifetime is a tenth of the time since Last-Modified, and a week at most", arguments: lifetimes)
  func heuristic(_ row: Row<(status: StatusCode, fields: Fields), Int64>) {
    let response = stored(row.subject.fields, status: row.subject.status)
    let lifetime = Freshness(of: response, at: .start).lifetime
    #expect(lifetime.seconds == row.outcome)
  }

  @Test("A heuristic lifetime is reported as heuristic")
  func source() {
    #expect(Freshness(of: stored(["Last-Modified": .date(-day)]), at: .start).lifetime.source == .heuristic)
    #expect(Freshness(of: stored([:]), at: .start).lifetime.source == .none)
  }
}

@Suite("Age: RFC 9111 section 4.2.3")
struct AgeTests {
  struct Times: Sendable {
    var requestTime: Int64 = 0
    var responseTime: Int64 = 0
    var now: Int64 = 0
  }

  static let ages: [Row<(fields: Fields, times: Times), Int64>] = [
    Row("a response that has just arrived has the age 0", ([:], Times()), 0),
    Row("a response ages while it is stored", ([:], Times(now: 60)), 60),
    Row("a Date in the past is the apparent age", (["Date": .date(-30)], Times(now: 60)), 90),
    Row("a Date in the future is ignored", (["Date": .date(30)], Times(now: 60)), 60),
    Row("an invalid Date is ignored", (["Date": "x"], Times(now: 60)), 60),
    Row("the Age field is added", (["Age": "100"], Times(now: 60)), 160),
    Row("the response delay is added to the Age field", (["Age": "100"], Times(requestTime: -5, now: 60)), 165),
    Row("the response delay counts without an Age field", ([:], Times(requestTime: -5, now: 60)), 65),
    Row("the apparent age counts if it is the greater", (["Age": "10", "Date": .date(-30)], Times()), 30),
    Row("the corrected age counts if it is the greater", (["Age": "40", "Date": .date(-30)], Times()), 40),
    Row("an Age that is no number is ignored", (["Age": "abc"], Times(now: 60)), 60),
    Row("a negative Age is ignored", (["Age": "-7200"], Times(now: 60)), 60),
    Row("an Age with a fraction is ignored", (["Age": "7200.5"], Times(now: 60)), 60),
    Row("an Age counts without the parameters behind it", (["Age": "7200;foo=bar"], Times(now: 60)), 7260),
    Row("parameters without a number are ignored", (["Age": ";7200"], Times(now: 60)), 60),
    Row("the first of several members is taken", (["Age": "7, 8"], Times()), 7),
    Row("the first of several lines is taken", (["Age": "7", "Age": "8"], Times()), 7),
    Row("an Age that is too large is limited to 2^31", (["Age": "99999999999999999999"], Times(now: 60)), 1 << 31),
    Row("the age is limited to 2^31", (["Age": "2147483648"], Times(now: .max / 2)), 1 << 31),
    Row("a request time after the response time counts as no delay", ([:], Times(requestTime: 50, now: 1)), 1),
  ]

  @Test("The age is the greater of apparent and corrected age, plus the resident time", arguments: ages)
  func age(_ row: Row<(fields: Fields, times: Times), Int64>) {
    let times = row.subject.times
    let response = stored(row.subject.fields, requestTime: times.requestTime, responseTime: times.responseTime)
    let age = Age(of: response, at: .at(times.now))
    #expect(age.seconds == row.outcome)
    #expect(!age.isUnknowable)
  }

  @Test("A clock that was put back makes the age unknowable, and nothing of unknowable age is fresh")
  func clockPutBack() {
    let response = stored(["Cache-Control": "max-age=60"], responseTime: 10)
    #expect(Age(of: response, at: .at(9)).isUnknowable)
    #expect(!Freshness(of: response, at: .at(9)).isFresh)
    #expect(Freshness(of: response, at: .at(10)).isFresh)
  }

  @Test("Extreme times never trap")
  func extremes() {
    let ends = [Int64.min, -1, 0, 1, .max].map(Timestamp.init(secondsSinceEpoch:))
    for requestTime in ends {
      for responseTime in ends {
        for now in ends {
          for date in ["Thu, 01 Jan 1970 00:00:00 GMT", "Fri, 31 Dec 9999 23:59:59 GMT"] as [FieldValue] {
            let response = StoredResponse(
              Response(200, fields: ["Date": date, "Age": "2147483648", "Last-Modified": date, "Expires": date]),
              under: .example, requestTime: requestTime, responseTime: responseTime)
            let freshness = Freshness(of: response, at: now)
            #expect((0...CacheControl.Delta.greatest).contains(freshness.age.seconds))
            #expect((0...CacheControl.Delta.greatest).contains(freshness.lifetime.seconds))
            #expect(freshness.staleness >= 0)
          }
        }
      }
    }
  }
}
