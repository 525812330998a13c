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
  /// Bytes of content as received: of the present response, with what came of it before a resumption.
  private var receivedContent: UInt64 = 0
  /// Of the present response.
  private(set) var use = Use.unwanted
  private var target: TargetURI?
  /// Whose content is delivered.
  private(set) var response: Response?
  private var continued = ContinuedContent()
  /// Of what was asked for with `-C`, or of what broke off.
  private var rest: Completion?
  /// Of what its head promises, in however many messages it comes.
  private(set) var check: ContentCheck?
  /// Whether the response broke off; what has come of it is what the origin sent.
  private(set) var hasBrokenOff = false
  private var pendingHead: [UInt8] = []
  private var checked: CheckedContent
  private var decoder: ContentDecoder?
  private var progress: TransferProgress

  init(
    _ plan: DeliveryPlan, printingOn place: PrintPlace, diagnostics: Diagnostics, clock: Clock,
    showingProgress progressPlace: ProgressPlace = .ownLine, over lentRoom: LentRoom? = nil
  ) {
    self.plan = plan
    self.diagnostics = diagnostics
    self.clock = clock
    progress = TransferProgress(
      on: plan.wantsProgress(by: diagnostics) ? progressPlace : .nowhere, diagnostics, clock)
    let screen = diagnostics.screen(isTerminal: plan.printsOnTerminal)
    if let lentRoom {
      sink = BodySink(plan.sink, printingOn: place, on: screen, makingRoom: lentRoom.claim())
    } else {
      sink = BodySink(plan.sink, printingOn: place, on: screen)
    }
    checked = CheckedContent(plan, into: sink)
    heads = HeadRecord(plan.headDump, printingOn: place, isTerminal: plan.printsOnTerminal, on: screen)
  }

  /// Whether it is shown how far this has come, where that is shown at all.
  var wantsProgress: Bool { progress.isShown }

  /// Whether content of the present response has left.
  var hasDeliveredContent: Bool { deliveredContent > 0 }

  /// Takes note how far the request's content has come.
  ///
  /// - Parameter length: in bytes, where it is known.
  func reportSent(_ bytes: UInt64, of length: Int64?) { progress.note(sent: bytes, of: length) }

  func receive(interim: Response) {
    record(interim.head)
    // Not amid the content.
    if plan.includesHeads, !continued.isAwaited { pendingHead += interim.head }
  }

  /// Takes note of an answer in whose place something else is delivered.
  func recordHead(of letGo: Response) { record(letGo.head) }

  /// Takes the head of a response.
  ///
  /// - Parameters:
  ///   - isFollowed: whether it is a redirection whose content nobody asked for.
  ///   - check: of what it promises; not taken where it goes on with what another one has promised.
  func begin(
    _ response: Response, _ report: CacheReport, to target: TargetURI, isFollowed: Bool, check: ContentCheck? = nil
  ) {
    self.target = target
    let head = isHeadSeen ? report.annotatedHead(of: response) : []
    record(head)
    diagnostics.note("cache: \(report.prospect)")
    if continued.isAwaited, goesOn(with: response, from: target, isFollowed: isFollowed) { return }
    self.response = response
    receivedContent = 0
    (use, rest, self.check) = (.unwanted, nil, check)
    if !isFollowed {
      let continuation = plan.continuation(by: response)
      if case .other = continuation { return fail(.notContinued(target)) }
      if case .rest(let length?) = continuation { rest = Completion(of: length) }
      use = use(of: response, continuation)
      if use == .nothingMissing { self.check = nil }
    }
    if plan.includesHeads, use != .errorInPlaceOfRest { pendingHead += head }
    if !isFollowed, !sink.heed(response, now: clock.timestamp) { return fail(.noFileName(target)) }
    beginContent(of: response, from: target)
  }

  /// Takes the head of a response that is to continue what has been delivered.
  ///
  /// - Returns: whether there is no more to be done: it does, or nothing can. Else it is delivered from the front.
  private func goesOn(with response: Response, from target: TargetURI, isFollowed: Bool) -> Bool {
    let isCompared = continued.isCompared
    if continued.begin(response, isFollowed: isFollowed) {
      // Of what breaks off in its turn, this is what is continued.
      if isCompared { (self.response, check) = (response, nil) }
      // A part may be chunked, or say of its length what its Content-Range does not.
      if response.status == 206, let range = response.fields.combined(.contentRange).flatMap({ ContentRange($0) }) {
        rest = Completion(of: range.length)
      }
      progress.goOn()
      return true
    }
    // What is there may have changed meanwhile. A part of that is of no use.
    guard continued.isResumed, response.status != 206, isUnseen else {
      fail(continued.failure(from: target))
      return true
    }
    makeWay()
    return false
  }

  private func use(of response: Response, _ continuation: DeliveryPlan.Continuation) -> Use {
    switch continuation {
    case .nothing: return .nothingMissing
    case .error where sink.target.isFile: return .errorInPlaceOfRest
    case .rest, .error, .other: break
    }
    let isSuppressed = plan.suppressesErrors && response.status.isError
    // A 304 to the user's own condition says that the file has what it is to have.
    let isNothing = plan.isHeadOnly || (response.status == 304 && !plan.includesHeads)
    return isNothing || isSuppressed ? .unwanted : .delivered
  }

  private func beginContent(of response: Response, from target: TargetURI) {
    let isWanted = use == .delivered
    decoder = nil
    progress.endSending()
    unlessFailed { () throws(Failure) in try checked.begin(isWanted: isWanted) }
    guard isWanted else { return }
    let expected = response.fields[.contentLength]?.decimal
    progress.beginReceiving(expected, behind: response.status == 206 ? plan.continuesAt : 0)
    unlessFailed { () throws(Failure) in
      if let expected { try checkSize(expected) }
      if plan.decodesContent { try startDecoding(response, target) }
    }
  }

  /// Whether the response is a 304.
  var isNotModified: Bool { response?.status == 304 }

  /// Expects an answer that begins with the content delivered until now; only what comes behind that is delivered.
  func continueContent(after check: PrefixCheck) { continued.await(check) }

  /// Takes note that the content of the next response has been found to have a digest that is expected.
  func noteKnownContent(_ digest: [UInt8]) { checked.noteKnown(digest) }

  /// The digest of the content, where it is one that was asked for.
  var confirmedDigest: [UInt8]? { checked.confirmedDigest }

  /// Takes the next piece of content.
  ///
  /// - Returns: whether more is wanted.
  func write(_ content: UnsafeRawBufferPointer) -> Bool {
    unlessFailed { () throws(Failure) in
      guard let content = try continued.undelivered(of: content, from: target) else { return }
      progress.advance(by: UInt64(content.count))
      receivedContent += UInt64(content.count)
      if let target, rest?.take(content.count) == false { throw .transport(Completion.excess, target) }
      check?.update(content)
      try checkSize(receivedContent)
      guard use == .delivered else { return }
      if decoder == nil { try deliver(content) } else { try decode(content) }
    }
    return failure == nil
  }

  /// Where verified content of the store may go without passing through here; `nil` where it must.
  ///
  /// - Parameter length: of the content, in bytes.
  func directDescriptor(for length: UInt64) -> Descriptor? {
    guard isDirect else { return nil }
    var descriptor: Descriptor?
    unlessFailed { () throws(Failure) in descriptor = try sink.descriptor(for: length) }
    return descriptor
  }

  private var isDirect: Bool {
    let isUnwatched =
      continued.isBehind && plan.maximumSize == nil && check == nil && !checked.isChecked && !plan.refusesBinary
    // A head leaves behind the first block that has been found in order.
    return use == .delivered && isUnwatched && decoder == nil && failure == nil && pendingHead.isEmpty
  }

  /// The file that verified content would go to without passing through here, where it may hold that already.
  ///
  /// - Parameter length: of all the content, in bytes.
  func comparedFile(length: UInt64) -> ComparedFile? {
    sink.target.isFile && isDirect ? sink.comparedFile(length: length) : nil
  }

  /// Takes note that the file holds what would be delivered.
  func keep(_ file: ComparedFile) {
    sink.keep(file)
    count(file.length)
  }

  /// Takes note that what was delivered until now came from the store, and what follows from the origin.
  func noteContinued() { progress.goOn() }

  /// Whether content is to be delivered at all.
  var wantsContent: Bool { use == .delivered && failure == nil }

  /// How many bytes of a content somebody gets.
  func takenBytes(of range: Range<UInt64>?) -> UInt64 {
    guard let range, wantsContent, sink.target != .nowhere else { return 0 }
    return range.upperBound - range.lowerBound
  }

  /// Counts content that went to `directDescriptor(for:)`.
  func count(_ bytes: UInt64) {
    progress.advance(by: bytes)
    sink.count(bytes)
    _ = rest?.take(Int(clamping: bytes))
    receivedContent += bytes
    deliveredContent += bytes
  }

  func fail(_ error: Failure) {
    if failure == nil { failure = error }
  }

  /// Ends the content of a response that broke off.
  func endBrokenContent() {
    hasBrokenOff = true
    endContent()
  }

  /// Ends the content of a response.
  func endContent() {
    progress.finish()
    unlessFailed { () throws(Failure) in
      try flushHead()
      guard let target else { return }
      try continued.finish(received: receivedContent, from: target)
      if use == .delivered, let shortfall = rest?.shortfall { throw .transport(shortfall, target) }
      if !hasBrokenOff, let broken = check?.finish() { throw .digestMismatch(broken, target) }
      try finishDecoding(target)
      let held = try checked.finish(from: target)
      try flushHead()
      if let held { try checked.release(held) }
    }
  }

  /// Ends the transfer: a file appears only now.
  func finish() throws(Failure) {
    if let failure { throw failure }
    try flushHead()
    // A redirection or an error that is not to be shown leaves a named file alone.
    if use == .delivered || plan.isHeadOnly { try sink.finish() }
  }

  private func checkSize(_ size: UInt64) throws(Failure) {
    if let limit = plan.maximumSize, size > limit, let target { throw .tooLarge(limit: limit, target) }
  }

  private func startDecoding(_ response: Response, _ target: TargetURI) throws(Failure) {
    let codings = response.fields.members(of: .contentEncoding)
    if codings.isEmpty { return }
    do throws(ContentCodingError) {
      let stages = try ContentDecoder(names: codings, maximumRatio: plan.maximumRatio)
      if !stages.isIdentity { decoder = consume stages }
    } catch {
      throw .coding(error, target)
    }
  }

  private func decode(_ content: UnsafeRawBufferPointer) throws(Failure) {
    guard var active = decoder.take(), let target else { return }
    var undelivered: Failure?
    do throws(ContentCodingError) {
      _ = try active.feed(content) { decoded in
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
    try flushHead()
    try checkSize(deliveredContent + UInt64(content.count))
    // As curl tells it: text has no NUL.
    if plan.refusesBinary, content.contains(0), let target { throw .binary(target) }
    try checked.write(content)
    deliveredContent += UInt64(content.count)
  }

  private func finishDecoding(_ target: TargetURI) throws(Failure) {
    guard let ended = decoder.take() else { return }
    do throws(ContentCodingError) {
      try ended.finish()
    } catch {
      throw .coding(error, target)
    }
  }

  private func flushHead() throws(Failure) {
    guard !pendingHead.isEmpty, !checked.isHeldBack else { return }
    let head = pendingHead
    pendingHead = []
    let isShown = try plan.isTerminal ? true : sink.isTerminal()
    try sink.write(isShown ? Escaping.visibleLines(of: head) : head)
  }

  private func unlessFailed(_ work: () throws(Failure) -> Void) {
    guard failure == nil else { return }
    do throws(Failure) { try work() } catch { failure = error }
  }

  /// Whether anybody gets to see heads: mostly nobody does.
  private var isHeadSeen: Bool { plan.includesHeads || plan.headDump != nil || diagnostics.verbosity.isVerbose }

  /// For `-D`, and for `-v`.
  private func record(_ head: [UInt8]) {
    do throws(Failure) { try heads.note(head) } catch { fail(error) }
    diagnostics.trace(head, mark: "<")
  }

  // MARK: What broke off

  /// What can be done about a response that broke off, so that only one is ever delivered.
  enum WayOn {
    /// Nothing of it has left, or all can be taken back.
    case afresh
    case rest(Resumption)
  }

  /// Whether content has come from there, in any attempt: not that of a redirection before it.
  func hasReceivedContent(from place: TargetURI) -> Bool { receivedContent > 0 && target == place }

  /// - Parameter method: of the request: "Range ... is only defined for GET" (RFC 9110 section 14.2).
  /// - Returns: `nil` where what has left can neither be continued nor taken back.
  func wayOn(of method: Method) -> WayOn? {
    guard failure == nil, !continued.isCompared else { return nil }
    if method == .get, receivedContent > 0, let response, let target,
      let resumption = Resumption(of: response, from: target, after: receivedContent, now: clock.timestamp)
    {
      return .rest(resumption)
    }
    return isUnseen ? .afresh : nil
  }

  /// Whether nobody has seen anything of the response, so that another one may come in its place.
  var isUnseen: Bool { !hasDeliveredContent || sink.canTakeBack }

  /// Whether all of the present response that has been delivered before has come again.
  var hasCaughtUp: Bool { continued.isBehind }

  /// Makes way for that one.
  func makeWay() {
    progress.finish()
    continued = ContinuedContent()
    pendingHead = []
    if hasDeliveredContent { sink.takeBack() }
    (receivedContent, deliveredContent) = (0, 0)
  }

  /// Expects the rest of what broke off.
  func resume(with resumption: Resumption) {
    progress.finish()
    continued.await(resumption)
  }
}
