import HTTPCaching

/// The results of a run's URLs, for the line at its end.
struct RunSummary {
  private var urls = 0
  private var served = 0
  private var fetched = 0
  /// The successful URLs with an answer that is not in the cache.
  private var notStored = 0
  private var failed = 0
  /// The URLs that nothing was done for.
  private var leftOut = 0
  /// The bytes of content that came from origins, for the URLs that did not fail.
  private var receivedBytes: UInt64 = 0

  var isOfSeveral: Bool { urls > 1 }
  var hasFailures: Bool { failed > 0 }
  /// Whether something that was to be stored could not be.
  var lacksStored: Bool { notStored > 0 }

  /// - Parameter received: bytes of content that came from the origin.
  mutating func note(_ result: CacheResult?, received: Int64, failed hasFailed: Bool, stored isStored: Bool) {
    urls += 1
    if hasFailed {
      failed += 1
      return
    }
    receivedBytes += UInt64(clamping: received)
    if result?.isServed == true { served += 1 } else { fetched += 1 }
    if !isStored { notStored += 1 }
  }

  /// Notes how many URLs the run was to fetch.
  mutating func note(all count: Int) {
    if count > urls { (urls, leftOut) = (count, count - urls) }
  }

  func text(tellingOfStoring tellsOfStoring: Bool) -> String {
    var parts: [String] = []
    if served > 0 { parts.append("\(served) from the cache") }
    if fetched > 0 { parts.append("\(fetched) fetched (\(ByteCount(receivedBytes)))") }
    if tellsOfStoring, notStored > 0 { parts.append("\(notStored) not stored") }
    if failed > 0 { parts.append("\(failed) failed") }
    if leftOut > 0 { parts.append("\(leftOut) not fetched") }
    let count = Words.count(urls, "URL", "URLs")
    return parts.isEmpty ? count : "\(count): " + parts.joined(separator: ", ")
  }
}
