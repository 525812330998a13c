import FlagTable
import HTTPCaching
import HTTPSemantics
import Interface
import Platform

/// The state of the network towards a target, the reason for it, and the cache policy that it selects.
struct Reachability: Equatable {
  enum Reason: Equatable {
    /// The user has said so.
    case assumed
    case targetOnThisMachine
    /// --connect-to or --resolve makes it so.
    case connectionOnThisMachine
    /// The kernel's tables do not tell what a proxy on this machine can reach.
    case proxyOnThisMachine
    case socketOnThisMachine
    /// The kernel's routes are for another interface than the one that the user has chosen.
    case interfaceChosen
    case path(NetworkPath)
  }

  let state: ReachabilityState
  let reason: Reason
  let policy: CachePolicy
}

extension ReachabilityState {
  /// A wired link counts as `wifi`. What the kernel does not tell is not guessed.
  init(_ path: NetworkPath) {
    switch path {
    case .everywhere(over: let link, tunnel: _):
      switch link.medium {
      case .wired, .wireless: self = .wifi
      case .mobile: self = .wwan
      case .tunnel, .unknown: self = .unknown
      }
    // A name may belong to the local network.
    case .nearby, .unreadable: self = .unknown
    case .noRoute, .linkDown: self = .notReachable
    }
  }
}

/// A check of how the network stands to each target. The kernel is asked once, when a target first depends on it.
final class ReachabilityCheck {
  private let options: ReachabilityOptions
  private let proxies: ProxySettings
  private let route: RouteOptions
  private let root: Path
  /// `nil` until the kernel has been asked.
  private(set) var path: NetworkPath?

  /// - Parameters:
  ///   - root: the root of the file system that has the kernel's tables.
  ///   - path: the kernel's answer, if it has been asked already.
  init(
    _ options: ReachabilityOptions, proxies: ProxySettings, route: RouteOptions, root: Path, path: NetworkPath?
  ) {
    self.path = path
    self.route = route
    self.options = options
    self.proxies = proxies
    self.root = root
  }

  /// - Parameter target: `nil` for any target that is not on this machine and is reached without a proxy.
  func reachability(of target: TargetURI?) -> Reachability {
    if case .assumed(let state) = options.mode { return reachability(state, .assumed) }
    if route.unixSocket != nil { return reachability(.wifi, .socketOnThisMachine) }
    let proxy = proxies.host(for: target?.origin)
    if let origin = target?.origin {
      // A proxy is asked for the origin's own host.
      let hosts = proxy == nil ? route.hosts(for: origin) : [origin.host]
      if hosts.contains(where: Loopback.contains) {
        return reachability(.wifi, hosts == [origin.host] ? .targetOnThisMachine : .connectionOnThisMachine)
      }
    }
    if let proxy, Loopback.contains(proxy) { return reachability(.unknown, .proxyOnThisMachine) }
    if route.interface != nil { return reachability(.unknown, .interfaceChosen) }
    let path = path ?? NetworkPath(root: root)
    self.path = path
    return reachability(ReachabilityState(path), .path(path))
  }

  private func reachability(_ state: ReachabilityState, _ reason: Reachability.Reason) -> Reachability {
    Reachability(state: state, reason: reason, policy: options.policies[state])
  }
}

/// The choice of each target's cache policy: one that is named for all targets, or the one that the network selects.
struct PolicyChoice {
  let named: CachePolicy?
  let check: ReachabilityCheck?

  /// Returns `nil` if the reachability makes no difference; then nothing is read.
  func reachability(of target: TargetURI) -> Reachability? {
    named == nil ? check?.reachability(of: target) : nil
  }
}

/// Whether the state of the network selects the policy of a fetch.
enum ReachabilityUse: Equatable {
  case selects
  /// No option asks for it.
  case off
  /// A named policy comes first.
  case overruled(by: CachePolicy)
}

extension PlanBuilder {
  /// - Parameter path: the kernel's answer, if it has been asked already.
  func policyChoice(knowing path: NetworkPath?) -> PolicyChoice {
    // `cache explain` explains a request under every policy.
    let isAsked = invocation.command.isFetch && invocation.reachability.mode != .off
    return PolicyChoice(
      named: namedPolicy, check: isAsked ? reachabilityCheck(invocation.reachability, knowing: path) : nil)
  }

  /// Returns the reachability of the URL that was typed, if one was, for `garner network`.
  func reachability() throws(Failure) -> (Reachability, ReachabilityUse) {
    let target: TargetURI? = if let typed = invocation.operands.first { try reference(typed).target } else { nil }
    var options = invocation.reachability
    var use = ReachabilityUse.selects
    if let named = namedPolicy { use = .overruled(by: named) }
    if options.mode == .off { (options.mode, use) = (.automatic, .off) }
    let check = reachabilityCheck(options, knowing: nil)
    return (check.reachability(of: target), use)
  }

  private func reachabilityCheck(
    _ options: ReachabilityOptions, knowing path: NetworkPath?
  ) -> ReachabilityCheck {
    ReachabilityCheck(
      options, proxies: proxies, route: invocation.connection.route, root: context.networkRoot, path: path)
  }

  /// The proxies that were typed, and those of the environment.
  var proxies: ProxySettings {
    ProxySettings(
      typed: invocation.connection.proxy?.bytes, typedExempt: invocation.connection.route.noProxy?.bytes,
      environment: context.environment)
  }
}
