import Glibc
import TestSupport
import Testing

/// Tests that nothing of a response under `--memory-only` reaches the disk: which files a run opens, and which exist
/// afterwards.
///
/// Each check is also applied to an ordinary run, in which it has to find something.
@Suite("--memory-only writes nothing to the disk")
struct MemoryOnlyTests {
  enum Kind: String, CaseIterable, CustomTestStringConvertible {
    case memoryOnly = "with --memory-only"
    case ordinary = "without, as a control of the check"

    var testDescription: String { rawValue }
    var options: [String] { self == .memoryOnly ? ["--memory-only"] : [] }
  }

  /// A text that every body contains, and nothing else.
  private static let canary = "canary-7f3a91"

  private static let fresh = [("Cache-Control", "max-age=3600")]

  /// Answers of every kind that a cache might keep something of.
  private static let answers: OriginServer.Handler = { request in
    let body = "\(canary) \(request.target)"
    switch request.path {
    case "/validated":
      let fields = [("Cache-Control", "max-age=0"), ("ETag", "\"1\"")]
      return request.has("If-None-Match") ? .response(304, fields: fields) : .response(fields: fields, text: body)
    case "/moved": return .response(301, fields: fresh + [("Location", "/new")], text: body)
    case "/varying": return .response(fields: fresh + [("Vary", "X-Flavour")], text: body)
    case "/large": return .response(fields: fresh, content: Array(body.utf8) + Pattern.bytes(count: 3 << 20))
    case "/broken":
      let fields = fresh + [("ETag", "\"1\""), ("Content-Length", "1000")]
      return .raw(OriginAnswer.head(200, nil, fields: fields) + Array(body.utf8))
    case "/late":
      return .response(fields: [("Cache-Control", "max-age=0, stale-while-revalidate=3600")], text: body)
    default: return .response(fields: fresh, text: body)
    }
  }

  /// The arguments of the runs, with and without credentials where that makes a difference.
  private static let runs: [[String]] = [
    ["/new"], ["/a", "/a", "/b", "/a"], ["/validated"], ["/validated", "/validated"], ["/moved", "/moved"],
    ["-u", "me:secret", "/mine"], ["-H", "X-Flavour: a", "/varying"], ["/large"], ["/broken"], ["--reload", "/stored"],
    ["/stored", "/old"], ["/late"], ["-I", "/stored"], ["-X", "QUERY", "-d", "q", "/query"], ["--compressed", "/a"],
  ]

  /// The state of everything below a path: name, kind, mode, size, time of the last change, and content.
  private func snapshot(_ path: String) throws -> [String] {
    var status = stat()
    try checked("lstat \(path)", lstat(path, &status))
    var line = "\(path) \(String(status.st_mode, radix: 8)) \(status.st_size)"
    line += " \(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)"
    guard status.st_mode & S_IFMT == S_IFDIR else {
      return [line + " " + String(decoding: try readFile(path).prefix(4_096), as: UTF8.self)]
    }
    return [line] + (try namesInDirectory(path).flatMap { try snapshot("\(path)/\($0)") })
  }

  /// The files below a directory that contain the canary.
  private func filesWithCanary(below path: String) throws -> [String] {
    try filesBelow(path).filter { try readFile($0).firstRange(of: Array(Self.canary.utf8)) != nil }
  }

  private func run(_ arguments: [String], _ kind: Kind, _ origin: OriginServer, _ home: TemporaryDirectory) throws
    -> ToolResult
  {
    let arguments = arguments.map { $0.hasPrefix("/") ? origin.url($0) : $0 }
    return try runTool(["-s"] + kind.options + arguments, home: home) {
      $0.environment["TMPDIR"] = home.path("tmp")
    }
  }

  @Test("With --memory-only an empty home stays empty", arguments: Kind.allCases)
  func emptyHome(kind: Kind) throws {
    try withOrigin(answering: Self.answers) { origin in
      let home = try TemporaryDirectory()
      try home.makeDirectory("tmp")
      let before = try snapshot(home.path)
      for arguments in Self.runs {
        let result = try run(arguments, kind, origin, home)
        #expect(result.ending == .exit(arguments == ["/broken"] ? 18 : 0), "\(arguments) \(result.errorText)")
        // The canary is in the output, so it could be found.
        let start = String(decoding: result.stdout.prefix(1_024), as: UTF8.self)
        #expect(arguments.contains("-I") || start.contains(Self.canary), "\(arguments)")
      }
      #expect(try (snapshot(home.path) == before) == (kind == .memoryOnly))
      #expect(try (filesWithCanary(below: home.path) == []) == (kind == .memoryOnly))
    }
  }

  @Test(
    "With --memory-only a cache with entries stays the same to the byte and to the time of change",
    arguments: Kind.allCases)
  func filledCache(kind: Kind) throws {
    try withOrigin(answering: Self.answers) { origin in
      let home = try TemporaryDirectory()
      try home.makeDirectory("tmp")
      // Without `-u`, because the runs that are watched begin without the secret.
      for arguments in [["/stored"], ["/old"], ["/validated"], ["/broken"], ["/moved"]] {
        _ = try run(arguments, .ordinary, origin, home)
      }
      // The entries were last used so long ago that a use would be noted.
      for file in filesBelow(home.path("cache")) {
        let longAgo = [timespec(tv_sec: 1_700_000_000, tv_nsec: 1), timespec(tv_sec: 1_700_000_000, tv_nsec: 1)]
        try checked("utimensat", utimensat(AT_FDCWD, file, longAgo, 0))
      }
      let before = try snapshot(home.path)
      #expect(before.count > 6)
      for arguments in Self.runs { _ = try run(arguments, kind, origin, home) }
      #expect(try (snapshot(home.path) == before) == (kind == .memoryOnly))
    }
  }

  @Test(
    "With --memory-only no file but an output is opened for writing, created, renamed, linked, removed or touched",
    .enabled(if: Machine.has("strace"), "There is no strace."), arguments: Kind.allCases)
  func calls(kind: Kind) throws {
    try withOrigin(answering: Self.answers) { origin in
      let home = try TemporaryDirectory()
      let outputs = try TemporaryDirectory("output")
      _ = try run(["/stored"], .ordinary, origin, home)
      _ = try run(["/validated"], .ordinary, origin, home)
      for file in filesBelow(home.path("cache")) {
        try checked("utimensat", utimensat(AT_FDCWD, file, [timespec(), timespec()], 0))
      }
      for (number, arguments) in (Self.runs + [["-o", outputs.path("page"), "/page"]]).enumerated() {
        let trace = outputs.path("trace-\(number)")
        let arguments = arguments.map { $0.hasPrefix("/") && !$0.hasPrefix(outputs.path) ? origin.url($0) : $0 }
        _ = try runTool(["-s"] + kind.options + arguments, home: home) {
          $0.wrapper = ["strace", "-f", "-y", "-o", trace, "-e", "trace=%file,fchmod,fallocate,ftruncate,memfd_create"]
        }
        // The memory that garner and garner-transport share does not belong to a file system.
        let allowed = [outputs.path, "memfd:content", "memfd_create(\"content\""]
        let changes = lines(of: String(decoding: try readFile(trace), as: UTF8.self)).filter { line in
          Self.isChange(line) && !allowed.contains { line.contains($0) }
        }
        if kind == .memoryOnly { #expect(changes.isEmpty, "\(arguments)") }
        if kind == .ordinary, arguments == [origin.url("/new")] { #expect(!changes.isEmpty) }
      }
      #expect(try readFile(outputs.path("page")) == Array("\(Self.canary) /page".utf8))
    }
  }

  /// Whether a line of a trace is a call that changes a file system, or may change it.
  private static func isChange(_ line: Substring) -> Bool {
    // PID call(...
    let call = line.drop { $0 != " " }.drop { $0 == " " }
    let name = call.prefix { $0 != "(" }
    if ["open", "openat", "openat2"].contains(name) {
      return ["O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC", "O_APPEND", "O_TMPFILE"].contains { call.contains($0) }
        && !call.contains("/dev/null") && !call.contains("ENOENT")
    }
    return [
      "creat", "mkdir", "mkdirat", "mknod", "mknodat", "rename", "renameat", "renameat2", "link", "linkat", "symlink",
      "symlinkat", "unlink", "unlinkat", "rmdir", "utime", "utimes", "futimesat", "utimensat", "truncate", "ftruncate",
      "chmod", "fchmod", "fchmodat", "chown", "lchown", "fchownat", "setxattr", "lsetxattr", "fallocate",
      "memfd_create",
    ].contains { name == $0 }
  }
}
