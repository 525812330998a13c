/// The medium that carries the packets of a link, as far as the kernel tells.
package enum LinkMedium: Equatable, Sendable {
  case wired
  case wireless
  /// A modem in a mobile network, or a dialled connection (PPP).
  case mobile
  /// A virtual private network, whose packets leave over another link.
  case tunnel
  /// Anything else, such as a pair of virtual ends, or one link made of links of several kinds.
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

/// The way out of this machine, as the kernel's tables show it: nothing is sent to find it.
package enum NetworkPath: Equatable, Sendable {
  /// There is a route to everywhere; `tunnel` names the interface of a tunnel that packets enter first.
  case everywhere(over: NetworkLink, tunnel: String?)
  /// There is no route to everywhere, but one to a nearby network.
  case nearby(over: NetworkLink)
  case noRoute
  /// There are routes, but none can be used, and this is the first of their interfaces without a connection.
  case linkDown(String)
  /// The table of routes cannot be read, or is longer than this program reads.
  case unreadable(Errno)
}

extension NetworkPath {
  /// Reads `proc/net/route`, `proc/net/ipv6_route`, and those interfaces in `sys/class/net` that routes lead over.
  ///
  /// Of the routes whose link is up, the one with the lowest metric counts. If it leads through a tunnel, the link
  /// below the tunnel counts: that of the next route to everywhere, or the only link that can carry it.
  ///
  /// - Parameter root: the root of the file system that these files are in: `/`, except in tests.
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
    let (near, firstDown) = Self.links(of: table.nearby, links)
    linkDown = linkDown ?? firstDown
    if let tunnel {
      // Packets that leave the tunnel take one of these links. Which one is known only if all are of one kind.
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

  /// Returns the links that the routes lead over, each once, if they are up and no tunnels; and the first interface
  /// that is down.
  private static func links(of routes: [Route], _ table: LinkTable) -> (up: [NetworkLink], down: String?) {
    var links: [NetworkLink] = []
    var down: String?
    for route in routes where !links.contains(where: { $0.name == route.interface }) {
      switch table.state(of: route.interface) {
      case .up(.tunnel), .enclosed: break
      case .up(let medium): links.append(NetworkLink(route.interface, medium))
      case .down: down = down ?? route.interface
      }
    }
    return (links, down)
  }
}
