import CacheStore
import FlagTable
import Foundation
import Glibc
import HTTPCaching
import HTTPSemantics
import Interface
import Platform
import TestSupport
import Testing
import Transport

@testable import Client

/// Visits to the store: how long a run relies on what it has found out about the store.
@Suite struct StoreVisitTests {
  private let directory: TemporaryDirectory
  private let cache: ResponseCache
  private let hop: Hop

  init() throws {
    directory = try TemporaryDirectory()
    let root = try #require(Path(directory.path("cache")))
    let context = ProcessContext(
      arguments: [], environment: Environment([:]), makeTransport: { ProgramTransport(shouldStop: { false }) },
      makeParallelTransport: { ParallelTransport(shouldStop: { false }) }, detach: { _, _ in })
    hop = Hop(try PlanBuilder(Invocation(), context).transferPlan(for: "http://127.0.0.1/"))
    cache = ResponseCache(StorePlan(root: root), .system, .silent(context))
    var writer = try #require(cache.store).beginInsertion()
    try writer.append([])
    let now = Clock.system.timestamp
    _ = try writer.commit(
      StoredResponse(Response(200), under: CacheKey(hop.primaryKey), requestTime: now, responseTime: now))
  }

  private func letOthersWrite() throws {
    try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: directory.path("cache"))
  }

  @Test func `without threads, each look-up sees whether others may write to the store`() throws {
    #expect(cache.lookup(hop).selection.stored != nil)
    try letOthersWrite()
    #expect(cache.lookup(hop).selection.stored == nil && cache.isOff)
  }

  @Test func `a thread sees whether others may write to the store when its visit is over`() throws {
    let own = ResponseCache(besides: cache, turns: ThreadTurns(KeyTurns(), prepareToWait: {}))
    #expect(own.lookup(hop).selection.stored != nil)
    try letOthersWrite()
    #expect(own.lookup(hop).selection.stored != nil)
    own.endVisit()
    #expect(own.lookup(hop).selection.stored == nil && own.isOff)
  }

  // MARK: The end of a visit

  private static func letOthersWrite(to scenario: Scenario) {
    try? FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: scenario.cachePath)
  }

  @Test func `a visit to the store is over before its thread waits`() throws {
    let store = Monitor<Scenario?>(nil)
    let scenario = try Scenario { request in
      guard request.target == "/from" else { return .fresh(text: "x") }
      store.withLock { $0.map(Self.letOthersWrite) }
      return .response(302, fields: [("Location", "/stored")])
    }
    store.withLock { $0 = scenario }
    try scenario.run(scenario.url("/stored"))
    // The other URL only makes it a run with several URLs; it is not looked up in the store.
    let run = try scenario.run("-s", "-Z", "--parallel-max", "2", scenario.url("/from"), "ftp://a.test/")
    #expect(run.status == 1 && run.text == "x")
    #expect(scenario.asked == ["/stored", "/from", "/stored"])
    store.withLock { $0 = nil }
  }

  /// One of two threads waits for the origin until the other thread, which waits for none, is through. Each block of
  /// the other thread has a single URL, because the clock advances at each look.
  @Test func `a visit to the store is over when its thread begins with other URLs`() throws {
    let isThrough = Gate()
    let scenario = try Scenario { request in
      let answer = OriginAnswer.response(fields: [("Cache-Control", "max-age=36000")], text: "x")
      return request.target == "/held" ? .late(isThrough, answer) : answer
    }
    try scenario.run("-s", scenario.url("/[1-8]"))
    let directory = scenario.directory.path
    @Sendable func file(_ name: String) -> String { "\(directory)/file\(name)" }
    scenario.secondsPerLook = 1
    scenario.whenLooking = { [cachePath = scenario.cachePath] in
      if access(file("3"), F_OK) == 0 { _ = chmod(cachePath, 0o777) }
      if access(file("8"), F_OK) == 0 { isThrough.open() }
    }
    let urls = scenario.url("/{held,1,2,3,4,5,6,7,8}")
    let run = try scenario.run("-s", "-Z", "--parallel-max", "2", "-o", file("#1"), urls)
    #expect(run.status == 0)
    let asked = scenario.asked.filter { $0 != "/held" }
    #expect(asked.dropFirst(8).suffix(4) == ["/5", "/6", "/7", "/8"], "\(asked)")
  }
}
