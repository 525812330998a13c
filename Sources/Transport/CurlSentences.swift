/// Where libcurl's numbers do not tell one failure from another, its sentences do: these are all that anything is
/// decided by. A test looks for each in the libcurl that is installed.
enum CurlSentences {
  /// Begins what it says of a proxy that it cannot use, with the number of one that does not answer.
  static let unsupportedProxy = "Unsupported proxy "
  /// Begins what it says of a rate, with the number of a limit of time.
  static let tooSlow = "Operation too slow"
  /// Begins what it says of a handshake that OpenSSL has no words for: the connection has failed.
  static let failedInTLS = "OpenSSL SSL_connect: "
  /// The same, where the system has no words either.
  static let brokenOffInTLS = "\(failedInTLS)SSL_ERROR_SYSCALL"
  /// Of content whose length is not known.
  static let chunksRefused = "Chunky upload is not supported by HTTP 1.0"
  /// Before the host.
  static let hostNotResolved = "Could not resolve host: "
  /// Before the proxy's.
  static let proxyNotResolved = "Could not resolve proxy: "
  /// Begins what it says of a SOCKS proxy that has not made a connection; of one that wants a login, it says otherwise.
  static let socksRefused = "Can't complete SOCKS"
  /// Before a host and a port.
  static let notConnected = "Failed to connect to "
  /// Begins whatever it says of the names of a certificate.
  static let otherName = "SSL: "

  /// Begins what it says of a connection to that place.
  static func notConnected(to host: Substring, port: UInt16) -> String { "\(notConnected)\(host) port \(port) " }
}
