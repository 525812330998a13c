/// The name and the length of a function in lines, from its first word to its closing brace.
struct FunctionLength: Equatable {
  let name: String
  let line: Int
  let lineCount: Int
}

extension SourceText {
  /// The functions, initialisers and deinitialisers of the file that have bodies.
  var functions: [FunctionLength] {
    var found: [FunctionLength] = []
    for (index, line) in codeLines.enumerated() {
      let words = line.split { !($0.isLetter || $0.isNumber || $0 == "_") }
      let startsInitializer = words.contains("init") && !line.contains(".init") && line.contains("init")
      guard words.contains("func") || words.contains("deinit") || startsInitializer && isDeclaration(words) else {
        continue
      }
      if let end = endOfBody(from: index) {
        let name = words.drop { $0 != "func" }.dropFirst().first ?? words.first { $0.hasSuffix("init") } ?? "?"
        found.append(FunctionLength(name: String(name), line: index + 1, lineCount: end - index + 1))
      }
    }
    return found
  }

  /// Whether `init` is declared and not called on this line: only modifiers precede it.
  private func isDeclaration(_ words: [Substring]) -> Bool {
    let modifiers: Set<Substring> = [
      "package", "private", "fileprivate", "public", "internal", "convenience", "required", "override", "borrowing",
      "consuming", "inline", "__always",
    ]
    return words.prefix { $0 != "init" }.allSatisfy(modifiers.contains)
  }

  /// The line of the brace that closes the first body after this line's start; `nil` for a declaration without a body.
  private func endOfBody(from start: Int) -> Int? {
    var parentheses = 0
    var braces = 0
    for index in start..<codeLines.count {
      for character in codeLines[index] {
        switch character {
        case "(", "[": parentheses += 1
        case ")", "]": parentheses -= 1
        case "{" where parentheses == 0: braces += 1
        case "}" where parentheses == 0:
          braces -= 1
          if braces == 0 { return index }
          if braces < 0 { return nil }
        default: break
        }
      }
      // A requirement of a protocol ends with its line.
      if braces == 0, parentheses == 0, index > start, codeLines[index].allSatisfy(\.isWhitespace) { return nil }
    }
    return nil
  }
}
