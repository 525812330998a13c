import Platform

/// The store's directory, open and checked to be ours alone.
struct StoreRoot: ~Copyable {
  let directory: Directory
  /// The effective user's ID: every entry has to be this user's, too.
  let ownerID: UInt32

  /// - Returns: `nil` if there is no store.
  /// - Throws: `.unsafe` for a directory that another user owns or may write to, and for anything else in its place.
  static func open(_ root: Path) throws(StoreError) -> StoreRoot? {
    guard let directory = try openDirectory(withoutEndingSeparator(root)) else { return nil }
    let status = try storing(.openingStore) { () throws(Errno) in try directory.status() }
    guard status.userID == EffectiveUser.id else { throw .unsafe(.foreign(ownerID: status.userID)) }
    guard status.mode.isDisjoint(with: .writableByOthers) else { throw .unsafe(.writableByOthers(status.mode)) }
    return StoreRoot(directory: directory, ownerID: status.userID)
  }

  /// Whether the directory still exists and is ours alone.
  var isSound: Bool {
    guard let status = try? directory.status() else { return false }
    return status.linkCount > 0 && status.userID == ownerID && status.mode.isDisjoint(with: .writableByOthers)
  }

  /// - Parameters:
  ///   - home: a directory that is not created. A system user's HOME, such as /nonexistent, may be absent on purpose.
  ///   - durable: whether the names of new directories are on the disk before this returns, as far as their parents
  ///     can be read.
  static func openOrCreate(_ root: Path, home: Path?, durable: Bool) throws(StoreError) -> StoreRoot {
    if let opened = try open(root) { return opened }
    if let home, try storing(.creatingStore, { () throws(Errno) in try existing(home) }) == nil {
      throw .unsafe(.absentHome)
    }
    try createWithParents(withoutEndingSeparator(root), durable: durable)
    guard let created = try open(root) else { throw .failed(.creatingStore, .noSuchFile) }
    return created
  }

  /// Removes a separator from the end, with which a symbolic link would be followed.
  private static func withoutEndingSeparator(_ root: Path) -> Path {
    guard root.lastComponent == nil, let last = root.components.last else { return root }
    return root.parent.appending(last)
  }

  private static func createWithParents(_ path: Path, durable: Bool) throws(StoreError) {
    let parent = path.parent
    if let status = try storing(.creatingStore, { () throws(Errno) in try existing(parent) }) {
      guard mayHoldOurs(status) else { throw .unsafe(.foreignParent(ownerID: status.userID)) }
    } else {
      try createWithParents(parent, durable: durable)
    }
    try storing(.creatingStore) { () throws(Errno) in
      try createPrivateDirectory(path, in: Descriptor.workingDirectory)
      if durable { try synchronize(parent) }
    }
  }

  /// Synchronizes the names in a parent directory. One that cannot be read is skipped: creating a directory in it does
  /// not require that.
  private static func synchronize(_ parent: Path) throws(Errno) {
    guard let opened = try? Descriptor.workingDirectory.open(parent, [.directory]) else { return }
    try opened.synchronizeNames()
  }

  private static func existing(_ directory: Path) throws(Errno) -> FileStatus? {
    do throws(Errno) {
      return try Descriptor.workingDirectory.status(of: directory)
    } catch {
      if error == .noSuchFile { return nil }
      throw error
    }
  }

  /// Whether the effective user may create directories in a directory with this status. Root, with the HOME of another
  /// user, would create directories there that shut that user out for good; for anybody else, the modes decide. A
  /// sticky directory, such as /tmp, is for everybody.
  private static func mayHoldOurs(_ status: FileStatus) -> Bool {
    EffectiveUser.id != rootID || status.userID == rootID || !status.mode.isDisjoint(with: .sticky)
  }

  private static let rootID: UInt32 = 0

  private static func openDirectory(_ root: Path) throws(StoreError) -> Directory? {
    do throws(Errno) {
      return try Directory(root, followingLinks: false)
    } catch {
      if error == .noSuchFile { return nil }
      throw refusal(of: root, error)
    }
  }

  private static func refusal(of root: Path, _ error: Errno) -> StoreError {
    let status = try? Descriptor.workingDirectory.status(of: root, followingLinks: false)
    switch status?.kind {
    case .symbolicLink: return .unsafe(.symbolicLink)
    case .directory, nil: return .failed(.openingStore, error)
    default: return .unsafe(.notDirectory)
    }
  }
}

/// The directories of a store from which something is read or removed.
struct ReadableStore: ~Copyable {
  let root: StoreRoot
  let version: Directory

  /// - Returns: `nil` if nothing has been stored yet.
  init?(_ path: Path, for step: StoreError.Step) throws(StoreError) {
    guard let root = try StoreRoot.open(path) else { return nil }
    do throws(Errno) {
      version = try Directory(StoreLayout.version, in: root.directory, followingLinks: false)
    } catch {
      if error == .noSuchFile { return nil }
      throw .misplaced(StoreLayout.version, in: root.directory, nil, step, error)
    }
    self.root = root
  }
}

/// The directories of a store to which something is written.
struct WritableStore: ~Copyable {
  let root: StoreRoot
  let version: OwnedDescriptor
  let temporaries: OwnedDescriptor
  private let isDurable: Bool

  /// Creates what is missing.
  ///
  /// - Parameters:
  ///   - home: as in `Store`.
  ///   - durable: whether the name of each directory that is created, here or later, is on the disk before anything is
  ///     in the directory.
  init(_ path: Path, home: Path?, durable: Bool) throws(StoreError) {
    let root = try StoreRoot.openOrCreate(path, home: home, durable: durable)
    let version = try Self.directory(StoreLayout.version, in: root.directory, durable: durable)
    let temporaries = try Self.directory(StoreLayout.temporaries, in: version, StoreLayout.version, durable: durable) {
      // Only a new store lacks this directory.
      Self.leaveNotices(in: root.directory)
    }
    self.root = root
    self.version = version
    self.temporaries = temporaries
    isDurable = durable
  }

  /// Opens the directory of an entry, and creates it if it is missing.
  func shard(of name: EntryName) throws(StoreError) -> OwnedDescriptor {
    try Self.directory(name.shard, in: version, StoreLayout.version, durable: isDurable)
  }

  /// - Parameter place: the path of the parent, relative to the root.
  private static func directory(
    _ name: Path, in parent: borrowing some OpenDescriptor & ~Copyable, _ place: Path? = nil, durable: Bool,
    whenMade: () -> Void = {}
  ) throws(StoreError) -> OwnedDescriptor {
    do throws(Errno) {
      do throws(Errno) {
        return try parent.open(name, [.directory, .noFollow])
      } catch {
        guard error == .noSuchFile else { throw error }
        try createPrivateDirectory(name, in: parent)
        if durable { try parent.synchronizeNames() }
        whenMade()
        return try parent.open(name, [.directory, .noFollow])
      }
    } catch {
      throw .misplaced(name, in: parent, place, .writingEntry, error)
    }
  }

  /// Writes the notices, unless the root holds other things than the store, which backups must not skip.
  private static func leaveNotices(in root: borrowing Directory) {
    guard let names = try? root.names(), names == [StoreLayout.version] else { return }
    for notice in StoreLayout.notices {
      // The store works without them.
      guard let file = try? root.open(notice.name, [.writeOnly, .create, .exclusive, .noFollow], mode: .privateFile)
      else { continue }
      do throws(Errno) {
        try file.setMode(.privateFile)
        try file.writeAll(Array(notice.text.utf8))
      } catch {
        // An empty notice says nothing, and would stay.
        try? root.unlink(notice.name)
      }
    }
  }
}

extension StoreError {
  /// Returns why one of the store's directories cannot be opened.
  ///
  /// - Parameter place: the path of the parent, relative to the root; `nil` for the root.
  static func misplaced(
    _ name: Path, in parent: borrowing some OpenDescriptor & ~Copyable, _ place: Path?, _ step: Step,
    _ error: Errno
  ) -> StoreError {
    guard error == .tooManyLinks || error == .notDirectory else { return .failed(step, error) }
    let path = place?.appending(name) ?? name
    let isLink = (try? parent.status(of: name, followingLinks: false))?.kind == .symbolicLink
    return .unsafe(isLink ? .linkWithin(path) : .noDirectoryWithin(path))
  }
}

/// Creates a directory of mode 0700, whatever the umask. One that another process has created meanwhile will do.
private func createPrivateDirectory(
  _ path: Path, in parent: borrowing some OpenDescriptor & ~Copyable
) throws(Errno) {
  do throws(Errno) {
    try parent.createDirectory(path, mode: .privateDirectory)
  } catch {
    guard error == .fileExists else { throw error }
    return
  }
  let made = try parent.status(of: path, followingLinks: false)
  // The umask can only have taken permissions away from the owner.
  if made.kind == .directory, made.mode != .privateDirectory { try parent.setMode(of: path, to: .privateDirectory) }
}

/// Makes a call whose failure counts as that of a step.
func storing<Result: ~Copyable>(
  _ step: StoreError.Step, _ call: () throws(Errno) -> Result
) throws(StoreError) -> Result {
  do throws(Errno) {
    return try call()
  } catch {
    throw .failed(step, error)
  }
}
