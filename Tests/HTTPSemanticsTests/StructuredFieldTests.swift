import HTTPSemantics
import TestTraits
import Testing

@Suite("Structured fields: RFC 9651 section 4.2")
struct StructuredFieldTests {
  static let lists: [Row<FieldValue, [String]?>] = [
    Row("a string is a member", #""a""#, ["a"]),
    Row("commas separate members, with whitespace around them", "\"a\",\"b\" ,\t\"c\"", ["a", "b", "c"]),
    Row("an empty string is a member", #""""#, [""]),
    Row("a comma in a string does not separate", #""a,b""#, ["a,b"]),
    Row("a backslash escapes a quote and a backslash", #""a\"\\b""#, [#"a"\b"#]),
    Row("a backslash escapes nothing else", #""a\b""#, nil),
    Row("parameters are skipped", #""a";x=1;y="z";w, "b";t=to/k:en;u=?1;v=:AA==:;n=-1.5;d=@1"#, ["a", "b"]),
    Row("an empty field has no members", "", []),
    Row("a comma at the end is malformed", #""a","#, nil),
    Row("an empty member is malformed", #""a",,"b""#, nil),
    Row("a token is no string", "a", nil),
    Row("one member of another type invalidates the field", #""a", b"#, nil),
    Row("a number is no string", "1", nil),
    Row("an inner list is refused", #"("a" "b")"#, nil),
    Row("an unterminated string is malformed", #""a"#, nil),
    Row("a string that ends in a backslash is malformed", #""a\"#, nil),
    Row("two strings without a comma are malformed", #""a""b""#, nil),
    Row("a control character in a string is malformed", "\"a\u{7f}\"", nil),
    Row("a character beyond ASCII in a string is malformed", "\"é\"", nil),
    Row("a parameter has a key in lower case", #""a";X=1"#, nil),
    Row("a parameter's value is an item", #""a";x="#, nil),
    Row("a boolean is 0 or 1", #""a";x=?2"#, nil),
    Row("a number has at most 15 digits", #""a";x=1234567890123456"#, nil),
    Row("a fraction has at most three digits", #""a";x=1.2345"#, nil),
    Row("a date has no fraction", #""a";x=@1.5"#, nil),
  ]

  @Test("A list of strings is read according to RFC 9651 section 4.2.1", arguments: lists)
  func list(_ row: Row<FieldValue, [String]?>) {
    let strings = StructuredField.strings(row.subject)
    #expect(strings?.map { String(decoding: $0, as: UTF8.self) } == row.outcome)
  }

  static let dictionaries: [Row<FieldValue, [String: [UInt8]]?>] = [
    Row("a key with a byte sequence", "a=:AQID:", ["a": [1, 2, 3]]),
    Row("commas separate members", "a=:AQ==:, b=:AgM=:", ["a": [1], "b": [2, 3]]),
    Row("an empty byte sequence is valid", "a=::", ["a": []]),
    Row("padding may be missing", "a=:AQ:, b=:AgM:", ["a": [1], "b": [2, 3]]),
    Row("unused bits of the last digit are ignored", "a=:AR==:", ["a": [1]]),
    Row("the last of two equal keys counts", "a=:AQ==:, a=:Ag==:", ["a": [2]]),
    Row("a key may contain digits and the marks _ - . *", "*a-1_b.c=:AQ==:", ["*a-1_b.c": [1]]),
    Row("parameters are skipped", "a=:AQ==:;x=1;y", ["a": [1]]),
    Row("the digits + and /", "a=:+/+/:", ["a": [0xfb, 0xff, 0xbf]]),
    Row("a key alone is a boolean", "a", nil),
    Row("a token is no byte sequence", "a=b", nil),
    Row("a string is no byte sequence", #"a="AQ==""#, nil),
    Row("one member of another type invalidates the field", "a=:AQ==:, b=1", nil),
    Row("an unterminated byte sequence is malformed", "a=:AQ==", nil),
    Row("an invalid digit is malformed", "a=:A-==:", nil),
    Row("a single digit is malformed", "a=:A:", nil),
    Row("too much padding is malformed", "a=:AQI==:", nil),
    Row("padding alone is malformed", "a=:==:", nil),
    Row("padding within is malformed", "a=:AQ==AQ==:", nil),
    Row("a key in upper case is malformed", "A=:AQ==:", nil),
    Row("whitespace before the equals sign is malformed", "a =:AQ==:", nil),
  ]

  @Test("A dictionary of byte sequences is read according to RFC 9651 section 4.2.2", arguments: dictionaries)
  func dictionary(_ row: Row<FieldValue, [String: [UInt8]]?>) {
    #expect(StructuredField.byteSequences(row.subject) == row.outcome)
  }

  @Test("Base64 is decoded to the bytes that were encoded, for lengths from 0 to 9")
  func base64() {
    for count in 0...9 {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 73 + 200) }
      let text = Base64.encode(bytes)
      #expect(text.utf8.count == (count + 2) / 3 * 4)
      #expect(Base64.decode(Array(text.utf8)[...]) == bytes)
    }
  }

  @Test("Hostile bytes never trap")
  func hostile() {
    for value in Hostile.values {
      _ = StructuredField.strings(value)
      _ = StructuredField.byteSequences(value)
    }
  }
}

@Suite("Digests that a response promises: RFC 9530")
struct PromisedDigestTests {
  private static let both: Fields = ["Content-Digest": "sha-256=:AQ==:", "Repr-Digest": "sha-512=:Ag==:"]

  static let messages: [Row<(Method, StatusCode), [FieldName]>] = [
    Row("a 200 to GET promises both", (.get, 200), [.contentDigest, .reprDigest]),
    Row("a 200 to POST promises both", (.post, 200), [.contentDigest, .reprDigest]),
    Row("an error promises both for its own content", (.get, 404), [.contentDigest, .reprDigest]),
    Row("a 206 promises only the digest of its content", (.get, 206), [.contentDigest]),
    Row("an answer to HEAD promises none", (.head, 200), []),
    Row("a 204 promises none", (.put, 204), []),
    Row("a 304 promises none", (.get, 304), []),
  ]

  @Test("Method and status decide which digests are those of the received content", arguments: messages)
  func message(_ row: Row<(Method, StatusCode), [FieldName]>) {
    let response = Response(row.subject.1, fields: Self.both)
    #expect(PromisedDigest.promised(by: response, to: row.subject.0).map(\.field) == row.outcome)
  }

  static let fields: [Row<FieldValue, [PromisedDigest.Algorithm]>] = [
    Row("each known algorithm counts", "sha-512=:AQ==:, sha-256=:AQ==:", [.sha256, .sha512]),
    Row("unknown algorithms are ignored", "md5=:AQ==:, sha-256=:AQ==:, unixsum=:AQ==:", [.sha256]),
    Row("keys in upper case are ignored", "SHA-256=:AQ==:", []),
    Row("a malformed field is ignored", "sha-256=AQ==", []),
    Row("a field with a member of another type is ignored", "sha-256=:AQ==:, md5=1", []),
  ]

  @Test("Of a digest field's algorithms only sha-256 and sha-512 count", arguments: fields)
  func field(_ row: Row<FieldValue, [PromisedDigest.Algorithm]>) {
    let response = Response(200, fields: Fields([Field(.reprDigest, row.subject)]))
    #expect(PromisedDigest.promised(by: response, to: .get).map(\.algorithm) == row.outcome)
  }

  @Test("Several lines of a digest field form one dictionary")
  func lines() {
    let fields: Fields = ["Repr-Digest": "sha-256=:AQ==:", "repr-digest": "sha-512=:Ag==:"]
    let promises = PromisedDigest.promised(by: Response(200, fields: fields), to: .get)
    #expect(promises.map(\.digest) == [[1], [2]])
  }
}
