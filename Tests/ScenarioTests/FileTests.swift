import Glibc
import TestSupport
import Testing

/// The names and places of output files, and when they are left alone.
@Suite struct FileTests {
  private func scenario(_ fields: (String, String)...) throws -> Scenario {
    try Scenario(.fresh(fields, text: "body"))
  }

  /// The names in a directory of the scenario; none where it does not exist.
  private func names(_ scenario: Scenario, _ directory: String = "out") -> [String] {
    namesInDirectory(scenario.directory.path(directory))
  }

  // MARK: Names

  @Test(arguments: [
    ("/a/b.txt?q=1", "b.txt"), ("/a%2Fb", "a%2Fb"), ("/a/%2e%2e", "%2e%2e"), ("/.hidden", ".hidden"), ("/a/../b", "b"),
    ("/-rf", "-rf"),
  ])
  func `-O names the file as the last part of the path, without decoding it`(_ target: String, _ name: String) throws {
    let scenario = try self.scenario()
    let directory = try scenario.directory.makeDirectory("out")
    let run = try scenario.run("-O", "--output-dir", directory, "-w", "%{filename_effective}", scenario.url(target))
    #expect(run.status == 0 && run.text == "\(directory)/\(name)" && names(scenario) == [name])
  }

  @Test(arguments: [("/a/\u{fc}?\u{e4}", "\u{fc}"), ("/%c3%bc", "%c3%bc"), ("/\u{fc}%2Fx#y", "\u{fc}%2Fx")])
  func `-O takes letters beyond ASCII as they were typed`(_ target: String, _ name: String) throws {
    let scenario = try self.scenario()
    let directory = try scenario.directory.makeDirectory("out")
    try scenario.run("-O", "--output-dir", directory, scenario.url(target))
    #expect(names(scenario) == [name])
  }

  @Test(arguments: ["/", "/a/", "/a/..", "/a/."])
  func `-O of a URL without a name is status 23, and nothing is sent`(_ target: String) throws {
    let scenario = try self.scenario()
    let run = try scenario.run("-O", scenario.url(target), scenario.url("/other"))
    #expect(run.status == 23 && run.text == "body" && scenario.asked == ["/other"])
    #expect(run.diagnostics.contains("does not end with a file name\nhint: --output FILE names it\n"))
  }

  @Test func `--no-clobber and -C contradict each other`() throws {
    let scenario = try self.scenario()
    let file = try scenario.directory.write("bo", to: "f")
    let run = try scenario.run("--no-clobber", "-C", "-", "-o", file, scenario.url("/a"))
    #expect(run.status == 2 && scenario.asked.isEmpty && run.diagnostics.contains("--no-clobber keeps it"))
    scenario.environment["GARNER_CLOBBER"] = "0"
    #expect(try scenario.run("-C", "2", "-o", file, scenario.url("/a")).status == 2)
    // Standard output is no file that could be kept.
    #expect(try scenario.run("-C", "0", scenario.url("/a")).text == "body")
  }

  @Test func `more places for output than URLs are warned of, and so is -J without -O`() throws {
    let scenario = try Scenario(.fresh(text: "body"))
    let directory = try scenario.directory.makeDirectory("out")
    let more = try scenario.run("--output-dir", directory, "-o", "a", "-o", "b", scenario.url())
    #expect(more.status == 0 && names(scenario) == ["a"])
    #expect(more.diagnostics == "garner: warning: there are more places for output than URLs: 2 and 1\n")
    let list = try scenario.directory.write("\(scenario.url())\n", to: "urls")
    let listed = try scenario.run(
      "--output-dir", directory, "-o", "a", "-o", "b", "--input-file", list, scenario.url())
    #expect(listed.diagnostics == "" && names(scenario) == ["a", "b"])

    let unnamed = try scenario.run("-J", scenario.url())
    #expect(unnamed.diagnostics == "garner: warning: --remote-header-name has no effect without --remote-name\n")
    #expect(try scenario.run("-J", "--remote-name-all", "--dry-run", scenario.url("/x")).diagnostics == "")
    // A variable is set for all runs, also those that it has no effect on: there is no warning.
    scenario.environment["GARNER_REMOTE_HEADER_NAME"] = "1"
    #expect(try scenario.run(scenario.url()).diagnostics == "")
    #expect(try scenario.run("-J", scenario.url()).diagnostics == unnamed.diagnostics)
  }

  @Test func `the name of a file that looks like an option is warned of`() throws {
    let scenario = try Scenario(.fresh(text: "body"))
    let run = try scenario.run("--dry-run", "-o", "-s", "-D", "--fail", "-c", "-", scenario.url())
    #expect(run.status == 0)
    #expect(
      run.diagnostics == """
        garner: warning: --output: the name '-s' looks like an option; './-s' does not
        garner: warning: --dump-header: the name '--fail' looks like an option; './--fail' does not

        """)
    let meant = try scenario.run("--dry-run", "-o", "./-s", "-o", "-", scenario.url(), scenario.url("/a"))
    #expect(meant.diagnostics == "")
  }

  @Test(arguments: [
    (#"attachment; filename="../../x/cd.txt""#, "cd.txt"), ("attachment; filename=.bashrc", "bashrc"),
    ("attachment; filename=plain; filename*=UTF-8''%e2%82%ac", "€"), ("inline", "url.txt"),
    (#"attachment; filename="..""#, "url.txt"), (#"attachment; filename="/""#, "url.txt"),
  ])
  func `-J names the file as the response says, without doing harm`(_ field: String, _ name: String) throws {
    let scenario = try Scenario { _ in
      .fresh([("Content-Disposition", String(decoding: fieldBytes(field), as: UTF8.self))], text: "body")
    }
    let directory = try scenario.directory.makeDirectory("out")
    for _ in 1...2 {
      let run = try scenario.run(
        "-OJ", "--output-dir", directory, "-w", "%{filename_effective}", scenario.url("/url.txt"))
      #expect(run.status == 0 && run.text == "\(directory)/\(name)" && names(scenario) == [name])
    }
    #expect(scenario.asked.count == 1)
  }

  @Test func `-J takes no name from an answer that broke off and was tried again`() throws {
    let scenario = try Scenario { request in
      guard request.number == 1 else { return .response(text: "new") }
      let head = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\nContent-Disposition: attachment; filename=first\r\n\r\n"
      return .raw(head + "half")
    }
    _ = RetryTests.Pauses(of: scenario)
    let directory = try scenario.directory.makeDirectory("out")
    let run = try scenario.run(
      "-OJ", "--output-dir", directory, "--retry", "1", "-w", "%{filename_effective}", scenario.url("/x"))
    #expect(run.status == 0 && run.text == "\(directory)/x" && names(scenario) == ["x"], "\(run)")
  }

  @Test func `-J overwrites nothing`() throws {
    let scenario = try self.scenario(("Content-Disposition", "attachment; filename=cd"))
    let directory = try scenario.directory.makeDirectory("out")
    try scenario.directory.write("precious", to: "out/cd")
    for option in [[], ["--clobber"]] {
      let run = try scenario.run(["-OJ", "--output-dir", directory] + option + [scenario.url("/x")])
      #expect(run.status == 23 && run.diagnostics.contains("cannot write \(directory)/cd: File exists"))
    }
    #expect(try scenario.run("-OJ", "--output-dir", directory, "--no-clobber", scenario.url("/x")).status == 0)
    #expect(names(scenario) == ["cd", "cd.1"])
    #expect(try scenario.directory.read("out/cd") == Array("precious".utf8))
  }

  @Test(arguments: [
    (["-D"], "--dump-header"), (["-c"], "--cookie-jar"), (["--no-clobber", "-D"], "--dump-header"),
    (["--hsts"], "--hsts"), (["--alt-svc"], "--alt-svc"), (["-b"], "--cookie"),
  ])
  func `-J does not write a body to a file that another option names`(_ options: [String], _ option: String) throws {
    let scenario = try self.scenario(("Content-Disposition", "attachment; filename=cd"), ("Set-Cookie", "a=b"))
    let directory = try scenario.directory.makeDirectory("out")
    let arguments = ["-OJ", "--output-dir", directory] + options + ["\(directory)/./cd"]
    let run = try scenario.run(arguments + [scenario.url("/x")])
    #expect(run.status == 23 && names(scenario) == (["-D", "-c"].contains(options.last) ? ["cd"] : []))
    #expect(
      run.diagnostics == """
        garner: cannot write \(directory)/cd: it is the file of \(option)
        hint: --output FILE names it

        """)
    #expect((try? scenario.directory.read("out/cd"))?.starts(with: Array("body".utf8)) != true)
  }

  @Test func `-J treats a name from the URL as carefully as one from a response`() throws {
    let scenario = try self.scenario()
    let directory = try scenario.directory.makeDirectory("out")
    for name in ["x", ".hidden"] { try scenario.directory.write("precious", to: "out/\(name)") }
    #expect(symlink("elsewhere", "\(directory)/link") == 0)
    func run(_ options: [String], _ name: String) throws -> Scenario.Run {
      try scenario.run(options + ["--output-dir", directory, scenario.url("/\(name)")])
    }
    for (options, name) in [(["-OJ"], "x"), (["-OJ"], "link"), (["-OJ", "--clobber"], "x")] {
      let refused = try run(options, name)
      #expect(refused.status == 23 && refused.diagnostics.contains("cannot write \(directory)/\(name): File exists"))
    }
    #expect(try run(["-OJ"], ".hidden").status == 0)
    #expect(try run(["-OJ"], "...").status == 23)
    #expect(try run(["-OJ", "--no-clobber"], "x").status == 0)
    #expect(names(scenario) == [".hidden", "hidden", "link", "x", "x.1"])
    for name in ["x", ".hidden"] {
      #expect(try scenario.directory.read("out/\(name)") == Array("precious".utf8))
    }
    // With -O, the name comes from the URL, which the user has chosen.
    for name in ["x", "link", ".hidden"] { #expect(try run(["-O"], name).status == 0) }
    #expect(names(scenario) == [".hidden", "elsewhere", "hidden", "link", "x", "x.1"])
  }

  @Test func `-J names the file of a URL without a name, and has no effect without -O`() throws {
    let scenario = try self.scenario(("Content-Disposition", "attachment; filename=cd"))
    let directory = try scenario.directory.makeDirectory("out")
    #expect(try scenario.run("-OJ", "--output-dir", directory, scenario.url("/")).status == 0)
    #expect(try scenario.run("-J", "--output-dir", directory, "-o", "named", scenario.url("/")).status == 0)
    #expect(names(scenario) == ["cd", "named"])
    #expect(try scenario.run("-i", "-OJ", "--output-dir", directory, scenario.url("/")).status == 2)
  }

  @Test func `-J is status 23 when neither the response nor the URL gives a name`() throws {
    let scenario = try self.scenario()
    #expect(try scenario.run("-OJ", scenario.url("/")).status == 23)
    #expect(scenario.asked == ["/"])
  }

  @Test func `--no-clobber keeps an existing file, and numbers the new one`() throws {
    let scenario = try self.scenario()
    let directory = try scenario.directory.makeDirectory("out")
    for number in 0...2 {
      let run = try scenario.run(
        "--no-clobber", "--output-dir", directory, "-o", "f", "-w", "%{filename_effective}", scenario.url())
      #expect(run.text == "\(directory)/f" + (number == 0 ? "" : ".\(number)"))
    }
    #expect(names(scenario) == ["f", "f.1", "f.2"])
    for number in 3...99 { try scenario.directory.write("", to: "out/f.\(number)") }
    let run = try scenario.run("--no-clobber", "--output-dir", directory, "-o", "f", scenario.url())
    #expect(run.status == 23)
    #expect(
      run.diagnostics
        == "garner: cannot write \(directory)/f, or \(directory)/f.1 to \(directory)/f.99: File exists\n")
  }

  // MARK: Directories

  @Test func `only --create-dirs makes the directories that lead to a file`() throws {
    let scenario = try self.scenario()
    let path = scenario.directory.path("out/a/b")
    let failed = try scenario.run("-o", path, scenario.url())
    #expect(failed.status == 23)
    #expect(failed.diagnostics.hasSuffix("hint: --create-dirs creates the missing directories\n"))
    #expect(try scenario.run("--output-dir", scenario.directory.path("out/a"), "-o", "b", scenario.url()).status == 23)
    let made = try scenario.run(
      "--create-dirs", "--output-dir", scenario.directory.path("out"), "-o", "a/b", scenario.url())
    #expect(made.status == 0 && names(scenario, "out/a") == ["b"])
    #expect(try status(of: scenario.directory.path("out/a")).st_mode & 0o027 == 0)
    #expect(try scenario.run("--output-dir", "/nowhere", "-o", "-", scenario.url()).text == "body")
  }

  @Test func `--create-dirs makes the directories that lead to the file of -D, too`() throws {
    let scenario = try self.scenario()
    let path = scenario.directory.path("out/a/heads")
    let failed = try scenario.run("-D", path, scenario.url())
    #expect(failed.status == 23 && scenario.origin.requests.isEmpty)
    #expect(failed.diagnostics.hasSuffix("hint: --create-dirs creates the missing directories\n"))
    #expect(try scenario.run("--create-dirs", "--dry-run", "-D", path, scenario.url()).status == 0)
    #expect(!namesInDirectory(scenario.directory.path).contains("out"))
    #expect(try scenario.run("--create-dirs", "-D", path, scenario.url()).status == 0)
    #expect(names(scenario, "out/a") == ["heads"])
    // Where the directory cannot be made, nothing is sent.
    let nowhere = try scenario.run("--create-dirs", "-D", path + "/b", "-d", "x", scenario.url())
    #expect(nowhere.status == 23 && scenario.origin.requests.count == 1 && !nowhere.diagnostics.contains("hint"))
  }

  @Test(arguments: [[], ["--create-dirs"]])
  func `the name of an output file must not end with a slash, whether or not there is such a directory`(
    _ options: [String]
  ) throws {
    let scenario = try self.scenario()
    let name = scenario.directory.path("out/")
    for exists in [false, true] {
      if exists { _ = try scenario.directory.makeDirectory("out") }
      let run = try scenario.run(options + ["-o", name, scenario.url()])
      #expect(run.status == 23)
      #expect(run.diagnostics == "garner: cannot write \(name): a name that ends with a slash is a directory's\n")
    }
  }

  @Test func `a fetch that fails makes no directory, even with --create-dirs`() throws {
    let scenario = try Scenario(.response(404))
    #expect(try scenario.run("--create-dirs", "-o", scenario.directory.path("out/f"), scenario.url()).status == 22)
    #expect(!namesInDirectory(scenario.directory.path).contains("out"))
  }

  @Test func `-O of a URL whose path ends with .. is status 23, and nothing is sent`() throws {
    let scenario = try self.scenario()
    #expect(try scenario.run("--path-as-is", "-O", scenario.url("/a/..")).status == 23)
    #expect(scenario.asked == [])
  }

  @Test func `the message about a missing name for the file shows the typed URL`() throws {
    let scenario = try Scenario { request in
      request.target == "/a/b" ? .response(text: "x") : .response(302, fields: [("Location", "/a/b")])
    }
    let run = try scenario.run("-OJ", scenario.url("/a/"))
    #expect(run.status == 23)
    #expect(run.diagnostics.contains("the URL \(scenario.url("/a/")) does not end with a file name"))
  }

  // MARK: Unchanged files

  @Test func `a file that already holds the same content is left alone`() throws {
    let scenario = try self.scenario()
    let path = try scenario.directory.write("body", to: "f")
    let before = try status(of: path)
    for option in [[], ["--reload"], ["--no-store"]] {
      #expect(try scenario.run(option + ["-o", path, scenario.url()]).status == 0)
      let after = try status(of: path)
      #expect(after.st_ino == before.st_ino && after.st_mtim.tv_nsec == before.st_mtim.tv_nsec)
    }
  }

  @Test func `a file that holds the stored part of a response also gets the rest`() throws {
    let tag = ("ETag", "\"1\"")
    let scenario = try Scenario { request in
      // The rest may not be stored, so that only the file gets the stored part.
      request.has("Range")
        ? .response(206, fields: [tag, ("Content-Range", "bytes 4-7/8"), ("Cache-Control", "no-store")], text: "more")
        : .raw(OriginAnswer.head(200, nil, fields: [tag, fresh, ("Content-Length", "8")]) + Array("body".utf8))
    }
    #expect(try scenario.run(scenario.url()).status == 18)
    let path = try scenario.directory.write("body", to: "f")
    let before = try status(of: path)
    #expect(try scenario.run("-r", "0-3", "-o", path, scenario.url()).status == 0)
    #expect(try status(of: path).st_ino == before.st_ino)
    #expect(try scenario.run("-o", path, scenario.url()).status == 0)
    #expect(try readFile(path) == Array("bodymore".utf8) && scenario.origin.requests.count == 2)
  }

  @Test func `a file that holds more than a requested range gets the range alone`() throws {
    let scenario = try self.scenario()
    let path = try scenario.directory.write("body", to: "f")
    try scenario.run(scenario.url())
    #expect(try scenario.run("-r", "0-1", "-o", path, scenario.url()).status == 0)
    #expect(try readFile(path) == Array("bo".utf8) && scenario.asked == ["/"])
  }

  @Test func `--exit-unchanged is the status of a run that has brought nothing new`() throws {
    let scenario = try Scenario { request in
      validated(request, etag: "\"1\"", fields: [("Cache-Control", "max-age=10")], text: "body")
    }
    #expect(try scenario.run("--exit-unchanged", scenario.url()).status == 0)
    #expect(try scenario.run("--exit-unchanged", scenario.url()).status == 114)
    scenario.clock.advance(bySeconds: 20)
    let confirmed = try scenario.run("--exit-unchanged=7", scenario.url())
    #expect(confirmed.status == 7 && confirmed.text == "body")
    #expect(try scenario.run("--exit-unchanged", "--reload", scenario.url()).status == 0)
    let path = try scenario.directory.write("body", to: "f")
    #expect(try scenario.run("--exit-unchanged", "--reload", "-o", path, scenario.url()).status == 114)
    #expect(try scenario.run("--exit-unchanged", scenario.url(), scenario.url("/new")).status == 0)
    #expect(try scenario.run("--exit-unchanged", scenario.url(), scenario.url("/new")).status == 114)
    #expect(try scenario.run("--exit-unchanged", "--no-store", "-C", "-", "-o", path, scenario.url()).status == 114)
    scenario.origin.stop()
    #expect(try scenario.run("--exit-unchanged", scenario.url(), scenario.url("/absent")).status == 7)
  }

  @Test func `--exit-unchanged is about the file if there is one, whatever the cache has`() throws {
    let version = Monitor("1")
    let scenario = try Scenario { request in
      let current = version.withLock { $0 }
      return validated(request, etag: "\"\(current)\"", fields: [("Cache-Control", "max-age=0")], text: current)
    }
    let file = scenario.directory.path("file")
    let command = ["--exit-unchanged", "-o", file, scenario.url()]
    #expect(try scenario.run(command).status == 0)
    #expect(try scenario.run(command).status == 114)
    version.withLock { $0 = "2" }
    try scenario.run(scenario.url())
    #expect(try scenario.run(command).status == 0)
    #expect(try scenario.directory.read("file") == Array("2".utf8))
    try scenario.directory.write("edited", to: "file")
    #expect(try scenario.run(["--offline"] + command).status == 0)
    #expect(try scenario.run(["--offline"] + command).status == 114)
    #expect(try scenario.run("--exit-unchanged", "-o", scenario.directory.path("other"), scenario.url()).status == 0)
  }

  @Test(arguments: [true, false])
  func `a 304 to the user's own condition leaves the file as it is`(_ isStored: Bool) throws {
    let scenario = try Scenario { request in
      request.has("If-None-Match")
        ? .response(304, fields: [("ETag", "\"a\"")]) : .response(fields: [("ETag", "\"a\""), fresh])
    }
    if isStored { try scenario.run(scenario.url()) }
    let file = try scenario.directory.write("kept", to: "file")
    let condition = ["-o", file, "-H", "If-None-Match: \"a\"", scenario.url()]
    #expect(try scenario.run(condition).status == 0)
    #expect(try scenario.run(["--exit-unchanged=9"] + condition).status == 9)
    #expect(try scenario.directory.read("file") == Array("kept".utf8))
    #expect(try scenario.run(["-i"] + condition).status == 0)
    #expect(String(decoding: try scenario.directory.read("file"), as: UTF8.self).hasPrefix("HTTP/1.1 304"))
  }

  private static let newer = [UInt8](repeating: 0x6e, count: 400_000)

  @Test(arguments: [["-o", "out"], []])
  func `a file gets the origin's response when the stored one turns out to be damaged midway`(
    _ options: [String]
  ) throws {
    let scenario = try Scenario { request in
      .fresh(content: request.number == 1 ? Pattern.bytes(count: 400_000) : Self.newer)
    }
    try scenario.run(scenario.url())
    try scenario.damageOnlyEntry(at: 300_000)
    let file = scenario.directory.path("out")
    let run = try scenario.run((options.isEmpty ? [] : ["-o", file]) + [scenario.url()])
    // Printed bytes cannot be taken back, and the origin has another content by then.
    #expect(run.status == (options.isEmpty ? 18 : 0))
    if !options.isEmpty {
      #expect(try readFile(file) == Self.newer)
      #expect(try scenario.run("--offline", scenario.url()).output == Self.newer)
    }
  }
}

func status(of path: String) throws -> stat {
  var status = stat()
  try #require(stat(path, &status) == 0)
  return status
}
