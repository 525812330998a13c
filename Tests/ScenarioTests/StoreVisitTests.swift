import CacheStore
import FlagTable
import Foundation
import HTTPCaching
import HTTPSemantics
import Interface
import Platform
import TestSupport
import Testing
import Transport

@testable import Client

/// How long a run takes the store for what it has found it to be.
@Suite struct StoreVisitTests {
  private let directory: TemporaryDirectory
  private let cache: ResponseCache
  private let hop: Hop

  init() throws {
    directory = try TemporaryDirectory()
    let root = try #require(Path(directory.path("cache")))
    let context = ProcessContext(
      arguments: [], environment: Environment([:]), makeTransport: { ProgramTransport() }, detach: { _, _ in })
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
    let own = ResponseCache(besides: cache, turns: ThreadTurns(KeyTurns(), noteWait: {}))
    #expect(own.lookup(hop).selection.stored != nil)
    try letOthersWrite()
    #expect(own.lookup(hop).selection.stored != nil)
    own.endVisit()
    #expect(own.lookup(hop).selection.stored == nil && own.isOff)
  }
}
