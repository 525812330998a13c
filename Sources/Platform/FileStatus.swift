import CPlatform
import Glibc

/// Permission bits of a file.
package struct FileMode: Equatable, Sendable, OptionSet {
  package let rawValue: UInt32

  package init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// The permissions of a new file, before the umask applies.
  package static let newFile = FileMode(rawValue: 0o666)
  package static let groupReadableDirectory = FileMode(rawValue: 0o750)
  package static let privateFile = FileMode(rawValue: 0o600)
  package static let privateDirectory = FileMode(rawValue: 0o700)
  package static let writableByOthers = FileMode(rawValue: 0o022)
  package static let readableByOthers = FileMode(rawValue: 0o044)
  /// Only its owner, or the owner of the directory, removes or renames a file in such a directory (S_ISVTX).
  package static let sticky = FileMode(rawValue: 0o1000)
  /// Sticky, and writable by everybody.
  static let sharedDirectory = FileMode(rawValue: 0o1002)
}

/// The kernel's metadata of a file.
package struct FileStatus: Equatable, Sendable {
  package enum Kind: Equatable, Sendable {
    case regular, directory, symbolicLink, fifo, characterDevice, blockDevice, socket, unknown

    /// - Parameter type: `DT_REG` and so on, as an entry of a directory states it.
    @inline(__always)
    init(directoryType type: Int) {
      self =
        switch type {
        case DT_REG: .regular
        case DT_DIR: .directory
        case DT_LNK: .symbolicLink
        case DT_FIFO: .fifo
        case DT_CHR: .characterDevice
        case DT_BLK: .blockDevice
        case DT_SOCK: .socket
        default: .unknown
        }
    }
  }

  package let kind: Kind
  package let mode: FileMode
  /// In bytes; 0 for a file without a size.
  package let size: Int64
  package let userID: UInt32
  package let groupID: UInt32
  package let linkCount: UInt64
  package let device: UInt64
  package let inode: UInt64
  package let modified: WallTime

  /// The status of a file that has a name, but whose metadata the kernel cannot read.
  package static let unreadable = FileStatus(stat())

  init(_ status: stat) {
    kind = Kind(directoryType: Int(cplatform_file_type(status.st_mode)))
    mode = FileMode(rawValue: status.st_mode & 0o7777)
    size = Int64(status.st_size)
    userID = status.st_uid
    groupID = status.st_gid
    linkCount = UInt64(status.st_nlink)
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
    modified = WallTime(
      seconds: Int64(status.st_mtim.tv_sec), nanoseconds: UInt32(truncatingIfNeeded: status.st_mtim.tv_nsec))
  }

  /// Whether the file belongs to the user, and nobody else has rights to it.
  var isPrivate: Bool { userID == EffectiveUser.id && mode == .privateFile }

  /// Whether it is a regular file of that user's.
  package func isRegularFile(ownedBy userID: UInt32) -> Bool { kind == .regular && self.userID == userID }

  package func isSameFile(as other: FileStatus) -> Bool {
    device == other.device && inode == other.inode
  }
}

extension OpenDescriptor where Self: ~Copyable {
  /// Returns the status as `status()` does, but never in the middle of another process's write, which makes the file
  /// longer step by step.
  ///
  /// Asking where data ends (lseek, `SEEK_HOLE`) waits for a write in progress, because both lock the file on ext4,
  /// btrfs and tmpfs. The position in the file is undefined afterwards.
  package func statusBetweenWrites() throws(Errno) -> FileStatus {
    // If the file system does not support this, there is no wait.
    _ = lseek(rawValue, 0, cplatform_SEEK_HOLE)
    return try status()
  }

  /// The corresponding C function is `fstat`.
  package func status() throws(Errno) -> FileStatus {
    var status = stat()
    guard fstat(rawValue, &status) == 0 else { throw .current }
    return FileStatus(status)
  }

  /// Returns the status and the time, in nanoseconds, of the last change of anything about the file: bytes, times,
  /// names, rights. No process can set that time. The corresponding C function is `fstat`.
  package func statusAndChange() throws(Errno) -> (status: FileStatus, changed: Int64) {
    var status = stat()
    guard fstat(rawValue, &status) == 0 else { throw .current }
    let changed = Int64(status.st_ctim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_ctim.tv_nsec)
    return (FileStatus(status), changed)
  }
}
