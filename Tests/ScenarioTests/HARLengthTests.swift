import TestSupport
import Testing

/// A HAR file may hold only a part of a content. Such a part is not served as if it were whole.
@Suite struct HARLengthTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let type: String
    let fields: [String: String]
    let content: String
    let members: String
    /// The imported content; `refusal` is the reason why it is not imported.
    let text: String
    let refusal: Refusal?

    enum Refusal: Sendable {
      case passedOver(String)
      case damaged(String)
    }

    init(
      _ description: String, _ content: String, type: String = "image/png", fields: [String: String] = [:],
      members: String = "", text: String = "", _ refusal: Refusal? = nil
    ) {
      testDescription = description
      self.type = type
      self.fields = fields
      self.content = content
      self.members = members
      self.text = text
      self.refusal = refusal
    }

    var archive: String {
      let lines = (fields.merging(["Content-Type": type]) { $1 }).map { #"{"name": "\#($0)", "value": "\#($1)"}"# }
      return #"""
        {"log": {"entries": [{"startedDateTime": "\#(ImportTests.date)", "request": {"method": "GET", "url":
        "\#(ImportTests.uri)"}, "response": {"status": 200, "headers": [\#(lines.joined(separator: ","))],
        "content": {\#(content), "mimeType": "\#(type)"}\#(members)}}]}}
        """#
    }
  }

  /// The members for the bytes of "body".
  private static let bytes = #""encoding": "base64", "text": "Ym9keQ==""#

  static let imported = [
    Row("Bytes of the stated size", bytes + #", "size": 4"#, fields: ["Content-Length": "4"], text: "body"),
    Row("Bytes of an unknown size", bytes + #", "size": -1"#, members: #", "bodySize": -1"#, text: "body"),
    Row("Bytes with a smaller stated size", bytes + #", "size": 0"#, fields: ["Content-Length": "3"], text: "body"),
    Row(
      "Bytes that are shorter than their coded form", bytes + #", "size": 4"#,
      fields: ["Content-Length": "24", "Content-Encoding": "gzip"], members: #", "bodySize": 24"#, text: "body"),
    Row(
      "Bytes whose stated size is that of their coded form", bytes + #", "size": 24"#,
      fields: ["Content-Length": "24", "Content-Encoding": "gzip"], members: #", "bodySize": 24"#, text: "body"),
    Row(
      "Bytes whose Content-Length is overridden by chunked coding", bytes,
      fields: ["Content-Length": "9", "Transfer-Encoding": "chunked"], text: "body"),
    Row("UTF-8 text that has lost its mark (BOM)", #""text": "bö", "size": 6"#, type: "a/b; charset=utf-8", text: "bö"),
    Row("Text that was in UTF-16", #""text": "body", "size": 10"#, type: "a/b; charset=utf-16", text: "body"),
    Row("Text in an unknown charset", #""text": "body", "size": 28"#, type: "text/plain", text: "body"),
    Row("JSON that has lost its mark (BOM)", #""text": "{}", "size": 5"#, type: "application/json", text: "{}"),
    Row("No text, and a size of 0", #""text": "", "size": 0"#, fields: ["Content-Length": "0"]),
    Row("A transfer with no error", bytes, members: #", "_error": null"#, text: "body"),
    Row("A transfer with an empty error", bytes, members: #", "_error": """#, text: "body"),
  ]

  @Test("Content of a HAR file that may be whole is imported", arguments: imported)
  func isImported(row: Row) throws {
    let scenario = try Scenario(.response(500, text: "nobody asks"))
    let run = try scenario.run(["cache", "import", "-"], input: row.archive)
    #expect(run.diagnostics == "garner: imported 1 response\n")
    let fetched = try scenario.run("-s", "--offline", ImportTests.uri)
    #expect(fetched.status == 0 && fetched.text == row.text)
  }

  static let refused = [
    Row(
      "Bytes that end before their size", bytes + #", "size": 100"#,
      .damaged("content has 4 bytes, but its size is 100")),
    Row(
      "Bytes that end before the length of the head", bytes, fields: ["Content-Length": "100"],
      .damaged("content has 4 bytes, but its head says 100")),
    Row(
      "Bytes that end before the size that they had without a coding", bytes + #", "size": 100"#,
      fields: ["Content-Length": "24", "Content-Encoding": "gzip"], members: #", "bodySize": 24"#,
      .damaged("content has 4 bytes, but its size is 100")),
    Row(
      "Text in UTF-8 that ends before its size", #""text": "bö", "size": 7"#, type: "a/b;CHARSET=\\\"UTF-8\\\"",
      .damaged("content has 3 bytes, but its size is 7")),
    Row(
      "Text in UTF-8 that ends before the length of the head", #""text": "bö""#, type: "a/b; charset=utf-8",
      fields: ["Content-Length": "7"], .damaged("content has 3 bytes, but its head says 7")),
    Row(
      "UTF-8 JSON that ends before its size", #""text": "{}", "size": 6"#, type: "application/problem+json",
      .damaged("content has 2 bytes, but its size is 6")),
    Row(
      "Text that is too short for its size in any charset", #""text": "body", "size": 29"#, type: "text/html",
      .damaged("content has 4 bytes, but its size is 29")),
    Row("No text, but a size", #""text": "", "size": 1"#, type: "text/html", .passedOver("without content")),
    Row(
      "No text, where the head has a length", #""text": "", "size": -1"#, type: "text/html",
      fields: ["Content-Length": "7"], .passedOver("without content")),
    Row(
      "A transfer that failed", bytes, members: #", "_error": "net::ERR_ABORTED""#, .passedOver("without a response")),
  ]

  @Test("Content of a HAR file that is known not to be whole is not imported", arguments: refused)
  func isRefused(row: Row) throws {
    let scenario = try Scenario(.response(500, text: "nobody asks"))
    let run = try scenario.run(["cache", "import", "-"], input: row.archive)
    switch row.refusal {
    case .damaged(let reason):
      #expect(run.status == 26)
      #expect(run.diagnostics.contains("is not imported: its \(reason)\n"), "\(run.diagnostics)")
    case .passedOver(let word):
      #expect(run.status == 0)
      #expect(run.diagnostics == "garner: imported 0 responses, skipped 1 (1 \(word))\n")
    case nil: Issue.record("a refusal has a reason")
    }
    #expect(try scenario.run("--offline", ImportTests.uri).status == 110)
  }
}
