import CPlatform
import Glibc

extension OwnedDescriptor {
  /// Creates a file in memory that has no name in any directory and is gone with its last descriptor. The corresponding
  /// C function is `memfd_create`.
  ///
  /// - Parameter name: shown to anyone who lists the process's descriptors.
  package init(memoryFile name: StaticString) throws(Errno) {
    self.init(owning: try checked(cplatform_memory_file(name.utf8Start)))
  }
}

extension OpenDescriptor where Self: ~Copyable {
  /// A path by which other processes of this user can open the same file, as long as this descriptor is open.
  package var sharedPath: Path { Path("/proc/\(getpid())/fd/\(rawValue)") ?? "/dev/null" }
}
