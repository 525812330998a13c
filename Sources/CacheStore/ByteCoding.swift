/// An append-only buffer for little-endian numbers and bytes.
struct ByteWriter: ~Copyable {
  private var buffer: UnsafeMutableRawBufferPointer
  /// The number of bytes appended.
  private(set) var count = 0

  /// - Parameter count: a rough estimate of the bytes to come, because a buffer that grows is copied each time.
  init(expecting count: Int = 64) {
    buffer = .allocate(byteCount: max(count, 1), alignment: 8)
  }

  deinit { buffer.deallocate() }

  var bytes: [UInt8] { Array(buffer[..<count]) }

  /// Calls `body` with the appended bytes from offset `start` on.
  func withUnsafeBytes<Result, Failure: Error>(
    from start: Int = 0, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(UnsafeRawBufferPointer(rebasing: buffer[start..<count]))
  }

  mutating func append<Number: FixedWidthInteger>(_ number: Number) {
    let place = take(MemoryLayout<Number>.size)
    buffer.storeBytes(of: number.littleEndian, toByteOffset: place, as: Number.self)
  }

  /// Appends what `write` appends, preceded by its length in bytes. A length that does not fit is clamped to the
  /// greatest that does.
  mutating func appendCounted(_ write: (inout ByteWriter) -> Void) {
    let start = take(MemoryLayout<UInt32>.size)
    write(&self)
    let length = UInt32(clamping: count - start - MemoryLayout<UInt32>.size)
    buffer.storeBytes(of: length.littleEndian, toByteOffset: start, as: UInt32.self)
  }

  mutating func append(_ more: UnsafeRawBufferPointer) {
    let place = take(more.count)
    UnsafeMutableRawBufferPointer(rebasing: buffer[place...]).copyMemory(from: more)
  }

  mutating func append(_ more: [UInt8]) {
    more.withUnsafeBytes { append($0) }
  }

  mutating func append(_ text: String) {
    var text = text
    text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
  }

  mutating func appendZeros(_ count: Int) {
    for _ in 0..<count { append(UInt8(0)) }
  }

  /// - Returns: the offset at which the `size` bytes begin.
  private mutating func take(_ size: Int) -> Int {
    if size > buffer.count - count { grow(by: size) }
    defer { count += size }
    return count
  }

  private mutating func grow(by size: Int) {
    let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: buffer.count + max(size, buffer.count), alignment: 8)
    larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    buffer.deallocate()
    buffer = larger
  }
}

/// Takes little-endian numbers and bytes from the front of a buffer; `nil` if too few are left.
///
/// The memory belongs to the caller and must outlive the reader: heads are decoded in place.
struct ByteReader {
  typealias Bytes = UnsafeBufferPointer<UInt8>

  private let bytes: Bytes
  /// The offset of the next byte.
  private(set) var position = 0

  init(_ bytes: Bytes) { self.bytes = bytes }

  /// The number of all bytes, those already taken included.
  var count: Int { bytes.count }

  var rest: Bytes { Bytes(rebasing: bytes[position...]) }

  var isAtEnd: Bool { position == bytes.count }

  /// Returns the bytes between two positions.
  func bytes(from start: Int, to end: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(Bytes(rebasing: bytes[start..<end]))
  }

  mutating func take(_ count: Int) -> Bytes? {
    guard count >= 0, count <= bytes.count - position else { return nil }
    defer { position += count }
    return Bytes(rebasing: bytes[position..<position + count])
  }

  mutating func number<Number: FixedWidthInteger & UnsignedInteger>(_: Number.Type = Number.self) -> Number? {
    let size = MemoryLayout<Number>.size
    guard size <= bytes.count - position else { return nil }
    defer { position += size }
    return Number(littleEndian: UnsafeRawBufferPointer(bytes).loadUnaligned(fromByteOffset: position, as: Number.self))
  }
}

extension ArraySlice<UInt8> {
  /// Calls `body` with a reader of all bytes. The reader must not be used after `body` has returned.
  func read<Result, Failure: Error>(
    _ body: (inout ByteReader) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try span.withUnsafeBufferPointer { (bytes) throws(Failure) in
      var reader = ByteReader(bytes)
      return try body(&reader)
    }
  }
}
