extension OpenDescriptor where Self: ~Copyable {
  /// Opens a new file for reading and writing that is gone with its last descriptor.
  ///
  /// - Parameter directory: a directory of the file system that the file is created in.
  package func openUnnamed(in directory: Path) throws(Errno) -> OwnedDescriptor {
    if let file = try? open(directory, [.unnamed, .readWrite], mode: .privateFile) { return file }
    // Not every file system supports unnamed files.
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
  /// - Returns: `nil` if that is impossible.
  package func openNameable(mode: FileMode) -> OwnedDescriptor? {
    guard areNameable else { return nil }
    return try? open(here, .unnamed.union(.readWrite), mode: mode)
  }
}

private let here: Path = "."

/// Whether an unnamed file can be given a name, which takes /proc. It is checked once, for any number of files.
private let areNameable = Descriptor.workingDirectory.isWritable("/proc/self/fd")
