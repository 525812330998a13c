import Glibc

/// The name of a file, relative or absolute: bytes without NUL, as the kernel takes them.
package struct Path: Hashable, Sendable, CustomStringConvertible {
  private let terminated: [UInt8]

  /// - Returns: `nil` if `bytes` is empty or holds a NUL: no file can have such a name.
  package init?(_ bytes: consuming [UInt8]) {
    guard bytes.withUnsafeBytes(Self.isName) else { return nil }
    bytes.append(0)
    terminated = bytes
  }

  package init?(_ bytes: ArraySlice<UInt8>) {
    guard bytes.withUnsafeBytes(Self.isName) else { return nil }
    var terminated: [UInt8] = []
    terminated.reserveCapacity(bytes.count + 1)
    terminated += bytes
    terminated.append(0)
    self.terminated = terminated
  }

  private static func isName(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let start = bytes.baseAddress, !bytes.isEmpty else { return false }
    return memchr(start, 0, bytes.count) == nil
  }

  package init?(_ text: String) {
    self.init(Array(text.utf8))
  }

  private init(terminated: [UInt8]) {
    self.terminated = terminated
  }

  /// The absolute path of this process's working directory; `nil` if that has been removed (getcwd).
  package static var workingDirectory: Path? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
      guard let start = getcwd(buffer.baseAddress, buffer.count) else { return nil }
      return Path(Array(UnsafeRawBufferPointer(start: start, count: strlen(start))))
    }
  }

  package var bytes: ArraySlice<UInt8> { terminated.dropLast() }

  package var isAbsolute: Bool { terminated[0] == Path.separator }

  /// The path as text for users: bytes that are not UTF-8 become replacement characters.
  package var description: String { String(decoding: bytes, as: UTF8.self) }

  /// This path, a separator, and `relative`.
  package func appending(_ relative: Path) -> Path {
    var joined = Array(bytes)
    if joined.last != Path.separator { joined.append(Path.separator) }
    return Path(terminated: joined + relative.terminated)
  }

  /// This path with `text` behind its last byte; NULs are left out.
  package func extended(by text: some Sequence<UInt8>) -> Path {
    Path(terminated: bytes + text.filter { $0 != 0 } + [0])
  }

  /// The non-empty parts between separators.
  package var components: [Path] {
    var components: [Path] = []
    var rest = bytes
    while !rest.isEmpty {
      let end = rest.firstIndex(of: Path.separator) ?? rest.endIndex
      if let component = Path(rest[..<end]) { components.append(component) }
      rest = rest[end...].dropFirst()
    }
    return components
  }

  /// The directory that holds the last component: "." if the path has one component only.
  package var parent: Path {
    let end = bytes.lastIndex { $0 != Path.separator } ?? 0
    guard let separator = bytes[...end].lastIndex(of: Path.separator) else { return "." }
    guard let last = bytes[..<separator].lastIndex(where: { $0 != Path.separator }) else { return "/" }
    return Path(terminated: bytes[...last] + [0])
  }

  /// The last component: `nil` for "/", and for a path that ends in a separator and so can only be a directory.
  package var lastComponent: Path? {
    guard let separator = bytes.lastIndex(of: Path.separator) else { return self }
    return Path(bytes[(separator + 1)...])
  }

  package func hasPrefix(_ prefix: StaticString) -> Bool {
    prefix.withUTF8Buffer { bytes.starts(with: $0) }
  }

  func withCString<Result: ~Copyable, Failure: Error>(
    _ body: (UnsafePointer<CChar>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try terminated.span.bytes.withUnsafeBytes { (buffer) throws(Failure) in
      try body(buffer.bindMemory(to: CChar.self).baseAddress.unsafelyUnwrapped)
    }
  }

  private static let separator = UInt8(ascii: "/")
}

extension Path: ExpressibleByStringLiteral {
  /// For names written in the source.
  ///
  /// - Precondition: the literal is not empty and holds no NUL.
  package init(stringLiteral value: StaticString) {
    let bytes = value.withUTF8Buffer { Array($0) }
    precondition(!bytes.isEmpty && !bytes.contains(0), "a path is not empty and holds no NUL")
    self.init(terminated: bytes + [0])
  }
}
