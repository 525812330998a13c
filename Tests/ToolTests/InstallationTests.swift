import Glibc
import TestSupport
import Testing

/// Tests that `make install` installs a working tool elsewhere, and that `make uninstall` removes it.
@Suite("An installation", .enabled(if: Machine.has("make"), "There is no make."))
struct InstallationTests {
  /// A path with a space, such as users and packagers may choose.
  private static let prefix = "/opt/some where"

  @Test("Uninstalling leaves nothing but directories that other programs share")
  func roundTrip() throws {
    let home = try TemporaryDirectory("installation")
    try make("install", in: home)
    let installed = try files(in: home)
    #expect(
      [
        "bin/garner", "libexec/garner/garner-transport", "libexec/garner/garner-idn", "libexec/garner/garner-psl",
        "share/man/man1/garner.1",
        "share/man/man1/garner-cache.1", "share/man/man5/garner-config.5",
        "share/bash-completion/completions/garner", "share/zsh/site-functions/_garner",
        "share/fish/vendor_completions.d/garner.fish",
      ].filter { !installed.contains("\(Self.prefix)/\($0)") } == [])

    try make("uninstall", in: home)
    #expect(try files(in: home) == [])
    #expect(try list(["-type", "d", "-name", "garner"], in: home) == [])
  }

  @Test("An installed garner finds its other programs, and fetches")
  func runs() throws {
    try withOrigin(answering: { _ in fresh(text: "fetched") }) { origin in
      let home = try TemporaryDirectory("installation")
      try make("install", in: home)
      var run = ToolRun(["-sS", "--connect-to", "::127.0.0.1:\(origin.port)", "http://bücher.test/"], home: home)
      run.executable = home.path("root\(Self.prefix)/bin/garner")
      let result = try run.run()
      #expect(result.outputText == "fetched", "\(result.errorText)")
      #expect(origin.requests.first?.value("Host") == "xn--bcher-kva.test")

      #expect(unlink(home.path("root\(Self.prefix)/libexec/garner/garner-idn")) == 0)
      for words in [[], ["cache", "show"], ["cache", "ls"]] {
        run.arguments = (words + ["http://bücher.test/"]).map { Array($0.utf8) }
        let without = try run.run()
        #expect(without.ending == .exit(2) && without.stdout.isEmpty)
        let said = lines(of: without.errorText)
        let start = "garner: the host of the URL http://bücher.test/ cannot be converted to ASCII: "
        let reason = "garner-idn cannot be used: it is not in /"
        #expect(said.count == 2 && said.first?.hasPrefix(start + reason) == true, "\(without)")
        #expect(said.last?.hasPrefix("hint: garner-idn ") == true, "\(without)")
      }
    }
  }

  @Test("The version of packages is the one that the tool prints")
  func version() throws {
    let home = try TemporaryDirectory("installation")
    let script = ToolRun(["--version"], home: home).throughShell(
      "echo garner $('\(BuiltTool.projectRoot)/Scripts/version'); \"$0\" \"$@\"")
    let result = try script.run()
    let printed = lines(of: result.outputText)
    #expect(printed.count == 2 && printed.first == printed.last, "\(result.outputText)\(result.errorText)")
  }

  /// Runs a target of the Makefile with the binaries that the tests use, below `root` in the directory.
  private func make(_ target: String, in home: TemporaryDirectory) throws {
    let built = BuiltTool.path.dropLast("garner".count)
    var run = ToolRun(
      [
        "--silent", "--directory", BuiltTool.projectRoot, "--old-file=build", target, "BINARY=\(BuiltTool.path)",
        "TRANSPORT=\(built)garner-transport", "IDN=\(built)garner-idn", "PSL=\(built)garner-psl",
        "DESTDIR=\(home.path("root"))",
        "PREFIX=\(Self.prefix)",
      ], home: home)
    run.executable = try #require(installedProgram("make"))
    let result = try run.run()
    #expect(result.succeeded && result.errorText.isEmpty, "\(result.errorText)")
  }

  /// The files and links below `root`, as paths within it.
  private func files(in home: TemporaryDirectory) throws -> [Substring] {
    try list(["!", "-type", "d"], in: home)
  }

  private func list(_ conditions: [String], in home: TemporaryDirectory) throws -> [Substring] {
    let find = ToolRun(conditions, home: home).throughShell("cd root && find . \"$@\" -printf '/%P\\n'")
    return lines(of: try find.run().outputText)
  }
}
