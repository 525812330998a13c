package import FlagTable
package import HTTPCaching
import HTTPSemantics

/// The options that say how a response is stored.
package struct StoringOptions: Equatable, Sendable {
  package var tags = Tags()
  package var isPinned = false
  /// Changes to the fields that are stored.
  package var fieldChanges: [FieldChange] = []
  /// The statuses of the responses that are stored; empty for all.
  package var statuses: [ClosedRange<UInt16>] = []
  /// In seconds.
  package var lifetime: Int64?
  package var forgetsOnError = false
  /// A command for `sh -c`; empty for none.
  package var hook: ArgumentText?
  package var hookTimeLimit: Duration?
}

enum StoringFlags {
  static let all: [Flag<Invocation>] = [
    lifetime, storeHeader, stripHeader, status, forgetOnError, tag, pin, hook, hookTimeout,
  ]

  static let lifetime = Flag<Invocation>(
    "ttl", value: "TIME", in: .storing,
    summary: "Store the response with a freshness lifetime of TIME.",
    details: #"""
      TIME starts when the response arrives. It replaces the lifetime that the origin gave, and also an unqualified
      `no-cache`. A response with `no-store` is still not stored; to overrule that, use \flag{strip-header}
      Cache-Control. With the option, a 302, 307 or 303 is stored, but no 4xx or 5xx that would not be stored without
      it. A response that is already stored changes only when it is validated. TIME has the format of \flag{max-time}.
      """#
  ) { invocation, text throws(InvalidValue) in invocation.storing.lifetime = try Quantities.wholeSeconds(text) }

  static let storeHeader = Flag<Invocation>(
    "store-header", value: "LINE", in: .storing,
    facts: { .init(only: subject(ofLine: $0), over: lifetime(ofLine: $0), secrecy: RequestFlags.secrecy(of: $0)) },
    summary: "Store the header field LINE in place of the origin's.",
    details: """
      An example is `Cache-Control: max-age=1000`. The rules of the cache use this field to decide whether the response
      is stored and how long it is fresh. This run prints the field that the origin sent; runs that serve the stored
      response print the stored one. `Name;` stores an empty field, and `Name:` stores none. The option may be repeated.
      Fields that describe the content, such as Content-Encoding, cannot be changed.
      """
  ) { invocation, text throws(InvalidValue) in
    let change = try FieldChange(parsing: text)
    switch change {
    case .send(let name, value: _), .leaveOut(let name): try checkChangeable(name)
    }
    invocation.storing.fieldChanges.append(change)
  }

  static let stripHeader = Flag<Invocation>(
    "strip-header", value: "NAME", in: .storing, facts: { .init(only: subject(ofName: $0)) },
    summary: "Do not store the header field NAME.",
    details: """
      The rules of the cache do not see the field either: without its Cache-Control, a response that says `no-store` is
      stored. The option may be repeated.
      """
  ) { invocation, text throws(InvalidValue) in
    guard let name = FieldName(text.bytes) else { throw .expected("the name of a field") }
    try checkChangeable(name)
    invocation.storing.fieldChanges.append(.leaveOut(name))
  }

  static let status = Flag<Invocation>(
    "store-status", value: "CODES", completes: .examples(["200", "200,404", "2xx"]), in: .storing,
    summary: "Store only responses with these status codes.",
    details: """
      CODES is a list such as `200,404`; `2xx` stands for all codes that begin with 2. A response that may not be stored
      anyway is not stored with this option either.
      """
  ) { invocation, text throws(InvalidValue) in invocation.storing.statuses = try StatusCodes.ranges(text) }

  static let forgetOnError = Flag<Invocation>(
    "forget-on-error", negation: .accepted, in: .storing,
    summary: "Remove the stored response if the fetch fails.",
    details: """
      A fetch fails if the origin cannot be asked, if the answer breaks off, or if its status is 400 or above and it is
      not stored; and in each case, if no stored response is served in its place. Without the option, the stored
      response is kept. A fetch that does not use the cache (`--no-store`) keeps it even with the option.
      """
  ) { invocation, isOn in invocation.storing.forgetsOnError = isOn }

  static let tag = Flag<Invocation>(
    "tag", value: "KEY=VALUE", in: .storing, facts: { .init(only: .tag(key(in: $0))) },
    summary: "Tag the stored response with KEY=VALUE.",
    details: """
      The option may be repeated. The response gets the tag whether this run stores, validates or serves it, and keeps
      it when another response replaces it. A later tag with the same KEY replaces this one. If the response is not
      stored, a warning says why. `garner cache show` prints the tags.
      """
  ) { invocation, text throws(InvalidValue) in
    guard invocation.storing.tags.set(try TagText.newTag(text)) else {
      throw .unacceptable("a response has at most \(Tags.maximumCount) tags")
    }
  }

  static let pin = Flag<Invocation>(
    "pin", negation: .accepted, in: .storing,
    summary: "Keep the stored response when the cache is full.",
    details: """
      Does what `garner cache pin` does afterwards: neither a full cache nor `garner cache prune` removes the response,
      until `garner cache unpin` unpins it. If the response is not stored, a warning says why.
      """
  ) { invocation, isOn in invocation.storing.isPinned = isOn }

  static let hook = Flag<Invocation>(
    "store-hook", value: "COMMAND", in: .storing, facts: { .init(secrecy: .ofCommand($0)) },
    summary: "Let COMMAND decide what is stored, and how.",
    details: """
      `garner help hook` describes what the command reads and what it may answer. An empty COMMAND means no hook.

          garner --store-hook 'sh hook.sh' https://example.com/
      """
  ) { invocation, text throws(InvalidValue) in
    guard !text.bytes.contains(0) else { throw .unacceptable("the value holds a NUL byte") }
    invocation.storing.hook = text
  }

  static let hookTimeout = Flag<Invocation>(
    "store-hook-timeout", value: "TIME", in: .storing,
    summary: "Wait at most TIME for the store hook (default: 10s).",
    details: #"""
      When TIME has passed, the hook is ended, and nothing is stored. TIME has the format of \flag{max-time}, and must
      not be 0.
      """#
  ) { invocation, text throws(InvalidValue) in
    let limit = try Quantities.duration(text)
    guard limit > .zero else { throw .expected("a time above 0") }
    invocation.storing.hookTimeLimit = limit
  }

  private static func key(in value: ArgumentText) -> String {
    (try? TagText.tag(value))?.key ?? value.visible
  }

  private static func checkChangeable(_ name: FieldName) throws(InvalidValue) {
    guard StorableFields.describesContent(name) else { return }
    throw .unacceptable("\(name) describes the content, which is stored as it came")
  }

  @Sendable private static func subject(ofLine line: ArgumentText) -> Subject? {
    switch try? FieldChange(parsing: line) {
    case .send(let name, value: _), .leaveOut(let name): .storedField(name)
    case nil: nil
    }
  }

  /// Returns the subject of `--ttl` for a line that sets the stored Cache-Control, since both say how long the response
  /// is fresh. A line that leaves out the origin's Cache-Control can be combined with `--ttl`.
  private static func lifetime(ofLine line: ArgumentText) -> [Subject] {
    if case .send(.cacheControl, value: _) = try? FieldChange(parsing: line) { return [.flag(lifetime.name)] }
    return []
  }

  @Sendable private static func subject(ofName name: ArgumentText) -> Subject? {
    FieldName(name.bytes).map { .storedField($0) }
  }
}
