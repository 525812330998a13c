import Platform

/// The root, open for as long as anybody uses it.
final class OpenRoot: Sendable {
  let root: StoreRoot

  init(_ root: consuming StoreRoot) { self.root = root }
}

/// The store's tallies, mapped for as long as anybody uses them.
final class OpenTallies: Sendable {
  let tallies: Tallies

  init(_ tallies: consuming Tallies) { self.tallies = tallies }
}

/// A store that is being written, open for as long as anybody writes.
final class OpenWritableStore: @unchecked Sendable {
  let store: WritableStore
  private let lock = Lock()
  /// Under the lock: made by whoever first has something to count.
  private var counted: OpenTallies?

  init(_ store: consuming WritableStore) { self.store = store }

  /// The numbers that others see, as far as there are any.
  func tallies() throws(StoreError) -> OpenTallies {
    if let counted = lock.holding({ counted }), counted.tallies.areShared { return counted }
    let opened = OpenTallies(try Tallies.openOrCreate(in: store))
    lock.holding { counted = opened }
    return opened
  }
}

/// What a run keeps open of a store from one call to the next.
///
/// What the kernel tells without looking for a name is asked each time: whether it is still there, and ours alone. Two
/// threads that find it closed both open it, and the later one's is kept.
final class KeptStore: @unchecked Sendable {
  private let lock = Lock()
  // Under the lock.
  private var root: OpenRoot?
  private var writable: OpenWritableStore?
  private var lockFile: LockFile?

  fileprivate func root(at path: Path) throws(StoreError) -> OpenRoot? {
    if let root = lock.holding({ root }), root.root.isSound { return root }
    guard let opened = try StoreRoot.open(path) else { return nil }
    let made = OpenRoot(opened)
    lock.holding { root = made }
    return made
  }

  fileprivate func writable(at path: Path, durable: Bool) throws(StoreError) -> OpenWritableStore {
    if let writable = lock.holding({ writable }), writable.store.root.isSound { return writable }
    let made = OpenWritableStore(try WritableStore(path, durable: durable))
    lock.holding { writable = made }
    return made
  }

  /// - Returns: `nil` where it has not been opened.
  fileprivate var openLockFile: LockFile? { lock.holding { lockFile } }

  fileprivate func keep(_ opened: LockFile) { lock.holding { lockFile = opened } }

  /// Has the next call open everything anew.
  func forget() {
    lock.holding { (root, writable, lockFile) = (nil, nil, nil) }
  }
}

extension Store {
  /// - Returns: `nil` where there is none.
  func openRoot() throws(StoreError) -> OpenRoot? {
    if let kept { return try kept.root(at: root) }
    guard let opened = try StoreRoot.open(root) else { return nil }
    return OpenRoot(opened)
  }

  /// Creates what is missing.
  func openForWriting() throws(StoreError) -> OpenWritableStore {
    if let kept { return try kept.writable(at: root, durable: limits.isDurable) }
    return OpenWritableStore(try WritableStore(root, durable: limits.isDurable))
  }

  func openLockFile() throws(StoreError) -> LockFile {
    if let open = kept?.openLockFile, isInPlace(open) { return open }
    let opened = try LockFile.open(for: self)
    kept?.keep(opened)
    return opened
  }

  /// - Returns: `nil` where there is none.
  func existingLockFile() throws(StoreError) -> LockFile? {
    if let open = kept?.openLockFile, isInPlace(open) { return open }
    let opened = try LockFile.openExisting(for: self)
    if let opened { kept?.keep(opened) }
    return opened
  }

  /// Whether the lock file is still the store's.
  func isInPlace(_ lockFile: LockFile) -> Bool {
    guard let opened = (try? openRoot()) ?? nil else { return false }
    return lockFile.isInPlace(in: opened.root)
  }
}

extension Lock {
  // Here, and not where locks are made: a generic function of another module would have to be asked for at run time.
  fileprivate func holding<Result>(_ body: () -> Result) -> Result {
    lock()
    defer { unlock() }
    return body()
  }
}
