import Glibc
import TestSupport

/// Runs many processes on one store, with an origin that counts requests. Prints a row for each scenario; the exit
/// status is 1 where a scenario failed.
@main
struct Main {
  static func main() {
    do {
      let options = try Options(CommandLine.arguments.dropFirst())
      exit(try run(options) ? 0 : 1)
    } catch {
      say("herd: \(error)")
      exit(2)
    }
  }

  private static func run(_ options: Options) throws -> Bool {
    let collapses = try Stage.isKnown("--collapse-timeout", to: options.garner)
    print(row(["scenario", "fetches", "right", "wrong", "killed", "requests", "seconds", ""]))
    var allHold = true
    for scenario in options.scenarios {
      if let flag = scenario.needs, try !Stage.isKnown(flag, to: options.garner) {
        print(row([scenario.name, "", "", "", "", "", "", "this garner has no \(flag)"]))
        continue
      }
      let start = monotonicSeconds()
      let outcome = try scenario.run(Stage(options, collapses: collapses))
      let seconds = monotonicSeconds() - start
      let verdict = verdict(on: outcome, seconds)
      if verdict != "holds" { allHold = false }
      let tally = outcome.tally
      let numbers = [tally.fetches, tally.right, tally.wrong, tally.killed, outcome.requests].map { "\($0)" }
      print(row([scenario.name] + numbers + [decimal(seconds), verdict]))
      for complaint in tally.complaints { say("  \(complaint)") }
    }
    return allHold
  }

  private static func verdict(on outcome: Scenario.Outcome, _ seconds: Double) -> String {
    if outcome.tally.wrong > 0 { return "WRONG" }
    if outcome.requests > outcome.maximumRequests { return "MORE THAN \(outcome.maximumRequests) REQUESTS" }
    return seconds > outcome.maximumSeconds ? "LONGER THAN \(decimal(outcome.maximumSeconds)) S" : "holds"
  }

  private static let widths = [12, 8, 8, 6, 7, 9, 8]

  private static func row(_ cells: [String]) -> String {
    let padded = zip(cells, widths).enumerated().map { index, cell in
      let space = String(repeating: " ", count: max(0, cell.1 - cell.0.utf8.count))
      return index == 0 ? cell.0 + space : space + cell.0
    }
    return padded.joined() + "  " + (cells.last ?? "")
  }

  private static func decimal(_ number: Double) -> String {
    let tenths = Int((number * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }

  private static func monotonicSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  private static func say(_ text: String) {
    let line = Array("\(text)\n".utf8)
    write(STDERR_FILENO, line, line.count)
  }
}
