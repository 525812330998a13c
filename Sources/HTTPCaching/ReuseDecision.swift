package import HTTPSemantics

/// What is done for a request, before anything is sent.
///
/// Indirect: what it holds is large, and many functions hand it on.
package indirect enum ReuseDecision: Equatable, Sendable {
  case serve(Reuse)
  /// The origin is asked whether the stored response still holds; `onError` is served where it cannot be asked.
  case validate(StoredResponse, with: Request, because: ForwardReason, onError: Reuse?)
  case forward(Request, because: ForwardReason, onError: Reuse?)
  /// The origin is asked for what is missing behind the stored part (RFC 9111 section 3.4).
  case complete(StoredResponse, with: Request)
  /// The origin is asked for the rest of an answer that broke off when part of it had been delivered: of a whole to
  /// whatever end it has, of a part to that part's.
  case resume(with: Request, because: ForwardReason, onError: Reuse?)
  /// Nothing stored answers the request, and nothing may be sent: 504 (RFC 9111 section 5.2.1.7).
  case unsatisfiable(ForwardReason)
}

extension ReuseDecision {
  /// What goes to the origin; `nil` where nothing does.
  package var sent: Request? {
    switch self {
    case .validate(_, with: let request, because: _, onError: _), .forward(let request, because: _, onError: _),
      .complete(_, with: let request), .resume(with: let request, because: _, onError: _):
      request
    case .serve, .unsatisfiable: nil
    }
  }

  /// Whether what is served is to be brought up to date afterwards (RFC 5861 section 3).
  package var isToBeRevalidated: Bool {
    guard case .serve(let reuse) = self else { return false }
    return reuse.grant == .staleWhileRevalidate
  }

  /// Why the origin is asked; `nil` where it is not.
  package var forwardReason: ForwardReason? {
    switch self {
    case .validate(_, with: _, because: let reason, onError: _), .forward(_, because: let reason, onError: _),
      .resume(with: _, because: let reason, onError: _):
      reason
    case .complete: .partial
    case .serve, .unsatisfiable: nil
    }
  }

  /// What is served where the origin fails.
  package var onError: Reuse? {
    switch self {
    case .validate(_, with: _, because: _, let onError), .forward(_, because: _, let onError),
      .resume(with: _, because: _, let onError):
      onError
    case .serve, .complete, .unsatisfiable: nil
    }
  }

  /// The same without garner's own condition, where the answer to that does not go with what is stored.
  ///
  /// - Parameter request: the user's.
  package func unconditional(_ request: Request) -> ReuseDecision {
    guard let reason = forwardReason else { return self }
    return .forward(directing(request), because: reason, onError: onError)
  }

  /// The request with what was to be sent to caches on the way, which holds for this one as well.
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

  /// What is done for a request whose answer broke off when part of it had been delivered: what is stored answers it
  /// where it is that answer, whole or as far as it has come, and takes the place of an origin that fails.
  ///
  /// - Parameters:
  ///   - request: as the user made it.
  ///   - rest: the request for what is missing.
  ///   - same: what is stored, where it is what has been delivered in part.
  ///   - mayBeReplaced: whether another response may still take that one's place.
  package func resuming(
    _ request: Request, with rest: Request, from same: StoredResponse?, mayBeReplaced: Bool
  ) -> ReuseDecision {
    switch self {
    case .unsatisfiable: return self
    case .serve(let reuse) where same != nil && reuse.form == .whole: return self
    case .forward(_, because: .bypass, onError: _): break
    case .serve, .validate, .forward, .complete, .resume:
      // Whatever the policy: it has come by the origin's word, and just now.
      if let same, let continuation = PartialContent.continuation(of: directing(request), from: same) {
        return .complete(same, with: continuation)
      }
    }
    return .resume(with: directing(rest), because: forwardReason ?? .request, onError: mayBeReplaced ? onError : nil)
  }
}
