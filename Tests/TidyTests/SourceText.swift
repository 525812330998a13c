import Synchronization
import TestSupport

/// A source file, and its code without comments and without the contents of string literals.
struct SourceText: Sendable {
  /// The path relative to the project's root.
  let path: String
  let lines: [Substring]
  /// The lines of the code, with spaces in place of comments and the contents of literals.
  let codeLines: [Substring]

  var name: String { String(path.split(separator: "/").last ?? "") }

  init(path: String, text: String) {
    self.path = path
    lines = text.lines
    codeLines = codeOnly(text).lines
  }

  /// The files that have been read, by path, because every rule reads the same files.
  private static let read = Mutex<[String: SourceText]>([:])

  private static func read(_ path: String, below root: String) throws -> SourceText {
    if let source = read.withLock({ $0[path] }) { return source }
    let text = String(decoding: try readFile(path), as: UTF8.self)
    let source = SourceText(path: String(path.dropFirst(root.utf8.count + 1)), text: text)
    read.withLock { $0[path] = source }
    return source
  }

  /// The files below a folder whose names have one of the endings, without the fuzzer's inputs.
  static func all(below folder: String, endings: [String] = [".swift"]) throws -> [SourceText] {
    let root = BuiltTool.projectRoot
    return try filesBelow("\(root)/\(folder)")
      .filter { path in endings.contains { path.hasSuffix($0) } && path.firstRange(of: "/corpora/") == nil }
      .map { try read($0, below: root) }
  }

  /// The places of these words in the code, as `path:line: word`.
  func places(of words: [String]) -> [String] {
    var places: [String] = []
    for (index, line) in codeLines.enumerated() {
      for word in words where line.containsWord(word) { places.append("\(path):\(index + 1): \(word)") }
    }
    return places
  }

  /// The types that the file declares or extends, and the members that it declares. A line with `case` may be a
  /// pattern; its words count, too.
  var declaredNames: (types: Set<Substring>, members: Set<Substring>) {
    let ofTypes: Set<Substring> = ["struct", "enum", "class", "protocol", "extension", "typealias"]
    let ofMembers: Set<Substring> = ["func", "var", "let", "struct", "enum", "class", "typealias"]
    var names: (types: Set<Substring>, members: Set<Substring>) = ([], [])
    for line in codeLines {
      let words = line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
      for (keyword, name) in zip(words, words.dropFirst()) {
        if ofTypes.contains(keyword) { names.types.insert(name) }
        if ofMembers.contains(keyword) { names.members.insert(name) }
      }
      if words.first == "case" { names.members.formUnion(words.dropFirst()) }
    }
    return names
  }

  /// The modules that the file imports.
  var imports: [String] {
    codeLines.compactMap { line in
      let words = line.split(separator: " ")
      guard let place = words.firstIndex(of: "import"), place + 1 < words.count, place <= 2 else { return nil }
      return words[place + 1].split(separator: ".").first.map(String.init)
    }
  }
}

extension String {
  fileprivate var lines: [Substring] {
    utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { Substring($0) }
  }
}

extension Substring {
  /// Whether the text contains the ASCII word with no letter, digit or underscore on either side.
  func containsWord(_ word: String) -> Bool {
    let (bytes, word) = (Array(utf8), Array(word.utf8))
    func isWordPart(_ index: Int) -> Bool {
      guard bytes.indices.contains(index) else { return false }
      switch bytes[index] {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
        UInt8(ascii: "a")...UInt8(ascii: "z"), 0x80...:
        return true
      default: return false
      }
    }
    var index = 0
    while index + word.count <= bytes.count {
      if bytes[index] == word[0], bytes[index...].starts(with: word), !isWordPart(index - 1),
        !isWordPart(index + word.count)
      {
        return true
      }
      index += 1
    }
    return false
  }
}

/// The text with comments and the contents of string literals replaced by spaces. Line ends stay.
func codeOnly(_ text: String) -> String {
  enum Place {
    case code, lineComment
    case blockComment(depth: Int)
    case literal(delimiter: [UInt8])
  }
  let bytes = Array(text.utf8)
  let quote = UInt8(ascii: "\"")
  let tripleQuote = [quote, quote, quote]
  var kept: [UInt8] = []
  var place = Place.code
  var index = 0
  func stands(_ mark: [UInt8]) -> Bool { bytes[index...].starts(with: mark) }
  func pass(_ count: Int) {
    for byte in bytes[index..<min(index + count, bytes.count)] { kept.append(byte == 10 ? 10 : 32) }
    index += count
  }
  while index < bytes.count {
    switch place {
    case .code where bytes[index] != quote && bytes[index] != UInt8(ascii: "/"):
      kept.append(bytes[index])
      index += 1
    case .code:
      if stands(Array("//".utf8)) {
        place = .lineComment
      } else if stands(Array("/*".utf8)) {
        pass(2)
        place = .blockComment(depth: 1)
      } else if stands(tripleQuote) || bytes[index] == quote {
        let delimiter = stands(tripleQuote) ? tripleQuote : [quote]
        pass(delimiter.count)
        place = .literal(delimiter: delimiter)
      } else {
        kept.append(bytes[index])
        index += 1
      }
    case .lineComment:
      if bytes[index] == 10 { place = .code }
      pass(1)
    case .blockComment(let depth):
      if stands(Array("*/".utf8)) {
        pass(2)
        place = depth == 1 ? .code : .blockComment(depth: depth - 1)
      } else if stands(Array("/*".utf8)) {
        pass(2)
        place = .blockComment(depth: depth + 1)
      } else {
        pass(1)
      }
    case .literal(let delimiter):
      if stands(delimiter) || (delimiter.count == 1 && bytes[index] == 10) {
        pass(stands(delimiter) ? delimiter.count : 1)
        place = .code
      } else {
        pass(bytes[index] == UInt8(ascii: "\\") ? 2 : 1)
      }
    }
  }
  return String(decoding: kept, as: UTF8.self)
}
