import FlagTable
import HTTPSemantics

/// A value of `--connect-to`, as libcurl takes it for CURLOPT_CONNECT_TO: `HOST:PORT:OTHER:PORT`, each of which may be
/// left out; an IPv6 address stands in brackets.
enum ConnectText {
  static func check(_ text: ArgumentText) throws(InvalidValue) -> ArgumentText {
    var isBracketed = false
    // Behind the last colon that is in no brackets.
    var start = 0
    var columns: [ArraySlice<UInt8>] = []
    let bytes = try LineText.check(text).bytes
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
    guard columns.count == 4 else { throw .unacceptable("expected HOST:PORT:OTHER:PORT") }
    for port in [columns[1], columns[3]] where !port.isEmpty { try PortText.check(port) }
    return text
  }
}

enum PortText {
  static func check(_ text: ArraySlice<UInt8>) throws(InvalidValue) {
    guard let port = ASCII.unsignedDecimal(text), port <= UInt16.max else {
      throw .unacceptable("the port is not a number from 0 to 65535")
    }
  }
}
