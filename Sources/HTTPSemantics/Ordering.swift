extension Array {
  /// Returns the elements in order. `sorted(by:)` is in the program once for each type of its elements, at 3 KB; this
  /// sorts their indices, with one function for all types.
  @inlinable
  package func ordered(by precedes: (Element, Element) -> Bool) -> [Element] {
    sortedIndices(count) { precedes(self[$0], self[$1]) }.map { self[$0] }
  }
}

/// - Parameter precedes: whether the element at the first index comes before the one at the second.
@usableFromInline @inline(never)
package func sortedIndices(_ count: Int, by precedes: (Int, Int) -> Bool) -> [Int] {
  Array(0..<count).sorted(by: precedes)
}
