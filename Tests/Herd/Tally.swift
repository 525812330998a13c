/// The counted results of a scenario's fetches.
struct Tally: Sendable {
  var right = 0
  var wrong = 0
  var killed = 0
  /// The first few descriptions of wrong results.
  private(set) var complaints: [String] = []

  private static let maximumComplaints = 10

  var fetches: Int { right + wrong + killed }

  mutating func add(_ ending: Ending, of url: String) {
    switch ending {
    case .right: right += 1
    case .killed: killed += 1
    case .wrong(let complaint): complain("\(url): \(complaint)")
    }
  }

  /// Counts a wrong result, and keeps its description if it is among the first.
  mutating func complain(_ complaint: String) {
    wrong += 1
    if complaints.count < Self.maximumComplaints { complaints.append(complaint) }
  }
}
