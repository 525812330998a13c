import TestSupport
import Testing

/// `%{cache_age}` is the age of the response that was delivered, wherever it came from.
@Suite struct CacheAgeTests {
  private static let format = ["-s", "-w", "|%{cache_age} %{cache_ttl}"]

  /// The fields of a response from the origin, and its age and remaining lifetime when it comes at midnight.
  static let arrivals: [(fields: [(String, String)], printed: String)] = [
    ([("Cache-Control", "max-age=60")], "0 60"), ([("Cache-Control", "max-age=60"), ("Age", "20")], "20 40"),
    ([("Cache-Control", "max-age=60"), ("Date", "Tue, 31 Dec 2024 23:59:30 GMT"), ("Age", "20")], "30 30"),
    ([("Cache-Control", "no-store"), ("Age", "20")], "20 "), ([("Cache-Control", "no-store")], "0 "),
  ]

  @Test(arguments: arrivals)
  func `a response that has just come has the age that its Date and its Age tell`(
    fields: [(String, String)], printed: String
  ) throws {
    let scenario = try Scenario(.response(fields: fields, text: "text"))
    #expect(try scenario.run(Self.format + [scenario.url()]).text == "text|\(printed)")
    #expect(try scenario.run(Self.format + ["--reload", scenario.url()]).text == "text|\(printed)")
  }

  @Test(arguments: [["-r", "0-1"], ["-I"], ["-H", "If-None-Match: \"a\""]])
  func `an answer that freshens the stored response tells how long that stays fresh`(_ options: [String]) throws {
    let tag = ("ETag", "\"a\"")
    let scenario = try Scenario { request in
      if request.number == 1 { return .response(fields: [("Cache-Control", "max-age=0"), tag], text: "body") }
      if request.has("Range") {
        return .response(206, fields: [fresh, tag, ("Content-Range", "bytes 0-1/4")], text: "bo")
      }
      return validated(request, etag: "\"a\"", fields: [fresh], text: "body")
    }
    try scenario.run(scenario.url())
    scenario.clock.advance(bySeconds: 10)
    let format = ["-s", "-o", "/dev/null", "-w", "%{cache_stored} %{cache_ttl} %{cache_status}"]
    let run = try scenario.run(format + options + [scenario.url()])
    #expect(run.text.hasPrefix("1 60 garner; fwd=") && run.text.contains("; stored; ttl=60; "), "\(run)")
    let refused = try scenario.run(format + ["--store-hook", "exit 10"] + options + ["--reload", scenario.url()])
    #expect(refused.text.hasPrefix("0  garner; fwd=") && !refused.text.contains("ttl="), "\(refused)")
  }

  @Test func `a stored response grows older, and no response has no age`() throws {
    let scenario = try Scenario(.fresh([("Age", "20")], text: "text"))
    try scenario.run(scenario.url())
    scenario.clock.advance(bySeconds: 10)
    #expect(try scenario.run(Self.format + [scenario.url()]).text == "text|30 30")
    scenario.origin.stop()
    #expect(try scenario.run(Self.format + [scenario.url("/other")]).text == "| ")
    #expect(try scenario.run(Self.format + ["--offline", scenario.url("/other")]).text == "| ")
  }
}
