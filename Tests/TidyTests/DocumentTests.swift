import Glibc
import TestSupport
import Testing

/// Checks that the documents agree with the sources.
@Suite("The documents agree with the sources")
struct DocumentTests {
  @Test("docs/caching.md lists exactly the sections of standards that the sources cite")
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

  @Test("The rows of docs/caching.md are in the order of each standard's sections")
  func order() throws {
    var last: [Substring: [Int]] = [:]
    for row in try text("docs/caching.md").matches(of: /\n\| RFC (\d+) section ([\d.]+)/) {
      let section = row.output.2.split(separator: ".").compactMap { Int($0) }
      let isInOrder = !section.lexicographicallyPrecedes(last[row.output.1] ?? [])
      #expect(isInOrder, "docs/caching.md: RFC \(row.output.1) section \(row.output.2)")
      last[row.output.1] = section
    }
    #expect(last.count > 5)
  }

  @Test(
    "A generated document is what the tool prints",
    .enabled(if: Machine.hasTool, "There is no tool at \(BuiltTool.path)."),
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

  @Test(
    "Every source file that a document names exists",
    arguments: ["docs/architecture.md", "docs/contributing.md", "docs/caching.md", "docs/entry-format.md"])
  func sources(path: String) throws {
    let root = BuiltTool.projectRoot
    let files = ["\(root)/Package.swift"] + filesBelow("\(root)/Sources") + filesBelow("\(root)/Tests")
    let named = try text(path).matches(of: /`([A-Za-z0-9\/-]+\.(?:swift|c|h))`/).map { "/\($0.output.1)" }
    #expect(named.count >= 3)
    let missing = named.filter { name in !files.contains { $0.hasSuffix(name) } }
    #expect(missing.isEmpty, "\(path) names what is not there: \(missing.joined(separator: ", "))")
  }

  @Test("A member that a document names is declared in a file about its type")
  func members() throws {
    // Types of Swift and of Apple's frameworks.
    let foreignTypes: Set<Substring> = ["String", "URLCache"]
    let fileEndings: Set<Substring> = ["swift", "c", "h", "md"]
    let files = try ["Sources", "Tests"].flatMap { try SourceText.all(below: $0) }.map(\.declaredNames)
    var found = 0
    for path in documents where path.hasPrefix("docs/") && !path.hasPrefix("docs/decisions/") {
      for name in try text(path).matches(of: /`([A-Z]\w*)\.(\w+)[^`]*`/) {
        let (type, member) = (name.output.1, name.output.2)
        if fileEndings.contains(member) || foreignTypes.contains(type) { continue }
        found += 1
        let isDeclared = files.contains { $0.types.contains(type) && $0.members.contains(member) }
        #expect(isDeclared, "\(path) names \(name.output.0)")
      }
    }
    #expect(found > 20)
  }

  @Test("The excerpts of sources in a document are contained in the sources")
  func excerpts() throws {
    let excerpts = try text("docs/contributing.md").matches(of: /```swift\n((?:.*\n)*?)```/).map(\.output.1)
    #expect(excerpts.count > 2)
    let sources = try SourceText.all(below: "Sources").map { $0.lines.joined(separator: "\n") }
    for excerpt in excerpts {
      let isThere = sources.contains { $0.contains(excerpt.dropLast()) }
      #expect(isThere, "docs/contributing.md: \(excerpt)")
    }
  }

  @Test("A link in a document leads to an existing file or directory")
  func links() throws {
    for path in documents {
      let directory = "\(BuiltTool.projectRoot)/" + path.split(separator: "/").dropLast().joined(separator: "/")
      for link in try text(path).matches(of: /\](?:\(|: )([^):#\s]+)[^):]*?[)\n]/).map(\.output.1) {
        let target = "\(directory)/\(link)"
        #expect(access(target, F_OK) == 0, "\(path) links to \(link)")
      }
    }
  }

  @Test("A link to an anchor leads to a heading of that document")
  func anchors() throws {
    var found = 0
    for path in documents {
      let directory = path.split(separator: "/").dropLast().map { "\($0)/" }.joined()
      for link in try text(path).matches(of: /\](?:\(|: )([^):#\s]*)#([^)\s]+)/) {
        found += 1
        let target = link.output.1.isEmpty ? path : directory + link.output.1
        #expect(try anchors(in: text(target)).contains(String(link.output.2)), "\(path) links to \(link.output.0)")
      }
    }
    #expect(found > 20)
  }

  @Test("The anchors of headings are derived as on GitHub")
  func headings() {
    let text = "# What `-X` does, or not\n```\n# A comment\n```\n## Names\n### Names\n#none\n## a_b\n"
    #expect(anchors(in: text) == ["what--x-does-or-not", "names", "names-1", "a_b"])
  }

  @Test("No line of a document is wider than 120 characters, except in tables and boxes")
  func lineWidth() throws {
    for path in documents {
      var isInBox = false
      for (index, line) in try text(path).split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
        if line.hasPrefix("```") { isInBox.toggle() }
        let isWrapped = !isInBox && !line.hasPrefix("|") && !line.hasPrefix("    ")
        if isWrapped { #expect(line.count <= 120, "\(path):\(index + 1)") }
      }
    }
  }

  @Test("The drawing in docs/architecture.md contains every module")
  func drawing() throws {
    let document = try text("docs/architecture.md")
    let heading = try #require(document.firstRange(of: "\n## The modules\n"))
    let drawn = document[heading.upperBound...].prefix { $0 != "|" }.split { !$0.isLetter && $0 != "-" }.map(
      String.init)
    let missing = namesInDirectory("\(BuiltTool.projectRoot)/Sources").filter { !drawn.contains($0) }
    #expect(missing.isEmpty, "not drawn: \(missing.joined(separator: ", "))")
  }

  @Test("A citation is recognised in each of its forms")
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

  /// The documents that are written by hand.
  private var documents: [String] {
    let below = ["docs", "docs/decisions"].flatMap { directory in
      namesInDirectory("\(BuiltTool.projectRoot)/\(directory)").map { "\(directory)/\($0)" }
    }
    return ["README.md", "CHANGELOG.md"] + below.filter { $0.hasSuffix(".md") }
  }

  /// The anchors that GitHub derives from the headings: without punctuation, in lower case, with hyphens for spaces,
  /// and numbered if repeated.
  private func anchors(in text: String) -> [String] {
    var anchors: [String] = []
    var counts: [String: Int] = [:]
    var isInBox = false
    for line in text.split(separator: "\n") {
      if line.hasPrefix("```") { isInBox.toggle() }
      guard !isInBox, let heading = line.wholeMatch(of: /#{1,6} +(.+)/)?.output.1 else { continue }
      let kept = heading.lowercased().filter { $0.isLetter || $0.isNumber || "-_ ".contains($0) }
      let name = String(kept.map { $0 == " " ? "-" : $0 })
      let count = counts[name, default: 0]
      counts[name] = count + 1
      anchors.append(count == 0 ? name : "\(name)-\(count)")
    }
    return anchors
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
    // A citation may extend over the end of a comment's line.
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
  /// The text without surrounding punctuation and Markdown marks.
  fileprivate var trimmingPunctuation: String {
    let marks: Set<Character> = [",", ".", ";", ":", "\"", "'", "`", "*", "[", "]"]
    var inner = drop { marks.contains($0) }
    while let last = inner.last, marks.contains(last) { inner.removeLast() }
    return String(inner)
  }
}
