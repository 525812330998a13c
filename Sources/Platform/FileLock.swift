import CPlatform

/// A lock on bytes of a file. It belongs to the open file description, ends with the last descriptor of that (also when
/// the process is killed), and excludes other descriptions, even of the same process.
///
/// The corresponding C constant is `F_OFD_SETLK`.
package enum FileLock {
  /// The bytes that are locked; they need not exist.
  package struct Range: Equatable, Sendable {
    package let start: Int64
    /// 0 means up to the end of the file, wherever that will be.
    package let length: Int64

    package init(start: Int64, length: Int64) {
      self.start = start
      self.length = length
    }

    static let wholeFile = Range(start: 0, length: 0)
  }
}

extension OpenDescriptor where Self: ~Copyable {
  /// Locks for as long as the open file description lives.
  ///
  /// - Returns: false if the lock is taken.
  package func tryLock(range: FileLock.Range = .wholeFile) throws(Errno) -> Bool {
    do throws(Errno) {
      // A file server may be slow to answer, and signals may arrive meanwhile.
      _ = try retryingOnInterrupt { cplatform_ofd_lock(rawValue, range.start, range.length) }
      return true
    } catch {
      // POSIX allows either error for a lock that is taken.
      if error == .wouldBlock || error == .accessDenied { return false }
      throw error
    }
  }

  package func unlock(range: FileLock.Range) throws(Errno) {
    _ = try checked(cplatform_ofd_unlock(rawValue, range.start, range.length))
  }
}
