import CacheStore
import HTTPCaching

/// A response on its way into the store. The first error ends it, and the fetch goes on without it.
final class Insertion {
  private struct Open: ~Copyable {
    var writer: EntryWriter
  }

  private var open: Open?
  private let stored: StoredResponse
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
      reportFailure(error)
    }
  }

  /// - Returns: whether the response is stored now.
  func commit() -> Bool {
    guard let finished = open.take() else { return false }
    do throws(StoreError) {
      try finished.writer.commit(stored)
      return true
    } catch {
      reportFailure(error)
      return false
    }
  }
}
