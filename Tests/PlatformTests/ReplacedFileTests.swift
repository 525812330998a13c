import CTestSupport
import Glibc
import TestSupport
import Testing

@testable import Platform

/// Tests of the properties that survive replacing a file, and of writing over a file that cannot be replaced.
@Suite("Replacing a file")
struct ReplacedFileTests {
  /// A user without root's rights, whoever runs the tests.
  private static let nobody: UInt32 = 65_534

  /// Runs `body` as a user who is not root. On Linux the rights to files belong to the thread.
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
    "The user's own file is overwritten in place if its directory is not writable",
    arguments: ["new", "new, and longer"])
  func unwritableDirectory(text: String) throws {
    let scratch = try Scratch()
    try scratch.directory.createDirectory("below", mode: .privateDirectory)
    try scratch.write("old and longer", to: "below/out", mode: FileMode(rawValue: 0o644))
    if geteuid() == 0 { chown(scratch.path("below/out"), Self.nobody, Self.nobody) }
    try scratch.directory.setMode(of: "below", to: FileMode(rawValue: 0o555))
    defer { try? scratch.directory.setMode(of: "below", to: .privateDirectory) }
    try writesOver(scratch, text)
    // A file that does not exist cannot be made there.
    asNobody {
      #expect(throws: Errno.accessDenied) {
        _ = try AtomicFile("below/other", relativeTo: scratch.directory, mayWriteOver: true)
      }
    }
  }

  @Test(
    "A file of another user in a sticky directory is overwritten in place",
    .enabled(if: Machine.isRoot, "Only root can act as another user."))
  func stickyDirectory() throws {
    let scratch = try Scratch()
    try scratch.directory.createDirectory("below", mode: .privateDirectory)
    try scratch.directory.setMode(of: "below", to: FileMode(rawValue: 0o1777))
    try scratch.write("old and longer", to: "below/out", mode: .newFile)
    try writesOver(scratch, "new")
  }

  @Test(
    "A replaced file keeps its owner and its group",
    .enabled(if: Machine.isRoot, "Only root can give files away."))
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

  /// An access control list in the kernel's form, see acl(5): the version, then entries of a kind, rights and an ID.
  private static func accessList(group: UInt16, named: UInt16) -> [UInt8] {
    func entry(_ kind: UInt16, _ rights: UInt16, _ id: UInt32 = .max) -> [UInt8] {
      [UInt8(kind), 0, UInt8(rights), 0] + (0..<4).map { UInt8(truncatingIfNeeded: id >> (8 * $0)) }
    }
    return [2, 0, 0, 0] + entry(0x01, 6) + entry(0x02, named, nobody) + entry(0x04, group) + entry(0x10, 6)
      + entry(0x20, 0)
  }

  private static func set(_ list: [UInt8], of path: String, _ name: String = "access") -> Bool {
    testSupportSetAttribute(path, "system.posix_acl_\(name)", list, list.count) == 0
  }

  private static func accessList(of path: String) -> [UInt8]? {
    var list = [UInt8](repeating: 0, count: 1_024)
    let count = testSupportGetAttribute(path, "system.posix_acl_access", &list, list.count)
    return count < 0 ? nil : Array(list.prefix(Int(count)))
  }

  @Test("A replaced file keeps its access control list, and the rights that this gives to the group")
  func accessLists() throws {
    let scratch = try Scratch()
    try scratch.write("old", to: "out", mode: .privateFile)
    let list = Self.accessList(group: 0, named: 6)
    // Not every file system has access control lists.
    guard Self.set(list, of: scratch.path("out")) else { return }
    let before = try scratch.directory.status(of: "out")
    #expect(before.mode == FileMode(rawValue: 0o660))
    let file = try AtomicFile("out", relativeTo: scratch.directory)
    try file.descriptor.writeAll(Array("new".utf8))
    #expect(try file.commit() == .published(as: "out"))
    #expect(Self.accessList(of: scratch.path("out")) == list)
    #expect(try scratch.directory.status(of: "out").mode == before.mode)
  }

  @Test("A replaced file without an access control list gets none from its directory")
  func defaultAccessList() throws {
    let scratch = try Scratch()
    try scratch.write("old", to: "out", mode: FileMode(rawValue: 0o660))
    guard Self.set(Self.accessList(group: 6, named: 6), of: scratch.path("."), "default") else { return }
    let file = try AtomicFile("out", relativeTo: scratch.directory)
    try file.descriptor.writeAll(Array("new".utf8))
    try file.commit()
    #expect(Self.accessList(of: scratch.path("out")) == nil)
    #expect(try scratch.directory.status(of: "out").mode == FileMode(rawValue: 0o660))
  }

  @Test("Renaming claims the new name first where the file system cannot rename without replacing")
  func claim() throws {
    let scratch = try Scratch()
    try scratch.write("new", to: "temporary")
    try scratch.write("old", to: "taken")
    #expect(throws: Errno.fileExists) {
      try scratch.directory.rename("temporary", claiming: "taken", in: scratch.directory)
    }
    #expect(try scratch.text("taken") == "old")
    try scratch.directory.rename("temporary", claiming: "free", in: scratch.directory)
    #expect(try scratch.text("free") == "new")
    #expect(throws: Errno.noSuchFile) {
      try scratch.directory.rename("absent", claiming: "other", in: scratch.directory)
    }
    #expect(try scratch.names() == ["free", "taken"])
  }

  @Test("A file that already has the same content gets the time that the new file would have")
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

  @Test("A path of a descriptor is written at the descriptor's position", arguments: ["/dev/fd/", "/proc/self/fd/"])
  func descriptors(directory: String) throws {
    let scratch = try Scratch()
    try scratch.write("old", to: "out")
    let own = try scratch.directory.open("out", [.readWrite])
    try own.seek(to: 3)
    // A descriptor as a shell hands it on. A program that another test starts meanwhile inherits it, too, but does not
    // use it.
    let inherited = dup(own.rawValue)
    defer { close(inherited) }
    let path = try #require(Path("\(directory)\(inherited)"))
    #expect(OutputPath.isDirect(path))
    let file = try AtomicFile(path)
    try file.descriptor.writeAll(Array(" new".utf8))
    #expect(try file.commit() == .written)
    #expect(try scratch.text("out") == "old new")
    // A descriptor that this process has opened for itself must not be written to.
    let unknown = try #require(Path("\(directory)\(own.rawValue)"))
    #expect(throws: Errno.badDescriptor) { _ = try AtomicFile(unknown) }
  }
}
