import HTTPSemantics
import Testing

/// Content-Disposition (RFC 6266).
@Suite struct ContentDispositionTests {
  @Test(arguments: [
    Row("a token names the file", "attachment; filename=a.txt", "a.txt"),
    Row("a quoted string may hold what separates", #"attachment; filename="a; b.txt""#, "a; b.txt"),
    Row("a quoted pair is the character", #"attachment; filename="a\"b.txt""#, #"a"b.txt"#),
    Row("so it is where a name begins as that of a host", #"attachment; filename="\\x\"y""#, #"\x"y"#),
    Row("names of parameters have no case", "ATTACHMENT; FileName=a", "a"),
    Row("white space around the parts counts nothing", "attachment ;  filename = a ; x=y", "a"),
    Row("an unquoted name with spaces is taken as it was meant", "attachment; filename=my file.txt", "my file.txt"),
    Row("an unknown type is an attachment", "foo; filename=a", "a"),
    Row("a type that is missing is one, too", "filename=a", "a"),
    Row("filename* counts more than filename", "a; filename=plain; filename*=UTF-8''%e2%82%ac", "€"),
    Row("the language of filename* is of no account", "a; filename*=utf-8'en'a%20b", "a b"),
    Row("ISO-8859-1 is read", "a; filename*=ISO-8859-1''%e9", "é"),
    Row("another character set gives way to filename", "a; filename*=KOI8-R''%e9; filename=b", "b"),
    Row("UTF-8 that is none gives way to filename", "a; filename*=UTF-8''%e9; filename=b", "b"),
    Row("a broken escape gives way to filename", "a; filename*=UTF-8''%4; filename=b", "b"),
    Row("a quoted string without an end names nothing", #"a; filename="b"#, nil),
    Row("of two names the first counts", "a; filename=b; filename=c", "b"),
    Row("inline may have no name", "inline", nil),
    Row("an empty field names nothing", "", nil),
  ])
  func `the name is that of the field`(_ row: Row<FieldValue, String?>) {
    let name = ContentDisposition(row.subject)?.filename
    #expect(name.map { String(decoding: $0, as: UTF8.self) } == row.outcome)
  }

  @Test(arguments: [
    Row("a name as it should be", "a b.txt", "a b.txt"),
    Row("a path of this system", "../../etc/passwd", "passwd"),
    Row("a path of another", #"C:\\dir\\a.exe"#, "a.exe"),
    Row("a path of another whose separators nobody has escaped", #"C:\dir\a.exe"#, "a.exe"),
    Row("one with the name of a host", #"\\host\dir\a.exe"#, "a.exe"),
    Row("a colon, and a quoted pair", #"c:\"a.txt"#, #"c:"a.txt"#),
    Row("a directory", "a/", nil),
    Row("dots", "..", nil),
    Row("a file that hides", ".bashrc", "bashrc"),
    Row("a file that hides behind spaces and dots", " . .bashrc", "bashrc"),
    Row("what a terminal obeys", "a\u{1b}[2Jb\u{7f}\u{85}\t", "a[2Jb"),
    Row("only that", "\u{1}\u{2}", nil),
    Row("white space at the end", "a  ", "a"),
    Row("a name with a NUL", "a\0b", "ab"),
    Row("marks that turn the text, and what nobody sees", "\u{202e}a\u{200b}.\u{feff}txt\u{61c}", "a.txt"),
    Row("a letter that is nothing to see", "\u{3164}\u{115f}", nil),
    Row("a soft hyphen, and what chooses a variant of nothing", "\u{ad}\u{fe0f}.\u{fe0f}netrc", "netrc"),
    Row("what chooses a variant", "\u{2764}\u{fe0f}\u{200b}.txt", "\u{2764}\u{fe0f}.txt"),
    Row("a flag of tags", "\u{1f3f4}\u{e0067}\u{e0062}\u{e007f}", "\u{1f3f4}\u{e0067}\u{e0062}\u{e007f}"),
    Row("what hides a period at the front", "\u{200b}.bashrc", "bashrc"),
  ])
  func `a name does no harm`(_ row: Row<String, String?>) {
    let field = FieldValue(Array("a; filename=\"".utf8) + Array(row.subject.utf8) + Array("\"".utf8))
    let name = ContentDisposition(field)?.safeName
    #expect(name.map { String(decoding: $0, as: UTF8.self) } == row.outcome)
  }

  /// A character stands for the byte of that number.
  @Test(arguments: [
    Row("one byte that is no UTF-8 beside a mark", "report\u{e2}\u{80}\u{ae}fdp.exe\u{ff}", "reportfdp.exe\u{ff}"),
    Row("C1 as a byte of its own", "x\u{9b}31mred\u{ff}", "x31mred\u{ff}"),
    Row("a letter of Latin-1", "caf\u{e9}", "caf\u{e9}"),
    Row("a mark with another in its middle", "\u{ef}\u{bb}\u{e2}\u{80}\u{8b}\u{bf}a", "a"),
    Row("C1 with a mark in its middle", "\u{c2}\u{e2}\u{80}\u{8b}\u{9b}a", "\u{c2}a"),
  ])
  func `a name that is no UTF-8 does no harm either`(_ row: Row<String, String>) {
    let bytes = { (text: String) in text.unicodeScalars.map { UInt8($0.value) } }
    let field = FieldValue(bytes("a; filename=\"\(row.subject)\""))
    #expect(ContentDisposition(field)?.safeName == bytes(row.outcome))
  }

  @Test func `marks within marks are taken out of no more than a name can have of them`() {
    let count = 20_000
    let starts = [UInt8](repeating: 0xef, count: count)
    let ends = [[UInt8]](repeating: [0xbb, 0xbf], count: count).flatMap { $0 }
    let field = FieldValue(Array("a; filename=\"x".utf8) + starts + ends + Array("\"".utf8))
    #expect(ContentDisposition(field)?.safeName?.first == UInt8(ascii: "x"))
    // All of them are one within the other, so that what is looked at is what is left.
    #expect(ContentDisposition(field)?.safeName?.contains(0xef) == true)
  }

  @Test(arguments: [("é", 200, 252), ("é", 127, 252), ("日", 84, 252), ("日", 85, 252), ("🂡", 63, 252), ("a", 300, 252)])
  func `a long name is cut between two characters, and no shorter`(character: String, count: Int, length: Int) throws {
    let field = FieldValue("a; filename=\"\(String(repeating: character, count: count))\"")
    let name = try #require(ContentDisposition(field)?.safeName)
    #expect(name.count == length)
    #expect(String(validating: name, as: UTF8.self) != nil)
  }

  @Test func `a long name is cut before the character that does not fit`() throws {
    let name = try #require(
      ContentDisposition(FieldValue("a; filename=\"a\(String(repeating: "日", count: 84))\""))?.safeName)
    #expect(String(validating: name, as: UTF8.self) == "a" + String(repeating: "日", count: 83))
  }
}
