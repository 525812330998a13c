import FlagTable

/// The values that a command line of the toy program sets.
struct Toy: Equatable {
  var command = "fetch"
  var output: ArgumentText?
  var headers: [ArgumentText] = []
  var isSilent = false
  var verbosity = 0
  var seconds: Int?
  var color = "auto"
  var follows = true
  var offline: String?
  var asksForHelp: Question?
  var json = false
  var operands: [ArgumentText] = []

  static func parse(
    _ arguments: [ArgumentText], including include: @escaping OptionLine.Reader = { _, _ in [] }
  ) throws(UsageError) -> Toy {
    var toy = Toy()
    let foreign = ForeignOptions(
      of: "model", [ForeignOption("silence", short: "z"), ForeignOption("trace", .flag("verbose"))])
    let parser = ArgumentParser(table, foreign: { [foreign] }, including: include)
    try parser.parse(arguments, into: &toy)
    return toy
  }

  static let common = Theme("Common")
  static let transfer = Theme("Transfer")

  static let table = Command<Toy>(
    "toy", summary: "Play with flags.", details: "Says `nothing` to anybody.",
    flags: [output, header, silent, seconds, location, offline],
    commonFlags: [color, verbose, help],
    operands: [Operand("URL", .oneOrMore) { toy, text in toy.operands.append(text) }],
    subcommands: [
      Command(
        "store", summary: "Look into the store.", subcommands: [list, show, find, wipe], select: nil),
      Command(
        "say", summary: "Say a word.",
        operands: [
          Operand("WORD", .one, completes: .choices(["yes", "no"])) { toy, text throws(InvalidValue) in
            guard text == "yes" || text == "no" else { throw .notOneOf(["yes", "no"]) }
            toy.operands.append(text)
          }
        ], select: { $0.command = "say" }),
      Command(
        "tell", summary: "Tell of a command.",
        operands: [
          Operand(
            "WORD", .any,
            completes: .path([CompletionStep(["store", "say"]), CompletionStep(after: "store", ["ls", "show"])])
          ) { toy, text in toy.operands.append(text) }
        ], select: { $0.command = "tell" }),
    ], select: { $0.command = "fetch" })

  static let list = Command<Toy>(
    "ls", aliases: ["list"], summary: "List the store.",
    flags: [Flag("json", short: "j", in: transfer, summary: "Print JSON.") { $0.json = true }],
    operands: [Operand("PATTERN", .any) { toy, text in toy.operands.append(text) }],
    select: { $0.command = "ls" })

  static let show = Command<Toy>(
    "show", summary: "Show one.",
    operands: [
      Operand("FILE", .one, completes: .file) { toy, text in toy.operands.append(text) },
      Operand("PLACE", .optional, completes: .directory) { toy, text in toy.operands.append(text) },
    ], select: { $0.command = "show" })

  static let find = Command<Toy>(
    "find", summary: "Find one.",
    flags: [
      Flag("key", value: "KEY", completes: .output(of: ["list", "words"]), in: transfer, summary: "By KEY.") { _, _ in }
    ],
    operands: [Operand("PATTERN", .any, completes: .output(of: ["list", "words"])) { _, _ in }],
    select: { $0.command = "find" })

  static let wipe = Command<Toy>(
    "wipe", summary: "Secret.",
    flags: [silent, Flag("mute", short: "m", in: transfer, summary: "Otherwise.") { _ in }], isHidden: true,
    select: { $0.command = "wipe" })

  static let output = Flag<Toy>(
    "output", short: "o", value: "FILE", completes: .file, in: transfer,
    summary: "Write to FILE.",
    details: #"""
      Not to standard output. See also \flag{silent}.

          toy -o x http://a/

      It's `whole` or absent.
      """#
  ) { toy, text in toy.output = text }

  static let header = Flag<Toy>(
    "header", short: "H", listable: "LINE", aliases: ["field"], in: transfer, summary: "Send LINE."
  ) { toy, text throws(InvalidValue) in
    guard !text.bytes.contains(0x0a) else { throw .unacceptable("the value holds a line feed") }
    toy.headers.append(text)
  }

  static let silent = Flag<Toy>(
    "silent", short: "s", negation: .accepted, in: transfer, summary: "Say nothing."
  ) { toy, isOn in toy.isSilent = isOn }

  static let seconds = Flag<Toy>(
    "max-time", short: "m", value: "SECONDS", in: transfer, summary: "Stop after SECONDS."
  ) { toy, text throws(InvalidValue) in
    guard let string = text.string, let number = Int(string) else { throw .expected("a number of seconds") }
    toy.seconds = number
  }

  static let location = Flag<Toy>(
    "location", short: "L", negation: .listed("Stay."), in: transfer, summary: "Follow."
  ) { toy, isOn in toy.follows = isOn }

  static let offline = Flag<Toy>(
    "offline", optionalValue: "MODE", completes: .choices(["strict"]), in: transfer, summary: "Stay [off] line."
  ) { toy, text throws(InvalidValue) in
    guard text == nil || text == "strict" else { throw .notOneOf(["strict"]) }
    toy.offline = text?.string ?? ""
  }

  /// A flag that no command of the table has.
  static let shared = Flag<Toy>("shared", in: transfer, summary: "Of several.") { $0.verbosity = 1 }

  static let color = Flag<Toy>(
    "color", value: "WHEN", completes: .choices(["auto", "always"]), in: common, summary: "Colour it."
  ) { toy, text throws(InvalidValue) in
    guard let word = text.string, ["auto", "always"].contains(word) else { throw .notOneOf(["auto", "always"]) }
    toy.color = word
  }

  static let verbose = Flag<Toy>("verbose", short: "v", in: common, scope: .typed, summary: "Say more.") {
    $0.verbosity += 1
  }

  static let help = Flag<Toy>(asking: "help", short: "h", in: common, summary: "Help.") { toy, question in
    toy.asksForHelp = question
  }
}
