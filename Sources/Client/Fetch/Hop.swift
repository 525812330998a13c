import HTTPCaching
import HTTPSemantics
import Transport

/// What is asked for in one hop of a transfer.
struct Hop {
  var request: Request
  var content: OutgoingMessage.Content
  var options: TransferOptions
  var trust: ConnectionTrust
  var policy: CachePolicy
  var storage = StoragePolicy.allowed
  var keyRules = KeyRules()
  var leave = StaleLeave.none
  var storing = StoringRules.none
  /// The user's command that has the last word on what is stored.
  var hook: StoreHook?
  /// What the user says of the stored response.
  var marks = Marks.none
  /// What has been tried before, and may be tried after this.
  var attempts: Attempts?
  /// Set where only the rest of an answer is asked for.
  var resumption: Resumption?

  var primaryKey: PrimaryKey { keyRules.primaryKey(for: request.target) }
}

/// What came of a hop.
struct Exchanged {
  /// The response that was delivered, or `nil` where none came.
  var response: Response?
  var cache: CacheReport
  var transfer = TransferReport()
  /// Bytes of content that came from the store to somebody, and so were not transferred.
  var savedBytes: UInt64 = 0
  /// Whether what was served is to be brought up to date when the run is over.
  var isToBeRevalidated = false
  /// Where nothing came of it, and it is done again.
  var retry: Retry?
}

/// A hop on its way: what is asked, what the store has for it, and who gets the answer.
struct Attempt {
  let hop: Hop
  let lookup: CachedLookup
  let delivery: Delivery
  /// Held where other runs may wait for this one.
  var lead: Lead?
  /// Why the origin would have been asked, had not another run done so meanwhile.
  var collapsedReason: ForwardReason?

  var target: TargetURI { hop.request.target }
}
