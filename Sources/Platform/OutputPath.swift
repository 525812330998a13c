/// Where the name of an output file leads.
package enum OutputPath {
  /// Returns the path of the file of this name behind all links, whether the file exists or not; `nil` if the links
  /// lead nowhere.
  package static func finalPath(of path: Path) -> Path? {
    try? followingLinks(path, relativeTo: Descriptor.workingDirectory).finalPath
  }

  /// Whether a file of this name is written directly: its content is visible before `AtomicFile.commit()`.
  package static func isDirect(_ path: Path) -> Bool {
    if descriptor(namedBy: path) != nil { return true }
    let found = try? followingLinks(path, relativeTo: Descriptor.workingDirectory)
    return found?.status.map { $0.kind != .regular && $0.kind != .directory } ?? false
  }

  /// Whether two paths lead to one file, existing or not: the same name in the same directory, behind all links.
  package static func leadToOneFile(_ one: Path, _ other: Path) -> Bool {
    let directory = Descriptor.workingDirectory
    guard let path = try? followingLinks(one, relativeTo: directory).finalPath,
      let otherPath = try? followingLinks(other, relativeTo: directory).finalPath,
      path.lastComponent == otherPath.lastComponent
    else { return false }
    let parent = try? directory.status(of: path.parent)
    let otherParent = try? directory.status(of: otherPath.parent)
    if let parent, let otherParent { return parent.isSameFile(as: otherParent) }
    // Directories that do not exist yet can be compared only by their names.
    let isSpeltAlike = path.components.filter { $0 != "." } == otherPath.components.filter { $0 != "." }
    return parent == nil && otherParent == nil && isSpeltAlike
  }

  /// Whether a file of this name is a terminal, which shows at once what is written to it.
  package static func isTerminal(_ path: Path) -> Bool {
    if let number = descriptor(namedBy: path) { return number.isTerminal }
    guard let found = try? followingLinks(path, relativeTo: Descriptor.workingDirectory),
      found.status?.kind == .characterDevice,
      let device = try? Descriptor.workingDirectory.open(
        found.finalPath, [.writeOnly, .nonBlocking, .noControllingTerminal])
    else { return false }
    return device.isTerminal
  }

  /// Whether a file of this name is a FIFO: whoever opens one waits for its other end, perhaps for ever. A pipe to
  /// which only the name of a descriptor leads, such as that of a shell's `<(...)`, is none.
  package static func isFIFO(_ path: Path) -> Bool {
    let directory = Descriptor.workingDirectory
    do throws(Errno) {
      let found = try followingLinks(path, relativeTo: directory)
      return found.status?.kind == .fifo && !namesDescriptor(found.finalPath)
    } catch {
      // The name may be planted.
      return (try? directory.status(of: path))?.kind == .fifo
    }
  }

  /// Whether a name leads to a FIFO that another user has planted, or by a link that another user has planted.
  package static func isPlantedFIFO(_ path: Path) -> Bool {
    let directory = Descriptor.workingDirectory
    guard (try? directory.status(of: path))?.kind == .fifo else { return false }
    do throws(Errno) {
      _ = try followingLinks(path, relativeTo: directory)
      return false
    } catch {
      return error == .accessDenied
    }
  }

  /// Whether a path is in a directory with links to open files. The target of such a link may name no file
  /// ("pipe:[12]"): only the kernel can follow it.
  private static func namesDescriptor(_ path: Path) -> Bool {
    path.hasPrefix("/proc/") || path.hasPrefix("/dev/fd/")
  }

  /// Follows symbolic links that stand in the place of the file to the file itself, which may be absent.
  ///
  /// - Returns: the path of the file and its status, which is `nil` for an absent file.
  /// - Throws: `.accessDenied` for a link or a file that is planted.
  static func followingLinks(
    _ path: Path, relativeTo directory: borrowing some OpenDescriptor & ~Copyable
  ) throws(Errno) -> (finalPath: Path, status: FileStatus?) {
    var current = path
    for _ in 0..<maximumLinks {
      let status = try status(of: current, in: directory, followingLinks: namesDescriptor(current))
      guard let status else { return (current, nil) }
      if isPlanted(status, at: current, in: directory) { throw .accessDenied }
      guard status.kind == .symbolicLink else { return (current, status) }
      let link = try directory.linkTarget(of: current)
      current = link.isAbsolute ? link : current.parent.appending(link)
    }
    throw .tooManyLinks
  }

  /// Whether another user has put the file into a sticky directory that everybody may write to, such as /tmp. A link
  /// there may lead the output astray, and a file or a FIFO would belong to the other user.
  ///
  /// This is the rule of the kernel's fs.protected_symlinks, _regular and _fifos (proc(5)). The kernel applies it only
  /// if it follows a link itself, or is asked to create a file that exists already.
  static func isPlanted(
    _ status: FileStatus, at path: Path, in directory: borrowing some OpenDescriptor & ~Copyable
  ) -> Bool {
    guard status.kind == .symbolicLink || status.kind == .regular || status.kind == .fifo,
      status.userID != EffectiveUser.id, let parent = try? directory.status(of: path.parent)
    else { return false }
    return parent.mode.contains(.sharedDirectory) && parent.userID != status.userID
  }

  /// Whether another user has planted the file of this name, so that this user does not write to it.
  package static func isPlanted(_ path: Path) -> Bool {
    let directory = Descriptor.workingDirectory
    let status = try? directory.status(of: path, followingLinks: false)
    return status.map { isPlanted($0, at: path, in: directory) } ?? false
  }

  /// Returns `nil` for an absent file.
  static func status(
    of path: Path, in directory: borrowing some OpenDescriptor & ~Copyable, followingLinks: Bool
  ) throws(Errno) -> FileStatus? {
    do throws(Errno) {
      return try directory.status(of: path, followingLinks: followingLinks)
    } catch {
      if error == .noSuchFile { return nil }
      throw error
    }
  }

  /// Returns the descriptor that one of these names stands for. Opened anew, its file would be written from the start.
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

  /// The number of links that the kernel follows (path_resolution(7)).
  private static let maximumLinks = 40
}
