import CacheStore
import FlagTable
import HTTPCaching
import HTTPSemantics
import Platform
import Transport

/// What a run will do, settled before anything is done.
struct FetchPlan {
  var transfers: TransferQueue
  var store: StorePlan
  /// How many transfers may go on at a time.
  var parallelLimit = 1
  /// What they came to is told whatever that is.
  var isSummedUp = false
  /// Whether nothing more is fetched when something has failed.
  var endsEarly = false
  /// Of a run that has brought nothing new; `nil` where that is a success like any other.
  var unchangedStatus: Int32?
  /// The file of hosts that are asked over TLS only; `nil` where no host says so.
  var strictHosts: ArgumentText?
}

/// Where cookies come from beside origins, and where they go.
struct CookiePlan: Equatable {
  var files: [ArgumentText]
  /// Whether those for a session are left out of what is read.
  var dropsSessions = false
  var output: TransferGroup.HeadDump?
}

/// One URL and what becomes of it.
struct TransferPlan {
  var typedURL: String
  var request: Request
  var content: OutgoingMessage.Content
  var options: TransferOptions
  /// What sets the connection's trust apart from the system's own; see `Audience.trust`.
  var trust: ConnectionTrust
  /// For all hops together, in milliseconds.
  var timeLimitMilliseconds: Int?
  var policy: CachePolicy
  var storage: StoragePolicy
  var keyRules: KeyRules
  var leave: StaleLeave
  var storing: StoringRules
  var hook: StoreHook?
  /// What the user says of the stored response.
  var marks: Marks
  /// What has selected the policy; `nil` where something else has.
  var reachability: Reachability?
  var redirects: RedirectRules
  var retry = RetryRules.never
  var delivery: DeliveryPlan
  /// Whether a status of 400 or more is a failure.
  var failsOnError: Bool
}

/// Where the store is, and whether it may be used.
struct StorePlan {
  /// `nil` where no directory could be found.
  var root: Path?
  var limits = StoreLimits()
  var memory = MemoryPlan.nothing
  /// How long a run waits without news for another that asks for the same; 0 not at all.
  var collapseLimitNanoseconds: UInt64 = Self.defaultCollapseLimit

  /// Longer than most answers take to begin, and not too long to lose where the other hangs.
  private static let defaultCollapseLimit: UInt64 = 5_000_000_000
}

/// What a run keeps in memory until it ends.
struct MemoryPlan: Equatable {
  /// What is kept of the responses that may be on the disk.
  enum Holding: Equatable {
    /// A run that asks for many URLs may ask for one twice.
    case everything
    /// Memory stands in for the disk, and does not double it.
    case memoryOnly
  }

  /// In bytes; 0 keeps nothing.
  var capacity: Int
  var holding: Holding

  /// Sixteen times what NSURLCache takes on a phone, and little for whoever runs a program in a shell.
  static let defaultCapacity = 64 << 20
  static let nothing = MemoryPlan(capacity: 0, holding: .memoryOnly)
}
