import Platform

/// A line about a transfer that lasts, on a terminal.
struct ProgressMeter {
  /// Nobody needs a line about what is over within a second.
  private static let patience: UInt64 = 1_000_000_000
  /// Ten lines a second are as smooth as anybody sees.
  private static let interval: UInt64 = 100_000_000

  private let diagnostics: Diagnostics
  private let clock: Clock
  private var start: UInt64
  private var nextUpdate: UInt64
  private let expected: UInt64?
  private var received: UInt64 = 0
  /// Of that, what came before the present transfer: from the store, or before it broke off.
  private var before: UInt64 = 0
  private let isShown: Bool

  init(_ diagnostics: Diagnostics, clock: Clock, expected: UInt64?, isWanted: Bool) {
    self.diagnostics = diagnostics
    self.clock = clock
    self.expected = expected
    isShown = isWanted && diagnostics.showsProgress
    start = isShown ? clock.monotonic() : 0
    nextUpdate = start &+ Self.patience
  }

  mutating func advance(by bytes: Int) {
    received += UInt64(bytes)
    guard isShown else { return }
    let now = clock.monotonic()
    guard now >= nextUpdate else { return }
    nextUpdate = now &+ Self.interval
    diagnostics.progress(line(elapsed: max(1, now &- start)))
  }

  /// Begins to measure anew: what has been received until now did not come by this transfer.
  mutating func goOn() {
    before = received
    if isShown { start = clock.monotonic() }
  }

  func finish() {
    if isShown { diagnostics.endProgress() }
  }

  private func line(elapsed: UInt64) -> String {
    let rate = UInt64(Double(received - before) / (Double(elapsed) / 1e9))
    let earlier = before > 0 ? " (\(ByteCount(before)) before)" : ""
    guard let expected, expected > 0 else { return "\(ByteCount(received))\(earlier)  \(ByteCount(rate))/s" }
    let percent = min(100, received * 100 / expected)
    let rest = rate > 0 && expected > received ? (expected - received) / rate : 0
    return
      "\(percent)%  \(ByteCount(received)) of \(ByteCount(expected))\(earlier)  \(ByteCount(rate))/s  \(rest) s left"
  }
}

/// A number of bytes for people: `917 B`, `12.3 MiB`.
struct ByteCount: CustomStringConvertible {
  private let bytes: UInt64

  init(_ bytes: UInt64) { self.bytes = bytes }

  var description: String {
    if bytes < 1024 { return "\(bytes) B" }
    var tenths = bytes * 10 / 1024
    var units = ["KiB", "MiB", "GiB", "TiB"][...]
    while tenths >= 10240, units.count > 1 {
      tenths /= 1024
      units.removeFirst()
    }
    return "\(tenths / 10).\(tenths % 10) \(units[units.startIndex])"
  }
}
