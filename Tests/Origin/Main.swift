import Glibc
import TestSupport

/// A small origin for `make demo` and the benchmarks: `origin [--port N] [--print-port] [--log FILE] [--quiet]`.
@main
struct Main {
  static func main() {
    // Before any thread exists, so that all of them leave these signals to `sigwait`.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGTERM)
    sigaddset(&signals, SIGINT)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    do {
      let options = try Options(CommandLine.arguments.dropFirst())
      let log = try RequestLog(options.log)
      let resources = DemoResources()
      let origin = try OriginServer(port: options.port) { request in
        log.note(request)
        return resources.answer(to: request)
      }
      if options.printsPort { write("\(origin.port)\n", to: STDOUT_FILENO) }
      var received: Int32 = 0
      sigwait(&signals, &received)
      origin.stop()
    } catch {
      write("origin: \(error)\n", to: STDERR_FILENO)
      exit(2)
    }
  }
}
