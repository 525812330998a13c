import Archives
import CacheStore
import ContentCoding
import FlagTable
import HTTPCaching
import HTTPSemantics
import Interface
import Platform

/// The command `garner cache export`: walks through the store once, and holds no more in memory than it is writing.
final class ArchiveExport {
  private enum Writer {
    case warc(WARCExport)
    case har(HARExport)
  }

  private let store: Store
  private let clock: Clock
  private let options: ArchiveOptions
  private let credentialFields: CredentialFields
  private let selection: EntrySelection
  /// The purpose of the command, completing "cannot ... the cache".
  private let purpose: String
  /// The URL patterns as the user typed them.
  private let patterns: [String]
  /// Whether patterns or filters restrict the export to some of the stored responses.
  private let isSelective: Bool
  private let isHAR: Bool
  private let isCompressed: Bool
  private let sink: BodySink
  private let skipped = SkippedEntries()
  private let diagnostics: Diagnostics
  private let meter: ProgressMeter
  /// Opened for the first response, so that an export that matches nothing writes nothing.
  private var output: ArchiveOutput?
  private var writer: Writer?
  private var exportedCount = 0
  /// The number of exported responses that an import takes only with `--all`.
  private var privateCount = 0
  /// The exported responses that no import takes.
  private var excluded = CountedReasons()
  private var leftOut = CountedReasons()
  private var damagedCount = 0
  private var foreignCount = 0
  private var unreadCount = 0

  init(_ command: CacheCommand, _ diagnostics: Diagnostics) throws(Failure) {
    let invocation = command.invocation
    let name = invocation.operands[0].bytes
    store = command.store
    purpose = command.purpose
    clock = command.clock
    options = invocation.archive
    credentialFields = command.credentialFields
    let (typed, filters) = (invocation.operands.dropFirst(), invocation.storeCommand.filters)
    patterns = typed.map(\.visible)
    selection = EntrySelection(try command.patterns(of: typed), filters)
    isSelective = !typed.isEmpty || !filters.isEmpty
    isCompressed = ASCII.equalIgnoringCase(name.suffix(3), ".gz".utf8)
    let stem = isCompressed ? name.dropLast(3) : name[...]
    isHAR = options.isHAR || ASCII.equalIgnoringCase(stem.suffix(4), ".har".utf8)
    let target = try Self.target(name)
    sink = BodySink(target, printingOn: .standardOutput(command.printer.output))
    self.diagnostics = diagnostics
    meter = ProgressMeter(on: target.isFile ? ProgressBoard.shown(by: diagnostics, clock: clock) : nil, expected: nil)
  }

  private static func target(_ name: [UInt8]) throws(Failure) -> BodySink.Target {
    if name.elementsEqual("-".utf8) { return .standardOutput }
    guard let path = Path(name) else { throw .output(Escaping.visible(name), .noSuchFile) }
    return .file(OutputFile(path))
  }

  func run() throws(Failure) {
    defer { skipped.report(in: store.root, to: diagnostics) }
    try store.forEachEntry(in: selection, to: purpose) { (walked) throws(Failure) in try visit(walked) }
    let unusable = ((try? store.unusableDirectories()) ?? []).first(where: \.isOfEntries).map { directory in
      InaccessibleEntries.failure(to: purpose, "\(directory.place)", of: store)
    }
    guard exportedCount > 0 || !isSelective || leftOut.total > 0 else {
      throw unusable ?? .nothingMatched(patterns)
    }
    try finish()
    meter.finish()
    let count = Words.count(exportedCount, "response")
    diagnostics.inform("exported \(count)\(remarks)\(leftOut.words(beginning: ", left out "))")
    if damagedCount > 0 { throw .leftOutOfArchive(damagedCount) }
    if let unusable { throw unusable }
    if foreignCount + unreadCount > 0 {
      throw InaccessibleEntries.failure(to: purpose, foreignCount, unread: unreadCount, of: store)
    }
  }

  /// Says of which exported responses an import takes none, or takes them only with `--all`.
  private var remarks: String {
    var parts: [String] = []
    if privateCount > 0 { parts.append("\(privateCount) private: 'garner cache import' needs --all for these") }
    if excluded.total > 0 { parts.append("\(excluded.list): 'garner cache import' passes over these") }
    return parts.isEmpty ? "" : " (\(parts.joined(separator: "; ")))"
  }

  private func visit(_ walked: WalkedEntry) throws(Failure) {
    try Failure.throwIfInterrupted()
    switch walked.state {
    case .damaged(let damage): leaveOut(walked, because: damage)
    case .response(let listed): try exportIfSelected(listed, walked)
    }
  }

  private func leaveOut(_ walked: WalkedEntry, because damage: Damage) {
    let target = isSelective ? selection.target(of: walked) : nil
    // Which URL the damaged entry was for is unknown.
    if isSelective, target == nil { return skipped.note(walked, in: selection) }
    guard damage.mayBeInGoodOrder else { return noteDamage(to: target) }
    if damage.isForeign { foreignCount += 1 } else { unreadCount += 1 }
    leftOut.count(damage.isForeign ? "of another user" : "unread")
  }

  private func exportIfSelected(_ listed: StoredResponse, _ walked: WalkedEntry) throws(Failure) {
    guard !isSelective || selection.entry(walked, at: clock.timestamp) != nil else { return }
    if listed.isPart { return leftOut.count("partial") }
    let content: StoredContent
    do throws(StoreError) {
      guard let opened = try store.open(walked) else { return }
      content = opened
    } catch .damaged {
      return noteDamage(to: listed.key.target)
    } catch {
      throw .store(cannot: purpose, in: store.root, error)
    }
    // An archive cannot say that a response must be validated, and the head of this one may call it fresh.
    if content.stored.isDoubtful { return leftOut.count("with an interrupted update") }
    let exported = ExportedResponse(content.stored, without: options.isRedacted ? credentialFields : nil)
    // An archive has no place for the content of a GET: the response would be taken for the answer to a GET without
    // any.
    if listed.key.content != nil, content.stored.requestMethod == .get { return leftOut.count("GET with content") }
    if options.isRedacted {
      if exported.isPrivate { return leftOut.count("private") }
      // The content of the request is not known, and may have held a password that the response answers to.
      if case .post = listed.key.content { return leftOut.count("POST") }
    }
    try export(exported, content)
  }

  /// - Throws: `.store` if reading failed for a reason that lies in this process, so that the entry may be in good
  ///   order.
  private func noteIfDamaged(_ entry: DamagedEntry, for target: TargetURI) throws(Failure) {
    if let trouble = entry.troubleOfProcess { throw .store(cannot: purpose, in: store.root, trouble) }
    noteDamage(to: target)
  }

  private func noteDamage(to target: TargetURI?) {
    damagedCount += 1
    leftOut.count("damaged")
    if let target { diagnostics.warn("\(Escaping.shown(target)) is left out: it is damaged") }
  }

  private func export(_ exported: ExportedResponse, _ content: borrowing StoredContent) throws(Failure) {
    let isExported: Bool
    switch try openedWriter() {
    case .warc(let warc): isExported = try exportToWARC(exported, content, warc)
    case .har(let har): isExported = try exportToHAR(exported, content, har)
    }
    guard isExported else { return }
    exportedCount += 1
    if exported.isRestricted { privateCount += 1 }
    if let exclusion = exported.exclusion { excluded.count(exclusion.word) }
  }

  /// - Returns: false if the response is left out.
  private func exportToWARC(
    _ exported: ExportedResponse, _ content: borrowing StoredContent, _ warc: WARCExport
  ) throws(Failure) -> Bool {
    let sums: ContentSums
    do throws(ContentFailure<Never>) {
      sums = try ContentSums(head: exported.responseHead, content)
    } catch {
      try Failure.throwIfInterrupted()
      if case .damaged(let entry, _) = error { try noteIfDamaged(entry, for: exported.request.target) }
      return false
    }
    try write(exported, content, sums, with: warc)
    return true
  }

  /// - Returns: false if the response is left out.
  private func exportToHAR(
    _ exported: ExportedResponse, _ content: borrowing StoredContent, _ har: HARExport
  ) throws(Failure) -> Bool {
    do throws(ContentFailure<HARExport.Fault>) {
      if !HARReader.takesContent(ofBytes: try HARExport.check(content)) {
        let target = Escaping.shown(exported.request.target)
        diagnostics.warn("\(target) is too large for 'garner cache import' of a HAR file; WARC has no such limit")
      }
    } catch {
      try Failure.throwIfInterrupted()
      switch error {
      case .damaged(let entry, _): try noteIfDamaged(entry, for: exported.request.target)
      case .sink(.coding(let fault)): leftOut.count(fault.words)
      // Checking writes nothing, and `throwIfInterrupted` above has reported a signal.
      case .sink(.output), .interrupted: break
      }
      return false
    }
    do throws(ContentFailure<HARExport.Fault>) {
      try har.write(exported, content)
    } catch {
      try Failure.throwIfInterrupted()
      if case .sink(.output(let error)) = error { throw sink.failure(error) }
      throw .damagedWhileDelivered(exported.request.target)
    }
    meter.advance(by: content.length)
    return true
  }

  private func write(
    _ exported: ExportedResponse, _ content: borrowing StoredContent, _ sums: ContentSums,
    with warc: WARCExport
  ) throws(Failure) {
    do throws(Errno) {
      guard try warc.begin(exported, sums, contentLength: content.length) else { return }
    } catch {
      throw sink.failure(error)
    }
    do throws(ContentFailure<Errno>) {
      try content.forEachVerifiedChunk { (bytes) throws(Errno) in
        try warc.append(bytes)
        meter.advance(by: UInt64(bytes.count))
      }
    } catch {
      try Failure.throwIfInterrupted()
      if case .sink(let error) = error { throw sink.failure(error) }
      // The content was intact when its digests were computed, and the written part of its record cannot be taken back.
      throw .damagedWhileDelivered(exported.request.target)
    }
    do throws(Errno) { try warc.end() } catch { throw sink.failure(error) }
  }

  // MARK: The archive

  private func openedWriter() throws(Failure) -> Writer {
    if let writer { return writer }
    guard let descriptor = try sink.descriptor() else { throw .output(nil, .badDescriptor) }
    if !options.isRedacted, !sink.makePrivate() {
      diagnostics.warn("other users may be able to read the archive: its file system cannot set file permissions")
    }
    let made: Writer
    do throws(Errno) {
      let output: ArchiveOutput
      do throws(ContentCodingError) {
        output = try ArchiveOutput(compressed: isCompressed) { (bytes) throws(Errno) in try descriptor.writeAll(bytes) }
      } catch {
        throw .outOfMemory
      }
      self.output = output
      made = try isHAR ? .har(HARExport(output)) : .warc(WARCExport(output, at: clock.timestamp))
    } catch {
      throw sink.failure(error)
    }
    writer = made
    return made
  }

  private func finish() throws(Failure) {
    let writer = try openedWriter()
    do throws(Errno) {
      if case .har(let har) = writer { try har.end() }
      try output?.flush()
    } catch {
      throw sink.failure(error)
    }
    try sink.finish()
  }
}

extension CacheCommand {
  func exportArchive(_ diagnostics: Diagnostics) throws(Failure) {
    try ArchiveExport(self, diagnostics).run()
  }
}

extension ContentCodingError {
  /// Completes "left out 2 (1 ...": why HAR, which has content without its codings, cannot hold the response.
  fileprivate var words: String {
    switch self {
    case .unknown: "with an unknown content coding"
    case .tooMany: "with too many content codings"
    case .malformed, .truncated: "malformed in its content coding"
    case .bomb(let ratio): "decoding to more than \(ratio) times its size"
    case .windowTooLarge, .outOfMemory: "too large to decode"
    }
  }
}
