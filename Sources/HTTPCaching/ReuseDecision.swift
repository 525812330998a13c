package import HTTPSemantics

/// The decision on what is done for a request, taken before anything is sent.
///
/// Indirect, because its payloads are large and many functions pass it on.
package indirect enum ReuseDecision: Equatable, Sendable {
  case serve(Reuse)
  /// The origin is asked whether the stored response still holds; `onError` is served where the origin fails.
  case validate(StoredResponse, with: Request, because: ForwardReason, onError: Reuse?)
  case forward(Request, because: ForwardReason, onError: Reuse?)
  /// The origin is asked for the bytes behind the stored part (RFC 9111 section 3.4).
  case complete(StoredResponse, with: Request)
  /// The origin is asked for the rest of an answer that broke off after part of it had been delivered: up to the end of
  /// a whole, wherever that is, or up to the end of a part.
  case resume(with: Request, because: ForwardReason, onError: Reuse?)
  /// Nothing stored answers the request, and nothing may be sent: 504 (RFC 9111 section 5.2.1.7).
  case unsatisfiable(ForwardReason)
}

extension ReuseDecision {
  /// The request that goes to the origin; `nil` if none does.
  package var sent: Request? {
    switch self {
    case .validate(_, with: let request, because: _, onError: _), .forward(let request, because: _, onError: _),
      .complete(_, with: let request), .resume(with: let request, because: _, onError: _):
      request
    case .serve, .unsatisfiable: nil
    }
  }

  /// Whether the response that is served is to be revalidated afterwards (RFC 5861 section 3).
  package var isToBeRevalidated: Bool {
    guard case .serve(let reuse) = self else { return false }
    return reuse.grant == .staleWhileRevalidate
  }

  /// Why the origin is asked; `nil` if it is not.
  package var forwardReason: ForwardReason? {
    switch self {
    case .validate(_, with: _, because: let reason, onError: _), .forward(_, because: let reason, onError: _),
      .resume(with: _, because: let reason, onError: _):
      reason
    case .complete: .partial
    case .serve, .unsatisfiable: nil
    }
  }

  /// What is served if the origin fails.
  package var onError: Reuse? {
    switch self {
    case .validate(_, with: _, because: _, let onError), .forward(_, because: _, let onError),
      .resume(with: _, because: _, let onError):
      onError
    case .serve, .complete, .unsatisfiable: nil
    }
  }

  /// Returns the same decision without garner's own condition, for when the answer to that does not fit the stored
  /// response.
  ///
  /// - Parameter request: the user's request.
  package func unconditional(_ request: Request) -> ReuseDecision {
    guard let reason = forwardReason else { return self }
    return .forward(directing(request), because: reason, onError: onError)
  }

  /// Returns the request with the Cache-Control and Pragma that this decision sends to caches on the way.
  func directing(_ request: Request) -> Request {
    guard let sent else { return request }
    var directed = request
    directed.fields.removeAll(.cacheControl)
    directed.fields.removeAll(.pragma)
    for field in sent.fields.lines where field.name == .cacheControl || field.name == .pragma {
      directed.fields.append(field)
    }
    return directed
  }

  /// Returns the decision for a request whose answer broke off after part of it had been delivered. The stored response
  /// answers the request if it is that same answer, whole or as far as it has come. What this decision serves on an
  /// error still takes the place of an origin that fails, if `mayBeReplaced` allows it.
  ///
  /// - Parameters:
  ///   - request: as the user made it.
  ///   - rest: the request for what is missing.
  ///   - same: the stored response, if it is the one that has been delivered in part.
  ///   - mayBeReplaced: whether another response may still take the place of the one that was begun.
  package func resuming(
    _ request: Request, with rest: Request, from same: StoredResponse?, mayBeReplaced: Bool
  ) -> ReuseDecision {
    switch self {
    case .unsatisfiable: return self
    case .serve(let reuse) where same != nil && reuse.form == .whole: return self
    case .forward(_, because: .bypass, onError: _): break
    case .serve, .validate, .forward, .complete, .resume:
      // The policy does not matter: the part has just come, by the origin's word.
      if let same, let continuation = PartialContent.continuation(of: directing(request), from: same) {
        return .complete(same, with: continuation)
      }
    }
    return .resume(with: directing(rest), because: forwardReason ?? .request, onError: mayBeReplaced ? onError : nil)
  }
}
