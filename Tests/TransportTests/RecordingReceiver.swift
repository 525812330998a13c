import Glibc
import HTTPSemantics
import Transport

/// A receiver that keeps everything it receives, and can stop at the head or at the content.
final class RecordingReceiver: ResponseReceiver {
  enum Stop {
    case never
    case atHead
    case atContent
  }

  private let stop: Stop
  /// The pause before each piece of content is accepted.
  private let pauseMicroseconds: UInt32
  private(set) var interims: [Response] = []
  private(set) var heads: [Response] = []
  private(set) var framing: FramingVerdict?
  private(set) var content: [UInt8] = []
  private(set) var traces: [Trace] = []

  init(stop: Stop = .never, pauseMicroseconds: UInt32 = 0) {
    self.stop = stop
    self.pauseMicroseconds = pauseMicroseconds
  }

  func receive(sent: UInt64) {}

  func receive(interim: Response) { interims.append(interim) }

  func receive(head: Response, framing: FramingVerdict) -> Reception {
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

  func receiveNothing() {}
}
