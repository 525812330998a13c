import CPlatform
import Glibc

/// An open file, directory or the like, which the kernel knows by a number. Its operations are in extensions.
package protocol OpenDescriptor: ~Copyable {
  var rawValue: Int32 { get }
}

/// A descriptor that other code closes: 0 to 2, or a borrowed one.
package struct Descriptor: OpenDescriptor, Equatable, Sendable {
  package let rawValue: Int32

  package init(rawValue: Int32) {
    self.rawValue = rawValue
  }

  package static let standardInput = Descriptor(rawValue: STDIN_FILENO)
  package static let standardOutput = Descriptor(rawValue: STDOUT_FILENO)
  package static let standardError = Descriptor(rawValue: STDERR_FILENO)

  /// The directory that relative paths start from. The corresponding C constant is `AT_FDCWD`.
  package static let workingDirectory = Descriptor(rawValue: AT_FDCWD)

  /// The number of descriptors that this process may have open. It is read once, because a run needs it several times
  /// for each URL. The corresponding C function is `getrlimit` with `RLIMIT_NOFILE`.
  package static let limit: UInt64 = {
    var limit = rlimit()
    return getrlimit(Int32(RLIMIT_NOFILE.rawValue), &limit) == 0 ? UInt64(limit.rlim_cur) : .max
  }()
}

/// A descriptor that is closed when this value is destroyed.
package struct OwnedDescriptor: ~Copyable, OpenDescriptor, Sendable {
  package let rawValue: Int32

  package init(owning rawValue: Int32) {
    self.rawValue = rawValue
  }

  deinit {
    _ = Glibc.close(rawValue)
  }

  /// Closes the descriptor, and reports an error that only closing reveals: a delayed write that failed.
  ///
  /// Does not retry when interrupted: Linux has released the number by then, and another thread may have it already.
  /// The corresponding C function is `close`.
  package consuming func close() throws(Errno) {
    let number = rawValue
    discard self
    guard Glibc.close(number) == 0 || Errno.current == .interrupted else { throw .current }
  }

  /// Lets the number outlive this value: the caller must close it.
  package consuming func released() -> Int32 {
    let number = rawValue
    discard self
    return number
  }
}

extension OpenDescriptor where Self: ~Copyable {
  /// The same descriptor, to be used only while this value lives.
  package var borrowed: Descriptor { Descriptor(rawValue: rawValue) }

  /// Another number (3 or above) for the same open file description, closed on exec.
  package func duplicate() throws(Errno) -> OwnedDescriptor {
    OwnedDescriptor(owning: try checked(cplatform_dup_cloexec(rawValue)))
  }

  /// Duplicates a descriptor that this process has inherited.
  ///
  /// - Throws: `.badDescriptor` for one that this process has opened for itself.
  func duplicateInherited() throws(Errno) -> OwnedDescriptor {
    OwnedDescriptor(owning: try checked(cplatform_dup_inherited(rawValue)))
  }

  // MARK: Reading

  /// Reads once, at most what fits; returns 0 at the end. The corresponding C function is `read`.
  package func read(into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
    try retryingOnInterrupt { Glibc.read(rawValue, buffer.baseAddress, buffer.count) }
  }

  /// As `read`, but waits for input if another user of the descriptor has made it non-blocking.
  package func readWaiting(into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
    while true {
      do throws(Errno) {
        return try read(into: buffer)
      } catch {
        guard error == .wouldBlock else { throw error }
        _ = try retryingOnInterrupt { cplatform_wait_readable(rawValue, -1, -1) }
      }
    }
  }

  /// Reads until `buffer` is full or the file ends.
  package func readFully(into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
    var count = 0
    while count < buffer.count {
      let read = try readWaiting(into: UnsafeMutableRawBufferPointer(rebasing: buffer[count...]))
      if read == 0 { break }
      count += read
    }
    return count
  }

  /// Reads from `offset` until `buffer` is full or the file ends. The corresponding C function is `pread`.
  package func readFully(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(Errno) -> Int {
    var count = 0
    while count < buffer.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
      let (position, overflow) = offset.addingReportingOverflow(Int64(count))
      guard !overflow else { throw .invalidArgument }
      let read = try retryingOnInterrupt { Glibc.pread(rawValue, rest.baseAddress, rest.count, off_t(position)) }
      if read == 0 { break }
      count += read
    }
    return count
  }

  /// Reads the next `limit` bytes, fewer if the file ends before.
  package func readBytes(limit: Int) throws(Errno) -> [UInt8] {
    try bytes(limit: limit) { (buffer) throws(Errno) in try readFully(into: buffer) }
  }

  /// Reads at most `limit` bytes as soon as there are any; returns none at the end.
  package func readAvailableBytes(limit: Int) throws(Errno) -> [UInt8] {
    try bytes(limit: limit) { (buffer) throws(Errno) in try readWaiting(into: buffer) }
  }

  /// Reads the `limit` bytes from `offset`, fewer if the file ends before.
  package func readBytes(limit: Int, at offset: Int64) throws(Errno) -> [UInt8] {
    try bytes(limit: limit) { (buffer) throws(Errno) in try readFully(into: buffer, at: offset) }
  }

  private func bytes(
    limit: Int, _ read: (UnsafeMutableRawBufferPointer) throws(Errno) -> Int
  ) throws(Errno) -> [UInt8] {
    try [UInt8](capacity: limit) { (bytes) throws(Errno) in
      try bytes.withUnsafeMutableBufferPointer { (buffer, count) throws(Errno) in
        count = try read(UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[..<limit]))
      }
    }
  }

  /// Waits until there is something to read, or the end of the input. The corresponding C function is `poll`.
  ///
  /// - Parameter other: another descriptor, which also ends the wait when it can be read from.
  /// - Returns: `false` if this descriptor has nothing to read when the wait ends, or a signal interrupts the wait.
  package func waitUntilReadable(milliseconds: Int32, or other: Descriptor? = nil) throws(Errno) -> Bool {
    let result = cplatform_wait_readable(rawValue, other?.rawValue ?? -1, milliseconds)
    return try result == -EINTR ? false : checked(result) > 0
  }

  // MARK: Writing

  /// Writes everything, in as many calls as the kernel needs.
  ///
  /// - Throws: `.interrupted` if a signal asks the process to end while the call blocks; how much has been written by
  ///   then is not reported.
  package func writeAll(_ bytes: UnsafeRawBufferPointer) throws(Errno) {
    var written = 0
    try writeAll(bytes, progress: &written)
  }

  package func writeAll(_ bytes: [UInt8]) throws(Errno) {
    try bytes.span.bytes.withUnsafeBytes { (buffer) throws(Errno) in try writeAll(buffer) }
  }

  /// Writes everything, and adds the number of bytes written to `progress`, also when it throws.
  package func writeAll(_ bytes: UnsafeRawBufferPointer, progress: inout Int) throws(Errno) {
    var rest = bytes
    while !rest.isEmpty {
      let written = try waitingForRoom { Glibc.write(rawValue, rest.baseAddress, rest.count) }
      // POSIX lets a device take nothing without an error: going on would spin.
      guard written > 0 else { throw .inputOutput }
      progress += written
      rest = UnsafeRawBufferPointer(rebasing: rest[written...])
      // A call that a signal interrupts after a part has been written reports only that part, and the next one would
      // block.
      if !rest.isEmpty, Signals.pending != nil { throw .interrupted }
    }
  }

  /// Writes everything. After an error, it goes on with the rest if `makesRoom` returns that there may be room now.
  package func writeAll(
    _ bytes: UnsafeRawBufferPointer, makingRoom makesRoom: (Errno) -> Bool
  ) throws(Errno) {
    var written = 0
    while true {
      do throws(Errno) {
        return try writeAll(UnsafeRawBufferPointer(rebasing: bytes[written...]), progress: &written)
      } catch {
        guard makesRoom(error) else { throw error }
      }
    }
  }

  /// Repeats the call when there is room, because another user of the descriptor may have made it non-blocking.
  private func waitingForRoom<Count: FixedWidthInteger & SignedInteger>(
    _ call: () -> Count
  ) throws(Errno) -> Count {
    while true {
      do throws(Errno) {
        return try retryingOnInterrupt(call)
      } catch {
        guard error == .wouldBlock else { throw error }
        _ = try retryingOnInterrupt { cplatform_wait_writable(rawValue) }
      }
    }
  }

  /// Writes once and reports a short count as `.noSpace`: for one append that must not be mixed with another's.
  package func writeOnce(_ bytes: [UInt8]) throws(Errno) {
    let written = try bytes.span.bytes.withUnsafeBytes { (buffer) throws(Errno) in
      try retryingOnInterrupt { Glibc.write(rawValue, buffer.baseAddress, buffer.count) }
    }
    guard written == bytes.count else { throw .noSpace }
  }

  /// Writes everything from `offset` on. The corresponding C function is `pwrite`.
  package func writeAll(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(Errno) {
    var count = 0
    while count < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[count...])
      let (position, overflow) = offset.addingReportingOverflow(Int64(count))
      guard !overflow else { throw .invalidArgument }
      let written = try retryingOnInterrupt { Glibc.pwrite(rawValue, rest.baseAddress, rest.count, off_t(position)) }
      guard written > 0 else { throw .inputOutput }
      count += written
    }
  }

  package func writeAll(_ bytes: [UInt8], at offset: Int64) throws(Errno) {
    try bytes.span.bytes.withUnsafeBytes { (buffer) throws(Errno) in try writeAll(buffer, at: offset) }
  }

  // MARK: The position

  /// The position at which the next byte is read or written: after an append, the end of what was appended.
  ///
  /// The corresponding C function is `lseek`.
  package func position() throws(Errno) -> Int64 {
    try retryingOnInterrupt { Int64(Glibc.lseek(rawValue, 0, SEEK_CUR)) }
  }

  /// Sets where the next byte is read or written. The corresponding C function is `lseek`.
  package func seek(to offset: Int64) throws(Errno) {
    _ = try retryingOnInterrupt { Int64(Glibc.lseek(rawValue, off_t(offset), SEEK_SET)) }
  }

  // MARK: Moving bytes inside the kernel

  /// Moves at most `count` bytes of this file, from `offset` on, into a pipe without copying them. The corresponding C
  /// function is `splice`.
  ///
  /// - Returns: the number of bytes moved: 0 at the end of the file.
  /// - Throws: `.interrupted` if a signal asks the process to end, also when a part has been moved.
  package func splice(from offset: Int64, count: Int, into pipe: borrowing some OpenDescriptor & ~Copyable)
    throws(Errno) -> Int
  {
    let source = rawValue
    let moved = try pipe.waitingForRoom { () -> Int64 in
      var position = offset
      return cplatform_splice(source, &position, pipe.rawValue, count)
    }
    if moved < count, Signals.pending != nil { throw .interrupted }
    return Int(moved)
  }

  /// Asks for a pipe that holds `bytes`; the kernel may refuse if that exceeds the user's share.
  ///
  /// The corresponding C constant is `F_SETPIPE_SZ`.
  package func setPipeCapacity(bytes: Int32) throws(Errno) {
    _ = try checked(cplatform_set_pipe_size(rawValue, bytes))
  }

  // MARK: The file behind it

  /// The corresponding C function is `fsync`.
  package func synchronize() throws(Errno) {
    _ = try retryingOnInterrupt { fsync(rawValue) }
  }

  /// Writes the names in a directory to the disk, if its file system supports `fsync` for directories.
  package func synchronizeNames() throws(Errno) {
    do throws(Errno) {
      try synchronize()
    } catch {
      guard error == .invalidArgument || error == .notSupported else { throw error }
    }
  }

  /// Sets the time of the last modification to now. The corresponding C function is `futimens` with `UTIME_NOW`.
  package func touch() throws(Errno) {
    _ = try checked(cplatform_touch(rawValue))
  }

  /// Sets the times of the last access and modification, to the second. The corresponding C function is `futimens`.
  package func setModified(_ time: WallTime) throws(Errno) {
    _ = try checked(cplatform_set_modified(rawValue, time.seconds))
  }

  /// Sets the permissions, whatever the umask. The corresponding C function is `fchmod`.
  package func setMode(_ mode: FileMode) throws(Errno) {
    _ = try retryingOnInterrupt { fchmod(rawValue, mode.rawValue) }
  }

  /// Gives the file the owner and the group of another one, or the group alone, as far as the user may.
  ///
  /// The corresponding C function is `fchown`.
  func takeOwners(of other: FileStatus) {
    if fchown(rawValue, other.userID, other.groupID) != 0 { _ = fchown(rawValue, uid_t.max, other.groupID) }
  }

  /// The access control list; `nil` if the file has none in addition to its permissions.
  ///
  /// The corresponding C function is `fgetxattr`.
  func accessList() -> [UInt8]? {
    guard let count = try? checked(cplatform_get_access_list(rawValue, nil, 0)), count > 0 else { return nil }
    var list = [UInt8](repeating: 0, count: Int(count))
    let read = list.withUnsafeMutableBytes { cplatform_get_access_list(rawValue, $0.baseAddress, count) }
    return read == count ? list : []
  }

  /// Gives the file the permissions of another one, as far as its file system supports them. If it does not support
  /// them, the file gets no right that a new file would not get.
  ///
  /// The corresponding C functions are `fsetxattr` and `fchmod`.
  ///
  /// - Parameters:
  ///   - mode: the permissions of the other file; if it has a list, without the rights that are part of the list.
  ///   - list: the access control list of the other file.
  func takePermissions(_ mode: FileMode, _ list: [UInt8]?) {
    if let list {
      if list.withUnsafeBytes({ cplatform_set_access_list(rawValue, $0.baseAddress, Int64($0.count)) }) == 0 { return }
    } else {
      // A new file has inherited the default list of its directory.
      _ = cplatform_remove_access_list(rawValue)
    }
    try? setMode(mode)
  }

  /// Reserves disk space for `count` bytes, if the file system can. The size of the file grows only by writing. The
  /// corresponding C function is `fallocate`.
  ///
  /// - Throws: an error that means a lack of space, and no other.
  package func allocate(_ count: Int64) throws(Errno) {
    guard count > 0 else { return }
    do throws(Errno) {
      _ = try checked(cplatform_allocate(rawValue, count))
    } catch {
      if error.isSpaceShortage { throw error }
    }
  }

  /// The corresponding C function is `ftruncate`.
  package func truncate(to length: Int64) throws(Errno) {
    _ = try retryingOnInterrupt { ftruncate(rawValue, off_t(length)) }
  }
}
