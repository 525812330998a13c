import Glibc
import HTTPSemantics
import Transport

/// Keeps all that comes, and stops where it is told to.
final class RecordingReceiver: ResponseReceiver {
  enum Stop {
    case never
    case atHead
    case atContent
  }

  private let stop: Stop
  /// Before each piece of content is taken.
  private let pauseMicroseconds: UInt32
  private(set) var interims: [Response] = []
  private(set) var heads: [Response] = []
  private(set) var framing: Framing?
  private(set) var content: [UInt8] = []
  private(set) var traces: [Trace] = []

  init(stop: Stop = .never, pauseMicroseconds: UInt32 = 0) {
    self.stop = stop
    self.pauseMicroseconds = pauseMicroseconds
  }

  func receive(interim: Response) { interims.append(interim) }

  func receive(head: Response, framing: Framing) -> Reception {
    heads.append(head)
    self.framing = framing
    return stop == .atHead ? .abort : .proceed
  }

  func receive(content: UnsafeRawBufferPointer) -> Reception {
    if pauseMicroseconds > 0 { usleep(pauseMicroseconds) }
    self.content += content
    return stop == .atContent ? .abort : .proceed
  }

  func receive(trace: Trace) { traces.append(trace) }
}
