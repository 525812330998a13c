import Digests
import HTTPSemantics

/// Checks the content of a response against the digests that its head promises, while it passes (RFC 9530).
///
/// The check is of the content as received, with its content coding.
final class ContentCheck {
  private let promises: [PromisedDigest]
  /// One for each promised algorithm.
  private let running: [RunningDigest]

  /// - Returns: `nil` if the head promises no digest that garner knows.
  convenience init?(of response: Response, to method: Method) {
    self.init(PromisedDigest.promised(by: response, to: method))
  }

  /// Checks the whole that a stored part and the content of a 206 make together.
  ///
  /// - Returns: as above.
  convenience init?(ofWholeBehind response: Response) {
    self.init(PromisedDigest.promised(ofWholeBy: response))
  }

  private init?(_ promises: [PromisedDigest]) {
    if promises.isEmpty { return nil }
    var running: [RunningDigest] = []
    for algorithm in PromisedDigest.Algorithm.allCases where promises.contains(where: { $0.algorithm == algorithm }) {
      running.append(RunningDigest(algorithm))
    }
    self.promises = promises
    self.running = running
  }

  func update(_ content: UnsafeRawBufferPointer) {
    for digest in running { digest.update(content) }
  }

  /// Ends the content.
  ///
  /// - Returns: the first broken promise; `nil` if all are kept.
  func finish() -> PromisedDigest? {
    for digest in running {
      let bytes = digest.finish()
      if let broken = promises.first(where: { $0.algorithm == digest.algorithm && $0.digest != bytes }) {
        return broken
      }
    }
    return nil
  }
}

private final class RunningDigest {
  let algorithm: PromisedDigest.Algorithm
  private var digester: Digester

  init(_ algorithm: PromisedDigest.Algorithm) {
    self.algorithm = algorithm
    digester =
      switch algorithm {
      case .sha256: Digester(.sha256)
      case .sha512: Digester(.sha512)
      }
  }

  func update(_ content: UnsafeRawBufferPointer) { digester.update(content) }

  func finish() -> [UInt8] { digester.finish() }
}
