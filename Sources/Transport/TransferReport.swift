package import HTTPSemantics

/// The facts about a finished transfer.
package struct TransferReport: Equatable, Sendable {
  /// Times since the start of the transfer, in microseconds; 0 for what was not reached.
  package struct Times: Equatable, Sendable {
    package var nameLookup: Int64 = 0
    package var connect: Int64 = 0
    package var appConnect: Int64 = 0
    package var preTransfer: Int64 = 0
    package var startTransfer: Int64 = 0
    package var total: Int64 = 0

    package init() {}
  }

  package var times = Times()

  /// Sizes in bytes: content received and sent, the received heads, the sent head.
  package var downloadSize: Int64 = 0
  package var uploadSize: Int64 = 0
  package var headerSize: Int64 = 0
  package var requestSize: Int64 = 0
  /// Mean speeds, in bytes a second.
  package var downloadSpeed: Int64 = 0
  package var uploadSpeed: Int64 = 0

  package var remoteAddress = ""
  package var remotePort = 0
  package var localAddress = ""
  package var localPort = 0
  /// The number of connections made: 0 when one was used again.
  package var connectionCount = 0
  package var version: HTTPVersion?
  /// OpenSSL's number; 0 for a certificate that was verified.
  package var certificateVerification = 0
  /// The same for the certificate of an https proxy.
  package var proxyCertificateVerification = 0
  /// The status that a proxy has answered CONNECT with; 0 if none was asked, as for a connection that is used again.
  package var tunnelStatus = 0
  /// The number of certificates that the origin has shown, and libcurl's lines about them. Both are there only if they
  /// are wanted and the connection is new.
  package var certificateCount = 0
  package var certificates = ""

  package init() {}
}
