package import FlagTable

/// A file of options in curl's notation (`curl -K`).
package enum CurlConfigText {
  /// The lines that hold an option, each as the arguments that it stands for.
  package static func lines(_ bytes: [UInt8]) -> [OptionLine] {
    var lines: [OptionLine] = []
    for (index, line) in bytes.split(separator: lineFeed, omittingEmptySubsequences: false).enumerated() {
      let arguments = arguments(line.last == carriageReturn ? line.dropLast() : line)
      if !arguments.isEmpty { lines.append(OptionLine(number: index + 1, arguments: arguments)) }
    }
    return lines
  }

  /// `--name value`, `-n value`, `name = value`, `name: value` or `name value`, or each without a value.
  private static func arguments(_ line: ArraySlice<UInt8>) -> [ArgumentText] {
    var rest = line.drop(while: isBlank)
    guard let first = rest.first, first != numberSign else { return [] }
    let isDashed = first == hyphen
    let option = rest.prefix { !isBlank($0) && (isDashed || !isSeparator($0)) }
    rest = rest.dropFirst(option.count).drop { isBlank($0) || isSeparator($0) }
    let dashes = isDashed ? [] : [hyphen, hyphen]
    guard let next = rest.first, next != numberSign else { return [ArgumentText(dashes + option)] }
    var value: [UInt8] = []
    if next == quotationMark {
      value = unquoted(&rest)
    } else {
      value = Array(rest.prefix { !isBlank($0) })
      rest = rest.dropFirst(value.count)
    }
    let behind = rest.drop(while: isBlank)
    // What takes no value refuses it in either form.
    let isLong = !isDashed || option.dropFirst().first == hyphen
    var arguments =
      isLong && !option.contains(equals)
      ? [ArgumentText(dashes + option + [equals] + value)] : [ArgumentText(option), ArgumentText(value)]
    // No option takes it: a value with blanks is quoted.
    if let byte = behind.first, byte != numberSign { arguments.append(ArgumentText(behind)) }
    return arguments
  }

  /// Takes a value in quotation marks from the front; without the second one, it ends with the line.
  private static func unquoted(_ rest: inout ArraySlice<UInt8>) -> [UInt8] {
    var value: [UInt8] = []
    rest.removeFirst()
    while let byte = rest.popFirst(), byte != quotationMark {
      guard byte == UInt8(ascii: "\\"), let escaped = rest.popFirst() else {
        value.append(byte)
        continue
      }
      switch escaped {
      case UInt8(ascii: "t"): value.append(0x09)
      case UInt8(ascii: "n"): value.append(lineFeed)
      case UInt8(ascii: "r"): value.append(carriageReturn)
      case UInt8(ascii: "v"): value.append(0x0b)
      default: value.append(escaped)
      }
    }
    return value
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == 0x09 }

  private static func isSeparator(_ byte: UInt8) -> Bool { byte == equals || byte == UInt8(ascii: ":") }

  private static let lineFeed: UInt8 = 0x0a
  private static let carriageReturn: UInt8 = 0x0d
  private static let hyphen = UInt8(ascii: "-")
  private static let equals = UInt8(ascii: "=")
  private static let numberSign = UInt8(ascii: "#")
  private static let quotationMark = UInt8(ascii: "\"")
}
