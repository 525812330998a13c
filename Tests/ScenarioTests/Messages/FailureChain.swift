import Archives
import CacheStore
import ContentCoding
import FlagTable
import HTTPSemantics
import Interface
import Platform
import Transport

@testable import Client

extension Failure: Chained {
  static let target = TargetURI(
    origin: .init(scheme: .http, host: "a.test", port: 80), pathAndQuery: "/page?token=hidden")
  private static let other = TargetURI(origin: .init(scheme: .https, host: "b.test", port: 443), pathAndQuery: "/")

  static func next(after failure: Failure?) -> Failure? {
    switch failure {
    case nil: return .usage(.unexpectedValue(option: "--include"))
    case .usage: return .setting(in: nil, .nulByte)
    case .setting(in: nil, _): return .setting(in: (file, 3), .nulByte)
    case .setting: return .config(file, .accessDenied, isTyped: false)
    case .config(_, _, isTyped: false): return .config(file, .accessDenied, isTyped: true)
    case .config: return .contradiction("--one and --other cannot be combined")
    case .contradiction: return .malformedURL("", .noHost)
    case .malformedURL("", _): return .malformedURL("http://me:secret@a.test/?token=hidden", .noHost)
    case .malformedURL: return .malformedGlob("http://a.test/[1-", .tooMany)
    case .malformedGlob: return .listed("urls", line: 7, .malformedURL("a b", .forbiddenCharacter))
    case .listed: return .input("data.json", .noSuchFile)
    case .input: return .unreadableInput("netrc", "a quotation mark in it is not closed")
    case .unreadableInput: return .output("page", .noSpace)
    case .output(.some, _): return .noDirectory("out/page")
    case .noDirectory: return .changedFile("page")
    case .changedFile: return .output(nil, .badDescriptor)
    case .output(nil, .badDescriptor): return .output(nil, .noSpace)
    case .output(nil, _): return .binary(target, isFetched: true)
    case .binary(_, isFetched: true): return .binary(target, isFetched: false)
    case .binary: return .emptyFileName(ArgumentText(Array("#1".utf8)))
    case .emptyFileName: return .takenName("page", by: "--dump-header")
    case .takenName: return .noFileName(target)
    case .noFileName: return .notContinued(target)
    case .notContinued: return .endsBefore(offset: 19, length: 16, target)
    case .endsBefore: return .changedMeanwhile(received: 500, target)
    case .changedMeanwhile: return .withoutRest(received: 500, target)
    case .withoutRest: return .unaskedNotModified(target)
    case .unaskedNotModified: return .unaskedPart(target)
    case .unaskedPart: return .tooLarge(limit: 1024, target)
    case .tooLarge: return .transport(.emptyReply, target)
    case .transport: return .httpError(404, "Not Found", target)
    case .httpError: return .storedError(404, "Not Found", target)
    case .storedError(404, _, _): return .storedError(416, "Range Not Satisfiable", target)
    case .storedError: return .notStored(target)
    case .notStored: return .storedForOthers(target)
    case .storedForOthers: return .mayNotBeUsedUnasked(target, isOffline: true)
    case .mayNotBeUsedUnasked(_, isOffline: true): return .mayNotBeUsedUnasked(target, isOffline: false)
    case .mayNotBeUsedUnasked: return .cacheNotUsed(target, because: noUse)
    case .cacheNotUsed: return .mayNotBeUsed(target)
    case .mayNotBeUsed: return .entryDamaged(target)
    case .entryDamaged: return .absent(target)
    case .absent(_, isPartThere: false): return .absent(target, isPartThere: true)
    case .absent(_, isPartThere: true): return .missing(1, of: 1)
    case .missing(_, of: 1): return .missing(1, of: 5)
    case .missing(1, of: _): return .missing(2, of: 5)
    case .missing: return .partlyStored(target)
    case .partlyStored: return .mayNotBeSent(.post, target)
    case .mayNotBeSent: return .tooManyRedirects(limit: 50, target)
    case .tooManyRedirects: return .malformedLocation(.noHost, target)
    case .malformedLocation: return .downgrade(to: target, from: other)
    case .downgrade: return .schemeNotAllowed(.http, "http://a.test/")
    case .schemeNotAllowed: return .redirectNotAllowed(to: target, from: other)
    case .redirectNotAllowed: return .coding(.outOfMemory, target)
    case .coding: return .damagedWhileDelivered(target)
    case .damagedWhileDelivered: return .damagedUnasked(target, isUnseen: false)
    case .damagedUnasked(_, isUnseen: false): return .damagedUnasked(target, isUnseen: true)
    case .damagedUnasked: return .changedStored(target)
    case .changedStored: return .digestMismatch(promise, target)
    case .digestMismatch: return .otherContent(.sha256, digest: Array(repeating: 0, count: 32), target)
    case .otherContent: return .store("cannot read the cache in /cache: Permission denied")
    case .store, .noStoreDirectory, .nothingMatched, .damageFound, .leftOutOfArchive, .archive, .damagedArchive,
      .interrupted:
      return next(afterCommands: failure)
    }
  }

  /// The failures of commands that manage the store.
  private static func next(afterCommands failure: Failure?) -> Failure? {
    switch failure {
    case .store: return .noStoreDirectory(relative: nil)
    case .noStoreDirectory(relative: nil): return .noStoreDirectory(relative: "XDG_CACHE_HOME")
    case .noStoreDirectory: return .nothingMatched([])
    case .nothingMatched([]): return .nothingMatched(["http://a.test/*"])
    case .nothingMatched: return .damageFound(of: 1, left: 1, afterRepair: false)
    case .damageFound(of: 1, left: _, afterRepair: false): return .damageFound(of: 9, left: 1, afterRepair: false)
    case .damageFound(of: _, left: 1, afterRepair: false): return .damageFound(of: 9, left: 2, afterRepair: false)
    case .damageFound(of: _, left: _, afterRepair: false): return .damageFound(of: 9, left: 1, afterRepair: true)
    case .damageFound(of: _, left: 1, afterRepair: true): return .damageFound(of: 9, left: 2, afterRepair: true)
    case .damageFound: return .leftOutOfArchive(1)
    case .leftOutOfArchive(1): return .leftOutOfArchive(2)
    case .leftOutOfArchive: return .archive("a.warc", .truncated)
    case .archive: return .damagedArchive("a.warc", 1)
    case .damagedArchive(let name, 1): return .damagedArchive(name, 2)
    case .damagedArchive: return .interrupted(.interrupt)
    default: return nil
    }
  }

  private static let file: Path = "/home/me/.config/garner/config"

  private static let noUse = "the cache in /cache is not used: it is not a directory"

  private static let promise = PromisedDigest.promised(
    by: Response(200, fields: ["Content-Digest": "sha-256=:YWJj:"]), to: .get)[0]

  /// This failure with each of its possible reasons.
  var forEachReason: [Failure] {
    switch self {
    case .usage: UsageError.everyCase.map { .usage($0) }
    case .setting(in: let place, _): SettingError.everyCase.map { .setting(in: place, $0) }
    case .malformedURL(let text, _) where !text.isEmpty: URIError.everyCase.map { .malformedURL(text, $0) }
    case .malformedGlob(let text, _): URLGlob.Fault.everyCase.map { .malformedGlob(text, $0) }
    case .transport(_, let target): TransportError.everyCase.map { .transport($0, target) }
    case .malformedLocation(_, let target): URIError.everyCase.map { .malformedLocation($0, target) }
    case .coding(_, let target): ContentCodingError.everyCase.map { .coding($0, target) }
    case .archive(let name, _): ArchiveError.everyCase.map { .archive(name, $0) }
    default: [self]
    }
  }
}
