import CTestSupport
import Glibc
import Platform
import TestSupport
import Testing

/// What stays of a file that is replaced, and what is done where it cannot be.
@Suite("A replaced file")
struct ReplacedFileTests {
  /// A user without any rights of root's, whoever runs the tests.
  private static let nobody: UInt32 = 65_534

  /// As a user who is not root: on Linux what may be done to files is a thread's own matter.
  private func asNobody(_ body: () throws -> Void) rethrows {
    guard geteuid() == 0 else { return try body() }
    testSupportBeUser(Self.nobody)
    defer { testSupportBeUser(0) }
    try body()
  }

  private func writesOver(_ scratch: borrowing Scratch, _ text: String) throws {
    let before = try scratch.directory.status(of: "below/out")
    let time = WallTime(seconds: 1_577_836_800)
    try asNobody {
      let file = try AtomicFile("below/out", relativeTo: scratch.directory, mayWriteOver: true)
      try file.descriptor.writeAll(Array(text.utf8))
      let isAtomic = file.isAtomic
      #expect(isAtomic)
      #expect(try scratch.text("below/out") == "old and longer")
      #expect(try file.commit(modified: time) == .published(as: "below/out"))
    }
    let after = try scratch.directory.status(of: "below/out")
    #expect(try scratch.text("below/out") == text)
    #expect(after.isSameFile(as: before) && after.mode == before.mode && after.userID == before.userID)
    #expect((after.modified == time) == (after.userID == (geteuid() == 0 ? Self.nobody : geteuid())))
    #expect(namesInDirectory(scratch.path("below")) == ["out"])
  }

  @Test(
    "The user's own file is written over where the directory takes no other one",
    arguments: ["new", "new, and longer"])
  func unwritableDirectory(text: String) throws {
    let scratch = try Scratch()
    try scratch.directory.createDirectory("below")
    try scratch.write("old and longer", to: "below/out", mode: FileMode(rawValue: 0o644))
    if geteuid() == 0 { chown(scratch.path("below/out"), Self.nobody, Self.nobody) }
    try scratch.directory.setMode(of: "below", to: FileMode(rawValue: 0o555))
    defer { try? scratch.directory.setMode(of: "below", to: .privateDirectory) }
    try writesOver(scratch, text)
    // What is not there cannot be made.
    asNobody {
      #expect(throws: Errno.accessDenied) {
        _ = try AtomicFile("below/other", relativeTo: scratch.directory, mayWriteOver: true)
      }
    }
  }

  @Test(
    "A file of the owner of a sticky directory is written over",
    .enabled(if: Machine.isRoot, "Only root may be others."))
  func stickyDirectory() throws {
    let scratch = try Scratch()
    try scratch.directory.createDirectory("below")
    try scratch.directory.setMode(of: "below", to: FileMode(rawValue: 0o1777))
    try scratch.write("old and longer", to: "below/out", mode: .newFile)
    try writesOver(scratch, "new")
  }

  @Test(
    "A replaced file keeps its owner and its group",
    .enabled(if: Machine.isRoot, "Only root may give a file to others."))
  func owners() throws {
    let scratch = try Scratch()
    try scratch.write("old", to: "out", mode: FileMode(rawValue: 0o640))
    chown(scratch.path("out"), Self.nobody, 60)
    let file = try AtomicFile("out", relativeTo: scratch.directory, mayWriteOver: true)
    try file.descriptor.writeAll(Array("new".utf8))
    try file.commit()
    let status = try scratch.directory.status(of: "out")
    #expect(status.userID == Self.nobody && status.groupID == 60 && status.mode == FileMode(rawValue: 0o640))
    #expect(try scratch.text("out") == "new")
  }

  @Test("A file that holds the same already gets the time that the new one would have")
  func timeOfTheSame() throws {
    let scratch = try Scratch()
    try scratch.write("same", to: "out")
    let before = try scratch.directory.status(of: "out")
    let file = try AtomicFile("out", relativeTo: scratch.directory, mayWriteOver: true)
    try file.descriptor.writeAll(Array("same".utf8))
    #expect(try file.commit(modified: WallTime(seconds: 5)) == .unchanged)
    let after = try scratch.directory.status(of: "out")
    #expect(after.isSameFile(as: before) && after.modified == WallTime(seconds: 5))
  }

  @Test("A descriptor's file is written where the descriptor is", arguments: ["/dev/fd/", "/proc/self/fd/"])
  func descriptors(directory: String) throws {
    let scratch = try Scratch()
    try scratch.write("old", to: "out")
    let own = try scratch.directory.open("out", [.readWrite])
    try own.seek(to: 3)
    // As a shell hands it on; another test may start a program meanwhile, which has it, too, and does nothing with it.
    let inherited = dup(own.rawValue)
    defer { close(inherited) }
    let path = try #require(Path("\(directory)\(inherited)"))
    #expect(AtomicFile.isDirect(path))
    let file = try AtomicFile(path)
    try file.descriptor.writeAll(Array(" new".utf8))
    #expect(try file.commit() == .written)
    #expect(try scratch.text("out") == "old new")
    // What this process has opened for itself is nobody's to write to.
    let unknown = try #require(Path("\(directory)\(own.rawValue)"))
    #expect(throws: Errno.badDescriptor) { _ = try AtomicFile(unknown) }
  }
}
