import CacheStore
import HTTPCaching
import Platform
import Synchronization
import TestSupport
import Testing

/// The time limit of making room when other processes want the processors, too.
@Suite struct BusyMachineTests {
  @Test(arguments: [true, false])
  func `time that a busy machine spends on others does not count as time for making room`(_ isBusy: Bool) throws {
    let fixture = try StoreFixture(limits: StoreLimits(capacity: 1_000_000))
    for number in 0..<100 { try fixture.insert([UInt8](repeating: 1, count: 9_000), StoreFixture.stored("/\(number)")) }
    let filled = try fixture.store.statistics().bytes
    // By each look at the clock, more time has passed than making room may take.
    let passed = Mutex<UInt64>(0)
    let clock = Clock(
      wallTime: fixture.store.clock.wallTime,
      monotonic: {
        passed.withLock {
          $0 += 50_000_000
          return $0
        }
      },
      processorWait: { isBusy ? passed.withLock { $0 } : 0 }, pause: { _ in })
    let limits = StoreLimits(capacity: filled * 100 / 108, largestContent: 500_000)
    let store = Store(root: fixture.store.root, clock: clock, limits: limits)
    var writer = try store.beginInsertion()
    try writer.append([UInt8](repeating: 2, count: 300_000))
    var isStored = true
    do { _ = try writer.commit(StoreFixture.stored("/large")) } catch StoreError.full { isStored = false }
    #expect(isStored == isBusy)
    #expect(try fixture.store.statistics().bytes <= limits.capacity * 110 / 100)
  }
}
