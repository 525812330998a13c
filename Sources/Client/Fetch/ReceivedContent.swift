import HTTPSemantics
import Transport

/// What has come of a response's content: as it was sent, its coding kept, and in however many messages.
final class ReceivedContent {
  /// What the content is for.
  enum Use {
    case delivered
    /// Nobody gets it: that of a redirection that is followed, of a 304, with `-f` of an error, with `-I` any.
    case unwanted
    /// With `-C`: nothing is missing behind the bytes that are not asked for.
    case nothingMissing
    /// With `-C`: an error in the place of the rest.
    case errorInPlaceOfRest
  }

  /// That which it began with.
  private(set) var response: Response
  let target: TargetURI
  let use: Use
  /// Of what the head promises.
  private(set) var check: ContentCheck?
  /// How much there is to come, where a range says so: of what was asked for with `-C`, or of what broke off.
  var rest: AnnouncedRest?
  /// With `-C`: how much would be the rest, where the answer has no more than the beginning of that.
  var missingBytes: UInt64?
  /// How many bytes it has at least by its range, where its framing says nothing of that.
  var impliedLength: UInt64?
  private(set) var bytes: UInt64 = 0
  /// Whether it broke off; what has come of it is what the origin sent.
  var isBrokenOff = false

  init(of response: Response, from target: TargetURI, for use: Use, _ check: ContentCheck?) {
    self.response = response
    self.target = target
    self.use = use
    self.check = check
  }

  /// Goes on with a response that has begun with the same bytes; what that promises is not held against these.
  func goOn(with response: Response) {
    self.response = response
    check = nil
  }

  /// Leaves unread what is still to come, so that nothing can be found out about the whole.
  func leaveRest() { check = nil }

  /// Takes the next piece.
  func take(_ content: UnsafeRawBufferPointer) throws(Failure) {
    bytes += UInt64(content.count)
    if rest?.take(content.count) == false { throw .transport(AnnouncedRest.excess, target) }
    check?.update(content)
  }

  /// Counts content that nothing is to be found out about.
  func count(_ count: UInt64) {
    bytes += count
    _ = rest?.take(Int(clamping: count))
  }

  /// Ends it.
  ///
  /// - Throws: where it is not what was announced.
  func finish() throws(Failure) {
    if use == .delivered, let shortfall {
      // Its message has come to its end, and what that promises of itself has to hold of what has come.
      if check?.finish() == nil { isBrokenOff = true }
      throw .transport(shortfall, target)
    }
    if !isBrokenOff, let broken = check?.finish() { throw .digestMismatch(broken, target) }
  }

  /// Why it is not all that its range says, as far as it has come.
  var shortfall: TransportError? {
    if let shortfall = rest?.shortfall { return shortfall }
    guard let impliedLength, bytes < impliedLength else { return nil }
    return .truncated(received: Int64(clamping: bytes), expected: Int64(clamping: impliedLength))
  }

  /// Takes note, when all else is well, that what was asked for has not come to its end: the same as if it had broken
  /// off there.
  func finishBeginning() throws(Failure) {
    guard use == .delivered, !isBrokenOff, let missingBytes else { return }
    isBrokenOff = true
    throw .transport(
      .truncated(received: Int64(clamping: bytes), expected: Int64(clamping: missingBytes)), target)
  }
}
