/// A file that appears whole or not at all: written beside its final place, and renamed there by `commit()`.
///
/// Destroying the value without `commit()` abandons the new file: what was there before stays. If the file system has
/// unnamed files, not even a killed process leaves anything behind, with one exception: replacing a file takes two
/// calls, because Linux gives no unnamed file a name that is taken, and a process killed between them leaves a
/// temporary file. Nobody removes that file: the directory is the user's, and without a lock for each file nobody can
/// tell whose it is.
///
/// If `mayWriteOver` allows it, a file that the user may write to but not replace is overwritten in place, once all of
/// the content is known: a file that is a mount point, a file in a directory in which the user may create nothing, or a
/// file in a sticky directory that belongs to the directory's owner.
///
/// A target that is no regular file (a device, a FIFO, /dev/stdout) is written directly.
///
/// A symbolic link is written through to its target.
///
/// A link or file that another user has planted in a directory open to everybody is refused (`OutputPath.isPlanted`).
package struct AtomicFile: ~Copyable {
  // Not private: Swift 6.3.1 then hides the type's metadata from the release build of other modules, which destroy it.
  enum Form: ~Copyable {
    case direct(OwnedDescriptor)
    case staged(StagedFile)
  }

  /// What `commit()` does about a file that has the name already and holds something else.
  package enum Collision: Equatable, Sendable {
    case replace
    /// The existing file stays, and the new one is not published.
    case refuse
    /// The existing file stays, and the new one gets a number behind its name: `NAME.1` to `NAME.99` (`highestNumber`).
    case number
  }

  /// The result of `commit()`.
  package enum Publication: Equatable, Sendable {
    case published(as: Path)
    /// The file of that name already held exactly these bytes, and its content was left unchanged.
    case unchanged
    /// The content went directly to its target, and was visible while it was written.
    case written
  }

  /// The highest number put behind a taken name, as in curl: a user with this many files of one name wants other names.
  package static let highestNumber = 99

  private let form: Form
  private let path: Path
  private let collision: Collision
  private let isPrivate: Bool
  /// Whether the file is /dev/null: nothing that is written is ever visible.
  package let isNull: Bool

  /// The status of the file that had the name at opening; `nil` if there was none, or the target is written
  /// directly.
  package let replaced: FileStatus?

  /// - Parameters:
  ///   - collision: unless it is `.replace`, no symbolic link is followed.
  ///   - mayWriteOver: whether a file that cannot be replaced is overwritten in place, no matter who owns it.
  ///   - isPrivate: whether only the user may read and write the file, whatever the permissions of the file it
  ///     replaces.
  /// - Throws: `.isDirectory` for a directory, `.accessDenied` for a file that may not be written, a directory in which
  ///   no file may be created, and a file or link that another user has planted, `.tooManyLinks` for links that form a
  ///   circle.
  package init(
    _ path: Path, relativeTo directory: borrowing some OpenDescriptor & ~Copyable, collision: Collision = .replace,
    mayWriteOver: Bool = false, isPrivate: Bool = false
  ) throws(Errno) {
    self.path = path
    self.collision = collision
    self.isPrivate = isPrivate
    if let number = OutputPath.descriptor(namedBy: path) {
      form = .direct(number.rawValue > 2 ? try number.duplicateInherited() : try number.duplicate())
      isNull = false
      replaced = nil
      return
    }
    let replaces = collision == .replace
    let (finalPath, status) =
      replaces
      ? try OutputPath.followingLinks(path, relativeTo: directory)
      : (path, try OutputPath.status(of: path, in: directory, followingLinks: false))
    if let status, status.kind != .regular, status.kind != .symbolicLink {
      // With `.refuse`, it is in the way. With `.number`, its name is taken, unless it is a character device such as
      // /dev/null, which holds nothing and is written directly.
      if collision == .refuse { throw .fileExists }
      if replaces || status.kind == .characterDevice {
        form = .direct(try directory.open(finalPath, [.writeOnly, .noControllingTerminal]))
        isNull = (try? directory.status(of: "/dev/null").isSameFile(as: status)) ?? false
        replaced = nil
        return
      }
    }
    guard status == nil || !replaces || directory.isWritable(finalPath) else { throw .accessDenied }
    guard let name = finalPath.lastComponent else { throw .isDirectory }
    let parent = try directory.open(finalPath.parent, [.directory])
    // The file whose owner, group and permissions the new one takes over.
    let kept = replaces && !isPrivate ? status : nil
    let accessList = kept == nil ? nil : Self.accessList(of: finalPath, in: directory)
    var mode = isPrivate ? FileMode.privateFile : .newFile
    // Writing to a file clears its set-user-ID bit, so the copy has none either. Beside an access control list, the
    // group bits are the mask of that list, not the rights of the group.
    if let kept { mode = FileMode(rawValue: kept.mode.rawValue & (accessList == nil ? 0o777 : 0o707)) }
    let staged = try StagedFile(
      beside: name, in: parent, mode: mode, mayWriteOver: mayWriteOver && status != nil && replaces)
    if let kept { staged.file.takeOwners(of: kept) }
    if isPrivate || kept != nil { staged.file.takePermissions(mode, accessList) }
    form = .staged(staged)
    isNull = false
    replaced = status
  }

  private static func accessList(
    of path: Path, in directory: borrowing some OpenDescriptor & ~Copyable
  ) -> [UInt8]? {
    // A file that the user may write to may be unreadable to the user.
    for access in [OpenOptions.readOnly, .writeOnly] {
      if let file = try? directory.open(path, [access, .noFollow, .nonBlocking]) { return file.accessList() }
    }
    return nil
  }

  package init(
    _ path: Path, collision: Collision = .replace, mayWriteOver: Bool = false, isPrivate: Bool = false
  ) throws(Errno) {
    try self.init(
      path, relativeTo: Descriptor.workingDirectory, collision: collision, mayWriteOver: mayWriteOver,
      isPrivate: isPrivate)
  }

  /// Writes a whole file, and replaces the one that has the name.
  package static func write(_ bytes: [UInt8], to path: Path, isPrivate: Bool = false) throws(Errno) {
    let file = try AtomicFile(path, isPrivate: isPrivate)
    try file.descriptor.writeAll(bytes)
    try file.commit()
  }

  /// The descriptor to write to. It is borrowed: use it only while this value lives.
  package var descriptor: Descriptor {
    switch form {
    case .direct(let file): file.borrowed
    case .staged(let staged): staged.file.borrowed
    }
  }

  /// Whether nothing of the file is visible before `commit()`.
  package var isAtomic: Bool {
    switch form {
    case .direct: false
    case .staged: true
    }
  }

  /// Copies the content of the file that has the name into the new one. Call it before anything is written.
  ///
  /// - Parameter length: the length in bytes that the existing file must have; `nil` for any length.
  /// - Returns: false if its length is another one.
  package func begin(withReplaced length: UInt64?) throws(Errno) -> Bool {
    switch form {
    case .direct: return true
    case .staged(let staged):
      let copied = replaced == nil ? 0 : try staged.copyReplaced()
      return length == nil || length == copied
    }
  }

  /// Publishes what has been written. A file that would be replaced, but holds exactly these bytes, is left unchanged.
  ///
  /// - Parameters:
  ///   - modified: the modification time of the published file. A file that holds the same bytes already gets it, too,
  ///     if the user owns that file. A file that is not replaced and belongs to somebody else keeps its time.
  ///   - makesRoom: called after an error while another file is overwritten in place; returns whether there may be room
  ///     now.
  /// - Throws: `.fileExists` if the name is taken and nothing may be replaced, or all numbered names are taken, too.
  @discardableResult
  package consuming func commit(
    modified: WallTime? = nil, makingRoom makesRoom: (Errno) -> Bool = { _ in false }
  ) throws(Errno) -> Publication {
    let (path, collision, replaced, isPrivate) = (path, collision, replaced, isPrivate)
    switch consume form {
    case .direct(let file):
      try file.close()
      return .written
    case .staged(let staged):
      if let replaced, collision != .number, !isPrivate || replaced.isPrivate, staged.isSame(as: replaced) {
        if let modified { staged.setModifiedOfReplaced(modified) }
        return .unchanged
      }
      let number = try staged.publish(
        on: collision, replacing: replaced != nil, modified: modified, makingRoom: makesRoom)
      return .published(as: number == 0 ? path : path.numbered(number))
    }
  }
}

extension Path {
  /// Appends a number as curl does to a name that is taken.
  func numbered(_ number: Int) -> Path { extended(by: ".\(number)".utf8) }
}
