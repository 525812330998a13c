import Digests

/// Checks that a new answer begins with what has been printed of an old one, so that the rest can follow.
final class PrefixCheck {
  enum Verdict {
    /// More of the prefix is to come.
    case undecided
    /// The answer begins like the old one: this many bytes of the piece belong to the prefix.
    case same(count: Int)
    case different
  }

  private var digester = Digester(.sha256)
  private var missing: UInt64
  private let expected: [UInt8]

  /// - Parameters:
  ///   - count: bytes of the prefix, at least one.
  ///   - expected: their SHA-256.
  init(count: UInt64, expected: [UInt8]) {
    missing = count
    self.expected = expected
  }

  func consume(_ content: UnsafeRawBufferPointer) -> Verdict {
    let count = Int(min(missing, UInt64(content.count)))
    missing -= UInt64(count)
    digester.update(UnsafeRawBufferPointer(rebasing: content[..<count]))
    if missing > 0 { return .undecided }
    return digester.finish() == expected ? .same(count: count) : .different
  }
}
