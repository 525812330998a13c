import CHash
package import HTTPCaching
package import Platform

extension Store {
  /// Takes the lock of a key, where nobody has it: a byte of one file that all keys share.
  ///
  /// Locks keep processes from doing the same work at the same time. Nothing that is stored depends on them.
  ///
  /// - Returns: `.taken` where another process, or another part of this one, has it.
  package func lock(_ key: CacheKey) -> KeyLock {
    do throws(StoreError) {
      let store = try WritableStore(root)
      let lock = try storing(.openingStore) { () throws(Errno) in
        let file = try store.root.directory.openBeneath(
          StoreLayout.lock, [.readWrite, .create], mode: .privateFile)
        return try FileLock.ifFree(.exclusive, on: file, range: Self.lockRange(of: key))
      }
      guard let lock else { return .taken }
      return .held(lock)
    } catch {
      return .impossible
    }
  }

  /// Two keys may share a byte: they wait for each other without need, and rarely.
  private static func lockRange(of key: CacheKey) -> FileLock.Range {
    let name = Array(EntryName(key).description.utf8)
    let hash = name.span.bytes.withUnsafeBytes { chash_xxh3_128($0.baseAddress, $0.count, 0) }
    return FileLock.Range(start: Int64(hash.low >> 2), length: 1)
  }
}

/// What came of asking for the lock of a key; letting go of it gives the lock back.
package enum KeyLock: ~Copyable {
  case held(FileLock)
  case taken
  /// The file system has no locks, or the store cannot be written.
  case impossible
}
