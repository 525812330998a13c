import HTTPSemantics
import Platform

/// Where content goes: a descriptor that is already open, or a file that appears whole or not at all.
///
/// Nothing is opened before the first byte, so that a fetch that fails leaves what was there.
final class BodySink {
  enum Target: Hashable {
    case standardOutput
    case file(Path)
    /// Read to its end and thrown away.
    case nowhere

    var isFile: Bool {
      if case .file = self { true } else { false }
    }
  }

  /// Holds what cannot be copied in an Optional that can be taken from.
  private struct Open: ~Copyable {
    var file: AtomicFile
  }

  let target: Target
  private let standardOutput: Descriptor
  private var open: Open?
  /// Bytes that have left, heads included.
  private(set) var written: UInt64 = 0

  init(_ target: Target, standardOutput: Descriptor) {
    self.target = target
    self.standardOutput = standardOutput
  }

  /// Where bytes may be written directly; `nil` where they go nowhere.
  func descriptor() throws(Failure) -> Descriptor? {
    switch target {
    case .standardOutput: return standardOutput
    case .nowhere: return nil
    case .file(let path):
      if open == nil {
        do throws(Errno) {
          open = Open(file: try AtomicFile(path))
        } catch {
          throw .output(path.description, error)
        }
      }
      return openDescriptor
    }
  }

  private var openDescriptor: Descriptor? {
    switch open {
    case .some(let open): open.file.descriptor
    case .none: nil
    }
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws(Failure) {
    guard let descriptor = try descriptor() else { return }
    do throws(Errno) {
      try descriptor.writeAll(bytes)
      written += UInt64(bytes.count)
    } catch {
      throw failure(error)
    }
  }

  func write(_ bytes: [UInt8]) throws(Failure) {
    try bytes.span.bytes.withUnsafeBytes { (buffer) throws(Failure) in try write(buffer) }
  }

  /// Counts bytes that something else has written to `descriptor()`.
  func count(_ bytes: UInt64) { written += bytes }

  /// Makes the file appear.
  func finish() throws(Failure) {
    // A response without content makes an empty file.
    _ = try descriptor()
    guard let finished = open.take() else { return }
    do throws(Errno) {
      try finished.file.commit()
    } catch {
      throw failure(error)
    }
  }

  func failure(_ error: Errno) -> Failure {
    switch target {
    case .file(let path): .output(path.description, error)
    case .standardOutput, .nowhere: .output(nil, error)
    }
  }
}
