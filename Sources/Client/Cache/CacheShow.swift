import CacheStore
import HTTPCaching
import HTTPSemantics
import Interface
import Platform

/// `garner cache show`.
extension CacheCommand {
  func show() throws(Failure) {
    let entries = try entriesOfURL()
    switch invocation.storeCommand.form {
    case .json:
      let values = entries.map {
        JSON.object($0.json(showingSecrets: invocation.storeCommand.showsSecrets) + details(of: $0)).text
      }
      try printer.write(JSON.lines(values))
    case .fields:
      for entry in entries { try printer.write(bytes: shown(entry.stored.response)) }
    case nil, .jsonLines, .nulSeparated:
      for (index, entry) in entries.enumerated() {
        if index > 0 { try printer.write("\n") }
        try printer.write(description(of: entry, as: index + 1, of: entries.count))
        try printer.write(bytes: shown(entry.stored.response))
      }
    }
  }

  private func details(of entry: ListedEntry) -> [(String, JSON)] {
    let stored = entry.stored
    let headers = stored.fields.lines.map { line in
      JSON.array([.string(line.name.spelling), shownValue(of: line).map { .string($0.text) } ?? .null])
    }
    let selecting = stored.selecting.members.map { member in
      JSON.object([("name", .string(member.name.spelling)), ("value", member.value.json)])
    }
    return [
      ("requested_at", .string(InternetDate.format(stored.requestTime))),
      ("lifetime", .number(entry.freshness.lifetime.seconds)),
      ("lifetime_source", .string(entry.freshness.lifetime.source.rawValue)),
      ("selecting", .array(selecting)),
      ("path", .string(path(of: entry.walked))),
      ("file_size", .number(entry.walked.size)), ("headers", .array(headers)),
    ]
  }

  private func description(of entry: ListedEntry, as number: Int, of count: Int) -> String {
    var rows = [("url", entry.url(showingSecrets: invocation.storeCommand.showsSecrets))]
    if count > 1 { rows.append(("response", "\(number) of \(count)")) }
    rows += self.rows(of: entry)
    let lines = rows.map { name, value in Words.left(name, Self.nameWidth) + Escaping.visible(value) + "\n" }
    return lines.joined() + "\n"
  }

  /// The width of the longest name and a space.
  private static let nameWidth = 10

  private func rows(of entry: ListedEntry) -> [(String, String)] {
    let stored = entry.stored
    let freshness = entry.freshness
    var rows = [
      ("method", stored.requestMethod.name),
      ("size", stored.isPart ? "\(entry.size { String($0) }) bytes" : Words.count(stored.contentLength, "byte")),
      ("requested", InternetDate.format(stored.requestTime)),
      ("stored", "\(InternetDate.format(stored.responseTime)) (age \(freshness.age.seconds) s)"),
      ("used", InternetDate.format(entry.usedAt)),
      ("expires", InternetDate.format(entry.expiresAt)),
      ("state", stateWords(entry)),
      ("lifetime", lifetimeWords(freshness.lifetime)),
    ]
    for name: FieldName in [.etag, .lastModified] {
      if let value = stored.fields[name] { rows.append(("validator", "\(name): \(value.text)")) }
    }
    if stored.isPinned { rows.append(("pinned", "yes: pruning does not remove it")) }
    for tag in stored.marks.tags.all { rows.append(("tag", tag.description)) }
    for group in entry.groups { rows.append(("group", String(decoding: group, as: UTF8.self))) }
    switch stored.key.primary {
    case .target: break
    case .reduced(_, without: let ignored): rows.append(("without", "the parameters \(ignored)"))
    case .chosen: rows.append(("key", stored.key.primary.words(masked: !invocation.storeCommand.showsSecrets)))
    }
    if stored.key.audience != nil { rows.append(("for", "requests with certain credentials, trust or partition")) }
    if stored.key.content != nil { rows.append(("content", "the request content is part of the key")) }
    for member in stored.selecting.members { rows.append(("varies by", "\(member.name): \(member.value.words)")) }
    rows.append(("file", "\(path(of: entry.walked)) (\(entry.walked.size) bytes)"))
    return rows
  }

  private func lifetimeWords(_ lifetime: FreshnessLifetime) -> String {
    if lifetime.source == .none { return "0 s: it states none" }
    return "\(lifetime.seconds) s, from \(lifetime.source.words)"
  }

  private func stateWords(_ entry: ListedEntry) -> String {
    switch entry.state {
    case .fresh: "fresh for \(entry.freshness.remaining) s more"
    case .stale: entry.freshness.staleWords
    case .validate: "to be validated before every use (no-cache)"
    case .partial:
      "a part: bytes \(entry.stored.heldBytes.lowerBound) to \(entry.stored.heldBytes.upperBound - 1)"
    }
  }

  /// Returns the head as it is printed: raw in a pipe, escaped for a terminal, and with secrets hidden.
  private func shown(_ response: Response) -> [UInt8] {
    var response = response
    var fields = Fields()
    for line in response.fields.lines { fields.append(line.name, shownValue(of: line) ?? "(not shown)") }
    response.fields = fields
    return printer.isTerminal ? Escaping.visibleLines(of: response.head) : response.head
  }

  /// Returns the value as it is printed, or `nil` if it is hidden: stored cookies give access to anyone who reads
  /// them, like a token in a URL.
  private func shownValue(of line: Field) -> FieldValue? {
    if invocation.storeCommand.showsSecrets { return line.value }
    return Masking.shownValue(line.value.bytes[...], of: line.name, in: .response, credentialFields)
      .map { FieldValue($0) }
  }
}

extension SelectingFields.Value {
  /// The value as text, not escaped.
  var words: String {
    switch self {
    case .absent: "(absent)"
    case .plain(let bytes): String(decoding: bytes, as: UTF8.self)
    case .concealed: "(not shown)"
    }
  }

  /// The value as a string if it may be shown; otherwise null.
  fileprivate var json: JSON {
    if case .plain(let bytes) = self { .string(String(decoding: bytes, as: UTF8.self)) } else { .null }
  }
}
