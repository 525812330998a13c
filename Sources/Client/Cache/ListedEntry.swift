import CacheStore
import HTTPCaching
import HTTPSemantics
import Interface
import Platform

/// A stored response, with what can be said about it now.
struct ListedEntry {
  /// How a stored response can be used for a request made now.
  enum State: String {
    case fresh
    case stale
    /// Fresh or not, it is not used without asking the origin.
    case validate
    /// Only some of the content is there.
    case partial
  }

  let walked: WalkedEntry
  let stored: StoredResponse
  let freshness: Freshness
  private let cacheControl: CacheControl
  private let now: Timestamp

  /// - Returns: `nil` for an entry that cannot be read: a listing shows what can be used.
  init?(_ walked: WalkedEntry, at now: Timestamp) {
    guard let stored = walked.stored else { return nil }
    self.walked = walked
    self.stored = stored
    self.now = now
    cacheControl = stored.cacheControl
    freshness = Freshness(of: stored, cacheControl: cacheControl, at: now)
  }

  var target: TargetURI { stored.key.target }

  var state: State {
    if stored.isPart { return .partial }
    if cacheControl.noCache { return .validate }
    return freshness.isFresh ? .fresh : .stale
  }

  var usedAt: Timestamp { Timestamp(secondsSinceEpoch: walked.modified.seconds) }

  /// When freshness ends or ended; not after now if the response cannot be dated.
  var expiresAt: Timestamp {
    let end = stored.responseTime.advanced(bySeconds: freshness.lifetime.seconds - freshness.age.correctedInitialAge)
    return freshness.isDatable ? end : min(end, now)
  }

  /// Returns the bytes of content, formatted by `word`; for a part, those stored and those of the whole, as `3/7` or
  /// `3/?`.
  func size(_ word: (UInt64) -> String) -> String {
    guard stored.isPart else { return word(stored.contentLength) }
    return "\(word(stored.contentLength))/\(stored.completeLength.map(word) ?? "?")"
  }

  func url(showingSecrets: Bool) -> String {
    showingSecrets ? target.description : Masking.masked(target)
  }

  /// Returns the URL, with the method before it if the request had content: the URL alone asks for something else.
  func name(showingSecrets: Bool) -> String {
    let url = url(showingSecrets: showingSecrets)
    return stored.key.content == nil ? url : "\(stored.requestMethod.name) \(url)"
  }

  /// The members of the JSON forms.
  func json(showingSecrets: Bool) -> [(String, JSON)] {
    ListedField.allCases.map { ($0.rawValue, value(of: $0, showingSecrets: showingSecrets)) }
  }

  func value(of field: ListedField, showingSecrets: Bool) -> JSON {
    switch field {
    case .url: .string(url(showingSecrets: showingSecrets))
    case .method: .string(stored.requestMethod.name)
    case .status: .number(Int64(stored.response.status.rawValue))
    case .type: Self.text(stored.fields[.contentType])
    case .size: .number(Int64(clamping: stored.contentLength))
    case .total: stored.completeLength.map { .number(Int64(clamping: $0)) } ?? .null
    case .storedAt: .string(InternetDate.format(stored.responseTime))
    case .usedAt: .string(InternetDate.format(usedAt))
    case .expiresAt: .string(InternetDate.format(expiresAt))
    case .age: .number(freshness.age.seconds)
    case .ttl: .number(freshness.remaining)
    case .state: .string(state.rawValue)
    case .pinned: .bool(stored.isPinned)
    case .tags: .object(stored.marks.tags.all.map { ($0.key, .string($0.value)) })
    case .vary: .array(stored.selecting.members.map { .string($0.name.spelling) })
    case .etag: Self.text(stored.fields[.etag])
    case .lastModified: Self.text(stored.fields[.lastModified])
    case .groups: .array(groups.map { .string(String(decoding: $0, as: UTF8.self)) })
    case .key: .string(stored.key.description(masked: !showingSecrets))
    }
  }

  private static func text(_ value: FieldValue?) -> JSON {
    value.map { .string($0.text) } ?? .null
  }
}
