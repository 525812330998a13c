import CacheStore
import HTTPCaching
import HTTPSemantics
import Platform
import TestSupport
import Testing

@testable import Client

/// Whom a run that asks keeps waiting, and how long.
@Suite struct LeadTests {
  private let clock = ManualClock()
  private let directory: TemporaryDirectory
  private let key: CacheKey

  init() throws {
    directory = try TemporaryDirectory("lead")
    key = CacheKey(TargetURI(origin: .init(scheme: .https, host: "example.org", port: 443), pathAndQuery: "/"))
  }

  /// As another process has it.
  private func store() throws -> Store {
    let clock = clock
    let shown = Clock(
      wallTime: { WallTime(seconds: clock.seconds) }, monotonic: { clock.monotonicNanoseconds }, pause: { _ in })
    return Store(root: try #require(Path(directory.path("cache"))), clock: shown, limits: StoreLimits())
  }

  /// What another run finds that has waited for one which has done `work`.
  private func finding(after work: (Lead) -> Void) throws -> KeyWait.Finding {
    let (store, elsewhere) = (try store(), try store())
    guard case .lead(let turn) = store.turn(at: key) else { throw Errno.accessDenied }
    let lead = Lead(turn, store.clock)
    lead.noteProgress()
    guard case .wait(var wait) = elsewhere.turn(at: key) else { throw Errno.accessDenied }
    work(lead)
    return wait.look()
  }

  /// How long each of some pieces of an answer takes to come, and then to be written, in seconds.
  static let holds: [(coming: UInt32, writing: UInt32, pieces: Int, finding: KeyWait.Finding)] = [
    (0, 1, 4, .nothing), (0, 1, 5, .vacant), (0, 5, 1, .vacant),
    (1, 1, 10, .vacant), (2, 1, 20, .nothing), (9, 0, 20, .nothing),
  ]

  @Test(arguments: holds)
  func `nobody waits for the reader of another run`(
    coming: UInt32, writing: UInt32, pieces: Int, finding: KeyWait.Finding
  ) throws {
    let found = try self.finding { lead in
      for _ in 0..<pieces {
        lead.handOn { clock.advance(bySeconds: writing) }
        clock.advance(bySeconds: coming)
      }
    }
    #expect(found == finding)
  }

  /// What may come in a second, and how much there is, in bytes.
  static let rates: [(rate: Int64, length: UInt64?, finding: KeyWait.Finding)] = [
    (1_000, 5_000, .nothing), (1_000, 5_001, .vacant), (1_000, nil, .vacant), (.max, .max, .nothing),
    (.max, nil, .vacant),
  ]

  @Test(arguments: rates)
  func `nor for the rate that its user allows`(rate: Int64, length: UInt64?, finding: KeyWait.Finding) throws {
    #expect(try self.finding { $0.noteLimit(rate, of: length) } == finding)
  }
}
