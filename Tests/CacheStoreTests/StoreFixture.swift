import CacheStore
import Foundation
import HTTPCaching
import HTTPSemantics
import Platform
import TestSupport
import Testing

/// A store in a directory of its own, which is removed with its content at the end of the test.
struct StoreFixture: ~Copyable {
  let store: Store
  private let directory: TemporaryDirectory

  /// - Parameters:
  ///   - now: the time that the store's clock always shows, in seconds.
  ///   - isKeptOpen: whether the store stays open between uses, as in a run.
  init(now: Int64 = 2_000_000_000, limits: StoreLimits = StoreLimits(), isKeptOpen: Bool = false) throws {
    directory = try TemporaryDirectory("store")
    let clock = Clock(wallTime: { WallTime(seconds: now) }, monotonic: { 0 }, pause: { _ in })
    store = Store(root: Path(directory.path("cache"))!, clock: clock, limits: limits, isKeptOpen: isKeptOpen)
  }

  /// The same store as another process sees it.
  var elsewhere: Store { Store(root: store.root, clock: store.clock, limits: store.limits) }

  /// The directory that contains the store's directory.
  var base: URL { URL(filePath: directory.path, directoryHint: .isDirectory) }

  var root: URL { base.appending(path: "cache") }

  // MARK: Storing

  static func key(_ path: String = "/", audience: [UInt8]? = nil) -> CacheKey {
    let origin = TargetURI.Origin(scheme: .https, host: "example.org", port: 443)
    return CacheKey(TargetURI(origin: origin, pathAndQuery: path), audience: audience)
  }

  static func stored(
    _ path: String = "/", selecting: [(FieldName, String)] = [], at time: Int64 = 1_999_999_000, tag: String = "one",
    audience: [UInt8]? = nil
  ) -> StoredResponse {
    let members = selecting.map { SelectingFields.Member($0.0, .plain(Array($0.1.utf8))) }
    return StoredResponse(
      Response(200, reason: "OK", fields: ["Content-Type": "text/plain", "ETag": FieldValue("\"\(tag)\"")]),
      under: key(path, audience: audience), selecting: SelectingFields(members: members),
      requestTime: Timestamp(secondsSinceEpoch: time - 1), responseTime: Timestamp(secondsSinceEpoch: time))
  }

  @discardableResult
  func insert(_ body: [UInt8], _ stored: StoredResponse = Self.stored()) throws -> CommitOutcome {
    var writer = try store.beginInsertion()
    try writer.append(body)
    return try writer.commit(stored)
  }

  @discardableResult
  func insert(_ body: String, _ stored: StoredResponse = Self.stored()) throws -> CommitOutcome {
    try insert(Array(body.utf8), stored)
  }

  // MARK: Looking

  func lookup(_ path: String = "/", _ request: Fields = [:], audience: [UInt8]? = nil) -> Lookup {
    store.lookup(Self.key(path, audience: audience), for: request) { _ in nil }
  }

  /// Removes the responses that a request selects.
  ///
  /// - Returns: the number of responses removed.
  @discardableResult
  func remove(_ path: String = "/", _ request: Fields = [:], audience: [UInt8]? = nil) throws -> Int {
    try store.removeAll(coveredBy: Self.supersession(Self.key(path, audience: audience), request))
  }

  /// The supersession of all responses that a request selects.
  static func supersession(_ key: CacheKey = key(), _ request: Fields = [:]) -> Supersession {
    Supersession(
      of: nil, under: key, selectedBy: request, by: nil, keeping: nil,
      at: Timestamp(secondsSinceEpoch: 2_000_000_000)
    ) { _ in nil }
  }

  func outcome(_ path: String = "/", _ request: Fields = [:], audience: [UInt8]? = nil) -> Outcome {
    var found = lookup(path, request, audience: audience)
    let (selection, fault) = (found.selection, found.fault)
    guard let content = found.takeContent() else { return fault.map(Outcome.fault) ?? .miss(selection) }
    var bytes: [UInt8] = []
    do throws(ContentFailure<Never>) {
      try content.forEachVerifiedChunk { bytes += $0 }
      return .body(bytes)
    } catch {
      switch error {
      case .damaged(let entry, let delivered): return .brokeOff(Array(bytes), entry.damage, delivered)
      case .interrupted: return .brokeOff(bytes, .unreadable(.interrupted), UInt64(bytes.count))
      }
    }
  }

  enum Outcome: Equatable {
    case body([UInt8])
    case miss(Selection)
    case fault(StoreError)
    case brokeOff([UInt8], Damage, UInt64)

    static func text(_ text: String) -> Outcome { .body(Array(text.utf8)) }

    var damage: Damage? {
      switch self {
      case .fault(.damaged(let entry)): entry.damage
      case .brokeOff(_, let damage, _): damage
      default: nil
      }
    }
  }

  /// The file of the stored response that a request selects.
  func file(for request: Fields) throws -> URL {
    var found = lookup("/", request)
    guard let content = found.takeContent() else { throw CocoaError(.fileNoSuchFile) }
    return root.appending(path: content.name.path.description)
  }

  // MARK: The files

  /// The files below the root, as sorted paths relative to it.
  func files() throws -> [String] {
    let names = try FileManager.default.subpathsOfDirectory(atPath: root.path)
    return names.filter { !isDirectory($0) }.sorted()
  }

  func entries() throws -> [String] {
    try files().filter { $0.hasPrefix("v1/") && $0.contains("/") && !$0.hasPrefix("v1/tmp/") && $0.utf8.count > 10 }
  }

  func onlyEntry() throws -> URL {
    let entries = try entries()
    return root.appending(path: try #require(entries.count == 1 ? entries[0] : nil))
  }

  private func isDirectory(_ name: String) -> Bool {
    var isDirectory: ObjCBool = false
    return FileManager.default.fileExists(atPath: root.path + "/" + name, isDirectory: &isDirectory)
      && isDirectory.boolValue
  }

  func mode(_ name: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: root.path + "/" + name)
    return try #require((attributes[.posixPermissions] as? NSNumber)?.intValue)
  }

  /// Pseudorandom bytes, the same for the same seed.
  static func bytes(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
    var numbers = SeededNumbers(seed: seed)
    return (0..<count).map { _ in UInt8(truncatingIfNeeded: numbers.next()) }
  }
}

extension Store {
  /// Finds the stored response for a request, in a visit of its own.
  func lookup(_ key: CacheKey, for request: Fields, concealing conceal: SelectingFields.Concealer) -> Lookup {
    var visit: StoreVisit?
    return lookup(key, for: request, concealing: conceal, in: &visit)
  }

  /// Pins or unpins every entry.
  ///
  /// - Returns: the outcomes for the entries that could be opened.
  func pinAll(_ isPinned: Bool = true) throws -> [MarkingOutcome] {
    var outcomes: [MarkingOutcome] = []
    try forEachEntry { entry in
      if let outcome = try? setPinned(isPinned, entry) { outcomes.append(outcome) }
      return true
    }
    return outcomes
  }
}

/// Replaces the content of a file, which stays the same file.
func overwrite(_ file: URL, _ bytes: Data) throws {
  let handle = try FileHandle(forWritingTo: file)
  try handle.truncate(atOffset: 0)
  try handle.write(contentsOf: bytes)
  try handle.close()
}
