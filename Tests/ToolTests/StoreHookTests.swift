import Glibc
import TestSupport
import Testing

@Suite("The store hook as a process")
struct StoreHookProcessTests {
  @Test("The hook's answer is read even if garner was started with SIGCHLD ignored")
  func deafParent() throws {
    let fresh = [("Cache-Control", "max-age=60")]
    try withOrigin(answering: { _ in .response(fields: fresh, text: "content") }) { origin in
      let home = try TemporaryDirectory()
      let run = ToolRun(["-s", "-w", "%{cache_stored}", "--store-hook", "exit 10", origin.url("/a")], home: home)
      let result = try run.throughShell("trap '' CHLD; exec \"$0\" \"$@\"").run()
      #expect(result.outputText == "content0" && result.errorText == "", "\(result.errorText)")
    }
  }

  @Test("A signal ends the hook and the run, and nothing is stored", arguments: [SIGINT, SIGTERM])
  func interrupted(number: Int32) throws {
    let gate = Gate()
    try withOrigin(answering: { request in
      if request.path == "/begun" { gate.open() }
      return .response(fields: [("Cache-Control", "max-age=60")], text: "content")
    }) { origin in
      let home = try TemporaryDirectory()
      let hook = "'\(BuiltTool.path)' -s --no-store '\(origin.url("/begun"))' >&2; sleep 1000"
      let run = try ToolRun(["-s", "--store-hook", hook, origin.url("/a")], home: home).start()
      #expect(gate.pass(withinMilliseconds: 10_000))
      run.send(signal: number)
      let result = try run.finish()
      #expect(result.ending == .signal(number) && result.outputText == "content")
      let listing = try runTool(["cache", "ls"], home: home)
      #expect(listing.stdout.isEmpty, "\(listing.outputText)")
    }
  }
}
