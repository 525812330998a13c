import Platform
import TestSupport
import Testing

@testable import Client

/// Output that waits for its turn to be printed, or is printed together, and where it waits.
@Suite final class SpoolTests {
  private let directory: TemporaryDirectory
  private let path: Path
  private let output: OwnedDescriptor

  init() throws {
    directory = try TemporaryDirectory("spool")
    path = try #require(Path(directory.path))
    output = try Descriptor.workingDirectory.open(
      try #require(Path(directory.path("output"))), [.readWrite, .create])
  }

  private final class Waits {
    var count = 0
    /// Whether the turn to print has come.
    var areOver = false
    /// The work to do when the turn comes.
    var work: () -> Void = {}
    /// Called while a spool waits for its turn.
    var meanwhile: () -> Void = {}
  }

  private func spool(
    of room: SpoolRoom = SpoolRoom(), _ waits: Waits, on other: Descriptor? = nil, in place: Path? = nil
  ) -> Spool {
    let output = other ?? output.borrowed
    let turn = Spool.Turn(
      output: { waits.areOver ? output : nil },
      awaitOutput: {
        waits.count += 1
        waits.meanwhile()
        return output
      },
      whenOutput: { work in
        waits.work = work
        if waits.areOver { work() }
      })
    return Spool(in: place ?? path, of: room, turn: turn, on: nil)
  }

  private func write(_ count: Int, of byte: UInt8, to spool: Spool) throws {
    try [UInt8](repeating: byte, count: count).withUnsafeBytes { bytes in try spool.write(bytes) }
  }

  private func printed() throws -> [UInt8] { try readFile(directory.path("output")) }

  @Test func `the spools of a run share their room, and one that has none left waits for its turn`() throws {
    let (room, waits) = (SpoolRoom(bytes: 100_000), Waits())
    let first = spool(of: room, waits)
    try write(80_000, of: 1, to: first)
    let second = spool(of: room, waits)
    try write(10_000, of: 2, to: second)
    #expect(waits.count == 0)
    #expect(try printed().isEmpty)
    try write(20_000, of: 2, to: second)
    try write(20_000, of: 2, to: second)
    #expect(waits.count == 1)
    #expect(try printed() == [UInt8](repeating: 2, count: 50_000))
    try first.release(to: output.borrowed)
    #expect(try printed().count == 130_000)
    do { try write(100_000, of: 3, to: spool(of: room, waits)) }
    // A spool that is released gives its room back.
    try write(100_000, of: 4, to: spool(of: room, waits))
    #expect(waits.count == 1)
    #expect(try printed().count == 130_000)
  }

  @Test func `a spool without room in memory takes a file, and one that finds none waits for its turn`() throws {
    let (room, waits) = (SpoolRoom(memoryBytes: 1_000, files: 1), Waits())
    let (first, second, third) = (spool(of: room, waits), spool(of: room, waits), spool(of: room, waits))
    try write(1_000, of: 1, to: first)
    try write(10, of: 2, to: second)
    #expect(waits.count == 0)
    try write(10, of: 3, to: third)
    #expect(waits.count == 1)
    #expect(try printed() == [UInt8](repeating: 3, count: 10))
    // The file that has become free takes the next spool, and the memory that becomes free takes a further one.
    try second.release(to: output.borrowed)
    let fourth = spool(of: room, waits)
    try write(500, of: 4, to: fourth)
    try write(500, of: 4, to: fourth)
    #expect(waits.count == 1)
    try first.release(to: output.borrowed)
    try write(1_000, of: 5, to: spool(of: room, waits))
    #expect(waits.count == 1)
    first.trim()
    fourth.trim()
    try fourth.release(to: output.borrowed)
    #expect(try printed().count == 2_020)
  }

  @Test func `a spool that is trimmed keeps its content`() throws {
    let spool = spool(Waits())
    try write(10, of: 1, to: spool)
    spool.trim()
    try write(10, of: 2, to: spool)
    try spool.release(to: output.borrowed)
    #expect(try printed() == [UInt8](repeating: 1, count: 10) + [UInt8](repeating: 2, count: 10))
  }

  @Test func `a spool that cannot hold its content gives its room back while it waits`() throws {
    let (room, waits) = (SpoolRoom(bytes: 100_000), Waits())
    let absent = try #require(Path(directory.path("absent")))
    let broken = spool(of: room, waits, in: absent)
    try write(10_000, of: 1, to: broken)
    var hasRoom = false
    waits.meanwhile = { hasRoom = room.bytes.take(90_000) }
    // This exceeds the memory of a spool, and the directory for a file does not exist.
    try write(80_000, of: 1, to: broken)
    #expect(waits.count == 1 && hasRoom)
    #expect(try printed().count == 90_000)
    #expect(room.bytes.take(10_000) && !room.bytes.take(1))
  }

  @Test func `in its turn, a spool prints small pieces together, and lets large content pass`() throws {
    let waits = Waits()
    waits.areOver = true
    let spool = spool(waits)
    for _ in 1...6 { try write(10_000, of: 1, to: spool) }
    #expect(try printed().isEmpty && spool.hasRoom == false)
    try write(10_000, of: 1, to: spool)
    #expect(try printed().count == 70_000)
    // From then on, the spool holds nothing back.
    try write(1, of: 1, to: spool)
    #expect(try printed().count == 70_001)
    #expect(try spool.outputInTurn(for: 0) != nil && spool.hasRoom == false)
    #expect(waits.count == 0)
    let other = self.spool(waits)
    try write(1, of: 2, to: other)
    #expect(try other.outputInTurn(for: 65_535) == nil)
    #expect(try other.outputInTurn(for: 65_536) != nil)
    #expect(try printed().last == 2)
  }

  @Test func `in its turn, a spool holds nothing back while its thread waits`() throws {
    let waits = Waits()
    waits.areOver = true
    let spool = spool(waits)
    try write(10, of: 1, to: spool)
    spool.printAtOnce()
    #expect(try printed().count == 10)
    try write(10, of: 1, to: spool)
    #expect(try printed().count == 20)
    // The turn may come while the spool waits.
    waits.areOver = false
    let later = self.spool(waits)
    later.printAtOnce()
    try write(10, of: 2, to: later)
    #expect(try printed().count == 20)
    waits.areOver = true
    waits.work()
    #expect(try printed().count == 30)
    try write(10, of: 2, to: later)
    #expect(try printed().count == 40)
    #expect(waits.count == 0)
  }

  @Test func `an error of standard output at content that was held is thrown by the next write`() throws {
    let waits = Waits()
    waits.areOver = true
    let full = try Descriptor.workingDirectory.open("/dev/full", .writeOnly)
    let spool = spool(waits, on: full.borrowed)
    try write(10, of: 1, to: spool)
    spool.printAtOnce()
    #expect(throws: Errno.noSpace) { try self.write(10, of: 1, to: spool) }
    #expect(throws: Errno.noSpace) { try spool.release(to: full.borrowed) }
  }

  @Test func `content that may not reach the disk waits for its turn when memory does not hold it`() throws {
    let (room, waits) = (SpoolRoom(), Waits())
    let spool = spool(of: room, waits)
    spool.stayInMemory()
    try write(60_000, of: 1, to: spool)
    #expect(waits.count == 0)
    try write(60_000, of: 2, to: spool)
    #expect(waits.count == 1)
    #expect(try printed().count == 120_000)
  }

  @Test func `under --memory-only, content that is held for its digest needs no file`() throws {
    let content = Pattern.bytes(count: 3 << 20)
    let scenario = try Scenario(.response(content: content))
    scenario.environment["TMPDIR"] = directory.path("absent")
    let digest = try #require(try digest(of: content))
    let options = ["--memory-capacity", "1M", "--sha256", digest, scenario.url()]
    let run = try scenario.run(["--memory-only"] + options)
    #expect(run.status == 0 && run.output == content, "\(run.diagnostics)")
    #expect(try scenario.run(options).status == 23)
    #expect(try scenario.run("-Z", "--memory-only", scenario.url("/a"), scenario.url("/b")).output == content + content)
  }

  /// The digest that garner prints where content does not have the expected one.
  private func digest(of content: [UInt8]) throws -> String? {
    let scenario = try Scenario(.response(content: content))
    let other = String(repeating: "0", count: 64)
    let run = try scenario.run("--sha256", other, "-o", directory.path("file"), scenario.url())
    return run.diagnostics.split(whereSeparator: \.isWhitespace).map(String.init).first { $0.count == 64 }
  }
}
