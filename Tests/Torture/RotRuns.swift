import Glibc
import TestSupport

/// A file, or something else, in the place of an entry when the tool runs.
enum Replacement: Equatable, Sendable {
  case mutated(Mutation)
  case nothing, empty, fifo, directory, link, foreign, otherEntry

  var name: String {
    if case .mutated(let mutation) = self { mutation.name } else { "\(self)" }
  }

  static let places: [Replacement] =
    [.nothing, .empty, .fifo, .directory, .link, .otherEntry]
    // Only root may change the owner of a file.
    + (geteuid() == 0 ? [.foreign] : [])
}

/// A kind of entry that is damaged before runs of the tool read it.
enum RottenEntry: String, CaseIterable, Sendable {
  case small, large, part, variant, list

  fileprivate var arguments: [String] {
    switch self {
    case .small: ["/small"]
    case .large, .part: ["/large"]
    case .variant, .list: ["-H", "Accept: a/a", "/small"]
    }
  }

  fileprivate func answer(_ request: ReceivedRequest, _ stage: Scenario.Stage) -> OriginAnswer {
    switch self {
    case .small, .large: Resource().answer(to: request)
    case .part: stage == .preparation ? Resource().half(to: request) : Resource().answer(to: request)
    case .variant, .list: Resource(fields: [("Vary", "Accept")]).answer(to: request)
    }
  }

  fileprivate var body: [UInt8] { Contents.bytes(self == .large || self == .part ? "/large" : "/small", "1") }

  /// The number of content bytes behind the file's preamble.
  fileprivate var contentCount: Int {
    switch self {
    case .small, .large, .variant: body.count
    case .part: body.count / 2
    case .list: 0
    }
  }

  /// All replacements for the sweep: mutations evenly spread over the file, and everything else that a file system can
  /// have in its place.
  var replacements: [Replacement] {
    // The file does not exist yet. Its sums and its head follow the content; they have at least 400 bytes.
    let count = 64 + contentCount + 400
    let flips = (0..<Self.flipCount).map { Mutation.flip(offset: $0 * count / Self.flipCount, bit: $0 % 8) }
    let cuts = (0..<Self.cutCount).map { Mutation.cut(to: $0 * count / Self.cutCount) }
    let further: [Mutation] = [.append(count: 1), .append(count: 4_096), .append(count: 2 << 20)]
    return (flips + cuts + further).map(Replacement.mutated) + Replacement.places
  }

  private static let flipCount = 120
  private static let cutCount = 24
}

extension Torturer {
  /// Runs the tool on a store with a replaced entry, and then once more.
  ///
  /// - Returns: descriptions of what is wrong about the two runs.
  func meet(_ entry: RottenEntry, _ replacement: Replacement, isOffline: Bool) throws -> [String] {
    try prepare(entry)
    let file = try file(of: entry)
    try put(replacement, in: file)
    let flags = isOffline ? ["--offline"] : []
    let before = requestCount
    let outcome = try outcome(flags + spelt(entry.arguments))
    let requests = requestCount - before
    var complaints: [String] = []
    if isOffline {
      if !isRightOffline(outcome, entry, replacement) { complaints.append("offline: \(outcome)") }
      if requests != 0 { complaints.append("offline, the origin is asked") }
    } else {
      if outcome.ending != .exit(0) || outcome.output != entry.body { complaints.append("online: \(outcome)") }
      if requests != 1 { complaints.append("the origin is asked \(requests) times") }
      if isFoundOut(entry, replacement), outcome.warnings.count != 1 { complaints.append("no warning: \(outcome)") }
      if replacement == .link, try readFile(linkTarget) != Self.precious { complaints.append("it wrote to the target") }
    }
    if outcome.warnings.count > 1 { complaints.append("more than one warning: \(outcome)") }
    let after = try self.outcome(spelt(entry.arguments))
    if after.ending != .exit(0) || after.output != entry.body { complaints.append("the run after it: \(after)") }
    return complaints
  }

  /// Restores the store for a kind of entry. Every replacement gets the same store, which is made for the first one.
  private func prepare(_ entry: RottenEntry) throws {
    if prepared == entry {
      script { $0.stage = .torture }
      return try sandbox.restore(.none)
    }
    script {
      $0.answer = { request, stage in entry.answer(request, stage) }
      $0.stage = .preparation
    }
    try sandbox.clear()
    _ = try sandbox.run(["-s"] + spelt(entry.arguments))
    try sandbox.save()
    prepared = entry
    script { $0.stage = .torture }
  }

  private func file(of entry: RottenEntry) throws -> String {
    let files = sandbox.entries
    let isVariant = { (path: String) in path.split(separator: "/").last?.contains(".") ?? false }
    guard let file = files.first(where: { files.count == 1 || isVariant($0) == (entry == .variant) }) else {
      throw Broken(description: "nothing was stored for \(entry)")
    }
    return file
  }

  private var linkTarget: String { sandbox.home.path("out/precious") }
  private static let precious = Array("another's file\n".utf8)

  private func put(_ replacement: Replacement, in file: String) throws {
    let bytes = try readFile(file)
    unlink(file)
    switch replacement {
    case .nothing: return
    case .empty: try writeFile(file, [])
    case .mutated(let mutation): try writeFile(file, mutation.applied(to: bytes, graftingFrom: bytes))
    case .fifo: try checked("mkfifo", mkfifo(file, 0o600))
    case .directory: try checked("mkdir", mkdir(file, 0o700))
    case .link:
      try writeFile(linkTarget, Self.precious)
      try checked("symlink", symlink(linkTarget, file))
    case .foreign:
      try writeFile(file, bytes)
      try checked("chown", chown(file, 1, 1))
    case .otherEntry:
      // An intact entry of another resource takes the place of this one.
      let mine = sandbox.entries
      _ = try sandbox.run(["-s", Self.site + "/small/other"])
      guard let other = sandbox.entries.first(where: { !mine.contains($0) }) else { return try writeFile(file, []) }
      try checked("rename", rename(other, file))
    }
  }

  private func isFoundOut(_ entry: RottenEntry, _ replacement: Replacement) -> Bool {
    switch replacement {
    // Another key's entry looks like a collision of names, and a missing file like a miss.
    case .nothing, .otherEntry: false
    // An update that was broken off leaves such bytes at the end of a response's entry, too.
    case .mutated(.append(let count)): entry == .list || count > 1 << 20
    case .mutated, .empty, .fifo, .directory, .link, .foreign: true
    }
  }

  private func isRightOffline(_ outcome: Outcome, _ entry: RottenEntry, _ replacement: Replacement) -> Bool {
    switch outcome.ending {
    case .exit(0): outcome.output == entry.body && !isFoundOut(entry, replacement)
    case .exit(110): entry.body.starts(with: outcome.output)
    default: false
    }
  }
}
