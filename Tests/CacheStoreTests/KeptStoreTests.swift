import Foundation
import HTTPCaching
import HTTPSemantics
import Platform
import Testing

@testable import CacheStore

@Suite("A store that is kept open")
struct KeptStoreTests {
  @Test("What other runs store and remove is seen at once")
  func others() throws {
    let fixture = try StoreFixture(isKeptOpen: true)
    #expect(fixture.outcome() == .miss(.uriMiss))
    var writer = try fixture.elsewhere.beginInsertion()
    try writer.append(Array("theirs".utf8))
    _ = try writer.commit(StoreFixture.stored())
    #expect(fixture.outcome() == .text("theirs"))
    try fixture.elsewhere.removeAll(for: StoreFixture.key().target)
    #expect(fixture.outcome() == .miss(.uriMiss))
  }

  @Test("A store directory that has been removed is created anew", arguments: ["", "v1", "v1/tmp"])
  func removed(_ directory: String) throws {
    let fixture = try StoreFixture(isKeptOpen: true)
    try fixture.insert("old")
    #expect(fixture.outcome() == .text("old"))
    try FileManager.default.removeItem(at: fixture.root.appending(path: directory))
    try fixture.insert("new", StoreFixture.stored("/new"))
    #expect(fixture.outcome("/new") == .text("new"))
    #expect(fixture.elsewhere.lookup(StoreFixture.key("/new"), for: [:]) { _ in nil }.selection.stored != nil)
    #expect(fixture.outcome() == (directory == "v1/tmp" ? .text("old") : .miss(.uriMiss)))
  }

  @Test("A store that has become writable by others is refused")
  func opened() throws {
    let fixture = try StoreFixture(isKeptOpen: true)
    try fixture.insert("text")
    #expect(fixture.outcome() == .text("text"))
    try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: fixture.root.path)
    #expect(fixture.outcome() == .fault(.unsafe(.writableByOthers(FileMode(rawValue: 0o777)))))
    #expect(throws: StoreError.unsafe(.writableByOthers(FileMode(rawValue: 0o777)))) { try fixture.insert("more") }
  }

  @Test("A store that has become writable by others is used until the current visit ends, and refused after it")
  func visit() throws {
    let fixture = try StoreFixture(isKeptOpen: true)
    try fixture.insert("text")
    var visit: StoreVisit?
    func lookup() -> Lookup { fixture.store.lookup(StoreFixture.key(), for: [:], concealing: { _ in nil }, in: &visit) }
    #expect(lookup().selection.stored != nil)
    try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: fixture.root.path)
    #expect(lookup().selection.stored != nil)
    visit = nil
    #expect(lookup().fault == .unsafe(.writableByOthers(FileMode(rawValue: 0o777))))
  }

  @Test("Tallies that have been removed are created anew, and count what is stored from then on")
  func tallies() throws {
    let fixture = try StoreFixture(isKeptOpen: true)
    try fixture.insert("one", StoreFixture.stored("/one"))
    try fixture.insert("two", StoreFixture.stored("/two"))
    #expect(try fixture.elsewhere.statistics().entries == 2)
    try FileManager.default.removeItem(at: fixture.root.appending(path: "v1/tallies"))
    try fixture.insert("three", StoreFixture.stored("/three"))
    #expect(FileManager.default.fileExists(atPath: fixture.root.appending(path: "v1/tallies").path))
    try fixture.insert("four", StoreFixture.stored("/four"))
    #expect(try fixture.elsewhere.statistics().entries == 4)
  }

  @Test("Turns exclude other runs, also after the lock file has been removed")
  func turns() throws {
    let fixture = try StoreFixture(isKeptOpen: true)
    try expectTurn(fixture)
    try FileManager.default.removeItem(at: fixture.root.appending(path: "v1/lock"))
    try expectTurn(fixture)
  }

  private func expectTurn(_ fixture: borrowing StoreFixture) throws {
    guard case .lead(let lead) = fixture.store.turn(at: StoreFixture.key(), of: .none),
      case .wait(var wait) = fixture.elsewhere.turn(at: StoreFixture.key(), of: .none),
      case .lead(let other) = fixture.store.turn(at: StoreFixture.key("/other"), of: .none)
    else {
      Issue.record("whose turn is it?")
      return
    }
    end(other)
    #expect(wait.look() == .nothing)
    end(lead)
    #expect(wait.look() == .vacant)
  }

  @Test("Ending a wait does not end a turn that another part of the run has taken meanwhile")
  func waitBesideTurn() throws {
    let fixture = try StoreFixture(isKeptOpen: true)
    guard case .lead(let first) = fixture.elsewhere.turn(at: StoreFixture.key(), of: .none),
      case .wait(let wait) = fixture.store.turn(at: StoreFixture.key(), of: .none)
    else {
      Issue.record("whose turn is it?")
      return
    }
    end(first)
    guard case .lead(let second) = fixture.store.turn(at: StoreFixture.key(), of: .none) else {
      Issue.record("whose turn is it?")
      return
    }
    end(wait)
    guard case .wait = fixture.elsewhere.turn(at: StoreFixture.key(), of: .none) else {
      Issue.record("two have the turn")
      return
    }
    end(second)
  }

  @Test("A run that wants another key is not kept waiting when both keys share a counter in the lock file")
  func sharedNumber() throws {
    let fixture = try StoreFixture(isKeptOpen: true)
    let key = StoreFixture.key()
    let place = LockSlot.Place(of: key)
    let other = try #require(
      (0...).lazy.map { StoreFixture.key("/\($0)") }.first { LockSlot.Place(of: $0).offset == place.offset })
    #expect(LockSlot.Place(of: other).range != place.range)
    guard case .lead(var lead) = fixture.store.turn(at: key, of: .none),
      (try? lead.report(isEndKnown: false)) != nil,
      case .lead(var otherLead) = fixture.elsewhere.turn(at: other, of: .none),
      (try? otherLead.report(isEndKnown: false)) != nil,
      case .unknown = fixture.store.turn(at: key, of: .none),
      case .wait(var wait) = fixture.elsewhere.turn(at: key, of: .none)
    else {
      Issue.record("whose turn is it?")
      return
    }
    #expect(wait.look() == .nothing)
    end(otherLead)
    // The shared counter has changed, so the waiting run looks again and is not kept.
    #expect(wait.look() == .released)
    end(lead)
    end(wait)
    guard case .lead(let lead) = fixture.store.turn(at: other, of: .none) else {
      Issue.record("whose turn is it?")
      return
    }
    end(lead)
  }

  private func end(_ lead: consuming ProcessLead) {}
  private func end(_ wait: consuming ProcessWait) {}
}
