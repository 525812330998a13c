import HTTPCaching
import HTTPSemantics
import Interface
import Transport

/// Where a response sends its request next.
enum Redirection: Equatable {
  case none
  case to(Request, OutgoingMessage.Content)
  case malformedLocation(URIError)
  /// From https to http: what was asked for under protection would go on without.
  case downgrade(TargetURI)
  /// To a scheme that the user does not allow.
  case forbidden(TargetURI)
}

/// The rules for following a redirection (RFC 9110 section 15.4, and curl where the RFC leaves a choice).
struct RedirectRules {
  var areFollowed = true
  /// A chain that is longer is taken for a loop; `nil` follows however many.
  var limit: Int?
  /// Whether credentials go wherever the redirection leads.
  var trustsEveryOrigin = false
  /// A method that was typed is kept, whatever the status: curl's meaning of `-X`.
  var keepsMethod = false
  /// Whether the Referer of what it leads to is where it has led from: curl's `;auto`.
  var setsReferer = false
  /// What the user allows of what was typed.
  var typedSchemes = SchemeChoice.all
  /// What the user allows behind that.
  var schemes = SchemeChoice.all
  /// Whether it may lead from https to http.
  var allowsDowngrade = false
  var credentialFields = CredentialFields()

  /// Whether a response's content is not what was asked for, because the request goes on, or fails to.
  func follows(_ response: Response) -> Bool {
    // An empty Location leads nowhere, as with curl: it would lead to where it came from.
    areFollowed && response.status.isFollowedRedirection && response.fields[.location]?.bytes.isEmpty == false
  }

  /// - Parameters:
  ///   - first: the request that was typed, which this one may be far from.
  ///   - hasNetrcLogin: whether its Authorization is of a netrc file.
  ///   - hosts: that are asked over TLS only, which is as if the response had said so.
  func redirection(
    of request: Request, _ content: OutgoingMessage.Content, by response: Response, behind first: Request? = nil,
    hasNetrcLogin: Bool = false, securedBy hosts: StrictHostRecord? = nil
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
    let isDowngrade = request.target.origin.scheme == .https && target.origin.scheme == .http
    if isDowngrade, !allowsDowngrade { return .downgrade(target) }

    var next = request
    next.target = target
    var nextContent = content
    if becomesGet(request.method, response.status) || (response.status == 303 && content != .none) {
      // Behind a 303 a typed method would be applied to another resource, and with nothing: what is there would be
      // emptied, or removed.
      if !keepsMethod || (response.status == 303 && request.method != .head) { next.method = .get }
      // Where the method is kept, what has been sent is not sent again: curl does so, too.
      nextContent = .none
      next.fields.removeAll { Self.isContentField($0.name) }
    }
    if setsReferer { setReferer(of: &next, from: request.target, isDowngrade: isDowngrade) }
    if target.origin != request.target.origin {
      removePrivateFields(from: &next.fields, hasNetrcLogin)
      if let first, first.target.origin == target.origin { addPrivateFields(of: first, to: &next.fields, nextContent) }
    }
    return .to(next, nextContent)
  }

  /// The certificate is for the origin that was typed, or for the same host over TLS: what was typed without never sees
  /// one.
  func showsClientCertificate(to next: Request, behind first: Request?) -> Bool {
    guard !trustsEveryOrigin, let typed = first?.target.origin else { return true }
    let next = next.target.origin
    if next == typed { return true }
    return typed.scheme == .http && typed.port == typed.scheme.defaultPort && next.scheme == .https
      && next.port == next.scheme.defaultPort && next.host == typed.host
  }

  /// "the user agent MAY change the request method from POST to GET for the subsequent request" after 301 and 302;
  /// after 303 it asks for another resource, with GET or HEAD (RFC 9110 sections 15.4.2 to 15.4.4).
  private func becomesGet(_ method: Method, _ status: StatusCode) -> Bool {
    switch status {
    case 301, 302: method == .post
    case 303: method != .get && method != .head
    default: false
    }
  }

  /// "A user agent MUST NOT send a Referer header field in an unsecured HTTP request if the referring resource was
  /// accessed with a secure protocol" (RFC 9110 section 10.1.3).
  private func setReferer(of next: inout Request, from target: TargetURI, isDowngrade: Bool) {
    if isDowngrade {
      next.fields.removeAll(.referer)
    } else {
      next.fields.set(.referer, FieldValue(target.description))
    }
  }

  /// Credentials are for the origin that they were given for; so is a Host that was typed. A Referer may hold a path
  /// that another origin has no business with only as far as the user typed it, and stays. Whom it trusts, a netrc file
  /// says by itself.
  private func removePrivateFields(from fields: inout Fields, _ hasNetrcLogin: Bool) {
    fields.removeAll(.host)
    if !trustsEveryOrigin { fields.removeAll { credentialFields.contains($0.name) } }
    if hasNetrcLogin { fields.removeAll(.authorization) }
  }

  /// What was left out on the way is sent again where the way comes back to: the origin is the one that it is for.
  private func addPrivateFields(of first: Request, to fields: inout Fields, _ content: OutgoingMessage.Content) {
    let kept = fields
    for field in first.fields.lines where field.name == .host || credentialFields.contains(field.name) {
      if kept.contains(field.name) || (content == .none && Self.isContentField(field.name)) { continue }
      fields.append(field)
    }
  }

  /// "Content-Encoding, Content-Language, Content-Location, Content-Type, Content-Length, Digest, Last-Modified" and
  /// their kin describe content that the new request does not have (RFC 9110 section 15.4).
  private static func isContentField(_ name: FieldName) -> Bool {
    name.lowercased.hasPrefix("content-") || name == .transferEncoding || name == "Digest" || name == "Repr-Digest"
  }
}
