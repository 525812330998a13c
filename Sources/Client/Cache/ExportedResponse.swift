import HTTPCaching
import HTTPSemantics

/// What goes into an archive of a stored response, beside its content.
struct ExportedResponse {
  let request: Request
  let response: Response
  let requestTime: Timestamp
  let responseTime: Timestamp
  /// The names of the fields that select it: what an archive's own fields do not tell.
  let selectingNames: [FieldName]
  /// Whether it answers certain requests only, of which the archive cannot tell which: they had credentials, or fields
  /// that are kept as digests, or were under keys of the user's.
  let isRestricted: Bool
  /// What the user has noted of it.
  let tags: Tags
  /// Whether redaction has changed its URL, which it may then share with others.
  let isTargetMasked: Bool

  /// - Parameter credentialFields: what is taken out of it, and of its URL what gives access; `nil` for nothing.
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
    if let credentialFields {
      target = Redaction.redacted(target)
      fields = Redaction.redacted(fields, of: .request, credentialFields)
      response.fields = Redaction.redacted(response.fields, of: .response, credentialFields)
    }
    isTargetMasked = target != stored.key.target
    request = Request(stored.requestMethod, target, fields: fields)
    self.response = response
    requestTime = stored.requestTime
    responseTime = stored.responseTime
    selectingNames = stored.selecting.members.map(\.name)
    tags = credentialFields == nil ? stored.marks.tags : Tags()
    isRestricted = isConcealed || stored.key.audience.map { !$0.isEmpty } ?? false || stored.key.isOfUser
  }

  /// Whether an import takes it without being told to take everything; of those that share a URL, it takes one.
  var isImportable: Bool {
    !isRestricted && !isTargetMasked
      && ArchivedStorability.refusal(of: response, to: request.method, with: request.fields, heedsOrigin: true) == nil
  }

  /// From the request to the head of the response.
  var milliseconds: Int64 {
    let (milliseconds, overflow) = max(0, responseTime.seconds(since: requestTime)).multipliedReportingOverflow(
      by: 1_000)
    return overflow ? .max : milliseconds
  }

  /// The head as a parser of HTTP/1.1 expects it, whatever it came in.
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

/// Names that WARC does not have: who does not know them passes over them.
extension FieldName {
  /// The names of the selecting header fields, in a list; their values are in the record of the request.
  static let garnerVariesBy: FieldName = "Garner-Varies-By"
  /// Says that the response answers certain requests only.
  static let garnerRestricted: FieldName = "Garner-Restricted"
  /// `KEY=VALUE`: a tag of the stored response, as often as it has some.
  static let garnerTag: FieldName = "Garner-Tag"
}

/// How a version of HTTP is named in WARC-Protocol and in HAR.
enum ProtocolName {
  static func name(of version: HTTPVersion) -> FieldValue {
    switch version {
    case .http09: "http/0.9"
    case .http10: "http/1.0"
    case .http11: "http/1.1"
    case .http2: "h2"
    case .http3: "h3"
    }
  }

  /// - Returns: `nil` where the name is of no version of HTTP.
  static func version(_ name: [UInt8]) -> HTTPVersion? {
    switch String(decoding: ASCII.lowercased(name), as: UTF8.self) {
    case "http/0.9": .http09
    case "http/1.0": .http10
    case "http/1.1": .http11
    case "h2", "h2c", "http/2", "http/2.0": .http2
    case "h3", "http/3", "http/3.0": .http3
    default: nil
    }
  }
}
