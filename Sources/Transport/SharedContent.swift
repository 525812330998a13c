import CTransport
import Platform

/// Memory through which the program hands on large content, a ring of bytes; `struct transport_ring` says how.
///
/// Letting go of it tells a program that waits for room in it.
final class SharedContent {
  private let memory: SharedMemory
  /// Bytes that the last frame told of: they are of no more use when the next one is asked for.
  private var lentCount = 0

  init() throws(Errno) {
    memory = try SharedMemory(count: Int(transport_ring_size), name: "content")
  }

  deinit {
    // Waiting for room, it does not hear the pipes close.
    if let ring { transport_ring_abandon(ring) }
  }

  /// Tells the program where it is.
  var announcement: RequestFrame {
    RequestFrame(kind: transport_memory, stream: 0, content: (memory.path.bytes + [0])[...])
  }

  /// The content that a frame tells of, until `takeBack()`.
  ///
  /// - Returns: `nil` where there is no such place.
  func bytes(toldOfBy payload: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    guard payload.count == MemoryLayout<transport_place>.size else { return nil }
    let place = payload.loadUnaligned(as: transport_place.self)
    let start = Int(transport_ring_start) + Int(place.offset)
    let end = start + Int(place.count)
    guard end <= memory.bytes.count else { return nil }
    lentCount = Int(place.count)
    return UnsafeRawBufferPointer(rebasing: memory.bytes[start..<end])
  }

  /// Lets the program write again where the content of the last frame lay.
  func takeBack() {
    guard lentCount > 0, let ring else { return }
    transport_ring_take(ring, UInt32(lentCount))
    lentCount = 0
  }

  private var ring: UnsafeMutablePointer<transport_ring>? {
    memory.bytes.baseAddress?.assumingMemoryBound(to: transport_ring.self)
  }
}
