/// The word that somebody may have meant.
package enum Suggestion {
  /// What is longer was not a slip of the fingers, and the work grows with the product of the lengths.
  static let longestWord = 40

  /// What is shorter begins too many words.
  private static let shortestBeginning = 3

  /// The candidate that the word is the beginning of, else that with the smallest distance; `nil` where none is near
  /// enough to be a slip of the fingers.
  package static func nearest(to word: some Collection<UInt8>, among candidates: [String]) -> String? {
    let word = Array(word)
    guard !word.isEmpty, word.count <= longestWord else { return nil }
    if let candidate = completion(of: word, among: candidates) { return candidate }
    var best: (candidate: String, distance: Int)?
    for candidate in candidates {
      let distance = distance(from: word, to: Array(candidate.utf8))
      guard distance <= allowance(for: max(word.count, candidate.utf8.count)) else { continue }
      if best.map({ distance < $0.distance }) ?? true {
        best = (candidate, distance)
      }
    }
    return best?.candidate
  }

  /// The one candidate that begins with the word, or that with which all others that do begin.
  private static func completion(of word: [UInt8], among candidates: [String]) -> String? {
    guard word.count >= shortestBeginning else { return nil }
    var shortest: String?
    for candidate in candidates where candidate.utf8.starts(with: word) {
      guard let known = shortest else {
        shortest = candidate
        continue
      }
      if known.utf8.starts(with: candidate.utf8) {
        shortest = candidate
      } else if !candidate.utf8.starts(with: known.utf8) {
        return nil
      }
    }
    return shortest
  }

  /// One slip in a short word, one more for every three letters.
  private static func allowance(for length: Int) -> Int {
    max(1, length / 3)
  }

  /// The number of letters to insert, drop, replace or swap with their neighbour (optimal string alignment).
  static func distance(from a: [UInt8], to b: [UInt8]) -> Int {
    var beforeLast = [Int](repeating: 0, count: b.count + 1)
    var last = Array(0...b.count)
    for i in a.indices {
      var current = [i + 1]
      current.reserveCapacity(b.count + 1)
      for j in b.indices {
        var cost = min(last[j + 1] + 1, current[j] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
          cost = min(cost, beforeLast[j - 1] + 1)
        }
        current.append(cost)
      }
      (beforeLast, last) = (last, current)
    }
    return last[b.count]
  }
}
