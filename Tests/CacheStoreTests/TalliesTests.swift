import CTestSupport
import Foundation
import HTTPCaching
import HTTPSemantics
import Platform
import TestSupport
import Testing

@testable import CacheStore

/// After any change of entries, the tallies hold what a listing of the directories would show.
@Suite("Tallies")
struct TalliesTests {
  /// Checks that the tallies agree with the directories.
  private func expectExact(
    _ fixture: borrowing StoreFixture, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let files = try fixture.entries()
    let root = fixture.root
    let bytes = try files.reduce(Int64(0)) { sum, file in
      sum + Int64(try Data(contentsOf: root.appending(path: file)).count)
    }
    let statistics = try fixture.store.statistics()
    #expect(statistics.entries == Int64(files.count), sourceLocation: sourceLocation)
    #expect(statistics.bytes == bytes, sourceLocation: sourceLocation)
    #expect(!statistics.isEstimate, sourceLocation: sourceLocation)
    let host = statistics.hosts.first
    #expect(host?.bytes ?? 0 == bytes && host?.entries ?? 0 == Int64(files.count), sourceLocation: sourceLocation)
  }

  private var tallies: String { "v1/tallies" }

  @Test("Tallies follow insertion, replacement, variants, parts, freshening and removal")
  func everyChange() throws {
    let fixture = try StoreFixture()
    try fixture.insert(StoreFixture.bytes(1_000))
    try expectExact(fixture)
    try fixture.insert(StoreFixture.bytes(70_000))
    try expectExact(fixture)
    for (index, language) in ["de", "en", "fr", "it", "es", "pt", "nl", "da", "sv", "fi"].enumerated() {
      try fixture.insert(
        StoreFixture.bytes(100 * index), StoreFixture.stored("/v", selecting: [("Accept-Language", language)]))
      try expectExact(fixture)
    }
    try fixture.insert("no variants any more", StoreFixture.stored("/v"))
    try expectExact(fixture)
    var part = StoreFixture.stored("/p")
    part.extent = .part(0..<4, of: 10)
    try fixture.insert("part", part)
    try expectExact(fixture)
    try fixture.insert("the whole!", StoreFixture.stored("/p"))
    try expectExact(fixture)
    for number in 0..<3 {
      var found = fixture.lookup("/p")
      guard let content = found.takeContent() else { throw CancellationError() }
      var stored = content.stored
      stored.response.fields.set("X-Number", FieldValue(String(repeating: "x", count: 60_000 * number)))
      _ = try fixture.store.freshen(content, with: stored)
      try expectExact(fixture)
    }
    #expect(try fixture.remove("/p") == 1)
    try expectExact(fixture)
    try fixture.store.removeAll(for: StoreFixture.key("/v").target)
    #expect(fixture.outcome("/v") == .miss(.uriMiss))
    try expectExact(fixture)
    try fixture.store.removeEverything()
    try expectExact(fixture)
    #expect(try fixture.store.statistics().hosts.isEmpty)
  }

  @Test(
    "Entries that could not be removed with everything else still count for their host",
    .enabled(if: Machine.isRoot, "Only root can act as another user."))
  func removal() throws {
    let fixture = try StoreFixture()
    for number in 0..<20 { try fixture.insert("text", StoreFixture.stored("/\(number)")) }
    let (entries, root) = (try fixture.entries(), fixture.root.path)
    for directory in [fixture.base.path, root, root + "/v1"] { chmod(directory, 0o755) }
    chmod(root + "/" + tallies, 0o666)
    // In some shards, other users may remove nothing.
    for entry in entries {
      let shard = String((root + "/" + entry).prefix(root.utf8.count + 1 + "v1/00".utf8.count))
      chmod(root + "/" + entry, 0o644)
      chmod(shard, entry < entries[10] ? 0o755 : 0o777)
    }
    testSupportBeUser(65_534)
    #expect(throws: StoreError.self) { try fixture.store.removeEverything() }
    testSupportBeUser(0)
    let left = try fixture.entries().count
    #expect((5...15).contains(left))
    try expectExact(fixture)
    #expect(try fixture.store.statistics().categories.map(\.entries) == [Int64(left)])
    try fixture.store.removeEverything()
    try expectExact(fixture)
  }

  @Test("Tallies count hosts and content types separately")
  func accounts() throws {
    let fixture = try StoreFixture()
    for (host, type) in [
      ("a.example", "text/html; charset=utf-8"), ("a.example", "image/png"), ("b.example", "TEXT/HTML"),
    ] {
      let target = TargetURI(
        origin: .init(scheme: .https, host: host, port: 443), pathAndQuery: "/" + String(type.utf8.count))
      let response = Response(200, reason: "OK", fields: ["Content-Type": FieldValue(type)])
      try fixture.insert(
        "x",
        StoredResponse(
          response, under: CacheKey(target), requestTime: Timestamp(secondsSinceEpoch: 0),
          responseTime: Timestamp(secondsSinceEpoch: 0)))
    }
    let statistics = try fixture.store.statistics()
    #expect(statistics.hosts.map(\.name) == ["a.example", "b.example"])
    #expect(statistics.hosts.map(\.entries) == [2, 1])
    #expect(Set(statistics.categories.map { "\($0.category) \($0.entries)" }) == ["html 2", "image 1"])
  }

  @Test("Tallies stay exact when 8 threads count 1,000 times each")
  func counters() async throws {
    let fixture = try StoreFixture()
    try fixture.insert("text")
    let store = fixture.store
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          let counter = store.resultCounter()
          for _ in 0..<1_000 { counter?.count(.hit, savedBytes: 3, for: StoreFixture.key()) }
        }
      }
    }
    var statistics = try store.statistics()
    #expect(statistics.count(.hit) == 8_000 && statistics.savedBytes == 24_000)
    #expect(statistics.hosts.map(\.hits) == [8_000] && statistics.hosts.map(\.savedBytes) == [24_000])
    try store.forgetResults()
    statistics = try store.statistics()
    #expect(statistics.count(.hit) == 0 && statistics.savedBytes == 0 && statistics.hosts.map(\.hits) == [0])
    try expectExact(fixture)
  }

  /// Something that may happen to the file of the tallies.
  enum Mishap: String, CaseIterable, CustomTestStringConvertible {
    case removed, truncated, extended, empty, otherMagic, zeros, symbolicLink, directory, secondName, fifo

    var testDescription: String { rawValue }

    func happen(to file: URL) throws {
      var bytes = try Data(contentsOf: file)
      if self != .secondName { try FileManager.default.removeItem(at: file) }
      switch self {
      case .removed: return
      case .truncated: bytes = bytes.prefix(bytes.count / 2)
      case .extended: bytes.append(0)
      case .empty: bytes = Data()
      case .otherMagic: bytes[0] ^= 1
      case .zeros: bytes = Data(count: bytes.count)
      case .symbolicLink:
        let elsewhere = file.deletingLastPathComponent().appending(path: "elsewhere")
        try bytes.write(to: elsewhere)
        return try FileManager.default.createSymbolicLink(at: file, withDestinationURL: elsewhere)
      case .directory:
        return try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
      case .secondName:
        return try FileManager.default.linkItem(at: file, to: file.deletingLastPathComponent().appending(path: "other"))
      case .fifo:
        mkfifo(file.path, 0o600)
        return
      }
      try bytes.write(to: file)
    }
  }

  @Test(
    "Whatever happens to the file of the tallies, storing and statistics go on, and the sums are right",
    arguments: Mishap.allCases)
  func mishap(_ mishap: Mishap) throws {
    let fixture = try StoreFixture()
    for path in ["/a", "/b", "/c"] { try fixture.insert(path, StoreFixture.stored(path)) }
    try mishap.happen(to: fixture.root.appending(path: tallies))
    var statistics = try fixture.store.statistics()
    #expect(statistics.entries == 3 && !statistics.isEstimate)
    fixture.store.resultCounter()?.count(.hit, savedBytes: 1, for: StoreFixture.key())
    try fixture.insert("d", StoreFixture.stored("/d"))
    #expect(fixture.outcome("/d") == .text("d") && fixture.outcome("/a") == .text("/a"))
    statistics = try fixture.store.statistics()
    #expect(statistics.entries == 4 && !statistics.isEstimate)
    #expect(try fixture.remove("/a") == 1)
    #expect(try fixture.store.statistics().entries == 3)
    #expect(try fixture.files().filter { $0.hasPrefix("v1/tmp/") } == [])
  }

  @Test("An entry that a killed writer has counted is corrected when its shard is listed")
  func killed() throws {
    let fixture = try StoreFixture()
    try fixture.insert("text")
    let exact = try fixture.store.statistics().bytes
    guard let root = try StoreRoot.open(fixture.store.root) else { throw CancellationError() }
    let tallies = try Tallies(in: root, for: .writing)
    let name = EntryName(StoreFixture.key())
    tallies.add(EntryWeight(name, 1_000_000, nil))
    #expect(try fixture.store.statistics().bytes == exact + 1_000_000)
    let version = try Directory(StoreLayout.version, in: root.directory)
    _ = try tallies.list(name.shardNumber, below: version, within: .unlimited)
    #expect(try fixture.store.statistics().bytes == exact)
  }

  @Test("A listing that began before a change of its shard does not set the sum")
  func lateCount() throws {
    let fixture = try StoreFixture()
    try fixture.insert("text")
    guard let root = try StoreRoot.open(fixture.store.root) else { throw CancellationError() }
    let tallies = try Tallies(in: root, for: .writing)
    let name = EntryName(StoreFixture.key())
    guard let before = tallies.shard(name.shardNumber) else { throw CancellationError() }
    tallies.add(EntryWeight(name, 10, nil))
    tallies.correct(name.shardNumber, from: before, to: 0, entries: 0)
    let after = tallies.shard(name.shardNumber)
    #expect(after?.bytes == before.bytes + 10)
  }

  @Test("Shards that have not been counted are estimated from those that have")
  func extrapolation() throws {
    let tallies = try Tallies()
    func set(_ shards: some Sequence<Int>, to bytes: Int64) {
      for shard in shards {
        guard let before = tallies.shard(UInt8(shard)) else { continue }
        tallies.correct(UInt8(shard), from: before, to: bytes, entries: bytes / 10)
      }
    }
    #expect(tallies.total() == StoreTotal(bytes: 0, entries: 0, ofShards: 0))
    set(stride(from: 0, to: 256, by: 2), to: 100)
    #expect(tallies.total().bytes == 25_600 && !tallies.total().isExact)
    #expect(tallies.total().entries == 2_560 && tallies.total().countedEntries == 1_280)
    set(0..<256, to: 100)
    #expect(tallies.total().bytes == 25_600 && tallies.total().isExact)
    set([7], to: 1_001)
    set([8], to: -1)
    #expect(tallies.total(plausible: 1_000).knownShards == 254)
    #expect(tallies.total(plausible: 1_000).bytes == 25_600)
    #expect(tallies.total(plausible: 1_001).knownShards == 255)
    set(0..<256, to: .max)
    #expect(tallies.total().bytes == .max && tallies.total().isExact)
    // The statistics that are shown to users clamp it.
    #expect(try StoreStatistics(tallies).bytes == 1 << 48 && StoreStatistics(tallies).entries == 1 << 48)
  }

  @Test("Hosts beyond the number of slots share one account, and a slot without entries is reused")
  func manyHosts() throws {
    let tallies = try Tallies()
    func weight(_ number: Int) -> EntryWeight {
      let origin = TargetURI.Origin(scheme: .https, host: "host\(number).example", port: 443)
      let stored = StoredResponse(
        Response(200, reason: "", fields: [:]), under: CacheKey(TargetURI(origin: origin, pathAndQuery: "/")),
        requestTime: Timestamp(secondsSinceEpoch: 0), responseTime: Timestamp(secondsSinceEpoch: 0))
      return EntryWeight(EntryName(stored.key), 1, .response(stored, tableSum: 0))
    }
    for number in 0..<2_000 { tallies.add(weight(number)) }
    var statistics = try StoreStatistics(tallies)
    #expect(statistics.hosts.reduce(0) { $0 + $1.entries } == 2_000)
    #expect(statistics.hosts.first?.name == nil && statistics.hosts.count > 500)
    for number in 0..<2_000 {
      let gone = weight(number)
      _ = tallies.removeUnlessListed(gone, since: tallies.changes(of: gone.shard))
    }
    tallies.forgetAccounts()
    for number in 2_000..<2_100 { tallies.add(weight(number)) }
    statistics = try StoreStatistics(tallies)
    #expect(statistics.hosts.filter { $0.entries > 0 }.count == 100)
    #expect(statistics.hosts.allSatisfy { $0.name != nil })
  }

  @Test("A host name that is too long for a slot counts among the other hosts")
  func longName() throws {
    let tallies = try Tallies()
    tallies.count(.hit, savedBytes: 5, of: TalliedHost(name: Array(repeating: 0x61, count: 81)))
    tallies.count(.hit, savedBytes: 7, of: TalliedHost(name: Array(repeating: 0x61, count: 80)))
    let hosts = try StoreStatistics(tallies).hosts
    #expect(Set(hosts.map { "\($0.name?.utf8.count ?? 0) \($0.savedBytes)" }) == ["0 5", "80 7"])
  }

  @Test(
    "Tallies sort content types into categories",
    arguments: [
      ("text/html", .html), ("TEXT/HTML;charset=utf-8", .html), ("application/ld+json", .json),
      ("application/atom+xml", .xml), ("image/svg+xml", .image), ("text/markdown", .text), ("font/woff2", .font),
      ("application/octet-stream", .binary), ("application/x-unheard-of", .other), ("", .other), (nil, .none),
    ] as [(String?, ContentCategory)])
  func category(type: String?, category: ContentCategory) {
    #expect(ContentCategory(type.map { FieldValue($0) }) == category)
  }
}
