import Foundation
import TestSupport

/// The conformance cases: `../shared/conformance/cases.json` beside the project, or the file that
/// `GARNER_CONFORMANCE_CASES` names.
struct ConformanceCases: Decodable {
  private static let otherPath = ProcessInfo.processInfo.environment["GARNER_CONFORMANCE_CASES"]

  static let path = otherPath ?? "\(BuiltTool.projectRoot)/../shared/conformance/cases.json"

  /// Whether `expected.txt` holds the outcomes of these cases.
  static var arePinned: Bool { otherPath == nil }

  static var areAvailable: Bool { FileManager.default.fileExists(atPath: path) }

  private let tests: [ConformanceCase]

  /// The cases that apply to a private cache.
  static func load() throws -> [ConformanceCase] {
    let data = try Data(contentsOf: URL(fileURLWithPath: path))
    return try JSONDecoder().decode(ConformanceCases.self, from: data).tests.filter(\.isForPrivateCaches)
  }
}

/// Requests that are made one after another for one URL, with the expected outcome.
struct ConformanceCase: Decodable, Sendable {
  enum Kind: String, Decodable, CaseIterable {
    /// The specification requires it.
    case required
    /// A good cache does it.
    case optimal
    /// Information, which is neither good nor bad.
    case check
  }

  let id: String
  let kind: Kind
  private let cacheKind: String
  let requests: [ConformanceRequest]
  private let dependencies: [String]?

  var dependsOn: [String] { dependencies ?? [] }
  var isForPrivateCaches: Bool { cacheKind == "browser" || cacheKind == "cli" }

  private enum CodingKeys: String, CodingKey {
    case id, kind, requests
    case cacheKind = "set"
    case dependencies = "depends_on"
  }
}

/// A field line of a case: `[name, value]`, where the value may be a date relative to the present.
struct ConformanceField: Decodable, Sendable {
  enum Value: Sendable, Hashable {
    case text(String)
    /// Seconds from now, to be written as an HTTP date.
    case seconds(Int)
  }

  let name: String
  let value: Value
  /// Whether the client must receive the same value.
  let isCompared: Bool

  init(from decoder: any Decoder) throws {
    var parts = try decoder.unkeyedContainer()
    name = try parts.decode(String.self)
    value = try Value(from: &parts)
    isCompared = parts.isAtEnd ? true : try parts.decode(Bool.self)
  }
}

extension ConformanceField.Value {
  private static let dateNames = ["date", "expires", "last-modified", "if-modified-since", "if-unmodified-since"]

  init(from parts: inout any UnkeyedDecodingContainer) throws {
    if let seconds = try? parts.decode(Int.self) {
      self = .seconds(seconds)
    } else {
      self = .text(try parts.decode(String.self))
    }
  }

  /// The text of the value in a field of this name.
  ///
  /// - Parameter nowMilliseconds: since 1970.
  func text(in name: String, nowMilliseconds: Int, form: HTTPDateForm = .imfFixdate) -> String {
    switch self {
    case .text(let text): text
    case .seconds(let seconds):
      Self.dateNames.contains(name.lowercased())
        ? httpDate(nowMilliseconds / 1000 + seconds, form: form) : "\(seconds)"
    }
  }
}

/// An expectation about a field: `name`, `[name, value]`, `[name, "=", other]` or `[name, ">", number]`.
enum ConformanceFieldExpectation: Decodable, Sendable {
  case present(String)
  case equal(String, ConformanceField.Value)
  case equalToField(String, other: String)
  case greater(String, than: Int)

  init(from decoder: any Decoder) throws {
    if let name = try? decoder.singleValueContainer().decode(String.self) {
      self = .present(name)
      return
    }
    var parts = try decoder.unkeyedContainer()
    let name = try parts.decode(String.self)
    if parts.count != 3 {
      self = .equal(name, try ConformanceField.Value(from: &parts))
      return
    }
    switch try parts.decode(String.self) {
    case "=": self = .equalToField(name, other: try parts.decode(String.self))
    case ">": self = .greater(name, than: try parts.decode(Int.self))
    case let relation:
      throw DecodingError.dataCorruptedError(in: parts, debugDescription: "no such relation: \(relation)")
    }
  }
}

/// An interim response: `[status]` or `[status, fields]`.
struct ConformanceInterim: Decodable, Sendable {
  let status: Int
  let fields: [ConformanceField]

  init(from decoder: any Decoder) throws {
    var parts = try decoder.unkeyedContainer()
    status = try parts.decode(Int.self)
    fields = parts.isAtEnd ? [] : try parts.decode([ConformanceField].self)
  }
}

/// A status line: `[status, reason]`.
struct ConformanceStatus: Decodable, Sendable {
  let code: Int
  let reason: String

  init(from decoder: any Decoder) throws {
    var parts = try decoder.unkeyedContainer()
    code = try parts.decode(Int.self)
    reason = parts.isAtEnd ? "" : try parts.decode(String.self)
  }
}
