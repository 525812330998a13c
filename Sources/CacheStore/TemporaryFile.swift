import Platform

/// A file that is being written for the store. If the file system allows that, it has no name, so that a writer that is
/// killed leaves nothing behind. Otherwise it is locked for as long as it has a temporary name, and is removed when
/// this value is destroyed.
///
/// The lock tells a living writer from a dead one, whose file a later run removes, so no age has to be guessed. If
/// locks do not work, the files of dead writers stay.
struct TemporaryFile: ~Copyable {
  let file: OwnedDescriptor
  /// The directory of the temporary name. If it is `nil`, so is `name`.
  private var directory: OwnedDescriptor?
  private var name: Path?

  /// - Parameter isNamed: whether the file has a temporary name from the start, as on file systems without unnamed
  ///   files. Tests pass `true`, to get that where there are unnamed files.
  init(in store: borrowing WritableStore, isNamed: Bool = false) throws(Errno) {
    if !isNamed, let unnamed = store.temporaries.openNameable(mode: .privateFile) {
      file = unnamed
      directory = nil
      name = nil
    } else {
      let temporaries = try store.temporaries.duplicate()
      let made = try Self.create(in: temporaries)
      file = OwnedDescriptor(owning: made.number)
      directory = consume temporaries
      name = made.name
    }
  }

  deinit {
    if let name { try? directory?.unlink(name) }
  }

  /// Sets the mode of the written file and, if asked to, synchronizes it. It is called before the file gets its name.
  ///
  /// - Parameter durable: whether the content is on the disk when this returns.
  /// - Returns: the size of the file.
  func seal(durable: Bool) throws(Errno) -> Int64 {
    let status = try file.status()
    // The umask may have taken permissions away, even from the owner.
    if status.mode != .privateFile { try file.setMode(.privateFile) }
    if durable { try file.synchronize() }
    return status.size
  }

  /// Reports a delayed write that failed, which shows when a descriptor is closed. The original descriptor keeps the
  /// lock until the file has its name, so that nobody regards its writer as dead.
  private func checkClosing() throws(Errno) {
    try file.duplicate().close()
  }

  /// Gives the sealed file its final name, unless something has that already.
  ///
  /// - Parameter durable: whether the name is on the disk before this returns.
  /// - Returns: whether the file has the name now: false if something else has it, or if this file has a temporary
  ///   name, from which it can only be renamed (see `replace`).
  func linkIfAbsent(as name: Path, in directory: borrowing OwnedDescriptor, durable: Bool) throws(Errno) -> Bool {
    guard self.name == nil else { return false }
    try checkClosing()
    do throws(Errno) {
      try directory.link(unnamed: file, to: name)
    } catch {
      guard error == .fileExists else { throw error }
      return false
    }
    if durable { try makeLast(name, in: directory) }
    return true
  }

  /// Gives the sealed file its final name, and replaces what has that, if anything has.
  ///
  /// - Parameters:
  ///   - status: the only file that may be replaced, at that length. If that file is no longer there as it was, nothing
  ///     happens. `nil` allows whatever is there.
  ///   - durable: whether the name is on the disk before this returns.
  /// - Returns: whether the file has the name; always true if `status` is `nil`. If false, the call may be repeated.
  @discardableResult
  mutating func replace(
    _ name: Path, ifStill status: FileStatus? = nil, in directory: borrowing OwnedDescriptor,
    of store: borrowing WritableStore, durable: Bool
  ) throws(Errno) -> Bool {
    let temporary = try temporaryName(in: store)
    try checkClosing()
    // No system call compares and renames. What another run does between the next two calls is undone.
    if let status, try !directory.holds(status, as: name) { return false }
    try store.temporaries.rename(temporary, to: name, in: directory)
    self.name = nil
    if durable { try makeLast(name, in: directory) }
    return true
  }

  /// Makes the file's name durable, or removes it again: a caller that gets an error assumes that there is no such
  /// file.
  private func makeLast(_ name: Path, in directory: borrowing OwnedDescriptor) throws(Errno) {
    do throws(Errno) {
      try directory.synchronizeNames()
    } catch {
      // Another run may have put its own file there.
      if let status = try? file.status(), (try? directory.holds(status, as: name)) ?? false {
        try? directory.unlink(name)
      }
      throw error
    }
  }

  private mutating func temporaryName(in store: borrowing WritableStore) throws(Errno) -> Path {
    if let name { return name }
    // Locked before it has a name by which another run could find it and remove it.
    guard try Self.tryLock(file) else { throw .wouldBlock }
    directory = try store.temporaries.duplicate()
    let fresh = try Path.fresh(prefix: "", bytes: 16) { (fresh) throws(Errno) in
      try store.temporaries.link(unnamed: file, to: fresh)
    }
    name = fresh
    return fresh
  }

  /// Seals the file and gives it its final name, unless something has that already.
  ///
  /// - Parameter durable: whether content and name are on the disk before this returns.
  /// - Throws: `.fileExists` if something has the name.
  consuming func publishIfAbsent(
    as name: Path, in store: borrowing WritableStore, durable: Bool
  ) throws(Errno) {
    _ = try seal(durable: durable)
    if let temporary = self.name {
      do throws(Errno) {
        try store.temporaries.link(temporary, to: name, in: store.version)
      } catch {
        // A file system without hard links may have the call that renames without replacing, which not every other has.
        guard error == .notPermitted || error == .notSupported else { throw error }
        try store.temporaries.rename(temporary, toFree: name, in: store.version)
        self.name = nil
      }
    } else {
      try store.version.link(unnamed: file, to: name)
    }
    if durable { try store.version.synchronizeNames() }
  }

  // MARK: Creating

  private static func create(
    in directory: borrowing OwnedDescriptor
  ) throws(Errno) -> (number: Int32, name: Path) {
    var number: Int32 = -1
    let name = try Path.fresh(prefix: "", bytes: 16) { (name) throws(Errno) in
      let file = try directory.open(name, [.readWrite, .create, .exclusive, .noFollow], mode: .privateFile)
      do throws(Errno) {
        try file.setMode(.privateFile)
        // Treated like a name that is taken: another one is tried.
        guard try lockUnlessRemoved(file) else { throw .fileExists }
      } catch {
        try? directory.unlink(name)
        throw error
      }
      number = file.released()
    }
    return (number, name)
  }

  /// Locks a new file. Between its creation and this lock, another run may have regarded it as a dead writer's, and
  /// removed it.
  ///
  /// - Returns: whether the file is locked and still has its name.
  private static func lockUnlessRemoved(_ file: borrowing OwnedDescriptor) throws(Errno) -> Bool {
    guard try tryLock(file) else { return false }
    return try file.status().linkCount > 0
  }

  private static func tryLock(_ file: borrowing OwnedDescriptor) throws(Errno) -> Bool {
    do throws(Errno) {
      return try file.tryLock()
    } catch {
      guard locksAreMissing(error) else { throw error }
      return true
    }
  }

  private static func locksAreMissing(_ error: Errno) -> Bool {
    error == .noLocks || error == .notSupported || error == .invalidArgument || error == .noSuchCall
  }

  // MARK: Reaping

  /// Removes the files of dead writers.
  ///
  /// Lists a directory that holds nothing but files that are being written. Ends early if there are many of them.
  static func removeOrphans(in store: borrowing WritableStore) {
    guard let directory = try? Directory(reopening: store.temporaries) else { return }
    var living = 0
    // The next run that stores tries again what fails here.
    try? directory.forEachName { name, _ in
      if !removeOrphan(name, in: directory) { living += 1 }
      return living < maximumLiving
    }
  }

  /// - Returns: whether the writer is dead.
  private static func removeOrphan(_ name: Path, in directory: borrowing Directory) -> Bool {
    guard let file = try? directory.open(name, [.readWrite, .noFollow, .nonBlocking]),
      (try? file.tryLock()) ?? false
    else { return false }
    try? directory.unlink(name)
    // Locked until it is unlinked: a writer that has just created the file could otherwise lock it and find it still
    // linked.
    _ = consume file
    return true
  }

  /// If this many writers are alive, one of them removes the orphans.
  private static let maximumLiving = 16
}

extension OwnedDescriptor {
  /// Whether a name in this directory still stands for that file, and nothing has been appended to it.
  fileprivate func holds(_ status: FileStatus, as name: Path) throws(Errno) -> Bool {
    do throws(Errno) {
      let found = try self.status(of: name, followingLinks: false)
      return found.isSameFile(as: status) && found.size == status.size
    } catch {
      guard error == .noSuchFile else { throw error }
      return false
    }
  }
}
