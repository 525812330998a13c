import Glibc
import TestSupport

/// A log with a line for each request: its number, method, target and conditions.
struct RequestLog: Sendable {
  private let descriptor: Int32?

  init(_ log: Options.Log) throws(SystemFailure) {
    switch log {
    case .standardError: descriptor = STDERR_FILENO
    case .none: descriptor = nil
    case .file(let path):
      descriptor = try checked("open \(path)", open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644))
    }
  }

  func note(_ request: ReceivedRequest) {
    guard let descriptor else { return }
    let conditions = ["If-None-Match", "If-Modified-Since", "Range"].compactMap { name in
      request.value(name).map { "\(name): \($0)" }
    }
    let condition = conditions.isEmpty ? "" : " (\(conditions.joined(separator: "; ")))"
    write("origin: request \(request.number): \(request.method) \(request.target)\(condition)\n", to: descriptor)
  }
}

/// Writes a text with one call, so that lines of several threads do not mix.
func write(_ text: String, to descriptor: Int32) {
  var text = text
  text.withUTF8 { _ = write(descriptor, $0.baseAddress, $0.count) }
}
