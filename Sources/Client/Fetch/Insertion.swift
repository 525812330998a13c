import CacheStore
import HTTPCaching
import Platform

/// Where a stored response is kept.
enum StorageTier {
  /// Perhaps in memory too.
  case disk
  case memory
}

/// What has become of a response that was to be stored.
enum InsertionOutcome {
  /// On the disk, and perhaps in memory, too.
  case stored(StoredResponse)
  /// In memory alone.
  case held(StoredResponse, insteadOf: NotStored)
  case refused(NotStored)
}

/// A response on its way to where it is kept; letting go of it abandons it.
protocol Insertion: AnyObject {
  /// Where the response is going to be, as far as is known when it begins.
  var tier: StorageTier { get }

  /// Whether there was more of it than the store takes of one.
  var isTooLarge: Bool { get }

  func append(_ content: UnsafeRawBufferPointer)

  /// Gives back its room on the disk: it will not be there. Any thread may call this; it blocks while a
  /// commit is in progress.
  ///
  /// - Returns: whether it had some.
  func letGo() -> Bool

  /// Ends it, when the content has come whole.
  func commit() -> InsertionOutcome

  /// Keeps what has come of a transfer that broke off, where the rest may follow: on the disk, for a later run.
  ///
  /// - Returns: what is kept, where anything is.
  func commitPart() -> StoredResponse?
}

/// A response on its way into the store, into memory, or into both. An error of the store's ends its way there, and the
/// fetch goes on without it.
final class DirectInsertion: Insertion {
  let tier: StorageTier
  private let lock = Lock()
  // Under the lock.
  private var entry: EntryWriter?
  // The thread's that appends.
  private var held: MemoryWriter?
  private let stored: StoredResponse
  /// Why the disk does not have it, once it is known that it has not.
  private var refusal: NotStored
  /// Bytes of content until now.
  private var length: UInt64 = 0
  private let faults: StoreFaults
  private let lentRoom: LentRoom

  var isTooLarge: Bool { refusal == .tooLarge }

  /// - Parameter memory: `nil` for a part.
  init(
    _ stored: StoredResponse, entry: consuming EntryWriter, memory: consuming MemoryWriter?, faults: StoreFaults,
    lentRoom: LentRoom
  ) {
    self.stored = stored
    self.faults = faults
    self.lentRoom = lentRoom
    self.entry = consume entry
    tier = .disk
    refusal = .storeUnavailable
    if let memory { held = consume memory }
  }

  /// - Parameter refusal: why the disk does not take it; `nil` where it was not to.
  init(
    _ stored: StoredResponse, memory: consuming MemoryWriter?, insteadOfDisk refusal: NotStored?, faults: StoreFaults,
    lentRoom: LentRoom
  ) {
    self.stored = stored
    self.faults = faults
    self.lentRoom = lentRoom
    tier = .memory
    // Of what memory begins to take, it refuses in the end what it has no room for.
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
      refuse(error)
    }
  }

  func letGo() -> Bool {
    lock.lock()
    defer { lock.unlock() }
    return entry.take() != nil
  }

  /// It is stored where one of both tiers has it.
  func commit() -> InsertionOutcome {
    if !stored.isComplete(with: length) { return .refused(.incomplete) }
    let refusal = commitEntry()
    // In memory it would hide the more recent one from this run, or be what is not to be there any more.
    if let refusal, [.overtaken, .invalidated].contains(refusal) { return .refused(refusal) }
    var isHeld = false
    if let finished = held.take() { isHeld = finished.commit(stored) }
    guard let refusal else { return .stored(stored) }
    return isHeld ? .held(stored, insteadOf: refusal) : .refused(refusal)
  }

  /// - Returns: why the disk does not have it; `nil` where it has.
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
        lentRoom.noteStored(written)
        return true
      case .overtaken: refusal = .overtaken
      case .invalidated: refusal = .invalidated
      }
    } catch {
      refuse(error)
    }
    return false
  }

  /// To be called when the entry is gone.
  private func refuse(_ error: StoreError) {
    lentRoom.noteFreed()
    refusal = error.refusal
    faults.noteUnwritable(error)
  }
}

extension StoreError {
  /// Why a response is not stored.
  var refusal: NotStored {
    switch self {
    case .tooLarge, .contentTooLong: .tooLarge
    case .full: .storeFull
    case .variantsPinned: .variantsPinned
    case .contentChanged: .hookFailed
    case .unsafe, .failed, .damaged, .headTooLarge, .notItsExtent: .storeUnavailable
    }
  }
}
