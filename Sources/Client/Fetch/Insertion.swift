import CacheStore
import HTTPCaching

/// A response on its way into the store. The first error ends it, and the fetch goes on without it.
final class Insertion {
  private struct Open: ~Copyable {
    var writer: EntryWriter
  }

  private var open: Open?
  private let stored: StoredResponse
  private var refusal = NotStored.storeUnavailable
  private let reportFailure: (StoreError) -> Void

  init(
    _ writer: consuming EntryWriter, _ stored: StoredResponse, reportFailure: @escaping (StoreError) -> Void
  ) {
    open = Open(writer: writer)
    self.stored = stored
    self.reportFailure = reportFailure
  }

  func append(_ content: UnsafeRawBufferPointer) {
    guard var active = open.take() else { return }
    do throws(StoreError) {
      try active.writer.append(content)
      open = consume active
    } catch {
      refuse(error)
    }
  }

  /// - Returns: why the response is not stored; `nil` where it is.
  func commit() -> NotStored? {
    guard let finished = open.take() else { return refusal }
    if stored.isPart, finished.writer.length != stored.heldBytes.upperBound - stored.heldBytes.lowerBound {
      return .incomplete
    }
    return commit(finished, as: stored) ? nil : refusal
  }

  /// Keeps what has come of a transfer that broke off, where the rest may follow.
  ///
  /// - Returns: what is kept, where anything is.
  func commitPart() -> StoredResponse? {
    guard let broken = open.take(), let part = PartialContent.interrupted(stored, after: broken.writer.length)
    else { return nil }
    return commit(broken, as: part) ? part : nil
  }

  private func commit(_ open: consuming Open, as stored: StoredResponse) -> Bool {
    do throws(StoreError) {
      try open.writer.commit(stored)
      return true
    } catch {
      refuse(error)
      return false
    }
  }

  private func refuse(_ error: StoreError) {
    refusal = error.refusal
    reportFailure(error)
  }
}

extension StoreError {
  /// Why a response is not stored.
  var refusal: NotStored {
    switch self {
    case .tooLarge, .contentTooLong: .tooLarge
    case .full: .storeFull
    case .unsafe, .failed, .damaged, .headTooLarge, .notItsExtent: .storeUnavailable
    }
  }
}
