import CacheStore
import HTTPCaching
import HTTPSemantics
import Platform
import TestSupport
import Testing

@testable import Client

/// Which runs the run that asks the origin keeps waiting, and for how long.
@Suite struct ForwardingTurnTests {
  private let clock = ManualClock()
  private let directory: TemporaryDirectory
  private let key: CacheKey

  init() throws {
    directory = try TemporaryDirectory("turn")
    key = CacheKey(TargetURI(origin: .init(scheme: .https, host: "example.org", port: 443), pathAndQuery: "/"))
  }

  /// The store, as another process would open it.
  private func store() throws -> Store {
    let clock = clock
    let shown = Clock(
      wallTime: { WallTime(seconds: clock.seconds) }, monotonic: { clock.monotonicNanoseconds }, pause: { _ in })
    return Store(root: try #require(Path(directory.path("cache"))), clock: shown, limits: StoreLimits())
  }

  /// What a waiting run finds after the run that it waits for has done `work`.
  private func finding(
    _ limits: ForwardingTurn.HoldUpLimits? = .first, after work: (ForwardingTurn) -> Void
  ) throws -> ProcessWait.Finding {
    let (store, elsewhere) = (try store(), try store())
    guard case .lead(let lead) = store.turn(at: key, of: .none) else { throw Errno.accessDenied }
    let turn = ForwardingTurn(lead, store.clock, holdUpLimits: limits)
    turn.noteProgress()
    guard case .wait(var wait) = elsewhere.turn(at: key, of: .none) else { throw Errno.accessDenied }
    work(turn)
    return wait.look()
  }

  /// The seconds that each piece of an answer takes to arrive, and then to be handed on, and the number of pieces.
  static let holds: [(coming: UInt32, reading: UInt32, pieces: Int, finding: ProcessWait.Finding)] = [
    (0, 1, 5, .progress), (0, 1, 6, .vacant), (0, 5, 2, .vacant),
    (1, 2, 10, .vacant), (2, 1, 20, .progress), (9, 0, 20, .progress),
  ]

  @Test(arguments: holds)
  func `a run stops waiting for another run whose reader holds it up`(
    coming: UInt32, reading: UInt32, pieces: Int, finding: ProcessWait.Finding
  ) throws {
    let found = try self.finding { turn in
      turn.noteHead(under: nil, tellingLength: true)
      for _ in 0..<pieces {
        clock.advance(bySeconds: coming)
        turn.noteContent(1)
        turn.handOn { clock.advance(bySeconds: reading) }
      }
    }
    #expect(found == finding)
  }

  /// The allowed and the actual rate, in bytes per second, and the duration of the transfer in seconds.
  static let rates: [(limit: Int64?, rate: Int, seconds: Int, finding: ProcessWait.Finding)] = [
    (1_000, 1_000, 1, .progress), (1_000, 1_000, 2, .vacant), (1_000, 800, 2, .vacant), (1_000, 799, 9, .progress),
    (nil, 1_000, 9, .progress), (.max, 1_000, 9, .progress),
  ]

  @Test(arguments: rates)
  func `a run stops waiting for another run whose rate limit holds it up`(
    limit: Int64?, rate: Int, seconds: Int, finding: ProcessWait.Finding
  ) throws {
    func receive(_ turn: ForwardingTurn) {
      turn.noteHead(under: limit, tellingLength: true)
      for _ in 0..<seconds {
        clock.advance(bySeconds: 1)
        turn.noteContent(rate)
      }
    }
    #expect(try self.finding(after: receive) == finding)
    #expect(try self.finding(nil, after: receive) == .progress)
    #expect(try self.finding(.next, after: receive) == .progress)
    let late = try self.finding(.next) { turn in
      turn.noteHead(under: limit, tellingLength: true)
      clock.advance(bySeconds: 30)
      turn.noteContent(30 * rate)
    }
    #expect((late == .vacant) == (limit.map { Int64(rate) >= $0 / 10 * 8 } ?? false))
  }

  /// Whether the head of the answer tells its length, and the seconds that the answer has been coming for.
  static let arrivals: [(tellsLength: Bool, seconds: UInt32, finding: ProcessWait.Finding)] = [
    (false, 29, .progress), (false, 30, .vacant), (true, 3_600, .progress),
  ]

  @Test(arguments: arrivals)
  func `a run stops waiting for another run whose answer has no end in sight`(
    tellsLength: Bool, seconds: UInt32, finding: ProcessWait.Finding
  ) throws {
    func receive(_ turn: ForwardingTurn) {
      turn.noteHead(under: nil, tellingLength: tellsLength)
      clock.advance(bySeconds: seconds)
      turn.noteContent(1)
    }
    #expect(try self.finding(after: receive) == finding)
    #expect(try self.finding(.next, after: receive) == finding)
    #expect(try self.finding(nil, after: receive) == .progress)
  }

  @Test func `a run that waits for a successor is released when the run before it has stored a response`() throws {
    for isStored in [true, false] {
      let (store, next, last) = (try store(), try self.store(), try self.store())
      guard case .lead(let lead) = store.turn(at: key, of: .none) else { throw Errno.accessDenied }
      let turn = ForwardingTurn(lead, store.clock, holdUpLimits: .first)
      turn.noteProgress()
      turn.noteAnswer()
      turn.noteHead(under: 1, tellingLength: true)
      clock.advance(bySeconds: 9)
      turn.noteContent(9)
      guard case .lead(let successor) = next.turn(at: key, of: .none),
        case .wait(var wait) = last.turn(at: key, of: .none)
      else { throw Errno.accessDenied }
      #expect(wait.look() == .nothing)
      if !isStored { turn.noteNoAnswer() }
      turn.end()
      #expect(wait.look() == (isStored ? .released : .nothing))
      successor.handOver()
    }
  }
}
