/// Appends numbers, little-endian, and bytes.
struct ByteWriter {
  private(set) var bytes: [UInt8] = []

  /// - Parameter count: of bytes that are going to come, roughly: an array that grows is copied each time.
  init(expecting count: Int = 0) {
    bytes.reserveCapacity(count)
  }

  mutating func append(_ number: some FixedWidthInteger) {
    withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
  }

  /// Appends what `write` does, behind its length in bytes; a length that does not fit is the greatest that does.
  mutating func appendCounted(_ write: (inout ByteWriter) -> Void) {
    let start = bytes.count
    append(UInt32(0))
    write(&self)
    let length = UInt32(clamping: bytes.count - start - MemoryLayout<UInt32>.size)
    bytes.withUnsafeMutableBytes { $0.storeBytes(of: length.littleEndian, toByteOffset: start, as: UInt32.self) }
  }

  mutating func append(_ more: some Sequence<UInt8>) {
    bytes.append(contentsOf: more)
  }
}

/// Takes numbers, little-endian, and bytes from the front; `nil` where there are too few.
struct ByteReader {
  private let bytes: ArraySlice<UInt8>
  private let start: Int
  private var position: Int

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    start = bytes.startIndex
    position = start
  }

  var rest: ArraySlice<UInt8> { bytes[position...] }

  var isAtEnd: Bool { position == bytes.endIndex }

  mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
    guard count >= 0, count <= bytes.endIndex - position else { return nil }
    defer { position += count }
    return bytes[position..<position + count]
  }

  mutating func number<Number: FixedWidthInteger & UnsignedInteger>(_: Number.Type = Number.self) -> Number? {
    let size = MemoryLayout<Number>.size
    guard size <= bytes.endIndex - position else { return nil }
    defer { position += size }
    return bytes.withUnsafeBytes { bytes in
      Number(littleEndian: bytes.loadUnaligned(fromByteOffset: position - start, as: Number.self))
    }
  }
}
