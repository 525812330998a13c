import HTTPSemantics
import Transport

/// The outcome of a hop.
final class HopOutcome {
  /// The response that was delivered, or `nil` if none came.
  let response: Response?
  /// `nil` if the hop ended before there was anything to report, for example with an empty reply, or in a wait that
  /// took all its time.
  let cache: CacheReport?
  /// The report on all that was sent for the hop; `nil` if nothing was.
  var transfer: TransferReport? { sent?.report }
  /// The number of bytes of content that were received in answer.
  var receivedBytes: Int64 { sent?.report.downloadSize ?? 0 }
  private var sent: Sent?
  /// The number of bytes of content that the user got from the store, so that they were not transferred.
  var savedBytes: UInt64 = 0
  /// Whether what was served is to be brought up to date when the run is over.
  var isToBeRevalidated = false
  /// Set if the hop came to nothing and is tried again.
  var retry: Retry?
  /// Whether the received content is kept nowhere only because of its size, so that a later run begins anew.
  var losesPart = false
  /// The failure that ends the transfer, if nothing or not all could be delivered.
  var failure: Failure?

  init(response: Response? = nil, cache: CacheReport?, failure: Failure? = nil) {
    self.response = response
    self.cache = cache
    self.failure = failure
  }

  /// Takes over what was reported of certificates when the connection was made, if an earlier request made it.
  func takeCertificates(of earlier: HopOutcome?) {
    guard let transfer, let earlier = earlier?.transfer else { return }
    sent = Sent(transfer.withCertificates(of: earlier))
  }

  /// Adds the report on a request that was sent before those already in the report.
  func prepend(_ earlier: TransferReport) {
    sent = Sent(transfer.map { earlier.followed(by: $0, isAnswered: true) } ?? earlier)
  }

  /// Adds the nanoseconds that passed before anything was sent.
  func delay(by wait: UInt64) {
    guard wait > 0, let transfer else { return }
    sent = Sent(transfer.delayed(byMicroseconds: Int64(clamping: wait / 1_000)))
  }

  // A reference, because a report is large, and a response served from the store has none.
  private final class Sent {
    let report: TransferReport

    init(_ report: TransferReport) { self.report = report }
  }

  func failing(with failure: Failure) -> HopOutcome {
    self.failure = failure
    return self
  }
}
