package import HTTPSemantics

/// Which fields of a response are kept (RFC 9111 section 3.1), and which of them a later answer updates (section 3.2).
package enum StorableFields {
  /// Fields of one connection, "including, but not limited to" those that RFC 9111 section 3.1 names.
  private static let connectionFields: [FieldName] = [
    .connection, .keepAlive, .proxyAuthenticate, .proxyAuthenticationInfo, .proxyAuthorization, .proxyConnection, .te,
    .trailer, .transferEncoding, .upgrade,
  ]

  /// Fields that describe the stored content: another answer's would make it unreadable. They are the "header fields
  /// that the cache's stored response depends upon" and the Content-Length header field (RFC 9111 section 3.2).
  private static let contentFields: [FieldName] = [
    .contentLength, .contentEncoding, .contentRange, "Content-MD5", "Content-Digest", "Repr-Digest", "Digest",
  ]

  /// Fields without which a stored response would be taken for another one, or for a fresher one. No sender may name
  /// them in Connection: they are "intended for all recipients of the content" (RFC 9110 section 7.6.1); and where
  /// no-cache names one, the response is as good as one with no-cache alone.
  static func isIndispensable(_ name: FieldName) -> Bool {
    describesContent(name) || [.cacheControl, .age, .date, .expires, .vary].contains(name)
  }

  /// Whether a field says how the content is to be read, or what it is a part of: with another value, or without it,
  /// the stored content would not be the origin's.
  package static func describesContent(_ name: FieldName) -> Bool { contentFields.contains(name) }

  /// The fields with a Date: "A recipient with a clock that receives a response message without a Date header field
  /// MUST record the time it was received and append a corresponding Date header field to the message's header section
  /// if it is cached" (RFC 9110 section 6.6.1).
  package static func dated(_ fields: Fields, receivedAt responseTime: Timestamp) -> Fields {
    var dated = fields
    if !dated.contains(.date) { dated.append(.date, HTTPDate.format(responseTime)) }
    return dated
  }

  /// The fields to be stored with a response.
  package static func stored(_ fields: Fields) -> Fields { stored(fields, CacheControl(of: fields)) }

  /// - Parameter directives: those of the fields.
  static func stored(_ fields: Fields, _ directives: CacheControl) -> Fields {
    // "The qualified form of the no-cache response directive, with an argument that lists one or more field names,
    // indicates that a cache MUST NOT use the response to satisfy a subsequent request ... without successful
    // validation", or without these fields: what is not stored is not used (RFC 9111 section 5.2.2.4).
    var kept = fields
    var named = Set(directives.noCacheFields)
    // "The Connection header field and fields whose names are listed in it are required by Section 7.6.1 of [HTTP] to
    // be removed before forwarding the message."
    fields.forEachMember(of: .connection) { member in
      // Mostly it lists what is removed by its name below.
      if let name = FieldName(member), !connectionFields.contains(name) { named.insert(name) }
    }
    if !named.isEmpty { kept.removeAll { named.contains($0.name) && !isIndispensable($0.name) } }
    for name in connectionFields { kept.removeAll(name) }
    return kept
  }

  /// What a 304 brings for the request that it answers alone: the fields that `no-cache` keeps from any use "without
  /// successful validation", which this has been (RFC 9111 section 5.2.2.4).
  ///
  /// - Parameter kept: what is stored from now on.
  static func lent(by answer: Fields, beside kept: Fields) -> [Field] {
    let named = CacheControl(of: kept).noCacheFields
    if named.isEmpty { return [] }
    let ends = stored(answer, CacheControl(of: Fields()))
    return ends.lines.filter { named.contains($0.name) && !isIndispensable($0.name) }
  }

  /// The stored fields as a 304 or a HEAD's answer leaves them.
  package static func updated(_ stored: Fields, with answer: Fields) -> Fields {
    var updates = Self.stored(answer)
    updates.removeAll { contentFields.contains($0.name) }
    let names = Set(updates.lines.map(\.name))
    var result = stored
    result.removeAll { names.contains($0.name) }
    for line in updates.lines { result.append(line) }
    // A no-cache that the answer begins to qualify holds for the fields that are stored already.
    return Self.stored(result)
  }
}

/// Freshening a stored response (RFC 9111 section 4.3.4).
package enum Freshening {
  /// The stored response as an answer without content leaves it: its fields updated, its age counted anew.
  static func freshened(_ stored: StoredResponse, by answer: Answer) -> StoredResponse {
    var fresh = stored
    let update = StorableFields.dated(answer.response.fields, receivedAt: answer.responseTime)
    fresh.response.fields = StorableFields.updated(stored.fields, with: update)
    // An Age of the old answer says nothing of the new one.
    if !update.contains(.age) { fresh.response.fields.removeAll(.age) }
    fresh.requestTime = answer.requestTime
    fresh.responseTime = answer.responseTime
    fresh.isDoubtful = false
    return fresh
  }
}
