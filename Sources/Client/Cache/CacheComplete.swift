import CacheStore
import FlagTable
import HTTPCaching
import HTTPSemantics
import Interface
import Platform

/// `garner cache complete`: what a shell may offer while somebody types.
extension CacheCommand {
  /// More than anybody reads.
  private static let mostWords = 200
  /// Longer is felt between a key and its echo.
  private static let patienceNanoseconds: UInt64 = 200_000_000

  /// Prints what is stored and begins with the word, a line each, as much as is found at once.
  ///
  /// What is of no use in a menu is left out: a URL with a secret in it would be shown with the secret.
  func complete(_ kind: StoredWordKind) throws(Failure) {
    let prefix = invocation.operands.first?.bytes ?? []
    let words: Set<String>
    switch kind {
    case .hosts: words = try hosts(beginningWith: prefix)
    case .urls:
      words = try self.words(beginningWith: prefix) { entry in
        let url = entry.target.description
        guard Masking.masked(entry.target) == url else { return [] }
        // A URL is typed without its scheme as well.
        return prefix.isEmpty ? [url] : [url, entry.target.origin.authority + entry.target.pathAndQuery]
      }
    case .tags: words = try self.words(beginningWith: prefix) { $0.stored.marks.tags.all.map(\.description) }
    case .groups:
      words = try self.words(beginningWith: prefix) { $0.groups.map { String(decoding: $0, as: UTF8.self) } }
    }
    let lines = Array(words).ordered(by: <).map { Escaping.visible($0) + "\n" }
    try printer.write(lines.joined())
  }

  private func hosts(beginningWith prefix: [UInt8]) throws(Failure) -> Set<String> {
    var statistics = StoreStatistics()
    try using("count") { () throws(StoreError) in statistics = try store.statistics() }
    return Set(statistics.hosts.compactMap(\.name).filter { $0.utf8.starts(with: prefix) })
  }

  private func words(
    beginningWith prefix: [UInt8], _ wordsOf: (ListedEntry) -> [String]
  ) throws(Failure) -> Set<String> {
    let (start, now) = (clock.monotonic(), clock.timestamp)
    var words: Set<String> = []
    try using("list") { () throws(StoreError) in
      try store.forEachEntry { walked in
        guard let entry = ListedEntry(walked, at: now) else { return true }
        for word in wordsOf(entry) where word.utf8.starts(with: prefix) { words.insert(word) }
        return words.count < Self.mostWords && clock.monotonic() &- start < Self.patienceNanoseconds
      }
    }
    return words
  }
}
