import ContentCoding
import HTTPCaching
import HTTPSemantics
import Interface
import Platform

/// What the user gets of a transfer, and where it goes. It is settled when the transfer is planned, and then read in
/// many places: hence a reference.
final class DeliveryPlan {
  let sink: BodySink.Target
  /// `-i`, and `-I`: heads go where content goes, before it.
  let includesHeads: Bool
  /// `-D`.
  let headDump: HeadDump?
  /// `-I`, or another HEAD request: there is no content to wait for.
  let isHeadOnly: Bool
  /// Content is decoded before it is delivered (`--compressed`).
  let decodesContent: Bool
  /// The highest permitted ratio of decoded to received bytes; `nil` is no limit.
  let maximumRatio: Int64?
  /// The content of an error is not delivered: with `-f`, by default if it would go to a file, and if a digest is
  /// expected in a run that fails on errors.
  let suppressesErrors: Bool
  /// Whether standard output is a terminal.
  let printsOnTerminal: Bool
  /// Whether binary content is refused, because it would go to a terminal that the user has not named as the output.
  let refusesBinary: Bool
  let progress: OutputOptions.Progress
  /// `--max-filesize`, in bytes.
  let maximumSize: UInt64?
  /// The digests that the content may have; other content is not delivered.
  let integrity: Integrity?
  /// The space for content that is held back because it would otherwise be seen before it has been checked.
  let holdingSpace: HoldingSpace
  /// `-C`: the number of bytes at the front that are not requested.
  let continuesAt: UInt64
  /// `-C -` into a file: if content breaks off, what has come of it is kept.
  let keepsBeginning: Bool

  struct HoldingSpace {
    /// The directory of a file for what does not fit in memory; `nil` if nothing may reach the disk.
    var directory: Path? = "/tmp"
    /// In bytes.
    var memoryCapacity = MemoryPlan.defaultCapacity
  }

  init(
    sink: BodySink.Target, includesHeads: Bool, headDump: HeadDump?, isHeadOnly: Bool, decodesContent: Bool,
    maximumRatio: Int64?, suppressesErrors: Bool, printsOnTerminal: Bool, refusesBinary: Bool,
    progress: OutputOptions.Progress, maximumSize: UInt64?, integrity: Integrity?, holdingSpace: HoldingSpace,
    continuesAt: UInt64, keepsBeginning: Bool
  ) {
    self.sink = sink
    self.includesHeads = includesHeads
    self.headDump = headDump
    self.isHeadOnly = isHeadOnly
    self.decodesContent = decodesContent
    self.maximumRatio = maximumRatio
    self.suppressesErrors = suppressesErrors
    self.printsOnTerminal = printsOnTerminal
    self.refusesBinary = refusesBinary
    self.progress = progress
    self.maximumSize = maximumSize
    self.integrity = integrity
    self.holdingSpace = holdingSpace
    self.continuesAt = continuesAt
    self.keepsBeginning = keepsBeginning
  }

  /// Returns a plan that delivers nothing, but still checks the digest of what it would deliver.
  static func deliveringNothing(decodingContent decodesContent: Bool, expecting integrity: Integrity?) -> DeliveryPlan {
    DeliveryPlan(
      sink: .nowhere, includesHeads: false, headDump: nil, isHeadOnly: false, decodesContent: decodesContent,
      maximumRatio: ContentDecoder.defaultRatio, suppressesErrors: false, printsOnTerminal: false,
      refusesBinary: false, progress: .none, maximumSize: nil, integrity: integrity, holdingSpace: HoldingSpace(),
      continuesAt: 0, keepsBeginning: false)
  }

  /// Returns what the content of a response is for. The response must not be a redirection that is followed.
  func use(of response: Response, _ continuation: Continuation) -> ReceivedContent.Use {
    switch continuation {
    case .nothing: return .nothingMissing
    case .error: return .errorInPlaceOfRest
    case .rest, .beginning, .other: break
    }
    let isSuppressed = suppressesErrors && response.status.isError
    // A 304 to the user's own condition says that the user has the current content already.
    let isNothing = isHeadOnly || (response.status == 304 && !includesHeads)
    return isNothing || isSuppressed ? .unwanted : .delivered
  }

  func checkSize(_ size: UInt64, of target: TargetURI) throws(Failure) {
    if let limit = maximumSize, size > limit { throw .tooLarge(limit: limit, target) }
  }

  /// Whether a stored response is used as if no range were requested: a part of coded content cannot be decoded, and
  /// not only an origin may ignore Range (RFC 9110 section 14.2).
  func ignoresRange(of stored: StoredResponse?) -> Bool {
    decodesContent && stored?.fields.contains(.contentEncoding) ?? false
  }

  /// Whether progress is shown. Amid content that a terminal shows, it is shown only if the user asked for it.
  func wantsProgress(by diagnostics: Diagnostics) -> Bool {
    switch progress {
    case .none: return false
    case .bar: return true
    case .automatic:
      guard diagnostics.showsProgress, !isTerminal else { return false }
      guard case .file(let file) = sink, let path = file.path else { return true }
      return !OutputPath.isTerminal(path)
    }
  }

  /// Whether a terminal shows the output: then heads are escaped.
  var isTerminal: Bool { printsOnTerminal && sink == .standardOutput }
}
