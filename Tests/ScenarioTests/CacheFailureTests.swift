import Glibc
import TestSupport
import Testing
import Transport

/// The messages of `cache` commands that cannot do what they are told. None of these commands sends anything.
@Suite struct CacheFailureTests {
  /// A transport that must not be used.
  private final class ForbiddenTransport: Transport {
    func send(
      _ message: OutgoingMessage, to receiver: any ResponseReceiver, report: inout TransferReport
    ) throws(TransportError) {
      Issue.record("something is sent")
      throw .emptyReply
    }

    func prepare() { Issue.record("garner-transport is started") }
    func finish() {}
  }

  private func scenario() throws -> Scenario {
    let scenario = try Scenario(.fresh(text: "text"))
    try scenario.run(scenario.url("/a"))
    scenario.transport = ForbiddenTransport()
    return scenario
  }

  static let commands: [[String]] = [
    ["ls"], ["ls", "--json"], ["show", "URL"], ["cat", "URL"], ["explain", "URL"], ["rm", "URL"], ["rm", "--stale"],
    ["rm", "--all"], ["rm", "-n", "--all"], ["prune"], ["prune", "--stale"], ["prune", "--max-size", "0"], ["verify"],
    ["verify", "--repair"], ["stats"], ["pin", "URL"], ["unpin", "*"], ["tag", "URL", "k=v"], ["tag", "*", "k=v"],
  ]

  private func run(_ command: [String], _ scenario: Scenario) throws -> Scenario.Run {
    try scenario.run(["cache"] + command.map { $0 == "URL" ? scenario.url("/a") : $0 })
  }

  @Test(arguments: commands)
  func `a cache directory that cannot be a store is reported, and left as it is`(_ command: [String]) throws {
    let scenario = try scenario()
    let places = try TemporaryDirectory("places")
    try places.write("precious", to: "file")
    try checked("symlink", symlink(scenario.cachePath, places.path("link")))
    try places.makeDirectory("open")
    chmod(places.path("open"), 0o777)
    for (place, reason) in [
      ("file", "it is not a directory"), ("link", "it is a symbolic link"),
      ("open", "others can write to it (mode 777)"),
    ] {
      scenario.environment["GARNER_CACHE_DIR"] = places.path(place)
      let run = try self.run(command, scenario)
      #expect(run.status == 112 && run.text == "", "\(place): \(run)")
      // A command that looks up like a fetch first prints the warning of a fetch.
      let lines = run.diagnostics.split(separator: "\n")
      #expect(lines.contains("hint: 'chmod go-w' makes it writable only by its owner") == (place == "open"), "\(run)")
      let error = try #require(lines.last { !$0.hasPrefix("hint: ") })
      #expect(error.hasPrefix("garner: cannot ") && error.hasSuffix(" the cache in \(places.path(place)): \(reason)"))
    }
    #expect(try places.read("file") == Array("precious".utf8))
    scenario.environment["GARNER_CACHE_DIR"] = nil
    #expect(try scenario.run("cache", "ls", "--format", "{url}").text == scenario.url("/a") + "\n")
  }

  @Test(arguments: commands)
  func `a cache command reports that no directory for the cache is named`(_ command: [String]) throws {
    let scenario = try scenario()
    for name in ["HOME", "XDG_CACHE_HOME"] { scenario.environment[name] = "" }
    let run = try self.run(command, scenario)
    #expect(run.status == 112 && run.text == "")
    #expect(
      run.diagnostics
        == "garner: there is no directory for the cache: none of HOME, XDG_CACHE_HOME and GARNER_CACHE_DIR names one\n"
        + "hint: --cache-dir DIRECTORY names one\n")
  }

  @Test(arguments: commands, [["HOME": "/h", "XDG_CACHE_HOME": "relative"], ["HOME": "relative"]])
  func `a relative path in a variable names no directory for the cache`(
    _ command: [String], _ environment: [String: String]
  ) throws {
    let scenario = try scenario()
    for name in ["HOME", "XDG_CACHE_HOME"] { scenario.environment[name] = environment[name] ?? "" }
    let run = try self.run(command, scenario)
    #expect(run.status == 112 && run.text == "")
    let variable = environment.first { $0.value == "relative" }?.key ?? ""
    let error = "garner: there is no directory for the cache: the path in \(variable) is relative\n"
    #expect(run.diagnostics.contains(error + "hint: set it to an absolute path, or use --cache-dir DIRECTORY\n"))
  }

  @Test(arguments: commands)
  func `a cache command on an absent store makes nothing, and sends nothing`(_ command: [String]) throws {
    let scenario = try scenario()
    let places = try TemporaryDirectory("places")
    scenario.environment["GARNER_CACHE_DIR"] = places.path("nothing")
    let run = try self.run(command, scenario)
    let isAbsent = ["show", "cat", "pin"].contains(command[0]) || command.prefix(2) == ["tag", "URL"]
    let matchesNothing = command.contains("*") || ["URL", "--stale"].contains(command.last) && command[0] == "rm"
    #expect(run.status == (isAbsent ? 110 : matchesNothing ? 1 : 0), "\(run)")
    #expect(namesInDirectory(places.path).isEmpty)
    #expect(scenario.origin.requests.count == 1)
  }

  @Test(arguments: [
    (["show", "http://[::1/"], 3, "garner: the URL http://[::1/ is malformed: its host is malformed\n"),
    (["cat", "ftp://a/"], 1, "garner: the URL ftp://a/ is not supported: ftp is neither http nor https\n"),
    (
      ["tag", "http://u:p@a b/", "k=v"], 3,
      "garner: the URL http://***@a b/ is malformed: it holds a space or a control character\n"
    ),
    (
      ["rm", "http://a:99999/"], 3,
      "garner: the URL http://a:99999/ is malformed: its port is not a number from 0 to 65535\n"
    ),
    (["ls", "http://[::1"], 3, "garner: the URL http://[::1 is malformed: its host is malformed\n"),
    (["rm", "--if-exists", ""], 3, "garner: the URL is empty\n"),
    (["ls", "ftp://x/y"], 1, "garner: the URL ftp://x/y is not supported: ftp is neither http nor https\n"),
    (
      ["export", "-", "a.test/", "a b"], 3,
      "garner: the URL a b is malformed: it holds a space or a control character\n"
    ),
    (
      ["prune", "--stale", "a b"], 3, "garner: the URL a b is malformed: it holds a space or a control character\n"
    ),
    (["ls", "ftp://x/*"], 1, "garner: the URL ftp://x/* is not supported: ftp is neither http nor https\n"),
    (
      ["rm", "--if-exists", "htps://host/*"], 1,
      "garner: the URL htps://host/* is not supported: htps is neither http nor https\n"
    ),
    (
      ["prune", "--stale", "HTPS://*.test:*"], 1,
      "garner: the URL HTPS://*.test:* is not supported: htps is neither http nor https\n"
    ),
    (["rm", "--if-exists", "htps:*"], 0, ""), (["rm", "--if-exists", "http://a:9*"], 0, ""),
    (["rm", "--if-exists", "h*s://host/*"], 0, ""),
    (
      ["rm", "--if-exists", "\u{1b}[31m*"], 3,
      "garner: the URL \\x1b[31m* is malformed: it holds a space or a control character\n"
    ),
    (
      ["rm", "a.test/\u{9b}*"], 1,
      "garner: no stored response matches a.test/\\u{9b}*\nhint: 'garner cache ls' lists the stored responses\n"
    ),
    (
      ["show", "a\u{1b}[31m"], 3,
      "garner: the URL a\\x1b[31m is malformed: it holds a space or a control character\n"
    ),
  ])
  func `a malformed or unsupported URL is reported in a line that is fit for a terminal`(
    _ arguments: [String], _ status: Int, _ diagnostics: String
  ) throws {
    let run = try scenario().run(["cache"] + arguments)
    #expect(run.status == status && run.text == "" && run.diagnostics == diagnostics, "\(run)")
  }

  @Test func `cache commands pass over foreign files in the directories of the store`() throws {
    let scenario = try scenario()
    let entry = try #require(scenario.entryFiles.first)
    let directory = entry.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    for name in ["..garner", "\u{1b}[31m", "-rf", " ", String(repeating: "f", count: 255)] {
      try writeFile("\(directory)/\(name)", [1, 2, 3])
    }
    for command in [["ls"], ["verify"], ["prune", "--stale"], ["rm", "--all"]] {
      let run = try self.run(command, scenario)
      #expect(run.status == 0 && run.diagnostics == "", "\(run)")
    }
    #expect(namesInDirectory(directory).count == 5)
  }
}
