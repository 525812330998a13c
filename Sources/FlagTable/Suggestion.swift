/// The choice of the word that was probably meant by an unknown one.
package enum Suggestion {
  /// The longest word that is compared, in bytes. A longer one is no typing error, and the work grows with the product
  /// of the lengths.
  static let longestWord = 40

  /// The shortest word that is taken for the beginning of a candidate. A shorter one begins too many words.
  private static let shortestBeginning = 3

  /// Returns the candidate that begins with the word, else the one with the smallest distance; `nil` if none is near
  /// enough for a typing error.
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

  /// Returns the only candidate that begins with the word. If several do, it must be the beginning of all the others.
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

  /// The largest distance that counts as near: one for every three letters, and at least one.
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
