package import HTTPSemantics

/// Sends requests to their origins and brings the responses back. It knows of no cache.
package protocol Transport {
  /// Sends a request and passes on the response while it comes; returns when the response is whole.
  ///
  /// - Parameter report: filled in for a transfer that failed, too.
  func send(
    _ message: OutgoingMessage, to receiver: any ResponseReceiver, report: inout TransferReport
  ) throws(TransportError)

  /// Prepares what the first message would wait for. Nothing is sent. Only `send` reports a failure, because it recurs
  /// there.
  func prepare()

  /// Notes that nothing more is going to be sent, so that what has to end can do so meanwhile. A message that is sent
  /// all the same is still sent.
  func finish()
}

extension Transport {
  package func prepare() {}

  package func finish() {}
}

/// Takes a response. The calls come in this order: what has been sent, interim heads, the head, the content.
package protocol ResponseReceiver: AnyObject {
  /// - Parameter sent: how many bytes of the request's content have been taken for sending, counted from its beginning;
  ///   fewer than before if the content is sent again.
  func receive(sent: UInt64)

  /// An informational response (RFC 9110 section 15.2).
  func receive(interim: Response)

  func receive(head: Response, framing: FramingVerdict) -> Reception

  /// - Parameter content: the next piece as it was framed, with its content coding; valid only during the call.
  func receive(content: UnsafeRawBufferPointer) -> Reception

  /// Receives what `-v` shows, only if the message asks for it.
  func receive(trace: Trace)

  /// Notes that nothing has come for about a fifth of a second (`TransferWatch.intervalMilliseconds`), at any time
  /// before the end.
  func receiveNothing()
}

/// Whether the receiver wants the rest.
package enum Reception: Equatable, Sendable {
  case proceed
  /// Nobody needs the rest. Wait for it a moment, so that the connection can be used again, and no longer.
  case proceedBriefly
  case abort
}

/// An event on the wire, for users to read.
package enum Trace: Equatable, Sendable {
  /// A remark about names, connections or TLS, without the line's end.
  case remark([UInt8])
  /// The request's head as it was sent.
  case requestHead([UInt8])
}
