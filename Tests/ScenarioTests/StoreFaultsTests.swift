import CacheStore
import HTTPCaching
import Platform
import TestSupport
import Testing

@testable import Client

/// Which errors of the store end all storing, and which keep one response out.
@Suite struct StoreFaultsTests {
  static let errors: [(StoreError, NotStored, endsStoring: Bool)] = [
    (.tooLarge, .tooLarge, false), (.contentTooLong, .tooLarge, false), (.headTooLarge, .headTooLarge, false),
    (.full, .storeFull, false), (.variantsPinned, .variantsPinned, false), (.notItsExtent, .incomplete, false),
    (.contentChanged, .hookFailed, false), (.failed(.writingEntry, .noSpace), .storeUnavailable, true),
    (.failed(.creatingStore, .accessDenied), .storeUnavailable, true),
    (.unsafe(.symbolicLink), .storeUnavailable, true),
  ]

  @Test(arguments: errors)
  func `an error of a response keeps that response out, and an error of the store ends all storing`(
    _ error: StoreError, _ refusal: NotStored, _ endsStoring: Bool
  ) throws {
    let silent = Diagnostics(.standardError, verbosity: Diagnostics.Verbosity(isSilent: true, showsErrors: false))
    let condition = StoreCondition()
    StoreFaults(condition, silent, StorePlan(root: nil)).noteUnwritable(error)
    #expect(error.refusal == refusal)
    #expect(condition.isReadOnly == endsStoring)
  }
}
