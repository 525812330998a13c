package import HTTPSemantics

/// Who carries a request to its origin and the response back. Knows no cache.
package protocol Transport {
  /// Sends a request and hands over what comes back, while it comes; returns when the response is whole.
  ///
  /// - Parameter report: filled in for a transfer that failed, too.
  func send(
    _ message: OutgoingMessage, to receiver: any ResponseReceiver, report: inout TransferReport
  ) throws(TransportError)

  /// Gets ready what the first message would wait for. Nothing is sent; what fails, fails again when something is.
  func prepare()

  /// Notes that nothing more is going to be sent, so that what has to end can do so meanwhile. What is sent all the
  /// same is sent.
  func finish()
}

extension Transport {
  package func prepare() {}

  package func finish() {}
}

/// Who takes a response. The calls come in this order: what has been sent, interim heads, the head, the content.
package protocol ResponseReceiver: AnyObject {
  /// - Parameter sent: bytes of the request's content that have been taken to be sent, from its beginning on; fewer
  ///   than before where it is sent again.
  func receive(sent: UInt64)

  /// An informational response (RFC 9110 section 15.2).
  func receive(interim: Response)

  func receive(head: Response, framing: Framing) -> Reception

  /// - Parameter content: the next piece, as it was framed, with its content coding; valid during the call only.
  func receive(content: UnsafeRawBufferPointer) -> Reception

  /// What `-v` shows; only where the message asked for it.
  func receive(trace: Trace)

  /// Nothing has come for a fifth of a second or so, at any time before the end.
  func receiveNothing()
}

extension ResponseReceiver {
  package func receive(sent: UInt64) {}

  package func receiveNothing() {}
}

/// Whether the receiver wants the rest.
package enum Reception: Equatable, Sendable {
  case proceed
  /// Nobody gets it: it is waited for as long as the connection is worth, to be used again, and no longer.
  case proceedBriefly
  case abort
}

/// What happens on the wire, for people.
package enum Trace: Equatable, Sendable {
  /// A remark about names, connections or TLS, without the line's end.
  case remark([UInt8])
  /// The request's head as it was sent.
  case requestHead([UInt8])
}
