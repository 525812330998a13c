import CacheStore
import FlagTable
import Foundation
import HTTPCaching
import Platform
import TestSupport
import Testing

@testable import Client
@testable import Interface

/// `messages.txt`, beside this file, lists every message that garner can print on standard error, so that people can
/// read them.
@Suite("Messages are listed in messages.txt and follow the rules for messages")
struct MessageTests {
  /// A message and its hint, as garner prints them.
  struct Message: Hashable {
    var text: String
    var hint: String?

    var lines: String { text + "\n" + (hint.map { "hint: \($0)\n" } ?? "") }
  }

  static let failures = Failure.everyCase.flatMap(\.forEachReason).map { Message(text: $0.message, hint: $0.hint) }

  /// The reasons of faults of the store, which appear in a warning or in the failure of a `cache` command.
  static let faultsOfStore: [String] = {
    var errors = UnsafePlace.everyCase.map { StoreError.unsafe($0) }
    errors += StoreError.Step.everyCase.map { StoreError.failed($0, .inputOutput) }
    errors += [.headTooLarge, .contentTooLong, .tooLarge, .full, .notItsExtent, .contentChanged]
    var texts = errors.map(\.description)
    texts += Damage.everyCase.map(\.description)
    texts += StoreProposal.Fault.everyCase.map(\.description)
    return texts
  }()

  // MARK: Refused values

  /// Values that hardly any option accepts. For each way in which a value can be wrong, at least one of them is so.
  private static let badValues: [ArgumentText] = [
    "", "x y", "/", "-1", "0", "99999999999999999999", "1:", "{", "{x}", "\\q", "[", "ü", "sha256-x",
    "http://me@a.test",
    "=", "@", "a=@", "a=<", "a=b;x=y", "a=b;type=multipart/mixed", "Content-Length: 1", "Accept", "a:b:c", "-x", "wifi",
    ArgumentText(Array("a\nb".utf8)), ArgumentText([0x61, 0]), ArgumentText(Array("a:\u{1}".utf8)),
    ArgumentText(Array(repeating: UInt8(ascii: "k"), count: 2000)),
  ]

  static let refusals: [Message] = {
    func below(_ words: [String], _ command: Command<Invocation>) -> [([String], Flag<Invocation>)] {
      (command.flags + command.commonFlags).map { (words, $0) }
        + command.subcommands.flatMap { below(words + [$0.name], $0) }
    }
    var found: [Message] = []
    for (words, flag) in below([], Commands.root) where flag.shape != .none && flag.name != "curl-config" {
      for value in badValues {
        let option = ArgumentText(Array("--\(flag.name)=".utf8) + value.bytes)
        do throws(UsageError) {
          _ = try CommandLineInterface.parse(words.map { ArgumentText($0) } + [option, "--version"])
        } catch {
          let message = Message(text: error.message, hint: error.hint)
          // Keeps one message of each kind: others differ only in the typed value, which stands at the end.
          let kind = message.text.prefix { $0 != "'" }
          if !found.contains(where: { $0.text.prefix { $0 != "'" } == kind }) { found.append(message) }
        }
      }
    }
    return found
  }()

  // MARK: Messages that are literals in the sources

  /// Calls whose argument is the literal of a message, by the kind of the message.
  private static let callsWithText: [(heading: String, calls: [String])] = [
    ("Contradictions", [".contradiction("]),
    ("The store", [".store("]),
    ("Warnings", ["diagnostics.warn(", "    warn(", "= warn(", "faults.warn(", "return failed("]),
    ("Said at the end", ["inform("]),
    ("Notes of -v", ["diagnostics.note(", "        note("]),
  ]

  /// The literals behind `calls` in the sources of the client. Interpolated expressions stand in angle brackets.
  static func texts(of calls: [String]) throws -> [String] {
    let root = "\(BuiltTool.projectRoot)/Sources/Client"
    let names = try FileManager.default.subpathsOfDirectory(atPath: root).filter { $0.hasSuffix(".swift") }.sorted()
    var found: [String] = []
    for name in names {
      var rest = String(decoding: try readFile("\(root)/\(name)"), as: UTF8.self)[...]
      while let place = calls.compactMap({ rest.range(of: $0) }).min(by: { $0.lowerBound < $1.lowerBound }) {
        rest = rest[place.upperBound...]
        if let text = SourceLiteral.text(at: rest), !found.contains(text) { found.append(text) }
      }
    }
    return found
  }

  // MARK: The list

  static func list() throws -> String {
    var text = "# Every message of garner's, without its name before it. MessageTests.swift says how it is written.\n"
    func add(_ heading: String, _ lines: [String]) {
      text += "\n## \(heading)\n\n" + lines.map { $0.hasSuffix("\n") ? $0 : $0 + "\n" }.joined()
    }
    add("Failures", failures.map(\.lines))
    add("What is wrong with a value", refusals.map(\.lines))
    add("What is wrong with the store, as a part of a message", faultsOfStore)
    for (heading, calls) in callsWithText { add(heading, try texts(of: calls)) }
    return text
  }

  /// `GARNER_RECORD_MESSAGES=1` writes the file again. Read every changed message in its context.
  @Test func `messages.txt lists exactly the messages that garner can print`() throws {
    let path = "\(BuiltTool.projectRoot)/Tests/ScenarioTests/Messages/messages.txt"
    let list = try Self.list()
    if ProcessInfo.processInfo.environment["GARNER_RECORD_MESSAGES"] == "1" {
      try writeFile(path, Array(list.utf8))
    }
    let recorded = String(decoding: try readFile(path), as: UTF8.self)
    let known = Set(recorded.split(separator: "\n"))
    let now = Set(list.split(separator: "\n"))
    #expect(now.subtracting(known).isEmpty, "not in messages.txt; GARNER_RECORD_MESSAGES=1 writes it")
    #expect(known.subtracting(now).isEmpty, "in messages.txt, and said no more")
    #expect(recorded == list, "the order is another one")
  }

  // MARK: How messages are written

  static func everyText() throws -> [String] {
    var texts = faultsOfStore
    for message in failures + refusals { texts += [message.text] + (message.hint.map { [$0] } ?? []) }
    for (_, calls) in callsWithText { texts += try Self.texts(of: calls) }
    return texts
  }

  @Test func `a message is one line that begins like a part of a sentence and has no full stop`() throws {
    for text in try Self.everyText() {
      #expect(!text.isEmpty && !text.contains("\n"), "\(text)")
      #expect(!text.hasSuffix(".") && !text.hasSuffix("!"), "\(text)")
      // Only names begin with a capital: those of methods, fields, operands and variables.
      let first = text.prefix { $0.isLetter || $0 == "-" || $0 == "_" }
      let isName = ["HEAD", "POST", "TLS"].contains(first) || (first.count > 1 && first.allSatisfy { !$0.isLowercase })
      #expect(text.first?.isUppercase != true || isName || first == "Content-Length", "\(text)")
    }
  }

  @Test func `a message says what has happened, without empty words`() throws {
    let empty = ["failed to", "unable to", "could not be", " error:", "invalid ", "please", "oops", "errno", "CURLE_"]
    for text in try Self.everyText() {
      for word in empty { #expect(!text.lowercased().contains(word), "\(text)") }
      #expect(text.components(separatedBy: "cannot ").count <= 3, "\(text)")
    }
  }

  @Test func `a failure names the thing that it is about`() {
    let names = [
      "a.test", "b.test", "config", "urls", "data.json", "netrc", "page", "options", "a.warc", "/cache", "the cache",
      "the options", "--output",
    ]
    for failure in Failure.everyCase.flatMap(\.forEachReason) {
      let message = failure.message
      switch failure {
      case .usage, .setting, .contradiction, .interrupted, .missing, .damageFound, .leftOutOfArchive: break
      case .output(nil, _): #expect(message.contains("standard output"))
      case .malformedURL("", _): #expect(message == "the URL is empty")
      default: #expect(names.contains { message.contains($0) }, "\(message)")
      }
      #expect(!message.contains("hidden") && !message.contains("secret"), "\(message)")
    }
  }

  @Test func `a hint stands in a line of its own, and says what to do`() throws {
    for message in Self.failures + Self.refusals {
      #expect(!message.text.contains("did you mean") && !message.text.contains("hint"), "\(message.text)")
      #expect(message.hint.map { !$0.contains("\n") && !$0.isEmpty } ?? true, "\(message.text)")
    }
  }
}

/// A Swift string literal, as a person reads it.
enum SourceLiteral {
  /// The literal at the start of `code`, with all literals that are added to it; `nil` if `code` does not begin with
  /// one.
  static func text(at code: Substring) -> String? {
    var rest = code.drop { $0.isWhitespace }
    var text = ""
    while rest.first == "\"" {
      rest.removeFirst()
      while let character = rest.popFirst(), character != "\"" {
        guard character == "\\", let escaped = rest.popFirst() else {
          text.append(character)
          continue
        }
        if escaped == "(" {
          text += "<...>"
          skipInterpolation(in: &rest)
        } else {
          text.append(escaped)
        }
      }
      rest = rest.drop { $0.isWhitespace }
      guard rest.first == "+" else { break }
      rest = rest.dropFirst().drop { $0.isWhitespace }
    }
    return text.isEmpty ? nil : text
  }

  private static func skipInterpolation(in rest: inout Substring) {
    var depth = 1
    while depth > 0, let character = rest.popFirst() {
      if character == "(" { depth += 1 }
      if character == ")" { depth -= 1 }
    }
  }
}
