import HTTPSemantics
import Transport

/// The content of a response as far as it has come: as it was sent, its coding kept, in however many messages.
final class ReceivedContent {
  /// What the content is for.
  enum Use {
    case delivered
    /// Nobody gets it: the content of a followed redirection, of a 304, of an error with `-f`, and any with `-I`.
    case unwanted
    /// With `-C`: nothing is missing behind the bytes that were not asked for.
    case nothingMissing
    /// With `-C`: an error came in place of the rest.
    case errorInPlaceOfRest
  }

  /// The response that the content began with; `replaceResponse(with:)` replaces it.
  private(set) var response: Response
  let target: TargetURI
  let use: Use
  /// Checks the digests that the head promises.
  private(set) var check: ContentCheck?
  /// How much is still to come, if a range says so: of the rest asked for with `-C`, or of a response that broke off.
  var rest: AnnouncedRest?
  /// With `-C`: the length of the rest, if the answer has only the beginning of it.
  var missingBytes: UInt64?
  /// How long the content is by its range, if its framing says nothing of that.
  var impliedLength: UInt64?
  private(set) var byteCount: UInt64 = 0
  /// Whether the content broke off; what came of it is what the origin sent.
  var isBrokenOff = false

  init(of response: Response, from target: TargetURI, for use: Use, _ check: ContentCheck?) {
    self.response = response
    self.target = target
    self.use = use
    self.check = check
  }

  /// Goes on with a response that begins with the same bytes. What its head promises is not checked.
  func replaceResponse(with response: Response) {
    self.response = response
    check = nil
  }

  /// Leaves the rest unread, so that nothing can be found out about the whole.
  func leaveRest() { check = nil }

  /// Takes the next piece.
  func take(_ content: UnsafeRawBufferPointer) throws(Failure) {
    byteCount += UInt64(content.count)
    if rest?.take(content.count) == false { throw .transport(AnnouncedRest.excess, target) }
    check?.update(content)
  }

  /// Counts content that is not checked.
  func count(_ count: UInt64) {
    byteCount += count
    _ = rest?.take(Int(clamping: count))
  }

  /// Ends the content.
  ///
  /// - Throws: if it is not what was announced.
  func finish() throws(Failure) {
    if use == .delivered, let shortfall {
      // The message itself is whole, so what came must have the promised digests; only then may it be continued.
      if check?.finish() == nil { isBrokenOff = true }
      throw .transport(shortfall, target)
    }
    if !isBrokenOff, let broken = check?.finish() { throw .digestMismatch(broken, target) }
  }

  /// Why the content, as far as it has come, is less than its range says; `nil` if it is not.
  var shortfall: TransportError? {
    if let shortfall = rest?.shortfall { return shortfall }
    guard let impliedLength, byteCount < impliedLength else { return nil }
    return .truncated(after: byteCount, of: impliedLength)
  }

  /// Marks the content as broken off, and throws, if the answer has only the beginning of what was asked for. To be
  /// called when all else is well.
  func throwIfOnlyBeginning() throws(Failure) {
    guard use == .delivered, !isBrokenOff, let missingBytes else { return }
    isBrokenOff = true
    throw .transport(.truncated(after: byteCount, of: missingBytes), target)
  }
}
