import Glibc

/// An HTTP/1.1 origin on a loopback address, with a thread for every connection.
///
/// It sends byte for byte what a test tells it to send, and records the requests. Any number of servers run side by
/// side. A server stops when its last reference goes away.
package final class OriginServer: Sendable {
  package enum Family: Sendable {
    case ipv4, ipv6
  }

  package typealias Handler = @Sendable (ReceivedRequest) -> OriginAnswer

  /// The port that the kernel chose, or the one that was asked for.
  package let port: UInt16
  package let family: Family
  private let core: OriginCore

  /// Starts a server; it listens when this returns.
  ///
  /// - Parameter port: 0 lets the kernel choose.
  /// - Throws: where the address family or the port is not available.
  package init(
    _ family: Family = .ipv4, port: UInt16 = 0, handler: @escaping Handler
  ) throws(SystemFailure) {
    let listener = try listen(family, port: port)
    self.family = family
    self.port = boundPort(of: listener)
    core = OriginCore(listener: listener, handler: handler)
    startThread { [core] in core.acceptConnections() }
  }

  deinit { stop() }

  /// The URL of a target that begins with a slash.
  package func url(_ target: String = "/") -> String { "http://\(authority)\(target)" }

  /// The host and the port.
  package var authority: String {
    switch family {
    case .ipv4: "127.0.0.1:\(port)"
    case .ipv6: "[::1]:\(port)"
    }
  }

  /// The requests so far, in order of arrival.
  package var requests: [ReceivedRequest] { core.state.withLock { $0.requests } }

  /// The number of connections accepted so far.
  package var connectionCount: Int { core.state.withLock { $0.connectionCount } }

  /// Waits until the server has seen this many requests.
  ///
  /// - Returns: whether it did so in time.
  package func hasSeen(requests count: Int, withinMilliseconds milliseconds: Int = 10_000) -> Bool {
    core.state.wait(until: Deadline(afterMilliseconds: milliseconds)) { $0.requests.count >= count ? true : nil }
      ?? false
  }

  /// Waits until there has been a connection, and every connection has been closed.
  ///
  /// - Returns: whether that happened in time.
  package func hasNoConnection() -> Bool {
    core.state.wait(until: Deadline(afterMilliseconds: 10_000)) { state in
      state.connectionCount > 0 && state.sockets.isEmpty ? true : nil
    } ?? false
  }

  /// Closes every connection and the port, and waits until no thread of the server is left.
  package func stop() { core.stop() }
}

/// Runs `body` with an origin that answers as `handler` says, and stops it afterwards.
package func withOrigin<Result>(
  on family: OriginServer.Family = .ipv4, answering handler: @escaping OriginServer.Handler,
  run body: (OriginServer) throws -> Result
) throws -> Result {
  let origin = try OriginServer(family, handler: handler)
  defer { origin.stop() }
  return try body(origin)
}

/// Whether this machine has an IPv6 loopback address.
package func canListenOnIPv6() -> Bool {
  (try? OriginServer(.ipv6) { _ in .disconnect }) != nil
}

/// Returns a socket that listens on the loopback address.
///
/// - Parameter backlog: how many connections the kernel makes before the first of them is accepted.
func listen(
  _ family: OriginServer.Family, port: UInt16, backlog: Int32 = SOMAXCONN
) throws(SystemFailure) -> Int32 {
  let domain = family == .ipv4 ? AF_INET : AF_INET6
  let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
  let listener = try checked("socket", socket(domain, type, 0))
  var one: Int32 = 1
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
  let status: Int32
  switch family {
  case .ipv4:
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    status = bindSocket(listener, to: &address)
  case .ipv6:
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    address.sin6_port = port.bigEndian
    address.sin6_addr = in6addr_loopback
    status = bindSocket(listener, to: &address)
  }
  guard status == 0, Glibc.listen(listener, backlog) == 0 else {
    let failure = SystemFailure("listen on port \(port)")
    close(listener)
    throw failure
  }
  return listener
}

private func bindSocket<Address>(_ socket: Int32, to address: inout Address) -> Int32 {
  withUnsafeBytes(of: &address) { bytes in
    guard let pointer = bytes.assumingMemoryBound(to: sockaddr.self).baseAddress else { return -1 }
    return bind(socket, pointer, socklen_t(bytes.count))
  }
}

func boundPort(of listener: Int32) -> UInt16 {
  var storage = sockaddr_storage()
  var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
  return withUnsafeMutablePointer(to: &storage) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = getsockname(listener, $0, &length) }
    // The port stands at the same place in both families' addresses.
    return pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { UInt16(bigEndian: $0.pointee.sin_port) }
  }
}
