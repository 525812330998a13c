import HTTPSemantics
import TestTraits
import Testing

@Suite("Field names and fields: RFC 9110 sections 5.1 to 5.5")
struct FieldsTests {
  static let names: [Row<String, Bool>] = [
    Row("letters, digits and hyphens make a name", "X-Forwarded-4", true),
    Row("every other tchar is allowed", "!#$%&'*+-.^_`|~", true),
    Row("an empty name is invalid", "", false),
    Row("a space is no tchar", "X Y", false),
    Row("a colon is no tchar", "X:", false),
    Row("a control character is no tchar", "X\u{0}", false),
    Row("a character beyond ASCII is no tchar", "Straße", false),
    Row("parentheses are no tchar", "(x)", false),
  ]

  @Test("A field name is a token", arguments: names)
  func token(_ row: Row<String, Bool>) {
    #expect((FieldName(row.subject.utf8) != nil) == row.outcome)
  }

  @Test("Names are compared and hashed without regard to case")
  func caseOfNames() throws {
    let one = try #require(FieldName("eTaG".utf8))
    #expect(one == .etag)
    #expect(Set([one, .etag, "ETAG"]).count == 1)
    #expect(one.spelling == "eTaG")
    #expect(one.lowercased == "etag")
    #expect(one != .age)
  }

  @Test("Fields keep their order, their duplicates and the spelling of their names")
  func order() {
    var fields: Fields = ["b": "1", "A": "2", "B": "3"]
    fields.append("a", "4")
    #expect(fields.lines.map(\.name.spelling) == ["b", "A", "B", "a"])
    #expect(fields.values(of: "B") == ["1", "3"])
    #expect(fields["B"] == "1")
    #expect(fields["C"] == nil)
  }

  @Test("Lines of one name combine with commas, in their order")
  func combination() {
    let fields: Fields = ["Accept": "a", "X": "z", "accept": "b, c", "Accept": ""]
    #expect(fields.combined(.accept) == "a, b, c, ")
    #expect(fields.combined("X") == "z")
    #expect(fields.combined("Y") == nil)
  }

  @Test("Setting a field leaves one line of that name, where the first was")
  func setting() {
    var fields: Fields = ["A": "1", "B": "2", "a": "3", "C": "4"]
    fields.set("A", "5")
    #expect(fields == ["A": "5", "B": "2", "C": "4"])
    fields.set("D", "6")
    #expect(fields.lines.last == Field("D", "6"))
    fields.removeAll("b")
    #expect(!fields.contains("B"))
  }

  @Test("A value consists of bytes, and those above 0x7f are preserved")
  func opaqueBytes() {
    let value = FieldValue([0xff, 0x41, 0x80])
    let fields: Fields = ["X": value]
    #expect(fields["x"]?.bytes == [0xff, 0x41, 0x80])
    #expect(value.text == "\u{fffd}A\u{fffd}")
  }
}

@Suite("Methods, status codes, heads")
struct MessageTests {
  static let methods: [Row<String, Bool>] = [
    Row("GET is safe", "GET", true), Row("HEAD is safe", "HEAD", true), Row("OPTIONS is safe", "OPTIONS", true),
    Row("TRACE is safe", "TRACE", true), Row("QUERY is safe", "QUERY", true), Row("POST is unsafe", "POST", false),
    Row("PROPFIND, of WebDAV, is safe", "PROPFIND", true), Row("REPORT is safe", "REPORT", true),
    Row("SEARCH is safe", "SEARCH", true), Row("PUT is unsafe", "PUT", false), Row("DELETE is unsafe", "DELETE", false),
    Row("methods are case-sensitive, so get is unknown", "get", false),
    Row("a method whose safety is unknown is unsafe", "FROBNICATE", false),
  ]

  @Test("Safe methods are those that are known as safe: RFC 9110 section 9.2.1", arguments: methods)
  func safety(_ row: Row<String, Bool>) throws {
    #expect(try #require(Method(row.subject.utf8)).isSafe == row.outcome)
  }

  @Test("A method is a token")
  func methodSyntax() {
    #expect(Method("".utf8) == nil)
    #expect(Method("G ET".utf8) == nil)
    #expect(Method("M-SEARCH".utf8)?.name == "M-SEARCH")
  }

  @Test("The hundreds of a status code tell its class")
  func classes() {
    #expect(StatusCode(rawValue: 103).isInformational)
    #expect(!StatusCode(rawValue: 200).isInformational)
    #expect(StatusCode(rawValue: 400).isError)
    #expect(StatusCode(rawValue: 599).isError)
    #expect(!StatusCode(rawValue: 399).isError)
  }

  @Test("300 to 303, 307 and 308 are followed, and no other status is")
  func followed() {
    let followed = (UInt16(0)...999).filter { StatusCode(rawValue: $0).isFollowedRedirection }
    #expect(followed == [300, 301, 302, 303, 307, 308])
  }

  @Test("A head is a status line, the fields and an empty line")
  func head() {
    let response = Response(404, reason: "Not Found", fields: ["A": "1", "b": FieldValue([0xe9])])
    #expect(response.head == Array("HTTP/1.1 404 Not Found\r\nA: 1\r\nb: ".utf8) + [0xe9] + Array("\r\n\r\n".utf8))
    #expect(Response(200, version: .http2).head == Array("HTTP/2 200 \r\n\r\n".utf8))
  }
}
