import HTTPCaching
import HTTPSemantics
import Platform
import Transport

/// Hands a response to the user: heads, then content, decoded if that was asked for.
///
/// One delivery serves a whole transfer with its redirections: of all responses only the last one's content appears.
/// Its pieces pass through three values: `continued` leaves out what has been delivered before, `received` counts and
/// checks what was sent, `delivered` makes of that what the user gets.
final class Delivery {
  let plan: DeliveryPlan
  let sink: BodySink
  private let diagnostics: Diagnostics
  private let clock: Clock
  /// Every received head, for `-D`; `nil` without it.
  let heads: DumpedHeads?
  /// The first failure; what comes after it is not delivered.
  private(set) var failure: Failure?
  private var continued = ContinuedContent.nothing
  /// The body's length according to an earlier 416: see `DeliveryPlan.continuation`.
  private var lengthIn416: UInt64?
  /// The content received of the present response; `nil` before any head.
  private(set) var received: ReceivedContent?
  private let delivered: DeliveredContent
  /// `nil` if progress is not shown.
  let progress: TransferProgress?

  init(
    _ plan: DeliveryPlan, printingOn place: PrintPlace, diagnostics: Diagnostics, clock: Clock,
    showingProgress progressPlace: ProgressPlace = .ownLine, over reclaimableSpace: ReclaimableSpace? = nil
  ) {
    self.plan = plan
    self.diagnostics = diagnostics
    self.clock = clock
    let wantsProgress = plan.wantsProgress(by: diagnostics)
    progress = wantsProgress ? TransferProgress(on: progressPlace, diagnostics, clock) : nil
    let screen = diagnostics.screen(isTerminal: plan.printsOnTerminal)
    sink = BodySink(plan.sink, printingOn: place, on: screen, over: reclaimableSpace)
    delivered = DeliveredContent(plan, into: sink)
    heads = plan.headDump.map {
      DumpedHeads($0, printingOn: place, isTerminal: plan.printsOnTerminal, on: screen)
    }
  }

  /// Whether this transfer shows its progress, if progress is shown at all.
  var wantsProgress: Bool { progress != nil }

  /// The number of bytes of content that the user got, after decoding.
  var deliveredBytes: UInt64 { delivered.byteCount }

  /// What the content of the present response is for.
  var use: ReceivedContent.Use { received?.use ?? .unwanted }

  /// Whether the response is a 304.
  var isNotModified: Bool { received?.response.status == 304 }

  /// Whether content is to be delivered at all.
  var wantsContent: Bool { use == .delivered && failure == nil }

  /// The digest of the content, if it is an expected one.
  var confirmedDigest: [UInt8]? { delivered.confirmedDigest }

  /// Notes that the content of the next response is already known to have this expected digest.
  func noteKnownDigest(_ digest: [UInt8]) { delivered.noteKnownDigest(digest) }

  /// Notes how much of the request's content has been sent.
  ///
  /// - Parameter length: in bytes, if it is known.
  func reportSent(_ bytes: UInt64, of length: Int64?) { progress?.note(sent: bytes, of: length) }

  /// Notes that nothing more has come for a moment.
  func reportSilence() { progress?.noteSilence() }

  func fail(_ error: Failure) {
    if failure == nil { failure = error }
  }

  private func unlessFailed(_ work: () throws(Failure) -> Void) {
    guard failure == nil else { return }
    do throws(Failure) { try work() } catch { failure = error }
  }

  // MARK: Heads

  func receive(interim: Response) {
    record(interim.head)
    // An interim head must not stand amid content that is continued.
    if !continued.isAwaited { delivered.hold(interim.head) }
  }

  /// Notes that the response is a redirection, and that another response follows it.
  func settleHeads() { delivered.settleHeads() }

  /// Drops the interim heads of an answer after which the origin is asked again, or in whose place a stored response is
  /// delivered.
  func dropInterim() {
    if !continued.isAwaited { delivered.dropHeads() }
  }

  /// Records the head of an answer after which the origin is asked again.
  func recordHead(of answer: Response) { record(answer.head) }

  /// Shows the head of an answer in whose place a stored response is delivered, but does not record it for `-D`: the
  /// user did not ask for it, and a script is to find the same in that file whether something was stored or not.
  func traceHead(of undelivered: Response) { diagnostics.trace(undelivered.head, of: .response) }

  /// Notes the length in a 416 after which the whole is requested, instead of what was to be continued.
  func noteLength(in416 answer: Response) { lengthIn416 = plan.unsatisfiedLength(in: answer) }

  /// Takes the head of a response.
  ///
  /// - Parameters:
  ///   - isContentWanted: false for a redirection that is followed, and for a response that garner makes.
  ///   - check: the check of what the response promises. It is not used if the response continues another one, whose
  ///     promises count.
  func begin(
    _ response: Response, _ report: CacheReport, to target: TargetURI, isContentWanted: Bool, check: ContentCheck? = nil
  ) {
    let head = isHeadSeen ? report.annotatedHead(of: response) : []
    record(head)
    diagnostics.note("cache: \(report.prospect)")
    if continued.isAwaited, takeContinuation(response, from: target) { return }
    let continuation = isContentWanted ? plan.continuation(by: response, lengthIn416: lengthIn416) : nil
    let use = continuation.map { plan.use(of: response, $0) } ?? .unwanted
    received = ReceivedContent(of: response, from: target, for: use, use == .nothingMissing ? nil : check)
    switch continuation {
    case .rest(let length?): received?.rest = AnnouncedRest(of: length)
    case .beginning(let length, of: let missing):
      received?.rest = AnnouncedRest(of: length)
      received?.missingBytes = missing
    case .other: return fail(.notContinued(target))
    default: break
    }
    if use != .errorInPlaceOfRest { delivered.hold(head) }
    if isContentWanted {
      do throws(Failure) {
        try sink.takeNameAndTime(of: response, from: target, now: clock.timestamp)
      } catch {
        return fail(error)
      }
    }
    beginContent(of: response, from: target)
  }

  /// Notes how many bytes of content the response has according to its range.
  func expect(_ length: UInt64) { received?.impliedLength = length }

  /// Takes the head of a response that is to continue what has been delivered.
  ///
  /// - Returns: whether the head is dealt with: the response continues the content, or the delivery has failed.
  ///   Otherwise the response is to be delivered from the front.
  private func takeContinuation(_ response: Response, from target: TargetURI) -> Bool {
    let isCompared = continued.isCompared
    var continued = continued
    let continues = continued.begin(response)
    self.continued = continued
    if continues {
      // If this response breaks off, it is the one that the next request resumes.
      if isCompared { received?.replaceResponse(with: response) }
      // A 206 may be chunked, or have a Content-Length that differs from its Content-Range.
      if let range = PartialContent.carriedRange(of: response) { received?.rest = AnnouncedRest(of: range.length) }
      progress?.restart()
      return true
    }
    // The representation may have changed. A part of the new one is of no use.
    guard !isCompared, response.status != 206, isUnseen else {
      fail(continued.failure(by: response, from: target))
      return true
    }
    makeWay()
    return false
  }

  private func beginContent(of response: Response, from target: TargetURI) {
    let isWanted = use == .delivered
    let expected = isWanted ? response.fields[.contentLength]?.decimal : nil
    progress?.endSending()
    if isWanted { progress?.beginReceiving(expected, after: response.status == 206 ? plan.continuesAt : 0) }
    unlessFailed { () throws(Failure) in
      if let expected { try plan.checkSize(expected, of: target) }
      try delivered.begin(response, isWanted: isWanted)
    }
  }

  /// Whether heads are shown or recorded at all: in most runs they are not.
  private var isHeadSeen: Bool { plan.includesHeads || plan.headDump != nil || diagnostics.verbosity.isVerbose }

  /// Records a head for `-D`, and shows it for `-v`.
  private func record(_ head: [UInt8]) {
    do throws(Failure) { try heads?.note(head) } catch { fail(error) }
    diagnostics.trace(head, of: .response)
  }

  // MARK: Content

  /// Takes the next piece of content.
  ///
  /// - Returns: whether more is wanted.
  func write(_ content: UnsafeRawBufferPointer) -> Bool {
    unlessFailed { () throws(Failure) in
      guard let target = received?.target else { return }
      // On a copy: if the property were changed in place, the runtime would check every access to it, that of readers
      // too.
      var continued = continued
      let undelivered = try continued.undelivered(of: content, from: target)
      self.continued = continued
      guard let content = undelivered else { return }
      progress?.advance(by: UInt64(content.count))
      try received?.take(content)
      guard use == .delivered else { return }
      try plan.checkSize(received?.byteCount ?? 0, of: target)
      try delivered.write(content, from: target)
    }
    return failure == nil
  }

  /// Where verified content of the store may be written directly; `nil` if it must pass through here.
  ///
  /// - Parameter length: of the content, in bytes.
  func directDescriptor(for length: UInt64) -> Descriptor? {
    guard isDirect else { return nil }
    var descriptor: Descriptor?
    unlessFailed { () throws(Failure) in descriptor = try sink.descriptor(for: length) }
    return descriptor
  }

  private var isDirect: Bool {
    wantsContent && continued.isBehind && received?.check == nil && delivered.isAsReceived
  }

  /// The output file, if verified content could be written to it directly and it may hold that content already.
  ///
  /// - Parameter length: of all the content, in bytes.
  func comparedFile(length: UInt64) -> ComparedFile? {
    sink.target.isFile && isDirect ? sink.comparedFile(length: length) : nil
  }

  /// Notes that the file holds what would be delivered.
  func keep(_ file: ComparedFile) {
    sink.keep(file)
    count(file.length)
  }

  /// Counts content that went to `directDescriptor(for:)`.
  func count(_ bytes: UInt64) {
    progress?.advance(by: bytes)
    received?.count(bytes)
    delivered.count(bytes)
  }

  /// Notes that the content until now came from the store, and that what follows comes from the origin.
  func noteContinued() { progress?.restart() }

  /// How many bytes of a range of stored content reach the user.
  func takenBytes(of range: Range<UInt64>?) -> UInt64 {
    guard let range, wantsContent, sink.target != .nowhere else { return 0 }
    return range.length
  }

  // MARK: The ends

  /// Ends the content of a response.
  func endContent() {
    progress?.finish()
    unlessFailed { () throws(Failure) in
      try delivered.flushHeads()
      guard let received else { return }
      try continued.finish(received: received.byteCount, from: received.target)
      try received.finish()
      try delivered.finish(from: received.target)
      try received.throwIfOnlyBeginning()
    }
  }

  /// Ends the content of a response that broke off.
  func endBrokenContent() {
    received?.isBrokenOff = true
    endContent()
  }

  /// Ends the transfer: a file appears only now.
  func finish() throws(Failure) {
    if let failure { throw failure }
    try delivered.flushHeads()
    // A redirection or an error that is not to be shown leaves a named file alone.
    let isSuppressed = plan.suppressesErrors && received?.response.status.isError == true
    if use == .delivered || plan.isHeadOnly && !isSuppressed { try sink.finish() }
  }

  // MARK: What broke off

  /// How a response that broke off is requested again. In either case, only one response is ever delivered.
  enum RetryForm {
    /// Nobody has seen anything of it.
    case fromStart
    case rest(Resumption)
  }

  /// Whether content has come from a target, in any attempt. That of a redirection before it does not count.
  func hasReceivedContent(from place: TargetURI) -> Bool {
    guard let received else { return false }
    return received.byteCount > 0 && received.target == place
  }

  /// The rest is requested with Range, which "is only defined for GET" (RFC 9110 section 14.2), and If-Range.
  ///
  /// - Returns: `nil` if what was delivered can neither be continued nor taken back.
  func retryForm(for request: Request) -> RetryForm? {
    guard failure == nil, !continued.isCompared else { return nil }
    let mayContinue = request.method == .get && !request.leavesOut(.range) && !request.leavesOut(.ifRange)
    if mayContinue, let received, received.byteCount > 0,
      let resumption = Resumption(
        of: received.response, from: received.target, after: received.byteCount, now: clock.timestamp)
    {
      return .rest(resumption)
    }
    return isUnseen ? .fromStart : nil
  }

  /// Whether nobody has seen anything of the response, so that another one may come in its place.
  var isUnseen: Bool { delivered.isUnseen }

  /// Makes way for another response.
  func makeWay() {
    progress?.finish()
    continued = .nothing
    received = nil
    delivered.takeBack()
  }

  /// Makes way for another response after this one could not be decoded, or had another digest than expected.
  ///
  /// - Returns: whether that was possible, because nobody has seen any of it.
  func makeWayAfterFailure() -> Bool {
    guard isUnseen else { return false }
    failure = nil
    makeWay()
    return true
  }

  /// Whether the whole is to be requested after this answer to a request for the rest: the answer is useless, and
  /// another response may take the place of what was delivered.
  func asksAnew(after answer: Response) -> Bool { isUnseen && continued.isMissed(by: answer) }

  /// Expects the rest of what broke off.
  func resume(with resumption: Resumption) {
    progress?.finish()
    continued = .awaited(resumption)
  }

  /// Whether all that was delivered before has come again.
  var hasCaughtUp: Bool { continued.isBehind }

  /// Expects an answer that begins with the content delivered until now; only what comes behind that is delivered.
  func continueContent(after check: PrefixCheck) { continued = .compared(check) }
}
