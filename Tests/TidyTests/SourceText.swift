import TestSupport

/// A file of the project, and its code without the comments and the insides of its string literals.
struct SourceText: Sendable {
  /// Relative to the project's root.
  let path: String
  let lines: [Substring]
  /// The code: a space stands where there was a comment or a literal's text; the lines are the same.
  let codeLines: [Substring]

  var name: String { String(path.split(separator: "/").last ?? "") }

  init(path: String, text: String) {
    self.path = path
    lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    codeLines = codeOnly(text).split(separator: "\n", omittingEmptySubsequences: false)
  }

  /// The files below a folder of the project whose names end so; the fuzzer's inputs are nobody's text.
  static func all(below folder: String, endings: [String] = [".swift"]) throws -> [SourceText] {
    let root = BuiltTool.projectRoot
    return try filesBelow("\(root)/\(folder)")
      .filter { path in endings.contains { path.hasSuffix($0) } && path.firstRange(of: "/corpora/") == nil }
      .map { path in
        let text = String(decoding: try readFile(path), as: UTF8.self)
        return SourceText(path: String(path.dropFirst(root.utf8.count + 1)), text: text)
      }
  }

  /// Where the code has one of these words, as `path:line: word`.
  func places(of words: [String]) -> [String] {
    var places: [String] = []
    for (index, line) in codeLines.enumerated() {
      for word in words where line.containsWord(word) { places.append("\(path):\(index + 1): \(word)") }
    }
    return places
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

extension Substring {
  /// Whether the text stands here with no letter, digit or underscore on either side.
  func containsWord(_ word: String) -> Bool {
    var rest = self
    while let range = rest.firstRange(of: word) {
      let before = range.lowerBound == startIndex ? nil : self[index(before: range.lowerBound)]
      let after = range.upperBound == endIndex ? nil : self[range.upperBound]
      if !(before?.isWordPart ?? false), !(after?.isWordPart ?? false) { return true }
      rest = self[range.upperBound...]
    }
    return false
  }
}

extension Character {
  fileprivate var isWordPart: Bool { isLetter || isNumber || self == "_" }
}

/// The text with comments and the insides of string literals blanked; line ends stay.
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
