import Testing

@testable import FlagTable

@Suite("Any option of the table can be set in a file or by a variable")
struct SettingTests {
  /// The toy program with an option that has neither value nor negation.
  private static let root = Command<Toy>(
    Toy.table.name, summary: Toy.table.summary, flags: Toy.table.flags + [Toy.shared],
    commonFlags: Toy.table.commonFlags, subcommands: Toy.table.subcommands, select: Toy.table.select)

  static func table() -> SettingTable<Toy> {
    SettingTable(of: root, blank: Toy(), home: nil) {
      [ForeignOptions(of: "model", [ForeignOption("silence"), ForeignOption("trace", .flag("output"))])]
    }
  }

  static func toy(_ name: ArgumentText, _ value: ArgumentText?) throws(SettingError) -> Toy {
    var (table, toy) = (table(), Toy())
    let setting = try table.setting(.init(name: name, value: value, line: 1), under: nil)
    try? setting.apply(to: &toy)
    return toy
  }

  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let name: ArgumentText
    let value: ArgumentText?
    let change: @Sendable (inout Toy) -> Void

    init(
      _ rule: String, _ name: ArgumentText, _ value: ArgumentText?, _ change: @escaping @Sendable (inout Toy) -> Void
    ) {
      (self.testDescription, self.name, self.value, self.change) = (rule, name, value, change)
    }
  }

  static let rows: [Row] = [
    Row("a value", "output", "f") { $0.output = "f" },
    Row("an empty value", "output", "") { $0.output = "" },
    Row("an alias", "field", "A: b") { $0.headers = ["A: b"] },
    Row("a flag alone", "silent", nil) { $0.isSilent = true },
    Row("a flag with yes", "silent", "yes") { $0.isSilent = true },
    Row("a flag with true, in any case", "silent", "True") { $0.isSilent = true },
    Row("a flag with on", "silent", "on") { $0.isSilent = true },
    Row("a flag with 1", "silent", "1") { $0.isSilent = true },
    Row("a flag that is turned off", "location", "no") { $0.follows = false },
    Row("a flag that is turned off by its negation", "no-location", nil) { $0.follows = false },
    Row("a negation that is turned off", "no-location", "off") { $0.follows = true },
    Row("a flag without negation that is turned off", "shared", "false") { _ in },
    Row("an optional value that is left out", "offline", nil) { $0.offline = "" },
    Row("an optional value", "offline", "strict") { $0.offline = "strict" },
    Row("yes for an optional value is no value", "offline", "1") { $0.offline = "" },
    Row("no for an option with an optional value", "offline", "0") { _ in },
    Row("a common flag", "color", "always") { $0.color = "always" },
  ]

  @Test("A setting has the effect of the typed option", arguments: rows)
  func applies(_ row: Row) throws {
    var expected = Toy()
    row.change(&expected)
    #expect(try Self.toy(row.name, row.value) == expected)
  }

  @Test(
    "A leading tilde in a file name stands for the user's home directory, and any other tilde for itself",
    arguments: [
      ("output", "~/a/b", "/home/me/a/b"), ("output", "~", "/home/me"), ("output", "~/", "/home/me/"),
      ("output", "~you/a", "~you/a"), ("output", "./~/a", "./~/a"), ("output", "a/~/b", "a/~/b"),
      ("output", "@~/a", "@~/a"), ("field", "~/a", "~/a"), ("field", "@~/a", "@/home/me/a"), ("field", "@", "@"),
    ] as [(ArgumentText, ArgumentText, ArgumentText)])
  func tilde(_ name: ArgumentText, _ value: ArgumentText, _ expansion: ArgumentText) throws {
    var table = SettingTable(of: Toy.table, blank: Toy(), home: "/home/me", foreign: { [] })
    #expect(try table.setting(.init(name: name, value: value, line: 1), under: nil).value == expansion)
    #expect(
      try table.setting(variable: "TOY", named: Array(name.visible.uppercased().utf8)[...], value: value)?.value
        == (name == "field" ? nil : expansion))
  }

  static let refusals: [(ArgumentText, ArgumentText?, String, String?)] = [
    ("ouptut", "f", "option 'ouptut' is unknown", "did you mean output?"),
    ("--output", "f", "option '--output' is unknown", "did you mean output?"),
    ("Output", "f", "option 'Output' is unknown", "did you mean output?"),
    ("nothing-like-it", nil, "option 'nothing-like-it' is unknown", nil),
    ("silence", nil, "toy has no option 'silence' (model has)", "the nearest is silent"),
    ("trace", "f", "toy has no option 'trace' (model has)", "the nearest is output"),
    ("json", nil, "'json' belongs to 'toy store ls' and can only be used there", nil),
    ("help", nil, "'help' can only be used on the command line", nil),
    ("verbose", nil, "'verbose' can only be used on the command line", nil),
    ("output", nil, "'output' needs a value: FILE", nil),
    ("output", "~/f", "output: ~ stands for HOME, which names no directory", nil),
    ("silent", "perhaps", "silent: expected one of yes, no, not 'perhaps'", nil),
    ("silent", "", "silent: expected one of yes, no, not ''", nil),
    ("max-time", "soon", "max-time: expected a number of seconds, not 'soon'", nil),
    ("color", "allways", "color: expected one of auto, always, not 'allways'", "did you mean always?"),
    ("offline", "strickt", "offline: expected one of strict, yes, no, not 'strickt'", "did you mean strict?"),
    ("field", "a\nb", "field: the value holds a line feed", nil),
    ("no-silence", nil, "option 'no-silence' is unknown", nil),
  ]

  @Test("An invalid setting is refused with the reason", arguments: refusals)
  func refuses(_ name: ArgumentText, _ value: ArgumentText?, _ message: String, _ hint: String?) {
    let error = #expect(throws: SettingError.self) { try Self.toy(name, value) }
    #expect(error?.message == message)
    #expect(error?.hint == hint)
  }

  static let variables: [(String, ArgumentText, String?)] = [
    ("MAX_TIME", "5", "max-time"), ("OFFLINE", "1", "offline"), ("COLOR", "auto", "color"), ("HELP", "1", nil),
    ("VERBOSE", "1", nil), ("max_time", "5", nil), ("MAX-TIME", "5", nil), ("MAX_TIM", "5", nil), ("", "5", nil),
  ]

  @Test("A variable sets the option whose name it has in upper case", arguments: variables)
  func variable(_ name: String, _ value: ArgumentText, _ option: String?) throws {
    var table = Self.table()
    let setting = try table.setting(variable: "TOY_\(name)", named: Array(name.utf8)[...], value: value)
    #expect(setting?.name == option)
    #expect(setting.map { $0.origin == .environment(variable: "TOY_\(name)") } ?? true)
  }

  @Test("An unknown variable leads to the nearest one, and an invalid value is reported with its variable")
  func nearestVariable() throws {
    #expect(Self.table().nearestVariable(to: Array("OFLINE".utf8)[...]) == "OFFLINE")
    #expect(SettingTable<Toy>.variableName(of: "http1.1") == "HTTP1_1")
    var table = Self.table()
    let error = #expect(throws: SettingError.self) {
      try table.setting(variable: "TOY_MAX_TIME", named: Array("MAX_TIME".utf8)[...], value: "x")
    }
    #expect(error?.message == "TOY_MAX_TIME: expected a number of seconds, not 'x'")
  }

  @Test("The parser reports each option that it was given")
  func noted() throws {
    var (toy, noted) = (Toy(), [Setting<Toy>]())
    try ArgumentParser(Toy.table).parse(["-so", "f", "--no-location", "--offline", "u"], into: &toy) {
      noted.append($0)
    }
    #expect(noted.map { "\($0.name)=\($0.value.visible)" } == ["silent=yes", "output=f", "location=no", "offline=yes"])
    #expect(noted.allSatisfy { $0.origin == .commandLine })
  }
}
