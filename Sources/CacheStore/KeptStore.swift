import Platform

/// The store's root, open for as long as anybody uses it.
final class OpenRoot: Sendable {
  let root: StoreRoot

  init(_ root: consuming StoreRoot) { self.root = root }
}

/// The store's tallies, mapped for as long as anybody uses them.
final class OpenTallies: Sendable {
  let tallies: Tallies

  init(_ tallies: consuming Tallies) { self.tallies = tallies }
}

/// A store that is open for writing, for as long as anybody writes.
final class OpenWritableStore: @unchecked Sendable {
  let store: WritableStore
  private let lock = Lock()
  /// Guarded by the lock; opened by the first caller that has something to count.
  private var counted: OpenTallies?

  init(_ store: consuming WritableStore) { self.store = store }

  /// Returns the tallies that all processes share, or private ones if there are no shared ones.
  func tallies() throws(StoreError) -> OpenTallies {
    if let counted = lock.holding({ counted }), counted.tallies.areShared { return counted }
    let opened = OpenTallies(try Tallies.openOrCreate(in: store))
    return lock.holding { () -> OpenTallies in
      if let other = counted, other.tallies.areShared { return other }
      counted = opened
      return opened
    }
  }
}

/// What a run keeps open of a store from one call to the next.
///
/// Each use asks whether what is open still exists and is ours alone, as far as the kernel tells that without looking
/// up a name. Threads that find it closed all open it, and then all use what the first of them has opened, so that they
/// do not hold more descriptors than one of them needs.
final class KeptStore: @unchecked Sendable {
  private let lock = Lock()
  // Guarded by the lock.
  private var root: OpenRoot?
  private var writable: OpenWritableStore?
  private var lockFile: LockFile?
  /// How often `forget` was called.
  private var forgottenCount = 0

  fileprivate func root(at path: Path) throws(StoreError) -> OpenRoot? {
    if let root = lock.holding({ root }), root.root.isSound { return root }
    guard let opened = try StoreRoot.open(path) else { return nil }
    let made = OpenRoot(opened)
    return lock.holding { () -> OpenRoot in
      if let other: OpenRoot = root, other.root.isSound { return other }
      root = made
      return made
    }
  }

  fileprivate func writable(at path: Path, home: Path?, durable: Bool) throws(StoreError) -> OpenWritableStore {
    let (kept, count) = lock.holding { (writable, forgottenCount) }
    if let kept, kept.store.root.isSound { return kept }
    let made = OpenWritableStore(try WritableStore(path, home: home, durable: durable))
    return lock.holding { () -> OpenWritableStore in
      // It may be of a directory that has been removed since.
      if count != forgottenCount { return made }
      if let other: OpenWritableStore = writable, other.store.root.isSound { return other }
      writable = made
      return made
    }
  }

  /// The lock file as it was opened; `nil` if it has not been. It may have been replaced since.
  fileprivate var keptLockFile: LockFile? { lock.holding { lockFile } }

  fileprivate func keep(_ opened: LockFile) { lock.holding { lockFile = opened } }

  /// Makes the next call open everything anew.
  func forget() {
    lock.holding {
      (root, writable, lockFile) = (nil, nil, nil)
      forgottenCount += 1
    }
  }
}

extension Store {
  /// - Returns: `nil` if there is no store.
  func openRoot() throws(StoreError) -> OpenRoot? {
    if let kept { return try kept.root(at: root) }
    guard let opened = try StoreRoot.open(root) else { return nil }
    return OpenRoot(opened)
  }

  /// Opens the store and creates what is missing of it.
  func openForWriting() throws(StoreError) -> OpenWritableStore {
    if let kept { return try kept.writable(at: root, home: home, durable: limits.isDurable) }
    return OpenWritableStore(try WritableStore(root, home: home, durable: limits.isDurable))
  }

  /// Opens the lock file. If there is none, creates it, and the store with it.
  func openLockFile() throws(StoreError) -> LockFile {
    if let open = kept?.keptLockFile, isInPlace(open) { return open }
    let opened = try LockFile.open(for: self)
    kept?.keep(opened)
    return opened
  }

  /// - Returns: `nil` if there is no lock file.
  func existingLockFile() throws(StoreError) -> LockFile? {
    if let open = kept?.keptLockFile, isInPlace(open) { return open }
    let opened = try LockFile.openExisting(for: self)
    if let opened { kept?.keep(opened) }
    return opened
  }

  /// Whether the open lock file is still the one in the store.
  func isInPlace(_ lockFile: LockFile) -> Bool {
    guard let opened = (try? openRoot()) ?? nil else { return false }
    return lockFile.isInPlace(in: opened.root)
  }
}

extension Lock {
  // Defined here and not in the module of `Lock`: a generic function of another module is not specialized, and looks
  // its types up at run time.
  fileprivate func holding<Result>(_ body: () -> Result) -> Result {
    lock()
    defer { unlock() }
    return body()
  }
}
