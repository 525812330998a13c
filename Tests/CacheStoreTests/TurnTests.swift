import CacheStore
import Foundation
import HTTPCaching
import Platform
import TestSupport
import Testing

@Suite("Taking turns at a key")
struct TurnTests {
  private func lead(_ fixture: borrowing StoreFixture, _ path: String = "/") throws -> ProcessLead {
    guard case .lead(let lead) = fixture.store.turn(at: StoreFixture.key(path), of: .none) else { throw NotOurs() }
    return lead
  }

  private func wait(_ fixture: borrowing StoreFixture, _ path: String = "/") throws -> ProcessWait {
    guard case .wait(let wait) = fixture.store.turn(at: StoreFixture.key(path), of: .none) else { throw NotOurs() }
    return wait
  }

  private struct NotOurs: Error {}

  private func end(_ lead: consuming ProcessLead) {}

  @Test("The first run has the turn, even before there is a store, and the second waits")
  func two() throws {
    let fixture = try StoreFixture()
    var lead = try lead(fixture)
    var wait = try wait(fixture)
    #expect(wait.look() == .nothing)
    try lead.report(isEndKnown: false)
    #expect(wait.look() == .progress)
    #expect(wait.look() == .nothing)
    try lead.report(isEndKnown: false)
    #expect(wait.look() == .progress)
    end(lead)
    #expect(wait.look() == .released)
  }

  @Test("A waiting run learns whether it is known where the answer ends")
  func knownEnd() throws {
    let fixture = try StoreFixture()
    var lead = try lead(fixture)
    var wait = try wait(fixture)
    for isKnown in [false, true, true, false] {
      try lead.report(isEndKnown: isKnown)
      #expect(wait.look() == .progress && wait.isEndKnown == isKnown)
    }
    end(lead)
    #expect(wait.look() == .released)
  }

  @Test("Each key has a turn of its own")
  func otherKey() throws {
    let fixture = try StoreFixture()
    let one = try lead(fixture, "/a")
    var wait = try wait(fixture, "/a")
    var other = try lead(fixture, "/b")
    try other.report(isEndKnown: false)
    end(other)
    #expect(wait.look() == .nothing)
    end(one)
    #expect(wait.look() == .vacant)
  }

  @Test("All waiting runs are released, even if another run has taken the turn meanwhile")
  func missedEnd() throws {
    let fixture = try StoreFixture()
    var first = try lead(fixture)
    try first.report(isEndKnown: false)
    var one = try wait(fixture)
    var other = try wait(fixture)
    end(first)
    var second = try lead(fixture)
    try second.report(isEndKnown: false)
    #expect(one.look() == .released && other.look() == .released)
    var late = try wait(fixture)
    #expect(late.look() == .nothing)
    end(second)
  }

  @Test("When a holder ends without a report, one of the waiting runs takes the turn and the others wait for it")
  func succession() throws {
    let fixture = try StoreFixture()
    let first = try lead(fixture)
    var one = try wait(fixture)
    var other = try wait(fixture)
    // A holder that has not reported ends like a process that is killed.
    end(first)
    #expect(one.look() == .vacant)
    var second = one.lead()
    #expect(other.look() == .nothing)
    try second.report(isEndKnown: false)
    #expect(other.look() == .progress)
    end(second)
    #expect(other.look() == .released)
  }

  @Test("A turn that is handed over passes to a waiting run, like the turn of a holder that was killed")
  func handedOver() throws {
    let fixture = try StoreFixture()
    var first = try lead(fixture)
    try first.report(isEndKnown: false)
    var one = try wait(fixture)
    var other = try wait(fixture)
    first.handOver()
    #expect(one.look() == .vacant)
    var second = one.lead()
    try second.report(isEndKnown: false)
    #expect(other.look() == .progress)
    end(second)
    #expect(other.look() == .released)
  }

  @Test("Numbers that a killed holder has left in the slot release no waiting run")
  func leftBehind() throws {
    let fixture = try StoreFixture()
    let number: [UInt8] = [7, 0, 0, 0, 3, 0, 0, 0]
    end(try lead(fixture))
    try Data((0..<65_536).flatMap { _ in number }).write(to: file(fixture))
    var lead = try lead(fixture)
    var wait = try wait(fixture)
    #expect(wait.look() == .nothing)
    try lead.report(isEndKnown: false)
    #expect(wait.look() == .progress)
    end(lead)
    #expect(wait.look() == .released)
  }

  @Test("Turns exclude the threads of a process from each other")
  func threads() throws {
    let fixture = try StoreFixture()
    let store = fixture.store
    let counter = LockedCounter()
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for _ in 0..<50 {
        guard case .lead(let lead) = store.turn(at: StoreFixture.key(), of: .none) else { continue }
        counter.enter()
        counter.leave()
        end(lead)
      }
    }
    #expect(counter.entered > 0 && counter.most == 1)
  }

  /// Counts the threads that are inside at the same time.
  private final class LockedCounter: @unchecked Sendable {
    private let lock = NSLock()
    private var inside = 0
    private(set) var entered = 0
    private(set) var most = 0

    func enter() {
      lock.withLock {
        inside += 1
        entered += 1
        most = max(most, inside)
      }
    }

    func leave() { lock.withLock { inside -= 1 } }
  }

  @Test("The lock file is private and stays small")
  func size() throws {
    let fixture = try StoreFixture()
    for number in 0..<300 {
      var lead = try lead(fixture, "/\(number)")
      try lead.report(isEndKnown: false)
    }
    #expect(try fixture.mode("v1/lock") == 0o600)
    let size = try #require(try file(fixture).resourceValues(forKeys: [.fileSizeKey]).fileSize)
    #expect(size > 0 && size <= 8 * 65_536)
  }

  @Test(
    "If something other than a file stands in place of the lock file, there are no turns, and it stays untouched",
    arguments: ["link", "dangling", "directory", "fifo"])
  func planted(kind: String) throws {
    let fixture = try StoreFixture()
    try fixture.insert("text")
    let target = fixture.base.appending(path: "target")
    switch kind {
    case "link":
      try Data("precious".utf8).write(to: target)
      try FileManager.default.createSymbolicLink(at: file(fixture), withDestinationURL: target)
    case "dangling": try FileManager.default.createSymbolicLink(at: file(fixture), withDestinationURL: target)
    case "directory":
      try FileManager.default.createDirectory(at: file(fixture), withIntermediateDirectories: false)
    default: #expect(mkfifo(file(fixture).path, 0o600) == 0)
    }
    guard case .unknown = fixture.store.turn(at: StoreFixture.key(), of: .none) else {
      Issue.record("a turn was given")
      return
    }
    #expect(fixture.outcome() == .text("text"))
    #expect((try? Data(contentsOf: target)) == (kind == "link" ? Data("precious".utf8) : nil))
  }

  @Test(
    "If the lock file may not be written, there are no turns",
    .enabled(if: !Machine.isRoot, "Root may write everything."))
  func readOnly() throws {
    let fixture = try StoreFixture()
    end(try lead(fixture))
    try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: file(fixture).path)
    guard case .unknown = fixture.store.turn(at: StoreFixture.key(), of: .none) else {
      Issue.record("a turn was given")
      return
    }
  }

  private func file(_ fixture: borrowing StoreFixture) -> URL { fixture.root.appending(path: "v1/lock") }
}
