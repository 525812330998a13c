import Archives
import CacheStore
import ContentCoding
import FlagTable
import HTTPCaching
import HTTPSemantics
import Interface
import Platform
import Transport

@testable import Client

/// An error type whose cases form a chain: a switch without a default leads from each case to the next. A new case
/// therefore does not compile before it has a place in the chain, and a list of all cases leaves none out.
protocol Chained {
  /// Returns the case after `error`, the first one for `nil`, and `nil` after the last one.
  static func next(after error: Self?) -> Self?
}

extension Chained {
  static var everyCase: [Self] {
    var cases: [Self] = []
    while let next = next(after: cases.last) { cases.append(next) }
    return cases
  }
}

extension URIError: Chained {
  static func next(after error: URIError?) -> URIError? {
    switch error {
    case nil: .unsupportedScheme("gopher")
    case .unsupportedScheme: .incompleteScheme
    case .incompleteScheme: .noHost
    case .noHost: .malformedHost
    case .malformedHost: .hostBeyondASCII
    case .hostBeyondASCII: .hostNotMapped(reason: "garner-idn cannot be used: it is not in /usr/bin")
    case .hostNotMapped: .malformedPort
    case .malformedPort: .forbiddenCharacter
    case .forbiddenCharacter: .controlCharacterInUserInfo
    case .controlCharacterInUserInfo: .tooLong
    case .tooLong: nil
    }
  }
}

extension URLGlob.Fault: Chained {
  static func next(after fault: URLGlob.Fault?) -> URLGlob.Fault? {
    switch fault {
    case nil: .badRange(at: 12)
    case .badRange: .nestedBrace(at: 12)
    case .nestedBrace: .emptyBraces(at: 12)
    case .emptyBraces: .unmatched(at: 12)
    case .unmatched: .tooMany
    case .tooMany: nil
    }
  }
}

extension ContentCodingError: Chained {
  static func next(after error: ContentCodingError?) -> ContentCodingError? {
    switch error {
    case nil: .unknown(name: Array("sdch".utf8))
    case .unknown: .tooMany(count: 9)
    case .tooMany: .malformed(.gzip)
    case .malformed: .truncated(.brotli)
    case .truncated: .bomb(ratio: 256)
    case .bomb: .windowTooLarge
    case .windowTooLarge: .outOfMemory
    case .outOfMemory: nil
    }
  }
}

extension ArchiveFault: Chained {
  static func next(after fault: ArchiveFault?) -> ArchiveFault? {
    switch fault {
    case nil: .notARecord
    case .notARecord: .lineTooLong
    case .lineTooLong: .headTooLarge
    case .headTooLarge: .malformedField
    case .malformedField: .noLength
    case .noLength: .malformedJSON
    case .malformedJSON: .tooDeep
    case .tooDeep: .stringTooLong
    case .stringTooLong: nil
    }
  }
}

extension ArchiveError: Chained {
  static func next(after error: ArchiveError?) -> ArchiveError? {
    switch error {
    case nil: .unreadable(.inputOutput)
    case .unreadable: .notAnArchive
    case .notAnArchive: .truncated
    case .truncated: .undecodable(.malformed(.gzip))
    case .undecodable: .unknownVersion("2.0", at: 4096)
    case .unknownVersion: .malformed(at: 4096, .notARecord)
    case .malformed(at: let place, let fault):
      ArchiveFault.next(after: fault).map { ArchiveError.malformed(at: place, $0) }
    }
  }
}

extension HeadError: Chained {
  static func next(after error: HeadError?) -> HeadError? {
    switch error {
    case nil: .tooLarge
    case .tooLarge: .lineTooLong
    case .lineTooLong: .tooManyFields
    case .tooManyFields: .tooManyInterimResponses
    case .tooManyInterimResponses: .trailersTooLarge
    case .trailersTooLarge: .malformedStatusLine
    case .malformedStatusLine: .invalidStatus
    case .invalidStatus: .repeated
    case .repeated: .conflictingContentLength
    case .conflictingContentLength: .malformedContentLength
    case .malformedContentLength: .malformedFraming
    case .malformedFraming: .foreignTransferCoding
    case .foreignTransferCoding: nil
    }
  }
}

extension TransportError.Phase: Chained {
  static func next(after phase: TransportError.Phase?) -> TransportError.Phase? {
    switch phase {
    case nil: .resolving
    case .resolving: .connecting
    case .connecting: .securing
    case .securing: .waiting
    case .waiting: .receiving
    case .receiving: nil
    }
  }
}

extension TransportError: Chained {
  /// Takes the place of a sentence from libcurl, OpenSSL or the system.
  private static let sentence = "SENTENCE"

  static func next(after error: TransportError?) -> TransportError? {
    let failure = CurlFailure(code: 96, reason: sentence)
    switch error {
    case nil: return .programMissing(reason: sentence)
    case .programMissing: return .programUnusable(reason: sentence)
    case .programUnusable: return .programNotStarted(reason: sentence)
    case .programNotStarted: return .programEnded(reason: sentence)
    case .programEnded: return .libraryMissing(reason: "\(sentence): No such file or directory")
    case .libraryMissing: return .couldNotResolve(host: "a.test")
    case .couldNotResolve: return .couldNotResolveProxy(reason: sentence)
    case .couldNotResolveProxy: return .couldNotConnect(host: "a.test", port: 80, isRefused: false, reason: sentence)
    case .couldNotConnect: return .proxyNotConnected(isRefused: false, reason: sentence)
    case .proxyNotConnected: return .proxy(reason: sentence)
    case .proxy: return .proxyUnusable(failure, isOfEnvironment: false)
    case .proxyUnusable(_, isOfEnvironment: false): return .proxyUnusable(failure, isOfEnvironment: true)
    case .proxyUnusable(_, isOfEnvironment: true): return .tunnelRefused(status: 407)
    case .tunnelRefused(status: 407): return .tunnelRefused(status: 502)
    case .tunnelRefused: return .timedOut(.resolving)
    case .timedOut(let phase):
      return Phase.next(after: phase).map { TransportError.timedOut($0) }
        ?? .tooSlow(.init(bytesPerSecond: 1000, seconds: 30))
    case .tooSlow: return .tls(reason: sentence)
    case .tls: return .certificate(reason: sentence)
    case .certificate(reason: sentence, isOfProxy: false): return .certificate(reason: sentence, isOfProxy: true)
    case .certificate(reason: sentence, isOfProxy: true): return .certificate(reason: "SSL: \(sentence)")
    case .certificate: return .credentials(failure)
    case .credentials: return .sendFailed(reason: sentence)
    case .sendFailed: return .receiveFailed(reason: sentence)
    case .receiveFailed: return .emptyReply
    case .emptyReply: return .weirdReply(reason: sentence)
    case .weirdReply: return .unusableHead(.tooLarge)
    case .unusableHead(let error):
      return HeadError.next(after: error).map { TransportError.unusableHead($0) }
        ?? .truncated(received: 10, expected: 20)
    case .truncated(received: let count, expected: .some): return .truncated(received: count, expected: nil)
    case .truncated(received: _, expected: nil): return .http2(failure)
    case .http2: return .abortedByReceiver
    case .abortedByReceiver: return .interrupted
    case .interrupted: return .unsendable(reason: sentence)
    case .unsendable: return .unreadableContent(name: "upload.bin", reason: sentence)
    case .unreadableContent: return .contentSpent
    case .contentSpent: return .other(failure)
    case .other: return nil
    }
  }
}

extension UnsafePlace: Chained {
  static func next(after place: UnsafePlace?) -> UnsafePlace? {
    switch place {
    case nil: .symbolicLink
    case .symbolicLink: .notDirectory
    case .notDirectory: .foreign(ownerID: 1000)
    case .foreign: .foreignParent(ownerID: 1000)
    case .foreignParent: .absentHome
    case .absentHome: .writableByOthers(FileMode(rawValue: 0o777))
    case .writableByOthers: .linkWithin("v1")
    case .linkWithin: .noDirectoryWithin("v1/tmp")
    case .noDirectoryWithin: .unreadableWithin("v1/00", .accessDenied)
    case .unreadableWithin: .noFileWithin("v1/secret")
    case .noFileWithin: .directoryWithin("v1/00/0")
    case .directoryWithin: nil
    }
  }
}

extension Damage: Chained {
  static func next(after damage: Damage?) -> Damage? {
    switch damage {
    case nil: .notRegularFile
    case .notRegularFile: .foreign(ownerID: 1000)
    case .foreign: .truncated
    case .truncated: .notAnEntry
    case .notAnEntry: .unknownVersion(9)
    case .unknownVersion: .preambleSum
    case .preambleSum: .headSum
    case .headSum: .tableSum
    case .tableSum: .blockSum(index: 3)
    case .blockSum: .malformedPreamble
    case .malformedPreamble: .malformedHead
    case .malformedHead: .notTheVariant
    case .notTheVariant: .unlistedVariant
    case .unlistedVariant: .misplacedPart
    case .misplacedPart: .misnamed
    case .misnamed: .changedMeanwhile
    case .changedMeanwhile: .unreadable(.inputOutput)
    case .unreadable: nil
    }
  }
}

extension StoreError.Step: Chained {
  static func next(after step: StoreError.Step?) -> StoreError.Step? {
    switch step {
    case nil: .openingStore
    case .openingStore: .creatingStore
    case .creatingStore: .readingEntry
    case .readingEntry: .writingEntry
    case .writingEntry: .publishingEntry
    case .publishingEntry: .updatingEntry
    case .updatingEntry: .removingEntry
    case .removingEntry: .listing
    case .listing: .counting
    case .counting: .handlingSecret
    case .handlingSecret: nil
    }
  }
}

extension StoreProposal.Fault: Chained {
  static func next(after fault: StoreProposal.Fault?) -> StoreProposal.Fault? {
    switch fault {
    case nil: .notALine(3)
    case .notALine: .unknownKey(3)
    case .unknownKey: .fixed(3)
    case .fixed: .noTag(3)
    case .noTag: .tooManyFields
    case .tooManyFields: nil
    }
  }
}
