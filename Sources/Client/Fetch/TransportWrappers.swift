import Transport

// Transports that have another one send the messages.

/// A transport that is made when it is first used: a hit starts no other program.
final class LazyTransport: Transport {
  private let make: () -> any Transport
  private var transport: (any Transport)?

  init(_ make: @escaping () -> any Transport) { self.make = make }

  func send(
    _ message: OutgoingMessage, to receiver: any ResponseReceiver, report: inout TransferReport
  ) throws(TransportError) {
    try made().send(message, to: receiver, report: &report)
  }

  func prepare() { made().prepare() }

  private func made() -> any Transport {
    let transport = transport ?? make()
    self.transport = transport
    return transport
  }

  func finish() { transport?.finish() }
}

/// A transport that calls `prepareToWait` before it keeps its thread waiting.
final class WaitingTransport: Transport {
  private let transport: any Transport
  private let prepareToWait: () -> Void

  init(_ transport: any Transport, prepareToWait: @escaping () -> Void) {
    self.transport = transport
    self.prepareToWait = prepareToWait
  }

  func send(
    _ message: OutgoingMessage, to receiver: any ResponseReceiver, report: inout TransferReport
  ) throws(TransportError) {
    prepareToWait()
    try transport.send(message, to: receiver, report: &report)
  }

  func prepare() {
    prepareToWait()
    transport.prepare()
  }
}
