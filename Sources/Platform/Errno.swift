import CPlatform
import Glibc

/// The reason for which a system call failed.
package struct Errno: Error, Equatable, Sendable, CustomStringConvertible {
  /// The number in `errno.h`.
  package let rawValue: Int32

  package init(rawValue: Int32) {
    self.rawValue = rawValue
  }

  /// The C library's description in English, such as "No such file or directory".
  package var description: String {
    guard let words = cplatform_error_words(rawValue) else { return "error \(rawValue)" }
    return String(cString: words)
  }

  /// Whether the error is a lack of descriptors, processes or memory.
  package var isResourceShortage: Bool {
    switch self {
    case .tooManyFiles, .tooManyFilesInSystem, .wouldBlock, .outOfMemory: true
    default: false
    }
  }

  /// Whether the error is a lack of disk space, or of the user's quota.
  package var isSpaceShortage: Bool { self == .noSpace || self == .quotaExceeded }

  /// The failure of the C function that has just returned -1 on this thread.
  static var current: Errno { Errno(rawValue: cplatform_error()) }
}

extension Errno {
  package static let accessDenied = Errno(rawValue: EACCES)
  package static let badDescriptor = Errno(rawValue: EBADF)
  package static let badMessage = Errno(rawValue: EBADMSG)
  package static let brokenPipe = Errno(rawValue: EPIPE)
  static let busy = Errno(rawValue: EBUSY)
  package static let connectionRefused = Errno(rawValue: ECONNREFUSED)
  static let crossDevice = Errno(rawValue: EXDEV)
  package static let directoryNotEmpty = Errno(rawValue: ENOTEMPTY)
  package static let fileExists = Errno(rawValue: EEXIST)
  package static let fileTooLarge = Errno(rawValue: EFBIG)
  package static let inputOutput = Errno(rawValue: EIO)
  package static let interrupted = Errno(rawValue: EINTR)
  package static let invalidArgument = Errno(rawValue: EINVAL)
  package static let isDirectory = Errno(rawValue: EISDIR)
  package static let noLocks = Errno(rawValue: ENOLCK)
  package static let noSpace = Errno(rawValue: ENOSPC)
  package static let noSuchCall = Errno(rawValue: ENOSYS)
  package static let noSuchDevice = Errno(rawValue: ENXIO)
  package static let noSuchFile = Errno(rawValue: ENOENT)
  package static let notDirectory = Errno(rawValue: ENOTDIR)
  package static let notPermitted = Errno(rawValue: EPERM)
  package static let notSupported = Errno(rawValue: EOPNOTSUPP)
  package static let outOfMemory = Errno(rawValue: ENOMEM)
  package static let quotaExceeded = Errno(rawValue: EDQUOT)
  package static let readOnlyFileSystem = Errno(rawValue: EROFS)
  package static let staleHandle = Errno(rawValue: ESTALE)
  /// A file system is damaged.
  package static let structureDamaged = Errno(rawValue: EUCLEAN)
  package static let tooManyFiles = Errno(rawValue: EMFILE)
  package static let tooManyFilesInSystem = Errno(rawValue: ENFILE)
  package static let tooManyLinks = Errno(rawValue: ELOOP)
  package static let wouldBlock = Errno(rawValue: EAGAIN)
  package static let wouldDeadlock = Errno(rawValue: EDEADLK)
}

/// Returns the result of a CPlatform function, or throws the errno that it has returned negated.
func checked<Result: FixedWidthInteger & SignedInteger>(_ result: Result) throws(Errno) -> Result {
  guard result >= 0 else { throw Errno(rawValue: Int32(truncatingIfNeeded: 0 - result)) }
  return result
}

/// Repeats the call as long as signals interrupt it. Throws `.interrupted` if one of them asks the process to end.
func retryingOnInterrupt<Result: FixedWidthInteger & SignedInteger>(
  _ call: () -> Result
) throws(Errno) -> Result {
  while true {
    let result = call()
    if result >= 0 { return result }
    // CPlatform returns the negated errno; C functions return -1 and set errno. A CPlatform result of -1 is EPERM,
    // which is 1, and errno then says the same.
    let error = result == -1 ? Errno.current : Errno(rawValue: Int32(truncatingIfNeeded: 0 - result))
    guard error == .interrupted, Signals.pending == nil else { throw error }
  }
}
