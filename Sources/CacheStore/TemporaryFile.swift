import Platform

/// A file that is being written for the store: without a name where the file system can do that, so that nothing is
/// left of a writer that is killed; else locked for as long as it has a temporary one, and removed when it is let go.
///
/// The lock tells a living writer from a dead one, whose file a later run removes: no age has to be guessed. Where
/// locks do not work, files of dead writers stay.
struct TemporaryFile: ~Copyable {
  let file: OwnedDescriptor
  /// Where it has its temporary name; `nil` where it has none, and then `name` is `nil`, too.
  private var directory: OwnedDescriptor?
  private var name: Path?

  /// - Parameter isNamed: whether it has a temporary name at once, as where there are no files without one.
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

  /// Makes sure of what has been written; to be called before the file gets its name.
  ///
  /// - Parameter durable: whether the content is on the disk when this returns.
  /// - Returns: the size of the file.
  func seal(durable: Bool) throws(Errno) -> Int64 {
    let status = try file.status()
    // The umask can have taken something away, even from the owner.
    if status.mode != .privateFile { try file.setMode(.privateFile) }
    if durable { try file.synchronize() }
    return status.size
  }

  /// A delayed write that failed shows when a descriptor is closed; the other one keeps the lock until the file has its
  /// name, so that nobody takes its writer for dead.
  private func checkClosing() throws(Errno) {
    try file.duplicate().close()
  }

  /// Gives the sealed file its final name, unless something has that.
  ///
  /// - Parameter durable: whether the name is on the disk before this returns.
  /// - Returns: whether it has it now; not where something else has it, nor where the file has a name to be renamed
  ///   from: only renaming replaces.
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

  /// Gives the sealed file its final name, replacing what had it, if anything had.
  ///
  /// - Parameters:
  ///   - status: the file that alone may be replaced, at that length; where it is not there any more as it was, nothing
  ///     happens. `nil` for whatever is there.
  ///   - durable: whether the name is on the disk before this returns.
  /// - Returns: whether it has the name; always, where whatever is there may be replaced. If not, it may be tried
  ///   again.
  @discardableResult
  mutating func replace(
    _ name: Path, ifStill status: FileStatus? = nil, in directory: borrowing OwnedDescriptor,
    of store: borrowing WritableStore, durable: Bool
  ) throws(Errno) -> Bool {
    let temporary = try temporaryName(in: store)
    try checkClosing()
    // No call compares and renames: what another run does between the next two is undone.
    if let status, try !directory.holds(status, as: name) { return false }
    try store.temporaries.rename(temporary, to: name, in: directory)
    self.name = nil
    if durable { try makeLast(name, in: directory) }
    return true
  }

  /// Sees to it that the file keeps its name whatever happens, or takes that away again: who is told of the error takes
  /// it that there is none.
  private func makeLast(_ name: Path, in directory: borrowing OwnedDescriptor) throws(Errno) {
    do throws(Errno) {
      try directory.synchronizeNames()
    } catch {
      // Another run may have put its own there.
      if let status = try? file.status(), (try? directory.holds(status, as: name)) ?? false {
        try? directory.unlink(name)
      }
      throw error
    }
  }

  private mutating func temporaryName(in store: borrowing WritableStore) throws(Errno) -> Path {
    if let name { return name }
    // Before it has a name by which a reaper could find it.
    guard try Self.tryLock(file) else { throw .wouldBlock }
    directory = try store.temporaries.duplicate()
    let fresh = try Path.fresh(behind: "", bytes: 16) { (fresh) throws(Errno) in
      try store.temporaries.link(unnamed: file, to: fresh)
    }
    name = fresh
    return fresh
  }

  /// Gives the file its final name where nothing has it.
  ///
  /// - Parameter durable: whether content and name are on the disk before this returns.
  /// - Throws: `.fileExists`
  consuming func publishIfAbsent(
    as name: Path, in store: borrowing WritableStore, durable: Bool
  ) throws(Errno) {
    _ = try seal(durable: durable)
    if let temporary = self.name {
      do throws(Errno) {
        try store.temporaries.link(temporary, to: name, in: store.version)
      } catch {
        // A file system without links, which may have the call that not every other has.
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
    let name = try Path.fresh(behind: "", bytes: 16) { (name) throws(Errno) in
      let file = try directory.open(name, [.readWrite, .create, .exclusive, .noFollow], mode: .privateFile)
      do throws(Errno) {
        try file.setMode(.privateFile)
        // As good as taken.
        guard try lockUnlessRemoved(file) else { throw .fileExists }
      } catch {
        try? directory.unlink(name)
        throw error
      }
      number = file.released()
    }
    return (number, name)
  }

  /// Between its creation and this lock, somebody may have taken the file for that of a dead writer, and removed it.
  ///
  /// - Returns: whether it has its name still, and is locked.
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

  /// Removes the files of writers that are dead.
  ///
  /// One listing of a directory that is empty but for files that are being written; it ends early where many are.
  static func removeOrphans(in store: borrowing WritableStore) {
    guard let directory = try? Directory(".", in: store.temporaries, followingLinks: false) else { return }
    var living = 0
    // Whatever fails here is tried again by the next run that stores.
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
    // Locked until it is unlinked: else its writer, if it has just been made, could lock it and find it linked.
    _ = consume file
    return true
  }

  /// With so many writers alive, one of them removes the orphans.
  private static let maximumLiving = 16
}

extension OwnedDescriptor {
  /// Whether a name in this directory stands for that file still, and nothing has been appended to it.
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
