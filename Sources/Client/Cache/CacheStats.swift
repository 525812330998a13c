import CacheStore
import HTTPCaching
import Interface

/// `garner cache stats`.
extension CacheCommand {
  func statistics() throws(Failure) {
    let statistics = try withStore { () throws(StoreError) in try store.statistics() }
    if invocation.storeCommand.form == .json {
      try printer.write(json(statistics).text + "\n")
    } else {
      try printer.write(printer.isTerminal ? table(statistics) : tabSeparated(statistics))
    }
    guard invocation.storeCommand.zeroesCounters else { return }
    try withStore(to: "reset the counters of") { () throws(StoreError) in try store.forgetResults() }
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

  /// Returns the named figures, in the order of the output.
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
    let ratio = statistics.servedThousandths.map { JSON.thousandths($0).text } ?? "-"
    let numbers = figures(statistics).map { "\($0.name)\t\($0.value)\n" } + ["ratio\t\(ratio)\n"]
    let hosts = statistics.hosts.map { host in
      "host\t\(Self.name(of: host))\t\(host.bytes)\t\(host.entries)\t\(host.hits)\t\(host.savedBytes)\n"
    }
    let types = statistics.categories.map { "type\t\($0.category.rawValue)\t\($0.bytes)\t\($0.entries)\n" }
    return (numbers + hosts + types).joined()
  }

  // MARK: For people

  private func table(_ statistics: StoreStatistics) -> String {
    let about = statistics.isEstimate ? "about " : ""
    let counts = CacheResult.allCases.map { (name: $0.plural, number: String(statistics.count($0))) }
    let countWidth = counts.map { $0.number.count }.max() ?? 0
    var rows = [
      ("entries", "\(about)\(entryWords(statistics))"), ("size", "\(about)\(sizeWords(statistics.bytes))"),
      ("requests", "\(statistics.requestCount)"),
    ]
    rows += counts.map { ("  " + $0.name, Words.right($0.number, countWidth)) }
    rows.append(("ratio", ratioWords(statistics)))
    rows.append(("saved", "\(Self.size(statistics.savedBytes)) not transferred"))
    let lines = rows.map { Words.left($0.0, Self.nameWidth) + $0.1 + "\n" }
    let charts = charts(of: statistics).map { $0.text(width: printer.width, printer.glyphs) }
    return (lines + charts).joined()
  }

  private func charts(of statistics: StoreStatistics) -> [StatisticsChart] {
    let hosts = statistics.hosts.prefix(Self.longestChart).map { host in
      StatisticsChart.Row(
        name: Self.name(of: host), bytes: host.bytes,
        columns: [Self.size(host.bytes), "\(host.entries)", "\(host.hits)", Self.size(host.savedBytes)])
    }
    let types = statistics.categories.map { type in
      StatisticsChart.Row(
        name: type.category.rawValue, bytes: type.bytes, columns: [Self.size(type.bytes), "\(type.entries)"])
    }
    return [
      StatisticsChart(headings: ["by host", "size", "entries", "hits", "saved"], rows: hosts),
      StatisticsChart(headings: ["by type", "size", "entries"], rows: types),
    ]
  }

  /// Returns the number of entries, and that of responses if it differs: an entry may hold the list of a URL's
  /// responses instead of one of them.
  private func entryWords(_ statistics: StoreStatistics) -> String {
    let responses = statistics.categories.reduce(0) { $0 + $1.entries }
    guard responses > 0, responses < statistics.entries else { return "\(statistics.entries)" }
    return "\(statistics.entries), with \(Words.count(responses, "response"))"
  }

  private func sizeWords(_ bytes: Int64) -> String {
    let capacity = store.limits.capacity
    guard capacity > 0 else { return "\(Self.size(bytes)) of \(Self.size(capacity))" }
    let thousandths = Int64((Double(max(0, bytes)) / Double(capacity) * 1000).rounded())
    return "\(Self.size(bytes)) of \(Self.size(capacity)) (\(Self.percent(thousandths)))"
  }

  private func ratioWords(_ statistics: StoreStatistics) -> String {
    statistics.servedThousandths.map { "\(Self.percent($0)) answered with stored content" } ?? "-"
  }

  private static func name(of host: StoreStatistics.Host) -> String {
    Escaping.visible(host.name ?? "(others)")
  }

  private static func size(_ bytes: Int64) -> String { ByteCount(clamping: bytes).description }

  private static func percent(_ thousandths: Int64) -> String { "\(thousandths / 10).\(thousandths % 10) %" }

  private static let nameWidth = 12
  /// The most rows of a chart: they fit on a screen beside the other figures.
  private static let longestChart = 20
}

extension StoreStatistics {
  fileprivate var requestCount: Int64 { CacheResult.allCases.reduce(0) { $0 + count($1) } }

  /// The share of requests answered with stored content among all that looked for some, in thousandths; `nil` without
  /// any.
  var servedThousandths: Int64? {
    let served = CacheResult.allCases.filter(\.isServed).reduce(0) { $0 + count($1) }
    let all = served + count(.updated) + count(.miss)
    return all > 0 ? served * 1000 / all : nil
  }
}

extension CacheResult {
  /// The label of the count of such results.
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
