package import HTTPSemantics

/// The user's orders for responses on their way into the cache.
///
/// They change the head that is stored. The rules of RFC 9111 see the changed head, and the user gets the origin's.
package struct StoringRules: Equatable, Sendable {
  /// Fields that replace the origin's fields of the same names.
  package var replacements: [Field]
  /// The names of fields that are not stored.
  package var stripped: [FieldName]
  /// The statuses of the responses that are stored; empty for all.
  package var statuses: [ClosedRange<UInt16>]
  /// Whether errors are not stored, because their content is not checked against the digest that the user expects.
  package var omitsErrors: Bool
  /// The freshness lifetime in seconds from the arrival of the response, whatever the origin gave.
  package var lifetime: Int64?
  /// Whether a fetch that fails removes the stored response.
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

  /// Returns the fields as they are to be stored, except for the lifetime.
  func changed(_ fields: Fields) -> Fields {
    if leavesFields { return fields }
    var changed = fields
    changed.removeAll { line in stripped.contains(line.name) || replacements.contains { $0.name == line.name } }
    for field in replacements { changed.append(field) }
    return changed
  }

  /// Returns the answer with the head that is to be stored.
  func changed(_ answer: Answer) -> Answer {
    if leavesFields && lifetime == nil { return answer }
    var response = answer.response
    response.fields = changed(response.fields)
    if let lifetime, mayLast(response) {
      let age = Age(
        of: response.fields, requestTime: answer.requestTime, responseTime: answer.responseTime,
        at: answer.responseTime)
      response.fields = lasting(response.fields, for: lifetime, beyond: age.correctedInitialAge)
    }
    return Answer(
      response, requestTime: answer.requestTime, responseTime: answer.responseTime,
      isSoundlyFramed: answer.isSoundlyFramed)
  }

  /// Returns the stored response with the head that is to be stored in its place.
  func changed(_ stored: StoredResponse) -> StoredResponse {
    var changed = stored
    changed.response.fields = self.changed(stored.fields)
    if let lifetime, mayLast(changed.response) {
      let age = Age(of: changed, at: changed.responseTime).correctedInitialAge
      changed.response.fields = lasting(changed.fields, for: lifetime, beyond: age)
    }
    return changed
  }

  /// Whether the lifetime applies to the response. An error that would not be stored by itself is not kept alive.
  private func mayLast(_ response: Response) -> Bool {
    !response.status.isError || response.status.isHeuristicallyCacheable
      || CacheControl(of: response.fields).maxAge != .absent || response.fields.contains(.expires)
  }

  /// Returns the fields with the lifetime in place of the origin's `max-age` and unqualified `no-cache`. `max-age`
  /// takes precedence over Expires (RFC 9111 section 5.3).
  ///
  /// - Parameter age: the age of the response when it came.
  private func lasting(_ fields: Fields, for lifetime: Int64, beyond age: Int64) -> Fields {
    // `max-age` comes first, because nothing behind an unclosed quotation mark counts as a directive.
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
