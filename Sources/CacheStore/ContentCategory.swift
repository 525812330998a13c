package import HTTPSemantics

/// The sort of content that an entry has, for statistics: an account for each media type would be an endless table.
package enum ContentCategory: String, Equatable, Sendable, CaseIterable {
  case html, style, script, json, xml, text, image, audio, video, font, document, archive, binary, other, none

  /// - Parameter contentType: a Content-Type, or `nil` if there is none.
  package init(_ contentType: FieldValue?) {
    guard let contentType else {
      self = .none
      return
    }
    let type = ASCII.lowercased(ListSyntax.withoutParameters(contentType.bytes[...]))
    self = Self.named(type) ?? Self.kin(of: type)
  }

  private static func named(_ type: [UInt8]) -> ContentCategory? {
    switch type {
    case "text/html", "application/xhtml+xml": .html
    case "text/css": .style
    case "text/javascript", "application/javascript", "application/wasm": .script
    case "application/json": .json
    case "application/xml", "text/xml": .xml
    case "application/pdf": .document
    case "application/octet-stream": .binary
    case "application/zip", "application/gzip", "application/x-gzip", "application/x-tar", "application/zstd",
      "application/x-xz", "application/x-bzip2", "application/x-7z-compressed":
      .archive
    default: nil
    }
  }

  private static func kin(of type: [UInt8]) -> ContentCategory {
    // RFC 6839 section 3: the suffix tells the syntax of the content.
    if type.reversed().starts(with: "+json".utf8.reversed()) { return .json }
    if type.reversed().starts(with: "+xml".utf8.reversed()), !type.starts(with: "image/".utf8) { return .xml }
    return families.first { type.starts(with: $0.prefix.utf8) }?.category ?? .other
  }

  private static var families: [(prefix: String, category: ContentCategory)] {
    [
      ("text/", .text), ("image/", .image), ("audio/", .audio), ("video/", .video), ("font/", .font),
      ("application/font", .font), ("application/vnd.openxmlformats", .document), ("application/msword", .document),
      ("application/vnd.oasis", .document), ("application/epub", .document),
    ]
  }

  /// The position of its numbers in the tallies. A new case may therefore never come before an existing one.
  var number: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// Compares bytes rather than strings, and the length first, because each entry that is stored or removed is counted by
/// its type.
private func ~= (name: StaticString, type: [UInt8]) -> Bool {
  name.utf8CodeUnitCount == type.count && name.withUTF8Buffer { type.elementsEqual($0) }
}
