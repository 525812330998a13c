import FlagTable
package import HTTPCaching
import HTTPSemantics

/// The state of the network, in the four words of AFNetworking's reachability manager.
package enum ReachabilityState: String, Equatable, Sendable, CaseIterable {
  case unknown
  case notReachable = "not-reachable"
  /// By a mobile network.
  case wwan
  /// By a local network, with or without a wire.
  case wifi

  /// The words that are accepted; `lan` is `wifi`.
  static let words = allCases.map(\.rawValue) + ["lan"]

  init(parsing text: ArgumentText) throws(InvalidValue) {
    guard let word = text.string, let state = word == "lan" ? .wifi : Self(rawValue: word) else {
      throw .notOneOf(Self.words, not: text)
    }
    self = state
  }
}

/// Whether the state of the network selects the cache policy, and where that state comes from.
package enum ReachabilityMode: Equatable, Sendable {
  case off
  /// The kernel's tables are read.
  case automatic
  /// The state is given, and nothing is read.
  case assumed(ReachabilityState)

  static let words = ["off", "auto"] + ReachabilityState.words

  init(parsing text: ArgumentText) throws(InvalidValue) {
    switch text.string {
    case "off": self = .off
    case "auto": self = .automatic
    default:
      guard let state = try? ReachabilityState(parsing: text) else { throw .notOneOf(Self.words) }
      self = .assumed(state)
    }
  }
}

/// The cache policy of each state of the network.
package struct ReachabilityPolicies: Equatable, Sendable {
  package var unknown = CachePolicy.useProtocol
  package var notReachable = CachePolicy.cacheOnly
  package var wwan = CachePolicy.cacheElseLoad
  package var wifi = CachePolicy.useProtocol

  package init() {}

  package subscript(state: ReachabilityState) -> CachePolicy {
    get {
      switch state {
      case .unknown: unknown
      case .notReachable: notReachable
      case .wwan: wwan
      case .wifi: wifi
      }
    }
    set {
      switch state {
      case .unknown: unknown = newValue
      case .notReachable: notReachable = newValue
      case .wwan: wwan = newValue
      case .wifi: wifi = newValue
      }
    }
  }

  /// Reads `STATE=POLICY`, and sets it.
  mutating func set(parsing text: ArgumentText) throws(InvalidValue) {
    let parts = text.bytes.split(separator: ASCII.equals, maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else { throw .expected("STATE=POLICY, such as wwan=cache-only") }
    self[try ReachabilityState(parsing: ArgumentText(parts[0]))] = try PolicyName.policy(ArgumentText(parts[1]))
  }
}
