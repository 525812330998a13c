import ContentCoding
import HTTPCaching
import HTTPSemantics
import Interface
import Platform

/// What the user gets to see of a transfer, and where. Settled when the transfer is planned, and then looked into by
/// whoever has a part in it: hence a reference.
final class DeliveryPlan {
  let sink: BodySink.Target
  /// `-i`, and `-I`: heads go where content goes, before it.
  let includesHeads: Bool
  /// `-D`.
  let headDump: HeadDump?
  /// `-I`: there is no content to wait for.
  let isHeadOnly: Bool
  /// Content is decoded before it is delivered (`--compressed`).
  let decodesContent: Bool
  /// How many times the size of what was received that may be; `nil` is no limit.
  let maximumRatio: Int64?
  /// `-f`: the content of an error is not delivered.
  let suppressesErrors: Bool
  /// Whether standard output is a terminal.
  let printsOnTerminal: Bool
  /// Whether binary content is not for the terminal that it would go to: nobody has named that.
  let refusesBinary: Bool
  let progress: OutputOptions.Progress
  /// `--max-filesize`, in bytes.
  let maximumSize: UInt64?
  /// What the content is to be; nothing else is delivered.
  let integrity: Integrity?
  /// Where content is held back that would be seen before it has been checked.
  let holding: Holding
  /// `-C`: the bytes at the front that are not asked for.
  let continuesAt: UInt64
  /// `-C -` into a file: of content that breaks off, what has come is kept.
  let keepsBeginning: Bool

  struct Holding {
    /// Of a file for what memory does not hold; `nil` where nothing may reach the disk.
    var directory: Path? = "/tmp"
    /// In bytes.
    var memoryCapacity = MemoryPlan.defaultCapacity
  }

  init(
    sink: BodySink.Target, includesHeads: Bool, headDump: HeadDump?, isHeadOnly: Bool, decodesContent: Bool,
    maximumRatio: Int64?, suppressesErrors: Bool, printsOnTerminal: Bool, refusesBinary: Bool,
    progress: OutputOptions.Progress, maximumSize: UInt64?, integrity: Integrity?, holding: Holding,
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
    self.holding = holding
    self.continuesAt = continuesAt
    self.keepsBeginning = keepsBeginning
  }

  /// Nobody gets anything; what is expected of the content is held against what would be delivered.
  static func toNobody(decodingContent decodesContent: Bool, expecting integrity: Integrity?) -> DeliveryPlan {
    DeliveryPlan(
      sink: .nowhere, includesHeads: false, headDump: nil, isHeadOnly: false, decodesContent: decodesContent,
      maximumRatio: ContentDecoder.defaultRatio, suppressesErrors: false, printsOnTerminal: false,
      refusesBinary: false, progress: .none, maximumSize: nil, integrity: integrity, holding: Holding(),
      continuesAt: 0, keepsBeginning: false)
  }

  /// What the content of a response is for that is not followed to where it leads.
  func use(of response: Response, _ continuation: Continuation) -> ReceivedContent.Use {
    switch continuation {
    case .nothing: return .nothingMissing
    case .error: return .errorInPlaceOfRest
    case .rest, .beginning, .other: break
    }
    let isSuppressed = suppressesErrors && response.status.isError
    // A 304 to the user's own condition says that the file has what it is to have.
    let isNothing = isHeadOnly || (response.status == 304 && !includesHeads)
    return isNothing || isSuppressed ? .unwanted : .delivered
  }

  func checkSize(_ size: UInt64, of target: TargetURI) throws(Failure) {
    if let limit = maximumSize, size > limit { throw .tooLarge(limit: limit, target) }
  }

  /// Whether a stored response answers as if no range were asked for: a part of what is coded cannot be decoded, and
  /// who may ignore a Range is not only the origin (RFC 9110 section 14.2).
  func ignoresRange(of stored: StoredResponse?) -> Bool {
    decodesContent && stored?.fields.contains(.contentEncoding) ?? false
  }

  /// Whether it is shown how far the transfer has come: amid content that a terminal shows, only where that is typed.
  func wantsProgress(by diagnostics: Diagnostics) -> Bool {
    switch progress {
    case .none: return false
    case .bar: return true
    case .automatic:
      guard diagnostics.showsProgress, !isTerminal else { return false }
      guard case .file(let file) = sink, let path = file.path else { return true }
      return !AtomicFile.isTerminal(path)
    }
  }

  /// Heads are escaped where a terminal shows them.
  var isTerminal: Bool { printsOnTerminal && sink == .standardOutput }
}
