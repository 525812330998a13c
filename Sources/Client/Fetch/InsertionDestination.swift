import CacheStore
import HTTPCaching
import HTTPSemantics

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

  /// What came of beginning to store a response.
  enum Beginning {
    case begun(any Insertion)
    case refused(NotStored)
  }

  /// Begins to store a response where it goes, and asks no hook.
  func beginDirectInsertion(
    of stored: StoredResponse, as storage: StoragePolicy, unlessInvalidated watch: InvalidationWatch?
  ) -> Beginning {
    beginDirectInsertion(
      of: stored, as: storage, in: destination(of: stored, as: storage), unlessInvalidated: watch)
  }

  private func beginDirectInsertion(
    of stored: StoredResponse, as storage: StoragePolicy, in destination: InsertionDestination,
    unlessInvalidated watch: InvalidationWatch?
  ) -> Beginning {
    switch destination {
    case .disk(let store):
      do throws(StoreError) {
        let entry = try store.beginInsertion(
          expecting: stored.announcedLength, removingOrphans: condition.takeFirstInsertion(), unlessInvalidated: watch)
        let memory = memory.beginInsertion(of: stored, as: storage)
        let insertion = DirectInsertion(stored, entry: entry, memory: memory, faults: faults, lentRoom: lentRoom)
        lentRoom.note(insertion)
        return .begun(insertion)
      } catch {
        faults.noteUnwritable(error)
        let other = self.destination(of: stored, as: storage, besidesDisk: error.refusal)
        return beginDirectInsertion(of: stored, as: storage, in: other, unlessInvalidated: watch)
      }
    case .memory(insteadOfDisk: let refusal):
      let memory = memory.beginInsertion(of: stored, as: storage)
      return .begun(
        DirectInsertion(stored, memory: memory, insteadOfDisk: refusal, faults: faults, lentRoom: lentRoom))
    case .nowhere(let refusal):
      return .refused(refusal)
    }
  }

  /// Watches whether an answer to a request that is about to be sent may be stored when it has come.
  ///
  /// - Returns: `nil` for what invalidates itself, and where nothing will be stored.
  func watch(_ hop: Hop) -> InvalidationWatch? {
    guard hop.storage == .allowed, hop.request.method.isSafe, let store, !isOff else { return nil }
    return store.watch(hop.request.target)
  }
}
