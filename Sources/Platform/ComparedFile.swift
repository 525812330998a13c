import Glibc

/// A file that may already hold what is about to be written to it. It is read alongside the new bytes, and if all are
/// the same, nothing is written.
package final class ComparedFile {
  private let path: Path
  private let isFollowed: Bool
  private let file: OwnedDescriptor
  private let status: FileStatus
  private var offset: Int64 = 0
  private let window = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 4_096)

  /// - Parameters:
  ///   - length: the length of the new content, in bytes.
  ///   - collision: what an `AtomicFile` of this path would do.
  /// - Returns: `nil` if there is no file of this length, or none that an `AtomicFile` would leave alone.
  package init?(_ path: Path, length: UInt64, collision: AtomicFile.Collision) {
    guard collision != .number, OutputPath.descriptor(namedBy: path) == nil,
      let (finalPath, found) = Self.look(for: path, followingLinks: collision == .replace),
      found.kind == .regular, found.size == Int64(clamping: length),
      collision != .replace || Descriptor.workingDirectory.isWritable(finalPath),
      let file = try? Descriptor.workingDirectory.open(finalPath, [.readOnly, .noFollow, .nonBlocking]),
      (try? file.status()) == found
    else { return nil }
    self.path = path
    isFollowed = collision == .replace
    self.file = file
    status = found
  }

  deinit { window.deallocate() }

  private static func look(for path: Path, followingLinks: Bool) -> (finalPath: Path, status: FileStatus)? {
    let directory = Descriptor.workingDirectory
    if followingLinks {
      let found = try? OutputPath.followingLinks(path, relativeTo: directory)
      return found.flatMap { found in found.status.map { (found.finalPath, $0) } }
    }
    guard let status = try? directory.status(of: path, followingLinks: false) else { return nil }
    return (path, status)
  }

  /// Whether the next bytes of the file are these.
  package func matches(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var rest = bytes
    while let mine = rest.baseAddress, rest.count > 0 {
      let theirs = UnsafeMutableRawBufferPointer(rebasing: window[..<min(rest.count, window.count)])
      guard (try? file.readFully(into: theirs, at: offset)) == theirs.count,
        memcmp(mine, theirs.baseAddress.unsafelyUnwrapped, theirs.count) == 0
      else { return false }
      offset += Int64(theirs.count)
      rest = UnsafeRawBufferPointer(rebasing: rest[theirs.count...])
    }
    return true
  }

  /// Whether the whole file has been compared, and nobody has written to it or replaced it since it was opened.
  package var isSame: Bool {
    offset == status.size && (try? file.status()) == status
      && Self.look(for: path, followingLinks: isFollowed)?.status == status
  }

  /// Sets the time of the file, if the user may set it.
  package func setModified(_ time: WallTime) { try? file.setModified(time) }

  /// Its length, in bytes.
  package var length: UInt64 { UInt64(clamping: status.size) }
}
