import CTestSupport
import Glibc

/// The state that the threads of a server share, and their work.
final class OriginCore: Sendable {
  struct State {
    var requests: [ReceivedRequest] = []
    var connectionCount = 0
    /// The sockets of the connections that are open, by the connection's number.
    var sockets: [Int: Int32] = [:]
    var gates: [Int: Gate] = [:]
    var isStopping = false
    var isListening = true
  }

  /// The pause between trickled bytes: slow enough to be measured as slow, short enough for a server to stop soon.
  private static let trickleMilliseconds = 20

  let state = Monitor(State())
  private let listener: Int32
  private let handler: OriginServer.Handler

  init(listener: Int32, handler: @escaping OriginServer.Handler) {
    self.listener = listener
    self.handler = handler
  }

  func acceptConnections() {
    while true {
      let socket = testSupportAccept(listener)
      if socket < 0 {
        if errno == EINTR || errno == ECONNABORTED { continue }
        break
      }
      var one: Int32 = 1
      setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
      let number: Int? = state.withLock { state in
        if state.isStopping { return nil }
        state.connectionCount += 1
        state.sockets[state.connectionCount] = socket
        return state.connectionCount
      }
      guard let number else {
        close(socket)
        break
      }
      startThread { self.serve(connection: number, socket) }
    }
    close(listener)
    state.withLock { $0.isListening = false }
  }

  func stop() {
    let gates = state.withLock { state in
      if !state.isStopping {
        state.isStopping = true
        // The sockets are closed by their own threads: a number that is closed here may be another file's by now.
        shutdown(listener, Int32(SHUT_RDWR))
      }
      for socket in state.sockets.values { shutdown(socket, Int32(SHUT_RDWR)) }
      return Array(state.gates.values)
    }
    for gate in gates { gate.open() }
    state.wait { $0.sockets.isEmpty && !$0.isListening ? () : nil }
  }

  private func serve(connection number: Int, _ socket: Int32) {
    var reader = RequestReader(socket: socket)
    var ending = OriginAnswer.Ending.keepAlive
    while case .keepAlive = ending, let message = reader.next() {
      let request = state.withLock { state in
        let request = message.received(number: state.requests.count + 1, connection: number)
        state.requests.append(request)
        return request
      }
      let answer = handler(request)
      ending = send(answer, to: request, on: socket) ? answer.ending : .close
    }
    if case .reset = ending {
      var lingering = linger(l_onoff: 1, l_linger: 0)
      setsockopt(socket, SOL_SOCKET, SO_LINGER, &lingering, socklen_t(MemoryLayout<linger>.size))
    } else {
      // Unread bytes would turn the close into a reset, and a reset can overtake the answer.
      shutdown(socket, Int32(SHUT_WR))
      reader.discardRest(atMost: 1 << 20)
    }
    state.withLock { state in
      state.sockets[number] = nil
      close(socket)
    }
  }

  private func send(_ answer: OriginAnswer, to request: ReceivedRequest, on socket: Int32) -> Bool {
    for part in answer.parts {
      let isSent =
        switch part {
        case .bytes(let bytes): sendAll(bytes[...], on: socket)
        case .content(let bytes): request.method == "HEAD" || sendAll(bytes[...], on: socket)
        case .pattern(let count): request.method == "HEAD" || sendPattern(count: count, on: socket)
        case .trickle(let bytes): trickle(bytes, for: request.connection, on: socket)
        case .pause: pause(for: request.connection)
        case .wait(let gate): pass(gate, for: request.connection)
        case .open(let gate): opened(gate)
        }
      if !isSent { return false }
    }
    return true
  }

  private func opened(_ gate: Gate) -> Bool {
    gate.open()
    return true
  }

  private func pause(for connection: Int) -> Bool {
    let end = Gate()
    let isStopping = state.withLock { state in
      state.gates[connection] = end
      return state.isStopping
    }
    if isStopping { return false }
    _ = end.pass(withinMilliseconds: 5 * Self.trickleMilliseconds)
    return state.withLock { state in
      state.gates[connection] = nil
      return !state.isStopping
    }
  }

  private func trickle(_ bytes: [UInt8], for connection: Int, on socket: Int32) -> Bool {
    let end = Gate()
    let isStopping = state.withLock { state in
      state.gates[connection] = end
      return state.isStopping
    }
    if isStopping { return false }
    while sendAll(bytes[...], on: socket), !end.pass(withinMilliseconds: Self.trickleMilliseconds) {}
    state.withLock { $0.gates[connection] = nil }
    return false
  }

  private func pass(_ gate: Gate, for connection: Int) -> Bool {
    let isStopping = state.withLock { state in
      state.gates[connection] = gate
      return state.isStopping
    }
    if isStopping { return false }
    gate.pass()
    return state.withLock { state in
      state.gates[connection] = nil
      return !state.isStopping
    }
  }
}

/// Sends every byte, without SIGPIPE where the peer has closed the connection.
///
/// - Returns: whether all of them were sent.
private func sendAll(_ bytes: ArraySlice<UInt8>, on socket: Int32) -> Bool {
  bytes.withUnsafeBytes { buffer in
    var rest = buffer[...]
    while !rest.isEmpty {
      let unsent = UnsafeRawBufferPointer(rebasing: rest)
      let count = send(socket, unsent.baseAddress, unsent.count, Int32(MSG_NOSIGNAL))
      if count < 0 {
        if errno == EINTR { continue }
        return false
      }
      rest = rest.dropFirst(count)
    }
    return true
  }
}

private func sendPattern(count: UInt64, on socket: Int32) -> Bool {
  let blockCount = UInt64(Pattern.blockCount)
  var sent: UInt64 = 0
  while sent < count {
    let piece = Pattern.block(sent / blockCount).prefix(Int(min(blockCount, count - sent)))
    if !sendAll(piece, on: socket) { return false }
    sent += UInt64(piece.count)
  }
  return true
}
