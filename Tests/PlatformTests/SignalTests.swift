import Glibc
import Platform
import Testing

/// Tests in processes of their own, because signals concern a whole process.
@Suite("Signals")
struct SignalTests {
  @Test("A signal is noted, and ends the process when it is raised again")
  func noted() async {
    await #expect(processExitsWith: .signal(SIGTERM)) {
      letThrough(SIGTERM)
      Signals.prepare()
      precondition(Signals.pending == nil)
      raise(SIGTERM)
      precondition(Signals.pending == Signal(rawValue: SIGTERM))
      Signals.reraise(Signal(rawValue: SIGTERM))
    }
  }

  @Test("A later signal ends the process at once, and signals that come together with the first do not")
  func second() async {
    await #expect(processExitsWith: .signal(SIGTERM)) {
      letThrough(SIGINT)
      letThrough(SIGTERM)
      Signals.prepare()
      raise(SIGINT)
      raise(SIGINT)
      raise(SIGTERM)
      precondition(Signals.pending == .interrupt)
      usleep(500_000)
      raise(SIGTERM)
      exit(0)
    }
  }

  @Test("A signal that was ignored at the start stays ignored")
  func ignored() async {
    await #expect(processExitsWith: .exitCode(7)) {
      signal(SIGINT, SIG_IGN)
      Signals.prepare()
      raise(SIGINT)
      precondition(Signals.pending == nil)
      exit(7)
    }
  }

  @Test("Writing to a closed pipe is an error and does not end the process")
  func brokenPipe() async {
    await #expect(processExitsWith: .exitCode(7)) {
      Signals.prepare()
      var numbers: [Int32] = [0, 0]
      precondition(pipe(&numbers) == 0)
      close(numbers[0])
      do throws(Errno) {
        try Descriptor(rawValue: numbers[1]).writeAll([1])
      } catch {
        exit(error == .brokenPipe ? 7 : 8)
      }
    }
  }
}

/// Makes a signal effective: the tests may have been started with it ignored, and their threads have it blocked.
private func letThrough(_ number: Int32) {
  signal(number, SIG_DFL)
  var only = sigset_t()
  sigemptyset(&only)
  sigaddset(&only, number)
  pthread_sigmask(SIG_UNBLOCK, &only, nil)
}
