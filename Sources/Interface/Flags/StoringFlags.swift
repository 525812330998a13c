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
    summary: "Store the response as one that is fresh for TIME.",
    details: #"""
      TIME counts from when the response comes, whatever lifetime its origin gave it, and takes the place of an
      unqualified `no-cache`, too. `no-store` still keeps it out of the cache: \flag{strip-header} Cache-Control
      overrules that. A 302, 307 or 303 is stored by it, but no 4xx or 5xx that would not be stored without it. What is
      stored already is not changed, but where it is validated. TIME is spelt as for \flag{max-time}.
      """#
  ) { invocation, text throws(InvalidValue) in invocation.storing.lifetime = try Quantities.wholeSeconds(text) }

  static let storeHeader = Flag<Invocation>(
    "store-header", value: "LINE", in: .storing,
    facts: { .init(only: subject(ofLine: $0), over: lifetime(ofLine: $0), secrecy: RequestFlags.secrecy(of: $0)) },
    summary: "Store the field LINE in the place of the origin's.",
    details: #"""
      Such as `Cache-Control: max-age=1000`: the rules of the cache then go by it, when they decide whether the response
      is stored and how long it is fresh. What is printed now is what the origin sent; what is stored is printed when it
      is served. `Name;` stores an empty field, `Name:` none. May be repeated. Fields that describe the content, such as
      Content-Encoding, cannot be changed.
      """#
  ) { invocation, text throws(InvalidValue) in
    let change = try FieldChange(parsing: text)
    switch change {
    case .send(let name, value: _), .leaveOut(let name): try checkChangeable(name)
    }
    invocation.storing.fieldChanges.append(change)
  }

  static let stripHeader = Flag<Invocation>(
    "strip-header", value: "NAME", in: .storing, facts: { .init(only: subject(ofName: $0)) },
    summary: "Do not store the field NAME.",
    details: #"""
      The rules of the cache do not see it either: without its Cache-Control a response is stored that says `no-store`.
      May be repeated.
      """#
  ) { invocation, text throws(InvalidValue) in
    guard let name = FieldName(text.bytes) else { throw .expected("the name of a field") }
    try checkChangeable(name)
    invocation.storing.fieldChanges.append(.leaveOut(name))
  }

  static let status = Flag<Invocation>(
    "store-status", value: "CODES", completes: .examples(["200", "200,404", "2xx"]), in: .storing,
    summary: "Store only responses with these status codes.",
    details: """
      CODES is a list such as `200,404`; `2xx` stands for all that begin with 2. What may not be stored anyway is not
      stored by this.
      """
  ) { invocation, text throws(InvalidValue) in invocation.storing.statuses = try StatusCodes.ranges(text) }

  static let forgetOnError = Flag<Invocation>(
    "forget-on-error", negation: .accepted, in: .storing,
    summary: "Remove what is stored where the fetch fails.",
    details: """
      That is where the origin cannot be asked, breaks off, or answers with a status of 400 or more that is not stored,
      and nothing stored is served in its place. Without it, what is stored is kept, as it is by a fetch that is kept
      out of the cache (`--no-store`).
      """
  ) { invocation, isOn in invocation.storing.forgetsOnError = isOn }

  static let tag = Flag<Invocation>(
    "tag", value: "KEY=VALUE", in: .storing, facts: { .init(only: .tag(key(in: $0))) },
    summary: "Note KEY=VALUE with the stored response.",
    details: #"""
      May be repeated. The response has the tag whether it is stored, validated or served by this run, and keeps it when
      another one takes its place; a later tag with the same KEY replaces it. `garner cache show` prints it.
      """#
  ) { invocation, text throws(InvalidValue) in
    guard invocation.storing.tags.set(try TagText.newTag(text)) else {
      throw .unacceptable("a response has at most \(Tags.maximumCount) tags")
    }
  }

  static let pin = Flag<Invocation>(
    "pin", negation: .accepted, in: .storing,
    summary: "Keep the stored response when room is made.",
    details: """
      As `garner cache pin` does afterwards: neither a full cache nor `garner cache prune` removes it, until `garner
      cache unpin` lets it go.
      """
  ) { invocation, isOn in invocation.storing.isPinned = isOn }

  static let hook = Flag<Invocation>(
    "store-hook", value: "COMMAND", in: .storing, facts: { .init(secrecy: .ofCommand($0)) },
    summary: "Let COMMAND decide what is stored, and how.",
    details: #"""
      What it is given, and what it may answer, is told by `garner help hook`. An empty COMMAND is none.

          garner --store-hook 'sh hook.sh' https://example.com/
      """#
  ) { invocation, text throws(InvalidValue) in
    guard !text.bytes.contains(0) else { throw .unacceptable("the value holds a NUL byte") }
    invocation.storing.hook = text
  }

  static let hookTimeout = Flag<Invocation>(
    "store-hook-timeout", value: "TIME", in: .storing,
    summary: "Wait at most TIME for the store hook (default: 10s).",
    details: #"Then it is ended, and nothing is stored. TIME is spelt as for \flag{max-time}, and not 0."#
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
