import Glibc

/// The command line: `herd [--processes N] [--fetches N] [--keys N] [--seed N] [--only NAME,...] GARNER`.
struct Options {
  struct Misuse: Error, CustomStringConvertible {
    let description: String
  }

  /// How many processes fetch at the same time.
  var processes = 64
  /// How many fetches each of the parallel threads makes, one after the other.
  var fetches = 1_000
  /// The number of URLs from which a fetch chooses.
  var keys = 200
  var seed: UInt64 = 1
  /// The scenarios to run: all of them, unless `--only` names some.
  var scenarios: [Scenario] = Scenario.all
  /// The path of the garner program to run.
  var garner = ""

  init(_ arguments: some Collection<String>) throws(Misuse) {
    var rest = arguments.makeIterator()
    while let argument = rest.next() {
      switch argument {
      case "--processes": processes = try Self.number(rest.next(), argument)
      case "--fetches": fetches = try Self.number(rest.next(), argument)
      case "--keys": keys = try Self.number(rest.next(), argument)
      case "--seed": seed = UInt64(try Self.number(rest.next(), argument))
      case "--only": scenarios = try Self.scenarios(rest.next() ?? "")
      case _ where argument.hasPrefix("-"): throw Misuse(description: "unknown option \(argument)")
      default: garner = try Self.absolutePath(argument)
      }
    }
    if garner.isEmpty { throw Misuse(description: "the path of garner is missing") }
  }

  /// Resolves a path, because the runs have other working directories.
  private static func absolutePath(_ path: String) throws(Misuse) -> String {
    guard let resolved = realpath(path, nil) else { throw Misuse(description: "there is no \(path)") }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  private static func number(_ text: String?, _ option: String) throws(Misuse) -> Int {
    guard let number = text.flatMap({ Int($0) }), number > 0 else {
      throw Misuse(description: "\(option) needs a number above 0")
    }
    return number
  }

  private static func scenarios(_ names: String) throws(Misuse) -> [Scenario] {
    var scenarios: [Scenario] = []
    for name in names.split(separator: ",") {
      guard let scenario = Scenario.all.first(where: { $0.name == name }) else {
        throw Misuse(description: "no scenario is called \(name)")
      }
      scenarios.append(scenario)
    }
    return scenarios
  }
}
