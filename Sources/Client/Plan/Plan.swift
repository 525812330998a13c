import HTTPCaching
import HTTPSemantics
import Platform
import Transport

/// What a run will do, settled before anything is done.
struct FetchPlan {
  var transfers: [TransferPlan]
  var store: StorePlan
  /// Where `-w` text is made from, `nil` without `-w`.
  var writeOut: WriteOut?
  var headDump: HeadDump?

  /// Where `-D` heads go.
  enum HeadDump: Hashable {
    case standardOutput
    case file(Path)
  }
}

/// One URL and what becomes of it.
struct TransferPlan {
  var typedURL: String
  var request: Request
  var content: OutgoingMessage.Content
  var options: TransferOptions
  /// What sets the connection's trust apart from the system's own; see `Audience.trust`.
  var trust: [[UInt8]]
  /// For all hops together, in milliseconds.
  var timeLimitMilliseconds: Int?
  var policy: CachePolicy
  /// What has selected the policy; `nil` where something else has.
  var reachability: Reachability?
  var redirects: RedirectRules
  var delivery: DeliveryPlan
  /// Whether a status of 400 or more is a failure.
  var failsOnError: Bool
}

/// Where the store is, and whether it may be used.
struct StorePlan {
  /// `nil` where no directory could be found.
  var root: Path?
}
