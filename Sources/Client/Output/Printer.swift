import HTTPSemantics
import Interface
import Platform

/// The characters of tables and charts that are not ASCII if the terminal can show others.
struct Glyphs {
  /// What bars in a chart are made of, one column wide.
  let bar: String
  /// What stands for a part of a text that is left out.
  let ellipsis: String

  static let unicode = Glyphs(bar: "█", ellipsis: "…")
  static let ascii = Glyphs(bar: "#", ellipsis: "...")
}

/// Standard output for text that is not a response: listings, helps, completions.
struct Printer {
  /// The columns if the width is unknown: wide enough for a URL, narrow enough to be read.
  private static let defaultWidth = 80
  /// The most columns: longer lines are hard to read, however wide the terminal is.
  private static let longestLine = 120

  let output: Descriptor
  let isTerminal: Bool
  let usesColor: Bool
  /// The width in columns.
  let width: Int
  let glyphs: Glyphs

  init(_ context: ProcessContext, _ color: OutputOptions.Color) {
    output = context.standardOutput
    isTerminal = output.isTerminal
    width = min(isTerminal ? output.terminalWidth ?? Self.defaultWidth : Self.defaultWidth, Self.longestLine)
    glyphs = Self.showsUTF8(context.environment) ? .unicode : .ascii
    usesColor =
      switch color {
      case .always: true
      case .never: false
      // https://no-color.org: set, and not empty.
      case .auto: isTerminal && (context.environment["NO_COLOR"] ?? "").isEmpty && context.environment["TERM"] != "dumb"
      }
  }

  /// Returns whether characters beyond ASCII are shown correctly in UTF-8, according to the locale (locale(7)).
  private static func showsUTF8(_ environment: Environment) -> Bool {
    var locale: [UInt8] = []
    for name in ["LC_ALL", "LC_CTYPE", "LANG"] where locale.isEmpty { locale = environment[bytes: name] ?? [] }
    // language_TERRITORY.codeset@modifier
    guard let period = locale.firstIndex(of: ASCII.period) else { return false }
    var codeset: [UInt8] = []
    for byte in locale[(period + 1)...] {
      if byte == UInt8(ascii: "@") { break }
      if byte != UInt8(ascii: "-") { codeset.append(byte | 0x20) }
    }
    return codeset.elementsEqual("utf8".utf8)
  }

  /// The columns of the terminal, for a table that may use all of them; unlimited in a pipe.
  var terminalWidth: Int { isTerminal ? output.terminalWidth ?? Self.defaultWidth : .max }

  func write(_ text: String) throws(Failure) {
    try write(bytes: Array(text.utf8))
  }

  func write(bytes: [UInt8]) throws(Failure) {
    do throws(Errno) { try output.writeAll(bytes) } catch { throw .output(nil, error) }
  }
}
