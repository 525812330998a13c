import ContentCoding
import FlagTable
import HTTPSemantics
import Interface
import Platform

/// What is sent with a request, put together of all `--data` options.
struct RequestContent {
  /// `nil` where nothing is sent.
  let bytes: [UInt8]?

  init(_ options: RequestOptions, _ context: ProcessContext) throws(Failure) {
    guard !options.data.isEmpty else {
      bytes = nil
      return
    }
    var content: [UInt8] = []
    for (index, part) in options.data.enumerated() {
      if index > 0, part.isSeparated { content.append(UInt8(ascii: "&")) }
      content += try Self.bytes(of: part, context)
    }
    bytes = content
  }

  private static func bytes(of part: DataPart, _ context: ProcessContext) throws(Failure) -> [UInt8] {
    let bytes = try context.read(part.source)
    switch part.treatment {
    case .asIs:
      return bytes
    case .withoutLineBreaks:
      // What was typed is kept as it is; only a file's line breaks are its layout.
      guard case .file = part.source else { return bytes }
      return bytes.filter { $0 != ASCII.carriageReturn && $0 != ASCII.lineFeed && $0 != 0 }
    case .percentEncoded(let name):
      return (name.map { $0.bytes + [ASCII.equals] } ?? []) + PathSyntax.formEncoded(bytes)
    }
  }
}

/// The fields of a request: garner's own, then what options and `-H` lines make of them.
struct RequestFields {
  private(set) var fields: Fields

  init(_ options: RequestOptions, _ reference: URIReference, _ content: RequestContent) {
    fields = Fields()
    fields.set(
      .userAgent, options.userAgent.map { FieldValue($0.bytes) } ?? FieldValue("garner/\(ProgramVersion.number)"))
    fields.set(.accept, options.sendsJSON ? "application/json" : "*/*")
    if options.acceptsCodings { fields.set(.acceptEncoding, FieldValue(ContentCoding.acceptEncoding)) }
    if content.bytes != nil {
      fields.set(.contentType, options.sendsJSON ? "application/json" : "application/x-www-form-urlencoded")
    }
    if let referer = options.referer { fields.set(.referer, FieldValue(referer.bytes)) }
    if let credentials = Self.credentials(options, reference) {
      fields.set(.authorization, FieldValue("Basic " + Base64.encode(credentials)))
    }
    // An empty value given by an option of its own leaves the field out.
    fields.removeAll { $0.value.bytes.isEmpty }
    apply(options.fieldChanges)
    removeUserInfoFromReferer()
  }

  /// "A user agent MUST NOT include the fragment and userinfo components of the URI reference ... when generating the
  /// Referer field value" (RFC 9110 section 10.1.3).
  private mutating func removeUserInfoFromReferer() {
    guard let typed = fields[.referer] else { return }
    fields.set(.referer, FieldValue(URIReference.withoutUserInfoAndFragment(typed.bytes)))
  }

  /// What was typed as an option comes before what the URL holds.
  private static func credentials(_ options: RequestOptions, _ reference: URIReference) -> [UInt8]? {
    if let typed = options.credentials { return typed.bytes }
    return reference.userInfo.map { $0.user + [ASCII.colon] + $0.password }
  }

  private mutating func apply(_ changes: [FieldChange]) {
    var typed: [Field] = []
    for change in changes {
      switch change {
      case .send(let name, let value):
        fields.removeAll(name)
        typed.append(Field(name, value))
      case .leaveOut(let name):
        fields.removeAll(name)
      }
    }
    for field in typed { fields.append(field) }
  }
}
