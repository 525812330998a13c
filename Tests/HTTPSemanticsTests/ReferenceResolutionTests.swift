import HTTPSemantics
import TestTraits
import Testing

@Suite("References that an origin sends: RFC 3986 section 5")
struct ReferenceResolutionTests {
  private static func resolved(_ reference: FieldValue, from base: String) throws -> URIReference {
    try URIReference(reference, relativeTo: URIReference(typed: base.utf8).target)
  }

  /// The examples of RFC 3986 sections 5.4.1 and 5.4.2, without fragments, which a target does not have.
  static let examples: [Row<FieldValue, String>] = [
    Row("g", "g", "http://a/b/c/g"), Row("./g", "./g", "http://a/b/c/g"), Row("g/", "g/", "http://a/b/c/g/"),
    Row("/g", "/g", "http://a/g"), Row("//g", "//g", "http://g/"), Row("?y", "?y", "http://a/b/c/d;p?y"),
    Row("g?y", "g?y", "http://a/b/c/g?y"), Row("#s", "#s", "http://a/b/c/d;p?q"), Row("g#s", "g#s", "http://a/b/c/g"),
    Row("g?y#s", "g?y#s", "http://a/b/c/g?y"), Row(";x", ";x", "http://a/b/c/;x"),
    Row("g;x", "g;x", "http://a/b/c/g;x"), Row("g;x?y#s", "g;x?y#s", "http://a/b/c/g;x?y"),
    Row("empty", "", "http://a/b/c/d;p?q"), Row(".", ".", "http://a/b/c/"), Row("./", "./", "http://a/b/c/"),
    Row("..", "..", "http://a/b/"), Row("../", "../", "http://a/b/"), Row("../g", "../g", "http://a/b/g"),
    Row("../..", "../..", "http://a/"), Row("../../", "../../", "http://a/"), Row("../../g", "../../g", "http://a/g"),
    Row("../../../g", "../../../g", "http://a/g"), Row("../../../../g", "../../../../g", "http://a/g"),
    Row("/./g", "/./g", "http://a/g"), Row("/../g", "/../g", "http://a/g"), Row("g.", "g.", "http://a/b/c/g."),
    Row(".g", ".g", "http://a/b/c/.g"), Row("g..", "g..", "http://a/b/c/g.."), Row("..g", "..g", "http://a/b/c/..g"),
    Row("./../g", "./../g", "http://a/b/g"), Row("./g/.", "./g/.", "http://a/b/c/g/"),
    Row("g/./h", "g/./h", "http://a/b/c/g/h"), Row("g/../h", "g/../h", "http://a/b/c/h"),
    Row("g;x=1/./y", "g;x=1/./y", "http://a/b/c/g;x=1/y"), Row("g;x=1/../y", "g;x=1/../y", "http://a/b/c/y"),
    Row("g?y/./x", "g?y/./x", "http://a/b/c/g?y/./x"), Row("g?y/../x", "g?y/../x", "http://a/b/c/g?y/../x"),
    Row("g#s/../x", "g#s/../x", "http://a/b/c/g"),
  ]

  @Test("The examples of RFC 3986 section 5.4 are resolved as stated there", arguments: examples)
  func example(_ row: Row<FieldValue, String>) throws {
    #expect(try Self.resolved(row.subject, from: "http://a/b/c/d;p?q").target.description == row.outcome)
  }

  static let references: [Row<FieldValue, String>] = [
    Row("an absolute URI is unchanged", "http://b/x", "http://b/x"),
    Row("another scheme keeps its own port", "http://b:443/x", "http://b:443/x"),
    Row("a host alone keeps the base's scheme", "//b:8443/x", "https://b:8443/x"),
    Row("a path keeps the base's port", "/x", "https://a:444/x"),
    Row("a space is percent-encoded", "/a b", "https://a:444/a%20b"),
    Row("bytes above 0x7f are percent-encoded", FieldValue([0x2f, 0xff]), "https://a:444/%FF"),
    Row("a colon in a later segment does not begin a scheme", "x/y:z", "https://a:444/x/y:z"),
    Row("a colon behind a digit does not begin a scheme", "1:2", "https://a:444/1:2"),
  ]

  @Test("A reference is resolved according to RFC 3986", arguments: references)
  func reference(_ row: Row<FieldValue, String>) throws {
    #expect(try Self.resolved(row.subject, from: "https://a:444/d").target.description == row.outcome)
  }

  static let refusals: [Row<FieldValue, URIError>] = [
    Row("another scheme is refused", "javascript:alert(1)", .unsupportedScheme("javascript")),
    Row("a refused scheme is not case-sensitive", "FTP://b/", .unsupportedScheme("ftp")),
    Row("http without slashes has no host", "http:g", .noHost),
    Row("an empty host is refused", "///x", .noHost),
    Row("a line break is refused", "/a\r\nb", .forbiddenCharacter),
    Row("a zero byte is refused", "/a\u{0}", .forbiddenCharacter),
    Row("a space in the host is refused", "http://a b/", .malformedHost),
  ]

  @Test("A reference without a valid target is refused with the reason", arguments: refusals)
  func refusal(_ row: Row<FieldValue, URIError>) {
    #expect(throws: row.outcome) { try Self.resolved(row.subject, from: "https://a/d") }
  }

  @Test("User information in a reference is separated from the target")
  func userInfo() throws {
    let reference = try Self.resolved("http://user:pass@b/x", from: "http://a/")
    #expect(reference.userInfo?.user == Array("user".utf8))
    #expect(reference.target.description == "http://b/x")
    #expect(try Self.resolved("/x", from: "http://a/").userInfo == nil)
  }

  @Test("Hostile bytes never trap, and a resolved target is safe for a request line")
  func hostile() throws {
    let base = try URIReference(typed: "http://a/b?c".utf8).target
    var resolved = 0
    for value in Hostile.values {
      guard let target = try? URIReference(value, relativeTo: base).target else { continue }
      resolved += 1
      #expect(target.pathAndQuery.utf8.first == UInt8(ascii: "/"))
      #expect(target.pathAndQuery.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "#") })
    }
    #expect(resolved > 0)
  }
}
