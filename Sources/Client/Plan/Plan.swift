import CacheStore
import FlagTable
import HTTPCaching
import HTTPSemantics
import Platform
import Transport

/// What a run will do, settled before anything is done.
struct FetchPlan {
  let transfers: TransferQueue
  let store: StorePlan
  /// How many transfers may go on at a time.
  let parallelLimit: Int
  /// Whether nothing more is fetched when something has failed.
  let endsEarly: Bool
  /// Of a run that has brought nothing new; `nil` where that is a success like any other.
  let unchangedStatus: Int32?
  /// The file of hosts that are asked over TLS only; `nil` where no host says so.
  let strictHosts: ArgumentText?
  /// The file of alternatives; `nil` where none are used.
  let alternatives: ArgumentText?
}

/// Where cookies come from beside origins, and where they go.
struct CookiePlan {
  var files: [ArgumentText]
  /// Whether those for a session are left out of what is read.
  var dropsSessions = false
  var output: Output?

  enum Output: Equatable {
    case standardOutput
    case file(Path)
  }
}

/// One URL and what becomes of it.
final class TransferPlan {
  let typed: ArgumentText
  let request: Request
  let content: OutgoingMessage.Content
  let policy: CachePolicy
  let storage: StoragePolicy
  /// Why it passes the cache by where the network may be asked, if that is nobody's word.
  let keptOut: NotStored?
  /// What has selected the policy; `nil` where something else has.
  let reachability: Reachability?
  let delivery: DeliveryPlan
  let terms: TransferTerms
  /// Whether its Authorization is of a netrc file, which says whom it is for.
  let hasNetrcLogin: Bool

  init(
    typed: ArgumentText, request: Request, content: OutgoingMessage.Content, policy: CachePolicy,
    storage: StoragePolicy, keptOut: NotStored?, reachability: Reachability?, delivery: DeliveryPlan,
    terms: TransferTerms, hasNetrcLogin: Bool
  ) {
    self.typed = typed
    self.request = request
    self.content = content
    self.policy = policy
    self.storage = storage
    self.keptOut = keptOut
    self.reachability = reachability
    self.delivery = delivery
    self.terms = terms
    self.hasNetrcLogin = hasNetrcLogin
  }
}

/// What holds for each hop of a transfer, and for every URL that the same was said for: made once for all of them.
final class TransferTerms {
  let options: TransferOptions
  /// What sets the connection's trust apart from the system's own; see `Audience.trust`.
  let trust: ConnectionTrust
  /// For all hops together, in milliseconds.
  let timeLimitMilliseconds: Int?
  let keyRules: KeyRules
  let leave: StaleLeave
  let storing: StoringRules
  /// The user's command that has the last word on what is stored.
  let hook: StoreHook?
  /// What the user says of the stored response.
  let marks: Marks
  let redirects: RedirectRules
  let retry: RetryRules
  /// Whether a status of 400 or more is a failure.
  let failsOnError: Bool

  init(
    options: TransferOptions, trust: ConnectionTrust, timeLimitMilliseconds: Int?, keyRules: KeyRules,
    leave: StaleLeave, storing: StoringRules, hook: StoreHook?, marks: Marks, redirects: RedirectRules,
    retry: RetryRules, failsOnError: Bool
  ) {
    self.options = options
    self.trust = trust
    self.timeLimitMilliseconds = timeLimitMilliseconds
    self.keyRules = keyRules
    self.leave = leave
    self.storing = storing
    self.hook = hook
    self.marks = marks
    self.redirects = redirects
    self.retry = retry
    self.failsOnError = failsOnError
  }

  /// The same, with references of its own.
  var copy: TransferTerms {
    TransferTerms(
      options: options, trust: trust, timeLimitMilliseconds: timeLimitMilliseconds, keyRules: keyRules, leave: leave,
      storing: storing, hook: hook, marks: marks, redirects: redirects, retry: retry, failsOnError: failsOnError)
  }

  /// For finding out what a fetch would do: it is tried once, and changes nothing.
  var withoutEffects: TransferTerms {
    TransferTerms(
      options: options, trust: trust, timeLimitMilliseconds: timeLimitMilliseconds, keyRules: keyRules, leave: leave,
      storing: .none, hook: hook, marks: .none, redirects: redirects, retry: .never, failsOnError: failsOnError)
  }
}

/// Where the store is, and whether it may be used.
struct StorePlan {
  /// `nil` where no directory could be found.
  var root: Path?
  /// Why there is none.
  var noDirectory = Failure.noStoreDirectory(isRelative: false)
  var limits = StoreLimits()
  var memory = MemoryPlan.nothing
  /// How long a run waits without news for another that asks for the same; 0 not at all.
  var collapseLimitNanoseconds: UInt64 = Self.defaultCollapseLimit
  /// Whether what a look-up finds damaged is dropped, and not told of only.
  var dropsDamaged = false
  /// Whether a run that cannot store is for nothing: then that is its failure, and no warning.
  var isNeeded = false
  /// What such a run does with the store, as "cannot ... the cache" has it.
  var purpose = "fill"

  /// Longer than most answers take to begin, and not too long to lose where the other hangs.
  private static let defaultCollapseLimit: UInt64 = 5_000_000_000
}

/// What a run keeps in memory until it ends.
struct MemoryPlan {
  /// What is kept of the responses that may be on the disk.
  enum Holding {
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
