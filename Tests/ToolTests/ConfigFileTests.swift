import Glibc
import TestSupport
import Testing

/// Tests of a config file that a process may not read.
@Suite("The config file of a run", .enabled(if: !Machine.isRoot || Machine.has("setpriv"), "There is no setpriv."))
struct ConfigFileTests {
  @Test(
    "A config file in a directory that may not be entered is ignored by a fetch, and reported by the config commands")
  func barred() throws {
    try withOrigin(answering: { _ in fresh(text: "content") }) { origin in
      let home = try TemporaryDirectory()
      let directory = try home.makeDirectory("config", mode: 0)
      defer { chmod(directory, 0o700) }
      let run = { (arguments: [String]) in
        try runTool(arguments, home: home) { $0.wrapper = Machine.withoutPrivileges }
      }
      let fetched = try run([origin.url("/a")])
      #expect(fetched.succeeded && fetched.outputText == "content" && fetched.stderr.isEmpty, "\(fetched.errorText)")
      let file = "\(directory)/garner/config"
      let checked = try run(["config", "check"])
      #expect(checked.ending == .exit(26) && checked.stdout.isEmpty)
      #expect(checked.errorText == "garner: cannot read the config file \(file): Permission denied\n")
      let shown = try run(["config", "show"])
      #expect(shown.succeeded && shown.stdout.isEmpty)
      #expect(
        shown.errorText
          == "garner: warning: the config file \(file) is ignored, as in a fetch: Permission denied\n")
      let named = try run(["--config", file, origin.url("/a")])
      #expect(named.ending == .exit(26), "\(named.errorText)")
    }
  }
}
