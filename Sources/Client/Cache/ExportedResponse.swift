import HTTPCaching
import HTTPSemantics

/// What an archive records of a stored response beside its content.
struct ExportedResponse {
  let request: Request
  let response: Response
  let requestTime: Timestamp
  let responseTime: Timestamp
  /// The names of the selecting fields, for which the archive formats have no field. Empty if the request lacks the
  /// value of one of them: its name alone would say that the field was absent.
  let selectingNames: [FieldName]
  /// Whether it answers only certain requests, which the archive cannot identify: requests with credentials, with
  /// fields that are kept as digests, or under keys of the user's.
  let isPrivate: Bool
  /// The tags that the user has given the response.
  let tags: Tags
  /// Whether redaction has changed the URL, so that other responses may have the same one.
  let isTargetMasked: Bool

  /// - Parameter credentialFields: the fields to remove, besides whatever gives access in the URL; `nil` to remove
  ///   nothing.
  init(_ stored: StoredResponse, without credentialFields: CredentialFields?) {
    var fields: Fields = ["Host": FieldValue(stored.key.target.origin.authority)]
    var isConcealed = false
    for member in stored.selecting.members {
      switch member.value {
      case .absent: break
      case .plain(let value): fields.append(member.name, FieldValue(value))
      case .concealed: isConcealed = true
      }
    }
    var target = stored.key.target
    var response = stored.response
    var isWithheld = isConcealed
    if let credentialFields {
      target = Redaction.redacted(target)
      let redacted = Redaction.redacted(fields, of: .request, credentialFields)
      isWithheld = isWithheld || redacted != fields
      fields = redacted
      response.fields = Redaction.redacted(response.fields, of: .response, credentialFields)
    }
    isTargetMasked = target != stored.key.target
    request = Request(stored.requestMethod, target, fields: fields)
    self.response = response
    requestTime = stored.requestTime
    responseTime = stored.responseTime
    selectingNames = isWithheld ? [] : stored.selecting.members.map(\.name)
    tags = credentialFields == nil ? stored.marks.tags : Tags()
    isPrivate = isConcealed || stored.key.audience.map { !$0.isEmpty } ?? false || stored.key.isOfUser
  }

  /// Why no import takes it, not even with `--all`; `nil` if one does.
  var exclusion: ImportRefusal? {
    refusal(respectsOrigin: false).map { ImportRefusal.notStorable($0, request.method) }
  }

  /// Whether an import takes it only with `--all`, because it is private.
  var isRestricted: Bool { isPrivate && refusal(respectsOrigin: false) == nil }

  /// Whether an import takes it without `--all`. Not with a masked URL: of several responses that share one, an import
  /// takes only one.
  var isImportable: Bool { !isPrivate && !isTargetMasked && refusal(respectsOrigin: true) == nil }

  private func refusal(respectsOrigin: Bool) -> NotStored? {
    ArchivedStorability.refusal(
      of: response, to: request.method, with: request.fields, respectsOrigin: respectsOrigin)
  }

  /// The time between the request and the head of the response.
  var milliseconds: Int64 {
    let (milliseconds, overflow) = max(0, responseTime.seconds(since: requestTime)).multipliedReportingOverflow(
      by: 1_000)
    return overflow ? .max : milliseconds
  }

  /// The head as a parser of HTTP/1.1 expects it, whichever version it was received in.
  var responseHead: [UInt8] {
    var response = response
    if response.version.rawValue > HTTPVersion.http11.rawValue { response.version = .http11 }
    return response.head
  }

  var requestHead: [UInt8] {
    var head = Array("\(request.method) \(request.target.pathAndQuery) HTTP/1.1\r\n".utf8)
    for line in request.fields.lines {
      head += Array("\(line.name): ".utf8) + line.value.bytes + [ASCII.carriageReturn, ASCII.lineFeed]
    }
    return head + [ASCII.carriageReturn, ASCII.lineFeed]
  }
}
