import Glibc
import Platform
import TestSupport

/// A directory for one test, removed with its content at the end.
struct Scratch: ~Copyable {
  let directory: Directory
  private let temporary: TemporaryDirectory

  /// Whether the file system can create files that have no name yet.
  static let hasUnnamedFiles = (try? opensUnnamedFile()) ?? false

  private static func opensUnnamedFile() throws -> Bool {
    let opened = try Scratch().directory.openNameable(mode: .privateFile)
    return opened != nil
  }

  init() throws {
    let temporary = try TemporaryDirectory("platform")
    // Tests that run as root act as other users, which need access.
    chmod(temporary.path, 0o755)
    directory = try Directory(Path(temporary.path)!)
    self.temporary = temporary
  }

  func path(_ name: String) -> String { temporary.path(name) }

  func write(_ text: String, to name: Path, mode: FileMode = .newFile) throws {
    let file = try directory.open(name, [.writeOnly, .create])
    try file.truncate(to: 0)
    try file.writeAll(Array(text.utf8))
    try file.setMode(mode)
  }

  func text(_ name: Path) throws -> String {
    let file = try directory.open(name, [.readOnly])
    return String(decoding: try file.readBytes(limit: 1 << 20), as: UTF8.self)
  }

  func names() throws -> [String] {
    try directory.names().map(\.description).sorted()
  }
}
