import CHash
import HTTPCaching
import Platform

/// The place of a key, or of one of its variants, in the lock file: bytes to be locked, and in them a number that only
/// their holder writes.
///
/// The lock says that somebody is at work, even of a process that has been killed since; the number says how it goes.
/// Two keys may share a slot, rarely: of two runs, one waits for the other without need; within a run, the second goes
/// ahead without a lock, and nobody waits for it.
struct LockSlot: ~Copyable {
  private let lock: LockFile
  private let range: FileLock.Range
  /// Whether this value has locked it.
  private var isHeld = false

  /// How it goes with a slot, as 8 bytes.
  struct News: Equatable, Sendable {
    /// How often those who waited have been let go.
    var releases: UInt32
    /// How often the holder has said since then that it is at work.
    var beats: UInt32

    init(releases: UInt32 = 0, beats: UInt32 = 0) {
      self.releases = releases
      self.beats = beats
    }

    init(rawValue: UInt64) {
      self.init(releases: UInt32(truncatingIfNeeded: rawValue >> 32), beats: UInt32(truncatingIfNeeded: rawValue))
    }

    var rawValue: UInt64 { UInt64(releases) << 32 | UInt64(beats) }
  }

  /// Of a hundred keys that are asked for at the same moment, two share a slot in 7 of 100 cases. The file never takes
  /// more than 512 KiB.
  static let count: UInt64 = 65_536
  private static let bytes = 8

  init(of key: CacheKey, _ variant: SelectingFields, in lock: LockFile) {
    self.lock = lock
    range = Self.range(of: key, variant)
  }

  static func range(of key: CacheKey, _ variant: SelectingFields = .none) -> FileLock.Range {
    let name = Array(EntryName(key, variant).description.utf8)
    let hash = name.span.bytes.withUnsafeBytes { chash_xxh3_128($0.baseAddress, $0.count, 0) }
    return FileLock.Range(start: Int64(hash.low % count) * Int64(bytes), length: Int64(bytes))
  }

  /// - Returns: false where another process has the lock; else it is held for as long as this value lives.
  /// - Throws: `wouldDeadlock` where another part of this run holds it, for this key or another one: it goes ahead
  ///   without.
  mutating func tryLock() throws(Errno) -> Bool {
    isHeld = try lock.tryLock(range)
    return isHeld
  }

  /// What has never been written is 0.
  func read() throws(Errno) -> News {
    var number: UInt64 = 0
    try withUnsafeMutableBytes(of: &number) { (bytes) throws(Errno) in
      _ = try lock.file.readFully(into: bytes, at: range.start)
    }
    return News(rawValue: UInt64(littleEndian: number))
  }

  func write(_ news: News) throws(Errno) {
    let number = news.rawValue.littleEndian
    try lock.file.writeAll(withUnsafeBytes(of: number) { Array($0) }, at: range.start)
  }

  deinit {
    // Closing would do, but for a process that is being started just now: it has the descriptor until it is another
    // program.
    if isHeld { lock.unlock(range) }
  }
}

/// The lock file, open, for all parts of a run that share it.
final class LockFile: @unchecked Sendable {
  fileprivate let file: OwnedDescriptor
  private let lock = Lock()
  /// Under the lock: where the ranges begin that this run holds. For the kernel all of its parts are one holder.
  private var held: [Int64] = []

  private init(_ file: consuming OwnedDescriptor) { self.file = file }

  fileprivate func tryLock(_ range: FileLock.Range) throws(Errno) -> Bool {
    lock.lock()
    defer { lock.unlock() }
    if held.contains(range.start) { throw .wouldDeadlock }
    guard try file.tryLock(range: range) else { return false }
    held.append(range.start)
    return true
  }

  fileprivate func unlock(_ range: FileLock.Range) {
    lock.lock()
    defer { lock.unlock() }
    try? file.unlock(range: range)
    held.removeAll { $0 == range.start }
  }

  /// Whether others find it under its name, as far as the number of its names tells.
  var isInPlace: Bool { (try? file.status().linkCount).map { $0 > 0 } ?? false }

  /// Opens it; where there is none, it is made, and the store with it.
  static func open(for store: Store) throws(StoreError) -> LockFile {
    if let opened = try store.openRoot(), let file = try existingFile(in: opened.root) { return LockFile(file) }
    let opened = try store.openForWriting()
    try create(in: opened.store.root)
    guard let file = try existingFile(in: opened.store.root) else { throw .failed(.openingStore, .noSuchFile) }
    return LockFile(file)
  }

  private static func create(in root: borrowing StoreRoot) throws(StoreError) {
    do throws(Errno) {
      let file = try root.directory.openBeneath(
        StoreLayout.lock, [.writeOnly, .create, .exclusive], mode: .privateFile)
      // Whatever the umask.
      try file.setMode(.privateFile)
    } catch {
      // Of two that make it at the same time, the first's counts.
      guard error == .fileExists else { throw .failed(.creatingStore, error) }
    }
  }

  private static func existingFile(in root: borrowing StoreRoot) throws(StoreError) -> OwnedDescriptor? {
    do throws(Errno) {
      let file = try root.directory.openBeneath(StoreLayout.lock, [.readWrite, .nonBlocking])
      let status = try file.status()
      // Nothing is written into what somebody has put there.
      guard status.kind == .regular, status.userID == root.ownerID else { throw .accessDenied }
      return file
    } catch {
      if error == .noSuchFile { return nil }
      throw .failed(.openingStore, error)
    }
  }
}
