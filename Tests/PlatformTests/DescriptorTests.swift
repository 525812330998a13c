import Glibc
import Platform
import TestSupport
import Testing

@Suite("Descriptors")
struct DescriptorTests {
  @Test("Written bytes are read back, in sequence and at an offset")
  func roundTrip() throws {
    let scratch = try Scratch()
    let file = try scratch.directory.open("file", [.readWrite, .create, .exclusive])
    let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    try file.writeAll(bytes)
    #expect(try file.readBytes(limit: 200_000, at: 0) == bytes)
    #expect(try file.readBytes(limit: 1_000, at: 50_000) == Array(bytes[50_000..<51_000]))
    #expect(try file.readBytes(limit: 10, at: 100_000) == [])
    try file.writeAll([1, 2, 3], at: 10)
    #expect(try file.readBytes(limit: 5, at: 9) == [bytes[9], 1, 2, 3, bytes[13]])
    try file.truncate(to: 4)
    #expect(try file.status().size == 4)
  }

  @Test("A long write to a pipe continues after short counts until everything is written")
  func pipe() throws {
    let pipe = try Pipe()
    let bytes = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let received = Drain(pipe.reading)
    do {
      let sink = OwnedDescriptor(owning: pipe.writing)
      try sink.writeAll(bytes)
    }
    #expect(try received.bytes() == bytes)
  }

  @Test("Reading waits for data on a descriptor that someone has made non-blocking")
  func nonBlocking() throws {
    let pipe = try Pipe()
    defer { close(pipe.reading) }
    let source = Descriptor(rawValue: pipe.reading)
    #expect(fcntl(source.rawValue, F_SETFL, O_NONBLOCK) == 0)
    var buffer = [UInt8](repeating: 0, count: 4)
    #expect(throws: Errno.wouldBlock) {
      try buffer.withUnsafeMutableBytes { (bytes) throws(Errno) in try source.read(into: bytes) }
    }
    let writing = pipe.writing
    let writer = try Thread {
      let sink = OwnedDescriptor(owning: writing)
      try? sink.writeAll([1, 2])
      try? sink.writeAll([3])
    }
    #expect(try source.readBytes(limit: 4) == [1, 2, 3])
    #expect(try source.readAvailableBytes(limit: 4) == [])
    writer.join()
  }

  @Test(
    "A file without a name gets one if the name is free and the directory exists",
    .enabled(if: Scratch.hasUnnamedFiles, "Unnamed files are not available here."))
  func naming() throws {
    let scratch = try Scratch()
    let opened = scratch.directory.openNameable(mode: .privateFile)
    guard let file = opened else { throw Errno.noSuchFile }
    try file.writeAll([1, 2, 3])
    try scratch.directory.createDirectory("gone", mode: .privateDirectory)
    let gone = try Directory("gone", in: scratch.directory)
    removeTree(at: scratch.path("gone"))
    #expect(throws: Errno.noSuchFile) { try gone.link(unnamed: file, to: "name") }
    try scratch.directory.link(unnamed: file, to: "name")
    #expect(throws: Errno.fileExists) { try scratch.directory.link(unnamed: file, to: "name") }
    #expect(try scratch.directory.open("name", [.readOnly]).readBytes(limit: 10) == [1, 2, 3])
    #expect(try file.status().linkCount == 1)
  }

  @Test("splice moves a range of a file into a pipe and leaves the file's position alone")
  func splice() throws {
    let scratch = try Scratch()
    try scratch.write("0123456789", to: "file")
    let file = try scratch.directory.open("file", [.readOnly])
    let pipe = try Pipe()
    let source = OwnedDescriptor(owning: pipe.reading)
    let sink = OwnedDescriptor(owning: pipe.writing)
    try sink.setPipeCapacity(bytes: 65_536)
    #expect(try file.splice(from: 3, count: 4, into: sink) == 4)
    #expect(try source.readBytes(limit: 4) == Array("3456".utf8))
    #expect(try file.readBytes(limit: 2) == Array("01".utf8))
    #expect(try file.splice(from: 10, count: 4, into: sink) == 0)
  }

  @Test("Closing a descriptor that is not open is reported")
  func closeReports() throws {
    let file = OwnedDescriptor(owning: Int32.max)
    var failure: Errno?
    do throws(Errno) { try file.close() } catch { failure = error }
    #expect(failure == .badDescriptor)
  }

  @Test("Writing to a full device is reported with the reason")
  func fullDevice() throws {
    let full = try Descriptor.workingDirectory.open("/dev/full", [.writeOnly])
    #expect(throws: Errno.noSpace) { try full.writeAll([1]) }
    #expect(Errno.noSpace.description == "No space left on device")
    #expect(Errno(rawValue: 99_999).description == "error 99999")
  }

  @Test("Writing is retried as long as room may be made for it")
  func roomThatIsMade() throws {
    let full = try Descriptor.workingDirectory.open("/dev/full", [.writeOnly])
    var questions = 0
    #expect(throws: Errno.noSpace) {
      try [1].withUnsafeBytes { bytes in
        try full.writeAll(bytes) { error in
          questions += 1
          return error.isSpaceShortage && questions < 3
        }
      }
    }
    #expect(questions == 3)
  }

  @Test("Operations on names are relative to the directory, and a failure has its reason")
  func names() throws {
    let scratch = try Scratch()
    try scratch.directory.createDirectory("below", mode: .privateDirectory)
    try scratch.write("text", to: "below/one")
    let below = try Directory("below", in: scratch.directory, followingLinks: false)
    try below.link("one", to: "two", in: scratch.directory)
    #expect(try scratch.directory.status(of: "two").linkCount == 2)
    try scratch.directory.rename("two", to: "three", in: below)
    #expect(Set(try below.names()) == ["one", "three"])
    try below.unlink("one")
    try below.unlink("three")
    #expect(throws: Errno.noSuchFile) { try below.unlink("one") }
    #expect(try scratch.names() == ["below"])
  }

  @Test("A directory is not opened through a symbolic link if links are not followed")
  func noFollow() throws {
    let scratch = try Scratch()
    try scratch.directory.createDirectory("real", mode: .privateDirectory)
    #expect(symlink("real", scratch.path("link")) == 0)
    _ = try Directory("link", in: scratch.directory)
    #expect(throws: Errno.notDirectory) { _ = try Directory("link", in: scratch.directory, followingLinks: false) }
    #expect(try scratch.directory.linkTarget(of: "link") == "real")
  }

  @Test("A listing contains every name once, however many there are, and can be repeated")
  func listing() throws {
    let scratch = try Scratch()
    for number in 0..<2_000 { _ = try scratch.directory.open(Path("name-\(number)")!, [.writeOnly, .create]) }
    for _ in 0..<2 {
      let names = try scratch.directory.names()
      #expect(names.count == 2_000)
      #expect(Set(names) == Set((0..<2_000).map { Path("name-\($0)")! }))
    }
    var seen = 0
    try scratch.directory.forEachName { _, _ in
      seen += 1
      return seen < 5
    }
    #expect(seen == 5)
  }

  @Test("Touching a file sets its time to now")
  func touch() throws {
    let scratch = try Scratch()
    try scratch.write("", to: "file")
    let file = try scratch.directory.open("file", [.readWrite])
    var times = [timeval(), timeval()]
    #expect(futimes(file.rawValue, &times) == 0)
    #expect(try file.status().modified == WallTime(seconds: 0))
    try file.touch()
    #expect(try file.status().modified.seconds > 1_700_000_000)
  }

  @Test("The mode is set regardless of the umask", arguments: [0o600, 0o700, 0o777, 0o000] as [UInt32])
  func mode(bits: UInt32) throws {
    let scratch = try Scratch()
    let file = try scratch.directory.open("file", [.readWrite, .create])
    try file.setMode(FileMode(rawValue: bits))
    #expect(try file.status().mode == FileMode(rawValue: bits))
  }

  @Test("A lock excludes other open file descriptions until its last descriptor is closed")
  func locks() throws {
    let scratch = try Scratch()
    let one = try scratch.directory.open("lock", [.readWrite, .create])
    let other = try scratch.directory.open("lock", [.readWrite])
    let low = FileLock.Range(start: 0, length: 1)
    let high = FileLock.Range(start: 1, length: 1)
    do {
      let duplicate = try one.duplicate()
      #expect(try duplicate.tryLock(range: low))
      #expect(try !other.tryLock(range: low))
      #expect(try other.tryLock(range: high))
    }
    // `one` shares its open file description with the duplicate, so the lock is still held.
    #expect(try !other.tryLock(range: low))
    try one.unlock(range: low)
    #expect(try other.tryLock(range: low))
    let third = try scratch.directory.open("lock", [.readWrite])
    #expect(try !third.tryLock())
  }
}
