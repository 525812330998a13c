import HTTPSemantics
import TestTraits
import Testing

/// Content-Disposition (RFC 6266).
@Suite struct ContentDispositionTests {
  @Test(arguments: [
    Row("a token names the file", "attachment; filename=a.txt", "a.txt"),
    Row("a quoted string may contain separators", #"attachment; filename="a; b.txt""#, "a; b.txt"),
    Row("a quoted pair stands for its character", #"attachment; filename="a\"b.txt""#, #"a"b.txt"#),
    Row("a quoted pair counts at the beginning of a name, too", #"attachment; filename="\\x\"y""#, #"\x"y"#),
    Row("names of parameters are not case-sensitive", "ATTACHMENT; FileName=a", "a"),
    Row("white space around the parts is ignored", "attachment ;  filename = a ; x=y", "a"),
    Row("an unquoted name may contain spaces", "attachment; filename=my file.txt", "my file.txt"),
    Row("an unknown type is an attachment", "foo; filename=a", "a"),
    Row("a name without a type is read", "filename=a", "a"),
    Row("filename* takes precedence over filename", "a; filename=plain; filename*=UTF-8''%e2%82%ac", "€"),
    Row("the language of filename* is ignored", "a; filename*=utf-8'en'a%20b", "a b"),
    Row("ISO-8859-1 is read", "a; filename*=ISO-8859-1''%e9", "é"),
    Row("filename is used if the character set of filename* is unknown", "a; filename*=KOI8-R''%e9; filename=b", "b"),
    Row("filename is used if filename* is invalid UTF-8", "a; filename*=UTF-8''%e9; filename=b", "b"),
    Row("filename is used if filename* has a broken escape", "a; filename*=UTF-8''%4; filename=b", "b"),
    Row("an unterminated quoted string names nothing", #"a; filename="b"#, nil),
    Row("the first of two names counts", "a; filename=b; filename=c", "b"),
    Row("inline may have no name", "inline", nil),
    Row("an empty field names nothing", "", nil),
  ])
  func `the file name is the one that Content-Disposition gives`(_ row: Row<FieldValue, String?>) {
    let name = ContentDisposition(row.subject)?.filename
    #expect(name.map { String(decoding: $0, as: UTF8.self) } == row.outcome)
  }

  @Test(arguments: [
    Row("a harmless name", "a b.txt", "a b.txt"),
    Row("a path of this system", "../../etc/passwd", "passwd"),
    Row("a path of Windows", #"C:\\dir\\a.exe"#, "a.exe"),
    Row("a path of Windows with unescaped separators", #"C:\dir\a.exe"#, "a.exe"),
    Row("a path of Windows with a host", #"\\host\dir\a.exe"#, "a.exe"),
    Row("a colon, and a quoted pair", #"c:\"a.txt"#, #"c:"a.txt"#),
    Row("a directory", "a/", nil),
    Row("two dots", "..", nil),
    Row("a hidden file", ".bashrc", "bashrc"),
    Row("a hidden file behind spaces and dots", " . .bashrc", "bashrc"),
    Row("control characters", "a\u{1b}[2Jb\u{7f}\u{85}\t", "a[2Jb"),
    Row("control characters alone", "\u{1}\u{2}", nil),
    Row("white space at the end", "a  ", "a"),
    Row("a name with a NUL", "a\0b", "ab"),
    Row(
      "invisible characters, and those that change the direction of text", "\u{202e}a\u{200b}.\u{feff}txt\u{61c}",
      "a.txt"),
    Row("invisible letters alone", "\u{3164}\u{115f}", nil),
    Row("a soft hyphen, and a variation selector without a character", "\u{ad}\u{fe0f}.\u{fe0f}netrc", "netrc"),
    Row("a variation selector behind its character", "\u{2764}\u{fe0f}\u{200b}.txt", "\u{2764}\u{fe0f}.txt"),
    Row("a flag that consists of tags", "\u{1f3f4}\u{e0067}\u{e0062}\u{e007f}", "\u{1f3f4}\u{e0067}\u{e0062}\u{e007f}"),
    Row("an invisible character before a leading period", "\u{200b}.bashrc", "bashrc"),
  ])
  func `a file name from Content-Disposition does no harm`(_ row: Row<String, String?>) {
    let field = FieldValue(Array("a; filename=\"".utf8) + Array(row.subject.utf8) + Array("\"".utf8))
    let name = ContentDisposition(field)?.safeName
    #expect(name.map { String(decoding: $0, as: UTF8.self) } == row.outcome)
  }

  /// Each character stands for the byte of its number.
  @Test(arguments: [
    Row(
      "an invalid byte beside an invisible character", "report\u{e2}\u{80}\u{ae}fdp.exe\u{ff}", "reportfdp.exe\u{ff}"),
    Row("a C1 control character as a single byte", "x\u{9b}31mred\u{ff}", "x31mred\u{ff}"),
    Row("a letter of Latin-1", "caf\u{e9}", "caf\u{e9}"),
    Row("an invisible character that contains another", "\u{ef}\u{bb}\u{e2}\u{80}\u{8b}\u{bf}a", "a"),
    Row("a C1 control character that contains an invisible one", "\u{c2}\u{e2}\u{80}\u{8b}\u{9b}a", "\u{c2}a"),
  ])
  func `a file name that is no UTF-8 does no harm`(_ row: Row<String, String>) {
    let bytes = { (text: String) in text.unicodeScalars.map { UInt8($0.value) } }
    let field = FieldValue(bytes("a; filename=\"\(row.subject)\""))
    #expect(ContentDisposition(field)?.safeName == bytes(row.outcome))
  }

  @Test func `invisible marks within marks are taken out only as deep as a file name is long`() {
    let count = 20_000
    let starts = [UInt8](repeating: 0xef, count: count)
    let ends = [[UInt8]](repeating: [0xbb, 0xbf], count: count).flatMap { $0 }
    let field = FieldValue(Array("a; filename=\"x".utf8) + starts + ends + Array("\"".utf8))
    #expect(ContentDisposition(field)?.safeName?.first == UInt8(ascii: "x"))
    // Each character contains another one, so the limit on what is examined leaves some of them.
    #expect(ContentDisposition(field)?.safeName?.contains(0xef) == true)
  }

  @Test(arguments: [("é", 200, 252), ("é", 127, 252), ("日", 84, 252), ("日", 85, 252), ("🂡", 63, 252), ("a", 300, 252)])
  func `a long file name is cut between two characters, and no shorter`(character: String, count: Int, length: Int)
    throws
  {
    let field = FieldValue("a; filename=\"\(String(repeating: character, count: count))\"")
    let name = try #require(ContentDisposition(field)?.safeName)
    #expect(name.count == length)
    #expect(String(validating: name, as: UTF8.self) != nil)
  }

  @Test func `a long file name is cut before the character that does not fit`() throws {
    let name = try #require(
      ContentDisposition(FieldValue("a; filename=\"a\(String(repeating: "日", count: 84))\""))?.safeName)
    #expect(String(validating: name, as: UTF8.self) == "a" + String(repeating: "日", count: 83))
  }
}
