import CacheStore
import Foundation
import HTTPCaching
import HTTPSemantics
import Platform
import TestSupport

/// An entry whose bytes are going to be damaged.
struct RotTarget {
  let name: String
  let path: String
  let bytes: [UInt8]
  /// The place of the content in the file.
  let content: Range<Int>
  /// The bytes of an entry of about the same length, from which grafted bytes come.
  let other: [UInt8]
  let key: CacheKey
  let request: Fields
  let body: [UInt8]
}

/// Reads damaged entries in this process, which takes some tens of microseconds for each.
final class RotBench {
  private let home: TemporaryDirectory
  private(set) var targets: [RotTarget] = []

  /// The time of the store's clock: later than the times of all entries made here.
  private static let now: Int64 = 2_000_000_000

  init() throws {
    home = try TemporaryDirectory("rot")
    targets = [
      try golden("golden-freshened", GoldenEntries.freshened, contentCount: 28),
      try golden("golden-part", GoldenEntries.part, contentCount: 22),
      try made("small", Self.response("/small"), 700),
      try made("empty", Self.response("/empty"), 0),
      try made("freshened", Self.response("/freshened"), 700) { store in
        var visit: StoreVisit?
        var found = store.lookup(Self.key("/freshened"), for: [:], concealing: { _ in nil }, in: &visit)
        guard let content = found.takeContent() else { return }
        try store.freshen(content, with: Self.response("/freshened", tag: "two"))
      },
      try made("variant", Self.response("/variant", selecting: "a/a"), 700, request: ["Accept": "a/a"]),
      try made("list", Self.response("/list", selecting: "a/a"), 700, request: ["Accept": "a/a"], isList: true),
      try made("large", Self.response("/large"), 300_000),
    ]
  }

  // MARK: Making entries

  private func store(_ name: String) throws -> Store {
    guard let root = Path(home.path(name)) else { throw SystemFailure("store", code: 0) }
    let clock = Clock(wallTime: { WallTime(seconds: Self.now) }, monotonic: { 0 }, pause: { _ in })
    return Store(root: root, clock: clock)
  }

  private static func key(_ path: String) -> CacheKey {
    CacheKey(TargetURI(origin: TargetURI.Origin(scheme: .https, host: "example.org", port: 443), pathAndQuery: path))
  }

  private static func response(_ path: String, tag: String = "one", selecting: String? = nil) -> StoredResponse {
    let members = selecting.map { [SelectingFields.Member("Accept", .plain(Array($0.utf8)))] } ?? []
    let fields: Fields = ["Content-Type": "text/plain", "ETag": FieldValue("\"\(tag)\"")]
    let time = Timestamp(secondsSinceEpoch: now - 1_000)
    return StoredResponse(
      Response(200, reason: "OK", fields: fields), under: key(path), selecting: SelectingFields(members: members),
      requestTime: time, responseTime: time)
  }

  private func golden(_ name: String, _ text: String, contentCount: Int) throws -> RotTarget {
    let bytes = [UInt8](Data(base64Encoded: text, options: .ignoreUnknownCharacters) ?? Data())
    // An entry of the same key is made first, because its path is where the golden one belongs.
    let isPart = name.hasSuffix("part")
    var stored = Self.response("/")
    if isPart { stored.extent = .part(5..<27, of: 100) }
    let made = try made(name, stored, contentCount)
    try writeFile(made.path, bytes)
    let body = Array(bytes[64..<(64 + contentCount)])
    return RotTarget(
      name: name, path: made.path, bytes: bytes, content: 64..<(64 + contentCount), other: made.other, key: made.key,
      request: [:], body: body)
  }

  private func made(
    _ name: String, _ stored: StoredResponse, _ count: Int, request: Fields = [:], isList: Bool = false,
    change: (Store) throws -> Void = { _ in }
  ) throws -> RotTarget {
    let store = try store(name)
    var generator = SeededNumbers(seed: UInt64(count))
    let (body, foreign) = (generator.bytes(count), generator.bytes(count))
    try Self.insert(foreign, stored, into: store)
    let place = try Self.place(below: home.path(name), isList: isList)
    let other = try readFile(place)
    try Self.insert(body, stored, into: store)
    try change(store)
    let bytes = try readFile(place)
    return RotTarget(
      name: name, path: place, bytes: bytes, content: isList ? 64..<64 : 64..<(64 + count), other: other,
      key: stored.key, request: request, body: body)
  }

  private static func insert(_ body: [UInt8], _ stored: StoredResponse, into store: Store) throws {
    var writer = try store.beginInsertion()
    try writer.append(body)
    _ = try writer.commit(stored)
  }

  private static func place(below root: String, isList: Bool) throws -> String {
    let entries = filesBelow("\(root)/v1").filter { ($0.split(separator: "/").last?.utf8.count ?? 0) >= 32 }
    // A variant's name begins with the list's name and a dot.
    let isVariant = { (path: String) in path.split(separator: "/").last?.contains(".") ?? false }
    guard let place = entries.first(where: { entries.count == 1 || isVariant($0) != isList }) else {
      throw SystemFailure("entry", code: 0)
    }
    return place
  }

  // MARK: Looking at them

  /// Lets the store read the entry with a mutation.
  ///
  /// - Returns: descriptions of what the store does wrong.
  func inspect(_ target: RotTarget, _ mutation: Mutation) throws -> [String] {
    let mutated = mutation.applied(to: target.bytes, graftingFrom: target.other)
    // The file is unchanged, or holds the other entry, which is intact and may be served.
    if mutated == target.bytes || mutated.starts(with: target.other) { return [] }
    try writeFile(target.path, mutated)
    defer { try? writeFile(target.path, target.bytes) }
    let root = target.name
    var visit: StoreVisit?
    var found = try store(root).lookup(target.key, for: target.request, concealing: { _ in nil }, in: &visit)
    guard let stored = found.selection.stored, let content = found.takeContent() else {
      if case .damaged = found.fault { return [] }
      return ["it is \(found.selection), and nothing is said of damage"]
    }
    var bytes: [UInt8] = []
    do throws(ContentFailure<Never>) {
      try content.forEachVerifiedChunk { bytes += $0 }
    } catch {
      return target.body.starts(with: bytes) ? [] : ["wrong bytes were handed on before the damage was found"]
    }
    if bytes != target.body { return ["it has another content"] }
    // The store may pass over bytes behind a whole head only, and must then have the response validated.
    return stored.isDoubtful || isWhole(target, mutation) ? [] : ["it is believed without a doubt"]
  }

  /// Whether the mutated file is one that a completed update could have left, or the state before the update.
  private func isWhole(_ target: RotTarget, _ mutation: Mutation) -> Bool {
    guard ["freshened", "golden-freshened"].contains(target.name) || mutation.repeatsHead else { return false }
    switch mutation {
    case .cut, .repeatEnd: return true
    case .flip, .append, .graft: return false
    }
  }
}

extension Mutation {
  fileprivate var repeatsHead: Bool {
    if case .repeatEnd = self { true } else { false }
  }
}

extension SeededNumbers {
  mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8(truncatingIfNeeded: next() >> 24) }
  }
}
