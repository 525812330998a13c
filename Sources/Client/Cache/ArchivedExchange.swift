import Archives
import CacheStore
import HTTPCaching
import HTTPSemantics

/// What an archive tells of a request and of the head of its response.
struct ArchivedExchange {
  let target: TargetURI
  /// Of the URI that the archive has.
  var userInfo: URIReference.UserInfo?
  var method: Method
  var requestFields: Fields
  var requestTime: Timestamp
  var response: Response
  let responseTime: Timestamp
  /// The names of the selecting header fields, where garner has written the archive.
  ///
  /// Without them the response answers any request for its URL: whoever archived it asked with fields of another
  /// program, which are not going to come again.
  let selectingNames: [FieldName]
  /// Whether it was for certain requests only, which the archive does not tell.
  let isRestricted: Bool
  let tags: Tags

  /// Takes on what the archive tells of the request.
  mutating func answer(_ request: ArchivedRequest) {
    (method, requestFields) = (request.method, request.fields)
    requestTime = request.record.date ?? requestTime
    userInfo = userInfo ?? (try? Self.reference(request.record.target))?.userInfo
  }

  /// The response as it is stored.
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

  /// Requests have that Host by themselves, and are asked for with another alone.
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

  /// The request as far as it says who asked.
  ///
  /// Cookies do not count: programs send them by themselves, and nobody has those of another one. User information of
  /// the URI is what a fetch of it makes of that: credentials, where the request had no others.
  var asking: Request {
    var fields = fieldsWithoutOwnHost
    fields.removeAll { $0.name == .cookie || $0.name == "Cookie2" }
    if let userInfo, !fields.contains(.authorization) { fields.append(.authorization, .basic(userInfo.userPass)) }
    return Request(method, target, fields: fields)
  }

  /// - Throws: `.refused`, for a URI of another scheme, of which an archive has some, and for none at all.
  static func reference(_ uri: [UInt8]?) throws(RecordFault) -> URIReference {
    let isWeb = ["http://", "https://"].contains { scheme in
      ASCII.equalIgnoringCase(uri?.prefix(scheme.utf8.count) ?? [], scheme.utf8)
    }
    guard let uri, isWeb else { throw .refused(.otherScheme) }
    do throws(URIError) {
      // As it was asked for.
      return try URIReference.typed(uri, slashes: .two, dotSegments: .kept)
    } catch {
      throw .refused(.damaged("URL is malformed: \(error.reason)"))
    }
  }

  /// What are no tags is passed over, and so is what there are too many of.
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
  /// What its head says of the length of its content, in bytes, where that is how it ends.
  var delimitingLength: UInt64? {
    if !status.mayHaveContent { return 0 }
    return fields.contains(.transferEncoding) ? nil : fields[.contentLength]?.decimal
  }
}

/// Why a response of an archive is not imported.
enum ImportRefusal: Error {
  case notStorable(NotStored, Method)
  /// Neither http nor https.
  case otherScheme
  /// The archive has requests, and not this one's: whom it answers, nobody knows.
  case withoutRequest
  /// There is no response, or not all of it.
  case noResponse
  case noContent
  case restricted
  case older
  case alreadyStored
  /// The record refers to a content that is not there.
  case contentAbsent
  case tooLarge
  case full
  /// What is wrong with the record, as an end to "its ...".
  case damaged(String)

  /// For the summary, behind a number.
  var word: String {
    switch self {
    case .notStorable(.method, let method): Escaping.visible(method.name)
    case .notStorable(.requestBound, _): "bound to their requests"
    case .notStorable(.notModified, _): "304"
    case .notStorable(.partialContent, _): "partial"
    case .notStorable(let reason, _): reason.rawValue
    case .otherScheme: "not of http"
    case .withoutRequest: "without their request"
    case .noResponse: "without a response"
    case .noContent: "without content"
    case .restricted: "private"
    case .older: "older than what is stored"
    case .alreadyStored: "already stored"
    case .contentAbsent: "without the content that they refer to"
    case .tooLarge: "too large"
    case .full: "without room"
    case .damaged: "damaged"
    }
  }
}

/// What ends the reading of a record.
enum RecordFault: Error {
  /// The next one may be better.
  case refused(ImportRefusal)
  case fatal(ImportFault)
}

/// What ends the reading of an archive.
enum ImportFault: Error {
  case archive(ArchiveError)
  /// What the store could not do.
  case store(StoreError)
  case interrupted
}
