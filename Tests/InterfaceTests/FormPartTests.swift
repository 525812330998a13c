import FlagTable
import Interface
import Testing

@Suite("The parts of a form are read as curl reads them")
struct FormPartTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let text: ArgumentText
    let part: FormPart

    init(_ rule: String, _ text: ArgumentText, _ part: FormPart) {
      self.testDescription = rule
      self.text = text
      self.part = part
    }
  }

  private static func file(
    _ name: ArgumentText, type: ArgumentText? = nil, filename: ArgumentText? = nil
  ) -> FormPart.File {
    FormPart.File(name, .init(type: type, filename: filename))
  }

  static let rows: [Row] = [
    Row("text", "a=b", FormPart("a", .text(.literal("b")))),
    Row("text may be empty", "a=", FormPart("a", .text(.literal("")))),
    Row("a part may have no name", "=b", FormPart("", .text(.literal("b")))),
    Row("further equals signs belong to the text", "a=b=c", FormPart("a", .text(.literal("b=c")))),
    Row("a closing parenthesis alone is text", "a=)", FormPart("a", .text(.literal(")")))),
    Row("a parenthesis after a space is text", "a= (b", FormPart("a", .text(.literal("(b")))),
    Row("a parenthesis in quotation marks is text", #"a="(b""#, FormPart("a", .text(.literal("(b")))),
    Row("spaces around the text are removed", "a= b ", FormPart("a", .text(.literal("b")))),
    Row(
      "text in quotation marks is kept as it is", #"a=" b;c,\"\\ ""#, FormPart("a", .text(.literal(#" b;c,"\ "#)))),
    Row("a quotation mark without a second is text", #"a="b"#, FormPart("a", .text(.literal(#""b"#)))),
    Row(
      "text may have a type", "a=b;type=text/html", FormPart("a", .text(.literal("b")), .init(type: "text/html"))),
    Row(
      "a type may have parameters", "a=b; type=text/plain; charset=utf-8;filename=c",
      FormPart("a", .text(.literal("b")), .init(type: "text/plain; charset=utf-8", filename: "c"))),
    Row(
      "a parameter's value may be a quoted string", #"a=b;type=text/html; charset="x;\"y" ;filename=c"#,
      FormPart("a", .text(.literal("b")), .init(type: #"text/html; charset="x;\"y""#, filename: "c"))),
    Row(
      "a comma in a quoted string does not end the file", #"a=@b;type=text/x;p="c,d";q=e,f"#,
      FormPart("a", .files([file("b", type: #"text/x; p="c,d"; q=e"#), file("f")]))),
    Row(
      "attributes are not case-sensitive", "a=@b;TYPE=text/X;FileName=C",
      FormPart("a", .files([file("b", type: "text/X", filename: "C")]))),
    Row("text from a file", "a=<b", FormPart("a", .text(.file("b")))),
    Row("text from standard input", "a=<-", FormPart("a", .text(.file("-")))),
    Row(
      "text from a file may have a type", "a=<b;type=text/x", FormPart("a", .text(.file("b")), .init(type: "text/x"))),
    Row("a file", "a=@b", FormPart("a", .files([file("b")]))),
    Row(
      "a file with a type and another name", "a=@b;type=image/png;filename=c.png",
      FormPart("a", .files([file("b", type: "image/png", filename: "c.png")]))),
    Row(
      "a file name in quotation marks", #"a=@"b;c,d";filename="e;f""#,
      FormPart("a", .files([file("b;c,d", filename: "e;f")]))),
    Row(
      "several files, each with its own attributes", "a=@b,c;type=text/x,d;filename=e",
      FormPart("a", .files([file("b"), file("c", type: "text/x"), file("d", filename: "e")]))),
  ]

  @Test("A value of -F is read as in curl", arguments: rows)
  func part(_ row: Row) throws {
    #expect(try FormPart(parsing: row.text) == row.part)
  }

  @Test(
    "A malformed part of a form is refused",
    arguments: [
      "", "a", "a=@", "a=<", "a=@b,", "a=b;c=d", "a=b;type=c/d\n", "a=b;type=", "a=@b;type=c", "=(", "a=(",
      "a=(b;type=c/d", "=)", "a=b;type=c/d;e=\"f;g",
    ])
  func refusal(_ text: ArgumentText) {
    #expect(throws: InvalidValue.self) { try FormPart(parsing: text) }
  }
}
