import FlagTable
import HTTPSemantics

/// A value of `--connect-to`, as libcurl takes it for CURLOPT_CONNECT_TO: `HOST:PORT:OTHER:PORT`, each of which may be
/// left out; an IPv6 address stands in brackets.
enum ConnectText {
  static func check(_ text: ArgumentText) throws(InvalidValue) -> ArgumentText {
    let columns = columns(of: try LineText.check(text).bytes)
    guard columns.count == 4 else { throw .unacceptable("expected HOST:PORT:OTHER:PORT") }
    for port in [columns[1], columns[3]] where !port.isEmpty { try PortText.check(port) }
    return text
  }

  /// Returns where a checked value leads a connection to `endpoint`; `nil` if it is about another endpoint, or leads
  /// nowhere else.
  static func endpoint(_ text: ArgumentText, from endpoint: Endpoint) -> Endpoint? {
    let columns = columns(of: text.bytes)
    guard columns.count == 4, columns[2].count + columns[3].count > 0,
      columns[0].isEmpty || ASCII.equalIgnoringCase(columns[0], endpoint.host.utf8),
      columns[1].isEmpty || ASCII.decimalUInt64(columns[1]) == UInt64(endpoint.port)
    else { return nil }
    var other = endpoint
    if !columns[2].isEmpty { other.host = String(decoding: ASCII.lowercased(columns[2]), as: UTF8.self) }
    if let port = ASCII.decimalUInt64(columns[3]) { other.port = UInt16(clamping: port) }
    return other
  }

  private static func columns(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    var isBracketed = false
    // The index behind the last colon outside of brackets.
    var start = 0
    var columns: [ArraySlice<UInt8>] = []
    for index in 0..<bytes.count {
      switch bytes[index] {
      case ASCII.openingBracket: isBracketed = true
      case ASCII.closingBracket: isBracketed = false
      case ASCII.colon where !isBracketed:
        columns.append(bytes[start..<index])
        start = index + 1
      default: break
      }
    }
    columns.append(bytes[start...])
    return columns
  }
}

/// The syntax of a port within a value, as libcurl reads it.
enum PortText {
  static func check(_ text: ArraySlice<UInt8>) throws(InvalidValue) {
    guard let port = ASCII.decimalUInt64(text), port <= UInt16.max else {
      throw .unacceptable("the port is not a number from 0 to 65535")
    }
  }
}
