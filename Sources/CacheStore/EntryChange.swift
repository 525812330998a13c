import Platform

/// A lock that keeps other writers from changing an entry while one of them appends a head to it or replaces its file.
///
/// No entry's correctness depends on it. If locks do not work, or the holder takes too long, only a pin or a tag that
/// is set at that moment may be lost, and the sums of the tallies may be too high by one head.
enum EntryChange {
  /// One byte far beyond the end of any file. The lock of a file that is being written covers all bytes, this one too,
  /// but it ends when the file gets its name.
  static let range = FileLock.Range(start: 1 << 61, length: 1)
  /// The time between two attempts, in nanoseconds. Most changes take less.
  private static let pause: UInt64 = 500_000
  /// A quarter of a second in all: a holder that has been stopped amid a change is not waited for any longer.
  private static let maximumPauses = 500

  /// Locks the open entry, after waiting for another writer that changes it. The lock lasts until `end` is called or
  /// the file is closed.
  static func begin(in file: borrowing OwnedDescriptor) {
    for _ in 0..<maximumPauses {
      guard let isLocked = try? file.tryLock(range: range), !isLocked else { return }
      Clock.system.pause(pause)
    }
  }

  static func end(in file: borrowing OwnedDescriptor) { try? file.unlock(range: range) }

  /// Locks the file that has the name, if there is one, as `begin(in:)` does.
  ///
  /// - Returns: the locked file, which is to be closed when the change has been made.
  static func begin(at name: EntryName, in root: borrowing StoreRoot) -> OwnedDescriptor? {
    for _ in 0..<attemptsToOpen {
      guard let file = try? root.directory.openBeneath(name.path, [.writeOnly, .nonBlocking]) else { return nil }
      begin(in: file)
      // The writer that was waited for may have replaced the file.
      if let linkCount = try? file.status().linkCount, linkCount > 0 { return file }
    }
    return nil
  }

  /// Others would have to replace the file this often, each time while this run opens it.
  private static let attemptsToOpen = 8
}
