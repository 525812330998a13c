/// The options of the command line.
struct Options {
  struct Misuse: Error, CustomStringConvertible {
    let description: String
  }

  static let usage = "torture [--seed N] [--sample N] [--only PREFIX] [--workers N] [--list]"

  var seed: UInt64 = 1
  /// How many cases are drawn at random; `nil` for all cases.
  var sample: Int?
  /// The prefix that the names of cases must have.
  var only = ""
  /// By default the number of processors of the smallest machine that this is meant for.
  var workers = 2
  var listsOnly = false

  init(_ arguments: some Collection<String>) throws(Misuse) {
    var rest = arguments.makeIterator()
    while let argument = rest.next() {
      switch argument {
      case "--list": listsOnly = true
      case "--seed": seed = UInt64(try Self.number(after: argument, rest.next()))
      case "--sample": sample = try Self.number(after: argument, rest.next())
      case "--workers": workers = max(1, try Self.number(after: argument, rest.next()))
      case "--only":
        guard let prefix = rest.next() else { throw Misuse(description: Self.usage) }
        only = prefix
      default: throw Misuse(description: "unknown argument \(argument); \(Self.usage)")
      }
    }
  }

  private static func number(after option: String, _ text: String?) throws(Misuse) -> Int {
    guard let number = text.flatMap({ Int($0) }), number >= 0 else {
      throw Misuse(description: "\(option) needs a number; \(usage)")
    }
    return number
  }
}
