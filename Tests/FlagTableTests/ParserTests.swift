import FlagTable
import TestSupport
import Testing

@Suite("The parser follows curl")
struct ParserTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let arguments: [ArgumentText]
    let change: @Sendable (inout Toy) -> Void

    init(_ rule: String, _ arguments: [ArgumentText], _ change: @escaping @Sendable (inout Toy) -> Void) {
      self.testDescription = rule
      self.arguments = arguments
      self.change = change
    }
  }

  static let rows: [Row] = [
    Row("an operand is kept", ["u"]) { $0.operands = ["u"] },
    Row("a value may be the next argument of a short option", ["-o", "f", "u"]) {
      ($0.output, $0.operands) = ("f", ["u"])
    },
    Row("a value may be attached to a short option", ["-of", "u"]) { ($0.output, $0.operands) = ("f", ["u"]) },
    Row("an equals sign attached to a short option is part of the value", ["-o=f", "u"]) {
      ($0.output, $0.operands) = ("=f", ["u"])
    },
    Row("a value may be the next argument of a long option", ["--output", "f", "u"]) {
      ($0.output, $0.operands) = ("f", ["u"])
    },
    Row("a value may follow an equals sign", ["--output=f", "u"]) { ($0.output, $0.operands) = ("f", ["u"]) },
    Row("only the first equals sign separates", ["--output=a=b", "u"]) {
      ($0.output, $0.operands) = ("a=b", ["u"])
    },
    Row("a value may be empty after an equals sign", ["--output=", "u"]) { ($0.output, $0.operands) = ("", ["u"]) },
    Row("a value may be an empty argument", ["-o", "", "u"]) { ($0.output, $0.operands) = ("", ["u"]) },
    Row("a value may look like an option", ["-o", "-s", "u"]) { ($0.output, $0.operands) = ("-s", ["u"]) },
    Row("a value may be two dashes", ["--output", "--", "-s", "u"]) {
      ($0.output, $0.isSilent, $0.operands) = ("--", true, ["u"])
    },
    Row("short options may be bundled", ["-sv", "u"]) { ($0.isSilent, $0.verbosity, $0.operands) = (true, 1, ["u"]) },
    Row("the last option of a bundle takes the next argument", ["-svo", "f", "u"]) {
      ($0.isSilent, $0.verbosity, $0.output, $0.operands) = (true, 1, "f", ["u"])
    },
    Row("the first option of a bundle that takes a value takes the rest", ["-sovs", "u"]) {
      ($0.isSilent, $0.output, $0.operands) = (true, "vs", ["u"])
    },
    Row("options may follow operands", ["u", "-s", "w"]) { ($0.isSilent, $0.operands) = (true, ["u", "w"]) },
    Row("an argument after an option without its optional value is an operand", ["--offline", "u"]) {
      ($0.offline, $0.operands) = ("", ["u"])
    },
    Row("after two dashes such an argument is an operand in any case", ["--offline", "--", "strict"]) {
      ($0.offline, $0.operands) = ("", ["strict"])
    },
    Row("two dashes end the options", ["--", "-s", "--output"]) { $0.operands = ["-s", "--output"] },
    Row("a second pair of dashes is an operand", ["--", "--"]) { $0.operands = ["--"] },
    Row("one dash is an operand", ["-", "-s"]) { ($0.isSilent, $0.operands) = (true, ["-"]) },
    Row("one dash is a value", ["-o", "-", "u"]) { ($0.output, $0.operands) = ("-", ["u"]) },
    Row("an empty argument is an operand", [""]) { $0.operands = [""] },
    Row("an option may be repeated", ["-H", "a", "-Hb", "--header=c", "u"]) {
      ($0.headers, $0.operands) = (["a", "b", "c"], ["u"])
    },
    Row("the later of two values counts", ["-o", "a", "-o", "b", "u"]) {
      ($0.output, $0.operands) = ("b", ["u"])
    },
    Row("an alias is another name", ["--field", "a", "u"]) { ($0.headers, $0.operands) = (["a"], ["u"]) },
    Row("--no-X cancels a toggle", ["-s", "--no-silent", "u"]) { $0.operands = ["u"] },
    Row("the later of a toggle and its negation counts", ["--no-location", "-L", "u"]) { $0.operands = ["u"] },
    Row("a negation alone turns off", ["--no-location", "u"]) { ($0.follows, $0.operands) = (false, ["u"]) },
    Row("an optional value may be left out", ["u", "--offline"]) { ($0.offline, $0.operands) = ("", ["u"]) },
    Row("an optional value follows an equals sign", ["--offline=strict", "u"]) {
      ($0.offline, $0.operands) = ("strict", ["u"])
    },
    Row("bytes that are not UTF-8 are kept", ["-H", ArgumentText([0x41, 0xff]), ArgumentText([0xc3])]) {
      ($0.headers, $0.operands) = ([ArgumentText([0x41, 0xff])], [ArgumentText([0xc3])])
    },
    Row("a value that is not UTF-8 may be attached", [ArgumentText([0x2d, 0x48, 0xff, 0x00]), "u"]) {
      ($0.headers, $0.operands) = ([ArgumentText([0xff, 0x00])], ["u"])
    },
    Row("a question ends the parsing, whatever follows", ["--help", "--bogus"]) {
      $0.asksForHelp = .long([])
    },
    Row("a question knows that its letter was used", ["-sh"]) { ($0.isSilent, $0.asksForHelp) = (true, .short([])) },
    Row("a question leaves the rest of its bundle unread", ["-h?"]) { $0.asksForHelp = .short([]) },
    Row("a question knows its command", ["store", "--help"]) { $0.asksForHelp = .long(["store"]) },
    Row("a question knows its subcommand", ["store", "list", "-h"]) {
      ($0.command, $0.asksForHelp) = ("ls", .short(["store", "ls"]))
    },
    Row("a command word is the first operand", ["store", "ls", "p", "q"]) {
      ($0.command, $0.operands) = ("ls", ["p", "q"])
    },
    Row("a command may have an alias", ["store", "list"]) { $0.command = "ls" },
    Row("a hidden command is accepted", ["store", "wipe"]) { $0.command = "wipe" },
    Row("a command has flags of its own", ["store", "ls", "-j"]) { ($0.command, $0.json) = ("ls", true) },
    Row("a command has the common flags of those above", ["store", "ls", "-v"]) {
      ($0.command, $0.verbosity) = ("ls", 1)
    },
    Row("common flags may precede the command word", ["-v", "store", "--color=always", "ls"]) {
      ($0.command, $0.verbosity, $0.color) = ("ls", 1, "always")
    },
    Row("flags that the command has as well may precede it", ["-s", "store", "wipe"]) {
      ($0.command, $0.isSilent) = ("wipe", true)
    },
    Row("negated flags that the command has may precede it", ["-s", "--no-silent", "store", "wipe"]) {
      $0.command = "wipe"
    },
    Row("a command word after two dashes is an operand", ["--", "store"]) { $0.operands = ["store"] },
    Row("a command word after an operand is an operand", ["u", "store"]) { $0.operands = ["u", "store"] },
    Row("operands are assigned in order", ["store", "show", "f", "p"]) {
      ($0.command, $0.operands) = ("show", ["f", "p"])
    },
    Row("an optional operand may be left out", ["store", "show", "f"]) {
      ($0.command, $0.operands) = ("show", ["f"])
    },
  ]

  @Test("Options and operands are read as in curl", arguments: rows)
  func reads(_ row: Row) throws {
    var expected = Toy()
    row.change(&expected)
    #expect(try Toy.parse(row.arguments) == expected)
  }

  @Test("Hostile arguments never trap, and no message contains control characters")
  func hostileBytes() {
    var numbers = SeededNumbers(seed: 1)
    let alphabet: [UInt8] = [0x2d, 0x2d, 0x3d, 0x6f, 0x48, 0x73, 0x68, 0x00, 0x0a, 0xff, 0xc3, 0x6e]
    func next(below bound: Int) -> Int { .random(in: 0..<bound, using: &numbers) }
    for _ in 0..<5_000 {
      let arguments = (0..<next(below: 4)).map { _ in
        ArgumentText((0..<next(below: 9)).map { _ in alphabet[next(below: alphabet.count)] })
      }
      do {
        let toy = try Toy.parse(arguments)
        #expect(toy.asksForHelp != nil || !toy.operands.isEmpty)
      } catch {
        #expect(!error.message.utf8.contains { $0 < 0x20 || $0 == 0x7f })
      }
    }
  }

  // MARK: Values in a file

  private func parse(_ arguments: [ArgumentText], _ lines: [ArgumentText]) throws(UsageError) -> Toy {
    try Toy.parse(arguments) { file, content in
      #expect(file == "f" && content == .values)
      return lines.enumerated().map { OptionLine(number: $0 + 1, arguments: [$1]) }
    }
  }

  @Test("An at sign before a file name stands for the values in the file's lines")
  func valuesInFile() throws {
    let toy = try parse(["-H", "a", "-H@f", "--header", "@f", "--field=@f", "-H", "d", "u"], ["b", "@c"])
    #expect(toy.headers == ["a", "b", "@c", "b", "@c", "b", "@c", "d"] && toy.operands == ["u"])
    #expect(try parse(["-H", "@f", "u"], []).headers == [])
    #expect(try Toy.parse(["-o", "@f", "u"]).output == "@f")
  }

  @Test("A refused value in a file is reported with its line")
  func valueInFileIsRefused() {
    let error = #expect(throws: UsageError.self) { try parse(["-H", "@f", "u"], ["a", "b\n"]) }
    #expect(error?.message == "f, line 2: option -H: the value holds a line feed")
  }
}

extension Question? {
  fileprivate static func long(_ words: [String]) -> Question? { Question(spelling: .long, commandWords: words) }
  fileprivate static func short(_ words: [String]) -> Question? { Question(spelling: .short, commandWords: words) }
}
