/// HTTP/2 frames that a test's origin sends, byte by byte.
///
/// - Source: RFC 9113 sections 4.1 and 6.
package enum Frames {
  package static func frame(_ type: UInt8, flags: UInt8 = 0, stream: UInt8 = 1, _ payload: [UInt8]) -> [UInt8] {
    let count = payload.count
    return [UInt8(count >> 16), UInt8(count >> 8 & 0xff), UInt8(count & 0xff), type, flags, 0, 0, 0, stream] + payload
  }

  package static let settings = frame(4, stream: 0, [])
  /// The acknowledgement of the client's SETTINGS.
  package static let acknowledgement = frame(4, flags: 1, stream: 0, [])

  /// A HEADERS frame with END_HEADERS. Each field is a literal without indexing; `:status` is named by its index in the
  /// static table (RFC 7541 section 6.2.2 and appendix A).
  package static func head(_ status: Int = 200, _ fields: [(String, String)] = []) -> [UInt8] {
    let digits = [status / 100, status / 10 % 10, status % 10].map { UInt8(0x30 + $0) }
    var block: [UInt8] = [8, 3] + digits
    for (name, value) in [("cache-control", "max-age=999")] + fields {
      block += [0, UInt8(name.utf8.count)] + Array(name.utf8) + [UInt8(value.utf8.count)] + Array(value.utf8)
    }
    return frame(1, flags: 4, block)
  }

  package static func data(_ text: String, isLast: Bool = false) -> [UInt8] {
    frame(0, flags: isLast ? 1 : 0, Array(text.utf8))
  }

  /// WINDOW_UPDATE by 1 MiB, of a stream or, where `stream` is 0, of the connection.
  package static func window(_ stream: UInt8) -> [UInt8] { frame(8, stream: stream, [0, 0x10, 0, 0]) }

  /// GOAWAY of a server that has processed no stream, and accepts none.
  package static let goAway = frame(7, stream: 0, [0, 0, 0, 0, 0, 0, 0, 0])

  /// RST_STREAM with an error code (RFC 9113 section 7).
  package static func reset(_ code: UInt8) -> [UInt8] { frame(3, [0, 0, 0, code]) }
}
