package import Archives
package import ContentCoding
package import FlagTable
package import HTTPSemantics
package import Interface
package import Platform
package import Transport

/// The failure of a run: what happened to which thing, why, and what helps.
///
/// Indirect, because everything that can fail has room for it, and hardly anything does fail.
package indirect enum Failure: Error {
  case usage(UsageError)
  /// A mistake in a line of the config file, or in a variable.
  case setting(in: (file: Path, line: Int)?, SettingError)
  /// The config file could not be read.
  case config(Path, Errno, isTyped: Bool)
  /// Options that contradict each other, as a sentence.
  case contradiction(String, hint: String? = nil)
  case malformedURL(String, URIError)
  case malformedGlob(String, URLGlob.Fault)
  /// The failure of a URL that stands in a line of a file.
  case listed(String, line: Int, Failure)
  case input(String, Errno)
  /// The content of the input is not what it should be.
  case unreadableInput(String, String)
  /// A file, or standard output if there is no name.
  case output(String?, Errno)
  /// A file in a directory that does not exist, and might be made.
  case noDirectory(String)
  /// A file that was to be continued has become another one.
  case changedFile(String)
  /// Binary content is not printed to a terminal, which would take some of it for commands.
  case binary(TargetURI, isFetched: Bool)
  /// The choices of a URL make the typed file name empty.
  case emptyFileName(ArgumentText)
  /// The response gives the content the name of another option's file.
  case takenName(String, by: String)
  /// Neither the URL nor the response has a name for the file.
  case noFileName(TargetURI)
  /// The server does not send what follows the bytes that are there already.
  case notContinued(TargetURI)
  /// The response has fewer bytes than are there already.
  case endsBefore(offset: UInt64, length: UInt64, TargetURI)
  /// Another response has replaced the one of which `received` bytes have been delivered.
  case changedMeanwhile(received: UInt64, TargetURI)
  /// After `received` bytes of the response had been delivered, what came next was not the rest of it.
  case withoutRest(received: UInt64, TargetURI)
  /// A 304 answered a request without a condition.
  case unaskedNotModified(TargetURI)
  case unaskedPart(TargetURI)
  /// The content is larger than the limit, in bytes.
  case tooLarge(limit: UInt64, TargetURI)
  case transport(TransportError, TargetURI)
  case httpError(StatusCode, FieldValue, TargetURI)
  /// An error response from the cache; the origin was not asked.
  case storedError(StatusCode, FieldValue, TargetURI)
  case notStored(TargetURI)
  /// What is stored for the URL is for other credentials, another trust, or other values of the selecting fields.
  case storedForOthers(TargetURI)
  /// The response is stored, but may not be used without asking the origin; `isOffline` if the user's policy forbids
  /// that.
  case mayNotBeUsedUnasked(TargetURI, isOffline: Bool)
  /// The cache is not used, for this reason, and nothing may be sent.
  case cacheNotUsed(TargetURI, because: String)
  /// The response is stored, but the request forbids to use it.
  case mayNotBeUsed(TargetURI)
  /// The entry that a cache command is to print is damaged, and nothing of it has been written.
  case entryDamaged(TargetURI)
  /// The entry that a cache command is to use does not exist, or only a part of it is stored.
  case absent(TargetURI, isPartThere: Bool = false)
  /// Some of the URLs have no answer in the cache.
  case missing(Int, of: Int)
  /// Only a part is stored, and the request is for more.
  case partlyStored(TargetURI)
  /// The method is never answered from the cache, and nothing may be sent.
  case mayNotBeSent(Method, TargetURI)
  case tooManyRedirects(limit: Int, TargetURI)
  case malformedLocation(URIError, TargetURI)
  case downgrade(to: TargetURI, from: TargetURI)
  case schemeNotAllowed(TargetURI.Scheme, String)
  case redirectNotAllowed(to: TargetURI, from: TargetURI)
  case coding(ContentCodingError, TargetURI)
  /// The stored content turned out to be damaged after part of it had been printed.
  case damagedWhileDelivered(TargetURI)
  /// The stored content is damaged, and the origin may not be asked for what is missing: all of it if it is unseen.
  case damagedUnasked(TargetURI, isUnseen: Bool)
  /// The stored content was changed in its file while it was being written to a pipe.
  case changedStored(TargetURI)
  /// The content does not have a digest that its head promises.
  case digestMismatch(PromisedDigest, TargetURI)
  /// The content has this digest, and not one that its user asked for.
  case otherContent(Integrity.Algorithm, digest: [UInt8], TargetURI)
  case store(String, hint: String? = nil)
  /// Nothing says where the store is, or a variable says so with a relative path, which it may not.
  case noStoreDirectory(relative: String?)
  /// Nothing stored matches these patterns, or the options.
  case nothingMatched([String])
  /// Some of the entries are damaged, or still are after those that could be dropped have been.
  case damageFound(of: Int, left: Int, afterRepair: Bool)
  /// Everything that could be exported is; the number is that of damaged entries.
  case leftOutOfArchive(Int)
  /// The archive cannot be read any further.
  case archive(String, ArchiveError)
  /// The archive was read to its end; the number is that of refused records.
  case damagedArchive(String, Int)
  case interrupted(Signal)
}

extension Failure {
  /// The status that the process ends with.
  package var exitStatus: Int32 {
    switch self {
    case .transport(let error, _): Self.exitStatus(ofCurl: error.curlCode)
    case .interrupted(let signal): Self.signalBase + signal.rawValue
    case .listed(_, line: _, let failure): failure.exitStatus
    default: documentedStatus.rawValue
    }
  }

  /// Returns libcurl's number, if it is an exit status that garner documents.
  private static func exitStatus(ofCurl code: Int32) -> Int32 {
    switch code {
    // CURLE_NOT_BUILT_IN, CURLE_FUNCTION_NOT_FOUND, CURLE_BAD_FUNCTION_ARGUMENT, CURLE_UNKNOWN_OPTION,
    // CURLE_SETOPT_OPTION_SYNTAX: this libcurl does not know what an option says.
    case 4, 41, 43, 48, 49: ExitStatus.usage.rawValue
    // From 110 on, the numbers are garner's own.
    case ..<ExitStatus.notCached.rawValue: (ExitStatus(rawValue: code) ?? .receiveFailed).rawValue
    default: ExitStatus.receiveFailed.rawValue
    }
  }

  /// Whether the origin, or the way to it, has failed.
  var isOfOrigin: Bool {
    switch self {
    case .transport, .coding, .digestMismatch: true
    default: false
    }
  }

  /// Returns whether the run has ended what the origin was still sending, or about to send: another run may fare
  /// better.
  ///
  /// - Parameter hop: the hop that has failed.
  func isOfRunAlone(at hop: Hop) -> Bool {
    switch self {
    case .interrupted, .output, .binary, .tooLarge, .transport(.tooSlow, _), .transport(.timedOut(.waiting), _),
      .transport(.timedOut(.receiving), _):
      true
    // If no connection is made within the time for that, the origin has failed.
    case .transport(.timedOut, _):
      hop.timeLimitMilliseconds ?? .max < hop.terms.options.connectTimeLimitMilliseconds ?? Self.longestConnecting
    default: false
    }
  }

  /// libcurl's default time for a connection, in milliseconds (CURLOPT_CONNECTTIMEOUT(3)).
  private static let longestConnecting = 300_000

  /// Whether the content is nothing that its content coding produces.
  var isOfBrokenCoding: Bool {
    switch self {
    case .coding(.malformed, _), .coding(.truncated, _): true
    default: false
    }
  }

  /// Whether stored content cannot be decoded, while the origin may have it in a coding that can be.
  var isOfStoredCoding: Bool {
    switch self {
    case .coding(.unknown, _), .coding(.tooMany, _), .coding(.windowTooLarge, _): true
    default: isOfBrokenCoding
    }
  }

  /// Whether the content is not what it should be, although all of it was received.
  var isOfContent: Bool {
    switch self {
    case .coding, .digestMismatch, .otherContent: true
    default: false
    }
  }

  /// Whether the content is not what it should be, and a stored part that it begins with may be the cause.
  var isOfStoredContent: Bool {
    if case .otherContent = self { true } else { isOfBrokenCoding }
  }

  /// A shell reports a process that a signal has ended as this number plus the signal's.
  private static let signalBase: Int32 = 128

  /// The exit status of a failure that has neither libcurl's number nor a signal's.
  private var documentedStatus: ExitStatus {
    switch self {
    case .usage(let error) where error.isOfUnreadableFile: .readFailed
    // A part of garner is missing, as when garner-transport is.
    case .malformedURL(_, .hostNotMapped), .malformedLocation(.hostNotMapped, _): .usage
    case .usage, .setting, .contradiction: .usage
    case .malformedURL(_, .unsupportedScheme), .malformedLocation(.unsupportedScheme, _), .downgrade,
      .schemeNotAllowed, .redirectNotAllowed:
      .unsupportedScheme
    case .malformedURL, .malformedGlob, .malformedLocation: .malformedURL
    case .input, .unreadableInput, .config, .archive, .damagedArchive: .readFailed
    case .output, .noDirectory, .changedFile, .binary, .emptyFileName, .takenName, .noFileName: .writeFailed
    case .httpError, .storedError, .endsBefore: .httpError
    case .notContinued: .rangeRefused
    case .changedMeanwhile, .withoutRest: .partialContent
    case .unaskedNotModified, .unaskedPart: .weirdReply
    case .tooLarge: .tooLarge
    case .notStored, .mayNotBeUsedUnasked, .cacheNotUsed, .mayNotBeUsed, .absent, .missing, .partlyStored,
      .mayNotBeSent, .damagedUnasked, .storedForOthers:
      .notCached
    case .tooManyRedirects: .tooManyRedirects
    case .coding: .contentCoding
    case .damagedWhileDelivered, .changedStored: .partialContent
    case .digestMismatch, .otherContent: .digestMismatch
    case .store, .noStoreDirectory: .storeUnusable
    case .nothingMatched: .nothingMatched
    case .entryDamaged, .damageFound, .leftOutOfArchive: .storeDamaged
    case .transport, .interrupted, .listed: .receiveFailed
    }
  }

  private static func statusLine(_ status: StatusCode, _ reason: FieldValue) -> String {
    "\(status)\(reason.bytes.isEmpty ? "" : " ")\(Escaping.visible(reason.bytes))"
  }

  /// One line: `WHAT happened to WHICH thing: WHY`.
  package var message: String {
    switch self {
    case .usage(let error): error.message
    case .setting(in: nil, let error): error.message
    case .setting(in: let (file, line)?, let error):
      "\(ArgumentText(file.bytes).inputName), line \(line): \(error.message)"
    case .config(let path, let error, isTyped: _):
      "cannot read the config file \(Escaping.visible(path.bytes)): \(error)"
    case .contradiction(let sentence, hint: _): sentence
    case .malformedURL(let text, .unsupportedScheme(let scheme)):
      "the URL \(Escaping.shown(malformed: text)) is not supported: "
        + "\(Escaping.visible(scheme)) is neither http nor https"
    case .malformedURL(let text, .hostNotMapped(let reason)):
      "the host of the URL \(Escaping.shown(malformed: text)) cannot be converted to ASCII: \(Escaping.visible(reason))"
    case .malformedURL("", _): "the URL is empty"
    case .malformedURL(let text, let error): "the URL \(Escaping.shown(malformed: text)) is malformed: \(error.reason)"
    case .malformedGlob(let text, let fault): "the URL \(Escaping.shown(malformed: text)) is malformed: \(fault.reason)"
    case .listed(let file, let line, let failure): "\(file), line \(line): \(failure.message)"
    case .input(let name, let error): "cannot read \(Escaping.visible(name)): \(error)"
    case .unreadableInput(let name, let reason): "cannot read \(Escaping.visible(name)): \(reason)"
    case .output(let name?, .isDirectory) where name.hasSuffix("/"):
      // It need not exist.
      "cannot write \(Escaping.visible(name)): a name that ends with a slash is a directory's"
    case .output(let name?, let error): "cannot write \(Escaping.visible(name)): \(error)"
    case .changedFile(let name): "cannot write \(Escaping.visible(name)): it has changed since the run began"
    case .noDirectory(let name): "cannot write \(Escaping.visible(name)): \(Errno.noSuchFile)"
    case .output(nil, .badDescriptor): "cannot write to standard output: it is closed"
    case .output(nil, let error): "cannot write to standard output: \(error)"
    case .binary(let target, isFetched: _):
      "the content of \(Escaping.shown(target)) is binary, and not printed on a terminal"
    case .emptyFileName(let pattern): "cannot write the file of --output \(pattern.quoted): its name is empty"
    case .takenName(let name, by: let option): "cannot write \(name): it is the file of \(option)"
    case .noFileName(let target): "the URL \(Escaping.shown(target)) does not end with a file name"
    case .notContinued(let target):
      "the server does not continue \(Escaping.shown(target)): it sent something other than the rest"
    case .endsBefore(let offset, let length, let target):
      "the server cannot continue \(Escaping.shown(target)) after \(Words.count(offset, "byte")): it has only \(length)"
    case .changedMeanwhile(let received, let target):
      "cannot fetch \(Escaping.shown(target)): it has changed since \(received) bytes of it were delivered"
    case .withoutRest(let received, let target):
      "cannot fetch \(Escaping.shown(target)): \(received) bytes of it were delivered, but the next response does not "
        + "continue them"
    case .unaskedNotModified(let target):
      "the server answered 304 for \(Escaping.shown(target)), although the request was not conditional"
    case .unaskedPart(let target):
      "the server answered with a part of \(Escaping.shown(target)) that was not requested"
    case .tooLarge(let limit, let target): "\(Escaping.shown(target)) is larger than \(Words.count(limit, "byte"))"
    case .transport(let error, let target): "cannot fetch \(Escaping.shown(target)): \(Masking.quoting(error.reason))"
    case .httpError(let status, let reason, let target):
      "the server answered \(Self.statusLine(status, reason)) for \(Escaping.shown(target))"
    // A 416 is never stored, because it is for one request's range.
    case .storedError(416, _, let target):
      "the stored response for \(Escaping.shown(target)) has none of the requested bytes (416)"
    case .storedError(let status, let reason, let target):
      "the stored response for \(Escaping.shown(target)) is \(Self.statusLine(status, reason))"
    case .storedForOthers(let target):
      "\(Escaping.shown(target)) is in the cache, but only for other requests, and nothing may be sent"
    case .notStored(let target): "\(Escaping.shown(target)) is not in the cache, and nothing may be sent"
    case .mayNotBeUsedUnasked(let target, isOffline: _):
      "\(Escaping.shown(target)) is in the cache, but may not be used without asking the server, "
        + "and nothing may be sent"
    case .cacheNotUsed(let target, because: let reason):
      "nothing may be sent for \(Escaping.shown(target)), and \(reason)"
    case .mayNotBeUsed(let target):
      "\(Escaping.shown(target)) is in the cache, but the request forbids using it, and nothing may be sent"
    case .entryDamaged(let target): "the stored response for \(Escaping.shown(target)) is damaged"
    case .absent(let target, isPartThere: false): "\(Escaping.shown(target)) is not in the cache"
    case .absent(let target, isPartThere: true): "only a part of \(Escaping.shown(target)) is in the cache"
    case .missing(let count, of: let all):
      "\(count) of \(Words.count(all, "URL")) \(count == 1 ? "is" : "are") not answered without the network"
    case .partlyStored(let target):
      "only a part of \(Escaping.shown(target)) is in the cache, and nothing may be sent for the rest"
    case .mayNotBeSent(let method, let target):
      "\(method) \(Escaping.shown(target)) is not answered from the cache, and nothing may be sent"
    case .tooManyRedirects(let limit, let target):
      "gave up at \(Escaping.shown(target)): more than \(Words.count(limit, "redirection"))"
    case .malformedLocation(.unsupportedScheme(let scheme), let target):
      "\(Escaping.shown(target)) redirects to a URL that is not supported: "
        + "\(Escaping.visible(scheme)) is neither http nor https"
    case .malformedLocation(.hostNotMapped(let reason), let target):
      "\(Escaping.shown(target)) redirects to a URL whose host cannot be converted to ASCII: "
        + Escaping.visible(reason)
    case .malformedLocation(let error, let target):
      "\(Escaping.shown(target)) redirects to a malformed URL: \(error.reason)"
    case .downgrade(let target, let origin):
      "\(Escaping.shown(origin)) redirects from https to \(Escaping.shown(target)), which is not encrypted"
    case .schemeNotAllowed(let scheme, let url):
      "the URL \(Escaping.abridged(Masking.withoutUserInfo(url))) is not allowed: --proto leaves out \(scheme.rawValue)"
    case .redirectNotAllowed(let target, let origin):
      "\(Escaping.shown(origin)) redirects to \(Escaping.shown(target)): --proto or --proto-redir leaves out "
        + target.origin.scheme.rawValue
    case .coding(let error, let target):
      "cannot decode the content of \(Escaping.shown(target)): \(Escaping.visible(error.reason))"
    case .damagedWhileDelivered(let target):
      "the stored content of \(Escaping.shown(target)) is damaged, and part of it has already been written"
    case .damagedUnasked(let target, isUnseen: true):
      "the stored response for \(Escaping.shown(target)) is damaged, and nothing may be sent"
    case .damagedUnasked(let target, isUnseen: false):
      "the stored content of \(Escaping.shown(target)) is damaged, part of it has been written, and nothing may be sent"
    case .changedStored(let target):
      "the stored content of \(Escaping.shown(target)) was changed while it was being written, and the output may be "
        + "wrong"
    case .digestMismatch(let promise, let target):
      "the content of \(Escaping.shown(target)) does not have the \(promise.algorithm.rawValue) digest that its "
        + "\(promise.field) promises"
    case .otherContent(let algorithm, let digest, let target):
      "the content of \(Escaping.shown(target)) does not have the \(algorithm.rawValue) digest that was asked for, but "
        + Base16.encode(digest)
    case .store(let sentence, hint: _): sentence
    case .noStoreDirectory(relative: nil):
      "there is no directory for the cache: none of HOME, XDG_CACHE_HOME and GARNER_CACHE_DIR names one"
    case .noStoreDirectory(relative: let variable?):
      "there is no directory for the cache: the path in \(variable) is relative"
    case .nothingMatched(let patterns):
      "no stored response matches "
        + (patterns.isEmpty
          ? "the options"
          : patterns.map { Escaping.abridged(Masking.withoutUserInfo($0)) }.joined(separator: ", "))
    case .damageFound(of: let count, let left, afterRepair: false):
      "\(left) of \(Words.count(count, "entry", "entries")) \(left == 1 ? "is" : "are") damaged"
    case .damageFound(of: _, let left, afterRepair: true):
      "\(Words.count(left, "damaged entry is", "damaged entries are")) still there, and cannot be removed"
    case .leftOutOfArchive(let count):
      Words.count(
        count, "stored response is damaged, and is not in the archive",
        "stored responses are damaged, and are not in the archive")
    case .archive(let name, let error):
      "cannot read the archive \(Escaping.visible(name)): \(Escaping.visible(error.reason))"
    case .damagedArchive(let name, let count):
      "the archive \(Escaping.visible(name)) is damaged: "
        + Words.count(count, "record is not imported", "records are not imported")
    case .interrupted: "interrupted"
    }
  }
}

extension Failure {
  /// Throws if a signal asks for the end; for long work without a wait that a signal would break off.
  static func throwIfInterrupted() throws(Failure) {
    if let signal = Signals.pending { throw .interrupted(signal) }
  }

  /// Returns the failure to read a named file, or the interruption if a signal has ended the reading.
  static func reading(_ name: ArgumentText, _ error: Errno) -> Failure {
    if error == .interrupted, let signal = Signals.pending { return .interrupted(signal) }
    return .input(name.inputName, error)
  }

  /// Whether the failure is that a file does not exist.
  var isOfMissingInput: Bool {
    if case .input(_, let error) = self { error == .noSuchFile || error == .notDirectory } else { false }
  }
}
