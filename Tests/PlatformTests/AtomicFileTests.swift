import Glibc
import Platform
import TestSupport
import Testing

@Suite("AtomicFile")
struct AtomicFileTests {
  @Test("A file is invisible before it is committed, and leaves nothing if it is discarded")
  func lettingGo() throws {
    let scratch = try Scratch()
    do {
      let file = try AtomicFile("out", relativeTo: scratch.directory)
      try file.descriptor.writeAll(Array("half".utf8))
      #expect(!(try scratch.names().contains("out")))
    }
    #expect(try scratch.names() == [])
  }

  @Test("A discarded file leaves the existing file as it was")
  func lettingGoKeepsOld() throws {
    let scratch = try Scratch()
    try scratch.write("old", to: "out")
    do {
      let file = try AtomicFile("out", relativeTo: scratch.directory)
      try file.descriptor.writeAll(Array("half".utf8))
    }
    #expect(try scratch.text("out") == "old")
    #expect(try scratch.names() == ["out"])
  }

  @Test("A committed file is complete, and leaves no other file", arguments: [true, false])
  func commit(replacing: Bool) throws {
    let scratch = try Scratch()
    if replacing { try scratch.write("old and longer", to: "out") }
    let file = try AtomicFile("out", relativeTo: scratch.directory)
    #expect((file.replaced != nil) == replacing)
    try file.descriptor.writeAll(Array("new".utf8))
    try file.commit()
    #expect(try scratch.text("out") == "new")
    #expect(try scratch.names() == ["out"])
  }

  @Test("A file that someone else made meanwhile is replaced")
  func overtaken() throws {
    let scratch = try Scratch()
    let file = try AtomicFile("out", relativeTo: scratch.directory)
    try file.descriptor.writeAll(Array("mine".utf8))
    try scratch.write("theirs", to: "out")
    try file.commit()
    #expect(try scratch.text("out") == "mine")
    #expect(try scratch.names() == ["out"])
  }

  @Test("A replaced file keeps its permissions", arguments: [0o600, 0o640, 0o755, 0o666])
  func keepsMode(mode: UInt32) throws {
    let scratch = try Scratch()
    try scratch.write("old", to: "out", mode: FileMode(rawValue: mode))
    let file = try AtomicFile("out", relativeTo: scratch.directory)
    try file.commit()
    #expect(try scratch.directory.status(of: "out").mode == FileMode(rawValue: mode))
  }

  @Test("A new file has the permissions of any new file")
  func newMode() throws {
    let scratch = try Scratch()
    try scratch.write("", to: "plain")
    let plain = try scratch.directory.open("made", [.writeOnly, .create, .exclusive])
    let file = try AtomicFile("out", relativeTo: scratch.directory)
    try file.commit()
    #expect(try scratch.directory.status(of: "out").mode == plain.status().mode)
  }

  @Test(
    "A symbolic link is followed to its target, whether that exists or not", arguments: [true, false])
  func symbolicLink(present: Bool) throws {
    let scratch = try Scratch()
    try scratch.directory.createDirectory("below", mode: .privateDirectory)
    if present { try scratch.write("old", to: "below/real") }
    #expect(symlink("below/real", scratch.path("link")) == 0)
    let file = try AtomicFile("link", relativeTo: scratch.directory)
    try file.descriptor.writeAll(Array("new".utf8))
    try file.commit()
    #expect(try scratch.text("below/real") == "new")
    #expect(try scratch.directory.status(of: "link", followingLinks: false).kind == .symbolicLink)
    #expect(try scratch.names() == ["below", "link"])
  }

  @Test("Symbolic links in a circle are an error")
  func circle() throws {
    let scratch = try Scratch()
    #expect(symlink("two", scratch.path("one")) == 0)
    #expect(symlink("one", scratch.path("two")) == 0)
    #expect(throws: Errno.tooManyLinks) { _ = try AtomicFile("one", relativeTo: scratch.directory) }
  }

  @Test("A directory as the target is an error", arguments: ["below", "below/", "/"] as [Path])
  func directory(path: Path) throws {
    let scratch = try Scratch()
    try scratch.directory.createDirectory("below", mode: .privateDirectory)
    #expect(throws: Errno.isDirectory) { _ = try AtomicFile(path, relativeTo: scratch.directory) }
  }

  @Test("A device is written directly, and stays a device")
  func device() throws {
    let scratch = try Scratch()
    let file = try AtomicFile("/dev/null", relativeTo: scratch.directory)
    #expect(file.isAtomic == false)
    try file.descriptor.writeAll(Array("gone".utf8))
    try file.commit()
    #expect(try scratch.directory.status(of: "/dev/null").kind == .characterDevice)
  }

  @Test("A FIFO is written directly, and stays a FIFO")
  func fifo() throws {
    let scratch = try Scratch()
    #expect(mkfifo(scratch.path("fifo"), 0o600) == 0)
    let reader = try scratch.directory.open("fifo", [.readOnly, .nonBlocking])
    let file = try AtomicFile("fifo", relativeTo: scratch.directory)
    try file.descriptor.writeAll(Array("through".utf8))
    try file.commit()
    #expect(try reader.readBytes(limit: 100) == Array("through".utf8))
    #expect(try scratch.directory.status(of: "fifo").kind == .fifo)
  }

  @Test("A FIFO is told from other files, also behind a link, and from a pipe with the name of a descriptor")
  func isFIFO() throws {
    let scratch = try Scratch()
    try scratch.write("text", to: "file")
    #expect(mkfifo(scratch.path("fifo"), 0o600) == 0 && symlink("fifo", scratch.path("link")) == 0)
    for (name, isFIFO) in [("fifo", true), ("link", true), ("file", false), ("absent", false)] {
      let path = try #require(Path(scratch.path(name)))
      #expect(OutputPath.isFIFO(path) == isFIFO, "\(name)")
    }
    let pipe = try Pipe()
    defer { for end in [pipe.reading, pipe.writing] { close(end) } }
    for name in ["/dev/fd/\(pipe.reading)", "/proc/self/fd/\(pipe.reading)"] {
      let path = try #require(Path(name))
      #expect(!OutputPath.isFIFO(path), "\(name)")
    }
  }

  @Test(
    "A FIFO counts as an existing file if nothing may be replaced", arguments: [AtomicFile.Collision.refuse, .number])
  func fifoInTheWay(_ collision: AtomicFile.Collision) throws {
    let scratch = try Scratch()
    #expect(mkfifo(scratch.path("fifo"), 0o600) == 0)
    if collision == .refuse {
      #expect(throws: Errno.fileExists) {
        _ = try AtomicFile("fifo", relativeTo: scratch.directory, collision: .refuse)
      }
    } else {
      let file = try AtomicFile("fifo", relativeTo: scratch.directory, collision: .number)
      try file.descriptor.writeAll(Array("beside".utf8))
      #expect(try file.commit() == .published(as: "fifo.1"))
    }
    #expect(try scratch.directory.status(of: "fifo").kind == .fifo)
  }

  @Test("A file that already has the same content is not touched")
  func same() throws {
    let scratch = try Scratch()
    try scratch.write("same", to: "out")
    let before = try scratch.directory.status(of: "out")
    for text in ["same", "some", "more than some"] {
      let file = try AtomicFile("out", relativeTo: scratch.directory)
      try file.descriptor.writeAll(Array(text.utf8))
      let isSame = text == "same"
      #expect(try file.commit() == (isSame ? .unchanged : .published(as: "out")))
      #expect(try scratch.text("out") == text && scratch.names() == ["out"])
      if isSame { #expect(try scratch.directory.status(of: "out") == before) }
    }
  }

  @Test("A file that may not replace another gets a number, or is refused")
  func collisions() throws {
    let scratch = try Scratch()
    for name: Path in ["out", "out.1", "out.2"] {
      let file = try AtomicFile("out", relativeTo: scratch.directory, collision: .number)
      try file.descriptor.writeAll(Array("text".utf8))
      #expect(try file.commit() == .published(as: name))
    }
    #expect(throws: Errno.fileExists) {
      let refused = try AtomicFile("out", relativeTo: scratch.directory, collision: .refuse)
      try refused.descriptor.writeAll(Array("other".utf8))
      try refused.commit()
    }
    let same = try AtomicFile("out", relativeTo: scratch.directory, collision: .refuse)
    try same.descriptor.writeAll(Array("text".utf8))
    #expect(try same.commit() == .unchanged)
    #expect(try scratch.names().sorted() == ["out", "out.1", "out.2"] && scratch.text("out") == "text")
  }

  @Test("A symbolic link counts as an existing file if nothing may be replaced, whatever its target")
  func linkThatIsTaken() throws {
    let scratch = try Scratch()
    #expect(symlink("elsewhere", scratch.path("out")) == 0)
    let file = try AtomicFile("out", relativeTo: scratch.directory, collision: .number)
    #expect(try file.commit() == .published(as: "out.1"))
    #expect(try scratch.names().sorted() == ["out", "out.1"])
  }

  @Test("Missing directories of a path are created")
  func directories() throws {
    let scratch = try Scratch()
    try scratch.directory.createDirectories("a/b/c", mode: .groupReadableDirectory)
    try scratch.directory.createDirectories("a/b/c", mode: .privateDirectory)
    #expect(try scratch.directory.status(of: "a/b").kind == .directory)
    try scratch.write("", to: "a/file")
    #expect(throws: Errno.notDirectory) { try scratch.directory.createDirectories("a/file", mode: .privateDirectory) }
    #expect(throws: Errno.notDirectory) { try scratch.directory.createDirectories("a/file/b", mode: .privateDirectory) }
  }
}
