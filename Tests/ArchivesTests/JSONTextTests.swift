import Testing

@testable import Archives

/// Tests of JSON strings that may be shown on a terminal.
@Suite struct JSONTextTests {
  @Test(arguments: [
    ("plain é 日 🂡", "plain é 日 🂡"), ("\"\\\n\r\t\u{1}\u{7f}", #"\"\\\n\r\t\u0001\u007f"#), ("\u{9b}31m", #"\u009b31m"#),
    ("a\u{202e}b\u{2028}c\u{feff}", #"a\u202eb\u2028c\ufeff"#), ("\u{e0001}", #"\udb40\udc01"#), ("\u{ad}", #"\u00ad"#),
  ])
  func `characters that nobody sees, or that a terminal obeys, are escaped in JSON`(_ text: String, _ shown: String) {
    #expect(JSONText.quoted(text) == "\"\(shown)\"")
  }

  @Test func `text that is no UTF-8 is read as ISO 8859-1, and escaped likewise`() {
    var json = JSONText()
    json.string([0xe9, 0x9b, 0x41, 0xad])
    #expect(String(decoding: json.bytes, as: UTF8.self) == "\"é\\u009bA\\u00ad\"")
  }
}
