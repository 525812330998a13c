import Glibc
import TestSupport
import Testing

/// Files that a run writes besides content. Two options that name the same file are refused before a request is sent or
/// a file is touched.
@Suite struct SharedFileTests {
  @Test(arguments: [["-D"], ["-c"], ["--hsts"], ["--alt-svc"]])
  func `-o and another option may not name the same file`(_ option: [String]) throws {
    let scenario = try Scenario(.fresh([("Set-Cookie", "a=b")], text: "body"))
    let path = scenario.directory.path("f")
    let run = try scenario.run(["-o", path] + option + [path, scenario.url()])
    #expect(run.status == 2 && run.diagnostics.contains(" name the same file\n"), "\(run)")
    #expect(scenario.asked.isEmpty && (try? readFile(path)) == nil)
    #expect(try scenario.run(["-o", "/dev/null"] + option + ["/dev/null", scenario.url()]).status == 0)
  }

  /// In DIR, `g` is a link to `f`.
  @Test(arguments: [
    ["-o", "DIR/f", "-D", "DIR/./f"], ["-o", "f", "--output-dir", "DIR", "-D", "DIR//f"],
    ["-o", "DIR/g", "-D", "DIR/f"],
    ["-O", "--output-dir", "DIR", "-c", "DIR/f"], ["--remote-name-all", "--output-dir", "DIR", "-D", "DIR/sub/../f"],
    ["-D", "DIR/f", "-c", "DIR/./f"],
    ["--hsts", "DIR/f", "--alt-svc", "DIR/f"], ["-o", "DIR/new/f", "--create-dirs", "-c", "DIR/new/./f"],
  ])
  func `two options that name the same file are refused, however they spell the name`(_ options: [String]) throws {
    let scenario = try Scenario(.fresh([("Set-Cookie", "a=b")], text: "body"))
    _ = try scenario.directory.makeDirectory("sub")
    #expect(symlink(scenario.directory.path("f"), scenario.directory.path("g")) == 0)
    let directory = scenario.directory.path
    let run = try scenario.run(
      options.map { $0.hasPrefix("DIR") ? directory + $0.dropFirst(3) : $0 } + [scenario.url("/f")])
    #expect(run.status == 2 && run.diagnostics.contains(" name the same file\n"), "\(run)")
    #expect(scenario.asked.isEmpty)
  }

  @Test(arguments: [
    ["-o", "x#1", "-D", "DIR/x2", "URL/x[1-2]"], ["-O", "-O", "-D", "DIR/x2", "URL/x1", "URL/x2"],
    ["-Z", "--remote-name-all", "-c", "DIR/x2", "URL/x[1-2]"],
    ["--remote-name-all", "-D", "DIR/x2", "--input-file", "DIR/list"],
    ["-O", "URL/x2", "--next", "-D", "DIR/x2", "-o", "/dev/null", "URL/x1"],
    ["-c", "DIR/x2", "-o", "x3", "URL/x1", "--next", "--output-dir", "DIR", "-O", "URL/x2"],
  ])
  func `a file that both a URL and an option name is refused before anything is sent`(_ options: [String]) throws {
    let scenario = try Scenario(.fresh([("Set-Cookie", "a=b")], text: "body"))
    let kept = try scenario.directory.write("kept", to: "x2")
    _ = try scenario.directory.write("\(scenario.url("/x1"))\n\(scenario.url("/x2"))\n", to: "list")
    let options = options.map { option in
      option.replacing("DIR", with: scenario.directory.path).replacing("URL", with: scenario.url(""))
    }
    let run = try scenario.run(["--output-dir", scenario.directory.path] + options)
    #expect(run.status == 2 && run.diagnostics.contains(" name the same file\n"), "\(run)")
    #expect(run.diagnostics.contains(", line 2: ") == options.contains("--input-file"))
    #expect(run.diagnostics.hasSuffix("hint: the URL is \(scenario.url("/x2"))\n"), "\(run)")
    #expect(scenario.asked.isEmpty && (try? readFile(scenario.directory.path("x1"))) == nil)
    #expect(try readFile(kept) == Array("kept".utf8))
  }
}
