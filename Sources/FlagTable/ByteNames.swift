/// Names for ASCII bytes. HTTPSemantics has the same, but this module may not know of HTTP.
extension UInt8 {
  static var horizontalTab: UInt8 { UInt8(ascii: "\t") }
  static var lineFeed: UInt8 { UInt8(ascii: "\n") }
  static var carriageReturn: UInt8 { UInt8(ascii: "\r") }
  static var space: UInt8 { UInt8(ascii: " ") }
  static var quote: UInt8 { UInt8(ascii: "\"") }
  static var numberSign: UInt8 { UInt8(ascii: "#") }
  static var hyphen: UInt8 { UInt8(ascii: "-") }
  static var period: UInt8 { UInt8(ascii: ".") }
  static var slash: UInt8 { UInt8(ascii: "/") }
  static var colon: UInt8 { UInt8(ascii: ":") }
  static var equals: UInt8 { UInt8(ascii: "=") }
  static var at: UInt8 { UInt8(ascii: "@") }
  static var openingBracket: UInt8 { UInt8(ascii: "[") }
  static var backslash: UInt8 { UInt8(ascii: "\\") }
  static var closingBracket: UInt8 { UInt8(ascii: "]") }
  static var underscore: UInt8 { UInt8(ascii: "_") }
  static var tilde: UInt8 { UInt8(ascii: "~") }
}
