import HTTPCaching
import HTTPSemantics
import TestSupport

/// A sample entry, whose URL, head and content are determined by its number and the seed.
struct SampleEntry {
  let stored: StoredResponse
  let length: Int
  let lastUseSeconds: Int64
  private let filler: UInt8

  init(_ number: Int, seed: UInt64) {
    var random = SeededNumbers(seed: seed &+ UInt64(number) &* 0x9e37_79b9_7f4a_7c15)
    let host = "host\(random.next() % 50).example"
    let (type, ending) = Self.types[Int(random.next() % UInt64(Self.types.count))]
    let target = TargetURI(
      origin: .init(scheme: .https, host: host, port: 443), pathAndQuery: "/section/\(number % 977)/\(number).\(ending)"
    )
    // Most entries are small and a few are large: each doubling of the size is half as frequent.
    length = min(Int(random.next() % 2_048) << random.next().trailingZeroBitCount, 256 << 10)
    let age = Int64(random.next() % 8_640_000)
    lastUseSeconds = Self.now - age
    filler = UInt8(truncatingIfNeeded: random.next())
    let time = Timestamp(secondsSinceEpoch: lastUseSeconds)
    let fields: Fields = [
      "Date": HTTPDate.format(time), "Content-Type": FieldValue(type),
      "Content-Length": FieldValue(String(length)),
      "Cache-Control": FieldValue("max-age=\(random.next() % 31_536_000)"),
      "ETag": FieldValue("\"\(String(random.next(), radix: 16))\""), "Server": "sample", "Vary": "Accept-Encoding",
    ]
    stored = StoredResponse(
      Response(200, reason: "OK", fields: fields), under: CacheKey(target), requestTime: time, responseTime: time)
  }

  var content: [UInt8] { [UInt8](repeating: filler, count: length) }

  /// Sat, 21 Nov 2026 00:00:00 GMT. A fixed time, so that a seed always makes the same store.
  private static let now: Int64 = 1_795_219_200

  private static let types = [
    ("text/html; charset=utf-8", "html"), ("application/json", "json"), ("image/png", "png"), ("text/css", "css"),
    ("text/javascript", "js"), ("image/jpeg", "jpg"), ("application/octet-stream", "bin"), ("text/plain", "txt"),
  ]
}
