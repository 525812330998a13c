import CPlatform

/// Wakes a thread that waits for input, or for work from other threads.
///
/// The corresponding C function is `eventfd`.
package final class Bell: Sendable {
  private let descriptor: OwnedDescriptor

  package init() throws(Errno) {
    descriptor = OwnedDescriptor(owning: try checked(cplatform_bell()))
  }

  /// Ends the wait in progress, or the next one.
  package func ring() {
    try? withUnsafeBytes(of: UInt64(1)) { (one) throws(Errno) in try descriptor.writeAll(one) }
  }

  /// Waits until the bell rings, there is something to read from `input`, or the time is over.
  package func wait(milliseconds: Int32, or input: Descriptor) {
    guard (try? descriptor.waitUntilReadable(milliseconds: milliseconds, or: input)) == true else { return }
    var count: UInt64 = 0
    _ = try? withUnsafeMutableBytes(of: &count) { (count) throws(Errno) in try descriptor.read(into: count) }
  }
}
