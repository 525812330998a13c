import CTestSupport
import Glibc
import TestSupport

/// A home for runs of the tool, with a store that can be saved and restored.
final class Sandbox {
  private enum Node {
    case directory(String, mode_t)
    case file(String, mode_t, [UInt8])
  }

  let home: TemporaryDirectory
  let store: String
  /// The path of the file that `@out` stands for.
  let output: String
  private let outputDirectory: String
  private let cacheDirectory: String
  private let logHome: TemporaryDirectory
  private let log: Int32
  private let logPath: String
  private var saved: [Node] = []

  private let proxy: String

  init(proxy: String) throws {
    self.proxy = proxy
    home = try TemporaryDirectory("torture")
    logHome = try TemporaryDirectory("torture-log")
    cacheDirectory = home.path("cache")
    store = "\(cacheDirectory)/garner"
    outputDirectory = home.path("out")
    output = "\(outputDirectory)/file"
    logPath = try logHome.write("", to: "log")
    log = try checked("open \(logPath)", open(logPath, O_RDWR | O_CLOEXEC))
  }

  deinit { close(log) }

  // MARK: The store

  func clear() throws {
    removeTree(at: cacheDirectory)
    removeTree(at: outputDirectory)
    // The backup that `Tampering.linked` makes.
    removeTree(at: home.path("backup"))
    try home.makeDirectory("out")
  }

  func save() throws {
    saved = []
    try save(cacheDirectory)
  }

  private func save(_ path: String) throws {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    let mode = status.st_mode & 0o7777
    guard status.st_mode & S_IFMT == S_IFDIR else {
      return saved.append(.file(path, mode, try readFile(path)))
    }
    saved.append(.directory(path, mode))
    for name in namesInDirectory(path) { try save("\(path)/\(name)") }
  }

  func restore(_ tampering: Scenario.Tampering) throws {
    try clear()
    for node in saved {
      switch node {
      case .directory(let path, let mode):
        try checked("mkdir \(path)", mkdir(path, mode))
      case .file(let path, let mode, let bytes):
        try writeFile(path, bytes)
        try checked("chmod \(path)", chmod(path, mode))
      }
    }
    for entry in entries { try apply(tampering, to: entry) }
  }

  /// The paths of all files that hold entries.
  var entries: [String] {
    filesBelow("\(store)/v1").filter { path in
      let parts = path.dropFirst(store.utf8.count).split(separator: "/")
      return parts.count == 3 && parts[1].utf8.count == 2
    }
  }

  private func apply(_ tampering: Scenario.Tampering, to entry: String) throws {
    switch tampering {
    case .none: return
    case .aged:
      // 2001-09-09T01:46:40Z.
      let past = timespec(tv_sec: 1_000_000_000, tv_nsec: 0)
      try checked("utimensat", utimensat(AT_FDCWD, entry, [past, past], 0))
    case .remains: try writeFile(entry, try readFile(entry) + Array("HEAD".utf8))
    case .linked:
      mkdir(home.path("backup"), 0o700)
      let name = entry.split(separator: "/").last ?? ""
      try checked("link", link(entry, home.path("backup/\(name)")))
    }
    // A file that was written again has the mode that the umask gave it.
    try checked("chmod", chmod(entry, 0o600))
  }

  /// Whether there are temporary files, of living or dead writers.
  var hasTemporaries: Bool { !namesInDirectory("\(store)/v1/tmp").isEmpty }

  // MARK: Runs

  /// How the preloaded library is to behave.
  enum Shim {
    case absent
    /// The library logs the calls.
    case counting
    case injecting(String)
  }

  func run(_ arguments: [String], _ shim: Shim = .absent) throws -> ToolResult {
    var run = ToolRun(arguments, home: home)
    run.environment["http_proxy"] = proxy
    run.timeLimitMilliseconds = Self.timeLimitMilliseconds
    if case .absent = shim { return try run.run() }
    ftruncate(log, 0)
    run.environment["LD_PRELOAD"] = BuiltTool.faultShimPath
    run.environment["GARNER_FAULT_STORE"] = store
    run.environment["GARNER_FAULT_LOG"] = logPath
    if case .injecting(let plan) = shim { run.environment["GARNER_FAULT_PLAN"] = plan }
    let result = try run.run()
    if case .injecting = shim { try waitForDetachedProcess() } else { waitForLog() }
    return result
  }

  /// The lines that the library has written to its log.
  func logLines() throws -> [Substring] {
    String(decoding: try readFile(logPath), as: UTF8.self).split(separator: "\n")
  }

  /// Waits for a process that the run has detached. The library locks its log, and a detached process holds that lock,
  /// too. A killed process releases its locks one by one, maybe this one first: therefore this also waits until the
  /// process that met the fault is gone.
  private func waitForDetachedProcess() throws {
    waitForLog()
    let lines = try logLines()
    guard lines.count == 1, let number = lines[0].split(separator: " ").last.flatMap({ Int32($0) }) else { return }
    let watched = testSupportWatchProcess(number)
    guard watched >= 0 else { return }
    var ending = pollfd(fd: watched, events: Int16(POLLIN), revents: 0)
    poll(&ending, 1, Int32(Self.timeLimitMilliseconds))
    close(watched)
  }

  private func waitForLog() {
    while flock(log, LOCK_EX) < 0, errno == EINTR {}
    flock(log, LOCK_UN)
  }

  /// A run takes some milliseconds. One that takes this long, even on a busy machine, hangs.
  private static let timeLimitMilliseconds = 20_000
}
