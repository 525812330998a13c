import HTTPCaching
import HTTPSemantics
import Interface
import Transport

/// Where a response sends its request next.
enum Redirection: Equatable {
  case none
  case to(Request, OutgoingMessage.Content)
  case malformedLocation(URIError)
  /// From https to http: a request that was protected would go on without protection.
  case downgrade(TargetURI)
  /// To a scheme that the user does not allow.
  case forbidden(TargetURI)
}

/// The rules for following a redirection (RFC 9110 section 15.4, and curl if the RFC leaves a choice).
struct RedirectRules {
  var areFollowed = true
  /// A longer chain is taken for a loop; `nil` means no limit.
  var limit: Int?
  /// Whether credentials go wherever the redirection leads.
  var trustsEveryOrigin = false
  /// A method that was typed is kept, whatever the status: curl's meaning of `-X`.
  var keepsMethod = false
  /// Whether the next request's Referer is the URL that redirected it: curl's `;auto`.
  var setsReferer = false
  /// The schemes that the user allows for typed URLs.
  var typedSchemes = SchemeChoice.all
  /// The schemes that the user allows for redirections.
  var schemes = SchemeChoice.all
  /// Whether a redirection may lead from https to http.
  var allowsDowngrade = false
  var credentialFields = CredentialFields()

  /// Whether a response is a redirection to follow, so that its content is not what was asked for. Following it may
  /// fail.
  func follows(_ response: Response) -> Bool {
    // An empty Location is not followed, as in curl: it would lead back to the same URL.
    areFollowed && response.status.isFollowedRedirection && response.fields[.location]?.bytes.isEmpty == false
  }

  /// Returns where a response sends its request next.
  ///
  /// - Parameters:
  ///   - first: the typed request, from which this one may be several redirections away.
  ///   - hasNetrcLogin: whether its Authorization comes from a netrc file.
  ///   - hosts: the hosts that are asked over TLS only; a target on one of them becomes https, as if the response had
  ///     said so.
  func redirection(
    of request: Request, _ content: OutgoingMessage.Content, by response: Response, after first: Request? = nil,
    hasNetrcLogin: Bool = false, securedBy hosts: StrictHostRecord?
  ) -> Redirection {
    guard follows(response), let location = response.fields[.location] else { return .none }
    var target: TargetURI
    do throws(URIError) {
      target = try URIReference.received(location, relativeTo: request.target).target
    } catch {
      return .malformedLocation(error)
    }
    if let hosts { target = hosts.secured(target) }
    if !schemes.allows(target.origin.scheme) { return .forbidden(target) }
    if request.target.isDowngraded(to: target), !allowsDowngrade { return .downgrade(target) }

    var next = request
    next.target = target
    var nextContent = content
    if request.losesContent(after: response.status, hasContent: content != .none) {
      next.loseContent(after: response.status, keepsMethod: keepsMethod)
      nextContent = .none
    }
    if setsReferer { next.setReferer(request.target) }
    if target.origin != request.target.origin {
      removePrivateFields(from: &next.fields, hasNetrcLogin)
      if let first, first.target.origin == target.origin { addPrivateFields(of: first, to: &next.fields, nextContent) }
    }
    return .to(next, nextContent)
  }

  /// Whether the next request may show the client certificate. That is for the typed origin, or for the same host over
  /// TLS, because an origin typed without TLS never sees a certificate.
  func showsClientCertificate(to next: Request, after first: Request?) -> Bool {
    guard !trustsEveryOrigin, let typed = first?.target.origin else { return true }
    let next = next.target.origin
    if next == typed { return true }
    return typed.scheme == .http && typed.port == typed.scheme.defaultPort && next.scheme == .https
      && next.port == next.scheme.defaultPort && next.host == typed.host
  }

  /// Removes what is for one origin only: credentials, and a Host that was typed. A Referer stays, although its path
  /// may be no business of another origin, because it is the user's wish. A netrc login always goes, because the netrc
  /// file itself says which hosts it is for.
  private func removePrivateFields(from fields: inout Fields, _ hasNetrcLogin: Bool) {
    fields.removeAll(.host)
    if !trustsEveryOrigin { fields.removeAll { credentialFields.contains($0.name) } }
    if hasNetrcLogin { fields.removeAll(.authorization) }
  }

  /// Adds again what was removed on the way, if the way leads back to the origin that it is for.
  private func addPrivateFields(of first: Request, to fields: inout Fields, _ content: OutgoingMessage.Content) {
    let kept = fields
    for field in first.fields.lines where field.name == .host || credentialFields.contains(field.name) {
      if kept.contains(field.name) || (content == .none && field.name.goesWithContent) { continue }
      fields.append(field)
    }
  }
}
