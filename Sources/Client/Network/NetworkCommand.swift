import HTTPCaching
import Interface
import Platform

/// `garner network`: shows what `--reachability auto` goes by; sends nothing.
struct NetworkCommand {
  let reachability: Reachability
  let use: ReachabilityUse
  let isJSON: Bool
  let printer: Printer

  func run() throws(Failure) {
    try printer.write(isJSON ? json.text + "\n" : printer.isTerminal ? table : tabSeparated)
  }

  private var interface: String? { reachability.link.map { Escaping.visible($0.name) } }

  private var json: JSON {
    .object([
      ("state", .string(reachability.state.rawValue)),
      ("policy", .string(reachability.policy.rawValue)),
      ("in_force", .bool(use == .selects)),
      ("interface", interface.map { .string($0) } ?? .null),
      ("medium", reachability.link.map { .string($0.medium.name) } ?? .null),
      ("tunnel", reachability.tunnel.map { .string(Escaping.visible($0)) } ?? .null),
      ("reason", .string(reachability.reason.sentence)),
    ])
  }

  private var tabSeparated: String {
    let columns = [
      reachability.state.rawValue, reachability.policy.rawValue, interface ?? "-", reachability.reason.sentence,
    ]
    return columns.joined(separator: "\t") + "\n"
  }

  private var table: String {
    let rows = [
      ("state", reachability.state.rawValue),
      ("reason", reachability.reason.sentence),
      ("policy", reachability.policy.rawValue + condition),
    ]
    return rows.map { name, value in Words.left(name, Self.nameWidth) + value + "\n" }.joined()
  }

  private var condition: String {
    switch use {
    case .selects: ""
    case .off: ", with --reachability auto"
    case .overruled(by: let policy): ", but \(policy.rawValue) overrides it"
    }
  }

  /// The longest name, and two spaces.
  private static let nameWidth = 8
}
