package import Glibc

/// A directory that is removed, with all files in it, when the last reference to this object goes away.
package final class TemporaryDirectory: Sendable {
  package let path: String

  /// - Throws: where no directory can be made in `$TMPDIR`, or else `/tmp`.
  package init(_ purpose: String = "test") throws(SystemFailure) {
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(parent)/garner-\(purpose)-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw SystemFailure("mkdtemp") }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  deinit {
    removeTree(at: path)
  }

  /// The path of a name in this directory.
  package func path(_ name: String) -> String { "\(path)/\(name)" }

  /// Makes a directory in this one.
  ///
  /// - Returns: its path.
  @discardableResult
  package func makeDirectory(_ name: String, mode: mode_t = 0o700) throws(SystemFailure) -> String {
    let made = path(name)
    try checked("mkdir \(made)", mkdir(made, mode))
    // The umask of the test process must not decide.
    try checked("chmod \(made)", chmod(made, mode))
    return made
  }

  /// Writes a file in this directory.
  ///
  /// - Returns: its path.
  @discardableResult
  package func write(_ bytes: [UInt8], to name: String) throws(SystemFailure) -> String {
    try writeFile(path(name), bytes)
    return path(name)
  }

  /// Writes a text in this directory.
  ///
  /// - Returns: its path.
  @discardableResult
  package func write(_ text: String, to name: String) throws(SystemFailure) -> String {
    try write(Array(text.utf8), to: name)
  }

  /// The bytes of a file in this directory.
  package func read(_ name: String) throws(SystemFailure) -> [UInt8] { try readFile(path(name)) }
}

/// The bytes of a file.
package func readFile(_ path: String) throws(SystemFailure) -> [UInt8] {
  let descriptor = try checked("open \(path)", open(path, O_RDONLY | O_CLOEXEC))
  defer { close(descriptor) }
  return try readAll(descriptor, path)
}

/// Reads a descriptor to its end.
package func readAll(_ descriptor: Int32, _ name: String) throws(SystemFailure) -> [UInt8] {
  var bytes: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 1 << 16)
  while true {
    let count = read(descriptor, &buffer, buffer.count)
    if count < 0, errno == EINTR { continue }
    try checked("read \(name)", count)
    if count == 0 { return bytes }
    bytes.append(contentsOf: buffer[..<count])
  }
}

/// Writes a file of mode 0644, or overwrites an existing one.
package func writeFile(_ path: String, _ bytes: [UInt8]) throws(SystemFailure) {
  let descriptor = try checked("open \(path)", open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644))
  defer { close(descriptor) }
  try writeAll(bytes, to: descriptor, path)
}

/// Writes every byte to a descriptor.
package func writeAll(_ bytes: [UInt8], to descriptor: Int32, _ name: String) throws(SystemFailure) {
  var offset = 0
  while offset < bytes.count {
    offset += try checked(
      "write \(name)", bytes[offset...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) })
  }
}

/// The names in a directory except `.` and `..`, sorted; none where there is no such directory.
package func namesInDirectory(_ path: String) -> [String] {
  namesInDirectory(Array(path.utf8CString)).map { name in
    String(decoding: name.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
  .sorted()
}

/// Returns the names as C strings, because a name need not be UTF-8.
private func namesInDirectory(_ path: [CChar]) -> [[CChar]] {
  guard let stream = opendir(path) else { return [] }
  defer { closedir(stream) }
  var names: [[CChar]] = []
  while let entry = readdir(stream) {
    let name = withUnsafePointer(to: &entry.pointee.d_name) {
      $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) {
        Array(UnsafeBufferPointer(start: $0, count: strlen($0) + 1))
      }
    }
    if strcmp(name, ".") != 0, strcmp(name, "..") != 0 { names.append(name) }
  }
  return names
}

/// The paths of all regular files below a directory, in order.
package func filesBelow(_ path: String) -> [String] {
  var files: [String] = []
  for name in namesInDirectory(path) {
    var status = stat()
    let inner = "\(path)/\(name)"
    guard lstat(inner, &status) == 0 else { continue }
    if status.st_mode & S_IFMT == S_IFDIR {
      files += filesBelow(inner)
    } else if status.st_mode & S_IFMT == S_IFREG {
      files.append(inner)
    }
  }
  return files
}

/// Removes a file, or a directory with all files in it. Does nothing where there is none.
package func removeTree(at path: String) { removeTree(at: Array(path.utf8CString)) }

private func removeTree(at path: [CChar]) {
  var status = stat()
  guard lstat(path, &status) == 0 else { return }
  if status.st_mode & S_IFMT == S_IFDIR {
    // A test may have left a directory that not even its owner can list.
    chmod(path, 0o700)
    for name in namesInDirectory(path) {
      removeTree(at: path.dropLast() + [CChar(bitPattern: UInt8(ascii: "/"))] + name)
    }
    rmdir(path)
  } else {
    unlink(path)
  }
}
