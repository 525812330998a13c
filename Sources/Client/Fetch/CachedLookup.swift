import CacheStore
import Digests
import HTTPCaching
import Platform

/// What a look-up found, with the content behind an open file.
final class CachedLookup {
  enum Ending: Equatable {
    case whole
    /// Found before any wrong byte left; so many right ones had.
    case damaged(DamagedEntry, delivered: UInt64)
    /// The delivery has noted why.
    case undelivered
  }

  let key: CacheKey
  let selection: Selection
  private let content: StoredContent?

  init(key: CacheKey) {
    self.key = key
    selection = .uriMiss
    content = nil
  }

  init(key: CacheKey, _ found: consuming Lookup) {
    self.key = key
    selection = found.selection
    content = found.takeContent()
  }

  /// Hands stored content to the user, straight from the file where it is not decoded.
  ///
  /// - Parameter insertion: takes the same bytes.
  func deliver(_ range: Range<UInt64>, into delivery: Delivery, and insertion: Insertion? = nil) -> Ending {
    guard delivery.wantsContent || insertion != nil else { return .whole }
    switch content {
    case .none:
      return .undelivered
    case .some(let content):
      if insertion == nil, let descriptor = delivery.directDescriptor() {
        return Self.send(content, range, to: descriptor, delivery)
      }
      return Self.pass(content, range, through: delivery, and: insertion)
    }
  }

  private static func send(
    _ content: borrowing StoredContent, _ range: Range<UInt64>, to descriptor: Descriptor, _ delivery: Delivery
  ) -> Ending {
    do throws(DeliveryFailure<Errno>) {
      delivery.count(try content.send(range, to: descriptor))
      return .whole
    } catch {
      switch error {
      case .damaged(let entry, let delivered):
        delivery.count(delivered)
        return .damaged(entry, delivered: delivered)
      case .sink(let error):
        delivery.fail(delivery.sink.failure(error))
        return .undelivered
      }
    }
  }

  private struct Stopped: Error {}

  private static func pass(
    _ content: borrowing StoredContent, _ range: Range<UInt64>, through delivery: Delivery, and insertion: Insertion?
  ) -> Ending {
    do throws(DeliveryFailure<Stopped>) {
      try content.forEachVerifiedChunk(in: range) { (bytes) throws(Stopped) in
        if !delivery.write(bytes) { throw Stopped() }
        insertion?.append(bytes)
      }
      return .whole
    } catch {
      guard case .damaged(let entry, let delivered) = error else { return .undelivered }
      return .damaged(entry, delivered: delivered)
    }
  }

  /// The SHA-256 of the first bytes of the content, verified anew; `nil` where they cannot be read any more.
  func digest(ofPrefix count: UInt64) -> [UInt8]? {
    switch content {
    case .none:
      return nil
    case .some(let content):
      var digester = Digester(.sha256)
      do throws(DeliveryFailure<Never>) {
        try content.forEachVerifiedChunk(in: 0..<count) { (bytes) throws(Never) in digester.update(bytes) }
      } catch {
        return nil
      }
      return digester.finish()
    }
  }

  func freshen(with stored: StoredResponse, in store: Store) throws(StoreError) {
    switch content {
    case .none: return
    case .some(let content): try store.freshen(content, with: stored)
    }
  }

  /// Notes that what was found has been used.
  func touch(in store: Store) {
    switch content {
    case .none: return
    case .some(let content): store.touch(content)
    }
  }
}
