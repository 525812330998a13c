/// The word that somebody may have meant.
package enum Suggestion {
  /// What is longer was not a slip of the fingers, and the work grows with the product of the lengths.
  static let longestWord = 40

  /// The candidate with the smallest distance; `nil` where none is near enough to be a slip of the fingers.
  package static func nearest(to word: some Collection<UInt8>, among candidates: [String]) -> String? {
    let word = Array(word)
    guard !word.isEmpty, word.count <= longestWord else { return nil }
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
