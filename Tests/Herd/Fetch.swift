import CTestSupport
import Glibc
import TestSupport

/// How a fetch ended.
enum Ending {
  /// The body is, byte for byte, what the origin has, and the exit status is 0.
  case right
  case wrong(String)
  /// This program killed the run, at a moment of its choice. What the run had printed was right.
  case killed
}

/// The surroundings in which garner runs.
struct Surroundings: Sendable {
  let garner: String
  let home: String
  var environment: [String] {
    [
      "HOME=\(home)", "GARNER_CACHE_DIR=\(home)/cache", "LC_ALL=C.UTF-8", "PATH=/usr/bin:/bin",
      "SWIFT_BACKTRACE=enable=no",
    ]
  }
}

/// A started run of garner. It is a direct child: no shell and no thread stands between it and this program.
struct Fetch: ~Copyable {
  let processID: pid_t
  private let output: Int32
  /// Read when the run is over: a pipe holds more than garner prints to standard error.
  private let errors: Int32
  private let isRight: ([UInt8]) -> Bool
  /// Judges the output of a killed run: whether these bytes are the beginning of a right output.
  private let isPrefix: ([UInt8]) -> Bool

  /// A run that takes longer is taken to hang.
  private static let limitMilliseconds = 120_000

  /// - Parameter arguments: all arguments of garner.
  init(_ arguments: [String], in surroundings: Surroundings, expecting expected: [UInt8]) throws(SystemFailure) {
    try self.init(arguments, in: surroundings, accepting: { $0 == expected }, { expected.starts(with: $0) })
  }

  /// - Parameter isRight: judges the whole output, once the run is over.
  init(
    _ arguments: [String], in surroundings: Surroundings, accepting isRight: @escaping ([UInt8]) -> Bool,
    _ isPrefix: @escaping ([UInt8]) -> Bool = { _ in true }
  ) throws(SystemFailure) {
    let output = try Pipe()
    defer { close(output.writing) }
    let errors = try Pipe()
    defer { close(errors.writing) }
    let input = try checked("open", open("/dev/null", O_RDONLY | O_CLOEXEC))
    defer { close(input) }
    var processID = pid_t()
    let status = withCStrings(([surroundings.garner] + arguments).map { Array($0.utf8) }) { arguments in
      withCStrings(surroundings.environment.map { Array($0.utf8) }) { environment in
        surroundings.home.withCString { directory in
          var child = TestSupportChild(
            arguments: arguments, environment: environment, workingDirectory: directory, standardInput: input,
            standardOutput: output.writing, standardError: errors.writing)
          return testSupportSpawn(&child, &processID)
        }
      }
    }
    guard status == 0 else { throw SystemFailure("start \(surroundings.garner)", code: status) }
    self.processID = processID
    self.output = output.reading
    self.errors = errors.reading
    self.isRight = isRight
    self.isPrefix = isPrefix
  }

  deinit {
    close(output)
    close(errors)
  }

  /// Reads the run's output to its end, and judges it.
  ///
  /// - Parameter moment: the time in milliseconds after which the run is killed, if it still runs then.
  consuming func finish(killedAfter moment: Int? = nil) -> Ending {
    var printed: [UInt8] = []
    let isInTime = drain(into: &printed, forMilliseconds: moment ?? Self.limitMilliseconds)
    if !isInTime {
      kill(processID, SIGKILL)
      _ = drain(into: &printed, forMilliseconds: Self.limitMilliseconds)
    }
    var status: Int32 = 0
    while waitpid(processID, &status, 0) < 0, errno == EINTR {}
    if moment != nil, status & 0x7f == SIGKILL {
      return isPrefix(printed) ? .killed : .wrong("killed, it had printed what is no prefix")
    }
    if !isInTime, moment == nil { return .wrong("it hangs") }
    let complaint = complaint()
    guard status == 0 else { return .wrong("status \(status >> 8), signal \(status & 0x7f): \(complaint)") }
    guard complaint.isEmpty else { return .wrong("it complains: \(complaint)") }
    return isRight(printed) ? .right : .wrong("\(printed.count) bytes that are not what they should be")
  }

  /// - Returns: whether the end was reached in time.
  private func drain(into printed: inout [UInt8], forMilliseconds milliseconds: Int) -> Bool {
    let deadline = Deadline(afterMilliseconds: milliseconds)
    return withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 1) { buffer in
      while true {
        var watched = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
        guard poll(&watched, 1, deadline.remainingMilliseconds) > 0 else {
          if deadline.isPast { return false }
          continue
        }
        let count = read(output, buffer.baseAddress, buffer.count)
        if count < 0, errno == EINTR { continue }
        if count <= 0 { return true }
        printed += buffer[..<count]
      }
    }
  }

  private func complaint() -> String {
    var bytes = [UInt8](repeating: 0, count: 300)
    let count = read(errors, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }
}
