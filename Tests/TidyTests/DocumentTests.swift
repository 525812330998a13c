import TestSupport
import Testing

/// What the documents say and what the sources say is the same.
@Suite("The documents are current")
struct DocumentTests {
  @Test("Every section of a standard that HTTPCaching cites is in docs/caching.md, and the other way round")
  func citations() throws {
    let document = try text("docs/caching.md")
    let documented = citations(in: document)
    var cited: Set<String> = []
    for source in try SourceText.all(below: "Sources/HTTPCaching") {
      cited.formUnion(citations(in: source.lines.joined(separator: "\n")))
    }
    #expect(!cited.isEmpty)
    let undocumented = cited.subtracting(documented).sorted()
    #expect(undocumented.isEmpty, "cited, but not in docs/caching.md: \(undocumented.joined(separator: ", "))")
    let elsewhere = try citationsOutsideHTTPCaching()
    let uncited = documented.subtracting(cited).subtracting(elsewhere).sorted()
    #expect(uncited.isEmpty, "in docs/caching.md, but cited nowhere: \(uncited.joined(separator: ", "))")
  }

  @Test(
    "A generated document is what the tool prints",
    .enabled(if: BuiltTool.exists, "There is no tool at \(BuiltTool.path)."),
    arguments: [
      ("docs/garner.1", ["help", "man"]),
      ("docs/garner-cache.1", ["help", "man", "garner-cache"]),
      ("docs/garner-config.5", ["help", "man", "garner-config"]),
      ("completions/garner.bash", ["completions", "bash"]),
      ("completions/_garner", ["completions", "zsh"]),
      ("completions/garner.fish", ["completions", "fish"]),
    ])
  func generated(path: String, arguments: [String]) throws {
    let printed = try ToolRun(arguments, home: try TemporaryDirectory("documents")).run()
    #expect(printed.succeeded)
    let isCurrent = try text(path) == printed.outputText
    #expect(isCurrent, "\(path) is not current: run `make docs`")
  }

  @Test("A citation is found in each of its forms")
  func forms() {
    let text =
      "RFC 9111 section 4.2.1, and RFC 5861\n/// section 3. See RFC 9110, sections 13.1.2 and 13.1.3; 9111 section 3."
      + " RFC 10008 section 2"
    #expect(
      citations(in: text) == [
        "RFC 9111 4.2.1", "RFC 5861 3", "RFC 9110 13.1.2", "RFC 9110 13.1.3", "RFC 9111 3", "RFC 10008 2",
      ]
    )
  }

  private func text(_ path: String) throws -> String {
    String(decoding: try readFile("\(BuiltTool.projectRoot)/\(path)"), as: UTF8.self)
  }

  private func citationsOutsideHTTPCaching() throws -> Set<String> {
    try SourceText.all(below: "Sources").reduce(into: []) { found, source in
      found.formUnion(citations(in: source.lines.joined(separator: "\n")))
    }
  }

  /// The sections that a text cites, as "RFC 9111 4.2.1".
  private func citations(in text: String) -> Set<String> {
    // A citation may be broken by the end of a comment's line.
    let words = text.split { $0.isWhitespace || $0 == "/" || $0 == "|" || $0 == "(" || $0 == ")" }.map { word in
      word.trimmingPunctuation
    }
    var found: Set<String> = []
    var standard: String?
    var isListing = false
    for word in words {
      if (4...5).contains(word.count), word.allSatisfy(\.isNumber) {
        standard = word
        isListing = false
      } else if word == "section" || word == "sections" {
        isListing = true
      } else if isListing, let standard, word.first?.isNumber ?? false {
        found.insert("RFC \(standard) \(word)")
      } else if word != "and" {
        isListing = false
      }
    }
    return found
  }
}

extension Substring {
  /// Without the marks of punctuation and of Markdown around it.
  fileprivate var trimmingPunctuation: String {
    let marks: Set<Character> = [",", ".", ";", ":", "\"", "'", "`", "*", "[", "]"]
    var inner = drop { marks.contains($0) }
    while let last = inner.last, marks.contains(last) { inner.removeLast() }
    return String(inner)
  }
}
