import HTTPSemantics
import Testing

@Suite("Target URIs as they are typed")
struct TypedURITests {
  static let targets: [Row<String, String>] = [
    Row("an http URI is itself", "http://example.com/a?b=c", "http://example.com/a?b=c"),
    Row("without a scheme it is http", "example.com/a", "http://example.com/a"),
    Row("two slashes alone are http too", "//example.com/a", "http://example.com/a"),
    Row("a name with a port is no scheme", "localhost:8080/x", "http://localhost:8080/x"),
    Row("an empty path is the root", "https://example.com", "https://example.com/"),
    Row("a query without a path has the root", "http://example.com?x", "http://example.com/?x"),
    Row("scheme and host have no case", "HTTP://EXAMPLE.Com/A", "http://example.com/A"),
    Row("the fragment is left out", "http://example.com/a#b?c", "http://example.com/a"),
    Row("a fragment right behind the host is left out", "http://example.com#b", "http://example.com/"),
    Row("the scheme's own port is left out", "http://example.com:80/", "http://example.com/"),
    Row("an empty port is the scheme's own", "https://example.com:/", "https://example.com/"),
    Row("another port is kept", "https://example.com:80/", "https://example.com:80/"),
    Row("the greatest port is one", "http://example.com:65535/", "http://example.com:65535/"),
    Row("a port's leading zeros count for nothing", "http://example.com:0080/", "http://example.com/"),
    Row("an IPv6 address stands in brackets", "http://[2001:DB8::1]:8080/", "http://[2001:db8::1]:8080/"),
    Row("a zone identifier may follow it", "http://[fe80::1%25eth0]/", "http://[fe80::1%25eth0]/"),
    Row("dot segments are removed", "http://example.com/a/./b/../c", "http://example.com/a/c"),
    Row("no dot segment leads above the root", "http://example.com/../../a", "http://example.com/a"),
    Row("empty segments are segments", "http://example.com//a//b", "http://example.com//a//b"),
    Row("dots in a query are its own", "http://example.com/a?b=../c", "http://example.com/a?b=../c"),
    Row("percent-encoding stays as it is spelt", "http://example.com/%7e%7E~", "http://example.com/%7e%7E~"),
    Row("what lies beyond ASCII is percent-encoded", "http://example.com/é?ü", "http://example.com/%C3%A9?%C3%BC"),
    Row("a percent-encoded host is decoded", "http://ex%61mple.com/", "http://example.com/"),
    Row("userinfo is no part of the target", "http://user:secret@example.com/", "http://example.com/"),
    Row("the last at sign ends the userinfo", "http://a@b@example.com/", "http://example.com/"),
    Row("an at sign in the path is the path's", "http://example.com/a@b", "http://example.com/a@b"),
  ]

  /// As libcurl has them (`curl -s -w '%{url_effective}' http://ADDRESS/`), but that it asks the resolver for a
  /// percent-encoded one, and writes no address with numbers of IPv4 that is longer then.
  static let addresses: [Row<String, String>] = [
    Row("four numbers are one", "192.0.2.1", "192.0.2.1"),
    Row("the last may stand for three bytes", "127.1", "127.0.0.1"),
    Row("for two", "127.2.257", "127.2.1.1"), Row("for all", "2130706433", "127.0.0.1"),
    Row("in hexadecimal", "0x7f000001", "127.0.0.1"), Row("in capitals", "0X7F.0XA", "127.0.0.10"),
    Row("in octal", "0177.0.0.01", "127.0.0.1"), Row("as a percent-encoded text", "12%37.1", "127.0.0.1"),
    Row("zero is one", "0", "0.0.0.0"), Row("the greatest is one", "4294967295", "255.255.255.255"),
    Row("what is greater is a name", "4294967296", "4294967296"), Row("a byte is less than 256", "256.1", "256.1"),
    Row("the rest has as many bytes as are left", "1.16777216", "1.16777216"),
    Row("a period behind it makes a name", "127.0.0.1.", "127.0.0.1."),
    Row("a fifth number, too", "1.2.3.4.5", "1.2.3.4.5"),
    Row("an empty one, too", "1..2", "1..2"), Row("8 is no digit in octal", "08", "08"),
    Row("x alone is none", "0x", "0x"),
    Row("a letter makes a name", "1a.test", "1a.test"),
    Row("an IPv6 address is as short as can be", "[2001:0DB8:0:0:0:0:0:1]", "[2001:db8::1]"),
    Row("the first of the longest runs of zeros is left out", "[2001:0:0:1:0:0:0:0]", "[2001:0:0:1::]"),
    Row("of two as long, the first", "[1:0:0:2:0:0:3:4]", "[1::2:0:0:3:4]"),
    Row("a single zero is written", "[1:0:2:3:4:5:6:7]", "[1:0:2:3:4:5:6:7]"), Row("nothing is zero", "[::]", "[::]"),
    Row("one is one", "[0:0:0:0:0:0:0:1]", "[::1]"),
    Row("a gap may be of one", "[1:2:3::5:6:7:8]", "[1:2:3:0:5:6:7:8]"),
    Row("an IPv4 address within it is written as one", "[::ffff:7f00:1]", "[::ffff:127.0.0.1]"),
    Row("and read", "[1::127.0.0.1]", "[1::7f00:1]"), Row("the old way of it, too", "[::1.2.3.4]", "[::1.2.3.4]"),
    Row("a zone stays as it is", "[FE80:0::1%25Eth0]", "[fe80::1%25Eth0]"),
  ]

  @Test("An IP address has one spelling", arguments: addresses)
  func address(_ row: Row<String, String>) throws {
    #expect(try URIReference(typed: "http://\(row.subject)/".utf8).target.origin.host == row.outcome)
    #expect(try URIReference(typed: "http://\(row.outcome)/".utf8).target.origin.host == row.outcome)
  }

  @Test(
    "What is no IPv6 address is none",
    arguments: [
      ":", ":::", "1", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1::2::3", "1:2:3:4::5:6:7:8", "12345::", "g::", ":1",
      "1:",
      "::1.2.3", "::1.2.3.256", "::01.2.3.4", "1.2.3.4::", "1:2:3:4:5:6:7:1.2.3.4", "::1x", "%25eth0",
    ])
  func noAddress(_ text: String) {
    #expect(throws: URIError.malformedHost) { try URIReference(typed: "http://[\(text)]/".utf8) }
  }

  @Test("A URL that is typed has its target", arguments: targets)
  func target(_ row: Row<String, String>) throws {
    #expect(try URIReference(typed: row.subject.utf8).target.description == row.outcome)
  }

  static let slashes: [Row<String, String>] = [
    Row("one slash is enough", "http:/example.com/a", "http://example.com/a"),
    Row("two are what it takes", "https://example.com/a", "https://example.com/a"),
    Row("three are not too many", "HTTPS:///example.com/a", "https://example.com/a"),
    Row("without one, it is a host", "http:80/a", "http://http/a"),
    Row("and so is a name that is no scheme", "localhost:80/a", "http://localhost/a"),
    Row("two slashes alone are http too", "//example.com/a", "http://example.com/a"),
  ]

  @Test("One slash and three are taken for two, as by curl", arguments: slashes)
  func targetBehindSlashes(_ row: Row<String, String>) throws {
    #expect(try URIReference(typed: row.subject.utf8, slashes: .oneToThree).target.description == row.outcome)
  }

  @Test("Four slashes are too many, and another scheme is refused")
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
    Row("a path that is left out is the root", "http://example.com", "http://example.com/"),
    Row("and so it is before a query", "http://example.com?..", "http://example.com/?.."),
    Row("what lies beyond ASCII is percent-encoded", "http://example.com/../é", "http://example.com/../%C3%A9"),
  ]

  @Test("A path is left as it was typed where that is wanted", arguments: asTyped)
  func targetAsTyped(_ row: Row<String, String>) throws {
    #expect(try URIReference(typed: row.subject.utf8, dotSegments: .kept).target.description == row.outcome)
  }

  static let queries: [Row<(String, String), String>] = [
    Row("a target gets a query", ("/a", "b=c"), "/a?b=c"),
    Row("or more of it", ("/a?b", "c"), "/a?b&c"),
    Row("behind an empty one there is no sign", ("/a?", "c"), "/a?c"),
    Row("and no second one", ("/a?b&", "c"), "/a?b&c"),
    Row("nothing changes nothing", ("/a", ""), "/a"),
    Row("what a request line cannot carry is encoded", ("/", "a b\r\n#é"), "/?a%20b%0D%0A%23%C3%A9"),
  ]

  @Test("A query that is added stands behind the one that is there", arguments: queries)
  func query(_ row: Row<(String, String), String>) throws {
    let target = try URIReference(typed: "http://a.test\(row.subject.0)".utf8).target
    #expect(target.appending(query: Array(row.subject.1.utf8)).pathAndQuery == row.outcome)
  }

  static let names: [Row<(String, String), String>] = [
    Row("a directory gets a name", ("/a/", "b.txt"), "/a/b.txt"),
    Row("before its query", ("/?q", "b"), "/b?q"),
    Row("which is one segment", ("/", "a b/c?d"), "/a%20b%2Fc%3Fd"),
    Row("what has a name keeps it", ("/a", "b"), "/a"),
  ]

  @Test("A name that is added is the last part of the path", arguments: names)
  func name(_ row: Row<(String, String), String>) throws {
    let target = try URIReference(typed: "http://a.test\(row.subject.0)".utf8).target
    #expect(target.naming(Array(row.subject.1.utf8)).pathAndQuery == row.outcome)
  }

  /// Each host that is mapped becomes `m`.
  static let mapped: [Row<(reference: String, isTyped: Bool), String>] = [
    Row("a host in ASCII stays", ("http://example.com/ü", true), "http://example.com/ü"),
    Row("a host beyond it is mapped", ("http://bücher.example/ü?ü#ü", true), "http://m/ü?ü#ü"),
    Row("between userinfo and port", ("https://ü:p@x@bücher.example:81?q", true), "https://ü:p@x@m:81?q"),
    Row("percent-encoded or not", ("http://b%C3%BCcher.example/", false), "http://m/"),
    Row("without a scheme, where it was typed", ("bücher.example:81/x", true), "m:81/x"),
    Row("and is a path elsewhere", ("bücher.example/x", false), "bücher.example/x"),
    Row("of a reference with its own host", ("//bücher.example/x", false), "//m/x"),
    Row("after as many slashes as are taken", ("http:/bücher.example/x", true), "http:/m/x"),
  ]

  @Test("A host beyond ASCII is replaced, and nothing else", arguments: mapped)
  func mapping(_ row: Row<(reference: String, isTyped: Bool), String>) throws {
    let (reference, isTyped) = row.subject
    let mapped = try URIReference.mappingHost(of: Array(reference.utf8), isTyped: isTyped) { _ in Array("m".utf8) }
    #expect(String(decoding: mapped, as: UTF8.self) == row.outcome)
  }

  @Test("What a host is mapped to ends no host", arguments: ["a/b", "a:1", "a@b", "a?b", "a b", "", "[::1]"])
  func mappingToMore(_ labels: String) throws {
    let map = { (_: [UInt8]) throws(URIError) in Array(labels.utf8) }
    #expect(throws: URIError.malformedHost) {
      try URIReference.mappingHost(of: Array("http://bücher.example/".utf8), isTyped: true, map)
    }
  }

  @Test(
    "What is in no host, and what is longer than any, is nothing that anybody is asked about",
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
    Row("three slashes are not two", "http:///example.com/", .noHost),
    Row("a scheme wants its colon", "http//example.com/", .incompleteScheme),
    Row("and its slashes", "HTTPS:example.com/", .incompleteScheme),
    Row("before an address, too", "http:127.0.0.1", .incompleteScheme),
    Row("nothing has no host", "", .noHost),
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
    Row("an open bracket is refused", "http://[::1", .malformedHost),
    Row("brackets around nothing are refused", "http://[]/", .malformedHost),
    Row("brackets around a name are refused", "http://[example]/", .malformedHost),
    Row("something behind the brackets is refused", "http://[::1]x/", .malformedHost),
    Row("a backslash in the host is refused", #"http://a\b/"#, .malformedHost),
    Row("a comma in the host is refused", "http://a,b/", .malformedHost),
    Row("a host is in ASCII", "http://b\u{fc}cher.example/", .hostBeyondASCII),
    Row("percent-encoded or not", "http://b%C3%BCcher.example/", .hostBeyondASCII),
    Row("what is no text is no host", "http://a%FFb/", .malformedHost),
    Row("a port that is no number is refused", "http://example.com:http/", .malformedPort),
    Row("a port that is too great is refused", "http://example.com:65536/", .malformedPort),
    Row("a negative port is refused", "http://example.com:-1/", .malformedPort),
    Row("two ports are refused", "http://example.com:1:2/", .malformedPort),
  ]

  @Test("What is no URL that can be asked for is refused, with the reason", arguments: refusals)
  func refusal(_ row: Row<String, URIError>) {
    #expect(throws: row.outcome) { try URIReference(typed: row.subject.utf8) }
    #expect(!row.outcome.reason.isEmpty)
  }

  @Test("A URI may be as long as curl's, and no longer")
  func length() throws {
    let room = URIReference.maximumLength - "http://a/#".utf8.count
    let longest = "http://a/#" + String(repeating: "b", count: room)
    #expect(try URIReference(typed: longest.utf8).target.description == "http://a/")
    #expect(throws: URIError.tooLong) { try URIReference(typed: (longest + "b").utf8) }
  }

  static let userInfos: [Row<String, [String]?>] = [
    Row("none", "http://example.com/", nil),
    Row("a name and a password", "http://user:pass@example.com/", ["user", "pass"]),
    Row("a name alone", "http://user@example.com/", ["user", ""]),
    Row("the first colon divides", "http://user:a:b@example.com/", ["user", "a:b"]),
    Row("percent-encoding is decoded", "http://us%40er:p%3a%20@example.com/", ["us@er", "p: "]),
    Row("a percent sign that encodes nothing stays", "http://100%:%4@example.com/", ["100%", "%4"]),
    Row("both may be empty", "http://:@example.com/", ["", ""]),
  ]

  @Test("User information is taken apart and decoded", arguments: userInfos)
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

  @Test("Hostile bytes never trap, and a target that is read goes into a request line unchanged")
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
