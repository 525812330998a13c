import Foundation
import Platform

/// Reads a descriptor to its end on a thread of its own: those of the tests may all be busy writing.
final class Drain: @unchecked Sendable {
  private let isFinished = DispatchSemaphore(value: 0)
  private var received: Result<[UInt8], any Error> = .success([])

  init(_ number: Int32, limit: Int) {
    Thread.detachNewThread { [self] in
      let source = OwnedDescriptor(owning: number)
      received = Result { try source.readBytes(limit: limit) }
      isFinished.signal()
    }
  }

  func bytes() throws -> [UInt8] {
    isFinished.wait()
    return try received.get()
  }
}
