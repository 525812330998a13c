import Foundation
import TestSupport
import Testing

/// Tests of the place of the cache, its permissions, and runs that cannot use it.
@Suite("The cache directory")
struct CacheDirectoryTests {
  @Test("Only the user can read the cache, whatever the umask", arguments: ["000", "022", "777"])
  func modes(umask: String) throws {
    try withOrigin(answering: { _ in fresh(text: "private") }) { origin in
      let home = try TemporaryDirectory()
      try home.makeDirectory("cache")
      let result = try ToolRun(["-s", origin.url("/a")], home: home)
        .throughShell("umask \(umask); exec \"$0\" \"$@\"").run()
      #expect(result.succeeded, "\(result.errorText)")
      let wrong = modesBelow(home.path("cache/garner")).filter { $0.mode != ($0.isDirectory ? 0o700 : 0o600) }
      #expect(wrong.isEmpty, "\(wrong)")
      #expect(modesBelow(home.path("cache/garner")).contains { !$0.isDirectory })
    }
  }

  /// Data that must reach the disk: every entry with an option, and the secret always.
  enum Durable: CaseIterable {
    case entry, secret

    var options: [String] { self == .entry ? ["--durable"] : ["-u", "name:password"] }
  }

  @Test(
    "Data that must reach the disk is synchronized together with its name and every directory made for it",
    .enabled(if: Machine.has("strace"), "There is no strace."), arguments: Durable.allCases)
  func durable(kind: Durable) throws {
    try withOrigin(answering: { _ in fresh(text: "content") }) { origin in
      let (home, outputs) = (try TemporaryDirectory(), try TemporaryDirectory("output"))
      let trace = outputs.path("trace")
      let arguments = ["-s"] + kind.options + ["--cache-dir", home.path("a/b"), origin.url("/")]
      let result = try runTool(arguments, home: home) {
        $0.wrapper = ["strace", "-f", "-y", "-o", trace, "-e", "trace=mkdirat,linkat,renameat,fsync"]
      }
      #expect(result.succeeded, "\(result.errorText)")
      var calls = Self.wholeCalls(in: try readFile(trace)).filter { $0.hasSuffix(" = 0") }
      if kind == .secret {
        let last = try #require(calls.firstIndex { $0.contains("\"secret\"") })
        calls = Array(calls.prefix(last + 2))
      }
      var changed: Set<Substring> = []
      for call in calls {
        // PID CALL(NUMBER<DIRECTORY>, "NAME", ...; linkat names the new directory and name last.
        let directory = try #require(call.split(separator: "<").last).prefix { $0 != ">" }
        let name = call.split(separator: "\"").dropFirst().first ?? ""
        if call.contains(" fsync(") {
          changed.remove(call.drop { $0 != "<" }.dropFirst().prefix { $0 != ">" })
        } else {
          changed.insert(name.hasPrefix("/") ? name[..<(try #require(name.lastIndex(of: "/")))] : directory)
        }
      }
      #expect(calls.count { $0.contains(" mkdirat(") } >= 4)
      #expect(changed.isEmpty, "\(changed)")
    }
  }

  @Test(
    "Removing several entries opens the tallies once for each removal",
    .enabled(if: Machine.has("strace"), "There is no strace."))
  func openedOnce() throws {
    try withOrigin(answering: { _ in fresh(text: "content") }) { origin in
      let (home, outputs) = (try TemporaryDirectory(), try TemporaryDirectory("output"))
      for credentials in ["a:b", "c:d"] {
        #expect(try runTool(["-u", credentials, origin.url("/")], home: home).succeeded)
      }
      let trace = outputs.path("trace")
      let result = try runTool(["-X", "DELETE", origin.url("/")], home: home) {
        $0.wrapper = ["strace", "-f", "-o", trace, "-e", "trace=openat2"]
      }
      #expect(result.succeeded, "\(result.errorText)")
      #expect(try runTool(["cache", "ls"], home: home).stdout.isEmpty)
      // Two openings are for the removals, after the head and after the content; the third counts the run's result.
      let opened = Self.wholeCalls(in: try readFile(trace)).filter { $0.contains("/tallies\"") }
      #expect(opened.count == 3, "\(opened)")
    }
  }

  /// The calls of a trace. A call that was interrupted by another process's call stands on two lines, which are joined.
  private static func wholeCalls(in trace: [UInt8]) -> [String] {
    var begun: [Substring: String] = [:]
    return lines(of: String(decoding: trace, as: UTF8.self)).compactMap { line in
      let process = line.prefix { $0 != " " }
      if let end = line.range(of: " <unfinished ...>") {
        begun[process] = String(line[..<end.lowerBound])
        return nil
      }
      guard let end = line.range(of: " resumed>") else { return String(line) }
      return begun.removeValue(forKey: process).map { $0 + line[end.upperBound...] }
    }
  }

  @Test(
    "The cache works in a directory that may be written but not read",
    .enabled(if: !Machine.isRoot || Machine.has("setpriv"), "There is no setpriv."), arguments: Durable.allCases)
  func unreadableParent(kind: Durable) throws {
    try withOrigin(answering: { _ in fresh(text: "content") }) { origin in
      let home = try TemporaryDirectory()
      let cache = try home.makeDirectory("cache", mode: 0o300)
      defer { chmod(cache, 0o700) }
      for _ in 1...2 {
        let result = try runTool(kind.options + [origin.url("/a")], home: home) {
          $0.wrapper = Machine.withoutPrivileges
        }
        #expect(result.succeeded && result.outputText == "content" && result.errorText == "", "\(result.errorText)")
      }
      #expect(origin.requests.count == 1)
    }
  }

  /// Something in the place of the cache directory that must not be used.
  enum Unusable: String, CaseIterable, CustomTestStringConvertible {
    case symlink = "a symbolic link"
    case writableByAll = "a directory that all may write to"
    case file = "a file"
    case foreign = "a directory of another user"

    var testDescription: String { rawValue }

    func make(at path: String, in home: TemporaryDirectory) throws {
      switch self {
      case .symlink:
        let target = try home.makeDirectory("elsewhere")
        try checked("symlink", Glibc.symlink(target, path))
      case .writableByAll:
        try checked("mkdir", mkdir(path, 0o777))
        try checked("chmod", chmod(path, 0o777))
      case .file: try writeFile(path, Array("mine".utf8))
      case .foreign:
        try checked("mkdir", mkdir(path, 0o700))
        try checked("chown", chown(path, 1, 1))
      }
    }
  }

  @Test(
    "An unsafe cache directory is left alone with one warning, and the fetch succeeds",
    arguments: Unusable.allCases.filter { $0 != .foreign || Machine.isRoot })
  func unusable(kind: Unusable) throws {
    try withOrigin(answering: { _ in fresh(text: "content") }) { origin in
      let home = try TemporaryDirectory()
      try home.makeDirectory("cache")
      try kind.make(at: home.path("cache/garner"), in: home)
      for _ in 1...2 {
        let result = try runTool([origin.url("/a")], home: home)
        #expect(result.succeeded, "\(result.errorText)")
        #expect(result.outputText == "content")
        #expect(lines(of: result.errorText).count { !$0.hasPrefix("hint: ") } == 1, "\(result.errorText)")
      }
      #expect(origin.requests.count == 2)
      let inside = namesInDirectory(home.path("cache/garner")) + namesInDirectory(home.path("elsewhere"))
      #expect(inside.isEmpty, "\(inside)")
      let listing = try runTool(["cache", "ls"], home: home)
      #expect(listing.ending == .exit(112), "\(listing.errorText)")
    }
  }

  @Test(
    "A parent directory that may not be entered or written costs one warning with a hint",
    .enabled(if: !Machine.isRoot || Machine.has("setpriv"), "There is no setpriv."), arguments: [0, 0o500])
  func barred(mode: mode_t) throws {
    try withOrigin(answering: { _ in fresh(text: "content") }) { origin in
      let home = try TemporaryDirectory()
      let cache = try home.makeDirectory("cache", mode: mode)
      defer { chmod(cache, 0o700) }
      let result = try runTool([origin.url("/a")], home: home) { $0.wrapper = Machine.withoutPrivileges }
      #expect(result.succeeded && result.outputText == "content", "\(result.errorText)")
      let said = lines(of: result.errorText)
      #expect(said.count == 2 && said.first?.hasSuffix(" the store: Permission denied") == true, "\(said)")
      #expect(said.last?.hasPrefix("hint: chown or chmod ") == true, "\(said)")
    }
  }

  @Test("A HOME that does not exist is not created, and costs one warning with a hint", arguments: ["none", "no/home"])
  func absentHome(name: String) throws {
    try withOrigin(answering: { _ in fresh(text: "content") }) { origin in
      let home = try TemporaryDirectory()
      let absent = home.path(name)
      let result = try runTool([origin.url("/a")], home: home) {
        $0.environment["HOME"] = absent
        $0.environment["XDG_CACHE_HOME"] = nil
      }
      #expect(result.succeeded && result.outputText == "content", "\(result.errorText)")
      let said = lines(of: result.errorText)
      #expect(said.count == 2 && said.first?.hasSuffix(": the home directory does not exist") == true, "\(said)")
      #expect(said.last?.hasPrefix("hint: choose another directory") == true, "\(said)")
      #expect(namesInDirectory(home.path).isEmpty)
      // A directory that is named for the cache is created with all that lead to it.
      let named = try runTool(["--cache-dir", absent + "/cache", origin.url("/a")], home: home)
      #expect(named.succeeded && named.errorText == "", "\(named.errorText)")
      #expect(namesInDirectory(absent) == ["cache"])
    }
  }

  @Test("Without HOME and XDG_CACHE_HOME there is no store, and a fetch succeeds")
  func homeless() throws {
    try withOrigin(answering: { _ in fresh(text: "content") }) { origin in
      let result = try runTool([origin.url("/a")], home: try TemporaryDirectory()) {
        $0.environment["HOME"] = nil
        $0.environment["XDG_CACHE_HOME"] = nil
      }
      #expect(result.succeeded)
      #expect(result.outputText == "content")
      #expect(result.errorText.split(separator: "garner: ").count == 1, "\(result.errorText)")
    }
  }

  @Test(
    "A full disk keeps a response from being stored, and the fetch succeeds",
    .enabled(if: Isolation.canMount, "This process may not mount a file system."),
    arguments: [10_000, 1 << 20])
  func fullDisk(count: Int) throws {
    let content = Pattern.bytes(count: count)
    try withOrigin(answering: { _ in fresh(content) }) { origin in
      let home = try TemporaryDirectory()
      let cache = try home.makeDirectory("cache")
      let run = ToolRun(["-s", origin.url("/a")], home: home).throughShell(
        "mount -t tmpfs -o size=4k,mode=700 none '\(cache)' && exec \"$0\" \"$@\"")
      var isolated = run
      isolated.wrapper = Isolation.mounts
      let result = try isolated.run()
      #expect(result.succeeded, "\(result.errorText)")
      #expect(result.stdout == content)
    }
  }

  private struct Mode: CustomStringConvertible {
    let path: String
    let mode: mode_t
    let isDirectory: Bool
    var description: String { "\(path) \(String(mode, radix: 8))" }
  }

  private func modesBelow(_ path: String) -> [Mode] {
    var status = stat()
    guard lstat(path, &status) == 0 else { return [] }
    let isDirectory = status.st_mode & S_IFMT == S_IFDIR
    let own = Mode(path: path, mode: status.st_mode & 0o7777, isDirectory: isDirectory)
    return [own] + (isDirectory ? namesInDirectory(path).flatMap { modesBelow("\(path)/\($0)") } : [])
  }
}
