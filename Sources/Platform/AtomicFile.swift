/// A file that appears whole or not at all: written beside its final place, and renamed there by `commit()`.
///
/// Where that is allowed, a file that may be written and not replaced (one that is mounted by itself, one in a
/// directory in which the user may make nothing, that of a sticky one's owner) is written over when all of it is known.
///
/// Letting go abandons it: what was there before stays. Where the file system has unnamed files not even a killed
/// process leaves anything behind, but one that replaces a file and is killed between the two calls for that: Linux
/// gives no unnamed file a name that is taken. Nobody removes what it leaves: the directory is the user's, and whose a
/// file in it is cannot be told without a lock for each. A target that is no regular file (a device, a FIFO,
/// /dev/stdout) is written directly, and a symbolic link is written through to what it points at: but nothing that
/// another user has put into a directory of everybody's (`isPlanted`).
package struct AtomicFile: ~Copyable {
  // Not private: Swift 6.3.1 then hides the type's metadata from the release build of other modules, which destroy it.
  enum Form: ~Copyable {
    case direct(OwnedDescriptor)
    case staged(StagedFile)
  }

  /// What is done about a file that has the name already and holds something else.
  package enum Collision: Equatable, Sendable {
    case replace
    /// It stays, and the new one is not published.
    case refuse
    /// It stays, and the new one has a number behind its name: `NAME.1` to `NAME.99` (`highestNumber`).
    case number
  }

  /// What became of a file.
  package enum Publication: Equatable, Sendable {
    case published(as: Path)
    /// The file of that name held the very same bytes, and has not been touched.
    case unchanged
    /// What was written was seen as it was written.
    case written
  }

  /// Behind a name that is taken, as curl's: whoever has so many wants other names.
  package static let highestNumber = 99

  private let form: Form
  private let path: Path
  private let collision: Collision
  private let isPrivate: Bool

  /// What had the name when the file was opened; `nil` where nothing had, or the target is written directly.
  package let replaced: FileStatus?

  /// - Parameters:
  ///   - collision: where it is not `.replace`, no symbolic link is followed either.
  ///   - mayWriteOver: whether a file that cannot be replaced is written over, whoever's it is.
  ///   - isPrivate: whether the file is the user's and for nobody else, whatever it replaces was.
  /// - Throws: `.isDirectory` for a directory, `.accessDenied` for a file that may not be written or a directory in
  ///   which no file may be made, and for what another user has planted, `.tooManyLinks` for links that lead in a
  ///   circle.
  package init(
    _ path: Path, relativeTo directory: borrowing some OpenDescriptor & ~Copyable, collision: Collision = .replace,
    mayWriteOver: Bool = false, isPrivate: Bool = false
  ) throws(Errno) {
    self.path = path
    self.collision = collision
    self.isPrivate = isPrivate
    if let number = Self.descriptor(namedBy: path) {
      form = .direct(number.rawValue > 2 ? try number.duplicateInherited() : try number.duplicate())
      replaced = nil
      return
    }
    let replaces = collision == .replace
    let (place, status) =
      replaces
      ? try Self.followingLinks(path, relativeTo: directory)
      : (path, try Self.status(of: path, in: directory, followingLinks: false))
    if let status, status.kind != .regular, status.kind != .symbolicLink {
      // Where nothing is replaced it is in the way, but for /dev/null and the like, which hold nothing.
      if collision == .refuse { throw .fileExists }
      if replaces || status.kind == .characterDevice {
        form = .direct(try directory.open(place, [.writeOnly, .noControllingTerminal]))
        replaced = nil
        return
      }
    }
    guard status == nil || !replaces || directory.isWritable(place) else { throw .accessDenied }
    guard let name = place.lastComponent else { throw .isDirectory }
    let parent = try directory.open(place.parent, [.directory])
    // Whose owners and permissions stay.
    let kept = replaces && !isPrivate ? status : nil
    let accessList = kept == nil ? nil : Self.accessList(of: place, in: directory)
    var mode = isPrivate ? FileMode.privateFile : .newFile
    // Set-user-ID does not survive a write to a file either. With a list, the group's are what that leaves to anybody.
    if let kept { mode = FileMode(rawValue: kept.mode.rawValue & (accessList == nil ? 0o777 : 0o707)) }
    let staged = try StagedFile(
      beside: name, in: parent, mode: mode, mayWriteOver: mayWriteOver && status != nil && replaces)
    if let kept { staged.file.takeOwners(of: kept) }
    if isPrivate || kept != nil { staged.file.takePermissions(mode, accessList) }
    form = .staged(staged)
    replaced = status
  }

  private static func accessList(
    of place: Path, in directory: borrowing some OpenDescriptor & ~Copyable
  ) -> [UInt8]? {
    // Who may write to a file may perhaps not read it.
    for access in [OpenOptions.readOnly, .writeOnly] {
      if let file = try? directory.open(place, [access, .noFollow, .nonBlocking]) { return file.accessList() }
    }
    return nil
  }

  /// Where a file of this name is, be it there or not, behind all links; `nil` where they lead nowhere.
  package static func place(of path: Path) -> Path? {
    try? followingLinks(path, relativeTo: Descriptor.workingDirectory).place
  }

  /// Whether a file of this name is written directly: what has been written is seen before `commit()`.
  package static func isDirect(_ path: Path) -> Bool {
    if descriptor(namedBy: path) != nil { return true }
    let found = try? followingLinks(path, relativeTo: Descriptor.workingDirectory)
    return found?.status.map { $0.kind != .regular && $0.kind != .directory } ?? false
  }

  /// Whether two names are of one file, be it there or not: of one name in one directory, behind all links.
  package static func areOne(_ one: Path, _ other: Path) -> Bool {
    let directory = Descriptor.workingDirectory
    guard let place = try? followingLinks(one, relativeTo: directory).place,
      let otherPlace = try? followingLinks(other, relativeTo: directory).place,
      place.lastComponent == otherPlace.lastComponent
    else { return false }
    let parent = try? directory.status(of: place.parent)
    let otherParent = try? directory.status(of: otherPlace.parent)
    if let parent, let otherParent { return parent.isSameFile(as: otherParent) }
    // Directories that are yet to be made have nothing but their names.
    let isSpeltAlike = place.components.filter { $0 != "." } == otherPlace.components.filter { $0 != "." }
    return parent == nil && otherParent == nil && isSpeltAlike
  }

  /// Whether a file of this name is a terminal, which shows at once what is written to it.
  package static func isTerminal(_ path: Path) -> Bool {
    if let number = descriptor(namedBy: path) { return number.isTerminal }
    guard let found = try? followingLinks(path, relativeTo: Descriptor.workingDirectory),
      found.status?.kind == .characterDevice,
      let device = try? Descriptor.workingDirectory.open(
        found.place, [.writeOnly, .nonBlocking, .noControllingTerminal])
    else { return false }
    return device.isTerminal
  }

  package init(
    _ path: Path, collision: Collision = .replace, mayWriteOver: Bool = false, isPrivate: Bool = false
  ) throws(Errno) {
    try self.init(
      path, relativeTo: Descriptor.workingDirectory, collision: collision, mayWriteOver: mayWriteOver,
      isPrivate: isPrivate)
  }

  /// Where to write; borrowed, and to be used only while this value lives.
  package var descriptor: Descriptor {
    switch form {
    case .direct(let file): file.borrowed
    case .staged(let staged): staged.file.borrowed
    }
  }

  /// Whether nothing is seen of the file before `commit()`.
  package var isAtomic: Bool {
    switch form {
    case .direct: false
    case .staged: true
    }
  }

  /// Begins with what the file holds that has the name; to be called before anything is written.
  ///
  /// - Parameter length: as long as that file must be, in bytes; `nil` for however long.
  /// - Returns: false where it has another length.
  package func begin(withReplaced length: UInt64?) throws(Errno) -> Bool {
    switch form {
    case .direct: return true
    case .staged(let staged):
      let copied = replaced == nil ? 0 : try staged.copyReplaced()
      return length == nil || length == copied
    }
  }

  /// Publishes what has been written, unless a file that would be replaced holds just that: it is left alone.
  ///
  /// - Parameters:
  ///   - modified: the time that the file gets, as one that holds the same already does where it is the user's; no
  ///     other one does that is not replaced.
  ///   - makesRoom: asked after an error whether there may be room by now, for what is written over another file.
  /// - Throws: `.fileExists` where nothing may be replaced and something has the name, or all the numbered ones.
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

  // MARK: Where it goes

  /// A symbolic link in the place of the file leads to the file itself, which may be absent.
  ///
  /// - Returns: where the file is, and what it is; `nil` for what is absent.
  /// - Throws: `.accessDenied` for a link or a file that is planted.
  static func followingLinks(
    _ path: Path, relativeTo directory: borrowing some OpenDescriptor & ~Copyable
  ) throws(Errno) -> (place: Path, status: FileStatus?) {
    var place = path
    for _ in 0..<maximumLinks {
      // What such a link says may name nothing ("pipe:[12]"): only the kernel can follow it.
      let isFollowed = place.hasPrefix("/proc/") || place.hasPrefix("/dev/fd/")
      let status = try status(of: place, in: directory, followingLinks: isFollowed)
      guard let status else { return (place, nil) }
      if isPlanted(status, at: place, in: directory) { throw .accessDenied }
      guard status.kind == .symbolicLink else { return (place, status) }
      let link = try directory.linkTarget(of: place)
      place = link.isAbsolute ? link : place.parent.appending(link)
    }
    throw .tooManyLinks
  }

  /// Whether another user has put it into a sticky directory that everybody may write to, such as /tmp: a link may lead
  /// astray what is written, and of a file or a FIFO it would be theirs.
  ///
  /// It is the rule of the kernel's fs.protected_symlinks, _regular and _fifos (proc(5)), which the kernel keeps only
  /// where it follows a link itself, or is asked to create what is there already.
  static func isPlanted(
    _ status: FileStatus, at place: Path, in directory: borrowing some OpenDescriptor & ~Copyable
  ) -> Bool {
    guard status.kind == .symbolicLink || status.kind == .regular || status.kind == .fifo,
      status.userID != EffectiveUser.id, let parent = try? directory.status(of: place.parent)
    else { return false }
    return parent.mode.contains(.sharedDirectory) && parent.userID != status.userID
  }

  /// Whether what has this name is written to by nobody but the user who has made it.
  package static func isPlanted(_ path: Path) -> Bool {
    let directory = Descriptor.workingDirectory
    let status = try? directory.status(of: path, followingLinks: false)
    return status.map { isPlanted($0, at: path, in: directory) } ?? false
  }

  private static func status(
    of place: Path, in directory: borrowing some OpenDescriptor & ~Copyable, followingLinks: Bool
  ) throws(Errno) -> FileStatus? {
    do throws(Errno) {
      return try directory.status(of: place, followingLinks: followingLinks)
    } catch {
      if error == .noSuchFile { return nil }
      throw error
    }
  }

  /// These names stand for what is open already: opened anew, a file would be written from its start.
  static func descriptor(namedBy path: Path) -> Descriptor? {
    switch path {
    case "/dev/stdout": return .standardOutput
    case "/dev/stderr": return .standardError
    default: break
    }
    guard let name = path.lastComponent, path.parent == "/dev/fd" || path.parent == "/proc/self/fd",
      name.bytes.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int32(name.description), number > 0
    else { return nil }
    return Descriptor(rawValue: number)
  }

  /// As many as the kernel follows (path_resolution(7)).
  private static let maximumLinks = 40
}

extension Path {
  /// As curl numbers a name that is taken.
  func numbered(_ number: Int) -> Path { extended(by: ".\(number)".utf8) }
}
