import HTTPSemantics
import Testing

@Suite("User information within a text: RFC 3986 section 3.2.1")
struct UserInformationTests {
  private static let texts: [(String, String)] = [
    ("https://joe:pw@h/", "https://***@h/"), ("https://joe@h", "https://***@h"), ("//joe:pw@h/", "//***@h/"),
    ("https://h/@scope/x", "https://h/@scope/x"), ("https://h:80/x@y", "https://h:80/x@y"),
    ("https://[::1]:80/x@y", "https://[::1]:80/x@y"), ("https://joe:pw@h/x@y", "https://***@h/x@y"),
    ("https://[::1]/?u=https://joe:pw@h/", "https://[::1]/?u=https://***@h/"),
    ("<https://a/x>, <https://joe:pw@b/y>; rel=next", "<https://a/x>, <https://***@b/y>; rel=next"),
    ("<https://u:p@a/x>, <//joe:pw@b/y>", "<https://***@a/x>, <//***@b/y>"),
    ("5; url='//joe:pw@h/'", "5; url='//***@h/'"), ("v1/https://joe:pw@h/", "v1/https://***@h/"),
    ("https://joe:p'w,x@h/", "https://***@h/"), ("https://a,https://joe:pw@b", "https://a,https://***@b"),
    ("https:///joe:pw@h/", "https:///***@h/"), ("https://h//react@18/", "https://h//react@18/"),
    ("https://h/web/https://m.test/@joe", "https://h/web/https://m.test/@joe"),
    // Characters that should have been percent-encoded.
    ("https://joe:p/w@h/", "https://***@h/"), ("https://joe:p?w@h/", "https://***@h/"),
    ("https://joe:p#w@h/", "https://***@h/"), ("https://joe:1 w@h/", "https://***@h/"),
    ("https://joe@x:p/w@h/", "https://***@h/"), ("https://joe:p@w@h/", "https://***@h/"),
    ("<https://joe:p/w@a/>, <https://b/@x>", "<https://***@a/>, <https://b/@x>"),
    (#"http://u:SEC"w@h/"#, "http://***@h/"), ("http://u:SEC>w@h/", "http://***@h/"),
    ("<https://a/x>; title=\"me@b.example\"", "<https://a/x>; title=\"me@b.example\""),
    ("/x?next=http%3A//u:p@h/", "/x?next=http%3A//***@h/"), ("/x?next=http%3a//u@h/", "/x?next=http%3a//***@h/"),
    // Percent-encoded in a query.
    ("/?u=http%3A%2F%2Fjoe%3Apw%40h%2F&v", "/?u=http%3A%2F%2F***@h%2F&v"), ("?u=%2f%2fjoe%40h", "?u=%2f%2f***@h"),
    ("?u=http%3A%2F%2Fjoe:p@w%40h%2Fa%40b", "?u=http%3A%2F%2F***@h%2Fa%40b"),
    ("?u=http%3A%2F%2Fh%2F%40b&m=a%40b", "?u=http%3A%2F%2Fh%2F%40b&m=a%40b"), ("/a%2F%2Fb%40c", "/a%2F%2Fb%40c"),
    ("?u=%2F%2Fa%40", "?u=%2F%2F***@"), ("?u=%2F%2F%4", "?u=%2F%2F%4"), ("?m=a%40b", "?m=a%40b"),
    // Texts without user information.
    ("", ""), ("//", "//"), ("https://", "https://"), ("me@example.com", "me@example.com"), ("@//", "@//"),
    ("/a//b@c", "/a//b@c"), ("https://joe:pw", "https://joe:pw"), ("//@", "//***@"), ("https:////", "https:////"),
  ]

  @Test("User information in any URL of a text is replaced, and nothing else", arguments: texts)
  func shown(text: String, shown: String) {
    #expect(UserInformation.replaced(in: text, by: "***@") == shown)
    let redacted = UserInformation.replaced(in: text, by: "")
    #expect(redacted == shown.replacing("***@", with: ""))
  }

  /// If the text were searched to its end for each beginning, this would take far too long.
  @Test(
    "A text with many beginnings of URLs is processed in linear time",
    arguments: [
      "+//", "//a:b", "//a:b\"", "<//a>", "=%2F%2F", "%2F%2Fa%3A", "%",
    ])
  func manyBeginnings(piece: String) {
    let text = String(repeating: piece, count: 40_000)
    for tail in ["@", "\"@", ">"] {
      #expect(UserInformation.replaced(in: text + tail, by: "***@").utf8.count <= text.utf8.count + 300_000)
    }
  }

  @Test("Hostile bytes never trap")
  func arbitraryBytes() {
    for value in Hostile.values {
      let text = String(decoding: value.bytes, as: UTF8.self)
      let shown = UserInformation.replaced(in: text, by: "")
      #expect(shown.utf8.count <= text.utf8.count)
    }
  }
}
