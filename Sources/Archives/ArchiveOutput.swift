package import ContentCoding
package import Platform

/// The output of an archive: plain, or compressed in gzip members, each of which can be read by itself.
package final class ArchiveOutput {
  package typealias Sink = (UnsafeRawBufferPointer) throws(Errno) -> Void

  /// Collects the small pieces that fields are written in, so that there are few calls of the sink.
  private static let bufferBytes = 64 << 10

  private let sink: Sink
  private let gzip: GzipEncoder?
  private var pending: [UInt8] = []

  package init(compressed: Bool, writing sink: @escaping Sink) throws(ContentCodingError) {
    self.sink = sink
    gzip = compressed ? try GzipEncoder() : nil
    pending.reserveCapacity(Self.bufferBytes)
  }

  package func write(_ bytes: UnsafeRawBufferPointer) throws(Errno) {
    guard let gzip else { return try collect(bytes) }
    try gzip.encode(bytes) { (bytes) throws(Errno) in try collect(bytes) }
  }

  package func write(_ bytes: [UInt8]) throws(Errno) {
    try bytes.span.bytes.withUnsafeBytes { (bytes) throws(Errno) in try write(bytes) }
  }

  /// Ends the gzip member if the output is compressed.
  package func endMember() throws(Errno) {
    try gzip?.endMember { (bytes) throws(Errno) in try collect(bytes) }
  }

  /// Writes what has been collected.
  package func flush() throws(Errno) {
    guard !pending.isEmpty else { return }
    let collected = pending
    try collected.span.bytes.withUnsafeBytes { (bytes) throws(Errno) in try sink(bytes) }
    pending.removeAll(keepingCapacity: true)
  }

  private func collect(_ bytes: UnsafeRawBufferPointer) throws(Errno) {
    if pending.count + bytes.count > Self.bufferBytes { try flush() }
    if bytes.count > Self.bufferBytes { return try sink(bytes) }
    pending.append(contentsOf: bytes)
  }
}
