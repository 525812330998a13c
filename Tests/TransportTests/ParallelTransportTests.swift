import HTTPSemantics
import TestSupport
import Testing
import Transport

/// Tests that concern only parallel transfers.
struct ParallelTransportTests {
  /// Accepts no content before the gate opens.
  private final class WaitingReceiver: ResponseReceiver {
    private let gate: Gate

    init(_ gate: Gate) { self.gate = gate }

    func receive(sent: UInt64) {}
    func receive(interim: Response) {}
    func receive(head: Response, framing: FramingVerdict) -> Reception { .proceed }
    func receive(trace: Trace) {}
    func receiveNothing() {}

    func receive(content: UnsafeRawBufferPointer) -> Reception {
      gate.pass()
      return .proceed
    }
  }

  @Test("Endless trailers are refused at the size limit, even while the receiver does not accept content")
  func endlessTrailers() throws {
    let chunk = "C350\r\n" + String(repeating: "c", count: 50_000) + "\r\n"
    let start = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk + chunk + "0\r\n"
    let trailers = Array(String(repeating: "A: \(String(repeating: "b", count: 96))\r\n", count: 1_000).utf8)
    let answer = OriginAnswer([.bytes(Array(start.utf8)), .trickle(trailers)])
    let origin = try OriginServer { _ in answer }
    defer { origin.stop() }
    let gate = Gate()
    let error = Monitor<TransportError??>(nil)
    let message = try message(origin.url("/"))
    startThread {
      var report = TransferReport()
      do throws(TransportError) {
        try ParallelTransport().send(message, to: WaitingReceiver(gate), report: &report)
        error.withLock { $0 = .some(nil) }
      } catch let thrown {
        error.withLock { $0 = thrown }
      }
    }
    // The transfer has ended, although the receiver has accepted nothing.
    #expect(origin.hasNoConnection())
    gate.open()
    #expect(error.wait { $0 }?.reason == "the response's trailers are larger than 256 KiB")
  }
}
