import Glibc
import HTTPCaching
import HTTPSemantics
import Platform
import TestSupport
import Testing

@testable import Client

/// Turns at keys that threads hold while their output waits for its turn to be printed.
@Suite struct HeldUpTurnTests {
  private let turns = KeyTurns()
  private let key = CacheKey(
    TargetURI(origin: .init(scheme: .https, host: "example.org", port: 443), pathAndQuery: "/"))
  private let now = Clock.system.timestamp

  private func thread(at place: Int?) -> ThreadTurns {
    let thread = ThreadTurns(turns, prepareToWait: {})
    thread.place = place
    return thread
  }

  private func wanted(from place: Int?) -> KeyTurns.Wanted {
    KeyTurns.Wanted(key, Fields(), selectedBy: .none, from: place)
  }

  private func isFree(to place: Int?) -> Bool {
    turns.waitUntilFree(wanted(from: place), atMostMilliseconds: 1)
  }

  @Test func `all threads wait for a turn's active holder, and only those that print later for a held-up one`() throws {
    let holder = thread(at: 5)
    let turn = try #require(holder.take(wanted(from: 5), at: now))
    #expect(!isFree(to: 4) && !isFree(to: 6) && !isFree(to: nil))
    holder.releaseEarlierPrinters()
    #expect(isFree(to: 4) && !isFree(to: 6))
    // The place is nil for a thread that does not print, or whose transfer has a time limit.
    #expect(isFree(to: nil))
    #expect(thread(at: 6).take(wanted(from: 6), at: now) == nil)
    _ = consume turn
    #expect(isFree(to: 6))
  }

  @Test func `a held-up thread still answers equal requests, unless another thread has taken its turn`() throws {
    for isTaken in [false, true] {
      let holder = thread(at: 5)
      let turn = try #require(holder.take(wanted(from: 5), at: now))
      holder.releaseEarlierPrinters()
      let taken = isTaken ? thread(at: 4).take(wanted(from: 4), at: now) : nil
      #expect((taken != nil) == isTaken)
      #expect(isFree(to: 6) == false)
      let answers = turns.answersUntilNow
      turn.hasAnswer = true
      _ = consume turn
      #expect(turns.answersUntilNow == (isTaken ? answers : answers + 1))
      #expect(isFree(to: 6) == !isTaken)
      _ = consume taken
    }
  }

  /// More than a spool holds in memory, so that it goes to a file. There are at most 128 of these files.
  private static let content = Array(repeating: UInt8(ascii: "c"), count: 70_000)

  /// A thread that prints early may want the response that a later thread has requested, while the later thread waits
  /// for the early one to print.
  @Test func `equal URLs at both ends of the command line do not wait for one another`() throws {
    // The first answer is late, and no other is printed before it. Until then the others come as far as they can.
    let scenario = try Scenario { request in
      if request.target == "/slow" { usleep(700_000) }
      return .fresh(content: Array(request.target.utf8) + Self.content)
    }
    let numbers = Array(1...150)
    let targets = ["/slow"] + (numbers + numbers.reversed()).map { "/\($0)" }
    let run = try scenario.run(["-s", "-Z"] + targets.map(scenario.url))
    #expect(run.status == 0)
    #expect(run.output == targets.flatMap { Array($0.utf8) + Self.content })
  }
}
