import CacheStore
import HTTPCaching
import HTTPSemantics

/// Where a response will be kept, as far as its head tells.
enum InsertionDestination {
  /// On the disk, and in memory too if memory accepts it.
  case disk(Store)
  /// In memory alone, with the reason why the disk does not take it; `nil` if it was not meant for the disk.
  case memory(insteadOfDisk: NotStored?)
  case nowhere(NotStored)
}

extension ResponseCache {
  func destination(of stored: StoredResponse, as storage: StoragePolicy) -> InsertionDestination {
    if storage == .notAllowed { return .nowhere(.policy) }
    guard storage == .allowed, let store = storeForWriting() else {
      return destination(of: stored, as: storage, besidesDisk: unusedStore == nil ? .storeUnavailable : .diskOff)
    }
    guard let error = store.refusal(expecting: stored.announcedLength) else { return .disk(store) }
    faults.noteUnwritable(error)
    return destination(of: stored, as: storage, besidesDisk: error.refusal)
  }

  /// - Parameter refusal: why the disk does not take the response; without effect if it was not meant for the disk.
  func destination(
    of stored: StoredResponse, as storage: StoragePolicy, besidesDisk refusal: NotStored
  ) -> InsertionDestination {
    let wasForDisk = storage == .allowed
    guard let memoryRefusal = memory.refusal(of: stored, as: storage) else {
      return .memory(insteadOfDisk: wasForDisk ? refusal : nil)
    }
    return .nowhere(wasForDisk ? refusal : memoryRefusal)
  }

  /// The result of beginning to store a response.
  enum InsertionStart {
    case begun(any Insertion)
    case refused(NotStored)
  }

  /// Begins to store a response in its destination, without asking the user's hook.
  func beginDirectInsertion(
    of stored: StoredResponse, as storage: StoragePolicy, unlessInvalidated watch: InvalidationWatch?
  ) -> InsertionStart {
    beginDirectInsertion(
      of: stored, as: storage, in: destination(of: stored, as: storage), unlessInvalidated: watch)
  }

  private func beginDirectInsertion(
    of stored: StoredResponse, as storage: StoragePolicy, in destination: InsertionDestination,
    unlessInvalidated watch: InvalidationWatch?
  ) -> InsertionStart {
    switch destination {
    case .disk(let store):
      do throws(StoreError) {
        let entry = try store.beginInsertion(
          expecting: stored.announcedLength, removingOrphans: condition.takeFirstInsertion(), unlessInvalidated: watch)
        let memory = memory.beginInsertion(of: stored, as: storage)
        let insertion = DirectInsertion(stored, entry: entry, memory: memory, reclaimableSpace: reclaimableSpace)
        reclaimableSpace.note(insertion)
        return .begun(insertion)
      } catch {
        faults.noteUnwritable(error)
        let other = self.destination(of: stored, as: storage, besidesDisk: error.refusal)
        return beginDirectInsertion(of: stored, as: storage, in: other, unlessInvalidated: watch)
      }
    case .memory(insteadOfDisk: let refusal):
      let memory = memory.beginInsertion(of: stored, as: storage)
      return .begun(
        DirectInsertion(stored, memory: memory, insteadOfDisk: refusal, reclaimableSpace: reclaimableSpace))
    case .nowhere(let refusal):
      return .refused(refusal)
    }
  }

  /// Starts to watch the target of a request that is about to be sent, so that an answer that is invalidated while it
  /// comes is not stored.
  ///
  /// - Returns: `nil` for an unsafe request, which invalidates its target itself, and if nothing will be stored on the
  ///   disk.
  func watch(_ hop: Hop) -> InvalidationWatch? {
    guard hop.storage == .allowed, hop.request.method.isSafe, let store = storeInUse else { return nil }
    return store.watch(hop.request.target)
  }
}

extension StoreError {
  /// Why this error keeps a response from being stored.
  var refusal: NotStored {
    switch self {
    case .tooLarge, .contentTooLong: .tooLarge
    case .headTooLarge: .headTooLarge
    case .full: .storeFull
    case .variantsPinned: .variantsPinned
    case .contentChanged: .hookFailed
    case .notItsExtent: .incomplete
    case .unsafe, .failed, .damaged: .storeUnavailable
    }
  }
}
