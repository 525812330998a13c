package import HTTPSemantics

/// The rules for conditional requests, as a cache makes and answers them (RFC 9111 section 4.3).
package enum Validation {
  /// Returns the request with the stored response's validators, or `nil` if none can be used, or the user leaves their
  /// conditions out (RFC 9111 section 4.3.1).
  static func conditionalRequest(for request: Request, validating stored: StoredResponse) -> Request? {
    guard sharesOrigin(stored, with: request) else { return nil }
    var conditional = request
    // An entity tag is sent as it came, well-formed or not, because the origin that made it recognizes it. An asterisk
    // is not a tag, and would ask for anything at all (RFC 9110 section 13.1.2).
    if !request.leavesOut(.ifNoneMatch), let etag = stored.fields[.etag], !etag.bytes.isEmpty, etag != "*" {
      conditional.fields.set(.ifNoneMatch, etag)
    }
    // A time does not tell variants apart: another one may be as old.
    if !request.leavesOut(.ifModifiedSince), stored.isOfKnownVariant,
      let lastModified = stored.fields[.lastModified], !lastModified.bytes.isEmpty
    {
      conditional.fields.set(.ifModifiedSince, lastModified)
    }
    return conditional == request ? nil : conditional
  }

  /// Whether the stored response came from the origin of the request. It always did, except under a key text of the
  /// user's. An entity tag is that of a resource (RFC 9110 section 8.8.3), and two origins may use one tag for two
  /// things.
  static func sharesOrigin(_ stored: StoredResponse?, with request: Request) -> Bool {
    guard let stored, stored.key.primary.isChosen else { return true }
    return stored.key.target.origin == request.target.origin
  }

  /// Whether the request brings conditions of its own that a cache can evaluate.
  package static func isConditional(_ request: Request) -> Bool {
    request.fields.contains(.ifNoneMatch) || request.fields.contains(.ifModifiedSince)
  }

  /// Whether the request brings conditions that only the origin can evaluate (RFC 9111 section 4.3.2).
  static func needsOrigin(_ request: Request) -> Bool {
    request.fields.contains(.ifMatch) || request.fields.contains(.ifUnmodifiedSince)
  }

  /// Whether the request asks for validation in the way of HTTP/1.0.
  ///
  /// A Pragma: no-cache is read as Cache-Control: no-cache if there is no Cache-Control: the field is deprecated, and
  /// clients of HTTP/1.0 have no other (RFC 9111 section 5.4).
  static func pragmaAsksOrigin(_ request: Request) -> Bool {
    !request.fields.contains(.cacheControl)
      && request.fields.members(of: .pragma).contains { ASCII.equalIgnoringCase($0, "no-cache".utf8) }
  }

  /// Whether any whole answer will do: the request has no range and no condition, and asks neither for validation nor
  /// that nothing is stored.
  static func isPlain(_ request: Request) -> Bool {
    if request.fields.contains(.range) || isConditional(request) || needsOrigin(request) { return false }
    let directives = CacheControl(of: request.fields)
    return !directives.noStore && !directives.asksOrigin && !pragmaAsksOrigin(request)
  }

  /// Whether the request's own conditions are false for the stored response, so that 304 answers it
  /// (RFC 9110 section 13.2.2, RFC 9111 section 4.3.2).
  static func isNotModified(_ stored: StoredResponse, for request: Request, at now: Timestamp) -> Bool {
    guard stored.response.status == 200 else { return false }
    // "When a recipient receives both If-None-Match and If-Modified-Since, If-Modified-Since is ignored."
    if let condition = EntityTagCondition(.ifNoneMatch, of: request.fields) {
      switch condition {
      case .any: return true
      case .tags(let tags):
        guard let etag = stored.fields.entityTag else { return false }
        return tags.contains { $0.matchesWeakly(etag) }
      }
    }
    guard let since = request.fields[.ifModifiedSince].flatMap({ HTTPDate.parse($0, now: now) }) else { return false }
    return modificationTime(of: stored, now: now) <= since
  }

  /// Last-Modified, else Date, else the time at which the response came (RFC 9111 section 4.3.2).
  private static func modificationTime(of stored: StoredResponse, now: Timestamp) -> Timestamp {
    for name in [FieldName.lastModified, .date] {
      if let time = stored.fields[name].flatMap({ HTTPDate.parse($0, now: now) }) { return time }
    }
    return stored.responseTime
  }

  /// Whether a 304 is about the stored response (RFC 9111 section 4.3.4), by its validators.
  static func selects(_ stored: StoredResponse, by notModified: Fields) -> Bool {
    if let value = notModified[.etag] {
      guard let otherValue = stored.fields[.etag] else { return false }
      // A malformed entity tag was sent as it came, and can only come back unchanged.
      guard let etag = EntityTag(value), let other = EntityTag(otherValue) else { return value == otherValue }
      // "If none of the initial set contains at least one of the same strong validators, then the cache MUST NOT use
      // the new response to update any stored responses"; a weak tag is compared weakly.
      return etag.isWeak ? etag.matchesWeakly(other) : etag.matchesStrongly(other)
    }
    if let lastModified = notModified[.lastModified] { return lastModified == stored.fields[.lastModified] }
    // "If the new response does not include any form of validator ..., and there is only one stored response, and that
    // stored response also lacks a validator, then that stored response is identified for update." Many origins leave
    // out validators that they MUST send; if the condition named one stored response, nothing else can be meant.
    return true
  }

  /// Whether a 304 that may not update the stored response still confirms it.
  ///
  /// "A recipient MUST use the weak comparison function when comparing entity tags for If-None-Match" (RFC 9110 section
  /// 13.1.2): a 304 with the strong form of a tag answers a condition on its weak form. nginx sends such a 304, because
  /// it weakens the tag of a response that it compresses, and of no other.
  static func confirms(_ stored: StoredResponse, by notModified: Fields) -> Bool {
    isOfOtherStrength(stored, than: notModified) && notModified.entityTag?.isWeak == false
  }

  /// Whether the entity tag differs from that of the stored response only by being weak or strong. nginx weakens the
  /// tag of a response that it compresses.
  static func isOfOtherStrength(_ stored: StoredResponse, than update: Fields) -> Bool {
    guard let etag = update.entityTag, let own = stored.fields.entityTag else { return false }
    return own.isWeak != etag.isWeak && own.matchesWeakly(etag)
  }

  /// Whether after an update the same requests still select the stored response. If the response begins to vary on a
  /// field, the value of that field in its own request is not known (RFC 9111 section 4.1). If this is so of all fields
  /// that it varies on, its entity tag tells it from other variants.
  static func keepsSelection(of stored: StoredResponse, after update: Fields) -> Bool {
    if stored.isOfKnownVariant { return isSelected(stored, byAllOf: Vary(of: update)) }
    guard case .names(let names) = Vary(of: update), case .names(let known) = Vary(of: stored.fields) else {
      return false
    }
    return update.contains(.etag) && names.allSatisfy(known.contains)
  }

  /// Whether the values of all fields on which a response varies are known.
  static func isSelected(_ stored: StoredResponse, byAllOf vary: Vary) -> Bool {
    guard case .names(let names) = vary else { return false }
    return names.allSatisfy { name in stored.selecting.members.contains { $0.name == name } }
  }

  /// Returns the range that a request asks for and that applies to the stored response, satisfiable or not (RFC 9110
  /// section 14.2).
  ///
  /// - Returns: `nil` if the request does not ask for a single range, its method has no ranges, or its If-Range does
  ///   not hold.
  static func applicableRange(of request: Request, to stored: StoredResponse, at now: Timestamp) -> ByteRange? {
    guard request.method.hasStorableAnswer, let range = request.byteRange,
      rangeApplies(to: stored, for: request, at: now)
    else { return nil }
    return range
  }

  /// Whether the If-Range condition holds, or there is none (RFC 9110 section 13.1.5).
  private static func rangeApplies(to stored: StoredResponse, for request: Request, at now: Timestamp) -> Bool {
    guard let condition = request.fields[.ifRange] else { return true }
    if let etag = EntityTag(condition) {
      return stored.fields.entityTag?.matchesStrongly(etag) ?? false
    }
    return stored.fields[.lastModified] == condition && isStrong(lastModifiedOf: stored, now: now)
  }

  /// A Last-Modified time is a strong validator if it lies well before the Date (RFC 9110 section 8.8.2.2).
  static func isStrong(lastModifiedOf stored: StoredResponse, by seconds: Int64 = 1, now: Timestamp) -> Bool {
    guard let modified = stored.fields[.lastModified].flatMap({ HTTPDate.parse($0, now: now) }),
      let date = stored.fields[.date].flatMap({ HTTPDate.parse($0, now: now) })
    else { return false }
    return date.seconds(since: modified) >= seconds
  }
}

extension Fields {
  /// Whether there is an entity tag or a Last-Modified, well-formed or not.
  var hasValidator: Bool { contains(.etag) || contains(.lastModified) }

  /// The entity tag; `nil` if there is none, or if the first field of that name is malformed.
  var entityTag: EntityTag? { self[.etag].flatMap { EntityTag($0) } }
}
