import Glibc

/// Memory that another process of this user can map, too.
package struct SharedMemory: ~Copyable {
  package let bytes: UnsafeMutableRawBufferPointer
  private let file: OwnedDescriptor

  /// Creates `count` bytes of 0. The corresponding C functions are `memfd_create`, `ftruncate` and `mmap` with
  /// `MAP_SHARED`.
  package init(count: Int, name: StaticString) throws(Errno) {
    let file = try OwnedDescriptor(memoryFile: name)
    try file.truncate(to: Int64(count))
    let start = mmap(nil, count, PROT_READ | PROT_WRITE, MAP_SHARED, file.rawValue, 0)
    guard let start, start != UnsafeMutableRawPointer(bitPattern: -1) else { throw .current }
    bytes = UnsafeMutableRawBufferPointer(start: start, count: count)
    self.file = file
  }

  deinit { munmap(bytes.baseAddress, bytes.count) }

  /// The path by which the other process opens the memory.
  package var path: Path { file.sharedPath }
}
