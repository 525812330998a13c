/// A parsed config file. What its names and sections mean is not known here.
///
///     line    = [setting | heading] [comment]
///     setting = name ["=" value]
///     value   = text up to a comment | '"' *(byte | '\"' | '\\' | '\t' | '\n') '"'
///     heading = "[" name ['"' argument '"'] "]"
///     comment = "#" text, at the start of the line or behind a blank
///
/// Bytes are kept as they are. Lines end in LF or CR LF; a byte order mark before the first is skipped.
package struct ConfigFile: Equatable, Sendable {
  /// A name with the value that it is given.
  package struct Entry: Equatable, Sendable {
    package let name: ArgumentText
    /// `nil` for a name alone.
    package let value: ArgumentText?
    package let line: Int

    package init(name: ArgumentText, value: ArgumentText?, line: Int) {
      self.name = name
      self.value = value
      self.line = line
    }
  }

  package enum Heading: Equatable, Sendable {
    /// The part before the first heading.
    case none
    case named(ArgumentText, argument: ArgumentText?)
    /// A heading that cannot be read, so that it is unknown which section begins there.
    case malformed
  }

  package struct Section: Equatable, Sendable {
    package let heading: Heading
    /// The line of the heading; 1 if there is none.
    package let line: Int
    package fileprivate(set) var entries: [Entry] = []
  }

  /// The sections in the order of the file. The first one, which is always there, is the part before the first heading.
  package private(set) var sections = [Section(heading: .none, line: 1)]
  /// The faults in the order of the lines. A line with a fault is left out.
  package private(set) var faults: [ConfigFault] = []

  package init(_ bytes: [UInt8]) {
    var lines = bytes.numberedLines
    while let (number, line) = lines.next() {
      do throws(SettingError) {
        try read(line, number)
      } catch {
        faults.append(ConfigFault(line: number, error))
      }
    }
  }

  private mutating func read(_ text: ArraySlice<UInt8>, _ number: Int) throws(SettingError) {
    if text.contains(0) { throw .nulByte }
    var line = ConfigLine(text)
    line.skipBlanks()
    guard let first = line.next, first != .numberSign else { return }
    if first == .openingBracket {
      do throws(SettingError) {
        let (name, argument) = try line.heading()
        sections.append(Section(heading: .named(name, argument: argument), line: number))
      } catch {
        sections.append(Section(heading: .malformed, line: number))
        throw error
      }
    } else {
      let (name, value) = try line.setting()
      sections[sections.count - 1].entries.append(Entry(name: name, value: value, line: number))
    }
  }
}

/// A fault in a line of a config file.
package struct ConfigFault: Error, Equatable, Sendable {
  package let line: Int
  package let reason: SettingError

  package init(line: Int, _ reason: SettingError) {
    self.line = line
    self.reason = reason
  }
}

/// One line, read from its start.
private struct ConfigLine {
  private var rest: ArraySlice<UInt8>

  init(_ text: ArraySlice<UInt8>) {
    rest = text
  }

  var next: UInt8? { rest.first }

  mutating func skipBlanks() {
    rest = rest.drop { $0.isBlank }
  }

  mutating func setting() throws(SettingError) -> (name: ArgumentText, value: ArgumentText?) {
    let name = rest.prefix { $0.isOfName }
    rest = rest.dropFirst(name.count)
    let isFollowed = next.map { $0.isBlank || $0 == .equals } ?? true
    guard !name.isEmpty, isFollowed else { throw .malformedLine }
    skipBlanks()
    if next == .equals {
      rest.removeFirst()
      return (ArgumentText(name), try value())
    }
    guard next == nil || next == .numberSign else { throw .malformedLine }
    return (ArgumentText(name), nil)
  }

  /// `[name]` or `[name "argument"]`.
  mutating func heading() throws(SettingError) -> (name: ArgumentText, argument: ArgumentText?) {
    rest.removeFirst()
    skipBlanks()
    let name = rest.prefix { $0.isOfName }
    rest = rest.dropFirst(name.count)
    skipBlanks()
    let argument = next == .quote ? try quoted() : nil
    skipBlanks()
    guard !name.isEmpty, next == .closingBracket else { throw .malformedHeading }
    rest.removeFirst()
    do throws(SettingError) { try expectEnd() } catch { throw .malformedHeading }
    return (ArgumentText(name), argument)
  }

  private mutating func value() throws(SettingError) -> ArgumentText {
    skipBlanks()
    if next == .quote {
      let value = try quoted()
      try expectEnd()
      return value
    }
    // A number sign within a word is part of it, as in a URL.
    var end = rest.startIndex
    for index in rest.indices {
      if rest[index] == .numberSign, index == rest.startIndex || rest[index - 1].isBlank { break }
      if !rest[index].isBlank { end = index + 1 }
    }
    return ArgumentText(rest[..<end])
  }

  private mutating func quoted() throws(SettingError) -> ArgumentText {
    rest.removeFirst()
    var value: [UInt8] = []
    while let byte = rest.popFirst() {
      switch byte {
      case .quote: return ArgumentText(value)
      case .backslash: value.append(try escaped())
      default: value.append(byte)
      }
    }
    throw .openQuote
  }

  private mutating func escaped() throws(SettingError) -> UInt8 {
    switch rest.popFirst() {
    case .quote: return .quote
    case .backslash: return .backslash
    case UInt8(ascii: "t"): return .horizontalTab
    case UInt8(ascii: "n"): return .lineFeed
    case let byte?: throw .unknownEscape(ArgumentText([.backslash, byte]))
    case nil: throw .openQuote
    }
  }

  private mutating func expectEnd() throws(SettingError) {
    let isApart = next?.isBlank ?? true
    skipBlanks()
    guard let byte = next else { return }
    guard byte == .numberSign, isApart else { throw .textBehindValue }
  }
}

extension UInt8 {
  fileprivate var isBlank: Bool { self == .space || self == .horizontalTab }

  /// Whether a name may hold the byte. More than the names of options hold is allowed, so that an unknown name is told
  /// apart from a line that has no name.
  var isOfName: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), .hyphen, .underscore, .period:
      true
    default: false
    }
  }
}
