import ContentCoding
import HTTPSemantics
import Platform

/// What the user gets to see of a transfer, and where.
struct DeliveryPlan {
  var sink = BodySink.Target.standardOutput
  /// `-i`, and `-I`: heads go where content goes, before it.
  var includesHeads = false
  /// `-D`.
  var headDump: HeadDump?
  /// `-I`: there is no content to wait for.
  var isHeadOnly = false
  /// Content is decoded before it is delivered (`--compressed`).
  var decodesContent = false
  /// How many times the size of what was received that may be; `nil` is no limit.
  var maximumRatio: Int64? = ContentDecoder.defaultRatio
  /// `-f`: the content of an error is not delivered.
  var suppressesErrors = false
  /// Whether standard output is a terminal.
  var printsOnTerminal = false
  /// Heads are escaped where a terminal shows them.
  var isTerminal: Bool { printsOnTerminal && sink == .standardOutput }
  /// Whether binary content is not for the terminal that it would go to: nobody has named that.
  var refusesBinary = false
  var wantsProgress = false
  /// `--max-filesize`, in bytes.
  var maximumSize: UInt64?
  /// What the content is to be; nothing else is delivered.
  var integrity: Integrity?
  /// Where content is held back that would be seen before it has been checked.
  var holding = Holding()

  struct Holding {
    /// Of a file for what memory does not hold; `nil` where nothing may reach the disk.
    var directory: Path? = "/tmp"
    /// In bytes.
    var memoryCapacity = MemoryPlan.defaultCapacity
  }

  /// `-C`: the bytes at the front that are not asked for.
  var continuesAt: UInt64 = 0
}
