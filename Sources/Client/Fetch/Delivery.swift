import ContentCoding
import HTTPCaching
import HTTPSemantics
import Platform
import Transport

/// Hands a response to the user: heads, then content, decoded where that was asked for.
///
/// One delivery serves a whole transfer with its redirections: of all responses only the last one's content appears.
final class Delivery {
  let plan: DeliveryPlan
  let sink: BodySink
  private let diagnostics: Diagnostics
  private let clock: Clock
  /// Of every head that was received, for `-D`.
  private(set) var heads: HeadRecord
  /// The first failure; what comes after it is not delivered.
  private(set) var failure: Failure?
  /// Bytes of content, as the user got them.
  private(set) var deliveredContent: UInt64 = 0
  /// Bytes of content as received, from all attempts together.
  private var receivedContent: UInt64 = 0
  /// Whether nothing is missing behind the bytes that are not asked for: what comes is not wanted.
  private(set) var isAllThere = false

  private var target: TargetURI?
  private var response: Response?
  /// Set while the rest of a response that broke off is waited for.
  private var resumption: Resumption?
  /// Whether the response is a 304.
  private(set) var isNotModified = false
  /// Bytes at the front of an answer that have been delivered already.
  private var overlap: UInt64 = 0
  private var pendingHead: [UInt8] = []
  private var integrityCheck: IntegrityCheck?
  /// Set where content would be seen before it has been checked.
  private var heldContent: HeldContent?
  /// Of the response that begins next, where that has been checked already.
  private var knownDigest: [UInt8]?
  /// The digest of the content, where it is one that was asked for.
  private(set) var confirmedDigest: [UInt8]?
  /// Set while the content of an answer is compared with what has been delivered already.
  private var prefixCheck: PrefixCheck?
  private var isContentWanted = false
  private var decoder: Decoder?
  private let progress: TransferProgress
  private var meter = ProgressMeter(on: nil, expected: nil)

  private struct Decoder: ~Copyable {
    var stages: ContentDecoder
  }

  init(
    _ plan: DeliveryPlan, printingOn place: PrintPlace, diagnostics: Diagnostics, clock: Clock,
    progress: TransferProgress = .alone
  ) {
    self.plan = plan
    self.diagnostics = diagnostics
    self.clock = clock
    self.progress = progress
    sink = BodySink(plan.sink, printingOn: place)
    heads = HeadRecord(plan.headDump, printingOn: place, isTerminal: plan.printsOnTerminal)
  }

  /// Whether content of the present response has left.
  var hasDeliveredContent: Bool { deliveredContent > 0 }

  func receive(interim: Response) {
    note(interim.head)
    if plan.includesHeads { pendingHead += shown(interim.head) }
  }

  /// Takes note of an answer in whose place something else is delivered.
  func note(letGo head: Response) { note(head.head) }

  /// Takes the head of a response.
  ///
  /// - Parameter isFollowed: whether it is a redirection whose content nobody asked for.
  func begin(_ response: Response, _ report: CacheReport, to target: TargetURI, isFollowed: Bool) {
    self.target = target
    let head = isHeadSeen ? report.annotatedHead(of: response) : []
    note(head)
    diagnostics.note("cache: \(report.prospect)")
    if prefixCheck != nil {
      if response.status != 200 || isFollowed { fail(.damaged(target)) }
      return
    }
    if let resumption { return goOn(with: response, after: resumption, target) }
    self.response = response
    receivedContent = 0
    if plan.includesHeads { pendingHead += shown(head) }
    if !isFollowed, !continues(response) { return fail(.notContinued(target)) }
    if !isFollowed, !sink.heed(response, now: clock.timestamp) { return fail(.noFileName(target)) }
    // A 304 to the user's own condition says that the file has what it is to have.
    isNotModified = !isFollowed && response.status == 304
    isContentWanted =
      !isFollowed && !plan.isHeadOnly && !isAllThere && !(isNotModified && !plan.includesHeads)
      && !(plan.suppressesErrors && response.status.isError)
    decoder = nil
    let expected = response.fields[.contentLength]?.decimal
    if plan.wantsProgress, isContentWanted {
      let before = response.status == 206 ? plan.continuesAt : 0
      meter = progress.meter(of: expected, behind: before, diagnostics, clock)
    }
    startCheck()
    if let expected, isContentWanted { attempt { () throws(Failure) in try checkSize(expected) } }
    if plan.decodesContent, isContentWanted { attempt { () throws(Failure) in try startDecoding(response, target) } }
  }

  /// Expects an answer that begins with the content delivered until now; only what comes behind that is delivered.
  func continueContent(after check: PrefixCheck) { prefixCheck = check }

  /// Drops a head that was held back: another response takes this one's place.
  func forgetHead() { pendingHead = [] }

  /// Takes the next piece of content.
  ///
  /// - Returns: whether more is wanted.
  func write(_ content: UnsafeRawBufferPointer) -> Bool {
    attempt { () throws(Failure) in
      guard let content = try undelivered(of: content) else { return }
      meter.advance(by: UInt64(content.count))
      receivedContent += UInt64(content.count)
      try checkSize(receivedContent)
      try flushHead()
      guard isContentWanted else { return }
      if decoder == nil { try deliver(content) } else { try decode(content) }
    }
    return failure == nil
  }

  /// Where verified content of the store may go without passing through here; `nil` where it must.
  func directDescriptor() -> Descriptor? {
    let isUnwatched = overlap == 0 && plan.maximumSize == nil && integrityCheck == nil
    guard isContentWanted, isUnwatched, decoder == nil, failure == nil else { return nil }
    var descriptor: Descriptor?
    attempt { () throws(Failure) in
      try flushHead()
      descriptor = try sink.descriptor()
    }
    return descriptor
  }

  /// Takes note that what was delivered until now came from the store, and what follows from the origin.
  func noteContinued() { meter.goOn() }

  /// Whether content is to be delivered at all.
  var wantsContent: Bool { isContentWanted && failure == nil }

  /// How many bytes of a content somebody gets.
  func takenBytes(of range: Range<UInt64>?) -> UInt64 {
    guard let range, wantsContent, sink.target != .nowhere else { return 0 }
    return range.upperBound - range.lowerBound
  }

  /// Counts content that went to `directDescriptor()`.
  func count(_ bytes: UInt64) {
    meter.advance(by: bytes)
    sink.count(bytes)
    receivedContent += bytes
    deliveredContent += bytes
  }

  func fail(_ error: Failure) {
    if failure == nil { failure = error }
  }

  /// Ends the content of a response.
  func endContent() {
    meter.finish()
    attempt { () throws(Failure) in
      try flushHead()
      guard let target else { return }
      // The new answer was shorter than what had been delivered of the old one.
      if prefixCheck != nil { throw .damaged(target) }
      if overlap > 0 { throw .transport(.truncated(received: Int64(clamping: receivedContent), expected: nil), target) }
      try finishDecoding(target)
      try finishCheck(target)
    }
  }

  /// Ends the transfer: a file appears only now.
  func finish() throws(Failure) {
    if let failure { throw failure }
    try flushHead()
    // A redirection or an error that is not to be shown leaves a named file alone.
    if isContentWanted || plan.isHeadOnly { try sink.finish() }
  }

  private func checkSize(_ size: UInt64) throws(Failure) {
    if let limit = plan.maximumSize, size > limit, let target { throw .tooLarge(limit: limit, target) }
  }

  /// What of a piece comes behind the content that has been delivered already; `nil` while nothing does.
  private func undelivered(of content: UnsafeRawBufferPointer) throws(Failure) -> UnsafeRawBufferPointer? {
    if overlap > 0 {
      let count = Int(clamping: min(overlap, UInt64(content.count)))
      overlap -= UInt64(count)
      return count == content.count ? nil : UnsafeRawBufferPointer(rebasing: content[count...])
    }
    guard let prefixCheck, let target else { return content }
    switch prefixCheck.consume(content) {
    case .undecided:
      return nil
    case .same(let count):
      self.prefixCheck = nil
      return UnsafeRawBufferPointer(rebasing: content[count...])
    case .different:
      throw .damaged(target)
    }
  }

  private func startDecoding(_ response: Response, _ target: TargetURI) throws(Failure) {
    let codings = response.fields.members(of: .contentEncoding)
    if codings.isEmpty { return }
    do throws(ContentCodingError) {
      let stages = try ContentDecoder(names: codings, maximumRatio: plan.maximumRatio)
      if !stages.isIdentity { decoder = Decoder(stages: stages) }
    } catch {
      throw .coding(error, target)
    }
  }

  private func decode(_ content: UnsafeRawBufferPointer) throws(Failure) {
    guard var active = decoder.take(), let target else { return }
    var undelivered: Failure?
    do throws(ContentCodingError) {
      _ = try active.stages.feed(content) { decoded in
        do throws(Failure) {
          try deliver(decoded)
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

  private func deliver(_ content: UnsafeRawBufferPointer) throws(Failure) {
    try checkSize(deliveredContent + UInt64(content.count))
    integrityCheck?.update(content)
    if let heldContent {
      do throws(Errno) { try heldContent.append(content) } catch {
        throw .output(plan.holding.directory.description, error)
      }
    } else {
      try sink.write(content)
    }
    deliveredContent += UInt64(content.count)
  }

  private func finishDecoding(_ target: TargetURI) throws(Failure) {
    guard let ended = decoder.take() else { return }
    do throws(ContentCodingError) {
      try ended.stages.finish()
    } catch {
      throw .coding(error, target)
    }
  }

  private func flushHead() throws(Failure) {
    guard heldContent == nil, !pendingHead.isEmpty else { return }
    let head = pendingHead
    pendingHead = []
    try sink.write(head)
  }

  private func attempt(_ work: () throws(Failure) -> Void) {
    guard failure == nil else { return }
    do throws(Failure) { try work() } catch { failure = error }
  }

  /// Whether anybody gets to see heads: mostly nobody does.
  private var isHeadSeen: Bool { plan.includesHeads || plan.headDump != nil || diagnostics.verbosity.isVerbose }

  private func note(_ head: [UInt8]) {
    do throws(Failure) { try heads.note(head) } catch { fail(error) }
    diagnostics.trace(head, mark: "<")
  }

  private func shown(_ head: [UInt8]) -> [UInt8] {
    plan.isTerminal ? Escaping.visibleLines(of: head) : head
  }

  // MARK: What is known by its digest

  /// Takes note that the content of the next response has been found to have a digest that is expected.
  func noteKnownContent(_ digest: [UInt8]) { knownDigest = digest }

  private func startCheck() {
    (integrityCheck, heldContent) = (nil, nil)
    confirmedDigest = knownDigest
    knownDigest = nil
    guard let expected = plan.integrity, confirmedDigest == nil, isContentWanted else { return }
    integrityCheck = IntegrityCheck(expected)
    attempt { () throws(Failure) in
      if try sink.isAtomic() { return }
      heldContent = HeldContent(in: plan.holding.directory, memoryCapacity: plan.holding.memoryCapacity)
    }
  }

  private func finishCheck(_ target: TargetURI) throws(Failure) {
    guard let ended = integrityCheck, let expected = plan.integrity else { return }
    let held = heldContent
    (integrityCheck, heldContent) = (nil, nil)
    let (digest, isExpected) = ended.finish()
    guard isExpected else {
      forgetHead()
      throw .otherContent(expected.algorithm, digest: digest, target)
    }
    confirmedDigest = digest
    try flushHead()
    if let held { try release(held) }
  }

  private func release(_ held: HeldContent) throws(Failure) {
    while true {
      let piece: [UInt8]?
      do throws(Errno) { piece = try held.nextPiece() } catch {
        throw .output(plan.holding.directory.description, error)
      }
      guard let piece else { return }
      try sink.write(piece)
    }
  }

  // MARK: What broke off

  /// What can be done about a response that broke off, so that only one is ever delivered.
  enum WayOn {
    /// Nothing of it has left, or all can be taken back.
    case afresh
    case rest(Resumption)
  }

  var hasReceivedContent: Bool { receivedContent > 0 }

  /// The response that another answer continues.
  var resumed: Response? { resumption == nil ? nil : response }

  /// - Returns: `nil` where what has left can neither be continued nor taken back.
  func wayOn() -> WayOn? {
    guard failure == nil, prefixCheck == nil else { return nil }
    if receivedContent > 0, let response, let target,
      let resumption = Resumption(of: response, from: target, after: receivedContent, now: clock.timestamp)
    {
      return .rest(resumption)
    }
    return sink.canTakeBack ? .afresh : nil
  }

  func take(_ way: WayOn) {
    meter.finish()
    overlap = 0
    switch way {
    case .rest(let resumption):
      self.resumption = resumption
    case .afresh:
      resumption = nil
      sink.takeBack()
      forgetHead()
      (receivedContent, deliveredContent) = (0, 0)
    }
  }

  private func goOn(with answer: Response, after resumption: Resumption, _ target: TargetURI) {
    guard let overlap = resumption.overlap(with: answer) else {
      return fail(.transport(.truncated(received: Int64(clamping: resumption.received), expected: nil), target))
    }
    self.overlap = overlap
    self.resumption = nil
    meter.goOn()
  }

  /// Whether a response has what was asked for with `-C`, or is a failure of another kind.
  private func continues(_ response: Response) -> Bool {
    guard plan.continuesAt > 0 else { return true }
    if response.status == 416 {
      // `bytes */LENGTH`, of a body that may have ended before where it was to be continued.
      let length = response.fields[.contentRange]?.bytes.split(separator: UInt8(ascii: "/")).last
      isAllThere = length.flatMap { ASCII.unsignedDecimal($0) }.map { $0 == plan.continuesAt } ?? true
      return true
    }
    if response.status == 200, response.fields[.contentLength]?.decimal == plan.continuesAt {
      // The whole instead of nothing: as curl does, a length is believed where a range is not heeded.
      isAllThere = true
      return true
    }
    guard response.status == 206 else { return response.status.isError }
    return response.fields[.contentRange].flatMap { ContentRange($0) }?.bytes.lowerBound == plan.continuesAt
  }
}
