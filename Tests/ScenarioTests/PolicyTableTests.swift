import TestSupport
import Testing

/// Every policy, by each of its names, in every situation: the requests and the result.
@Suite struct PolicyTableTests {
  struct Policy {
    /// The options for the policy: garner's name, Apple's, the Fetch standard's, and a flag, as far as they exist.
    let names: [[String]]
    /// Whether the policy asks the origin although a fresh response is stored.
    let asksWhenFresh: Bool
    var allowsNetwork = true
  }

  static let policies: [Policy] = [
    Policy(names: named("protocol", "useProtocolCachePolicy", "default"), asksWhenFresh: false),
    Policy(
      names: named("reload", "reloadIgnoringLocalCacheData", "reloadIgnoringCacheData") + [["--reload"]],
      asksWhenFresh: true),
    Policy(names: named("reload-all", "NSURLRequestReloadIgnoringLocalAndRemoteCacheData"), asksWhenFresh: true),
    Policy(
      names: named("revalidate", "reloadRevalidatingCacheData", "no-cache") + [["--refresh"]], asksWhenFresh: true),
    Policy(
      names: named("cache-else-load", "returnCacheDataElseLoad", "force-cache") + [["--prefer-offline"]],
      asksWhenFresh: false),
    Policy(
      names: named("cache-only", "NSURLRequestReturnCacheDataDontLoad", "only-if-cached") + [["--offline"]],
      asksWhenFresh: false, allowsNetwork: false),
    Policy(
      names: named("cache-only-strict") + [["--offline=strict"]], asksWhenFresh: false, allowsNetwork: false),
    Policy(names: named("network-first"), asksWhenFresh: true),
    Policy(names: named("no-store") + [["--no-store"]], asksWhenFresh: true),
  ]

  private static func named(_ names: String...) -> [[String]] { names.map { ["--cache-policy", $0] } }

  struct Situation: CustomTestStringConvertible {
    let testDescription: String
    let arguments: [String]
    let path: String
    /// The number of requests where the origin is asked.
    var requests = 1
    /// Whether a fresh stored response answers the request.
    let isAnswered: Bool
    var output: String
  }

  static let situations: [Situation] = [
    Situation(testDescription: "a fetch", arguments: [], path: "/page", isAnswered: true, output: "page"),
    Situation(testDescription: "nothing stored", arguments: [], path: "/absent", isAnswered: false, output: "page"),
    Situation(
      testDescription: "a redirect", arguments: [], path: "/moved", requests: 2, isAnswered: true, output: "page"),
    Situation(
      testDescription: "a redirect to what is absent", arguments: [], path: "/lost", requests: 2, isAnswered: false,
      output: "page"),
    Situation(
      testDescription: "a range", arguments: ["-H", "Range: bytes=1-2"], path: "/page", isAnswered: true, output: "ag"),
    Situation(
      testDescription: "a range of nothing stored", arguments: ["-H", "Range: bytes=1-2"], path: "/absent",
      isAnswered: false, output: "ag"),
    Situation(
      testDescription: "a HEAD", arguments: ["-X", "HEAD"], path: "/page", isAnswered: true, output: ""),
    Situation(
      testDescription: "a POST", arguments: ["-d", "x"], path: "/page", isAnswered: false, output: "page"),
    Situation(
      testDescription: "a DELETE", arguments: ["-X", "DELETE"], path: "/page", isAnswered: false, output: "page"),
    Situation(
      testDescription: "an OPTIONS", arguments: ["-X", "OPTIONS"], path: "/page", isAnswered: false, output: "page"),
  ]

  private func scenario() throws -> Scenario {
    let scenario = try Scenario { request in
      let lasting = ("Cache-Control", "max-age=60")
      switch request.path {
      case "/moved": return .response(301, fields: [lasting, ("Location", "/page")])
      case "/lost": return .response(301, fields: [lasting, ("Location", "/absent")])
      default:
        if request.has("Range") {
          return .response(206, fields: [lasting, ("ETag", "\"e\""), ("Content-Range", "bytes 1-2/4")], text: "ag")
        }
        return validated(request, etag: "\"e\"", fields: [lasting], text: "page")
      }
    }
    for path in ["/page", "/moved"] { try scenario.run(scenario.url(path)) }
    try scenario.run("--no-location", scenario.url("/lost"))
    return scenario
  }

  @Test(arguments: situations)
  func `a policy sends, serves and refuses alike by each of its names`(_ situation: Situation) throws {
    for policy in Self.policies {
      for name in policy.names {
        let scenario = try scenario()
        let before = scenario.origin.requests.count
        let run = try scenario.run(name + situation.arguments + [scenario.url(situation.path)])
        let sent = scenario.origin.requests.count - before
        let comment = Comment("\(name): \(sent) sent; \(run.diagnostics)")
        let succeeds = policy.allowsNetwork || situation.isAnswered
        #expect(run.status == (succeeds ? 0 : 110), comment)
        #expect(run.text == (succeeds ? situation.output : ""), comment)
        let asks = policy.allowsNetwork && (policy.asksWhenFresh || !situation.isAnswered)
        // For /lost, the redirection is stored, and only its target is not.
        let expected =
          !asks ? 0 : policy.asksWhenFresh || situation.path != "/lost" ? situation.requests : situation.requests - 1
        #expect(sent == expected, comment)
      }
    }
  }

  struct Prohibition: CustomTestStringConvertible {
    let directive: String
    let age: Int
    /// Whether `--offline=strict` serves the response.
    let isServed: Bool

    var testDescription: String { "\(directive) at \(age)" }
  }

  static let prohibitions: [Prohibition] = [
    Prohibition(directive: "max-age=10", age: 20, isServed: true),
    Prohibition(directive: "max-age=10, must-revalidate", age: 5, isServed: true),
    Prohibition(directive: "max-age=10, must-revalidate", age: 20, isServed: false),
    Prohibition(directive: "max-age=10, no-cache", age: 5, isServed: false),
  ]

  @Test(arguments: prohibitions)
  func `--offline=strict serves a stored response unless RFC 9111 forbids it`(_ row: Prohibition) throws {
    let scenario = try Scenario(.response(fields: [("Cache-Control", row.directive)], text: "x"))
    try scenario.run(scenario.url())
    scenario.clock.advance(bySeconds: UInt32(row.age))
    #expect(try scenario.run("--offline", scenario.url()).status == 0)
    #expect(try scenario.run("--offline=strict", scenario.url()).status == (row.isServed ? 0 : 110))
    #expect(scenario.origin.requests.count == 1)
  }
}
