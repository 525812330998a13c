import HTTPCaching
import Interface
import Platform

extension Reachability {
  /// For `-v`: all in one line.
  var summary: String {
    "reachability: \(state.rawValue) (\(reason.sentence)): the cache policy is \(policy.rawValue)"
  }

  /// The hint for a failure that the selected policy has caused.
  var hint: String {
    "--reachability has selected \(policy.rawValue), because the network is \(state.words): \(reason.sentence)"
  }

  /// The interface that decides, if one does.
  var link: NetworkLink? {
    switch reason {
    case .path(.everywhere(over: let link, tunnel: _)), .path(.nearby(over: let link)): link
    case .path(.noRoute), .path(.linkDown), .path(.unreadable), .assumed, .targetOnThisMachine,
      .connectionOnThisMachine, .proxyOnThisMachine, .socketOnThisMachine, .interfaceChosen:
      nil
    }
  }

  /// The interface of the tunnel that leads to the link; `nil` without one.
  var tunnel: String? {
    if case .path(.everywhere(over: _, tunnel: let tunnel)) = reason { tunnel } else { nil }
  }
}

extension ReachabilityState {
  fileprivate var words: String {
    switch self {
    case .unknown: "of unknown kind"
    case .notReachable: "not reachable"
    case .wwan: "a mobile one"
    case .wifi: "a local one"
    }
  }
}

extension Reachability.Reason {
  /// Without a full stop.
  var sentence: String {
    switch self {
    case .assumed: "as --reachability says"
    case .targetOnThisMachine: "the host is this machine"
    case .connectionOnThisMachine: "--connect-to or --resolve leads to this machine"
    case .proxyOnThisMachine: "the proxy is on this machine, and its route is unknown"
    case .socketOnThisMachine: "--unix-socket leads to this machine"
    case .interfaceChosen: "--interface selects a route that is unknown"
    case .path(.everywhere(over: let link, tunnel: nil)): "the default route leads over \(link.words)"
    case .path(.everywhere(over: let link, tunnel: let tunnel?)):
      "the default route leads through \(Escaping.visible(tunnel)) and over \(link.words)"
    case .path(.nearby(over: let link)): "there is no default route, only a local one over \(link.words)"
    case .path(.noRoute): "no route leads beyond this machine"
    case .path(.linkDown(let name)): "the link of \(Escaping.visible(name)) is down"
    case .path(.unreadable(let error)): "the kernel's routing table cannot be read: \(error)"
    }
  }
}

extension NetworkLink {
  fileprivate var words: String {
    let kind =
      switch medium {
      case .wired: "which is wired"
      case .wireless: "which is wireless"
      case .mobile: "which is mobile"
      case .tunnel: "a tunnel over an unknown link"
      case .unknown: "of unknown kind"
      }
    return "\(Escaping.visible(name)), \(kind)"
  }
}

extension LinkMedium {
  /// The name in JSON output.
  var name: String {
    switch self {
    case .wired: "wired"
    case .wireless: "wireless"
    case .mobile: "mobile"
    case .tunnel: "tunnel"
    case .unknown: "unknown"
    }
  }
}
