import FlagTable
import HTTPCaching
import HTTPSemantics
import Interface
import Platform
import Transport

/// The cookies of a set of options: read when its turn comes, sent, taken from origins, and written when all is over.
/// It begins with those of the sets before it, as with curl, and gives them none back.
///
/// They are garner's and not libcurl's, because a request's cookies are part of the key under which its answer is
/// stored. What a stored response sets was taken when it came: it is not taken again.
///
/// Several threads may use it.
final class CookieRecord: @unchecked Sendable {
  let output: CookiePlan.Output?
  /// Whether what an origin sets is written in the end.
  var isKept: Bool { output != nil }
  private let context: ProcessContext
  private let diagnostics: Diagnostics
  private let lock = Lock()
  // Under the lock.
  private var jar = CookieJar()
  /// That of the set which has begun after this one.
  private var next: CookieRecord?
  /// The files that have been read or will be written: whatever is in them, the jar has what they will hold.
  private var known: [Path] = []
  /// Those of which all but what is for a session has been read.
  private var knownWithoutSessions: [Path] = []
  /// What is in it could not be read, and is not replaced by what this run learns.
  private var unreadable: [Path] = []

  /// - Parameter previous: of the set that has begun before it.
  init(
    _ plan: CookiePlan, after previous: CookieRecord? = nil, _ context: ProcessContext, _ diagnostics: Diagnostics
  ) {
    output = plan.output
    self.context = context
    self.diagnostics = diagnostics
    previous?.hand(to: self)
    lock.lock()
    defer { lock.unlock() }
    for name in plan.files {
      guard let path = Path(name.bytes), !known.contains(path) else { continue }
      // What has been read is not read again: an origin may have removed it since.
      let isPartKnown = knownWithoutSessions.contains(path)
      if !plan.dropsSessions {
        known.append(path)
        read(isPartKnown ? .sessions : .all, of: name, at: path)
      } else if !isPartKnown {
        knownWithoutSessions.append(path)
        read(.allButSessions, of: name, at: path)
      }
    }
    if case .file(let path) = output { known.append(path) }
  }

  private func hand(to later: CookieRecord) {
    lock.lock()
    defer { lock.unlock() }
    (later.jar, later.unreadable) = (jar, unreadable)
    (later.known, later.knownWithoutSessions) = (known, knownWithoutSessions)
    next = later
  }

  /// Which cookies of a file are taken.
  private enum Share { case all, allButSessions, sessions }

  private func read(_ share: Share, of name: ArgumentText, at path: Path) {
    do throws(Failure) {
      try Failure.throwIfInterrupted()
      let bytes = try context.read(.file(name), for: "--cookie", upTo: .notes)
      for cookie in CookieFile.read(bytes, at: now) {
        if share == .all || (share == .sessions) == (cookie.expiry == nil) { jar.keep(cookie, at: now) }
      }
    } catch {
      if error.isOfMissingInput {
        // The first run with a jar has none to read.
        diagnostics.note(error.message)
      } else {
        diagnostics.warn(ofUnread: error)
        unreadable.append(path)
      }
    }
  }

  private var now: Timestamp { context.clock.timestamp }

  /// The request with the cookies that are for it, before those that were typed.
  func added(to request: Request) -> Request {
    lock.lock()
    let cookies = jar.field(for: request, at: now)
    lock.unlock()
    guard let cookies else { return request }
    var request = request
    // "the user agent MUST NOT attach more than one Cookie header field" (RFC 6265 section 5.4).
    var pairs = cookies.bytes
    for typed in request.fields.values(of: .cookie) where !typed.bytes.isEmpty {
      pairs += [ASCII.semicolon, ASCII.space] + typed.bytes
    }
    request.fields.set(.cookie, FieldValue(pairs))
    return request
  }

  /// Takes what an origin sets, for the sets that have begun later, too: with `--parallel`, those go on meanwhile.
  func note(_ head: Response, to request: Request) {
    lock.lock()
    jar.keep(head.fields, inAnswerTo: request, at: now, isPublicSuffix: isPublicSuffix)
    let next = next
    lock.unlock()
    next?.note(head, to: request)
  }

  /// Where nothing can tell, it may be one.
  private func isPublicSuffix(_ domain: String) -> Bool {
    do throws(PublicSuffixes.Unknown) {
      return try PublicSuffixes.contains(domain)
    } catch {
      diagnostics.warn(
        "cookies for a whole domain are not taken: \(error.reason)",
        hint: "garner-psl is installed with garner, and needs libpsl (on Debian: libpsl5)")
      return true
    }
  }

  /// Writes the jar, where that was asked for.
  func finish() throws(Failure) {
    guard let output else { return }
    lock.lock()
    defer { lock.unlock() }
    jar.removeExpired(at: now)
    let bytes = CookieFile.write(jar.cookies)
    switch output {
    case .standardOutput:
      do throws(Errno) { try context.standardOutput.writeAll(bytes) } catch { throw .output(nil, error) }
    case .file(let path):
      if unreadable.contains(path) { return diagnostics.warn("the cookies are not kept: what is in the file would go") }
      do throws(Errno) {
        // A cookie lets its bearer act as its owner: the file is private.
        let file = try AtomicFile(path, isPrivate: true)
        try file.descriptor.writeAll(bytes)
        try file.commit()
      } catch {
        // As with curl, which says it under -v only: what was fetched is there.
        diagnostics.warn("the cookies are not kept: \(Failure.output(path.visible, error).message)")
      }
    }
  }
}

extension Hop {
  /// Whether cookies that an answer sets are written in the end, or go with a request that follows.
  ///
  /// - Parameters:
  ///   - stored: the answer, where it would come from the store.
  ///   - isLast: whether nothing is fetched behind it but what a redirection leads to.
  func takesCookies(setBy stored: StoredResponse?, into cookies: CookieRecord?, isLast: Bool) -> Bool {
    guard let cookies, let stored else { return false }
    return cookies.isKept || !isLast || terms.redirects.follows(stored.response)
  }
}

/// Those of each set of options.
final class CookieRecords: @unchecked Sendable {
  /// The sets that have some: mostly none has.
  private let sets: [TransferGroup]
  private let context: ProcessContext
  private let diagnostics: Diagnostics
  private let lock = Lock()
  // Under the lock: of as many sets as have begun.
  private var records: [CookieRecord] = []

  init(of transfers: TransferQueue, _ context: ProcessContext, _ diagnostics: Diagnostics) {
    sets = transfers.hasCookies ? transfers.groups.filter { $0.cookiePlan != nil } : []
    self.context = context
    self.diagnostics = diagnostics
  }

  /// Of a set whose turn has come; `nil` where it sends and keeps none.
  subscript(_ group: TransferGroup) -> CookieRecord? {
    guard let place = sets.firstIndex(where: { $0 === group }) else { return nil }
    lock.lock()
    defer { lock.unlock() }
    // With --parallel, the turn of a later set may come first.
    while records.count <= place, let plan = sets[records.count].cookiePlan {
      records.append(CookieRecord(plan, after: records.last, context, diagnostics))
    }
    return records[place]
  }

  /// Writes those that are to be written.
  func finish(reporting report: (Failure) -> Void) {
    // Of one file the last set's, which has those of all.
    for (index, record) in records.enumerated()
    where !records[(index + 1)...].contains(where: { $0.output == record.output }) {
      do throws(Failure) { try record.finish() } catch { report(error) }
    }
  }
}
