import TestSupport
import Testing

/// How responses of one archive affect each other.
@Suite struct ImportOrderTests {
  @Test(arguments: [true, false])
  func `a revisit is imported with the content of a response that is itself skipped`(_ isItself: Bool) throws {
    let content = "WARC-Payload-Digest: sha1:AIED6RLZ4CFGCJBFYDA2C7XEPLOXQO4U\r\n"
    let payload = isItself ? content : content.replacing("AIED", with: "BIED")
    let archive =
      ImportTests.response(
        "http://b.test/", "200 OK\r\nCache-Control: no-store", "body", fields: isItself ? payload : "")
      + ImportTests.record(
        "revisit", ImportTests.uri, "HTTP/1.1 200 OK\r\n\r\n",
        fields: "WARC-Refers-To-Target-URI: http://b.test/\r\n" + payload)
    let (run, scenario) = try imported(archive)
    let words =
      isItself
      ? "1 response, skipped 1 (1 no-store)"
      : "0 responses, skipped 2 (1 no-store, 1 without the content that they refer to)"
    #expect(run.diagnostics == "garner: imported \(words)\n")
    #expect(try scenario.run("--offline", ImportTests.uri).text == (isItself ? "body" : ""))
  }

  @Test(arguments: [true, false], ["23:58:00Z", "23:59:00Z", "23:59:30Z"])
  func `an archived response for certain requests never replaces one that is for all requests`(
    _ isFirst: Bool, _ time: String
  ) throws {
    let restricted = ImportTests.response(
      ImportTests.uri, "200 OK", "mine", fields: "Garner-Restricted: credentials\r\n"
    )
    .replacing("23:59:00Z", with: time)
    let open = ImportTests.response(ImportTests.uri, "200 OK", "all")
    let (run, scenario) = try imported(isFirst ? restricted + open : open + restricted, "--all")
    let skipped = ", skipped 1 (1 \(time == "23:59:00Z" ? "already stored" : "private"))\n"
    #expect(run.diagnostics == "garner: imported \(isFirst ? "2 responses\n" : "1 response\(skipped)")")
    #expect(try scenario.run("--offline", ImportTests.uri).text == "all")
    let again = try scenario.run("cache", "import", "--all", "-", input: restricted)
    #expect(again.diagnostics == "garner: imported 0 responses\(skipped)")
    #expect(try scenario.run("--offline", ImportTests.uri).text == "all")
  }
}
