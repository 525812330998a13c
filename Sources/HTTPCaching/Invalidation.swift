package import HTTPSemantics

/// What an unsafe method does to the cache (RFC 9111 section 4.4).
package enum Invalidation {
  /// "A cache MUST invalidate the target URI ... when it receives a non-error status code in response to an unsafe
  /// request method (including methods whose safety is unknown)"; 2xx and 3xx are the non-error ones.
  static func isCaused(by request: Request, answered response: Response) -> Bool {
    !request.method.isSafe && (200..<400).contains(response.status.rawValue)
  }

  /// The URIs whose stored responses may be void, for all that is known, behind an unsafe request whose answer cannot
  /// be read: its status may have been none of an error.
  package static func targets(ofUnreadableAnswerTo request: Request) -> [TargetURI] {
    request.method.isSafe ? [] : [request.target]
  }

  /// The URIs whose stored responses a non-error answer to an unsafe request invalidates.
  static func targets(of request: Request, answered response: Response) -> [TargetURI] {
    guard isCaused(by: request, answered: response) else { return [] }
    var targets = [request.target]
    // "... the URI(s) in the Location and Content-Location response header fields (if present)"; but not where "the
    // origin of the URI to be invalidated differs from that of the target URI".
    // What COPY and MOVE write to, the request names: "... the Destination request header specifies the URI that
    // identifies a destination resource" (RFC 4918 section 10.3).
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

/// The stored responses that become void with a target URI.
package struct TargetInvalidation: Equatable, Sendable {
  package let target: TargetURI
  /// Of the request that has caused it.
  private let key: CacheKey?

  package init(of target: TargetURI, by key: CacheKey? = nil) {
    self.target = target
    self.key = key
  }

  /// The text of the user's that the request was under: all that is stored there is for its target, says the user.
  package var chosen: PrimaryKey? {
    guard let key, key.primary.isChosen, key.target == target else { return nil }
    return key.primary
  }

  /// Whether answers to posted queries hold: a POST that its sender has declared to be one has changed no other's.
  package var sparesPostedQueries: Bool {
    if case .post = key?.content { true } else { false }
  }

  /// "Invalidate" means to remove all stored responses "whose target URI matches the given URI" (RFC 9111 section 4.4).
  package func covers(_ stored: CacheKey) -> Bool {
    if sparesPostedQueries, case .post = stored.content { return false }
    return stored.primary.concerns(target) || stored.primary == chosen
  }
}
