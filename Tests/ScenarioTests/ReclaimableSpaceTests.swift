import CacheStore
import HTTPCaching
import Platform
import TestSupport
import Testing

@testable import Client

/// Disk space of the cache that a run frees when the user's own output needs it.
@Suite struct ReclaimableSpaceTests {
  @Test func `a thread that finds the disk full tries again once for an insertion that has failed meanwhile`() throws {
    let directory = try TemporaryDirectory()
    let root = try #require(Path(directory.path))
    let diagnostics = Diagnostics(.standardError, verbosity: Diagnostics.Verbosity(isSilent: true, showsErrors: false))
    let faults = StoreFaults(StoreCondition(), diagnostics, StorePlan(root: root))
    let reclaimableSpace = ReclaimableSpace(Store(root: root, clock: .system, limits: StoreLimits()), faults)
    let place = try Descriptor.workingDirectory.status(of: root)
    let claim = reclaimableSpace.claim()
    #expect(!claim(.noSpace, place))
    reclaimableSpace.noteFreed()
    #expect(!claim(.accessDenied, place) && !claim(.noSpace, nil))
    #expect(claim(.noSpace, place))
    #expect(!claim(.noSpace, place))
  }
}
