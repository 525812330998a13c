package import HTTPSemantics

/// garner's member of the Cache-Status field (RFC 9211 section 2).
package struct CacheStatus: Equatable, Sendable {
  package enum Handling: Equatable, Sendable {
    case hit
    case forwarded(ForwardReason)
    /// Nothing stored answers the request, and it may not be sent, so that it is not one that "went forward towards the
    /// origin" (RFC 9211 section 2.2).
    case unanswered
  }

  var handling: Handling
  /// The status of the origin's answer, if the request was forwarded and answered.
  package var forwardStatus: StatusCode?
  /// Whether the response was stored (RFC 9211 section 2.5), or will be once its content has come.
  package var isStored: Bool
  /// Whether another request's response was used in place of sending this request (RFC 9211 section 2.6).
  package var isCollapsed: Bool
  /// Seconds for which the delivered response stays fresh; negative if it is stale.
  package var timeToLive: Int64?
  package var key: CacheKey?
  /// Why the response was served stale, was not stored, or could not be had.
  package var detail: String?

  package init(
    _ handling: Handling, forwardStatus: StatusCode? = nil, isStored: Bool = false, isCollapsed: Bool = false,
    timeToLive: Int64? = nil, key: CacheKey? = nil, detail: String? = nil
  ) {
    self.handling = handling
    self.forwardStatus = forwardStatus
    self.isStored = isStored
    self.isCollapsed = isCollapsed
    self.timeToLive = timeToLive
    self.key = key
    self.detail = detail
  }

  /// The member as a structured-field item with parameters (RFC 9651 section 3.3).
  package var member: FieldValue {
    var text = "garner"
    switch handling {
    case .hit: text += "; hit"
    case .forwarded(let reason): text += "; fwd=\(reason.rawValue)"
    case .unanswered: break
    }
    if let forwardStatus { text += "; fwd-status=\(forwardStatus)" }
    if isStored { text += "; stored" }
    if isCollapsed { text += "; collapsed" }
    if let timeToLive { text += "; ttl=\(timeToLive)" }
    if let key { text += "; key=\(Self.string(key.description(masked: true)))" }
    if let detail { text += "; detail=\(Self.isToken(detail) ? detail : Self.string(detail))" }
    return FieldValue(text)
  }

  /// A structured-field token (RFC 9651 section 3.3.4).
  private static func isToken(_ text: String) -> Bool {
    guard let first = text.utf8.first, ASCII.isLetter(first) || first == ASCII.asterisk else { return false }
    return text.utf8.allSatisfy { ASCII.isTokenCharacter($0) || $0 == ASCII.colon || $0 == ASCII.slash }
  }

  /// A structured-field string; bytes that such a string cannot hold are percent-encoded.
  private static func string(_ text: String) -> String {
    var bytes: [UInt8] = [ASCII.quote]
    for byte in text.utf8 {
      switch byte {
      case ASCII.quote, ASCII.backslash: bytes += [ASCII.backslash, byte]
      case 0x20...0x7e: bytes.append(byte)
      default: PathSyntax.appendPercentEncoded(byte, to: &bytes)
      }
    }
    return String(decoding: bytes + [ASCII.quote], as: UTF8.self)
  }
}
