import HTTPSemantics
import Platform

/// Checks content against the digests that the user typed, on its way to the sink. If the sink would show content
/// before the check is done, the content is held back.
final class CheckedContent {
  private let expected: Integrity
  private let plan: DeliveryPlan
  private let sink: BodySink
  private var check: IntegrityCheck?
  private var held: HeldContent?
  /// The digest of the next response's content, if it has been checked in advance.
  private var knownDigest: [UInt8]?
  /// The digest of the content, if it is an expected one.
  private(set) var confirmedDigest: [UInt8]?

  init(_ expected: Integrity, _ plan: DeliveryPlan, into sink: BodySink) {
    self.expected = expected
    self.plan = plan
    self.sink = sink
  }

  /// Whether the content must pass through here to be checked.
  var isChecked: Bool { check != nil }
  /// Whether nothing of the response may be shown yet.
  var isHeldBack: Bool { held != nil }

  /// Notes that the content of the next response is already known to have this expected digest.
  func noteKnownDigest(_ digest: [UInt8]) { knownDigest = digest }

  /// Begins the content of a response.
  func begin(isWanted: Bool) throws(Failure) {
    (check, held) = (nil, nil)
    confirmedDigest = knownDigest
    knownDigest = nil
    guard confirmedDigest == nil, isWanted else { return }
    check = IntegrityCheck(expected)
    guard try !sink.isAtomic() else { return }
    held = HeldContent(in: plan.holdingSpace.directory, memoryCapacity: plan.holdingSpace.memoryCapacity)
  }

  func write(_ content: UnsafeRawBufferPointer) throws(Failure) {
    check?.update(content)
    guard let held else { return try sink.write(content) }
    while true {
      do throws(Errno) {
        return try held.append(content)
      } catch {
        guard sink.makeRoom(error, in: plan.holdingSpace.directory) else { throw failure(error) }
      }
    }
  }

  /// Ends the content.
  ///
  /// - Returns: the content that was held back, and may be released.
  /// - Throws: if it does not have an expected digest.
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

  private func failure(_ error: Errno) -> Failure { .output(plan.holdingSpace.directory?.visible ?? "memory", error) }
}
