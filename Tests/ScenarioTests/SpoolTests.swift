import Platform
import TestSupport
import Testing

@testable import Client

/// What is printed before its turn, and where it waits.
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
  }

  private func spool(of room: SpoolRoom, _ waits: Waits) -> Spool {
    let output = output.borrowed
    return Spool(in: path, of: room) {
      waits.count += 1
      return output
    }
  }

  private func write(_ count: Int, of byte: UInt8, to spool: Spool) throws {
    try [UInt8](repeating: byte, count: count).withUnsafeBytes { bytes in try spool.write(bytes) }
  }

  private func printed() throws -> [UInt8] { try readFile(directory.path("output")) }

  @Test func `all of a run have room together, and what has none left waits for its turn`() throws {
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
    // One that is let go of leaves its room.
    try write(100_000, of: 4, to: spool(of: room, waits))
    #expect(waits.count == 1)
    #expect(try printed().count == 130_000)
  }

  @Test func `what may not reach the disk waits where memory does not hold it`() throws {
    let (room, waits) = (SpoolRoom(), Waits())
    let spool = spool(of: room, waits)
    spool.stayInMemory()
    try write(60_000, of: 1, to: spool)
    #expect(waits.count == 0)
    try write(60_000, of: 2, to: spool)
    #expect(waits.count == 1)
    #expect(try printed().count == 120_000)
  }

  @Test func `under --memory-only, what is held for its digest needs no file`() throws {
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

  /// As garner itself tells it of other content than was expected.
  private func digest(of content: [UInt8]) throws -> String? {
    let scenario = try Scenario(.response(content: content))
    let other = String(repeating: "0", count: 64)
    let run = try scenario.run("--sha256", other, "-o", directory.path("file"), scenario.url())
    return run.diagnostics.split(whereSeparator: \.isWhitespace).map(String.init).first { $0.count == 64 }
  }
}
