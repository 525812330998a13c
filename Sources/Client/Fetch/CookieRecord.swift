import FlagTable
import HTTPCaching
import HTTPSemantics
import Interface
import Platform
import Transport

/// The cookies of one set of options: read when the set's turn comes, sent, taken from origins, and written when the
/// run is over. As in curl, a set begins with the cookies of the sets before it, and gives none back to them.
///
/// garner keeps cookies itself, instead of libcurl, because a request's cookies are part of the key under which its
/// answer is stored. The cookies that a stored response sets were taken when it came: they are not taken again.
///
/// Several threads may use it.
final class CookieRecord: @unchecked Sendable {
  let output: CookiePlan.Output?
  /// Whether the cookies that origins set are written in the end.
  var isKept: Bool { output != nil }
  private let context: ProcessContext
  private let diagnostics: Diagnostics
  private let lock = Lock()
  // Under the lock.
  private var jar = CookieJar()
  /// The record of the set that began after this one.
  private var next: CookieRecord?
  /// The files that have been read or will be written. They are not read again: the jar has what they will hold.
  private var known: [Path] = []
  /// The files of which everything but session cookies has been read.
  private var knownWithoutSessions: [Path] = []
  /// The files that could not be read. They are not replaced by what this run learns.
  private var unreadable: [Path] = []

  /// - Parameter previous: the record of the set that began before this one.
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
      // A file is not read twice: an origin may have removed some of its cookies since.
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
      // A FIFO of one's own is waited for.
      if OutputPath.isPlantedFIFO(path) {
        throw .unreadableInput(
          name.visible, "another user put this FIFO, or a link to it, into a directory that everybody can write to")
      }
      let bytes = try context.read(.file(name), for: "--cookie", upTo: .settings)
      for cookie in CookieFile.read(bytes, at: now) {
        if share == .all || (share == .sessions) == (cookie.expiry == nil) { jar.keep(cookie, at: now) }
      }
    } catch {
      if error.isOfMissingInput {
        // The first run that uses the file has none to read.
        diagnostics.note(error.message)
      } else {
        diagnostics.warn(ofUnread: error)
        unreadable.append(path)
      }
    }
  }

  private var now: Timestamp { context.clock.timestamp }

  /// Returns the request with its cookies from the jar, before those that the user typed.
  func added(to request: Request) -> Request {
    if request.leavesOut(.cookie) { return request }
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

  /// Takes the cookies that an origin sets. The sets of options that began later get them as well: with `--parallel`,
  /// their URLs are fetched at the same time.
  func note(_ head: Response, to request: Request) {
    lock.lock()
    jar.takeCookies(of: head.fields, inAnswerTo: request, at: now, isPublicSuffix: isPublicSuffix)
    let next = next
    lock.unlock()
    next?.note(head, to: request)
  }

  /// Whether a domain is a public suffix. If that cannot be found out, it is taken for one.
  private func isPublicSuffix(_ domain: String) -> Bool {
    do throws(PublicSuffixes.Unknown) {
      return try PublicSuffixes.contains(domain)
    } catch {
      diagnostics.warn(
        "cookies for a whole domain are not accepted: \(error.reason)",
        hint: "garner-psl is installed with garner, and needs libpsl (on Debian: libpsl5)")
      return true
    }
  }

  /// Writes the jar, if that was asked for.
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
      if unreadable.contains(path) {
        return diagnostics.warn("the cookies are not saved: their file was not readable, and its content would be lost")
      }
      do throws(Errno) {
        // A cookie lets its bearer act as its owner: the file is private.
        try AtomicFile.write(bytes, to: path, isPrivate: true)
      } catch {
        // A warning and no failure, as in curl, which reports it under -v only: the fetch has succeeded.
        diagnostics.warn("the cookies are not saved: \(Failure.output(path.visible, error).message)")
      }
    }
  }
}

/// The cookie records of all sets of options.
final class GroupCookieRecords: @unchecked Sendable {
  /// The sets that use cookies: in most runs there are none.
  private let sets: [TransferGroup]
  private let context: ProcessContext
  private let diagnostics: Diagnostics
  private let lock = Lock()
  // Under the lock: a record for each set that has begun.
  private var records: [CookieRecord] = []

  init(of transfers: TransferQueue, _ context: ProcessContext, _ diagnostics: Diagnostics) {
    sets = transfers.hasCookies ? transfers.groups.filter { $0.cookiePlan != nil } : []
    self.context = context
    self.diagnostics = diagnostics
  }

  /// The record of a set whose turn has come; `nil` if the set neither sends nor keeps cookies.
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

  /// Writes the records that are to be written.
  func finish(reporting report: (Failure) -> Void) {
    // If several sets write one file, only the last set does: it has the cookies of all.
    for (index, record) in records.enumerated()
    where !records[(index + 1)...].contains(where: { $0.output == record.output }) {
      do throws(Failure) { try record.finish() } catch { report(error) }
    }
  }
}
