import CacheStore
import HTTPCaching

/// Where a response is going to be kept, as far as its head tells.
enum InsertionDestination {
  /// And in memory, where that takes it, too.
  case disk(Store)
  /// Alone: the disk does not take it, or was not to (`nil`).
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

  /// - Parameter refusal: why the disk does not take it, where it was to.
  func destination(
    of stored: StoredResponse, as storage: StoragePolicy, besidesDisk refusal: NotStored
  ) -> InsertionDestination {
    let wasForDisk = storage == .allowed
    guard let memoryRefusal = memory.refusal(of: stored, as: storage) else {
      return .memory(insteadOfDisk: wasForDisk ? refusal : nil)
    }
    return .nowhere(wasForDisk ? refusal : memoryRefusal)
  }
}
