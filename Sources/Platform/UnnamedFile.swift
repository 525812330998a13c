extension OpenDescriptor where Self: ~Copyable {
  /// Opens a new file for reading and writing that is gone with its last descriptor.
  ///
  /// - Parameter directory: in whose file system it is.
  package func openUnnamed(in directory: Path) throws(Errno) -> OwnedDescriptor {
    if let file = try? open(directory, [.unnamed, .readWrite], mode: .privateFile) { return file }
    // Not every file system has such files.
    var opened: Int32 = -1
    let name = try Path.fresh { (name) throws(Errno) in
      let path = directory.appending(name)
      opened = try open(path, [.readWrite, .create, .exclusive, .noFollow], mode: .privateFile).released()
    }
    let file = OwnedDescriptor(owning: opened)
    try unlink(directory.appending(name))
    return file
  }

  /// Opens a new file for reading and writing in this directory that can be given a name by `link(unnamed:to:)`.
  ///
  /// - Returns: `nil` where that is impossible.
  package func openNameable(mode: FileMode = .newFile) -> OwnedDescriptor? {
    guard areNameable else { return nil }
    return try? open(here, .unnamed.union(.readWrite), mode: mode)
  }
}

private let here: Path = "."

/// Without /proc no file can be given its first name; asked for once, however many files there are.
private let areNameable = Descriptor.workingDirectory.isWritable("/proc/self/fd")
