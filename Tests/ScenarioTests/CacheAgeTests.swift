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
