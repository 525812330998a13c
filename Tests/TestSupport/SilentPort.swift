import Glibc

/// A port of a loopback address on which nothing ever answers.
package final class SilentPort: Sendable {
  package enum Silence: Sendable {
    /// No connection is made: the kernel's queue is full, and the kernel drops further attempts.
    case unconnected
    /// The kernel makes connections, but no byte that comes on them is read.
    case unread
  }

  package let port: UInt16
  private let listener: Int32
  /// The connection that fills the queue.
  private let filling: Int32?

  package init(_ silence: Silence) throws(SystemFailure) {
    listener = try listen(.ipv4, port: 0, backlog: silence == .unread ? SOMAXCONN : 0)
    port = boundPort(of: listener)
    filling = silence == .unread ? nil : try connection(to: port)
  }

  deinit {
    if let filling { close(filling) }
    close(listener)
  }

  /// Waits until there is a connection.
  ///
  /// - Returns: whether it came in time.
  package func isReached() -> Bool {
    var watched = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
    return poll(&watched, 1, 10_000) == 1
  }

  /// Accepts the next connection, reads its first bytes, and closes it without an answer.
  package func hangUp() {
    let connection = accept(listener, nil, nil)
    var bytes = [UInt8](repeating: 0, count: 1 << 14)
    _ = read(connection, &bytes, bytes.count)
    close(connection)
  }
}

private func connection(to port: UInt16) throws(SystemFailure) -> Int32 {
  let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
  let socket = try checked("socket", socket(AF_INET, type, 0))
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = port.bigEndian
  address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
  let status = withUnsafeBytes(of: &address) { bytes in
    bytes.assumingMemoryBound(to: sockaddr.self).baseAddress.map { connect(socket, $0, socklen_t(bytes.count)) } ?? -1
  }
  if status != 0 {
    let failure = SystemFailure("connect to port \(port)")
    close(socket)
    throw failure
  }
  return socket
}
