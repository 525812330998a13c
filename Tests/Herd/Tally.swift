/// What came of the fetches of a scenario.
struct Tally: Sendable {
  var right = 0
  var wrong = 0
  var killed = 0
  /// Of what was wrong, the first few.
  private(set) var complaints: [String] = []

  private static let mostComplaints = 10

  var fetches: Int { right + wrong + killed }

  mutating func add(_ ending: Ending, of url: String) {
    switch ending {
    case .right: right += 1
    case .killed: killed += 1
    case .wrong(let complaint): complain("\(url): \(complaint)")
    }
  }

  /// Something that is wrong with the whole.
  mutating func complain(_ complaint: String) {
    wrong += 1
    if complaints.count < Self.mostComplaints { complaints.append(complaint) }
  }
}
