import HTTPSemantics
import TestTraits
import Testing

@Suite("Lists and quoted strings: RFC 9110 section 5.6")
struct ListSyntaxTests {
  static let lists: [Row<String, [String]>] = [
    Row("a comma separates members", "a,b", ["a", "b"]),
    Row("whitespace around a member is removed", " a \t,\t b ", ["a", "b"]),
    Row("empty members are left out", ",, a ,, ,b,", ["a", "b"]),
    Row("an empty value has no members", "", []),
    Row("a comma within a quoted string does not separate", "a=\"1,2\", b", ["a=\"1,2\"", "b"]),
    Row("a quoted pair does not end a quoted string", #"a="1\",2", b"#, [#"a="1\",2""#, "b"]),
    Row("a backslash outside quotes escapes nothing", #"a\,b"#, [#"a\"#, "b"]),
    Row("an unterminated quoted string extends to the end", "a, \"b, c", ["a", "\"b, c"]),
    Row("a backslash at the very end is kept", #"a, "b\"#, ["a", #""b\"#]),
  ]

  @Test("A list consists of the members between its commas", arguments: lists)
  func members(_ row: Row<String, [String]>) {
    let members = ListSyntax.members(of: Array(row.subject.utf8))
    #expect(members.map { String(decoding: $0, as: UTF8.self) } == row.outcome)
  }

  @Test("A field has the members of all its lines")
  func membersOfLines() {
    let fields: Fields = ["Vary": "a, b", "X": "z", "vary": "", "VARY": "c"]
    #expect(fields.members(of: .vary).map { String(decoding: $0, as: UTF8.self) } == ["a", "b", "c"])
  }

  static let quoted: [Row<String, String?>] = [
    Row("quotes are removed", #""abc""#, "abc"),
    Row("an empty quoted string is empty text", #""""#, ""),
    Row("a quoted pair stands for its second byte", #""a\"b\\c\d""#, #"a"b\cd"#),
    Row("a token is no quoted string", "abc", nil),
    Row("an unterminated quoted string is invalid", #""abc"#, nil),
    Row("a lone quote is invalid", "\"", nil),
    Row("an escaped quote does not end the string", #""abc\""#, nil),
    Row("text behind the closing quote is invalid", #""abc"d"#, nil),
  ]

  @Test("A quoted string is read without its quotes and escapes", arguments: quoted)
  func unquoted(_ row: Row<String, String?>) {
    let content = ListSyntax.unquoted(Array(row.subject.utf8)[...])
    #expect(content.map { String(decoding: $0, as: UTF8.self) } == row.outcome)
  }

  static let numbers: [Row<String, UInt64?>] = [
    Row("zero", "0", 0), Row("leading zeros are ignored", "00042", 42),
    Row("the greatest number", "18446744073709551615", .max),
    Row("one more than the greatest number", "18446744073709551616", nil),
    Row("ten times the greatest number", "184467440737095516150", nil), Row("empty", "", nil),
    Row("a sign", "+1", nil), Row("a minus sign", "-1", nil), Row("a space", " 1", nil), Row("a fraction", "1.0", nil),
    Row("hexadecimal digits", "1f", nil), Row("digits of another script", "١", nil),
  ]

  @Test("A decimal number consists of digits only", arguments: numbers)
  func decimal(_ row: Row<String, UInt64?>) {
    #expect(ASCII.decimalUInt64(Array(row.subject.utf8)) == row.outcome)
  }

  @Test("Letters, digits and case are those of ASCII, for all 256 bytes")
  func classes() {
    for byte in UInt8.min...UInt8.max {
      let isUpper = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
      let isLower = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
      #expect(ASCII.isLetter(byte) == (isUpper || isLower))
      #expect(ASCII.isDigit(byte) == (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte))
      #expect(ASCII.lowercased(byte) == (isUpper ? byte + 32 : byte))
      let delimiters = Array("\"(),/:;<=>?@[\\]{}".utf8)
      #expect(ASCII.isTokenCharacter(byte) == (byte > 0x20 && byte < 0x7f && !delimiters.contains(byte)))
    }
  }

  @Test("Long runs of whitespace, commas and quotes are read in linear time")
  func longRuns() {
    let length = 200_000
    let spaces = [UInt8](repeating: ASCII.space, count: length)
    #expect(ASCII.trimmed(spaces[...]).isEmpty)
    #expect(ListSyntax.members(of: [UInt8](repeating: ASCII.comma, count: length)).isEmpty)
    let quotes = [UInt8](repeating: ASCII.quote, count: length)
    #expect(ListSyntax.members(of: quotes).count == 1)
  }

  @Test("Hostile bytes never trap")
  func hostile() {
    var readable = 0
    for value in Hostile.values {
      let members = ListSyntax.members(of: value.bytes)
      readable += members.count
      for member in members where ListSyntax.unquoted(member) != nil { readable += 1 }
      #expect(members.allSatisfy { !$0.isEmpty && ASCII.trimmed($0) == $0 })
    }
    #expect(readable > 0)
  }
}
