import CCurl
import HTTPSemantics

/// One exchange of messages while it happens: what libcurl's functions call back into.
final class Transfer {
  private let receiver: any ResponseReceiver
  private let shouldStop: () -> Bool
  private var parser: HeadParser
  /// Why this side has ended the transfer.
  private(set) var failure: TransportError?

  init(_ request: Request, _ receiver: any ResponseReceiver, shouldStop: @escaping () -> Bool) {
    self.receiver = receiver
    self.shouldStop = shouldStop
    parser = HeadParser(method: request.method, scheme: request.target.origin.scheme)
  }

  var hasHead: Bool { parser.isComplete }

  func receive(headerLine line: UnsafeRawBufferPointer) -> Bool {
    do throws(HeadError) {
      switch try parser.consume(line) {
      case nil: return true
      case .interim(let response):
        receiver.receive(interim: response)
        return true
      case .final(let response, let framing):
        return goesOn(receiver.receive(head: response, framing: framing))
      }
    } catch {
      failure = .unusableHead(error)
      return false
    }
  }

  func receive(content: UnsafeRawBufferPointer) -> Bool {
    guard hasHead else {
      failure = .weirdReply(reason: "content came before a response's head")
      return false
    }
    return goesOn(receiver.receive(content: content))
  }

  func receive(trace: Trace) { receiver.receive(trace: trace) }

  func isInterrupted() -> Bool {
    guard shouldStop() else { return false }
    failure = .interrupted
    return true
  }

  private func goesOn(_ reception: Reception) -> Bool {
    switch reception {
    case .proceed: return true
    case .abort:
      failure = .abortedByReceiver
      return false
    }
  }
}

// The functions that libcurl calls. A result other than what was offered ends the transfer.

private func transfer(_ context: UnsafeMutableRawPointer?) -> Transfer? {
  context.map { Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
}

let receiveHeaderLine: curl_write_callback = { bytes, size, count, context in
  let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
  return transfer(context)?.receive(headerLine: line) == true ? line.count : 0
}

let receiveContent: curl_write_callback = { bytes, size, count, context in
  let content = UnsafeRawBufferPointer(start: bytes, count: size * count)
  return transfer(context)?.receive(content: content) == true ? content.count : 0
}

let checkForInterruption: curl_xferinfo_callback = { context, _, _, _, _ in
  transfer(context)?.isInterrupted() == false ? 0 : 1
}

let receiveTrace: curl_debug_callback = { _, kind, bytes, count, context in
  let bytes = UnsafeRawBufferPointer(start: bytes, count: count)
  switch kind {
  case CURLINFO_TEXT:
    let lineEnd = bytes.last == ASCII.lineFeed ? 1 : 0
    transfer(context)?.receive(trace: .remark(Array(bytes.dropLast(lineEnd))))
  case CURLINFO_HEADER_OUT: transfer(context)?.receive(trace: .requestHead(Array(bytes)))
  // The response's head comes parsed; content is no trace.
  default: break
  }
  return 0
}
