/// What carries the packets of a link, as far as the kernel tells.
package enum LinkMedium: Equatable, Sendable {
  case wired
  case wireless
  /// A modem in a mobile network, or a dialled connection (PPP).
  case mobile
  /// A virtual private network, whose packets leave over another link.
  case tunnel
  /// A pair of virtual ends, say, or links of several kinds in one.
  case unknown
}

/// A network interface that a route leads over.
package struct NetworkLink: Equatable, Sendable {
  package let name: String
  package let medium: LinkMedium

  package init(_ name: String, _ medium: LinkMedium) {
    self.name = name
    self.medium = medium
  }
}

/// The way out of this machine, found in the kernel's tables: nothing is sent to find it.
package enum NetworkPath: Equatable, Sendable {
  /// A route to everywhere; `tunnel` names the interface of a tunnel that it takes before.
  case everywhere(over: NetworkLink, tunnel: String?)
  /// No route to everywhere, but one to what is near.
  case nearby(over: NetworkLink)
  case noRoute
  /// Routes there are, and this interface of the first of them has no connection.
  case linkDown(String)
  /// The table of routes cannot be read, or is longer than anybody reads for this.
  case unreadable(Errno)
}

extension NetworkPath {
  /// Reads `proc/net/route`, `proc/net/ipv6_route`, and of `sys/class/net` the interfaces that routes lead over.
  ///
  /// The route of the lowest metric counts whose link is up. Where it leads through a tunnel, the link below it counts:
  /// that of the next route to everywhere, or the only one there is.
  ///
  /// - Parameter root: of the file system that these are in: `/`, but for tests.
  package init(root: Path) {
    let table = RouteTable(root: root)
    let links = LinkTable(root: root)
    var tunnel: String?
    var linkDown: String?
    for route in table.everywhere {
      switch links.state(of: route.interface) {
      case .up(.tunnel): tunnel = tunnel ?? route.interface
      case .up(let medium):
        self = .everywhere(over: NetworkLink(route.interface, medium), tunnel: tunnel)
        return
      case .down: linkDown = linkDown ?? route.interface
      case .enclosed: break
      }
    }
    let near = Self.links(of: table.nearby, links, &linkDown)
    if let tunnel {
      // What leaves the tunnel takes one of these; which, shows only where they are of one kind.
      let physical = near.filter { $0.medium != .unknown }
      if let link = physical.first, physical.allSatisfy({ $0.medium == link.medium }) {
        self = .everywhere(over: link, tunnel: tunnel)
      } else {
        self = .everywhere(over: NetworkLink(tunnel, .tunnel), tunnel: nil)
      }
    } else if let failure = table.failure {
      self = .unreadable(failure)
    } else if let link = near.first {
      self = .nearby(over: link)
    } else {
      self = linkDown.map { .linkDown($0) } ?? .noRoute
    }
  }

  /// The links, each once, that the routes lead over and that are up and no tunnels.
  private static func links(of routes: [Route], _ table: LinkTable, _ linkDown: inout String?) -> [NetworkLink] {
    var links: [NetworkLink] = []
    for route in routes where !links.contains(where: { $0.name == route.interface }) {
      switch table.state(of: route.interface) {
      case .up(.tunnel), .enclosed: break
      case .up(let medium): links.append(NetworkLink(route.interface, medium))
      case .down: linkDown = linkDown ?? route.interface
      }
    }
    return links
  }
}
