import Digests
import HTTPSemantics

/// Compares delivered content with the digests that the user has typed. It is a class because its state is large and
/// hardly any fetch needs it.
final class IntegrityCheck {
  private let expected: Integrity
  private var digester: Digester

  init(_ expected: Integrity) {
    self.expected = expected
    digester =
      switch expected.algorithm {
      case .sha256: Digester(.sha256)
      case .sha384: Digester(.sha384)
      case .sha512: Digester(.sha512)
      }
  }

  func update(_ content: UnsafeRawBufferPointer) { digester.update(content) }

  /// Ends the content.
  ///
  /// - Returns: its digest, and whether that is one of the expected.
  func finish() -> (digest: [UInt8], isExpected: Bool) {
    let digest = digester.finish()
    return (digest, expected.digests.contains(digest))
  }
}
