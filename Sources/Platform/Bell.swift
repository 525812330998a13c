import CPlatform

/// Wakes a thread that waits for something to read, and for what other threads have for it.
///
/// The corresponding C function is `eventfd`.
package final class Bell: Sendable {
  private let descriptor: OwnedDescriptor

  package init() throws(Errno) {
    descriptor = OwnedDescriptor(owning: try checked(cplatform_bell()))
  }

  /// Ends the wait that goes on, or the next one.
  package func ring() {
    try? withUnsafeBytes(of: UInt64(1)) { (one) throws(Errno) in try descriptor.writeAll(one) }
  }

  /// Waits until it is rung, or until there is something to read from `input`; no longer than that.
  package func wait(milliseconds: Int32, or input: Descriptor) {
    guard (try? descriptor.waitUntilReadable(milliseconds: milliseconds, or: input)) == true else { return }
    var count: UInt64 = 0
    _ = try? withUnsafeMutableBytes(of: &count) { (count) throws(Errno) in try descriptor.read(into: count) }
  }
}
