import Foundation
import Platform

/// A directory for one test, removed with everything in it at its end.
struct Scratch: ~Copyable {
  let url: URL
  let directory: Directory

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "garner-platform-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    directory = try Directory(Path(url.path(percentEncoded: false))!)
  }

  deinit {
    try? FileManager.default.removeItem(at: url)
  }

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

  /// Two ends of a pipe.
  static func pipe() -> (reading: Descriptor, writing: Descriptor) {
    var numbers: [Int32] = [0, 0]
    precondition(Foundation.pipe(&numbers) == 0)
    return (Descriptor(rawValue: numbers[0]), Descriptor(rawValue: numbers[1]))
  }
}
