import CPlatform

/// An open directory. Names relative to it stay valid when the directory is renamed.
package struct Directory: ~Copyable, OpenDescriptor, Sendable {
  private let descriptor: OwnedDescriptor

  package var rawValue: Int32 { descriptor.rawValue }

  /// - Parameter followingLinks: whether `path` itself may be a symbolic link.
  /// - Throws: `.notDirectory` for anything else, also for a link that is not to be followed.
  package init(
    _ path: Path, in parent: borrowing some OpenDescriptor & ~Copyable, followingLinks: Bool = true
  ) throws(Errno) {
    descriptor = try parent.open(path, followingLinks ? .directory : .directory.union(.noFollow))
  }

  package init(_ path: Path, followingLinks: Bool = true) throws(Errno) {
    try self.init(path, in: Descriptor.workingDirectory, followingLinks: followingLinks)
  }

  /// Locks the directory as a whole for as long as this value lives. The lock excludes only those who ask for it, too.
  ///
  /// The corresponding C function is `flock`.
  ///
  /// - Returns: false if the lock is taken.
  /// - Throws: an error if the file system has no such locks for directories.
  package func tryLockWhole() throws(Errno) -> Bool {
    do throws(Errno) {
      _ = try retryingOnInterrupt { cplatform_lock_whole(rawValue) }
      return true
    } catch {
      if error == .wouldBlock { return false }
      throw error
    }
  }

  /// The names in the directory except "." and "..", in no particular order.
  package func names() throws(Errno) -> [Path] {
    var names: [Path] = []
    try forEachName { name, _ in
      names.append(name)
      return true
    }
    return names
  }

  /// Calls `body` with each name except "." and "..", and its kind (`.unknown` if the file system does not tell), until
  /// it returns false. The corresponding C function is `getdents64`.
  package func forEachName(_ body: (Path, FileStatus.Kind) -> Bool) throws(Errno) {
    // Listing uses a file description of its own, because this one's position is shared by all users of the
    // description.
    let listed = try open(".", [.directory])
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.bufferBytes, alignment: 8)
    defer { buffer.deallocate() }
    while true {
      let count = try checked(cplatform_directory_entries(listed.rawValue, buffer.baseAddress, buffer.count))
      if count == 0 { return }
      var records = UnsafeRawBufferPointer(rebasing: buffer[..<Int(count)])
      while let record = Record(at: &records) {
        guard let name = record.name else { continue }
        guard body(name, record.kind) else { return }
      }
    }
  }

  /// Room for some 1,000 entries per call.
  private static let bufferBytes = 32_768
}

/// One `linux_dirent64`: inode (8 bytes), offset (8), length of the record (2), type (1), name, NUL.
private struct Record {
  /// `nil` for "." and "..".
  let name: Path?
  let kind: FileStatus.Kind

  init?(at records: inout UnsafeRawBufferPointer) {
    guard records.count > Self.nameOffset else { return nil }
    let length = Int(records.loadUnaligned(fromByteOffset: 16, as: UInt16.self))
    guard length > Self.nameOffset, length <= records.count else { return nil }
    kind = FileStatus.Kind(directoryType: Int(records[18]))
    let bytes = records[Self.nameOffset..<length].prefix { $0 != 0 }
    let isDot = bytes.allSatisfy { $0 == UInt8(ascii: ".") } && bytes.count <= 2
    name = isDot ? nil : Path(Array(bytes))
    records = UnsafeRawBufferPointer(rebasing: records[length...])
  }

  private static let nameOffset = 19
}
