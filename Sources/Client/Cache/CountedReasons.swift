/// How many there were of what, in the order in which they were first met.
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

  /// `, skipped 3 (2 POST, 1 no-store)`; nothing where there is nothing.
  func words(beginning: String) -> String {
    guard total > 0 else { return "" }
    let parts = counts.map { "\($0.count) \($0.reason)" }.joined(separator: ", ")
    return "\(beginning)\(total) (\(parts))"
  }
}
