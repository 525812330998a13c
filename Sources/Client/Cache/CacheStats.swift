import CacheStore
import Interface

/// `garner cache stats`.
extension CacheCommand {
  func statistics() throws(Failure) {
    var statistics = StoreStatistics()
    try using("count") { () throws(StoreError) in statistics = try store.statistics() }
    switch invocation.storeCommand.form {
    case .json: try printer.write(json(statistics).text + "\n")
    case .automatic, .jsonLines, .nulSeparated, .fields:
      try printer.write(printer.isTerminal ? table(statistics) : tabSeparated(statistics))
    }
    guard invocation.storeCommand.zeroesCounters else { return }
    try using("reset the counters of") { () throws(StoreError) in try store.forgetResults() }
  }

  private func json(_ statistics: StoreStatistics) -> JSON {
    let numbers: [(String, JSON)] = figures(statistics).map { ($0.name, .number($0.value)) }
    let hosts = statistics.hosts.map { host in
      JSON.object([
        ("host", host.name.map(JSON.string) ?? .null), ("bytes", .number(host.bytes)),
        ("entries", .number(host.entries)), ("hits", .number(host.hits)), ("bytes_saved", .number(host.savedBytes)),
      ])
    }
    let types = statistics.categories.map { type in
      JSON.object([
        ("type", .string(type.category.rawValue)), ("bytes", .number(type.bytes)), ("entries", .number(type.entries)),
      ])
    }
    return .object(
      numbers + [
        ("ratio", statistics.servedThousandths.map(JSON.thousandths) ?? .null),
        ("estimated", .bool(statistics.isEstimate)), ("by_host", .array(hosts)), ("by_type", .array(types)),
      ])
  }

  /// The numbers that have a name, in the order in which they are told.
  private func figures(_ statistics: StoreStatistics) -> [(name: String, value: Int64)] {
    [
      ("entries", statistics.entries), ("bytes", statistics.bytes), ("capacity", store.limits.capacity),
      ("hits", statistics.count(.hit)), ("stale", statistics.count(.stale)),
      ("validated", statistics.count(.validated)), ("updated", statistics.count(.updated)),
      ("misses", statistics.count(.miss)), ("bypassed", statistics.count(.bypass)),
      ("bytes_saved", statistics.savedBytes),
    ]
  }

  private func tabSeparated(_ statistics: StoreStatistics) -> String {
    let numbers = figures(statistics).map { "\($0.name)\t\($0.value)\n" }
    let hosts = statistics.hosts.map { host in
      "host\t\(Self.name(of: host))\t\(host.bytes)\t\(host.entries)\t\(host.hits)\t\(host.savedBytes)\n"
    }
    let types = statistics.categories.map { "type\t\($0.category.rawValue)\t\($0.bytes)\t\($0.entries)\n" }
    return (numbers + hosts + types).joined()
  }

  // MARK: For people

  private func table(_ statistics: StoreStatistics) -> String {
    let about = statistics.isEstimate ? "about " : ""
    var rows = [
      ("entries", "\(about)\(statistics.entries)"),
      ("size", "\(about)\(Self.size(statistics.bytes)) of \(Self.size(store.limits.capacity))"),
    ]
    rows += CacheResult.allCases.map { ($0.plural, String(statistics.count($0))) }
    rows.append(("ratio", statistics.servedThousandths.map { "\($0 / 10).\($0 % 10) %" } ?? "-"))
    rows.append(("saved", Self.size(statistics.savedBytes)))
    let lines = rows.map { Self.left($0.0, Self.nameWidth) + $0.1 + "\n" }
    let hosts = statistics.hosts.prefix(Self.longestChart).map { (Self.name(of: $0), $0.bytes) }
    let types = statistics.categories.map { ($0.category.rawValue, $0.bytes) }
    return lines.joined() + chart("by host", hosts) + chart("by type", types)
  }

  /// A line for each row, with a bar that is as long as its share of the largest.
  private func chart(_ title: String, _ rows: [(name: String, bytes: Int64)]) -> String {
    guard let largest = rows.map(\.bytes).max(), largest > 0 else { return "" }
    let names = rows.map { $0.name.count > Self.longestName ? $0.name.prefix(Self.longestName - 1) + "…" : $0.name }
    let sizes = rows.map { Self.size($0.bytes) }
    let nameWidth = names.map(\.count).max() ?? 0
    let sizeWidth = sizes.map(\.count).max() ?? 0
    let barWidth = max(0, min(Self.longestBar, printer.width - nameWidth - sizeWidth - 4))
    var text = "\n\(title)\n"
    for ((name, size), row) in zip(zip(names, sizes), rows) {
      let bar = String(repeating: "█", count: Int(Double(max(0, row.bytes)) / Double(largest) * Double(barWidth)))
      text += Self.left(String(name), nameWidth) + "  " + Self.left(size, -sizeWidth) + (bar.isEmpty ? "" : "  \(bar)")
      text += "\n"
    }
    return text
  }

  private static func name(of host: StoreStatistics.Host) -> String {
    Escaping.visible(host.name ?? "(others)")
  }

  private static func size(_ bytes: Int64) -> String { ByteCount(UInt64(clamping: bytes)).description }

  /// Filled with spaces behind it, or, where the width is negative, before it.
  private static func left(_ text: String, _ width: Int) -> String {
    let space = String(repeating: " ", count: max(0, abs(width) - text.count))
    return width < 0 ? space + text : text + space
  }

  private static let nameWidth = 11
  /// What fits a screen beside the rest.
  private static let longestChart = 20
  private static let longestName = 40
  private static let longestBar = 40
}

extension StoreStatistics {
  /// Requests whose content came from the store among all that looked there; `nil` where there were none.
  var servedThousandths: Int64? {
    let served = CacheResult.allCases.filter(\.isServed).reduce(0) { $0 + count($1) }
    let all = served + count(.updated) + count(.miss)
    return all > 0 ? served * 1000 / all : nil
  }
}

extension CacheResult {
  /// The word for a number of them.
  fileprivate var plural: String {
    switch self {
    case .hit: "hits"
    case .stale: "stale"
    case .validated: "validated"
    case .updated: "updated"
    case .miss: "misses"
    case .bypass: "bypassed"
    }
  }
}
