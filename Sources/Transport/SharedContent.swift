import CTransport
import Platform

/// Memory through which the program passes large content: a ring of bytes, which `struct transport_ring` describes.
///
/// Destroying it wakes a program that waits for room in it.
final class SharedContent {
  private let memory: SharedMemory
  /// The number of bytes that the last frame pointed to. They are not needed once the next frame is asked for.
  private var lentCount = 0

  init() throws(Errno) {
    memory = try SharedMemory(count: Int(transport_ring_size), name: "content")
  }

  deinit {
    // A program that waits for room does not notice that the pipes close.
    if let ring { transport_ring_abandon(ring) }
  }

  /// The frame that tells the program where the memory is.
  var announcement: RequestFrame {
    RequestFrame(kind: transport_memory, stream: 0, content: (memory.path.bytes + [0])[...])
  }

  /// Returns the content that a frame points to. It is valid until `takeBack()`.
  ///
  /// - Returns: `nil` if the frame points to no place in the memory.
  func bytes(toldOfBy payload: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    guard payload.count == MemoryLayout<transport_place>.size else { return nil }
    let place = payload.loadUnaligned(as: transport_place.self)
    let start = Int(transport_ring_start) + Int(place.offset)
    let end = start + Int(place.count)
    guard end <= memory.bytes.count else { return nil }
    lentCount = Int(place.count)
    return UnsafeRawBufferPointer(rebasing: memory.bytes[start..<end])
  }

  /// Lets the program overwrite the content of the last frame.
  func takeBack() {
    guard lentCount > 0, let ring else { return }
    transport_ring_take(ring, UInt32(lentCount))
    lentCount = 0
  }

  private var ring: UnsafeMutablePointer<transport_ring>? {
    memory.bytes.baseAddress?.assumingMemoryBound(to: transport_ring.self)
  }
}
