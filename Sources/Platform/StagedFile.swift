import Glibc

/// A file that has not got its name yet: it has no name if the file system supports that, else a temporary name that is
/// removed when this value is destroyed.
///
/// Visible to other modules, although none of them names it: code that destroys an `AtomicFile` there refers to the
/// metadata of this type, and the compiler emits none for a type that is internal to its module (docs/decisions/0038).
package struct StagedFile: ~Copyable {
  let file: OwnedDescriptor
  private let directory: OwnedDescriptor
  private let name: Path
  private var temporaryName: Path?
  /// Whether the file is in another directory, and so can never get that name.
  private let isElsewhere: Bool
  private let mayWriteOver: Bool

  /// - Parameters:
  ///   - name: the final name, in `directory`.
  ///   - mode: the permissions of the new file, before the umask applies.
  ///   - mayWriteOver: whether a file of that name exists that may be overwritten in place if it cannot be replaced.
  init(
    beside name: Path, in directory: consuming OwnedDescriptor, mode: FileMode, mayWriteOver: Bool
  ) throws(Errno) {
    self.name = name
    var isElsewhere = false
    if let unnamed = directory.openNameable(mode: mode) {
      file = unnamed
    } else {
      var opened: Int32 = -1
      do throws(Errno) {
        temporaryName = try Path.fresh { (temporary) throws(Errno) in
          opened = try directory.open(temporary, [.readWrite, .create, .exclusive, .noFollow], mode: mode).released()
        }
      } catch {
        guard mayWriteOver, Self.forbidsReplacing(error) else { throw error }
        opened = try Self.openElsewhere().released()
        isElsewhere = true
      }
      file = OwnedDescriptor(owning: opened)
    }
    self.directory = directory
    self.isElsewhere = isElsewhere
    self.mayWriteOver = mayWriteOver
  }

  private static func openElsewhere() throws(Errno) -> OwnedDescriptor {
    // /var/tmp is for large files: /tmp is memory on many machines.
    if let file = try? Descriptor.workingDirectory.openUnnamed(in: "/var/tmp") { return file }
    if let file = try? Descriptor.workingDirectory.openUnnamed(in: "/tmp") { return file }
    return try OwnedDescriptor(memoryFile: "staged")
  }

  /// Whether the error says that a file cannot be replaced, which does not keep it from being written to: its directory
  /// takes no new file, or is sticky and the file belongs to another user, or the file is a mount point.
  private static func forbidsReplacing(_ error: Errno) -> Bool {
    error == .accessDenied || error == .notPermitted || error == .readOnlyFileSystem || error == .busy
  }

  deinit {
    if let temporaryName { try? directory.unlink(temporaryName) }
  }

  /// Gives the file its name.
  ///
  /// - Parameters:
  ///   - collision: what to do if the name is taken.
  ///   - replacing: whether the name is known to be taken.
  ///   - modified: the modification time of the file; `nil` for that of the last write.
  ///   - makesRoom: called after an error; returns whether there may be room now.
  /// - Returns: the number behind the name; 0 for none.
  consuming func publish(
    on collision: AtomicFile.Collision, replacing: Bool, modified: WallTime?,
    makingRoom makesRoom: (Errno) -> Bool
  ) throws(Errno) -> Int {
    // Not every file system lets every user set the time; the content is what counts.
    if let modified { try? file.setModified(modified) }
    // A delayed write that failed is reported by close, and then nothing may be published. The first descriptor has to
    // stay open for the link.
    try file.duplicate().close()
    switch collision {
    case .replace: try replace(isThere: replacing, modified, makingRoom: makesRoom)
    case .refuse: try take(name)
    case .number: return try takeNumberedName()
    }
    return 0
  }

  private mutating func replace(
    isThere: Bool, _ modified: WallTime?, makingRoom makesRoom: (Errno) -> Bool
  ) throws(Errno) {
    if isElsewhere { return try writeOver(modified, makingRoom: makesRoom) }
    do throws(Errno) {
      try rename(isThere: isThere)
    } catch {
      guard isThere, mayWriteOver, Self.forbidsReplacing(error) else { throw error }
      try writeOver(modified, makingRoom: makesRoom)
    }
  }

  /// Copies the content into the file that has the name. Until that is done, readers see a mixture of old and new
  /// content.
  private func writeOver(_ modified: WallTime?, makingRoom makesRoom: (Errno) -> Bool) throws(Errno) {
    let target = try directory.open(name, [.writeOnly, .noFollow, .nonBlocking])
    let status = try target.status()
    guard status.kind == .regular, !OutputPath.isPlanted(status, at: name, in: directory) else { throw .accessDenied }
    // Allocating first keeps the old content whole if there is no room.
    let size = try file.status().size
    while true {
      do throws(Errno) {
        try target.allocate(size)
        break
      } catch {
        guard makesRoom(error) else { throw error }
      }
    }
    var length: Int64 = 0
    while true {
      let piece = try file.readBytes(limit: Self.bufferBytes, at: length)
      if piece.isEmpty { break }
      try target.writeAll(piece)
      length += Int64(piece.count)
    }
    try target.truncate(to: length)
    // Only the owner of the file may set its time.
    if let modified { try? target.setModified(modified) }
    try target.close()
  }

  private mutating func rename(isThere: Bool) throws(Errno) {
    guard try !linkedToFreeName(replacing: isThere) else { return }
    let source = if let temporaryName { temporaryName } else { try linkedToTemporaryName() }
    // Stored before the renaming, so that `deinit` removes the file if that fails.
    temporaryName = source
    try directory.rename(source, to: name, in: directory)
    temporaryName = nil
  }

  private mutating func take(_ name: Path) throws(Errno) {
    guard let temporaryName else { return try directory.link(unnamed: file, to: name) }
    try directory.rename(temporaryName, toFree: name, in: directory)
    self.temporaryName = nil
  }

  private mutating func takeNumberedName() throws(Errno) -> Int {
    var number = 0
    while true {
      do throws(Errno) {
        try take(number == 0 ? name : name.numbered(number))
        return number
      } catch {
        number += 1
        guard error == .fileExists, number <= AtomicFile.highestNumber else { throw error }
      }
    }
  }

  // MARK: What is there

  /// Copies the content of the file that has the name into this one.
  ///
  /// - Returns: its length in bytes.
  func copyReplaced() throws(Errno) -> UInt64 {
    let other = try directory.open(name, [.readOnly, .noFollow])
    var length: UInt64 = 0
    while true {
      let piece = try other.readBytes(limit: Self.bufferBytes)
      if piece.isEmpty { return length }
      try file.writeAll(piece)
      length += UInt64(piece.count)
    }
  }

  /// Whether the file that has the name holds exactly the bytes that have been written here.
  func isSame(as replaced: FileStatus) -> Bool {
    guard replaced.kind == .regular, let size = try? file.status().size, size == replaced.size,
      let other = try? directory.open(name, [.readOnly, .noFollow, .nonBlocking]),
      let status = try? other.status(), status.isSameFile(as: replaced), status.size == size
    else { return false }
    let window = UnsafeMutableRawBufferPointer.allocate(byteCount: 2 * Self.bufferBytes, alignment: 4_096)
    defer { window.deallocate() }
    let mine = UnsafeMutableRawBufferPointer(rebasing: window[..<Self.bufferBytes])
    let theirs = UnsafeMutableRawBufferPointer(rebasing: window[Self.bufferBytes...])
    var offset: Int64 = 0
    while offset < size {
      guard let count = try? file.readFully(into: mine, at: offset), count > 0,
        (try? other.readFully(into: theirs, at: offset)) == count,
        memcmp(mine.baseAddress.unsafelyUnwrapped, theirs.baseAddress.unsafelyUnwrapped, count) == 0
      else { return false }
      offset += Int64(count)
    }
    return true
  }

  /// Sets the modification time of the file that has the name, if the user may set it.
  func setModifiedOfReplaced(_ time: WallTime) {
    try? directory.open(name, [.readOnly, .noFollow, .nonBlocking]).setModified(time)
  }

  private func linkedToFreeName(replacing: Bool) throws(Errno) -> Bool {
    guard temporaryName == nil, !replacing else { return false }
    do throws(Errno) {
      try directory.link(unnamed: file, to: name)
      return true
    } catch {
      // Another process has created the file meanwhile: it is replaced like one that existed from the start.
      guard error == .fileExists else { throw error }
      return false
    }
  }

  private func linkedToTemporaryName() throws(Errno) -> Path {
    try Path.fresh { (temporary) throws(Errno) in try directory.link(unnamed: file, to: temporary) }
  }

  /// Two buffers of this size stay in the processor's second-level cache.
  private static let bufferBytes = 256 << 10
}
