import CacheStore
import FlagTable
import HTTPCaching
import HTTPSemantics
import Platform
import Transport

/// The plan of a run, settled before anything is done.
struct FetchPlan {
  let transfers: TransferQueue
  let store: StorePlan
  /// How many transfers may go on at a time.
  let parallelLimit: Int
  /// Whether nothing more is fetched when something has failed.
  let endsEarly: Bool
  /// The exit status of a run that has brought nothing new; `nil` if that is a success like any other.
  let unchangedStatus: Int32?
  /// The file of hosts that are asked over TLS only; `nil` if none is used.
  let strictHosts: ArgumentText?
  /// The file of alternative services; `nil` if none are used.
  let alternatives: ArgumentText?
}

/// The files that cookies come from, besides origins, and the place that they go to.
struct CookiePlan {
  var files: [ArgumentText]
  /// Whether session cookies are left out of what is read.
  var dropsSessions = false
  var output: Output?

  enum Output: Equatable {
    case standardOutput
    case file(Path)
  }
}

/// The plan for one URL.
final class TransferPlan {
  let typed: ArgumentText
  let request: Request
  let content: OutgoingMessage.Content
  let policy: CachePolicy
  let storage: StoragePolicy
  /// Why the transfer bypasses the cache when the network may be asked, if no policy is the reason.
  let bypassReason: NotStored?
  /// The reachability that has selected the policy; `nil` if something else has.
  let reachability: Reachability?
  let delivery: DeliveryPlan
  let terms: TransferTerms
  /// Whether Authorization comes from a netrc file, which says whom it is for.
  let hasNetrcLogin: Bool

  init(
    typed: ArgumentText, request: Request, content: OutgoingMessage.Content, policy: CachePolicy,
    storage: StoragePolicy, bypassReason: NotStored?, reachability: Reachability?, delivery: DeliveryPlan,
    terms: TransferTerms, hasNetrcLogin: Bool
  ) {
    self.typed = typed
    self.request = request
    self.content = content
    self.policy = policy
    self.storage = storage
    self.bypassReason = bypassReason
    self.reachability = reachability
    self.delivery = delivery
    self.terms = terms
    self.hasNetrcLogin = hasNetrcLogin
  }
}

/// The terms of every hop of a transfer, made once for all URLs with the same options.
final class TransferTerms {
  let options: TransferOptions
  /// What sets the connection's trust apart from the system's own; see `Audience.trust`.
  let trust: ConnectionTrust
  /// The limit for all hops together, in milliseconds.
  let timeLimitMilliseconds: Int?
  let keyRules: KeyRules
  let stalePermission: StalePermission
  /// The directives of options if Cache-Control is left out of the request.
  let unsentDirectives: FieldValue?
  let storing: StoringRules
  /// The user's command that makes the final decision on storing.
  let hook: StoreHook?
  /// The user's marks for the stored response.
  let marks: Marks
  let redirects: RedirectRules
  let retry: RetryRules
  /// Whether a status of 400 or more is a failure.
  let failsOnError: Bool

  init(
    options: TransferOptions, trust: ConnectionTrust, timeLimitMilliseconds: Int?, keyRules: KeyRules,
    stalePermission: StalePermission, unsentDirectives: FieldValue?, storing: StoringRules, hook: StoreHook?,
    marks: Marks, redirects: RedirectRules, retry: RetryRules, failsOnError: Bool
  ) {
    self.options = options
    self.trust = trust
    self.timeLimitMilliseconds = timeLimitMilliseconds
    self.keyRules = keyRules
    self.stalePermission = stalePermission
    self.unsentDirectives = unsentDirectives
    self.storing = storing
    self.hook = hook
    self.marks = marks
    self.redirects = redirects
    self.retry = retry
    self.failsOnError = failsOnError
  }

  /// The same terms, with references of their own.
  var copy: TransferTerms {
    TransferTerms(
      options: options, trust: trust, timeLimitMilliseconds: timeLimitMilliseconds, keyRules: keyRules,
      stalePermission: stalePermission, unsentDirectives: unsentDirectives, storing: storing, hook: hook, marks: marks,
      redirects: redirects, retry: retry, failsOnError: failsOnError)
  }

  /// The terms for finding out what a fetch would do: it is tried once, and changes nothing.
  var withoutEffects: TransferTerms {
    TransferTerms(
      options: options, trust: trust, timeLimitMilliseconds: timeLimitMilliseconds, keyRules: keyRules,
      stalePermission: stalePermission, unsentDirectives: unsentDirectives, storing: .none, hook: hook, marks: .none,
      redirects: redirects, retry: .never, failsOnError: failsOnError)
  }
}

/// The place of the store, and the way a run uses it.
struct StorePlan {
  /// `nil` if no directory could be found.
  var root: Path?
  /// The user's home directory, if the root was chosen because it is in there.
  var home: Path?
  /// The failure to report if there is no directory.
  var noDirectory = Failure.noStoreDirectory(relative: nil)
  var limits = StoreLimits()
  var memory = MemoryPlan.nothing
  /// How long a run waits without news for another that asks for the same; 0 for not at all.
  var collapseLimitNanoseconds: UInt64 = Self.defaultCollapseLimit
  /// Whether an entry that a look-up finds damaged is dropped, and not only reported.
  var dropsDamaged = false
  /// Whether a run that cannot store has no purpose: then this is its failure, and not a warning.
  var isNeeded = false
  /// What such a run does with the store, completing "cannot ... the cache".
  var purpose = "fill"

  /// Longer than most answers take to begin, and short enough to lose if the other run hangs.
  private static let defaultCollapseLimit: UInt64 = 5_000_000_000
}

/// The memory for responses that a run keeps until it ends.
struct MemoryPlan {
  /// Which responses are kept.
  enum Scope {
    /// All of them, because a run that asks for many URLs may ask for one twice.
    case everything
    /// Only those that may not be on the disk: memory stands in for the disk, and does not double it.
    case memoryOnly
  }

  /// The bytes to keep; 0 keeps nothing.
  var capacity: Int
  var scope: Scope

  /// 64 MiB: room for many responses, and little beside the memory of a desktop or a server.
  static let defaultCapacity = 64 << 20
  static let nothing = MemoryPlan(capacity: 0, scope: .memoryOnly)
}
