import Glibc
import TestSupport
import Testing

/// Tests of runs as jobs of a shell with job control.
@Suite("Jobs on a terminal")
struct TerminalJobTests {
  @Test("Progress is drawn in the foreground, and not while the run is in the background", arguments: [false, true])
  func progress(isInBackground: Bool) throws {
    let gate = Gate()
    let half = OriginAnswer([
      .bytes(OriginAnswer.head(200, nil, fields: [("Content-Length", "2000")])),
      .content(Pattern.bytes(count: 1_000)), .wait(gate), .content(Pattern.bytes(count: 1_000)),
    ])
    try withOrigin(answering: { _ in half }) { origin in
      let (home, terminal) = (try TemporaryDirectory(), try WatchedTerminal())
      try terminal.resize(columns: 80)
      var run = ToolRun(["-o", home.path("file"), origin.url()], home: home)
      let job = #""$0" "$@" 2>/dev/tty"# + (isInBackground ? " & wait" : "")
      // A session of its own with this terminal. With -m, each job is a process group.
      run.wrapper = ["setsid", "--ctty", "--wait", "sh", "-m", "-c", job]
      run.stdin = .descriptor(terminal.descriptor)
      let process = try run.start()
      #expect(origin.hasSeen(requests: 1))
      // Progress is shown for a run that lasts longer than a second, and begins late on a busy machine. What is drawn
      // for the second half depends on the time since the line was drawn last.
      if isInBackground { usleep(2_000_000) } else { #expect(terminal.prints("50%")) }
      gate.open()
      let result = try process.finish()
      #expect(result.succeeded, "\(result.errorText)")
      if isInBackground { #expect(!terminal.printed().contains("%")) }
    }
  }
}
