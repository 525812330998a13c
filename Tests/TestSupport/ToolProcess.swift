import CTestSupport
import Glibc

/// A started run of the tool.
package final class ToolProcess: Sendable {
  package let processID: Int32
  private let stdout: Int32?
  private let stderr: Int32
  private let collected = Monitor(Collected())
  private let isTooLate = Monitor(false)
  private let isOver = Gate()
  /// Keeps the directories of the process until its end.
  private let home: TemporaryDirectory

  private struct Collected {
    var stdout: [UInt8] = []
    var stderr: [UInt8] = []
    /// How many of the pipes are still read.
    var readerCount = 0
    var isReadingOutput = false
  }

  init(_ run: ToolRun) throws(SystemFailure) {
    home = run.home
    let input = try Self.input(of: run)
    defer { close(input) }
    let errors = try Pipe()
    defer { close(errors.writing) }
    var output: Pipe?
    var target: Int32?
    switch run.stdout {
    case .captured, .stalled, .broken:
      let pipe = try Pipe()
      output = pipe
      target = pipe.writing
      if case .broken = run.stdout { close(pipe.reading) }
    case .file(let path):
      target = try checked("open \(path)", open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY, 0o644))
    case .closed:
      target = nil
    }
    defer { if let target { close(target) } }
    processID = try spawn(run, stdin: input, stdout: target, stderr: errors.writing)
    stderr = errors.reading
    switch run.stdout {
    case .captured, .stalled: stdout = output?.reading
    case .broken, .closed, .file: stdout = nil
    }
    collect(stderr) { $0.stderr += $1 }
    if case .captured = run.stdout { readOutput() }
    watch(timeLimitMilliseconds: run.timeLimitMilliseconds)
  }

  /// Begins to read a stalled standard output.
  package func readOutput() {
    guard let stdout else { return }
    let isFirst = collected.withLock { state in
      defer { state.isReadingOutput = true }
      return !state.isReadingOutput
    }
    if isFirst { collect(stdout) { $0.stdout += $1 } }
  }

  /// Waits until this many bytes of standard output have been read.
  ///
  /// - Returns: whether it came in time.
  package func hasWritten(byteCount: Int, withinMilliseconds milliseconds: Int = 10_000) -> Bool {
    collected.wait(until: Deadline(afterMilliseconds: milliseconds)) { $0.stdout.count >= byteCount ? true : nil }
      ?? false
  }

  /// Waits until standard error contains this text.
  ///
  /// - Returns: whether it came in time.
  package func hasSaid(_ text: String) -> Bool {
    collected.wait(until: Deadline(afterMilliseconds: 10_000)) { state in
      String(decoding: state.stderr, as: UTF8.self).contains(text) ? true : nil
    } ?? false
  }

  /// Waits until the pipe of a stalled output holds something, that is, until the process waits for a reader.
  ///
  /// - Returns: whether it did so in time.
  package func hasOutputWaiting(withinMilliseconds milliseconds: Int = 10_000) -> Bool {
    guard let stdout else { return false }
    var watched = pollfd(fd: stdout, events: Int16(POLLIN), revents: 0)
    return poll(&watched, 1, Int32(milliseconds)) == 1
  }

  /// Waits until the process has read this many bytes from any files.
  ///
  /// - Returns: whether it came in time.
  package func hasRead(byteCount: Int) -> Bool {
    let deadline = Deadline(afterMilliseconds: 10_000)
    while !deadline.isPast {
      let counts = String(decoding: (try? readFile("/proc/\(processID)/io")) ?? [], as: UTF8.self)
      let read = counts.split(separator: "\n").first { $0.hasPrefix("rchar:") }
      if read.flatMap({ Int($0.filter(\.isNumber)) }) ?? 0 >= byteCount { return true }
      usleep(5_000)
    }
    return false
  }

  /// The memory mappings of the process, as `/proc/PID/maps` lists them.
  package func mappings() throws(SystemFailure) -> String {
    String(decoding: try readFile("/proc/\(processID)/maps"), as: UTF8.self)
  }

  /// The child processes that the process has not waited for.
  package func children() -> [Int32] {
    namesInDirectory("/proc/\(processID)/task").flatMap { task in
      // A thread may have ended meanwhile.
      let list = (try? readFile("/proc/\(processID)/task/\(task)/children")) ?? []
      return String(decoding: list, as: UTF8.self).split(separator: " ").compactMap { Int32($0) }
    }
  }

  /// The largest resident set that the process has had so far, in bytes.
  ///
  /// `wait4` does not serve: its figure includes what this process occupied when it spawned the other one.
  package func peakResidentBytes() throws(SystemFailure) -> Int {
    let status = String(decoding: try readFile("/proc/\(processID)/status"), as: UTF8.self)
    for line in status.split(separator: "\n") where line.hasPrefix("VmHWM:") {
      return (Int(line.filter(\.isNumber)) ?? 0) * 1024
    }
    return 0
  }

  package func send(signal: Int32) {
    kill(processID, signal)
  }

  /// Closes the reading end of a stalled standard output, as `head` does when it has enough.
  package func stopReading() {
    guard let stdout else { return }
    let mayClose = collected.withLock { state in
      defer { state.isReadingOutput = true }
      return !state.isReadingOutput
    }
    if mayClose { close(stdout) }
  }

  /// Waits for the end of the process and of its output.
  package func finish() throws(SystemFailure) -> ToolResult {
    readOutput()
    // The process is left unreaped until the watch is off, so that no other process can have its number.
    var information = siginfo_t()
    while waitid(P_PID, id_t(processID), &information, WEXITED | WNOWAIT) < 0 {
      guard errno == EINTR else { throw SystemFailure("waitid") }
    }
    isOver.open()
    let tooLate = isTooLate.withLock { $0 }
    var status: Int32 = 0
    try checked("waitpid", waitpid(processID, &status, 0))
    return collected.wait { state in
      if state.readerCount > 0 { return nil }
      let signal = status & 0x7F
      return ToolResult(
        ending: tooLate ? .timeLimit : signal != 0 ? .signal(signal) : .exit((status >> 8) & 0xFF),
        stdout: state.stdout, stderr: state.stderr)
    }
  }

  /// Interrupts the process, kills it if it is still running ten seconds later, and waits for its end.
  package func finishInterrupted() throws(SystemFailure) -> ToolResult {
    send(signal: SIGINT)
    if try !ProcessWatch(processID).hasEnded() { send(signal: SIGKILL) }
    return try finish()
  }

  private func watch(timeLimitMilliseconds: Int) {
    startThread { [isOver, isTooLate, processID] in
      if isOver.pass(withinMilliseconds: timeLimitMilliseconds) { return }
      isTooLate.withLock { $0 = true }
      // The whole group: a wrapper's child must not outlive it and hold the pipes.
      kill(-processID, SIGKILL)
    }
  }

  private func collect(_ descriptor: Int32, into add: @escaping @Sendable (inout Collected, ArraySlice<UInt8>) -> Void)
  {
    collected.withLock { $0.readerCount += 1 }
    startThread { [collected] in
      var buffer = [UInt8](repeating: 0, count: 1 << 16)
      while true {
        let count = read(descriptor, &buffer, buffer.count)
        if count < 0, errno == EINTR { continue }
        if count <= 0 { break }
        collected.withLock { add(&$0, buffer[..<count]) }
      }
      close(descriptor)
      collected.withLock { $0.readerCount -= 1 }
    }
  }

  private static func input(of run: ToolRun) throws(SystemFailure) -> Int32 {
    if case .descriptor(let descriptor) = run.stdin {
      let copy = try checked("dup", dup(descriptor))
      closeOnExec(copy)
      return copy
    }
    guard case .bytes(let bytes) = run.stdin else {
      return try checked("open", open("/dev/null", O_RDONLY | O_CLOEXEC))
    }
    // A pipe takes this much without a reader. More comes from a file, so that no thread has to feed the pipe.
    let pipeCapacity = 1 << 16
    if bytes.count <= pipeCapacity {
      let pipe = try Pipe()
      defer { close(pipe.writing) }
      try writeAll(bytes, to: pipe.writing, "standard input")
      return pipe.reading
    }
    var template = Array("/tmp/garner-stdin-XXXXXX".utf8CString)
    let file = try checked("mkstemp", mkstemp(&template))
    unlink(template)
    closeOnExec(file)
    try writeAll(bytes, to: file, "standard input")
    lseek(file, 0, SEEK_SET)
    return file
  }
}

private func spawn(
  _ run: ToolRun, stdin: Int32, stdout: Int32?, stderr: Int32
) throws(SystemFailure) -> pid_t {
  let environment = run.environment.map { Array("\($0.key)=\($0.value)".utf8) }
  var processID = pid_t()
  let status = withCStrings(run.commandLine) { arguments in
    withCStrings(environment) { variables in
      run.workingDirectory.withCString { workingDirectory in
        var child = TestSupportChild(
          arguments: arguments, environment: variables, workingDirectory: workingDirectory, standardInput: stdin,
          standardOutput: stdout ?? -1, standardError: stderr)
        return testSupportSpawn(&child, &processID)
      }
    }
  }
  if status != 0 { throw SystemFailure("start \(run.executable)", code: status) }
  return processID
}

/// Calls `body` with the strings in C's form: a NUL ends each string, and a null pointer ends the list.
package func withCStrings<Result>(
  _ strings: [[UInt8]], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
  var pointers: [UnsafeMutablePointer<CChar>?] = strings.map { string in
    let copy = UnsafeMutablePointer<CChar>.allocate(capacity: string.count + 1)
    for (index, byte) in string.enumerated() { copy[index] = CChar(bitPattern: byte) }
    copy[string.count] = 0
    return copy
  }
  pointers.append(nil)
  defer { for pointer in pointers { pointer?.deallocate() } }
  return body(pointers)
}
