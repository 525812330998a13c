import TestSupport
import Testing

@testable import Client

/// Secrets are not shown, wherever they stand.
@Suite struct MaskingTests {
  private static let opening = "[HTTP/2] [1] OPENED stream for https://h/x?token="
  private static let remarks: [(String, String?)] = [
    ("h2h3 [authorization: Bearer SECRET]", nil), ("[HTTP/2] [1] [authorization: Bearer SECRET]", nil),
    ("h2h3 [:path: /x?token=SECRET]", nil), ("[HTTP/2] [1] [:path: /x?token=SECRET]", nil),
    ("h2h3 [cookie: a=SECRET; and more than a remark may have", nil), ("h2h3 [x-empty: ]", nil),
    (opening + "SECRET", opening + "***"), ("  Trying [::1]:80...", "  Trying [::1]:80..."),
    ("Connected to h ([2001:db8::1]) port 80 (#0)", "Connected to h ([2001:db8::1]) port 80 (#0)"),
    ("subject: CN=h [test]", "subject: CN=h [test]"),
    ("Proxy auth using Basic with user 'joe'", "Proxy auth using Basic with user '***'"),
  ]

  @Test(arguments: remarks)
  func `remarks of libcurl that repeat a head are left out, and others are masked`(_ remark: String, _ shown: String?) {
    #expect(Masking.remark(Array(remark.utf8)) == shown)
  }

  @Test func `response fields that ask for a credential, or that caches know a response by, are shown`() throws {
    let fields = [
      ("WWW-Authenticate", "Digest realm=\"r\""), ("Access-Control-Allow-Credentials", "true"),
      ("Surrogate-Key", "a b"), ("X-Auth-Token", "SECRET"), ("Set-Cookie", "a=SECRET"),
    ]
    let scenario = try Scenario(.response(fields: fields + [("Cache-Control", "max-age=60")], text: "body"))
    let said = try scenario.run("-v", scenario.url()).diagnostics
    let shown = try scenario.run("cache", "show", "--headers", scenario.url()).text
    for text in [said, shown] {
      #expect(!text.contains("SECRET"), "\(text)")
      for (name, value) in fields.prefix(3) { #expect(text.contains("\(name): \(value)"), "\(text)") }
    }
    #expect(try scenario.run("cache", "export", "--redact", "-").text.contains("Surrogate-Key: a b"))
    // The user can make any field secret.
    let listed = try scenario.run("--reload", "-v", "--credential-field", "Surrogate-Key", scenario.url())
    #expect(listed.diagnostics.contains("Surrogate-Key: (not shown)"), "\(listed.diagnostics)")
    scenario.environment["GARNER_CREDENTIAL_FIELD"] = "Surrogate-Key"
    let kept = try scenario.run("cache", "show", "--headers", scenario.url()).text
    #expect(kept.contains("Surrogate-Key: (not shown)"), "\(kept)")
    let redacted = try scenario.run("cache", "export", "--redact", "-").text
    #expect(redacted.contains("WWW-Authenticate") && !redacted.contains("Surrogate-Key"), "\(redacted)")
  }

  @Test(arguments: ["Surrogate-Key", "X-Cache-Key", "Cache-Key", "WWW-Authenticate"])
  func `a request field with the name of a challenge or a cache key is masked as a credential`(_ name: String) throws {
    let scenario = try Scenario(.response(text: "body"))
    for options in [["-v"], ["--dry-run"]] {
      let run = try scenario.run(options + ["-H", "\(name): SECRET", scenario.url()])
      let said = run.diagnostics + run.text
      #expect(said.contains("> \(name): (not shown)") && !said.contains("SECRET"), "\(said)")
    }
  }

  @Test func `tokens in all URLs of a field are hidden`() throws {
    let scenario = try Scenario(
      .response(
        fields: [
          ("Cache-Control", "max-age=60"),
          ("Link", "<https://h/next?page=2&token=SECRET>; rel=next, <https://h/?sig=SECRET,SECRET>; rel=last"),
          ("Refresh", "5; url=https://h/?token=SECRET"), ("Location", "/back#access_token=SECRET&state=1"),
          ("Content-Location", "/x?api_key=SECRET"),
        ], text: "body"))
    let said = try scenario.run("-v", scenario.url()).diagnostics
    let shown = try scenario.run("cache", "show", scenario.url()).text
    for text in [said, shown] {
      #expect(!text.contains("SECRET"), "\(text)")
      #expect(text.contains("<https://h/next?page=2&token=***>; rel=next, <https://h/?sig=***>; rel=last"))
      #expect(text.contains("5; url=https://h/?token=***"))
      #expect(text.contains("/back#access_token=***&state=1"))
    }
    #expect(try scenario.run("cache", "show", "--show-secrets", scenario.url()).text.contains("token=SECRET"))
  }

  @Test(arguments: [
    "/a?next=https://b/?token=SECRET", "/a?next=https%3A%2F%2Fb%2F%3Ftoken%3DSECRET", "/a?%74oken=SECRET",
  ])
  func `a token is hidden however deep it is in a URL, and the URL is stored as it is`(_ path: String) throws {
    let scenario = try Scenario(.fresh(text: "body"))
    let url = scenario.url(path)
    let told = try [
      scenario.run("--offline", url), scenario.run("-v", "-i", url), scenario.run("-i", url),
      scenario.run("cache", "ls"), scenario.run("cache", "ls", "--json"), scenario.run("cache", "show", url),
      scenario.run("cache", "explain", url), scenario.run("cache", "explain", "--json", url),
      scenario.run("cache", "prune", "-n", "--max-size", "0"),
    ]
    for run in told {
      #expect(!(run.text + run.diagnostics).contains("SECRET"), "\(run)")
      #expect((run.text + run.diagnostics).contains("***"), "\(run)")
    }
    #expect(scenario.asked == [path])
    #expect(try scenario.run("cache", "ls", "-0", "--show-secrets").text == url + "\0")
  }

  @Test func `user information is hidden in whatever holds a URL`() throws {
    let location = "http://joe:SECRET@127.0.0.1:1/@scope?mail=a@b"
    let scenario = try Scenario(
      .response(
        302,
        fields: [
          ("Cache-Control", "max-age=60"), ("Location", location),
          ("Link", "<https://h/x>, <//joe:SECRET@b/y>; rel=next"), ("Refresh", "5; url=https://joe:SECRET@h/"),
        ]))
    let url = scenario.url("/?next=https://joe:SECRET@h/")
    let typed = ["--no-location", "-H", "Link: <https://h/>, <https://joe:SECRET@b/>"]
    let told = try [
      scenario.run(["-v", url] + typed), scenario.run(["--dry-run", "--refresh", url] + typed),
      scenario.run("cache", "show", url), scenario.run("cache", "show", "--headers", url),
      scenario.run("cache", "show", "--json", url), scenario.run("cache", "ls", "--json"),
      scenario.run("cache", "export", "--redact", "-"),
    ]
    for run in told { #expect(!(run.text + run.diagnostics).contains("SECRET"), "\(run.text + run.diagnostics)") }
    #expect(told[0].diagnostics.contains("Location: http://***@127.0.0.1:1/@scope?mail=a@b\n"))
    #expect(try scenario.run("cache", "show", "--show-secrets", url).text.contains(location))
    #expect(try scenario.run("--offline", "--no-location", "-w", "%header{location}", url).text.contains(location))
  }
}
