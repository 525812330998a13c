/// The sentences of libcurl that tell failures apart that have the same error number. No decision depends on any other
/// text. A test looks for each of them in the installed libcurl.
enum CurlSentences {
  /// Begins the message about a proxy that libcurl cannot use, whose number is that of a proxy that does not answer.
  static let unsupportedProxy = "Unsupported proxy "
  /// Begins the message about a rate that is too low, whose number is that of a time limit.
  static let tooSlow = "Operation too slow"
  /// Begins the message about a handshake for which OpenSSL has no words: the connection has failed.
  static let failedInTLS = "OpenSSL SSL_connect: "
  /// Begins the same message if the system has no words either.
  static let brokenOffInTLS = "\(failedInTLS)SSL_ERROR_SYSCALL"
  /// The message about content whose length is not known.
  static let chunksRefused = "Chunky upload is not supported by HTTP 1.0"
  /// Comes before the name of the host.
  static let hostNotResolved = "Could not resolve host: "
  /// Comes before the name of the proxy.
  static let proxyNotResolved = "Could not resolve proxy: "
  /// Begins the message about a SOCKS proxy that accepts neither a login nor none.
  static let socksLoginMissing = "No authentication method was acceptable"
  /// Begins the message about a SOCKS proxy that refuses a login.
  static let socksLoginRefused = "User was rejected by the SOCKS5 server"
  /// Comes before a host and a port.
  static let notConnected = "Failed to connect to "
  /// Begins every message about the names in a certificate.
  static let otherName = "SSL: "
  // OpenSSL's words for a certificate end libcurl's message.
  static let expired = "certificate has expired"
  static let notYetValid = "certificate is not yet valid"
  static let weakKey = "certificate key too weak"

  /// Returns the beginning of the message about a connection to that host and port.
  static func notConnected(to host: Substring, port: UInt16) -> String { "\(notConnected)\(host) port \(port) " }
}
