import CPlatform
import Glibc

/// The file that this process runs.
package enum OwnExecutable {
  /// Returns the directory of that file. The corresponding C functions are `readlink` of /proc/self/exe and, if there
  /// is no /proc, `realpath` of `AT_EXECFN`.
  package static func directory() throws(Errno) -> Path {
    var failure: Errno?
    let bytes = withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
      do throws(Errno) {
        let count = Int(try checked(cplatform_own_executable(buffer.baseAddress)))
        return buffer.prefix(count).map(UInt8.init(bitPattern:))
      } catch {
        failure = error
        return []
      }
    }
    if let failure { throw failure }
    guard let path = Path(bytes) else { throw .noSuchFile }
    return path.parent
  }
}
