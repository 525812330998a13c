import Digests
import HTTPSemantics

/// Holds the content of a response against the digests that its head promises, while it passes (RFC 9530).
///
/// What is checked is the content as received, its content coding kept.
final class ContentCheck {
  private let promises: [PromisedDigest]
  /// One for each algorithm.
  private let running: [RunningDigest]

  /// - Returns: `nil` where nothing that garner knows is promised.
  /// - Throws: where digests cannot be computed: nothing is checked then.
  init?(of response: Response, to method: Method) throws(DigestError) {
    let promises = PromisedDigest.promised(by: response, to: method)
    if promises.isEmpty { return nil }
    var running: [RunningDigest] = []
    for algorithm in PromisedDigest.Algorithm.allCases where promises.contains(where: { $0.algorithm == algorithm }) {
      running.append(try RunningDigest(algorithm))
    }
    self.promises = promises
    self.running = running
  }

  func update(_ content: UnsafeRawBufferPointer) {
    for digest in running { digest.update(content) }
  }

  /// Ends the content.
  ///
  /// - Returns: the first promise that it breaks.
  func finish() throws(DigestError) -> PromisedDigest? {
    for digest in running {
      let bytes = try digest.finish()
      if let broken = promises.first(where: { $0.algorithm == digest.algorithm && $0.digest != bytes }) {
        return broken
      }
    }
    return nil
  }
}

private final class RunningDigest {
  private struct Active: ~Copyable {
    var digester: Digester
  }

  let algorithm: PromisedDigest.Algorithm
  private var active: Active?

  init(_ algorithm: PromisedDigest.Algorithm) throws(DigestError) {
    self.algorithm = algorithm
    active =
      switch algorithm {
      case .sha256: Active(digester: try Digester(.sha256))
      case .sha512: Active(digester: try Digester(.sha512))
      }
  }

  func update(_ content: UnsafeRawBufferPointer) {
    guard var current = active.take() else { return }
    do throws(DigestError) {
      try current.digester.update(content)
      active = consume current
    } catch {
      // Without a digester there is no digest, which `finish` says.
    }
  }

  func finish() throws(DigestError) -> [UInt8] {
    guard let current = active.take() else { throw .refused }
    return try current.digester.finish()
  }
}
