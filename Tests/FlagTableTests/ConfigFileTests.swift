import Testing

@testable import FlagTable

@Suite("A config file is read line by line")
struct ConfigFileTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let text: ArgumentText
    let name: ArgumentText
    let value: ArgumentText?

    init(_ rule: String, _ text: ArgumentText, _ name: ArgumentText, _ value: ArgumentText?) {
      (self.testDescription, self.text, self.name, self.value) = (rule, text, name, value)
    }
  }

  static let entries: [Row] = [
    Row("a name with a value", "output = file", "output", "file"),
    Row("spaces around the equals sign may be absent", "output=file", "output", "file"),
    Row("spaces around the line are removed", " \toutput =\tfile \t", "output", "file"),
    Row("spaces within a value are kept", "header = A: b  c", "header", "A: b  c"),
    Row("only the first equals sign separates", "data = a=b", "data", "a=b"),
    Row("a value may be empty", "proxy =", "proxy", ""),
    Row("a name alone has no value", "silent", "silent", nil),
    Row("a comment may follow a name", "silent # still", "silent", nil),
    Row("a comment may follow a value", "output = file # there", "output", "file"),
    Row("a comment may follow an equals sign", "output = # nothing", "output", ""),
    Row("a number sign within a word belongs to the value", "referer = http://a/#b", "referer", "http://a/#b"),
    Row("quotation marks preserve spaces and number signs", "header = \" a # b \"", "header", " a # b "),
    Row("a comment may follow a quoted value", "header = \"a\" # b", "header", "a"),
    Row("a quoted value may be empty", "header = \"\"", "header", ""),
    Row("escapes in quotation marks are decoded", #"header = "\"\\\t\n""#, "header", "\"\\\t\n"),
    Row("a backslash outside quotation marks is literal", #"header = a\tb"#, "header", #"a\tb"#),
    Row("quotation marks within a value are literal", #"json = {"a": 1}"#, "json", #"{"a": 1}"#),
    Row("a name may hold digits, dots and hyphens", "http1.1 = yes", "http1.1", "yes"),
    Row("a line may end in CR LF", "output = file\r", "output", "file"),
    Row("a carriage return within a value is kept", "output = a\rb", "output", "a\rb"),
    Row("a byte order mark is skipped", "\u{feff}output = file", "output", "file"),
    Row(
      "bytes that are not UTF-8 are kept", ArgumentText(Array("header = A: ".utf8) + [0xe9]), "header",
      ArgumentText(Array("A: ".utf8) + [0xe9])),
  ]

  @Test("A setting is read with its name and value", arguments: entries)
  func reads(_ row: Row) {
    let file = ConfigFile(row.text.bytes)
    #expect(file.faults.isEmpty)
    #expect(file.sections.count == 1)
    #expect(file.sections[0].entries == [.init(name: row.name, value: row.value, line: 1)])
  }

  @Test(
    "Empty lines and comments set nothing",
    arguments: ["", "\n\n", "  \t", "# a = b", "  # a", "\r\n#\r\n", "\u{feff}"])
  func nothing(_ text: String) {
    let file = ConfigFile(Array(text.utf8))
    #expect(file.faults.isEmpty && file.sections.map(\.entries) == [[]])
  }

  static let faults: [(String, SettingError)] = [
    ("a b", .malformedLine), ("a#b", .malformedLine), ("= b", .malformedLine), ("a: b", .malformedLine),
    ("\"a\" = b", .malformedLine),
    ("a = b\0", .nulByte), ("# \0", .nulByte),
    ("a = \"b", .openQuote), ("a = \"b\\\"", .openQuote), ("a = \"b\\", .openQuote),
    ("a = \"\\x\"", .unknownEscape("\\x")), ("a = \"b\"c", .textBehindValue), ("a = \"b\" c", .textBehindValue),
    ("a = \"b\"# c", .textBehindValue),
    ("[", .malformedHeading), ("[]", .malformedHeading), ("[a", .malformedHeading), ("[a] b", .malformedHeading),
    ("[a \"b\"", .malformedHeading), ("[a b]", .malformedHeading), ("[\"b\"]", .malformedHeading),
    ("[a \"b]", .openQuote),
  ]

  @Test("A malformed line is reported with its number, and the other lines are read", arguments: faults)
  func refuses(_ line: String, _ reason: SettingError) {
    let file = ConfigFile(Array("first\n\(line)\nlast\n".utf8))
    #expect(file.faults == [ConfigFault(line: 2, reason)])
    #expect(file.sections.flatMap(\.entries).map(\.line) == [1, 3])
    // The lines after a malformed heading belong to an unknown section.
    #expect(file.sections.last?.heading == (line.first == "[" ? .malformed : ConfigFile.Heading.none))
  }

  @Test("A heading begins a section")
  func sections() {
    let file = ConfigFile(Array("a\n[one]\nb\n [ two \"x \\\" ]y\" ] # comment\nc\n[one]\n".utf8))
    #expect(file.faults.isEmpty)
    #expect(
      file.sections.map(\.heading) == [
        .none, .named("one", argument: nil), .named("two", argument: "x \" ]y"), .named("one", argument: nil),
      ])
    #expect(file.sections.map(\.line) == [1, 2, 4, 6])
    #expect(file.sections.map { $0.entries.map(\.name) } == [["a"], ["b"], ["c"], []])
  }

  @Test("Every malformed line is reported")
  func everyFault() {
    let file = ConfigFile(Array("a b\nfine\n[\nc = \"\n".utf8))
    #expect(file.faults.map(\.line) == [1, 3, 4])
  }
}
