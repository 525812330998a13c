package import HTTPSemantics

/// The invalidation of stored responses by unsafe methods (RFC 9111 section 4.4).
package enum Invalidation {
  /// Whether the answer invalidates stored responses: "A cache MUST invalidate the target URI ... when it receives a
  /// non-error status code in response to an unsafe request method (including methods whose safety is unknown)"; 2xx
  /// and 3xx are the non-error ones.
  static func isCaused(by request: Request, answered response: Response) -> Bool {
    !request.method.isSafe && (200..<400).contains(response.status.rawValue)
  }

  /// Returns the URIs to be invalidated after an unsafe request whose answer cannot be read: its status may have been a
  /// non-error one.
  package static func targets(ofUnreadableAnswerTo request: Request) -> [TargetURI] {
    request.method.isSafe ? [] : [request.target]
  }

  /// The URIs whose stored responses a non-error answer to an unsafe request invalidates.
  static func targets(of request: Request, answered response: Response) -> [TargetURI] {
    guard isCaused(by: request, answered: response) else { return [] }
    var targets = [request.target]
    // "... the URI(s) in the Location and Content-Location response header fields (if present)"; but not if "the origin
    // of the URI to be invalidated differs from that of the target URI". For COPY and MOVE, the request names the URI
    // that they write to: "... the Destination request header specifies the URI that identifies a destination resource"
    // (RFC 4918 section 10.3).
    let named = [response.fields[.location], response.fields[.contentLocation], request.fields["Destination"]]
    for value in named {
      guard let value, let reference = try? URIReference(value, relativeTo: request.target),
        reference.target.origin == request.target.origin, !targets.contains(reference.target)
      else { continue }
      targets.append(reference.target)
    }
    return targets
  }
}

/// The stored responses that are invalidated with a target URI.
package struct TargetInvalidation: Equatable, Sendable {
  package let target: TargetURI
  /// The key of the request that caused the invalidation.
  private let key: CacheKey?

  package init(of target: TargetURI, by key: CacheKey? = nil) {
    self.target = target
    self.key = key
  }

  /// The text that the user chose as the request's key. By the user's word, everything stored under it is for the
  /// request's target.
  package var chosen: PrimaryKey? {
    guard let key, key.primary.isChosen, key.target == target else { return nil }
    return key.primary
  }

  /// Whether stored answers to posted queries are spared: a POST that its sender has declared to be a query has changed
  /// nothing that others would be answered.
  package var sparesPostedQueries: Bool {
    if case .post = key?.content { true } else { false }
  }

  /// "Invalidate" means to remove all stored responses "whose target URI matches the given URI" (RFC 9111 section 4.4).
  package func covers(_ stored: CacheKey) -> Bool {
    if sparesPostedQueries, case .post = stored.content { return false }
    return stored.primary.concerns(target) || stored.primary == chosen
  }
}
