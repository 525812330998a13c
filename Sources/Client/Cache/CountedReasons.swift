/// Counts by reason, in the order in which the reasons first occurred.
struct CountedReasons {
  private var counts: [(reason: String, count: Int)] = []

  private(set) var total = 0

  mutating func count(_ reason: String) {
    total += 1
    if let known = counts.firstIndex(where: { $0.reason == reason }) {
      counts[known].count += 1
    } else {
      counts.append((reason, 1))
    }
  }

  /// Returns text such as `, skipped 3 (2 POST, 1 no-store)`, or nothing if nothing has been counted.
  func words(beginning: String) -> String {
    total > 0 ? "\(beginning)\(total) (\(list))" : ""
  }

  /// Text such as `2 POST, 1 no-store`.
  var list: String { counts.map { "\($0.count) \($0.reason)" }.joined(separator: ", ") }
}
