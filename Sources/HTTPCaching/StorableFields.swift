package import HTTPSemantics

/// The rules for which fields of a response are stored (RFC 9111 section 3.1), and which of them a later answer updates
/// (section 3.2).
package enum StorableFields {
  /// Fields of one connection, "including, but not limited to" those that RFC 9111 section 3.1 names.
  private static let connectionFields: [FieldName] = [
    .connection, .keepAlive, .proxyAuthenticate, .proxyAuthenticationInfo, .proxyAuthorization, .proxyConnection, .te,
    .trailer, .transferEncoding, .upgrade,
  ]

  /// Fields that describe the stored content, which another answer's values would make unreadable. They are the "header
  /// fields that the cache's stored response depends upon" and the Content-Length header field (RFC 9111 section 3.2).
  private static let contentFields: [FieldName] = [
    .contentLength, .contentEncoding, .contentRange, "Content-MD5", "Content-Digest", "Repr-Digest", "Digest",
  ]

  /// Whether a stored response without the field would be taken for another one, or for a fresher one. No sender may
  /// name such a field in Connection: they are "intended for all recipients of the content" (RFC 9110 section 7.6.1). A
  /// no-cache that names one counts as unqualified.
  static func isIndispensable(_ name: FieldName) -> Bool {
    describesContent(name) || [.cacheControl, .age, .date, .expires, .vary].contains(name)
  }

  /// Whether a field says how to read the content, or what it is a part of. With another value, or without it, the
  /// stored content would not be the origin's.
  package static func describesContent(_ name: FieldName) -> Bool { contentFields.contains(name) }

  /// Returns the fields with a Date: "A recipient with a clock that receives a response message without a Date header
  /// field MUST record the time it was received and append a corresponding Date header field to the message's header
  /// section if it is cached" (RFC 9110 section 6.6.1).
  package static func dated(_ fields: Fields, receivedAt responseTime: Timestamp) -> Fields {
    var dated = fields
    if !dated.contains(.date) { dated.append(.date, HTTPDate.format(responseTime)) }
    return dated
  }

  /// Returns the fields that are stored with a response.
  package static func stored(_ fields: Fields) -> Fields { stored(fields, CacheControl(of: fields)) }

  /// - Parameter directives: the directives in the fields.
  static func stored(_ fields: Fields, _ directives: CacheControl) -> Fields {
    // "The qualified form of the no-cache response directive, with an argument that lists one or more field names,
    // indicates that a cache MUST NOT use the response to satisfy a subsequent request ... without successful
    // validation", unless it leaves out these fields: they are not stored, so they cannot be used (RFC 9111 section
    // 5.2.2.4).
    var kept = fields
    var named = Set(directives.noCacheFields)
    // "The Connection header field and fields whose names are listed in it are required by Section 7.6.1 of [HTTP] to
    // be removed before forwarding the message."
    fields.forEachMember(of: .connection) { member in
      // Most Connection fields only list names that are removed below.
      if let name = FieldName(member), !connectionFields.contains(name) { named.insert(name) }
    }
    if !named.isEmpty { kept.removeAll { named.contains($0.name) && !isIndispensable($0.name) } }
    for name in connectionFields { kept.removeAll(name) }
    return kept
  }

  /// Returns the fields of a 304 that only the request it answers gets: those that `no-cache` keeps from any use
  /// "without successful validation", which this has been (RFC 9111 section 5.2.2.4).
  ///
  /// - Parameter kept: the fields that are stored from now on.
  static func lent(by answer: Fields, beside kept: Fields) -> [Field] {
    let named = CacheControl(of: kept).noCacheFields
    if named.isEmpty { return [] }
    // As if the answer had no directives: only the fields of the connection are left out.
    let endToEnd = stored(answer, CacheControl(of: Fields()))
    return endToEnd.lines.filter { named.contains($0.name) && !isIndispensable($0.name) }
  }

  /// Returns the stored fields, updated by a 304 or by a HEAD's answer.
  package static func updated(_ stored: Fields, with answer: Fields) -> Fields {
    var updates = Self.stored(answer)
    updates.removeAll { contentFields.contains($0.name) }
    let names = Set(updates.lines.map(\.name))
    var result = stored
    result.removeAll { names.contains($0.name) }
    for line in updates.lines { result.append(line) }
    // If the answer introduces a qualified no-cache, the fields that it names are removed from those stored already.
    return Self.stored(result)
  }
}

/// Freshening a stored response (RFC 9111 section 4.3.4).
package enum Freshening {
  /// Returns the stored response, updated by an answer: with its fields, and with the age counted from its times.
  static func freshened(_ stored: StoredResponse, by answer: Answer) -> StoredResponse {
    var fresh = stored
    let update = StorableFields.dated(answer.response.fields, receivedAt: answer.responseTime)
    fresh.response.fields = StorableFields.updated(stored.fields, with: update)
    // The old answer's Age does not apply to the new one.
    if !update.contains(.age) { fresh.response.fields.removeAll(.age) }
    fresh.requestTime = answer.requestTime
    fresh.responseTime = answer.responseTime
    fresh.isDoubtful = false
    return fresh
  }
}
