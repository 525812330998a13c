import ContentCoding
import HTTPSemantics
import Platform

/// The user's output on its way to the sink: heads, then content, decoded if that was asked for.
final class DeliveredContent {
  private let plan: DeliveryPlan
  private let sink: BodySink
  /// `nil` if heads are not delivered.
  private let heads: HeldHeads?
  private var decoder: ContentDecoder?
  /// Why the content cannot be decoded. It is thrown with the first byte: without content, nothing has to be decoded.
  private var undecodable: ContentCodingError?
  /// `nil` if the user expects no digest.
  private let checked: CheckedContent?
  /// The number of bytes of content that the user got, after decoding.
  private(set) var byteCount: UInt64 = 0

  init(_ plan: DeliveryPlan, into sink: BodySink) {
    self.plan = plan
    self.sink = sink
    heads = plan.includesHeads ? HeldHeads() : nil
    checked = plan.integrity.map { CheckedContent($0, plan, into: sink) }
  }

  /// Whether nobody has seen anything of the present response.
  var isUnseen: Bool { byteCount == 0 || sink.canTakeBack }

  /// Whether content may go to the sink without passing through here. It may not while heads are held: they are
  /// delivered with the first block that has been verified.
  var isAsReceived: Bool {
    decoder == nil && undecodable == nil && heads?.areHeld != true && checked?.isChecked != true
      && plan.maximumSize == nil
      && !plan.refusesBinary
  }

  /// The digest of the content, if it is an expected one.
  var confirmedDigest: [UInt8]? { checked?.confirmedDigest }

  /// Notes that the content of the next response is already known to have this expected digest.
  func noteKnownDigest(_ digest: [UInt8]) { checked?.noteKnownDigest(digest) }

  /// Holds a head that goes before the content.
  func hold(_ head: [UInt8]) { heads?.hold(head) }

  /// Notes that another response follows the present one.
  func settleHeads() { heads?.settle() }

  /// Drops the heads of the present response, none of whose content has been delivered.
  func dropHeads() { heads?.drop() }

  /// Begins the content of a response.
  func begin(_ response: Response, isWanted: Bool) throws(Failure) {
    decoder = nil
    undecodable = nil
    // A 304 has no content to check.
    try checked?.begin(isWanted: isWanted && response.status != 304)
    guard isWanted, plan.decodesContent else { return }
    let codings = response.fields.members(of: .contentEncoding)
    if codings.isEmpty { return }
    do throws(ContentCodingError) {
      let stages = try ContentDecoder(names: codings, maximumRatio: plan.maximumRatio)
      if !stages.isIdentity { decoder = consume stages }
    } catch {
      undecodable = error
    }
  }

  /// Takes the next piece, as it was received.
  func write(_ content: UnsafeRawBufferPointer, from target: TargetURI) throws(Failure) {
    if let undecodable, content.count > 0 { throw .coding(undecodable, target) }
    guard var active = decoder.take() else { return try deliver(content, from: target) }
    var undelivered: Failure?
    do throws(ContentCodingError) {
      _ = try active.feed(content) { decoded in
        do throws(Failure) {
          try deliver(decoded, from: target)
          return true
        } catch {
          undelivered = error
          return false
        }
      }
    } catch {
      throw .coding(error, target)
    }
    if let undelivered { throw undelivered }
    decoder = consume active
  }

  private func deliver(_ content: UnsafeRawBufferPointer, from target: TargetURI) throws(Failure) {
    try flushHeads()
    try plan.checkSize(byteCount + UInt64(content.count), of: target)
    // As in curl, content with a NUL is no text.
    if plan.refusesBinary, content.contains(0) { throw .binary(target, isFetched: true) }
    if let checked { try checked.write(content) } else { try sink.write(content) }
    byteCount += UInt64(content.count)
  }

  /// Counts content that has gone to the sink without passing through here.
  func count(_ count: UInt64) {
    sink.count(count)
    byteCount += count
  }

  /// Ends the content of a response.
  func finish(from target: TargetURI) throws(Failure) {
    if let ended = decoder.take() {
      do throws(ContentCodingError) { try ended.finish() } catch { throw .coding(error, target) }
    }
    let held = try checked?.finish(from: target)
    try flushHeads()
    if let held { try checked?.release(held) }
  }

  func flushHeads() throws(Failure) {
    guard let heads, heads.areHeld, checked?.isHeldBack != true else { return }
    let held = heads.take()
    let isShown = try plan.isTerminal ? true : sink.isTerminal()
    try sink.write(isShown ? Escaping.visibleLines(of: held) : held)
  }

  /// Takes back what nobody has seen.
  func takeBack() {
    dropHeads()
    // An open file is given up, too: the next response may have another name for it.
    if sink.canTakeBack || sink.written == 0 {
      sink.takeBack()
      heads?.takeBack()
    }
    byteCount = 0
  }
}

/// Heads that go before the content. They are delivered with its first byte, or when it ends. Until then, those of
/// another response may take their place.
private final class HeldHeads {
  private var bytes: [UInt8] = []
  /// How many bytes are of responses that another one has followed, so that nothing takes their place any more.
  private var settledCount = 0
  /// How many bytes have been delivered.
  private var deliveredCount = 0

  var areHeld: Bool { deliveredCount < bytes.count }

  func hold(_ head: [UInt8]) { bytes += head }

  /// Notes that another response follows the present one.
  func settle() { settledCount = bytes.count }

  /// Drops the heads of the present response.
  func drop() {
    bytes.removeSubrange(settledCount...)
    deliveredCount = min(deliveredCount, settledCount)
  }

  /// Returns the heads that are to be delivered now.
  func take() -> [UInt8] {
    defer { deliveredCount = bytes.count }
    return Array(bytes[deliveredCount...])
  }

  /// Marks all heads as not yet delivered, so that they are delivered again.
  func takeBack() { deliveredCount = 0 }
}
