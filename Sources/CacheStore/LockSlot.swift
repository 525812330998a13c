import CHash
import HTTPCaching
import Platform

/// What the lock file has of a key, or of one of its variants: a byte to be locked, and a number that only its holder
/// writes.
///
/// The lock says that somebody is at work, even of a process that has been killed since; the number says how it goes.
/// No two keys have the same lock: otherwise a slow origin could hold up requests to another one. Two may share a
/// number, rarely: then some who wait go on too early, or, where the holder stands still, too late.
struct LockSlot: ~Copyable {
  private let lock: LockFile
  private let place: Place
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

  struct Place {
    /// Where there are no bytes: locks need none.
    let range: FileLock.Range
    /// Of the number.
    let offset: Int64

    private static let firstLock: UInt64 = 1 << 62

    init(of key: CacheKey, _ variant: SelectingFields = .none) {
      let name = Array(EntryName(key, variant).description.utf8)
      let hash = name.span.bytes.withUnsafeBytes { chash_xxh3_128($0.baseAddress, $0.count, 0) }
      range = FileLock.Range(start: Int64(Self.firstLock | (hash.low & (Self.firstLock - 1))), length: 1)
      offset = Int64(hash.low % UInt64(LockFile.numberCount)) * LockFile.numberBytes
    }
  }

  init(of key: CacheKey, _ variant: SelectingFields, in lock: LockFile) {
    self.lock = lock
    place = Place(of: key, variant)
  }

  /// - Returns: false where another process has the lock; else it is held for as long as this value lives.
  /// - Throws: `wouldDeadlock` where another part of this run holds it: it goes ahead without.
  mutating func tryLock() throws(Errno) -> Bool {
    isHeld = try lock.tryLock(place.range)
    return isHeld
  }

  mutating func unlock() {
    if isHeld { lock.unlock(place.range) }
    isHeld = false
  }

  func read() throws(Errno) -> News {
    News(rawValue: try lock.number(at: place.offset))
  }

  func write(_ news: News) throws(Errno) { try lock.write(news.rawValue, at: place.offset) }

  deinit {
    // Closing would do, but for a process that is being started just now: it has the descriptor until it is another
    // program.
    if isHeld { lock.unlock(place.range) }
  }
}

/// The lock file, open, for all parts of a run that share it: two rows of numbers, one of the slots, one of
/// invalidations.
final class LockFile: @unchecked Sendable {
  /// In a row: of a hundred keys that are asked for at the same moment, two share one in 7 of 100 cases. The file never
  /// takes more than 1 MiB.
  static let numberCount: Int64 = 65_536
  static let numberBytes: Int64 = 8
  /// Where the second row begins.
  static let invalidationNumbers = numberCount * numberBytes

  private let file: OwnedDescriptor
  /// As it was when it was opened.
  private let status: FileStatus
  private let lock = Lock()
  /// Under the lock: where the ranges begin that this run holds. For the kernel all of its parts are one holder.
  private var held: [Int64] = []

  private init(_ file: consuming OwnedDescriptor, _ status: FileStatus) {
    self.file = file
    self.status = status
  }

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

  /// Whether it is still the one that everybody opens: it may be removed, and what a backup holds by a second link is
  /// replaced.
  func isInPlace(in root: borrowing StoreRoot) -> Bool {
    guard let named = try? root.directory.status(of: StoreLayout.lock, followingLinks: false) else { return false }
    return named.isSameFile(as: status) && named.linkCount <= 1
  }

  /// What has never been written is 0.
  func number(at offset: Int64) throws(Errno) -> UInt64 {
    var number: UInt64 = 0
    try withUnsafeMutableBytes(of: &number) { (bytes) throws(Errno) in
      _ = try file.readFully(into: bytes, at: offset)
    }
    return UInt64(littleEndian: number)
  }

  func write(_ number: UInt64, at offset: Int64) throws(Errno) {
    try file.writeAll(withUnsafeBytes(of: number.littleEndian) { Array($0) }, at: offset)
  }

  /// - Returns: `nil` where there is none.
  static func openExisting(for store: Store) throws(StoreError) -> LockFile? {
    guard let opened = try store.openRoot() else { return nil }
    return try openExisting(in: opened.root)
  }

  /// Opens it; where there is none, it is made, and the store with it.
  static func open(for store: Store) throws(StoreError) -> LockFile {
    if let existing = try openExisting(for: store) { return existing }
    let opened = try store.openForWriting()
    try create(in: opened.store.root)
    guard let file = try openExisting(in: opened.store.root) else { throw .failed(.openingStore, .noSuchFile) }
    return file
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

  private static func openExisting(in root: borrowing StoreRoot) throws(StoreError) -> LockFile? {
    do throws(Errno) {
      let file = try root.directory.openBeneath(StoreLayout.lock, [.readWrite, .nonBlocking])
      let status = try file.status()
      // Nothing is written into what somebody has put there.
      guard status.kind == .regular, status.userID == root.ownerID else { throw .accessDenied }
      // A second hard link is probably a backup's, which writing here would change.
      if status.linkCount > 1 {
        try root.directory.unlink(StoreLayout.lock, .ifSameFile, seenAs: status)
        return nil
      }
      return LockFile(file, status)
    } catch {
      if error == .noSuchFile { return nil }
      throw .failed(.openingStore, error)
    }
  }
}
