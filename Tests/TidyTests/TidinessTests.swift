import TestSupport
import Testing

/// Rules of the project that the compiler does not check.
@Suite("The sources are tidy")
struct TidinessTests {
  /// A longer file deals with more than one thing.
  private static let longestFile = 400
  /// A function of this length fits on a screen.
  private static let longestFunction = 70
  private static let widestLine = 120

  @Test("No file is longer than 400 lines", arguments: ["Sources", "Tests"])
  func fileLength(folder: String) throws {
    let long = try SourceText.all(below: folder, endings: [".swift", ".c", ".h"])
      .filter { $0.lines.count > Self.longestFile + 1 }
      .map { "\($0.path): \($0.lines.count) lines" }
    #expect(long.isEmpty, "\(long.joined(separator: "\n"))")
  }

  @Test("No function is longer than 70 lines", arguments: ["Sources", "Tests"])
  func functionLength(folder: String) throws {
    let long = try SourceText.all(below: folder).flatMap { file in
      file.functions.filter { $0.lineCount > Self.longestFunction }
        .map { "\(file.path):\($0.line): \($0.name) has \($0.lineCount) lines" }
    }
    #expect(long.isEmpty, "\(long.joined(separator: "\n"))")
  }

  @Test("No line is wider than 120 characters", arguments: ["Sources", "Tests"])
  func lineWidth(folder: String) throws {
    let wide = try SourceText.all(below: folder, endings: [".swift", ".c", ".h"]).flatMap { file in
      file.lines.enumerated().filter { $1.utf8.count > Self.widestLine && $1.count > Self.widestLine }
        .map { "\(file.path):\($0.offset + 1)" }
    }
    #expect(wide.isEmpty, "\(wide.joined(separator: "\n"))")
  }

  @Test("The text that a mutant replaces occurs exactly once in its file")
  func staleMutants() throws {
    let mutants = try SourceText.all(below: "Tests/Mutants", endings: [".mutant"])
    #expect(!mutants.isEmpty)
    for mutant in mutants {
      let lines = mutant.lines
      let path = try #require(lines.first { $0.hasPrefix("file: ") }?.dropFirst("file: ".count))
      let start = try #require(lines.firstIndex(of: "instead of:"))
      let end = try #require(lines.firstIndex(of: "stands:"))
      let text = lines[(start + 1)..<end].joined(separator: "\n")
      let source = String(decoding: try readFile("\(BuiltTool.projectRoot)/\(path)"), as: UTF8.self)
      #expect(source.ranges(of: text).count == 1, "\(mutant.name)")
    }
  }

  @Test("No file contains a mark of unfinished work", arguments: ["Sources", "Tests", "Benchmarks", "Scripts"])
  func nothingLeft(folder: String) throws {
    // The marks are split so that this file does not contain them.
    let marks = ["TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK"]
    let left = try SourceText.all(below: folder, endings: [""]).flatMap { file in
      file.lines.enumerated()
        .filter { _, line in marks.contains { line.containsWord($0) } }
        .map { "\(file.path):\($0.offset + 1)" }
    }
    #expect(left.isEmpty, "\(left.joined(separator: "\n"))")
  }

  @Test("No source uses Unicode properties or number functions that the release binary leaves out")
  func leftOut() throws {
    let leftOut = [
      "isLetter", "isNumber", "isSymbol", "isMathSymbol", "isCurrencySymbol", "isPunctuation", "properties",
      "isUppercase", "isLowercase", "isCased", "isWhitespace", "isNewline", "numericType", "numericValue",
      "addProduct", "addingProduct",
    ]
    let asked = try SourceText.all(below: "Sources").flatMap { file in
      file.lines.enumerated().filter { _, line in
        let parts = line.split(separator: ".", omittingEmptySubsequences: false)
        return zip(parts, parts.dropFirst()).contains { owner, member in
          // The project's own functions may have these names.
          let isOurs = owner.hasSuffix("ASCII") || owner.hasSuffix("Self")
          return !isOurs && leftOut.contains(String(member.prefix(while: \.isLetter)))
        }
      }.map { "\(file.path):\($0.offset + 1)" }
    }
    #expect(asked.isEmpty, "\(asked.joined(separator: "\n"))")
    let types = try SourceText.all(below: "Sources").flatMap { file in
      file.lines.enumerated()
        .filter { _, line in ["Float", "Float80"].contains { line.containsWord($0) } }
        .map { "\(file.path):\($0.offset + 1)" }
    }
    #expect(types.isEmpty, "\(types.joined(separator: "\n"))")
  }

  @Test("The length of a function is counted from its first word to its closing brace")
  func measure() {
    let source = SourceText(
      path: "Example.swift",
      text: """
        protocol P {
          func requirement(_ x: Int) -> Int
        }
        struct S: P {
          init(
            a: Int = { 1 }()
          ) {
            /* { */ let s = "{"
          }
          func requirement(_ x: Int) -> Int {
            if x > 0 { return 1 }
            // }
            return x
          }
        }
        """)
    #expect(
      source.functions == [
        FunctionLength(name: "init", line: 5, lineCount: 5),
        FunctionLength(name: "requirement", line: 10, lineCount: 5),
      ])
  }
}
