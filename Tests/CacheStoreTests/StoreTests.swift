import Foundation
import HTTPCaching
import HTTPSemantics
import Platform
import Testing

@testable import CacheStore

@Suite("Store")
struct StoreTests {
  @Test("A look-up without a store finds nothing, makes nothing and is no error")
  func lazy() throws {
    let fixture = try StoreFixture()
    #expect(fixture.outcome() == .miss(.uriMiss))
    #expect(!FileManager.default.fileExists(atPath: fixture.root.path))
    #expect(try fixture.remove() == 0)
    #expect(try fixture.store.secret(creating: false) == nil)
  }

  @Test(
    "A stored response is found with its content, whatever its length",
    arguments: [0, 1, 65_535, 65_536, 65_537, 131_072, 200_000, 1_048_576, 1_048_577, 3_000_000])
  func roundTrip(length: Int) throws {
    let fixture = try StoreFixture()
    let body = StoreFixture.bytes(length)
    var stored = StoreFixture.stored()
    try fixture.insert(body, stored)
    stored.contentLength = UInt64(length)
    #expect(fixture.lookup().selection == .selected(stored))
    #expect(fixture.outcome() == .body(body))
    #expect(try fixture.entries().count == 1)
  }

  @Test("Content may be written in pieces of any size")
  func pieces() throws {
    let fixture = try StoreFixture()
    let body = StoreFixture.bytes(2_500_000)
    var writer = try fixture.store.beginInsertion()
    var rest = body[...]
    var size = 1
    while !rest.isEmpty {
      try writer.append(Array(rest.prefix(size)))
      rest = rest.dropFirst(size)
      size = size * 3 % 1_400_000 + 1
    }
    try writer.append([])
    #expect(writer.length == 2_500_000)
    _ = try writer.commit(StoreFixture.stored())
    #expect(fixture.outcome() == .body(body))
  }

  @Test("A writer that is discarded leaves no file, and the stored response stays")
  func lettingGo() throws {
    let fixture = try StoreFixture()
    try fixture.insert("old")
    let before = try fixture.files()
    do {
      var writer = try fixture.store.beginInsertion()
      try writer.append(StoreFixture.bytes(3_000_000))
      #expect(fixture.outcome() == .text("old"))
    }
    #expect(try fixture.files() == before)
    #expect(fixture.outcome() == .text("old"))
  }

  @Test("The audience is part of the key")
  func audience() throws {
    let fixture = try StoreFixture()
    try fixture.insert("everybody's")
    try fixture.insert("one's", StoreFixture.stored(audience: [1]))
    try fixture.insert("other's", StoreFixture.stored(audience: [2]))
    #expect(fixture.outcome() == .text("everybody's"))
    #expect(fixture.outcome(audience: [1]) == .text("one's"))
    #expect(fixture.outcome(audience: [2]) == .text("other's"))
    #expect(fixture.outcome(audience: [3]) == .miss(.uriMiss))
    #expect(try fixture.remove(audience: [1]) == 1)
    #expect(fixture.outcome(audience: [1]) == .miss(.uriMiss))
    try fixture.store.removeAll(for: StoreFixture.key().target)
    #expect(try fixture.entries() == [])
  }

  @Test("A file under the name of another key is damage")
  func collision() throws {
    let fixture = try StoreFixture()
    try fixture.insert("one", StoreFixture.stored("/one"))
    let one = try fixture.onlyEntry()
    try fixture.insert("two", StoreFixture.stored("/two"))
    let two = fixture.root.appending(path: try #require(try fixture.entries().first { !one.path.hasSuffix($0) }))
    try FileManager.default.removeItem(at: two)
    try FileManager.default.copyItem(at: one, to: two)
    #expect(fixture.outcome("/two").damage == .misnamed)
    #expect(fixture.outcome("/one") == .text("one"))
  }

  @Test("Directories have mode 0700 and files 0600, and the store has a CACHEDIR.TAG and a README")
  func modes() throws {
    let fixture = try StoreFixture()
    try fixture.insert("text")
    _ = try fixture.store.secret(creating: true)
    for file in try fixture.files() { #expect(try fixture.mode(file) == 0o600, "\(file)") }
    for directory in ["", "v1", "v1/tmp"] { #expect(try fixture.mode(directory) == 0o700, "\(directory)") }
    let shard = try fixture.onlyEntry().deletingLastPathComponent().lastPathComponent
    #expect(try fixture.mode("v1/" + shard) == 0o700)
    #expect(try fixture.files().prefix(2) == ["CACHEDIR.TAG", "README"])
    let tag = try String(contentsOf: fixture.root.appending(path: "CACHEDIR.TAG"), encoding: .utf8)
    #expect(tag.hasPrefix("Signature: 8a477f597d28d172789f06886806bc55\n"))
  }

  @Test("A directory that holds other files is not marked for backups to skip")
  func otherThings() throws {
    let fixture = try StoreFixture()
    try FileManager.default.createDirectory(
      at: fixture.root, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    try Data().write(to: fixture.root.appending(path: "thesis"))
    try fixture.insert("text")
    #expect(!(try fixture.files().contains("CACHEDIR.TAG")))
    #expect(fixture.outcome() == .text("text"))
  }

  @Test("The directories above the store are created, and a trailing slash in its path is accepted")
  func parents() throws {
    let fixture = try StoreFixture()
    let deep = Store(root: Path(fixture.base.path + "/a/b/c/")!, clock: fixture.store.clock)
    var writer = try deep.beginInsertion()
    try writer.append(Array("deep".utf8))
    _ = try writer.commit(StoreFixture.stored())
    #expect(deep.lookup(StoreFixture.key(), for: [:], concealing: { _ in nil }).selection.stored != nil)
  }

  @Test("A dead writer's file is removed by the next run that stores; a living writer's file is not")
  func orphans() throws {
    let fixture = try StoreFixture()
    try fixture.insert("text")
    let orphan = fixture.root.appending(path: "v1/tmp/0123456789abcdef")
    try Data("half".utf8).write(to: orphan)
    var living = try fixture.store.beginInsertion()
    try living.append([1])
    #expect(!FileManager.default.fileExists(atPath: orphan.path))
    try fixture.insert("more", StoreFixture.stored("/more"))
    _ = try living.commit(StoreFixture.stored("/living"))
    #expect(fixture.outcome("/living") == .body([1]))
    #expect(try fixture.files().filter { $0.hasPrefix("v1/tmp/") } == [])
  }

  @Test("Of concurrent writers of one key one wins, and contents are never mixed")
  func race() async throws {
    let fixture = try StoreFixture()
    let store = fixture.store
    await withTaskGroup(of: Void.self) { group in
      for writer in 0..<8 {
        group.addTask {
          for round in 0..<10 {
            let body = [UInt8](repeating: UInt8(writer), count: 100_000 + writer * 1_000 + round)
            do {
              var writer = try store.beginInsertion()
              try writer.append(body)
              _ = try writer.commit(StoreFixture.stored())
            } catch { Issue.record(error) }
            var read: [UInt8] = []
            var found = store.lookup(StoreFixture.key(), for: [:]) { _ in nil }
            guard let content = found.takeContent() else {
              Issue.record("no content: \(String(describing: found.fault))")
              continue
            }
            do { try content.forEachVerifiedChunk { read += $0 } } catch { Issue.record(error) }
            #expect(read.count == 100_000 + Int(read[0]) * 1_000 + read.count % 1_000)
            #expect(read.allSatisfy { $0 == read[0] })
          }
        }
      }
    }
    #expect(try fixture.entries().count == 1)
    #expect(try fixture.files().filter { $0.hasPrefix("v1/tmp/") } == [])
  }

  @Test("A head that exceeds the bounds is refused and leaves no file")
  func bounds() throws {
    let fixture = try StoreFixture()
    var many = StoreFixture.stored()
    for number in 0..<2_000 { many.response.fields.append("X-Number", FieldValue("\(number)")) }
    #expect(throws: StoreError.headTooLarge) { try fixture.insert("text", many) }
    var large = StoreFixture.stored()
    large.response.fields.append("X-Large", FieldValue([UInt8](repeating: 0x61, count: 300_000)))
    #expect(throws: StoreError.headTooLarge) { try fixture.insert("text", large) }
    #expect(try fixture.entries() == [])
    #expect(try fixture.files().filter { $0.hasPrefix("v1/tmp/") } == [])
  }

  @Test("The secret is created once, and all threads get the same")
  func secret() async throws {
    let fixture = try StoreFixture()
    let store = fixture.store
    let secrets = try await withThrowingTaskGroup(of: [UInt8]?.self, returning: Set<[UInt8]?>.self) { group in
      for _ in 0..<8 { group.addTask { try store.secret(creating: true) } }
      return try await group.reduce(into: []) { $0.insert($1) }
    }
    #expect(secrets.count == 1)
    #expect(secrets.first??.count == 32)
    #expect(try store.secret(creating: false) == secrets.first)
    #expect(try fixture.mode("v1/secret") == 0o600)
    #expect(try fixture.files().filter { $0.hasPrefix("v1/tmp/") } == [])
  }

  @Test("A secret that was cut short is replaced by a new one", arguments: [0, 31])
  func shortSecret(length: Int) throws {
    let fixture = try StoreFixture()
    let old = try #require(try fixture.store.secret(creating: true))
    let file = try FileHandle(forWritingTo: fixture.root.appending(path: "v1/secret"))
    try file.truncate(atOffset: UInt64(length))
    try file.close()
    #expect(try fixture.store.secret(creating: false) == nil)
    let new = try #require(try fixture.store.secret(creating: true))
    #expect(new.count == 32 && new != old)
    #expect(try fixture.store.secret(creating: false) == new)
  }

  @Test("If several find the secret cut short, the new secret that the first one makes is kept")
  func shortSecretOfMany() throws {
    let fixture = try StoreFixture()
    let store = fixture.store
    _ = try store.secret(creating: true)
    try Data([1]).write(to: fixture.root.appending(path: "v1/secret"))
    let writable = try WritableStore(store.root, home: nil, durable: false)
    guard let first = try SecretFile(in: writable.root), let second = try SecretFile(in: writable.root) else {
      throw CancellationError()
    }
    #expect(first.secret == nil)
    try first.remove(from: writable)
    let made = try #require(try store.secret(creating: true))
    try second.remove(from: writable)
    #expect(try store.secret(creating: true) == made)
    try FileManager.default.removeItem(at: fixture.root.appending(path: "v1/secret"))
    try second.remove(from: writable)
  }

  @Test("A use is noted at most once an hour, and a last use in the future is corrected")
  func touch() throws {
    let now = Int64(Date().timeIntervalSince1970)
    let fixture = try StoreFixture(now: now)
    try fixture.insert("text")
    let entry = try fixture.onlyEntry()
    for (age, isTouched) in [(0, false), (3_000, false), (4_000, true), (-4_000, true)] {
      let past = Date(timeIntervalSince1970: Double(now) - Double(age))
      try FileManager.default.setAttributes([.modificationDate: past], ofItemAtPath: entry.path)
      var found = fixture.lookup()
      if let content = found.takeContent() { fixture.store.touch(content) }
      let seconds = try Descriptor.workingDirectory.status(of: Path(entry.path)!).modified.seconds
      #expect((abs(seconds - Int64(past.timeIntervalSince1970)) > 1) == isTouched, "age \(age)")
    }
  }

  @Test("A walk shows every response and every damaged entry, and skips everything else")
  func walk() throws {
    let fixture = try StoreFixture()
    for number in 0..<20 { try fixture.insert("body \(number)", StoreFixture.stored("/\(number)")) }
    try fixture.insert("gzip", StoreFixture.stored("/vary", selecting: [(.acceptEncoding, "gzip")]))
    let broken = fixture.root.appending(path: try fixture.entries()[0])
    try Data("nothing".utf8).write(to: broken)
    let shard = broken.deletingLastPathComponent()
    try Data("stray".utf8).write(to: shard.appending(path: "stray"))
    try FileManager.default.createDirectory(at: shard.appending(path: "below"), withIntermediateDirectories: false)
    try Data("stray".utf8).write(to: fixture.root.appending(path: "v1/zz"))
    var paths: Set<String> = []
    var damages: [Damage] = []
    try fixture.store.forEachEntry { entry in
      switch entry.state {
      case .response(let stored): paths.insert(stored.key.target.pathAndQuery)
      case .damaged(let damage): damages.append(damage)
      }
      return true
    }
    #expect(paths.count + damages.count == 21 || paths.count + damages.count == 20)
    #expect(damages == [.notAnEntry])
    var seen = 0
    try fixture.store.forEachEntry { _ in
      seen += 1
      return seen < 3
    }
    #expect(seen == 3)
  }

  @Test("A walk by several threads shows each entry once, and stops soon when it is told to")
  func parallelWalk() throws {
    let fixture = try StoreFixture()
    // Enough entries for the first thread to start others.
    for number in 0..<400 { try fixture.insert("\(number)", StoreFixture.stored("/\(number)")) }
    let names = NamesSeen()
    try fixture.store.forEachEntryInParallel { names.add($0.name, goingOn: true) }
    #expect(Set(names.all).count == 400)
    #expect(names.all.count == 400)
    let first = NamesSeen()
    try fixture.store.forEachEntryInParallel { first.add($0.name, goingOn: false) }
    #expect(first.all.count == 1)
  }

  @Test("A walk shows each entry of a large directory once, and stops when it is told to")
  func walkThroughMany() throws {
    let fixture = try StoreFixture()
    for number: UInt8 in 0..<200 {
      try fixture.insert("mine", StoreFixture.stored("/mine", audience: [number]))
      if number < 20 { try fixture.insert("other", StoreFixture.stored("/\(number)")) }
    }
    var seen: [EntryName] = []
    try fixture.store.forEachEntry {
      seen.append($0.name)
      return true
    }
    #expect(seen.count == 220)
    #expect(Set(seen).count == 220)
    for limit in [1, 150, 219] {
      var count = 0
      try fixture.store.forEachEntry { _ in
        count += 1
        return count < limit
      }
      #expect(count == limit)
    }
  }

  @Test("A newer response that was stored while another one was arriving stays", arguments: [false, true])
  func overtaken(_ varies: Bool) throws {
    let fixture = try StoreFixture()
    let selecting: [(FieldName, String)] = varies ? [(.acceptLanguage, "de")] : []
    func fetched(from requestTime: Int64, to responseTime: Int64) -> StoredResponse {
      var fetched = StoreFixture.stored(selecting: selecting, at: responseTime)
      fetched.requestTime = Timestamp(secondsSinceEpoch: requestTime)
      return fetched
    }
    let request: Fields = ["Accept-Language": "de"]
    try fixture.insert("new", fetched(from: 1010, to: 1020))
    let before = try fixture.store.statistics()
    #expect(try fixture.insert("old", fetched(from: 1000, to: 1005)) == .overtaken)
    #expect(fixture.outcome("/", request) == .text("new"))
    let after = try fixture.store.statistics()
    #expect(after.entries == before.entries && after.bytes == before.bytes)
    // The stored response is from the future, as if the clock had been put back.
    try fixture.insert("future", fetched(from: 2_100_000_000, to: 2_100_000_000))
    try fixture.insert("present", fetched(from: 1030, to: 1040))
    #expect(fixture.outcome("/", request) == .text("present"))
  }

  @Test("An entry that a walk has shown is opened and removed, but not one that has replaced it")
  func walkedEntries() throws {
    let fixture = try StoreFixture()
    try fixture.insert("one", StoreFixture.stored("/one"))
    var shown: [WalkedEntry] = []
    try fixture.store.forEachEntry {
      shown.append($0)
      return true
    }
    let one = try #require(shown.first)
    guard let content = try fixture.store.open(one) else { throw CancellationError() }
    #expect(content.length == 3)
    try fixture.insert("new", StoreFixture.stored("/one"))
    #expect(try fixture.store.remove(one.file, .ifSameFile) == nil)
    #expect(fixture.outcome("/one") == .text("new"))
    shown = []
    try fixture.store.forEachEntry {
      shown.append($0)
      return true
    }
    #expect(try fixture.store.remove(try #require(shown.first).file, .ifSameFile) ?? 0 > 0)
    #expect(fixture.outcome("/one") == .miss(.uriMiss))
  }
}

/// The entries that several threads have seen.
private final class NamesSeen: @unchecked Sendable {
  private let lock = Lock()
  private(set) var all: [EntryName] = []

  func add(_ name: EntryName, goingOn goesOn: Bool) -> Bool {
    lock.lock()
    all.append(name)
    lock.unlock()
    return goesOn
  }

  @Test("When temporary files have names from the start, entries count, replace each other and leave no temporary name")
  func namedAtOnce() throws {
    let fixture = try StoreFixture()
    for (text, language) in [("one", ""), ("two", ""), ("de", "de"), ("en", "en"), ("any", "")] {
      let field = [("Accept-Language" as FieldName, language)]
      let stored = StoreFixture.stored(selecting: language.isEmpty ? [] : field)
      let terms = PublishingTerms(limits: fixture.store.limits, clock: fixture.store.clock)
      var writer = try EntryWriter(fixture.store.openForWriting(), terms, isNamed: true)
      try writer.append(Array(text.utf8))
      #expect(try writer.commit(stored) == .stored)
      #expect(try fixture.files().filter { $0.hasPrefix("v1/tmp/") }.isEmpty)
      let (statistics, files) = (try fixture.store.statistics(), try fixture.entries())
      #expect(statistics.entries == files.count && !files.isEmpty)
      let bytes = try files.reduce(0) { try $0 + Data(contentsOf: fixture.root.appending(path: $1)).count }
      #expect(statistics.bytes == bytes && statistics.hosts.map(\.bytes) == [Int64(bytes)], "\(text)")
      #expect(fixture.outcome("/", ["Accept-Language": FieldValue(language)]) == .text(text))
    }
  }
}
