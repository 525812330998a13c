package import HTTPSemantics

/// What the user orders for responses on their way into the cache.
///
/// They change the head that is stored; the rules of RFC 9111 see the changed one, and the user gets the origin's.
package struct StoringRules: Equatable, Sendable {
  /// Take the place of the origin's fields of the same names.
  package var replacements: [Field]
  /// The names of fields that are not stored.
  package var stripped: [FieldName]
  /// The statuses of the responses that are stored; all where there are none.
  package var statuses: [ClosedRange<UInt16>]
  /// Whether no error is stored: its content is not held against the digest that the user expects.
  package var omitsErrors: Bool
  /// The freshness lifetime, whatever the origin gave; in seconds from when the response came.
  package var lifetime: Int64?
  /// Whether a fetch that fails removes what is stored.
  package var forgetsOnError: Bool
  /// Whether a hook has the last word on the head.
  package var asksHook: Bool

  package init(
    replacements: [Field] = [], stripped: [FieldName] = [], statuses: [ClosedRange<UInt16>] = [],
    omitsErrors: Bool = false, lifetime: Int64? = nil, forgetsOnError: Bool = false, asksHook: Bool = false
  ) {
    self.replacements = replacements
    self.stripped = stripped
    self.statuses = statuses
    self.omitsErrors = omitsErrors
    self.lifetime = lifetime
    self.forgetsOnError = forgetsOnError
    self.asksHook = asksHook
  }

  package static let none = StoringRules()

  func admits(_ status: StatusCode) -> Bool {
    !(omitsErrors && status.isError) && (statuses.isEmpty || statuses.contains { $0.contains(status.rawValue) })
  }

  private var leavesFields: Bool { replacements.isEmpty && stripped.isEmpty }

  /// The fields as they are to be stored, but for the lifetime.
  func changed(_ fields: Fields) -> Fields {
    if leavesFields { return fields }
    var changed = fields
    changed.removeAll { line in stripped.contains(line.name) || replacements.contains { $0.name == line.name } }
    for field in replacements { changed.append(field) }
    return changed
  }

  /// The answer with the head that is to be stored.
  func changed(_ answer: Answer) -> Answer {
    if leavesFields && lifetime == nil { return answer }
    var response = answer.response
    response.fields = changed(response.fields)
    if let lifetime, mayLast(response) {
      let age = Age(
        of: response.fields, requestTime: answer.requestTime, responseTime: answer.responseTime,
        at: answer.responseTime)
      response.fields = lasting(response.fields, for: lifetime, beyond: age.initial)
    }
    return Answer(
      response, requestTime: answer.requestTime, responseTime: answer.responseTime,
      isSoundlyFramed: answer.isSoundlyFramed)
  }

  /// A stored response with the head that is to be stored in its place.
  func changed(_ stored: StoredResponse) -> StoredResponse {
    var changed = stored
    changed.response.fields = self.changed(stored.fields)
    if let lifetime, mayLast(changed.response) {
      let age = Age(of: changed, at: changed.responseTime).initial
      changed.response.fields = lasting(changed.fields, for: lifetime, beyond: age)
    }
    return changed
  }

  /// Whether the lifetime is for a response of that sort: a fault that would not be stored by itself is not kept alive.
  private func mayLast(_ response: Response) -> Bool {
    !response.status.isError || response.status.isHeuristicallyCacheable
      || CacheControl(of: response.fields).maxAge != .absent || response.fields.contains(.expires)
  }

  /// The fields with that lifetime in the place of the origin's `max-age` and unqualified `no-cache`. `max-age` comes
  /// before Expires (RFC 9111 section 5.3).
  ///
  /// - Parameter age: what the response has behind it already.
  private func lasting(_ fields: Fields, for lifetime: Int64, beyond age: Int64) -> Fields {
    // First: behind a quotation mark that is never closed, nothing is a directive any more.
    var directives = ["max-age=\(lifetime + age)".utf8.map { $0 }[...]]
    for value in fields.values(of: .cacheControl) {
      directives += ListSyntax.members(of: value.bytes).filter { directive in
        let control = CacheControl(of: [.cacheControl: FieldValue(directive)])
        return control.maxAge == .absent && !control.noCache
      }
    }
    var changed = fields
    changed.set(.cacheControl, FieldValue(Array(directives.joined(separator: ", ".utf8))))
    return changed
  }
}
