import HTTPSemantics
import TestTraits
import Testing

@Suite("Target URIs as they are typed")
struct TypedURITests {
  static let targets: [Row<String, String>] = [
    Row("an http URI is unchanged", "http://example.com/a?b=c", "http://example.com/a?b=c"),
    Row("a URL without a scheme is http", "example.com/a", "http://example.com/a"),
    Row("a URL that begins with two slashes is http", "//example.com/a", "http://example.com/a"),
    Row("a name with a port is not a scheme", "localhost:8080/x", "http://localhost:8080/x"),
    Row("an empty path is the root", "https://example.com", "https://example.com/"),
    Row("a query without a path has the root", "http://example.com?x", "http://example.com/?x"),
    Row("scheme and host are not case-sensitive", "HTTP://EXAMPLE.Com/A", "http://example.com/A"),
    Row("the fragment is left out", "http://example.com/a#b?c", "http://example.com/a"),
    Row("a fragment behind the host is left out", "http://example.com#b", "http://example.com/"),
    Row("the scheme's default port is left out", "http://example.com:80/", "http://example.com/"),
    Row("an empty port is the default port", "https://example.com:/", "https://example.com/"),
    Row("another port is kept", "https://example.com:80/", "https://example.com:80/"),
    Row("the greatest port is allowed", "http://example.com:65535/", "http://example.com:65535/"),
    Row("a port's leading zeros are ignored", "http://example.com:0080/", "http://example.com/"),
    Row("an IPv6 address stands in brackets", "http://[2001:DB8::1]:8080/", "http://[2001:db8::1]:8080/"),
    Row("a zone identifier may follow the address", "http://[fe80::1%25eth0]/", "http://[fe80::1%25eth0]/"),
    Row("dot segments are removed", "http://example.com/a/./b/../c", "http://example.com/a/c"),
    Row("no dot segment leads above the root", "http://example.com/../../a", "http://example.com/a"),
    Row("empty segments are kept", "http://example.com//a//b", "http://example.com//a//b"),
    Row("dots in a query are kept", "http://example.com/a?b=../c", "http://example.com/a?b=../c"),
    Row("percent-encoding is kept as spelt", "http://example.com/%7e%7E~", "http://example.com/%7e%7E~"),
    Row("characters beyond ASCII are percent-encoded", "http://example.com/é?ü", "http://example.com/%C3%A9?%C3%BC"),
    Row("a percent-encoded host is decoded", "http://ex%61mple.com/", "http://example.com/"),
    Row("user information is not part of the target", "http://user:secret@example.com/", "http://example.com/"),
    Row("the last at sign ends the user information", "http://a@b@example.com/", "http://example.com/"),
    Row("an at sign in the path belongs to the path", "http://example.com/a@b", "http://example.com/a@b"),
  ]

  /// The spellings of libcurl (`curl -s -w '%{url_effective}' http://ADDRESS/`), with two exceptions: libcurl asks the
  /// resolver for a percent-encoded address, and does not write the IPv4 part of an address in decimal if that is
  /// longer.
  static let addresses: [Row<String, String>] = [
    Row("four numbers are an address", "192.0.2.1", "192.0.2.1"),
    Row("the last number may stand for three bytes", "127.1", "127.0.0.1"),
    Row("the last number may stand for two bytes", "127.2.257", "127.2.1.1"),
    Row("one number may stand for all bytes", "2130706433", "127.0.0.1"),
    Row("hexadecimal numbers", "0x7f000001", "127.0.0.1"),
    Row("hexadecimal numbers in capitals", "0X7F.0XA", "127.0.0.10"),
    Row("octal numbers", "0177.0.0.01", "127.0.0.1"), Row("a percent-encoded address", "12%37.1", "127.0.0.1"),
    Row("zero is an address", "0", "0.0.0.0"),
    Row("the greatest number is an address", "4294967295", "255.255.255.255"),
    Row("a greater number is a name", "4294967296", "4294967296"),
    Row("a byte above 255 makes a name", "256.1", "256.1"),
    Row("a number too large for the remaining bytes makes a name", "1.16777216", "1.16777216"),
    Row("a trailing period makes a name", "127.0.0.1.", "127.0.0.1."),
    Row("a fifth number makes a name", "1.2.3.4.5", "1.2.3.4.5"),
    Row("an empty number makes a name", "1..2", "1..2"), Row("an invalid octal digit makes a name", "08", "08"),
    Row("x without digits makes a name", "0x", "0x"),
    Row("a letter makes a name", "1a.test", "1a.test"),
    Row("an IPv6 address is shortened", "[2001:0DB8:0:0:0:0:0:1]", "[2001:db8::1]"),
    Row("the longest run of zeros is left out", "[2001:0:0:1:0:0:0:0]", "[2001:0:0:1::]"),
    Row("the first of two equally long runs is left out", "[1:0:0:2:0:0:3:4]", "[1::2:0:0:3:4]"),
    Row("a single zero is written", "[1:0:2:3:4:5:6:7]", "[1:0:2:3:4:5:6:7]"), Row("the zero address", "[::]", "[::]"),
    Row("the loopback address", "[0:0:0:0:0:0:0:1]", "[::1]"),
    Row("two colons may stand for one group", "[1:2:3::5:6:7:8]", "[1:2:3:0:5:6:7:8]"),
    Row("an IPv4-mapped address is written with the IPv4 address", "[::ffff:7f00:1]", "[::ffff:127.0.0.1]"),
    Row("an IPv4 suffix is read", "[1::127.0.0.1]", "[1::7f00:1]"),
    Row("an IPv4-compatible address is kept", "[::1.2.3.4]", "[::1.2.3.4]"),
    Row("a zone identifier keeps its case", "[FE80:0::1%25Eth0]", "[fe80::1%25Eth0]"),
  ]

  @Test("Every IP address has one normal spelling", arguments: addresses)
  func address(_ row: Row<String, String>) throws {
    #expect(try URIReference(typed: "http://\(row.subject)/".utf8).target.origin.host == row.outcome)
    #expect(try URIReference(typed: "http://\(row.outcome)/".utf8).target.origin.host == row.outcome)
  }

  @Test(
    "A malformed IPv6 address is refused",
    arguments: [
      ":", ":::", "1", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1::2::3", "1:2:3:4::5:6:7:8", "12345::", "g::", ":1",
      "1:",
      "::1.2.3", "::1.2.3.256", "::01.2.3.4", "1.2.3.4::", "1:2:3:4:5:6:7:1.2.3.4", "::1x", "%25eth0",
    ])
  func noAddress(_ text: String) {
    #expect(throws: URIError.malformedHost) { try URIReference(typed: "http://[\(text)]/".utf8) }
  }

  @Test("A typed URL is read into its target", arguments: targets)
  func target(_ row: Row<String, String>) throws {
    #expect(try URIReference(typed: row.subject.utf8).target.description == row.outcome)
  }

  static let slashes: [Row<String, String>] = [
    Row("one slash is accepted", "http:/example.com/a", "http://example.com/a"),
    Row("two slashes are accepted", "https://example.com/a", "https://example.com/a"),
    Row("three slashes are accepted", "HTTPS:///example.com/a", "https://example.com/a"),
    Row("a scheme without a slash is read as a host", "http:80/a", "http://http/a"),
    Row("a name with a port is read as a host", "localhost:80/a", "http://localhost/a"),
    Row("a URL that begins with two slashes is http", "//example.com/a", "http://example.com/a"),
  ]

  @Test("One and three slashes count as two, as in curl", arguments: slashes)
  func targetBehindSlashes(_ row: Row<String, String>) throws {
    #expect(try URIReference(typed: row.subject.utf8, slashes: .oneToThree).target.description == row.outcome)
  }

  @Test("Four slashes, and slashes behind another scheme, are refused")
  func tooManySlashes() {
    #expect(throws: URIError.noHost) { try URIReference(typed: "http:////a.test/".utf8, slashes: .oneToThree) }
    for (url, scheme) in [("file:///a", "file"), ("file:/a", "file"), ("file:/", "file"), ("a.test:/", "a.test")] {
      #expect(throws: URIError.unsupportedScheme(scheme)) {
        try URIReference(typed: url.utf8, slashes: .oneToThree)
      }
    }
  }

  static let asTyped: [Row<String, String>] = [
    Row("dot segments are kept", "http://example.com/a/./b/../c", "http://example.com/a/./b/../c"),
    Row("an absent path is the root", "http://example.com", "http://example.com/"),
    Row("an absent path before a query is the root", "http://example.com?..", "http://example.com/?.."),
    Row("characters beyond ASCII are percent-encoded", "http://example.com/../é", "http://example.com/../%C3%A9"),
  ]

  @Test("Dot segments are kept on request", arguments: asTyped)
  func targetAsTyped(_ row: Row<String, String>) throws {
    #expect(try URIReference(typed: row.subject.utf8, dotSegments: .kept).target.description == row.outcome)
  }

  static let queries: [Row<(String, String), String>] = [
    Row("a target without a query gets one", ("/a", "b=c"), "/a?b=c"),
    Row("a query is extended", ("/a?b", "c"), "/a?b&c"),
    Row("an empty query is replaced", ("/a?", "c"), "/a?c"),
    Row("no second ampersand is added", ("/a?b&", "c"), "/a?b&c"),
    Row("an empty addition changes nothing", ("/a", ""), "/a"),
    Row("characters that a request line cannot carry are encoded", ("/", "a b\r\n#é"), "/?a%20b%0D%0A%23%C3%A9"),
  ]

  @Test("A query is appended to the existing one", arguments: queries)
  func query(_ row: Row<(String, String), String>) throws {
    let target = try URIReference(typed: "http://a.test\(row.subject.0)".utf8).target
    #expect(target.appending(query: Array(row.subject.1.utf8)).pathAndQuery == row.outcome)
  }

  static let names: [Row<(String, String), String>] = [
    Row("a path that ends in a slash gets the name", ("/a/", "b.txt"), "/a/b.txt"),
    Row("the name precedes the query", ("/?q", "b"), "/b?q"),
    Row("the name becomes one segment", ("/", "a b/c?d"), "/a%20b%2Fc%3Fd"),
    Row("a path that has a name keeps it", ("/a", "b"), "/a"),
  ]

  @Test("A file's name is appended to a path that ends in a slash", arguments: names)
  func name(_ row: Row<(String, String), String>) throws {
    let target = try URIReference(typed: "http://a.test\(row.subject.0)".utf8).target
    #expect(target.naming(Array(row.subject.1.utf8)).pathAndQuery == row.outcome)
  }

  /// The mapping turns each host into `m`.
  static let mapped: [Row<(reference: String, isTyped: Bool), String>] = [
    Row("a host in ASCII stays", ("http://example.com/ü", true), "http://example.com/ü"),
    Row("a host beyond ASCII is mapped", ("http://bücher.example/ü?ü#ü", true), "http://m/ü?ü#ü"),
    Row("user information and port stay", ("https://ü:p@x@bücher.example:81?q", true), "https://ü:p@x@m:81?q"),
    Row("a percent-encoded host is mapped", ("http://b%C3%BCcher.example/", false), "http://m/"),
    Row("a typed host without a scheme is mapped", ("bücher.example:81/x", true), "m:81/x"),
    Row("without a scheme a reference is a path", ("bücher.example/x", false), "bücher.example/x"),
    Row("a reference's host is mapped", ("//bücher.example/x", false), "//m/x"),
    Row("a host behind one slash is mapped", ("http:/bücher.example/x", true), "http:/m/x"),
  ]

  @Test("A host beyond ASCII is mapped, and nothing else is changed", arguments: mapped)
  func mapping(_ row: Row<(reference: String, isTyped: Bool), String>) throws {
    let (reference, isTyped) = row.subject
    let mapped = try URIReference.mappingHost(of: Array(reference.utf8), isTyped: isTyped) { _ in Array("m".utf8) }
    #expect(String(decoding: mapped, as: UTF8.self) == row.outcome)
  }

  @Test(
    "A mapped host must not contain a character that would end the host",
    arguments: ["a/b", "a:1", "a@b", "a?b", "a b", "", "[::1]"])
  func mappingToMore(_ labels: String) throws {
    let map = { (_: [UInt8]) throws(URIError) in Array(labels.utf8) }
    #expect(throws: URIError.malformedHost) {
      try URIReference.mappingHost(of: Array("http://bücher.example/".utf8), isTyped: true, map)
    }
  }

  @Test(
    "A host that is malformed or too long is refused without asking the mapping",
    arguments: [
      "bücher.example%00.evil", "bücher%20.example", "bücher%7f.example", "bücher%2fx", "*.bücher.example", "bücher%ff",
      String(repeating: "ü", count: 2_049),
    ])
  func unmappable(_ host: String) {
    for isTyped in [true, false] {
      #expect(throws: URIError.malformedHost) {
        try URIReference.mappingHost(of: Array("http://\(host)/".utf8), isTyped: isTyped) { _ in
          Issue.record("asked")
          return Array("m".utf8)
        }
      }
    }
  }

  static let refusals: [Row<String, URIError>] = [
    Row("another scheme is refused", "ftp://example.com/", .unsupportedScheme("ftp")),
    Row("three slashes are refused", "http:///example.com/", .noHost),
    Row("a scheme without its colon is refused", "http//example.com/", .incompleteScheme),
    Row("a scheme without its slashes is refused", "HTTPS:example.com/", .incompleteScheme),
    Row("a scheme before an address without slashes is refused", "http:127.0.0.1", .incompleteScheme),
    Row("an empty text has no host", "", .noHost),
    Row("a scheme alone has no host", "http://", .noHost),
    Row("a path alone has no host", "/a/b", .noHost),
    Row("a port alone has no host", "http://:80/", .noHost),
    Row("userinfo alone has no host", "http://user@/", .noHost),
    Row("a space is refused", "http://example.com/a b", .forbiddenCharacter),
    Row("a line break is refused", "http://example.com/\r\nX: y", .forbiddenCharacter),
    Row("a zero byte is refused", "http://example.com/\u{0}", .forbiddenCharacter),
    Row("a zero byte in a user is refused", "http://a%00b:c@example.com/", .controlCharacterInUserInfo),
    Row("a line break in a password is refused", "http://a:b%0A@example.com/", .controlCharacterInUserInfo),
    Row("a DEL in a user is refused", "http://a%7f@example.com/", .controlCharacterInUserInfo),
    Row("a percent-encoded line break in the host is refused", "http://a%0d%0ab/", .malformedHost),
    Row("a percent-encoded slash in the host is refused", "http://a%2fb/", .malformedHost),
    Row("an unclosed bracket is refused", "http://[::1", .malformedHost),
    Row("brackets around nothing are refused", "http://[]/", .malformedHost),
    Row("brackets around a name are refused", "http://[example]/", .malformedHost),
    Row("characters behind the brackets are refused", "http://[::1]x/", .malformedHost),
    Row("a backslash in the host is refused", #"http://a\b/"#, .malformedHost),
    Row("a comma in the host is refused", "http://a,b/", .malformedHost),
    Row("a host beyond ASCII is refused", "http://b\u{fc}cher.example/", .hostBeyondASCII),
    Row("a percent-encoded host beyond ASCII is refused", "http://b%C3%BCcher.example/", .hostBeyondASCII),
    Row("a host of invalid UTF-8 is refused", "http://a%FFb/", .malformedHost),
    Row("a port that is no number is refused", "http://example.com:http/", .malformedPort),
    Row("a port that is too large is refused", "http://example.com:65536/", .malformedPort),
    Row("a negative port is refused", "http://example.com:-1/", .malformedPort),
    Row("two ports are refused", "http://example.com:1:2/", .malformedPort),
  ]

  @Test("An invalid URL is refused with the reason", arguments: refusals)
  func refusal(_ row: Row<String, URIError>) {
    #expect(throws: row.outcome) { try URIReference(typed: row.subject.utf8) }
    #expect(!row.outcome.reason.isEmpty)
  }

  @Test("A URI may be as long as in curl, and no longer")
  func length() throws {
    let room = URIReference.maximumLength - "http://a/#".utf8.count
    let longest = "http://a/#" + String(repeating: "b", count: room)
    #expect(try URIReference(typed: longest.utf8).target.description == "http://a/")
    #expect(throws: URIError.tooLong) { try URIReference(typed: (longest + "b").utf8) }
  }

  static let userInfos: [Row<String, [String]?>] = [
    Row("no user information", "http://example.com/", nil),
    Row("a name and a password", "http://user:pass@example.com/", ["user", "pass"]),
    Row("a name alone", "http://user@example.com/", ["user", ""]),
    Row("the first colon separates name and password", "http://user:a:b@example.com/", ["user", "a:b"]),
    Row("percent-encoding is decoded", "http://us%40er:p%3a%20@example.com/", ["us@er", "p: "]),
    Row("an invalid percent sign stays", "http://100%:%4@example.com/", ["100%", "%4"]),
    Row("name and password may be empty", "http://:@example.com/", ["", ""]),
  ]

  @Test("User information is split and decoded", arguments: userInfos)
  func userInfo(_ row: Row<String, [String]?>) throws {
    let userInfo = try URIReference(typed: row.subject.utf8).userInfo
    let texts = userInfo.map { [$0.user, $0.password].map { String(decoding: $0, as: UTF8.self) } }
    #expect(texts == row.outcome)
  }

  @Test("A target has scheme, host, port, path and query")
  func parts() throws {
    let target = try URIReference(typed: "https://example.com:8443/a/b?c=d?e".utf8).target
    #expect(target.origin.scheme == .https)
    #expect(target.origin.host == "example.com")
    #expect(target.origin.port == 8443)
    #expect(target.origin.authority == "example.com:8443")
    #expect(target.path == "/a/b")
    #expect(target.query == "c=d?e")
    #expect(try URIReference(typed: "http://a/b".utf8).target.query == nil)
    #expect(try URIReference(typed: "http://a/b?".utf8).target.query == "")
  }

  @Test("Hostile bytes never trap, and a valid target is safe for a request line")
  func hostile() throws {
    var read = 0
    for value in Hostile.values {
      let values = [value.bytes, Array("http://".utf8) + value.bytes, Array("http://a/".utf8) + value.bytes]
      for bytes in values {
        guard let target = try? URIReference(typed: bytes).target else { continue }
        read += 1
        #expect(target.pathAndQuery.utf8.first == UInt8(ascii: "/"))
        #expect(target.pathAndQuery.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "#") })
        #expect(target.origin.host.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7f })
        #expect(try URIReference(typed: target.description.utf8).target == target)
      }
    }
    #expect(read > 0)
  }
}
