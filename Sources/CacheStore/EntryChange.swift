import Platform

/// Keeps others from changing an entry while it is changed: a head appended to it, or its file replaced.
///
/// Nothing is wrong without it, where locks do not work or somebody takes too long: only a pin or a tag that is set at
/// that moment may be lost, and the sums too high by a head.
enum EntryChange {
  /// Far from every byte: the lock of a file that is being written is on all of them, and ends when it has its name.
  static let range = FileLock.Range(start: 1 << 61, length: 1)
  /// In nanoseconds: a change takes less, mostly.
  private static let pause: UInt64 = 500_000
  /// A quarter of a second in all: whoever has been stopped amid a change is not waited for any longer.
  private static let mostPauses = 500

  /// Waits until nobody else changes the entry that is open, which nobody does then until `end` or the file is closed.
  static func begin(in file: borrowing OwnedDescriptor) {
    for _ in 0..<mostPauses {
      guard let isLocked = try? file.tryLock(range: range), !isLocked else { return }
      Clock.system.pause(pause)
    }
  }

  static func end(in file: borrowing OwnedDescriptor) { try? file.unlock(range: range) }

  /// As `begin`, of the file that has the name, if any has.
  ///
  /// - Returns: what is to be closed when the change has been made.
  static func begin(at name: EntryName, in root: borrowing StoreRoot) -> OwnedDescriptor? {
    for _ in 0..<attemptsToOpen {
      guard let file = try? root.directory.openBeneath(name.path, [.writeOnly, .nonBlocking]) else { return nil }
      begin(in: file)
      // Whoever was waited for may have replaced it.
      if let linkCount = try? file.status().linkCount, linkCount > 0 { return file }
    }
    return nil
  }

  /// As often others would have to replace it while this run opens it.
  private static let attemptsToOpen = 8
}
