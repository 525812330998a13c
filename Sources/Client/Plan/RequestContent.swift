import FlagTable
import HTTPSemantics
import Interface
import Platform
import Transport

/// The content of a request, put together from all options that give something to send.
final class RequestContent {
  enum Kind {
    case none
    case data
    case form
    case upload
  }

  let kind: Kind
  let outgoing: OutgoingMessage.Content
  /// The media type of the content, if the user types no other.
  private(set) var type: FieldValue?
  /// Data that goes into the query of the URL instead.
  private(set) var query: [UInt8] = []
  /// Text that goes into the query whatever is sent.
  private(set) var extraQuery: [UInt8] = []
  private var boundary: String?

  private init(_ kind: Kind, _ outgoing: OutgoingMessage.Content, type: FieldValue? = nil) {
    self.kind = kind
    self.outgoing = outgoing
    self.type = type
  }

  /// Makes the content that is sent to each URL.
  convenience init(_ options: RequestOptions, _ context: ProcessContext) throws(Failure) {
    if !options.form.isEmpty {
      let form = try FormContent(options.form, context)
      self.init(.form, form.content, type: FieldValue("multipart/form-data; boundary=\(form.boundary)"))
      boundary = form.boundary
    } else if options.data.isEmpty {
      self.init(.none, .none)
    } else if options.sendsDataInQuery {
      self.init(.none, .none)
      query = try Self.joined(options.data, for: "--data", context)
    } else {
      let type: FieldValue = options.sendsJSON ? "application/json" : "application/x-www-form-urlencoded"
      // Read as a whole, because the answer to a QUERY is stored under a digest of its content.
      let content: OutgoingMessage.Content =
        options.method == .query
        ? .bytes(try Self.joined(options.data, for: "--data", context)) : try Self.streamed(options.data, context)
      self.init(.data, content, type: type)
    }
    extraQuery = try Self.joined(options.query, for: "--url-query", context)
  }

  /// Makes the content that is sent to one URL.
  ///
  /// - Parameter length: the length that was typed, in bytes, for content whose length is not known before its end.
  convenience init(uploading name: ArgumentText, length: Int64?, _ context: ProcessContext) throws(Failure) {
    if Self.isStandardInput(name) {
      let input = try context.standardInput(for: "--upload-file")
      self.init(.upload, .streamed(StreamedContent([.rest(of: .init(.descriptor(input), length: length))])))
      return
    }
    let (path, status) = try context.status(of: name)
    let part: StreamedContent.Part =
      status.kind == .regular ? .file(path, count: status.size) : .rest(of: .init(.file(path), length: length))
    self.init(.upload, .streamed(StreamedContent([part])))
  }

  /// Returns whether an upload comes from standard input. So does `.` in curl, which then does not wait for input.
  static func isStandardInput(_ name: ArgumentText) -> Bool { name == "-" || name == "." }

  /// Returns the type that was typed for a form, with the boundary of its content in the place of any other (RFC 2046
  /// section 5.1.1).
  func completed(_ type: FieldValue) -> FieldValue {
    guard let boundary else { return type }
    let parts = ListSyntax.split(type.bytes[...], at: ASCII.semicolon).filter { part in
      !ASCII.equalIgnoringCase(ListSyntax.parameter(part).name, "boundary".utf8)
    }
    return FieldValue(Array(parts.joined(separator: [ASCII.semicolon])) + Array("; boundary=\(boundary)".utf8))
  }

  // MARK: Data

  /// Returns all parts, with `&` between them.
  private static func joined(
    _ parts: [DataPart], for option: String, _ context: ProcessContext
  ) throws(Failure) -> [UInt8] {
    var content: [UInt8] = []
    for (index, part) in parts.enumerated() {
      if index > 0, part.isSeparated { content.append(UInt8(ascii: "&")) }
      content += try bytes(of: part, for: option, context)
    }
    return content
  }

  /// Does the same as `joined`, except that large files which are sent unchanged are not read yet.
  private static func streamed(
    _ parts: [DataPart], _ context: ProcessContext
  ) throws(Failure) -> OutgoingMessage.Content {
    var pieces = ContentPieces()
    for (index, part) in parts.enumerated() {
      if index > 0, part.isSeparated { pieces.append(Array("&".utf8)) }
      if part.treatment == .asIs, case .file(let name) = part.source {
        try pieces.append(contentsOf: name, for: "--data", context)
      } else {
        pieces.append(try bytes(of: part, for: "--data", context))
      }
    }
    return pieces.content
  }

  private static func bytes(
    of part: DataPart, for option: String, _ context: ProcessContext
  ) throws(Failure) -> [UInt8] {
    var bytes = try context.read(part.source, for: option)
    switch part.treatment {
    case .asIs:
      return bytes
    case .withoutLineBreaks:
      // Typed data is kept as it is. Only in a file are line breaks mere layout.
      guard case .file = part.source else { return bytes }
      // In place: for a large file, `filter` takes four times as long.
      bytes.removeAll { $0 == ASCII.carriageReturn || $0 == ASCII.lineFeed || $0 == 0 }
      return bytes
    case .percentEncoded(let name):
      return (name.map { $0.bytes + [ASCII.equals] } ?? []) + PathSyntax.formEncoded(bytes)
    }
  }
}

/// Content that is being put together from bytes and files.
struct ContentPieces {
  private var parts: [StreamedContent.Part] = []
  /// The bytes that have been appended after the last file.
  private var bytes: [UInt8] = []
  /// The bytes of all files.
  private var fileBytes: Int64 = 0
  /// The largest file to hold, in bytes: it fits into the message that begins a request. A larger one is read while it
  /// is sent.
  private static let longestHeld: Int64 = 64 << 10
  /// The most bytes of files: sums of more would not fit a number.
  private static let maximumFileBytes = Int64.max / 2

  var content: OutgoingMessage.Content {
    if parts.isEmpty { return .bytes(bytes) }
    return .streamed(StreamedContent(bytes.isEmpty ? parts : parts + [.bytes(bytes)]))
  }

  mutating func append(_ more: [UInt8]) { bytes += more }

  /// Appends the content of a file; `-` is standard input.
  ///
  /// - Parameter option: the option that names the file.
  mutating func append(
    contentsOf name: ArgumentText, for option: String, _ context: ProcessContext
  ) throws(Failure) {
    if name == "-" {
      if let (source, from, count) = try context.unreadFile(for: option, beyond: Self.longestHeld) {
        return try append(source, from: from, count: count, name)
      }
    } else {
      let (path, status) = try context.status(of: name)
      if status.kind == .regular, status.size > Self.longestHeld {
        return try append(.file(path), from: 0, count: status.size, name)
      }
    }
    let content = try context.read(.file(name), for: option)
    // Large content becomes a part of its own, which saves a copy.
    if content.count > Self.longestHeld { append(part: .bytes(content)) } else { bytes += content }
  }

  private mutating func append(
    _ source: StreamedContent.Source, from offset: Int64, count: Int64, _ name: ArgumentText
  ) throws(Failure) {
    guard count <= Self.maximumFileBytes - fileBytes else { throw .reading(name, .fileTooLarge) }
    fileBytes += count
    append(part: .section(of: source, from: offset, count: count))
  }

  private mutating func append(part: StreamedContent.Part) {
    if !bytes.isEmpty { parts.append(.bytes(bytes)) }
    bytes = []
    parts.append(part)
  }
}
