import FlagTable
import HTTPSemantics
import Interface
import Platform

/// The cookies of a run: read before the first request, sent, taken from origins, and written when all is over.
///
/// They are garner's and not libcurl's, because a request's cookies are part of the key under which its answer is
/// stored. What a stored response sets was taken when it came: it is not taken again.
///
/// Several threads may use it.
final class CookieRecord: @unchecked Sendable {
  private let plan: CookiePlan
  private let context: ProcessContext
  private let diagnostics: Diagnostics
  private let lock = Lock()
  /// Under the lock.
  private var jar = CookieJar()
  /// What is in it could not be read, and is not replaced by what this run learns.
  private var unreadable: [Path] = []

  init(_ plan: CookiePlan, _ context: ProcessContext, _ diagnostics: Diagnostics) {
    self.plan = plan
    self.context = context
    self.diagnostics = diagnostics
    for name in plan.files {
      do throws(Failure) {
        for cookie in CookieFile.read(try context.read(.file(name), upTo: .notes), at: now) {
          if plan.dropsSessions, cookie.expiry == nil { continue }
          jar.keep(cookie, at: now)
        }
      } catch {
        if case .unreadableInput = error {
          diagnostics.warn(error.message)
          if let path = Path(name.bytes) { unreadable.append(path) }
        } else {
          // The first run with a jar has none to read.
          diagnostics.note(error.message)
        }
      }
    }
  }

  private var now: Timestamp { context.clock.timestamp }

  /// The request with the cookies that are for its target, before those that were typed.
  func added(to request: Request) -> Request {
    lock.lock()
    let cookies = jar.field(for: request.target, at: now)
    lock.unlock()
    guard let cookies else { return request }
    var request = request
    let typed = request.fields[.cookie].map { Array("; ".utf8) + $0.bytes } ?? []
    request.fields.set(.cookie, FieldValue(cookies.bytes + typed))
    return request
  }

  /// Takes what an origin sets.
  func note(_ head: Response, from target: TargetURI) {
    lock.lock()
    defer { lock.unlock() }
    jar.keep(head.fields, from: target, at: now)
  }

  /// Writes the jar, where that was asked for.
  func finish() throws(Failure) {
    guard let output = plan.output else { return }
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
        let file = try AtomicFile(path)
        // Whoever has a cookie is taken for whom it was given to.
        if file.isAtomic, file.replaced == nil { try file.descriptor.setMode(.privateFile) }
        try file.descriptor.writeAll(bytes)
        try file.commit()
      } catch {
        // As with curl, which says it under -v only: what was fetched is there.
        diagnostics.warn("the cookies are not kept: \(Failure.output(path.description, error).message)")
      }
    }
  }
}

/// Those of each set of options.
struct CookieRecords {
  /// Empty where no set has any, as mostly.
  private var records: [CookieRecord?] = []

  init(of transfers: TransferQueue, _ context: ProcessContext, _ diagnostics: Diagnostics) {
    guard transfers.hasCookies else { return }
    for group in transfers.groups {
      records.append(group.cookiePlan.map { CookieRecord($0, context, diagnostics) })
    }
  }

  subscript(_ group: TransferGroup) -> CookieRecord? { records.isEmpty ? nil : records[group.index] }

  /// Writes those that are to be written.
  func finish(reporting report: (Failure) -> Void) {
    for record in records {
      do throws(Failure) { try record?.finish() } catch { report(error) }
    }
  }
}
