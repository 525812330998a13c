import ContentCoding
import FlagTable
import HTTPSemantics
import Interface
import Platform
import Transport

/// A builder of requests from what was typed: what is sent, where to, and with which fields.
final class RequestBuilder {
  let options: RequestOptions
  /// The directives of Cache-Control that options give.
  let directives: FieldValue?
  let context: ProcessContext
  let netrcFiles: NetrcFiles
  private var sharedFields: Fields?
  /// The names of the fields that the user leaves out, and gives no value for.
  private(set) lazy var leftOut: [FieldName] = options.fieldChanges.compactMap {
    if case .leaveOut(let name) = $0, typedValues(of: name).isEmpty { name } else { nil }
  }

  init(
    _ options: RequestOptions, directives: FieldValue?, _ context: ProcessContext, _ netrcFiles: NetrcFiles
  ) {
    self.options = options
    self.directives = directives
    self.context = context
    self.netrcFiles = netrcFiles
  }

  /// - Parameters:
  ///   - index: the position of the URL.
  ///   - content: what is sent to every URL without an upload of its own.
  func message(
    to reference: URIReference, at index: Int, _ content: RequestContent
  ) throws(Failure) -> (Request, OutgoingMessage.Content, hasNetrcLogin: Bool) {
    var content = content
    var target = reference.target.appending(query: content.extraQuery)
    if options.sendsDataInQuery { target = target.appending(query: content.query) }
    if let name = upload(at: index) {
      content = try RequestContent(uploading: name, length: try typedLength(), context)
      if !RequestContent.isStandardInput(name), let segment = Path(name.bytes)?.lastComponent {
        target = target.naming(Array(segment.bytes))
      }
    }
    try checkFraming(of: content)
    let credentials = try credentials(for: reference)
    var fields = fields(content, credentials?.bytes)
    // A Host that would be sent anyway is removed, so that a stored response that varies by Host is selected without
    // it, too.
    if isTyped(.host), fields.values(of: .host) == [FieldValue(target.origin.authority)] { fields.removeAll(.host) }
    var request = Request(method(of: content), target, fields: fields)
    request.leftOut = leftOut
    return (
      request, content.outgoing, hasNetrcLogin: credentials?.areFromNetrc == true && !isTyped(.authorization)
    )
  }

  /// Has a request for a range ask for content without a coding, as the Fetch standard does: a part of coded content
  /// cannot be decoded. A request that continues a response for garner's own sake keeps the coding of that response.
  func declineCodings(of request: inout Request) {
    guard options.acceptsCodings, request.fields.contains(.range), !isTyped(.acceptEncoding) else { return }
    request.fields.set(.acceptEncoding, "identity")
  }

  /// The directives that options give, if they are not sent, because the user leaves Cache-Control out.
  var unsentDirectives: FieldValue? { leftOut.contains(.cacheControl) ? directives : nil }

  private func fields(_ content: RequestContent, _ credentials: [UInt8]?) -> Fields {
    // Only credentials and an upload belong to one URL alone; without these the fields are the same for all.
    let isShared = credentials == nil && content.kind != .upload
    if isShared, let sharedFields { return sharedFields }
    let sent = leftOut.contains(.cacheControl) ? nil : directives
    let made = RequestFields(options, content, credentials: credentials, directives: sent).fields
    if isShared { sharedFields = made }
    return made
  }

  /// Has the fields made anew for the next URL. Those after it share them.
  func renewShared() { sharedFields = nil }

  private func upload(at index: Int) -> ArgumentText? {
    guard index < options.uploads.count, !options.uploads[index].bytes.isEmpty else { return nil }
    return options.uploads[index]
  }

  /// Whether redirects set the Referer. A Referer that was typed as a field of its own is kept.
  var setsReferer: Bool { options.setsReferer && !isTyped(.referer) }

  /// Returns whether the user has typed a field line that says what is sent for a field.
  private func isTyped(_ field: FieldName) -> Bool {
    options.fieldChanges.contains {
      switch $0 {
      case .send(let name, value: _), .leaveOut(let name): name == field
      }
    }
  }

  private func typedValues(of field: FieldName) -> [FieldValue] {
    options.fieldChanges.compactMap {
      if case .send(let name, let value) = $0, name == field { value } else { nil }
    }
  }

  /// Returns the Content-Length that the user has typed, in bytes; `nil` without one, or if content goes in chunks.
  private func typedLength() throws(Failure) -> Int64? {
    let lengths = typedValues(of: .contentLength)
    if lengths.isEmpty || !typedValues(of: .transferEncoding).isEmpty { return nil }
    guard lengths.count == 1, let length = lengths[0].decimal.flatMap({ Int64(exactly: $0) }) else {
      throw .contradiction("--header Content-Length: expected a single number of bytes")
    }
    return length
  }

  /// Refuses typed framing that is not that of the content. With another length, the server would take the rest of this
  /// request for the next one, or the beginning of the next one for the rest of this one (RFC 9112 section 6).
  private func checkFraming(of content: RequestContent) throws(Failure) {
    if options.fieldChanges.isEmpty { return }
    let encodings = typedValues(of: .transferEncoding)
    if !encodings.isEmpty {
      let codings = encodings.flatMap { ListSyntax.members(of: $0.bytes) }
      if content.kind == .none { throw .contradiction("--header Transfer-Encoding: no content is sent") }
      let chunked = codings.indices.filter { ASCII.equalIgnoringCase(codings[$0], "chunked".utf8) }
      if chunked != [codings.count - 1] {
        throw .contradiction("--header Transfer-Encoding: the last coding must be chunked, and no other")
      }
    } else if let length = try typedLength(), let count = content.outgoing.count, count != length {
      let sent = content.kind == .none ? "no content is sent" : "the content has \(Words.count(count, "byte"))"
      throw .contradiction("--header Content-Length: it says \(length), but \(sent)")
    }
  }

  private func method(of content: RequestContent) -> Method {
    if let typed = options.method { return typed }
    if options.wantsHead { return .head }
    switch content.kind {
    case .none: return .get
    case .data, .form: return .post
    case .upload: return .put
    }
  }

  /// Returns `nil` unless an option names a file of cookies, if only the empty name, or a place where cookies are kept.
  /// Without a plan, only typed cookies are sent, and those that origins set are ignored.
  func cookiePlan() throws(Failure) -> CookiePlan? {
    guard !options.cookieFiles.isEmpty || options.cookieJar != nil else { return nil }
    // Checked here, because a failure to read it later is only a warning.
    if options.cookieFiles.contains("-") { try context.standardInput(for: "--cookie") }
    var plan = CookiePlan(
      files: options.cookieFiles.filter { !$0.bytes.isEmpty }, dropsSessions: options.dropsSessionCookies)
    if let jar = options.cookieJar {
      guard let path = Path(jar.bytes) else { throw .contradiction("--cookie-jar: the name of the file is empty") }
      plan.output = jar == "-" ? .standardOutput : .file(path)
    }
    return plan
  }

  // MARK: Contradictions

  /// The option that has given the last data, as far as the data tells: `--data` also stands for `--data-raw` and
  /// `--data-binary`.
  private var dataOption: String {
    guard let last = options.data.last else { return "--data" }
    if !last.isSeparated { return "--json" }
    if case .percentEncoded = last.treatment { return "--data-urlencode" }
    return "--data"
  }

  func checkContradictions() throws(Failure) {
    if options.data.isEmpty && options.form.isEmpty && options.uploads.isEmpty { return }
    // Checked before anything is sent, and not when the URL's turn comes.
    if options.uploads.contains(where: RequestContent.isStandardInput) {
      try context.standardInput(for: "--upload-file")
    }
    let sending = [
      (isGiven: !options.data.isEmpty && !options.sendsDataInQuery, words: "\(dataOption) sends some"),
      (isGiven: !options.form.isEmpty, words: "--form sends some"),
      (isGiven: !options.uploads.isEmpty, words: "--upload-file sends some"),
    ].filter(\.isGiven)
    if let sent = sending.first {
      if options.wantsHead { throw .contradiction("--head sends no content, and \(sent.words)") }
      if options.method == .head { throw .contradiction("HEAD sends no content, and \(sent.words)") }
      // An origin that ignores Range in such a request replaces the whole with what was meant for a part.
      if options.range != nil, options.method?.isSafe != true {
        throw .contradiction("--range is for content that is received, and \(sent.words)")
      }
    }
    if options.sendsDataInQuery, !options.data.isEmpty, !options.form.isEmpty {
      throw .contradiction("--get puts the data into the URL, but --form sends content")
    }
    if sending.count > 1 {
      let names = sending.map { $0.words.prefix { $0 != " " } }
      throw .contradiction("\(names[0]) and \(names[1]) both set the content of the request")
    }
  }
}

extension FieldValue {
  /// Credentials of the Basic scheme (RFC 7617 section 2).
  static func basic(_ userPass: [UInt8]) -> FieldValue { FieldValue("Basic " + Base64.encode(userPass)) }
}

/// The fields of a request: garner's own, then what options and `-H` lines make of them.
struct RequestFields {
  private(set) var fields: Fields

  /// - Parameters:
  ///   - credentials: `USER:PASSWORD`, for the Basic scheme.
  ///   - directives: the directives of Cache-Control that options give, if they are sent.
  init(_ options: RequestOptions, _ content: RequestContent, credentials: [UInt8]?, directives: FieldValue?) {
    fields = Fields()
    fields.set(
      .userAgent, options.userAgent.map { FieldValue($0.bytes) } ?? FieldValue("garner/\(ProgramVersion.number)"))
    fields.set(.accept, options.sendsJSON ? "application/json" : "*/*")
    if options.acceptsCodings { fields.set(.acceptEncoding, FieldValue(ContentCoding.acceptEncoding)) }
    if let range = options.range { fields.set(.range, FieldValue(Array("bytes=".utf8) + range.bytes)) }
    if let type = content.type { fields.set(.contentType, type) }
    if let referer = options.referer { fields.set(.referer, FieldValue(referer.bytes)) }
    // A token comes before a password, as with curl.
    if let token = options.bearerToken {
      fields.set(.authorization, FieldValue(Array("Bearer ".utf8) + token.bytes))
    } else if let credentials {
      fields.set(.authorization, .basic(credentials))
    }
    if !options.cookieLines.isEmpty {
      fields.set(.cookie, FieldValue(Array(options.cookieLines.map(\.bytes).joined(separator: Array("; ".utf8)))))
    }
    // An empty value of an option leaves the field out.
    fields.removeAll { $0.value.bytes.isEmpty }
    apply(options.fieldChanges, content)
    removeUserInfoFromReferer()
    // A typed line and the options form one list.
    if let directives { fields.append(.cacheControl, directives) }
  }

  /// "A user agent MUST NOT include the fragment and userinfo components of the URI reference ... when generating the
  /// Referer field value" (RFC 9110 section 10.1.3).
  private mutating func removeUserInfoFromReferer() {
    let typed = fields.values(of: .referer)
    if typed.isEmpty { return }
    fields.removeAll(.referer)
    for value in typed { fields.append(.referer, FieldValue(URIReference.withoutUserInfoAndFragment(value.bytes))) }
  }

  private mutating func apply(_ changes: [FieldChange], _ content: RequestContent) {
    var typed: [Field] = []
    for change in changes {
      switch change {
      case .send(let name, let value):
        fields.removeAll(name)
        typed.append(Field(name, name == .contentType ? content.completed(value) : value))
      case .leaveOut(let name):
        fields.removeAll(name)
      }
    }
    for field in typed { fields.append(field) }
    // "A sender MUST NOT send a Content-Length header field in any message that contains a Transfer-Encoding header
    // field" (RFC 9112 section 6.2): what has no length goes in chunks.
    if !typed.isEmpty, content.outgoing.count == nil || fields.contains(.transferEncoding) {
      fields.removeAll(.contentLength)
    }
  }
}
