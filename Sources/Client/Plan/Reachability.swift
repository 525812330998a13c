import FlagTable
import HTTPCaching
import HTTPSemantics
import Interface
import Platform

/// How the network stands to a target, why, and the cache policy that this selects.
struct Reachability: Equatable {
  enum Reason: Equatable {
    /// The user has said so.
    case assumed
    case targetOnThisMachine
    /// --connect-to or --resolve makes it so.
    case connectionOnThisMachine
    /// What a proxy of this machine's own reaches, no table of the kernel's tells.
    case proxyOnThisMachine
    case socketOnThisMachine
    /// The routes are those of another.
    case interfaceChosen
    case path(NetworkPath)
  }

  let state: ReachabilityState
  let reason: Reason
  let policy: CachePolicy
}

extension ReachabilityState {
  /// A wire is as good as the local network without one; what the kernel does not tell is not guessed.
  init(_ path: NetworkPath) {
    switch path {
    case .everywhere(over: let link, tunnel: _):
      switch link.medium {
      case .wired, .wireless: self = .wifi
      case .mobile: self = .wwan
      case .tunnel, .unknown: self = .unknown
      }
    // A name may be one of the near network's.
    case .nearby, .unreadable: self = .unknown
    case .noRoute, .linkDown: self = .notReachable
    }
  }
}

/// Says of each target how the network stands to it. The kernel is asked once, when a target first depends on it.
final class ReachabilityCheck {
  private let options: ReachabilityOptions
  private let proxies: ProxySettings
  private let route: RouteOptions
  private let root: Path
  /// `nil` until the kernel has been asked.
  private(set) var path: NetworkPath?

  /// - Parameters:
  ///   - root: of the file system in which the kernel's tables are.
  ///   - path: what the kernel has answered already.
  init(
    _ options: ReachabilityOptions, proxies: ProxySettings, route: RouteOptions, root: Path, path: NetworkPath?
  ) {
    self.path = path
    self.route = route
    self.options = options
    self.proxies = proxies
    self.root = root
  }

  /// - Parameter target: `nil` for any that is not on this machine, and is reached without a proxy.
  func reachability(of target: TargetURI?) -> Reachability {
    if case .assumed(let state) = options.mode { return reachability(state, .assumed) }
    if route.unixSocket != nil { return reachability(.wifi, .socketOnThisMachine) }
    let proxy = proxies.host(for: target?.origin)
    if let origin = target?.origin {
      // A proxy is asked for the host as it is.
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

/// The cache policy of each target: one for all that somebody has named, or what the network selects.
struct PolicyChoice {
  let named: CachePolicy?
  let check: ReachabilityCheck?

  /// `nil` where it makes no difference; then nothing is read.
  func reachability(of target: TargetURI) -> Reachability? {
    named == nil ? check?.reachability(of: target) : nil
  }
}

/// Whether fetches go by the state of the network.
enum ReachabilityUse: Equatable {
  case selects
  /// Nobody has asked for it.
  case off
  /// A policy has been named, which comes first.
  case overruled(by: CachePolicy)
}

extension PlanBuilder {
  /// - Parameter path: what the kernel has answered already.
  func policyChoice(knowing path: NetworkPath?) -> PolicyChoice {
    // What is explained is explained under every policy.
    let isAsked = invocation.command.isFetch && invocation.reachability.mode != .off
    return PolicyChoice(
      named: namedPolicy, check: isAsked ? reachabilityCheck(invocation.reachability, knowing: path) : nil)
  }

  /// For `garner network`: how the network stands to the URL that was typed, if one was.
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

  /// What is typed, and what the environment says.
  var proxies: ProxySettings {
    ProxySettings(
      typed: invocation.connection.proxy?.bytes, typedExempt: invocation.connection.route.noProxy?.bytes,
      environment: context.environment)
  }
}
