import CacheStore
import HTTPCaching
import Platform
import TestSupport
import Testing

@testable import Client

/// The order in which transfers that print may begin.
@Suite struct OrderedOutputTests {
  private final class Order: Sendable {
    let begun = Monitor<[Int]>([])
    let waiting = Monitor(0)
  }

  @Test func `the first of the transfers that wait because they are too far ahead is begun first`() throws {
    let directory = try TemporaryDirectory("ordered")
    let path = try #require(Path(directory.path))
    let file = try Descriptor.workingDirectory.open("/dev/null", .writeOnly)
    let faults = StoreFaults(StoreCondition(), Diagnostics(file.borrowed), StorePlan(root: nil))
    let output = OrderedOutput(file.borrowed, directory: path, over: ReclaimableSpace(nil, faults), on: nil)
    var places: [PrintPlace] = []
    for number in 0..<OrderedOutput.maximumSpools {
      places.append(output.place(of: number, prepareToWait: {}, notePassing: {}))
    }
    let order = Order()
    let late = [1_900, 1_800, 1_700]
    for number in late {
      startThread {
        let place = output.place(
          of: number, prepareToWait: { order.waiting.withLock { $0 += 1 } }, notePassing: {})
        order.begun.withLock { $0.append(number) }
        output.end(number, count: 1, in: place) {}
      }
    }
    order.waiting.wait { $0 == late.count ? () : nil }
    #expect(order.begun.withLock { $0 } == [])
    for (number, place) in places.prefix(late.count).enumerated() {
      output.end(number, count: 1, in: place) {}
      order.begun.wait { $0.count == number + 1 ? () : nil }
    }
    #expect(order.begun.withLock { $0 } == late.reversed())
  }
}
