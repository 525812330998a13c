package import FlagTable
import HTTPSemantics

/// One `--form` or `--form-string` option: a part of multipart/form-data (RFC 7578), or several of one name.
package struct FormPart: Equatable, Sendable {
  package enum Content: Equatable, Sendable {
    case text(TextSource)
    /// Each is sent as a part of its own; `-` is standard input.
    case files([File])
  }

  package struct File: Equatable, Sendable {
    package let name: ArgumentText
    package let attributes: Attributes

    package init(_ name: ArgumentText, _ attributes: Attributes = Attributes()) {
      self.name = name
      self.attributes = attributes
    }
  }

  /// The attributes of a part that the option gives.
  package struct Attributes: Equatable, Sendable {
    /// A media type, with its parameters.
    package var type: ArgumentText?
    package var filename: ArgumentText?

    package init(type: ArgumentText? = nil, filename: ArgumentText? = nil) {
      self.type = type
      self.filename = filename
    }
  }

  /// Empty if the part has none.
  package let name: ArgumentText
  package let content: Content
  /// The attributes of a text. Files have their own.
  package let attributes: Attributes

  package init(_ name: ArgumentText, _ content: Content, _ attributes: Attributes = Attributes()) {
    self.name = name
    self.content = content
    self.attributes = attributes
  }

  /// Reads `NAME=TEXT` as it is: `--form-string`.
  package init(literal text: ArgumentText) throws(InvalidValue) {
    let (name, value) = try Self.split(text, expecting: "NAME=TEXT")
    self.init(name, .text(.literal(ArgumentText(value))))
  }

  /// Reads `NAME=TEXT`, `NAME=<FILE` or `NAME=@FILE[,FILE]...`, each with `;type=TYPE` and `;filename=NAME` behind it.
  package init(parsing text: ArgumentText) throws(InvalidValue) {
    let (name, value) = try Self.split(text, expecting: "NAME=CONTENT")
    var words = FormWords(value)
    switch value.first {
    case ASCII.at:
      words.skip()
      var files: [File] = []
      repeat {
        let file = words.next(endingAlsoAt: ASCII.comma)
        if file.isEmpty { throw .unacceptable("the name of a file is missing after @") }
        let attributes = try words.attributes(endingAlsoAt: ASCII.comma, hint: Self.fileHint)
        files.append(File(ArgumentText(file), attributes))
      } while words.skip(ASCII.comma)
      self.init(name, .files(files))
    case UInt8(ascii: "<"):
      words.skip()
      let file = words.next()
      if file.isEmpty { throw .unacceptable("the name of a file is missing after <") }
      self.init(name, .text(.file(ArgumentText(file))), try words.attributes(hint: Self.fileHint))
    // In curl, `(` begins a part that holds further parts, whatever its name, and `)` ends it.
    case UInt8(ascii: "("):
      throw .unacceptable("nested parts are not supported", hint: Self.textHint)
    case UInt8(ascii: ")") where name.bytes.isEmpty && value.count == 1:
      throw .unacceptable("nested parts are not supported", hint: Self.textHint)
    default:
      let text = words.next()
      let attributes = try words.attributes(hint: Self.textHint)
      self.init(name, .text(.literal(ArgumentText(text))), attributes)
    }
  }

  private static var textHint: String { "--form-string takes text literally" }

  private static var fileHint: String { "put a file name that holds a semicolon in quotation marks" }

  private static func split(
    _ text: ArgumentText, expecting form: String
  ) throws(InvalidValue) -> (ArgumentText, ArraySlice<UInt8>) {
    guard let equals = text.bytes.firstIndex(of: ASCII.equals) else {
      throw .unacceptable("expected \(form); the equals sign is missing")
    }
    return (ArgumentText(text.bytes[..<equals]), text.bytes[(equals + 1)...])
  }
}

/// A reader of the value of `--form`: words between semicolons, each perhaps in quotation marks.
private struct FormWords {
  private var rest: ArraySlice<UInt8>

  init(_ value: ArraySlice<UInt8>) { rest = value }

  mutating func skip() { rest = rest.dropFirst() }

  mutating func skip(_ byte: UInt8) -> Bool {
    guard rest.first == byte else { return false }
    skip()
    return true
  }

  /// Reads a word up to a semicolon, or up to `other`, without the blanks around it. In quotation marks everything is
  /// kept, and a backslash escapes a quotation mark or another backslash.
  mutating func next(endingAlsoAt other: UInt8? = nil) -> [UInt8] {
    rest = rest.drop { ASCII.isWhitespace($0) }
    let isEnd = { (byte: UInt8) in byte == ASCII.semicolon || byte == other }
    guard let quoted = quotedWord() else {
      var word = rest.prefix { !isEnd($0) }
      rest = rest[word.endIndex...]
      while let last = word.last, ASCII.isWhitespace(last) { word.removeLast() }
      return Array(word)
    }
    rest = rest.drop { !isEnd($0) }
    return quoted
  }

  private mutating func quotedWord() -> [UInt8]? {
    guard rest.first == ASCII.quote else { return nil }
    var word: [UInt8] = []
    var ahead = rest.dropFirst()
    while let byte = ahead.popFirst() {
      if byte == ASCII.quote {
        rest = ahead
        return word
      }
      if byte == ASCII.backslash, let next = ahead.first, next == ASCII.quote || next == ASCII.backslash {
        ahead.removeFirst()
        word.append(next)
      } else {
        word.append(byte)
      }
    }
    // Without a closing mark, it is no quotation.
    return nil
  }

  /// Reads the attributes that stand behind semicolons.
  ///
  /// - Parameter hint: the hint for a semicolon that begins no attribute but belongs to the text or the name before it.
  mutating func attributes(
    endingAlsoAt other: UInt8? = nil, hint: String
  ) throws(InvalidValue) -> FormPart.Attributes {
    var attributes = FormPart.Attributes()
    while skip(ASCII.semicolon) {
      rest = rest.drop { ASCII.isWhitespace($0) }
      if take("type=") {
        var type = next(endingAlsoAt: other)
        let words = type.split(separator: ASCII.slash, omittingEmptySubsequences: false)
        guard words.count == 2, words.allSatisfy({ ASCII.isToken($0) }) else {
          throw .unacceptable("a media type has a slash between two words")
        }
        // Parameters that follow belong to the type: `text/plain; charset=utf-8`.
        while let parameter = typeParameter(endingAlsoAt: other) {
          type += Array("; ".utf8) + parameter
        }
        attributes.type = ArgumentText(type)
      } else if take("filename=") {
        attributes.filename = ArgumentText(next(endingAlsoAt: other))
      } else if !next(endingAlsoAt: other).isEmpty {
        throw .unacceptable("only ;type= and ;filename= may follow a semicolon", hint: hint)
      }
    }
    _ = try [attributes.type, attributes.filename].compactMap { $0 }.map(LineText.check)
    return attributes
  }

  /// Returns the next parameter of a media type, as it stands; `nil` if there is none. Its value may be a
  /// quoted-string (RFC 9110 section 5.6.6), in which a semicolon ends nothing.
  private mutating func typeParameter(endingAlsoAt other: UInt8?) -> [UInt8]? {
    guard rest.first == ASCII.semicolon else { return nil }
    let isNoEnd = { (byte: UInt8) in byte != ASCII.semicolon && byte != other }
    var words = FormWords(rest.dropFirst().drop { ASCII.isWhitespace($0) })
    let ahead = words.rest
    guard let equals = ahead.prefix(while: isNoEnd).firstIndex(of: ASCII.equals), !words.take("filename="),
      !words.take("type=")
    else { return nil }
    words.rest = ahead[(equals + 1)...]
    _ = words.quotedWord()
    rest = words.rest.drop(while: isNoEnd)
    return Array(ASCII.trimmed(ahead[..<rest.startIndex]))
  }

  private mutating func take(_ prefix: String) -> Bool {
    guard ASCII.equalIgnoringCase(rest.prefix(prefix.utf8.count), prefix.utf8) else { return false }
    rest = rest.dropFirst(prefix.utf8.count)
    return true
  }
}
