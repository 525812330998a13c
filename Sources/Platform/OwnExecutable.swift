import Glibc

/// The file that this process runs.
package enum OwnExecutable {
  /// The directory in which it lies. The corresponding C function is `readlink` of /proc/self/exe.
  package static func directory() throws(Errno) -> Path {
    var failure: Errno?
    let bytes = withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
      guard let start = buffer.baseAddress else { return [UInt8]() }
      let count = Glibc.readlink("/proc/self/exe", start, buffer.count)
      if count < 0 { failure = .current }
      return buffer.prefix(max(count, 0)).map(UInt8.init(bitPattern:))
    }
    if let failure { throw failure }
    guard let path = Path(bytes) else { throw .noSuchFile }
    return path.parent
  }
}

extension Path {
  /// Whether this process may run the file. The corresponding C function is `access`.
  package var isExecutable: Bool { withCString { Glibc.access($0, X_OK) } == 0 }
}
