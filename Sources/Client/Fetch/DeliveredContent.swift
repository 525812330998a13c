import ContentCoding
import HTTPSemantics
import Platform

/// What the user gets, on its way to its sink: heads, and behind them content, decoded where that was asked for.
final class DeliveredContent {
  private let plan: DeliveryPlan
  private let sink: BodySink
  /// That go before the content. They leave with its first byte, or where it ends: until then, another response may
  /// come in the place of theirs.
  private var heads: [UInt8] = []
  /// How many bytes of them are of responses that another one has followed, in whose place none comes.
  private var settledCount = 0
  /// How many bytes of them have left.
  private var leftCount = 0
  private var decoder: ContentDecoder?
  private var checked: CheckedContent
  /// Bytes of content, as the user got them.
  private(set) var bytes: UInt64 = 0

  init(_ plan: DeliveryPlan, into sink: BodySink) {
    self.plan = plan
    self.sink = sink
    checked = CheckedContent(plan, into: sink)
  }

  /// Whether nobody has seen anything of the present response.
  var isUnseen: Bool { bytes == 0 || sink.canTakeBack }

  /// Whether content may go to the sink without passing through here. A head leaves behind the first block that has
  /// been found in order.
  var isAsReceived: Bool {
    decoder == nil && leftCount == heads.count && !checked.isChecked && plan.maximumSize == nil && !plan.refusesBinary
  }

  /// The digest of the content, where it is one that was asked for.
  var confirmedDigest: [UInt8]? { checked.confirmedDigest }

  /// Takes note that the content of the next response has been found to have a digest that is expected.
  func noteKnown(_ digest: [UInt8]) { checked.noteKnown(digest) }

  /// Takes a head that goes before the content.
  func hold(_ head: [UInt8]) {
    if plan.includesHeads { heads += head }
  }

  /// Takes note that another response follows the present one.
  func settleHeads() { settledCount = heads.count }

  /// Lets go of the heads of the present response, which none of its content has followed.
  func dropHeads() {
    heads.removeSubrange(settledCount...)
    leftCount = min(leftCount, settledCount)
  }

  /// Begins with the content of a response.
  func begin(_ response: Response, from target: TargetURI, isWanted: Bool) throws(Failure) {
    decoder = nil
    try checked.begin(isWanted: isWanted)
    guard isWanted, plan.decodesContent else { return }
    let codings = response.fields.members(of: .contentEncoding)
    if codings.isEmpty { return }
    do throws(ContentCodingError) {
      let stages = try ContentDecoder(names: codings, maximumRatio: plan.maximumRatio)
      if !stages.isIdentity { decoder = consume stages }
    } catch {
      throw .coding(error, target)
    }
  }

  /// Takes the next piece, as it was received.
  func write(_ content: UnsafeRawBufferPointer, from target: TargetURI) throws(Failure) {
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
    try plan.checkSize(bytes + UInt64(content.count), of: target)
    // As curl tells it: text has no NUL.
    if plan.refusesBinary, content.contains(0) { throw .binary(target) }
    try checked.write(content)
    bytes += UInt64(content.count)
  }

  /// Counts content that has gone to the sink without passing through here.
  func count(_ count: UInt64) {
    sink.count(count)
    bytes += count
  }

  /// Ends the content of a response.
  func finish(from target: TargetURI) throws(Failure) {
    if let ended = decoder.take() {
      do throws(ContentCodingError) { try ended.finish() } catch { throw .coding(error, target) }
    }
    let held = try checked.finish(from: target)
    try flushHeads()
    if let held { try checked.release(held) }
  }

  func flushHeads() throws(Failure) {
    guard leftCount < heads.count, !checked.isHeldBack else { return }
    let held = Array(heads[leftCount...])
    leftCount = heads.count
    let isShown = try plan.isTerminal ? true : sink.isTerminal()
    try sink.write(isShown ? Escaping.visibleLines(of: held) : held)
  }

  /// Lets go of what nobody has seen.
  func takeBack() {
    dropHeads()
    // A file that has been opened goes, too: the next response may have another name for it.
    if sink.canTakeBack || sink.written == 0 {
      sink.takeBack()
      leftCount = 0
    }
    bytes = 0
  }
}
