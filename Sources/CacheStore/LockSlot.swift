import HTTPCaching
import Platform

/// What the lock file holds for a key, or for one of its variants: a byte to be locked, and a number by which the
/// holder of the lock reports.
///
/// The lock tells whether a run is at work, because the kernel releases it even when the process is killed; the number
/// tells how the work goes. No two keys have the same lock: otherwise a slow origin could hold up requests to another
/// one. Rarely, two keys share a number: then some waiting runs go on too early or, if the holder makes no progress,
/// too late.
struct LockSlot: ~Copyable {
  private let lock: LockFile
  private let place: Place
  /// Whether this value holds the lock.
  private var isHeld = false

  /// The reports in a slot, as 8 bytes.
  struct News: Equatable, Sendable {
    /// How often the waiting runs have been released.
    var releases: UInt32
    /// How often the holder has reported since then that it is at work; less than `endKnown`.
    var beats: UInt32
    /// Whether the holder knows where the answer that it receives ends.
    var isEndKnown = false

    /// The bit beside the beats.
    private static let endKnown: UInt32 = 1 << 31

    init(releases: UInt32 = 0, beats: UInt32 = 0) {
      self.releases = releases
      self.beats = beats & (Self.endKnown - 1)
    }

    init(rawValue: UInt64) {
      let low = UInt32(truncatingIfNeeded: rawValue)
      self.init(releases: UInt32(truncatingIfNeeded: rawValue >> 32), beats: low)
      isEndKnown = low & Self.endKnown != 0
    }

    var rawValue: UInt64 { UInt64(releases) << 32 | UInt64(beats | (isEndKnown ? Self.endKnown : 0)) }

    /// The same with one more beat.
    func afterBeat(isEndKnown: Bool) -> News {
      var news = News(releases: releases, beats: beats &+ 1)
      news.isEndKnown = isEndKnown
      return news
    }
  }

  struct Place {
    /// The position of the byte to be locked. It lies beyond the end of the file: a lock needs no byte there.
    let range: FileLock.Range
    /// The offset of the number.
    let offset: Int64

    private static let firstLock: UInt64 = 1 << 62

    init(of key: CacheKey, _ variant: SelectingFields = .none) {
      let hash = NameHash.of(Array(EntryName(key, variant).description.utf8)).low
      range = FileLock.Range(start: Int64(Self.firstLock | (hash & (Self.firstLock - 1))), length: 1)
      offset = LockFile.offset(ofHash: hash)
    }
  }

  init(of key: CacheKey, _ variant: SelectingFields, in lock: LockFile) {
    self.lock = lock
    place = Place(of: key, variant)
  }

  /// - Returns: false if another process has the lock. If true, the lock is held for as long as this value lives.
  /// - Throws: `wouldDeadlock` if another part of this run holds the lock; the caller then goes ahead without it.
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
    // Closing the file would not be enough while a child process is being started: the child has the descriptor until
    // it executes its program.
    if isHeld { lock.unlock(place.range) }
  }
}

/// The open lock file, shared by all parts of a run: two rows of numbers, one of the slots, one of invalidations.
final class LockFile: @unchecked Sendable {
  /// The length of a row. Of a hundred keys that are asked for at the same moment, two share a number in 7 of 100
  /// cases. The file never takes more than 1 MiB.
  private static let numberCount: Int64 = 65_536
  private static let numberBytes: Int64 = 8
  /// The offset of the second row.
  static let invalidationNumbers = numberCount * numberBytes

  /// Returns the offset of the number for a hash.
  ///
  /// - Parameter start: the offset of the row.
  static func offset(ofHash hash: UInt64, inRow start: Int64 = 0) -> Int64 {
    start + Int64(hash % UInt64(numberCount)) * numberBytes
  }

  private let file: OwnedDescriptor
  /// The status of the file when it was opened.
  private let status: FileStatus
  private let lock = Lock()
  /// Guarded by the lock: the starts of the ranges that this run holds. To the kernel, all parts of the run are one
  /// holder.
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

  /// Whether this is still the file that every process opens. It may have been removed; and one with a second link,
  /// such as a backup's, is replaced.
  func isInPlace(in root: borrowing StoreRoot) -> Bool {
    guard let named = try? root.directory.status(of: StoreLayout.lock, followingLinks: false) else { return false }
    return named.isSameFile(as: status) && named.linkCount <= 1
  }

  /// Reads a number, which is 0 if none has been written.
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

  /// - Returns: `nil` if there is no lock file.
  static func openExisting(for store: Store) throws(StoreError) -> LockFile? {
    guard let opened = try store.openRoot() else { return nil }
    return try openExisting(in: opened.root)
  }

  /// Opens the lock file. If there is none, creates it, and the store with it.
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
      // The umask may have taken permissions away.
      try file.setMode(.privateFile)
    } catch {
      // Of two processes that create the file at the same time, the first one's counts.
      guard error == .fileExists else { throw .failed(.creatingStore, error) }
    }
  }

  private static func openExisting(in root: borrowing StoreRoot) throws(StoreError) -> LockFile? {
    do throws(Errno) {
      let file = try root.directory.openBeneath(StoreLayout.lock, [.readWrite, .nonBlocking])
      let status = try file.status()
      // Nothing is written to a file that somebody else has put there.
      guard status.isRegularFile(ownedBy: root.ownerID) else { throw .accessDenied }
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
