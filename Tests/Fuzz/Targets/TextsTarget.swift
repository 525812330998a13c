import HTTPSemantics

@testable import Client

extension FuzzTarget {
  /// Text from the network, as it is shown on a terminal and in JSON.
  static let texts = FuzzTarget("texts", longestInput: 256) { (bytes) throws(Violation) in
    let visible = Escaping.visible(bytes)
    try require(!visible.unicodeScalars.contains(where: isControl), "a terminal gets control characters")
    try require(Escaping.visible(visible) == visible, "what is escaped is escaped again")
    let lines = Escaping.visibleLines(of: bytes)
    let steers = lines.contains { $0 < 0x20 && $0 != ASCII.lineFeed || $0 == 0x7f }
    try require(!steers, "a printed head holds control characters")
    let text = String(decoding: bytes, as: UTF8.self)
    let json = JSON.object([(text, .string(text))]).text
    try require(!json.utf8.contains { $0 < 0x20 }, "JSON holds a control character")
    try require(json.utf8.count { $0 == ASCII.quote } >= 4, "JSON has lost a quote")
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.generalCategory == .control }
}
