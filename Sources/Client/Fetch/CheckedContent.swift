import HTTPSemantics
import Platform

/// Content on its way to its sink, held against the digests that its user has typed. Where it would be seen before it
/// has been checked, it is held back.
final class CheckedContent {
  private let expected: Integrity
  private let plan: DeliveryPlan
  private let sink: BodySink
  private var check: IntegrityCheck?
  private var held: HeldContent?
  /// Of the response that begins next, where that has been checked already.
  private var knownDigest: [UInt8]?
  /// The digest of the content, where it is one that was asked for.
  private(set) var confirmedDigest: [UInt8]?

  init(_ expected: Integrity, _ plan: DeliveryPlan, into sink: BodySink) {
    self.expected = expected
    self.plan = plan
    self.sink = sink
  }

  /// Whether what is written has to pass through here.
  var isChecked: Bool { check != nil }
  /// Whether nothing of the response may be seen yet.
  var isHeldBack: Bool { held != nil }

  /// Takes note that the content of the next response has been found to have a digest that is expected.
  func noteKnown(_ digest: [UInt8]) { knownDigest = digest }

  /// Begins with the content of a response.
  func begin(isWanted: Bool) throws(Failure) {
    (check, held) = (nil, nil)
    confirmedDigest = knownDigest
    knownDigest = nil
    guard confirmedDigest == nil, isWanted else { return }
    check = IntegrityCheck(expected)
    guard try !sink.isAtomic() else { return }
    held = HeldContent(in: plan.holding.directory, memoryCapacity: plan.holding.memoryCapacity)
  }

  func write(_ content: UnsafeRawBufferPointer) throws(Failure) {
    check?.update(content)
    guard let held else { return try sink.write(content) }
    while true {
      do throws(Errno) {
        return try held.append(content)
      } catch {
        guard sink.makeRoom(error, in: plan.holding.directory) else { throw failure(error) }
      }
    }
  }

  /// Ends the content.
  ///
  /// - Returns: what was held back, to be released.
  /// - Throws: where it is not what was expected.
  func finish(from target: TargetURI) throws(Failure) -> HeldContent? {
    guard let ended = check else { return nil }
    let checked = held
    (check, held) = (nil, nil)
    let (digest, isExpected) = ended.finish()
    guard isExpected else { throw .otherContent(expected.algorithm, digest: digest, target) }
    confirmedDigest = digest
    return checked
  }

  func release(_ held: HeldContent) throws(Failure) {
    while true {
      let piece: [UInt8]?
      do throws(Errno) { piece = try held.nextPiece() } catch { throw failure(error) }
      guard let piece else { return }
      try sink.write(piece)
    }
  }

  private func failure(_ error: Errno) -> Failure { .output(plan.holding.directory?.visible ?? "memory", error) }
}
