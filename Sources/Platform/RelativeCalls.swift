import CPlatform
import Glibc

/// How a file is opened; every file is closed on exec. The corresponding C constants are `O_*`.
package struct OpenOptions: OptionSet, Equatable, Sendable {
  package let rawValue: Int32

  package init(rawValue: Int32) {
    self.rawValue = rawValue
  }

  // The standard library's implementation looks up conformances of the array at run time.
  package init(arrayLiteral options: OpenOptions...) {
    rawValue = options.reduce(0) { $0 | $1.rawValue }
  }

  // This one avoids the call of a protocol witness, too: each file that is opened takes a few unions.
  package func union(_ other: OpenOptions) -> OpenOptions { OpenOptions(rawValue: rawValue | other.rawValue) }

  package static let readOnly = OpenOptions(rawValue: O_RDONLY)
  package static let writeOnly = OpenOptions(rawValue: O_WRONLY)
  package static let readWrite = OpenOptions(rawValue: O_RDWR)
  package static let append = OpenOptions(rawValue: O_APPEND)
  package static let create = OpenOptions(rawValue: O_CREAT)
  package static let exclusive = OpenOptions(rawValue: O_EXCL)
  package static let noFollow = OpenOptions(rawValue: O_NOFOLLOW)
  package static let nonBlocking = OpenOptions(rawValue: O_NONBLOCK)
  package static let directory = OpenOptions(rawValue: O_DIRECTORY)
  package static let noControllingTerminal = OpenOptions(rawValue: O_NOCTTY)
  /// Reading does not change the time of the last access; refused for the file of another user.
  package static let keepingAccessTime = OpenOptions(rawValue: cplatform_O_NOATIME)
  /// A file without a name, in the file system of the directory that is opened; it is gone with its last descriptor.
  package static let unnamed = OpenOptions(rawValue: cplatform_O_TMPFILE)
}

/// Calls on names relative to an open directory, or to the working directory for `Descriptor.workingDirectory`.
extension OpenDescriptor where Self: ~Copyable {
  /// - Parameter mode: the permissions of a file that is created, before the umask applies.
  ///
  /// The corresponding C function is `openat`.
  package func open(_ path: Path, _ options: OpenOptions, mode: FileMode = .newFile) throws(Errno) -> OwnedDescriptor {
    let flags = options.rawValue | O_CLOEXEC
    let number = try path.withCString { (name) throws(Errno) in
      try retryingOnInterrupt { cplatform_openat(rawValue, name, flags, mode.rawValue) }
    }
    return OwnedDescriptor(owning: number)
  }

  /// Opens a path relative to this directory that contains and is no symbolic link, and does not leave the directory.
  ///
  /// - Throws: `.tooManyLinks` (or `.notDirectory`, from an old kernel) if a component is a link.
  ///
  /// The corresponding call is `openat2` with `RESOLVE_BENEATH` and `RESOLVE_NO_SYMLINKS`.
  package func openBeneath(
    _ path: Path, _ options: OpenOptions, mode: FileMode = .newFile
  ) throws(Errno) -> OwnedDescriptor {
    let flags = options.union(.noFollow).rawValue | O_CLOEXEC
    do throws(Errno) {
      let number = try path.withCString { (name) throws(Errno) in
        try retryingOnInterrupt { cplatform_open_beneath(rawValue, name, flags, mode.rawValue) }
      }
      return OwnedDescriptor(owning: number)
    } catch {
      // Kernels before Linux 5.6 do not have the call, and sandboxes that know only older calls refuse it.
      guard error == .noSuchCall || error == .notPermitted else { throw error }
      return try openStepwise(path, options, mode: mode)
    }
  }

  private func openStepwise(
    _ path: Path, _ options: OpenOptions, mode: FileMode
  ) throws(Errno) -> OwnedDescriptor {
    var components = path.components
    guard !path.isAbsolute, !components.contains(".."), let last = components.popLast() else { throw .crossDevice }
    var directory = try open(".", [.directory])
    for component in components {
      directory = try directory.open(component, [.directory, .noFollow])
    }
    return try directory.open(last, options.union(.noFollow), mode: mode)
  }

  /// The corresponding C function is `fstatat`.
  package func status(of path: Path, followingLinks: Bool = true) throws(Errno) -> FileStatus {
    var status = stat()
    let failed = path.withCString { fstatat(rawValue, $0, &status, followingLinks ? 0 : AT_SYMLINK_NOFOLLOW) != 0 }
    if failed { throw .current }
    return FileStatus(status)
  }

  /// Whether the effective user may write to that file. The corresponding C function is `faccessat` with `AT_EACCESS`.
  package func isWritable(_ path: Path) -> Bool {
    path.withCString { cplatform_is_writable(rawValue, $0) != 0 }
  }

  /// - Parameter mode: the permissions, before the umask applies.
  ///
  /// The corresponding C function is `mkdirat`.
  package func createDirectory(_ path: Path, mode: FileMode) throws(Errno) {
    guard path.withCString({ mkdirat(rawValue, $0, mode.rawValue) }) == 0 else { throw .current }
  }

  /// Creates a directory and the missing ones above it. A directory that exists already is no error.
  ///
  /// - Parameter mode: the permissions of each new directory, before the umask applies.
  package func createDirectories(_ path: Path, mode: FileMode) throws(Errno) {
    do throws(Errno) {
      try createDirectory(path, mode: mode)
    } catch {
      let parent = path.parent
      if error == .fileExists {
        guard try status(of: path).kind == .directory else { throw .notDirectory }
        return
      }
      guard error == .noSuchFile, parent != path else { throw error }
      try createDirectories(parent, mode: mode)
      // Another process may have created it meanwhile.
      do throws(Errno) { try createDirectory(path, mode: mode) } catch { if error != .fileExists { throw error } }
    }
  }

  /// Sets the permissions of a file or directory, following links. The corresponding C function is `fchmodat`.
  package func setMode(of path: Path, to mode: FileMode) throws(Errno) {
    guard path.withCString({ fchmodat(rawValue, $0, mode.rawValue, 0) }) == 0 else { throw .current }
  }

  /// The corresponding C function is `unlinkat`.
  package func unlink(_ path: Path) throws(Errno) {
    guard path.withCString({ unlinkat(rawValue, $0, 0) }) == 0 else { throw .current }
  }

  /// The corresponding C function is `unlinkat` with `AT_REMOVEDIR`.
  package func removeDirectory(_ path: Path) throws(Errno) {
    guard path.withCString({ unlinkat(rawValue, $0, AT_REMOVEDIR) }) == 0 else { throw .current }
  }

  /// Gives a file another name, replacing the file that had it. The corresponding C function is `renameat`.
  package func rename(
    _ old: Path, to new: Path, in directory: borrowing some OpenDescriptor & ~Copyable
  ) throws(Errno) {
    let target = directory.rawValue
    let failed = old.withCString { old in new.withCString { renameat(rawValue, old, target, $0) != 0 } }
    if failed { throw .current }
  }

  /// Gives a file of this directory another name, unless that is taken. The corresponding C function is `renameat2`
  /// with `RENAME_NOREPLACE`.
  ///
  /// - Throws: `.fileExists` if it is taken.
  package func rename(
    _ old: Path, toFree new: Path, in directory: borrowing some OpenDescriptor & ~Copyable
  ) throws(Errno) {
    let target = directory.rawValue
    let result = old.withCString { old in new.withCString { cplatform_rename_to_free(rawValue, old, target, $0) } }
    do throws(Errno) {
      _ = try checked(result)
    } catch {
      // Many file systems in user space do not support this call.
      guard error == .invalidArgument || error == .noSuchCall || error == .notSupported else { throw error }
      try rename(old, claiming: new, in: directory)
    }
  }

  /// Renames as `rename(_:toFree:in:)` does, but in two steps: in between, the new name belongs to an empty file.
  func rename(
    _ old: Path, claiming new: Path, in directory: borrowing some OpenDescriptor & ~Copyable
  ) throws(Errno) {
    try directory.open(new, [.writeOnly, .create, .exclusive, .noFollow], mode: .privateFile).close()
    do throws(Errno) {
      try rename(old, to: new, in: directory)
    } catch {
      try? directory.unlink(new)
      throw error
    }
  }

  /// Gives a file a further name. The corresponding C function is `linkat`.
  package func link(
    _ old: Path, to new: Path, in directory: borrowing some OpenDescriptor & ~Copyable
  ) throws(Errno) {
    let target = directory.rawValue
    let failed = old.withCString { old in new.withCString { linkat(rawValue, old, target, $0, 0) != 0 } }
    if failed { throw .current }
  }

  /// Gives an unnamed file its name.
  ///
  /// - Throws: `.fileExists` if something has that name; `.noSuchFile` if there is no /proc.
  package func link(
    unnamed file: borrowing some OpenDescriptor & ~Copyable, to name: Path
  ) throws(Errno) {
    let number = file.rawValue
    let result = name.withCString { cplatform_link_unnamed(number, rawValue, $0) }
    _ = try checked(result)
  }

  /// Returns the target of a symbolic link. The corresponding C function is `readlinkat`.
  package func linkTarget(of path: Path) throws(Errno) -> Path {
    var count = 0
    let target = [UInt8](unsafeUninitializedCapacity: Int(PATH_MAX)) { buffer, initialized in
      count = path.withCString { name in
        buffer.withMemoryRebound(to: CChar.self) { text in
          text.baseAddress.map { readlinkat(rawValue, name, $0, text.count) } ?? 0
        }
      }
      initialized = max(count, 0)
    }
    if count < 0 { throw .current }
    guard let path = Path(target) else { throw .noSuchFile }
    return path
  }
}

extension Path {
  /// Throws an error if the file does not exist, or this process may not run it. The corresponding C function is
  /// `access`.
  package func checkExecutable() throws(Errno) {
    if withCString({ Glibc.access($0, X_OK) }) != 0 { throw .current }
  }
}
