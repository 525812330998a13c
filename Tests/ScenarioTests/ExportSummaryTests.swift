import TestSupport
import Testing

/// How an export tells of responses that an import passes over, always or without `--all`.
@Suite struct ExportSummaryTests {
  private static let forms: [[String]] = [[], ["--har"]]

  @Test(arguments: forms)
  func `responses to POST and QUERY are counted by method and not as private, because no import takes them`(
    _ form: [String]
  ) throws {
    let scenario = try Scenario(.fresh(text: "x"))
    try scenario.run("--cache-post", "-d", "x", scenario.url())
    try scenario.run("-X", "QUERY", "-d", "x", scenario.url())
    let exported = try scenario.run(["cache", "export", "-"] + form)
    // The order of the entries is not fixed.
    let said = ["1 POST, 1 QUERY", "1 QUERY, 1 POST"].map { methods in
      "garner: exported 2 responses (\(methods): 'garner cache import' passes over these)\n"
    }
    #expect(said.contains(exported.diagnostics), "\(exported.diagnostics)")
    #expect(!exported.text.lowercased().contains("garner-restricted"))
    #expect(!exported.text.contains("_garnerRestricted"))
    let imported = try scenario.run("cache", "import", "--all", "-", input: exported.text)
    #expect(imported.diagnostics.hasPrefix("garner: imported 0 responses, skipped 2 ("), "\(imported.diagnostics)")
  }

  @Test(arguments: forms)
  func `a POST with credentials is told apart from a private GET, which --all imports`(_ form: [String]) throws {
    let scenario = try Scenario(.fresh(text: "x"))
    try scenario.run("-u", "me:word", scenario.url())
    try scenario.run("-u", "me:word", "--cache-post", "-d", "x", scenario.url("/post"))
    let exported = try scenario.run(["cache", "export", "-"] + form)
    let remarks =
      "1 private: 'garner cache import' needs --all for these; 1 POST: 'garner cache import' passes over these"
    #expect(exported.diagnostics == "garner: exported 2 responses (\(remarks))\n")
    let imported = try scenario.run("cache", "import", "-", input: exported.text)
    #expect(imported.diagnostics.hasPrefix("garner: imported 0 responses, skipped 2 ("), "\(imported.diagnostics)")
    for word in ["1 private", "1 POST"] { #expect(imported.diagnostics.contains(word), "\(imported.diagnostics)") }
    let redacted = try scenario.run(["cache", "export", "--redact", "-"] + form)
    #expect(redacted.diagnostics == "garner: exported 0 responses, left out 2 (2 private)\n")
  }

  @Test func `an answer to a --cache-post POST is left out of a redacted export, and is counted as POST`() throws {
    let scenario = try Scenario(.fresh(text: "x"))
    try scenario.run("--cache-post", "-d", "password=x", scenario.url())
    let redacted = try scenario.run("cache", "export", "--redact", "-")
    #expect(redacted.diagnostics == "garner: exported 0 responses, left out 1 (1 POST)\n")
  }
}
