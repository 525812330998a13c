import CacheStore
import FlagTable
import HTTPCaching
import HTTPSemantics
import Interface
import Platform

/// The command `garner cache complete`: prints what a shell can offer to complete a word.
extension CacheCommand {
  /// The most words to print: more than anybody reads.
  private static let maximumWords = 200
  /// The longest time to search: the user would feel a longer one between a key and its echo.
  private static let patienceNanoseconds: UInt64 = 200_000_000

  /// Prints the stored words that begin with the operand, one per line, as many as are found in a short time.
  ///
  /// A URL with a secret in it is left out, because the shell's menu would show the secret.
  func complete(_ kind: StoredWordKind) throws(Failure) {
    let prefix = invocation.operands.first?.bytes ?? []
    let words: Set<String>
    switch kind {
    case .hosts: words = try hosts(beginningWith: prefix)
    case .urls:
      words = try self.words(beginningWith: prefix) { entry in
        let url = entry.target.description
        guard Masking.masked(entry.target) == url else { return [] }
        // Users also type URLs without their scheme.
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
    let statistics = try withStore { () throws(StoreError) in try store.statistics() }
    return Set(statistics.hosts.compactMap(\.name).filter { $0.utf8.starts(with: prefix) })
  }

  private func words(
    beginningWith prefix: [UInt8], _ wordsOf: (ListedEntry) -> [String]
  ) throws(Failure) -> Set<String> {
    let (start, now) = (clock.monotonic(), clock.timestamp)
    var words: Set<String> = []
    try withStore { () throws(StoreError) in
      try store.forEachEntry { walked in
        guard let entry = ListedEntry(walked, at: now) else { return true }
        for word in wordsOf(entry) where word.utf8.starts(with: prefix) { words.insert(word) }
        return words.count < Self.maximumWords && clock.monotonic() &- start < Self.patienceNanoseconds
      }
    }
    return words
  }
}
