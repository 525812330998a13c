import CacheStore
import Digests
import HTTPCaching
import HTTPSemantics
import Platform

/// Stores the responses of an archive, those that may be stored.
final class ImportStore {
  private let store: Store
  private let clock: Clock
  /// Whether the user wants even responses that are otherwise not imported.
  let importsAll: Bool
  /// The restricted responses that this import has stored.
  private var restricted: [EntryName: WrittenEntry] = [:]
  /// The places of the restricted responses that this import has stored, or found stored.
  private var takenPlaces: Set<EntryName> = []
  /// The store's secret, the key of all keyed digests, once it has been read.
  private var secret: [UInt8]?

  init(_ store: Store, _ clock: Clock, importsAll: Bool) {
    self.store = store
    self.clock = clock
    self.importsAll = importsAll
  }

  var now: Timestamp { clock.timestamp }

  /// Refuses a response that is not to be stored, as far as its head tells.
  func check(_ exchange: ArchivedExchange) throws(RecordFault) {
    if let reason = ArchivedStorability.refusal(
      of: exchange.response, to: exchange.method, with: exchange.requestFields, respectsOrigin: !importsAll)
    {
      throw .refused(.notStorable(reason, exchange.method))
    }
    if exchange.isRestricted, !importsAll { throw .refused(.restricted) }
  }

  /// Begins storing the content of a response.
  ///
  /// - Parameters:
  ///   - length: the length of the content in bytes, if it is known.
  ///   - algorithm: the algorithm of a digest to compute, if any.
  func begin(
    expecting length: UInt64?, digesting algorithm: DigestAlgorithm? = nil
  ) throws(RecordFault) -> ImportedContent {
    try storing { () throws(StoreError) in
      ImportedContent(try store.beginInsertion(expecting: length), algorithm)
    }
  }

  /// Stores a response whose content is complete, unless it would replace a newer one.
  func commit(_ content: ImportedContent, _ exchange: ArchivedExchange) throws(RecordFault) -> WrittenEntry {
    try check(exchange)
    try checkLength(content.length, of: exchange.response)
    let key = CacheKey(exchange.target, audience: try audience(of: exchange))
    guard let stored = exchange.stored(under: key, concealing: { conceal($0) }) else {
      throw .refused(.notStorable(.cannotConceal, exchange.method))
    }
    try makeWay(for: stored, isRestricted: exchange.isRestricted)
    let written = try storing { () throws(StoreError) in try content.commit(stored) }
    guard let written else { throw .refused(stored.isPart ? .alreadyStored : .older) }
    if exchange.isRestricted {
      let place = EntryName(of: stored)
      restricted[place] = written
      takenPlaces.insert(place)
    }
    return written
  }

  private func checkLength(_ length: UInt64, of response: Response) throws(RecordFault) {
    // It "is terminated by the end of the header section; it cannot contain content" (RFC 9110 section 15.3.5).
    if response.status == 204, length > 0 { throw .refused(.damaged("response is a 204, but has content")) }
    if let stated = response.delimitingLength, stated != length {
      throw .refused(.damaged("content has \(length) bytes, but its head says \(stated)"))
    }
  }

  /// Removes the restricted responses of this import that an unrestricted one replaces.
  ///
  /// - Throws: `.refused` if a response that is already stored is to stay.
  private func makeWay(for stored: StoredResponse, isRestricted: Bool) throws(RecordFault) {
    // By the key, because a walk would look at all entries of a directory, for each record.
    var others = try storing { () throws(StoreError) in try store.heads(under: stored.key) }
    others.removeAll { !stored.replaces($0) }
    let yielding = others.map { EntryName(of: $0) }.filter { restricted[$0] != nil }
    if !isRestricted, !yielding.isEmpty {
      _ = store.remove(yielding.compactMap { restricted.removeValue(forKey: $0) })
      others.removeAll { yielding.contains(EntryName(of: $0)) }
    }
    if others.contains(where: { $0.responseTime == stored.responseTime }) {
      // Restricted responses to different requests have one place, because the archive does not tell them apart.
      let isFirst = !isRestricted || takenPlaces.insert(EntryName(of: stored)).inserted
      throw .refused(isFirst ? .alreadyStored : .placeTaken)
    }
    // A restricted response replaces none that may answer all requests.
    if isRestricted, yielding.count < others.count { throw .refused(.restricted) }
  }

  /// Appends the content of a stored response for `target` that has this digest.
  ///
  /// - Throws: `.contentAbsent` if no stored response has it.
  func copy(
    _ payload: (algorithm: DigestAlgorithm, bytes: [UInt8]), of target: TargetURI, into content: ImportedContent
  ) throws(RecordFault) {
    // Most responses are under the plain key. Finding them needs no walk, which looks at all entries of a directory.
    let plain = try storing { () throws(StoreError) in try store.heads(under: CacheKey(target)) }
    if try copy(payload, ofFirstOf: plain, into: content) { return }
    let walked = try storing { () throws(StoreError) in try store.entries(for: target) }
    let others = walked.compactMap(\.stored)
    guard try copy(payload, ofFirstOf: others, into: content) else { throw .refused(.contentAbsent) }
  }

  /// - Returns: whether a candidate has the digest.
  private func copy(
    _ payload: (algorithm: DigestAlgorithm, bytes: [UInt8]), ofFirstOf candidates: [StoredResponse],
    into content: ImportedContent
  ) throws(RecordFault) -> Bool {
    for stored in candidates where !stored.isPart {
      guard let held = try? store.open(stored), Self.digest(of: held, payload.algorithm) == payload.bytes else {
        continue
      }
      do throws(ContentFailure<StoreError>) {
        try held.forEachVerifiedChunk { (bytes) throws(StoreError) in try content.append(bytes) }
      } catch {
        switch error {
        case .sink(let error): throw Self.fault(error)
        // The content was intact when its digest was computed, and the appended part of it cannot be taken back.
        case .damaged: throw .refused(.contentAbsent)
        case .interrupted: throw .fatal(.interrupted)
        }
      }
      return true
    }
    return false
  }

  private static func digest(of content: borrowing StoredContent, _ algorithm: DigestAlgorithm) -> [UInt8]? {
    var digester = Digester(algorithm)
    do throws(ContentFailure<Never>) {
      try content.forEachVerifiedChunk { (bytes) throws(Never) in digester.update(bytes) }
    } catch {
      return nil
    }
    return digester.finish()
  }

  private func audience(of exchange: ArchivedExchange) throws(RecordFault) -> [UInt8]? {
    // A restricted response answers requests without credentials, because its own credentials are unknown.
    guard !exchange.isRestricted, let bytes = Audience(of: exchange.identifyingRequest).canonicalBytes else {
      return nil
    }
    guard let digest = conceal(bytes) else { throw .refused(.notStorable(.cannotConceal, exchange.method)) }
    return digest
  }

  private func conceal(_ bytes: [UInt8]) -> [UInt8]? {
    if secret == nil { secret = try? store.secret(creating: true) }
    return secret.map { keyedDigest(key: $0, message: bytes) }
  }

  // MARK: Errors

  /// Does some work with the store, and turns its errors into those of a record.
  func storing<Result>(_ work: () throws(StoreError) -> Result) throws(RecordFault) -> Result {
    do throws(StoreError) { return try work() } catch { throw Self.fault(error) }
  }

  private static func fault(_ error: StoreError) -> RecordFault {
    switch error {
    case .tooLarge, .contentTooLong: .refused(.tooLarge)
    case .headTooLarge: .refused(.damaged("head is too large to be stored"))
    case .full, .variantsPinned: .refused(.full)
    case .failed(_, .interrupted): .fatal(.interrupted)
    case .unsafe, .failed, .damaged, .notItsExtent, .contentChanged: .fatal(.store(error))
    }
  }
}

/// The content of a response on its way into the store.
///
/// Releasing it without a commit abandons it.
final class ImportedContent {
  private var entry: EntryWriter?
  private var digester: Digester?
  /// The bytes appended so far.
  private(set) var length: UInt64 = 0

  init(_ writer: consuming EntryWriter, _ algorithm: DigestAlgorithm?) {
    entry = consume writer
    digester = algorithm.map { Digester($0) }
  }

  /// The digest of the content; `nil` if none was asked for.
  var digest: [UInt8]? { digester?.finish() }

  func append(_ bytes: UnsafeRawBufferPointer) throws(StoreError) {
    guard var active = entry.take() else { return }
    try active.append(bytes)
    length += UInt64(bytes.count)
    digester?.update(bytes)
    entry = consume active
  }

  /// - Returns: `nil` if the store keeps what it has.
  fileprivate func commit(_ stored: StoredResponse) throws(StoreError) -> WrittenEntry? {
    guard let finished = entry.take() else { return nil }
    let written = finished.identity(as: stored)
    return try finished.commit(stored) == .stored ? written : nil
  }
}
