import FlagTable
import HTTPSemantics
import Interface
import Platform
import Transport

/// The parts of a form as one content (RFC 7578, RFC 2046 section 5.1).
struct FormContent {
  /// The random bytes of a boundary: enough that no content holds it by accident, or because somebody has foreseen it.
  private static let boundaryBytes = 12

  /// The media types by the suffix of a file's name, as in curl.
  private static let types: [(suffix: String, type: String)] = [
    (".gif", "image/gif"), (".jpg", "image/jpeg"), (".jpeg", "image/jpeg"), (".png", "image/png"),
    (".svg", "image/svg+xml"), (".txt", "text/plain"), (".htm", "text/html"), (".html", "text/html"),
    (".pdf", "application/pdf"), (".xml", "application/xml"),
  ]

  let boundary: String
  var content: OutgoingMessage.Content { pieces.content }
  private var pieces = ContentPieces()

  init(_ parts: [FormPart], _ context: ProcessContext) throws(Failure) {
    do throws(Errno) {
      boundary = "------------------------" + (try SecureRandom.hexadecimal(bytes: Self.boundaryBytes))
    } catch {
      throw .input("random numbers", error)
    }
    for part in parts {
      switch part.content {
      case .text(.literal(let text)):
        let filename = part.attributes.filename?.bytes
        try append(
          part.name, filename: filename, type: part.attributes.type, default: filename.flatMap(Self.type),
          .literal(text), context)
      case .text(.file(let name)):
        // The file's own name gives the type, and is not sent itself. Without a type, content is text.
        let known = Self.type(of: name.bytes)
        try append(
          part.name, filename: nil, type: part.attributes.type, default: known == "text/plain" ? nil : known,
          .file(name), context)
      case .files(let files):
        for file in files {
          let filename = file.attributes.filename?.bytes ?? Self.lastComponent(of: file.name)
          // The type by the name that is sent comes first; for standard input, there is no other.
          let other = file.name == "-" ? nil : Self.type(of: file.name.bytes) ?? "application/octet-stream"
          try append(
            part.name, filename: filename, type: file.attributes.type, default: Self.type(of: filename) ?? other,
            .file(file.name), context)
        }
      }
    }
    pieces.append(Array("--\(boundary)--".utf8) + Self.lineEnd)
  }

  /// - Parameters:
  ///   - type: the type that the user gives.
  ///   - defaultType: the type that is sent otherwise, as by curl.
  private mutating func append(
    _ name: ArgumentText, filename: [UInt8]?, type: ArgumentText?, default defaultType: String?, _ content: TextSource,
    _ context: ProcessContext
  ) throws(Failure) {
    pieces.append(head(of: name, filename: filename, type: type?.bytes ?? defaultType.map { Array($0.utf8) }))
    switch content {
    case .literal(let text): pieces.append(text.bytes)
    case .file(let name): try pieces.append(contentsOf: name, for: "--form", context)
    }
    pieces.append(Self.lineEnd)
  }

  private static let lineEnd: [UInt8] = [ASCII.carriageReturn, ASCII.lineFeed]

  private func head(of name: ArgumentText, filename: [UInt8]?, type: [UInt8]?) -> [UInt8] {
    var head = Array("--\(boundary)".utf8) + Self.lineEnd + Array("Content-Disposition: form-data".utf8)
    if !name.bytes.isEmpty { head += Self.parameter("name", name.bytes) }
    if let filename { head += Self.parameter("filename", filename) }
    head += Self.lineEnd
    if let type { head += Array("Content-Type: ".utf8) + type + Self.lineEnd }
    return head + Self.lineEnd
  }

  /// Returns a parameter in which whatever would end the value or the line is percent-encoded, as by browsers.
  private static func parameter(_ name: String, _ value: [UInt8]) -> [UInt8] {
    var text = Array("; \(name)=\"".utf8)
    for byte in value {
      switch byte {
      case ASCII.quote: text += "%22".utf8
      case ASCII.carriageReturn: text += "%0D".utf8
      case ASCII.lineFeed: text += "%0A".utf8
      default: text.append(byte)
      }
    }
    return text + [ASCII.quote]
  }

  private static func lastComponent(of name: ArgumentText) -> [UInt8] {
    Path(name.bytes)?.lastComponent.map { Array($0.bytes) } ?? name.bytes
  }

  private static func type(of filename: [UInt8]) -> String? {
    let lowercased = ASCII.lowercased(filename)
    let known = types.first {
      lowercased.count >= $0.suffix.utf8.count && lowercased.suffix($0.suffix.utf8.count).elementsEqual($0.suffix.utf8)
    }
    return known?.type
  }
}
