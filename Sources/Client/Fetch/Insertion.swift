import CacheStore
import HTTPCaching
import Platform

/// Where a stored response is kept.
enum StorageTier {
  /// On the disk, and perhaps in memory too.
  case disk
  case memory
}

/// The outcome of storing a response.
enum InsertionOutcome {
  /// On the disk, and perhaps in memory, too.
  case stored(StoredResponse)
  /// In memory alone. `insteadOf` is why the disk does not have the response; `nil` if it was not meant for the disk.
  case held(StoredResponse, insteadOf: NotStored?)
  case refused(NotStored)
}

/// A response on its way to where it is kept. Releasing it without a commit abandons it.
protocol Insertion: AnyObject {
  /// The tier where the response will be kept, as far as that is known when the insertion begins.
  var tier: StorageTier { get }

  /// Whether the response was refused because it is larger than the store accepts.
  var isTooLarge: Bool { get }

  func append(_ content: UnsafeRawBufferPointer)

  /// Abandons the insertion and frees the disk space that it has taken. Any thread may call this; it blocks while a
  /// commit is in progress.
  ///
  /// - Returns: whether there was anything to free.
  func abandon() -> Bool

  /// Completes the insertion when the whole content has been appended.
  func commit() -> InsertionOutcome

  /// Keeps what came of a transfer that broke off, if the rest may follow: on the disk, for a later run.
  ///
  /// - Returns: the stored part; `nil` if nothing is kept.
  func commitPart() -> StoredResponse?
}

/// An insertion that writes to the disk, to memory or to both while the content arrives. A store error ends the write
/// to the disk, and the fetch goes on without it.
final class DirectInsertion: Insertion {
  let tier: StorageTier
  private let lock = Lock()
  // Under the lock.
  private var entry: EntryWriter?
  // Used only by the thread that appends.
  private var held: MemoryWriter?
  private let stored: StoredResponse
  /// Why the disk does not have the response; meaningful once `entry` is gone.
  private var refusal: NotStored
  private let isForDisk: Bool
  /// Bytes of content appended so far.
  private var length: UInt64 = 0
  private let reclaimableSpace: ReclaimableSpace

  var isTooLarge: Bool { refusal == .tooLarge }

  /// - Parameter memory: `nil` for a part.
  init(
    _ stored: StoredResponse, entry: consuming EntryWriter, memory: consuming MemoryWriter?,
    reclaimableSpace: ReclaimableSpace
  ) {
    self.stored = stored
    self.reclaimableSpace = reclaimableSpace
    self.entry = consume entry
    tier = .disk
    isForDisk = true
    refusal = .storeUnavailable
    if let memory { held = consume memory }
  }

  /// - Parameter refusal: why the disk does not take the response; `nil` if it was not meant for the disk.
  init(
    _ stored: StoredResponse, memory: consuming MemoryWriter?, insteadOfDisk refusal: NotStored?,
    reclaimableSpace: ReclaimableSpace
  ) {
    self.stored = stored
    self.reclaimableSpace = reclaimableSpace
    tier = .memory
    isForDisk = refusal != nil
    // Size is the only reason for which memory refuses a response that it has begun to take.
    self.refusal = refusal ?? .tooLarge
    if let memory { held = consume memory }
  }

  func append(_ content: UnsafeRawBufferPointer) {
    length += UInt64(content.count)
    if var active = held.take() {
      active.append(content)
      held = consume active
    }
    lock.lock()
    defer { lock.unlock() }
    guard var active = entry.take() else { return }
    do throws(StoreError) {
      try active.append(content)
      entry = consume active
    } catch {
      _ = consume active
      refusal = reclaimableSpace.noteFailure(error)
    }
  }

  func abandon() -> Bool {
    lock.lock()
    defer { lock.unlock() }
    return entry.take() != nil
  }

  /// Commits to both tiers. The response counts as stored if at least one of them has it.
  func commit() -> InsertionOutcome {
    if !stored.isComplete(with: length) { return .refused(.incomplete) }
    let refusal = commitEntry()
    // In memory, an overtaken response would hide the more recent one from this run, and an invalidated one, or one
    // that may be, must not be kept at all.
    if let refusal, [.overtaken, .invalidated, .storeChanged].contains(refusal) { return .refused(refusal) }
    var isHeld = false
    if let finished = held.take() { isHeld = finished.commit(stored) }
    guard let refusal else { return .stored(stored) }
    return isHeld ? .held(stored, insteadOf: isForDisk ? refusal : nil) : .refused(refusal)
  }

  /// - Returns: why the disk does not have the response; `nil` if it has.
  private func commitEntry() -> NotStored? {
    lock.lock()
    defer { lock.unlock() }
    guard let finished = entry.take() else { return refusal }
    return commit(finished, as: stored) ? nil : refusal
  }

  func commitPart() -> StoredResponse? {
    lock.lock()
    defer { lock.unlock() }
    guard let broken = entry.take(), let part = PartialContent.interrupted(stored, after: broken.length)
    else { return nil }
    return commit(broken, as: part) ? part : nil
  }

  private func commit(_ entry: consuming EntryWriter, as stored: StoredResponse) -> Bool {
    let written = entry.identity(as: stored)
    do throws(StoreError) {
      switch try entry.commit(stored) {
      case .stored:
        reclaimableSpace.noteStored(written)
        return true
      case .overtaken: refusal = .overtaken
      case .invalidated: refusal = .invalidated
      case .storeChanged: refusal = .storeChanged
      }
    } catch {
      refusal = reclaimableSpace.noteFailure(error)
    }
    return false
  }
}
