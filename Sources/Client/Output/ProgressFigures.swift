/// The figures of a progress line, and the way they fit a terminal.
struct ProgressFigures {
  /// The bytes received so far.
  var received: UInt64
  /// The part of `received` that does not count for the speed.
  var before: UInt64 = 0
  /// The bytes of the whole; `nil` if they are not known.
  var expected: UInt64?
  /// With several URLs, how many are done, and how many there are.
  var urls: (done: Int, all: Int)?
  /// How long the bytes other than `before` have been coming.
  var nanoseconds: UInt64

  /// Returns the line, with a bar if there is room for one.
  ///
  /// - Parameter width: in columns. Figures that do not fit are left out, the last one first.
  func line(width: Int) -> String {
    let front = [count, percent.map { "\($0)%" }].compactMap { $0 }
    // The last figures are the first to be left out.
    var rest = [bytes, rate.map { "\(ByteCount($0))/s" }, left].compactMap { $0 }
    // The bytes from before are left out first of all, because a bar shows them, too.
    let leastForBar = percent == nil ? 0 : Self.gap.count + Self.narrowestBar
    if Self.columns(front + rest) + leastForBar > width { rest = [bytes(withBefore: false)] + rest.dropFirst() }
    while !rest.isEmpty, Self.columns(front + rest) > width { rest.removeLast() }
    let room = width - Self.columns(front + rest) - Self.gap.count
    let bar = room >= Self.narrowestBar ? self.bar(width: min(room, Self.widestBar)) : nil
    return String((front + [bar].compactMap { $0 } + rest).joined(separator: Self.gap).prefix(width))
  }

  private var count: String? { urls.map { "\($0.done) of \(Words.count($0.all, "URL"))" } }

  private var percent: UInt64? {
    guard let expected, expected > 0 else { return nil }
    return min(100, UInt64(Double(received) / Double(expected) * 100))
  }

  private var bytes: String { bytes(withBefore: true) }

  private func bytes(withBefore: Bool) -> String {
    let earlier = withBefore && before > 0 ? " (\(ByteCount(before)) before)" : ""
    guard percent != nil, let expected else { return "\(ByteCount(received))\(earlier)" }
    return "\(ByteCount(received)) of \(ByteCount(expected))\(earlier)"
  }

  /// Bytes per second; `nil` as long as that would be a guess.
  private var rate: UInt64? {
    nanoseconds < Self.shortestMeasure ? nil : UInt64(Double(received - before) / (Double(nanoseconds) / 1e9))
  }

  private var left: String? {
    guard percent != nil, let expected, let rate, rate > 0 else { return nil }
    return "\(Words.duration(Int64(clamping: (expected - min(received, expected)) / rate))) left"
  }

  /// Returns a bar such as `[==####   ]`: what came before, what has come since, and the rest.
  private func bar(width: Int) -> String? {
    guard percent != nil, let expected else { return nil }
    let columns = Double(width - 2)
    let filled = Int(min(1, Double(received) / Double(expected)) * columns)
    let earlier = min(filled, Int(min(1, Double(before) / Double(expected)) * columns))
    return "[" + String(repeating: "=", count: earlier) + String(repeating: "#", count: filled - earlier)
      + Words.spaces(width - 2 - filled) + "]"
  }

  private static func columns(_ parts: [String]) -> Int {
    parts.reduce(0) { $0 + $1.count } + gap.count * max(0, parts.count - 1)
  }

  private static let gap = "  "
  private static let narrowestBar = 10
  /// A wider bar is no easier to read.
  private static let widestBar = 40
  /// The shortest time for measuring a speed: 0.2 s.
  private static let shortestMeasure: UInt64 = 200_000_000
}

/// A number of bytes for people: `917 B`, `12.3 MiB`.
struct ByteCount: CustomStringConvertible {
  private let bytes: UInt64

  init(_ bytes: UInt64) { self.bytes = bytes }

  /// - Parameter bytes: counts as 0 if it is negative.
  init(clamping bytes: Int64) { self.init(UInt64(clamping: bytes)) }

  var description: String {
    if bytes < 1024 { return "\(bytes) B" }
    var tenths = bytes / 1024 * 10 + bytes % 1024 * 10 / 1024
    var units = ["KiB", "MiB", "GiB", "TiB"][...]
    while tenths >= 10240, units.count > 1 {
      tenths /= 1024
      units.removeFirst()
    }
    return "\(tenths / 10).\(tenths % 10) \(units[units.startIndex])"
  }
}
