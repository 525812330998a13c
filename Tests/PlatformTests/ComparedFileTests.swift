import Glibc
import Platform
import Testing

/// Tests of comparing an existing file with what would be written to it.
@Suite("Comparing an existing file with new content")
struct ComparedFileTests {
  private static let text = "the same already"

  private static func file(
    in scratch: borrowing Scratch, _ name: String = "f", length: Int = text.utf8.count,
    collision: AtomicFile.Collision = .replace
  ) throws -> ComparedFile? {
    let path = try #require(Path(scratch.path(name)))
    return ComparedFile(path, length: UInt64(length), collision: collision)
  }

  private static func matches(_ file: ComparedFile, _ text: String) -> Bool {
    Array(text.utf8).withUnsafeBytes { file.matches($0) }
  }

  @Test(
    "A compared file is the same if every piece of it is the same", arguments: [AtomicFile.Collision.replace, .refuse])
  func same(_ collision: AtomicFile.Collision) throws {
    let scratch = try Scratch()
    try scratch.write(Self.text, to: "f")
    let file = try #require(try Self.file(in: scratch, collision: collision))
    #expect(Self.matches(file, "the same"))
    #expect(!file.isSame)
    #expect(Self.matches(file, " already"))
    #expect(file.isSame)
    #expect(!Self.matches(file, "!"))
  }

  @Test("A compared file differs if one byte differs")
  func other() throws {
    let scratch = try Scratch()
    try scratch.write(Self.text, to: "f")
    let file = try #require(try Self.file(in: scratch))
    #expect(Self.matches(file, "the same "))
    #expect(!Self.matches(file, "Already"))
    #expect(!file.isSame)
  }

  @Test("A file longer than the buffer is compared to its end", arguments: [262_143, 262_144, 262_145, 1_000_003])
  func long(_ count: Int) throws {
    let scratch = try Scratch()
    let text = String(repeating: "x", count: count)
    try scratch.write(text, to: "f")
    let file = try #require(try Self.file(in: scratch, length: count))
    #expect(Self.matches(file, text))
    #expect(file.isSame)
    let changed = try #require(try Self.file(in: scratch, length: count))
    #expect(!Self.matches(changed, text.dropLast() + "y"))
  }

  @Test("A compared file does not count as the same if it was changed or replaced meanwhile")
  func changed() throws {
    let scratch = try Scratch()
    try scratch.write(Self.text, to: "f")
    try scratch.directory.open("f", [.readOnly]).setModified(WallTime(seconds: 1_577_836_800))
    let written = try #require(try Self.file(in: scratch))
    #expect(Self.matches(written, Self.text))
    try scratch.directory.open("f", [.writeOnly]).writeAll(Array("T".utf8))
    #expect(!written.isSame)

    try scratch.write(Self.text, to: "f")
    let replaced = try #require(try Self.file(in: scratch))
    #expect(Self.matches(replaced, Self.text))
    try scratch.write(Self.text, to: "g")
    try scratch.directory.rename("g", to: "f", in: scratch.directory)
    #expect(!replaced.isSame)
  }

  @Test("A symbolic link is compared with its target only if it may be followed")
  func links() throws {
    let scratch = try Scratch()
    try scratch.write(Self.text, to: "f")
    #expect(symlink("f", scratch.path("link")) == 0)
    let file = try #require(try Self.file(in: scratch, "link"))
    #expect(Self.matches(file, Self.text) && file.isSame)
    #expect(try Self.file(in: scratch, "link", collision: .refuse) == nil)
  }

  @Test("A file is not compared if it cannot be the same or would not be left in place")
  func none() throws {
    let scratch = try Scratch()
    try scratch.write(Self.text, to: "f")
    try scratch.directory.createDirectory("d", mode: .privateDirectory)
    #expect(try Self.file(in: scratch, length: 3) == nil)
    #expect(try Self.file(in: scratch, "absent") == nil)
    #expect(try Self.file(in: scratch, "d", length: 4_096) == nil)
    #expect(try Self.file(in: scratch, collision: .number) == nil)
    #expect(ComparedFile("/dev/stdout", length: 0, collision: .replace) == nil)
    #expect(ComparedFile("/dev/null", length: 0, collision: .replace) == nil)
  }
}
