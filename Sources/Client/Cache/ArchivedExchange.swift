import Archives
import HTTPCaching
import HTTPSemantics

/// A request and the head of its response, as an archive records them.
struct ArchivedExchange {
  let target: TargetURI
  /// The user information of the URI in the archive.
  var userInfo: URIReference.UserInfo?
  var method: Method
  var requestFields: Fields
  var requestTime: Timestamp
  var response: Response
  let responseTime: Timestamp
  /// The names of the selecting header fields, in an archive that garner has written.
  ///
  /// Without them the response answers any request for its URL: the archived request has the fields of another program,
  /// which garner's requests will not have, or garner has withheld the value of one.
  let selectingNames: [FieldName]
  /// Whether the response answers only certain requests, and the archive does not say which.
  let isRestricted: Bool
  let tags: Tags

  /// Takes over what the archive records about the request.
  mutating func answer(_ request: ArchivedRequest) {
    (method, requestFields) = (request.method, request.fields)
    requestTime = request.record.date ?? requestTime
    userInfo = userInfo ?? (try? Self.reference(request.record.target))?.userInfo
  }

  /// Returns the response in the form in which it is stored; `nil` if a selecting field cannot be concealed.
  func stored(under key: CacheKey, concealing conceal: SelectingFields.Concealer) -> StoredResponse? {
    guard let selecting = SelectingFields(selectingNames, of: fieldsWithoutOwnHost, concealing: conceal) else {
      return nil
    }
    var response = response
    response.fields = StorableFields.dated(StorableFields.stored(response.fields), receivedAt: responseTime)
    return StoredResponse(
      response, under: key, selecting: selecting, requestTime: min(requestTime, responseTime),
      responseTime: responseTime, marks: Marks(tags: tags))
  }

  /// The request fields without a Host that repeats the target's authority: the requests that garner looks up have a
  /// Host only if the user has set another one.
  private var fieldsWithoutOwnHost: Fields {
    let origin = target.origin
    var fields = requestFields
    fields.removeAll { field in
      // The scheme's own port "can be omitted" (RFC 9110 section 4.2.3).
      field.name == .host
        && [origin.authority, "\(origin.host):\(origin.port)"].contains {
          ASCII.equalIgnoringCase(field.value.bytes, $0.utf8)
        }
    }
    return fields
  }

  /// The request, reduced to what identifies the client.
  ///
  /// Cookies do not count: programs send them on their own, and no other program has the same ones. User information in
  /// the URI becomes credentials, as in a fetch of that URI, if the request had no others.
  var identifyingRequest: Request {
    var fields = fieldsWithoutOwnHost
    fields.removeAll { $0.name == .cookie || $0.name == "Cookie2" }
    if let userInfo, !fields.contains(.authorization) { fields.append(.authorization, .basic(userInfo.userPass)) }
    return Request(method, target, fields: fields)
  }

  /// - Throws: `.refused` for a URI whose scheme is not http or https (archives have some), for a malformed one, and
  ///   for none.
  static func reference(_ uri: [UInt8]?) throws(RecordFault) -> URIReference {
    let isWeb = ["http://", "https://"].contains { scheme in
      ASCII.equalIgnoringCase(uri?.prefix(scheme.utf8.count) ?? [], scheme.utf8)
    }
    guard let uri, isWeb else { throw .refused(.otherScheme) }
    do throws(URIError) {
      // Dot segments stay, because the URI was requested with them.
      return try URIReference.typed(uri, slashes: .two, dotSegments: .kept)
    } catch {
      throw .refused(.damaged("URL is malformed: \(error.reason)"))
    }
  }

  /// Returns the tags in some values. Malformed ones, and those beyond the limit, are ignored.
  static func tags(_ values: [FieldValue]) -> Tags {
    var tags = Tags()
    for value in values {
      if let tag = try? Tag(parsing: value.bytes) { tags.set(tag) }
    }
    return tags
  }

  static func names(in list: [UInt8]?) -> [FieldName] {
    guard let list else { return [] }
    return ListSyntax.members(of: list).compactMap { FieldName($0) }
  }
}

extension Response {
  /// The length of the content in bytes, if the status or Content-Length delimits it.
  var delimitingLength: UInt64? {
    if !status.mayHaveContent { return 0 }
    return fields.contains(.transferEncoding) ? nil : fields[.contentLength]?.decimal
  }
}
