import HTTPSemantics
import TestSupport
import Transport

extension ProgramTransport {
  /// A transport that is never told to stop.
  convenience init() { self.init(shouldStop: { false }) }
}

extension ParallelTransport {
  /// A transport that is never told to stop.
  convenience init() { self.init(shouldStop: { false }) }
}

/// The outcome of a transfer.
struct Outcome {
  let receiver: RecordingReceiver
  let report: TransferReport
  let error: TransportError?
}

func message(
  _ url: String, method: Method = .get, fields: Fields = Fields(), content: OutgoingMessage.Content = .none
) throws -> OutgoingMessage {
  let target = try URIReference(typed: Array(url.utf8)).target
  var options = TransferOptions()
  options.proxy = .none
  // No transfer takes long, unless it is stuck.
  options.timeLimitMilliseconds = 30_000
  return OutgoingMessage(Request(method, target, fields: fields), content: content, options: options)
}

func send(
  _ message: OutgoingMessage, through transport: ProgramTransport = ProgramTransport(),
  stop: RecordingReceiver.Stop = .never
) -> Outcome {
  let receiver = RecordingReceiver(stop: stop)
  var report = TransferReport()
  do throws(TransportError) {
    try transport.send(message, to: receiver, report: &report)
    return Outcome(receiver: receiver, report: report, error: nil)
  } catch {
    return Outcome(receiver: receiver, report: report, error: error)
  }
}

/// Sends one request to an origin that gives this answer.
func exchange(_ answer: OriginAnswer, method: Method = .get) throws -> Outcome {
  try withOrigin { _ in
    answer
  } run: { origin in
    send(try message(origin.url("/"), method: method))
  }
}
