import CPlatform

/// A pipe, both ends of which are closed when this value is destroyed, and on exec.
struct Pipe: ~Copyable {
  let reading: OwnedDescriptor
  let writing: OwnedDescriptor

  /// The corresponding C function is `pipe2`.
  init() throws(Errno) {
    var ends: [Int32] = [-1, -1]
    _ = try checked(cplatform_pipe(&ends))
    reading = OwnedDescriptor(owning: ends[0])
    writing = OwnedDescriptor(owning: ends[1])
  }

  /// Returns the end to read from, which the caller must close, and closes the other one.
  consuming func readingEnd() -> Descriptor { Descriptor(rawValue: reading.released()) }

  /// Returns the end to write to, which the caller must close, and closes the other one.
  consuming func writingEnd() -> Descriptor { Descriptor(rawValue: writing.released()) }
}
