package import FlagTable
import HTTPSemantics

/// A file of options in curl's notation (`curl -K`).
package enum CurlConfigText {
  /// Returns the lines that hold an option, each as the arguments that it stands for.
  package static func lines(_ bytes: [UInt8]) -> [OptionLine] {
    var options: [OptionLine] = []
    var lines = bytes.numberedLines
    while let (number, line) = lines.next() {
      let (arguments, hasOpenQuote) = arguments(line)
      if arguments.isEmpty { continue }
      options.append(OptionLine(number: number, arguments: arguments, hasOpenQuote: hasOpenQuote))
    }
    return options
  }

  /// Returns the arguments of a line: `--name value`, `--name=value`, `-n value`, `name = value`, `name: value` or
  /// `name value`, or one of these without a value; and whether a quotation mark is not closed.
  private static func arguments(_ line: ArraySlice<UInt8>) -> ([ArgumentText], hasOpenQuote: Bool) {
    var rest = line.drop(while: isBlank)
    guard let first = rest.first, !beginsComment(first) else { return ([], false) }
    let isDashed = first == ASCII.hyphen
    let isLong = !isDashed || rest.dropFirst().first == ASCII.hyphen
    var option = rest.prefix { !isBlank($0) && !(isDashed ? isLong && $0 == ASCII.equals : isSeparator($0)) }
    rest = rest.dropFirst(option.count)
    // Whether an equals sign joins the value to a dashed name. The value begins right behind it, as on the command
    // line, but still has its quotation marks, because no shell has removed them.
    let isJoined = isDashed && rest.first == ASCII.equals
    // Behind a dashed name, only blanks separate. Anything else there belongs to the value.
    rest = isJoined ? rest.dropFirst() : rest.drop { isBlank($0) || (!isDashed && isSeparator($0)) }
    // curl's --config is --curl-config here. garner's --config names its own config file.
    if option.elementsEqual((isDashed ? "--config" : "config").utf8) {
      option = Array((isDashed ? "--curl-config" : "curl-config").utf8)[...]
    }
    let dashes = isDashed ? [] : [ASCII.hyphen, ASCII.hyphen]
    if !isJoined, rest.isEmpty { return ([ArgumentText(dashes + option)], false) }
    // Text that begins with # is the value of an option that takes one, and a comment behind any other. It is a
    // separate argument, so that the parser can decide.
    let isDetached = !isLong || (!isJoined && rest.first == ASCII.numberSign)
    var value: [UInt8] = []
    var isClosed = true
    if rest.first == ASCII.quote {
      isClosed = takeQuoted(from: &rest, into: &value)
    } else {
      value = Array(rest.prefix { !isBlank($0) })
      rest = rest.dropFirst(value.count)
    }
    let behind = rest.drop(while: isBlank)
    // In either form, an option without a value refuses it.
    var arguments =
      isDetached
      ? [ArgumentText(dashes + option), ArgumentText(value)]
      : [ArgumentText(dashes + option + [ASCII.equals] + value)]
    // The rest belongs to no option, and is none itself: a value with blanks is quoted, and each option has its own
    // line. Behind `--`, the parser takes the rest for an operand and refuses it.
    if let byte = behind.first, byte != ASCII.numberSign {
      arguments += [ArgumentText([ASCII.hyphen, ASCII.hyphen]), ArgumentText(behind)]
    }
    return (arguments, !isClosed)
  }

  /// Takes a value in quotation marks from the front.
  ///
  /// - Returns: whether there is a closing mark.
  private static func takeQuoted(from rest: inout ArraySlice<UInt8>, into value: inout [UInt8]) -> Bool {
    rest.removeFirst()
    while let byte = rest.popFirst() {
      if byte == ASCII.quote { return true }
      guard byte == ASCII.backslash else {
        value.append(byte)
        continue
      }
      guard let escaped = rest.popFirst() else { break }
      switch escaped {
      case UInt8(ascii: "t"): value.append(ASCII.horizontalTab)
      case UInt8(ascii: "n"): value.append(ASCII.lineFeed)
      case UInt8(ascii: "r"): value.append(ASCII.carriageReturn)
      case UInt8(ascii: "v"): value.append(0x0b)
      default: value.append(escaped)
      }
    }
    return false
  }

  /// Whether a byte is a space for C's isspace in the C locale, except for the line feed.
  private static func isBlank(_ byte: UInt8) -> Bool {
    ASCII.isWhitespace(byte) || (0x0b...0x0d).contains(byte)
  }

  private static func beginsComment(_ byte: UInt8) -> Bool {
    byte == ASCII.numberSign || byte == ASCII.slash || byte == ASCII.asterisk
  }

  private static func isSeparator(_ byte: UInt8) -> Bool { byte == ASCII.equals || byte == ASCII.colon }
}
