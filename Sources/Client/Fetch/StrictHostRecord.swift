import FlagTable
import HTTPSemantics
import Interface
import Platform

/// The hosts that are asked over TLS only, as a run knows them: read before the first request, and written at its end.
///
/// They are garner's and not libcurl's: the target is the key of what is stored, and is settled before it is looked up.
///
/// Of two runs that write the file at once, what the later one has read and learnt counts.
///
/// Several threads may use it.
final class StrictHostRecord: @unchecked Sendable {
  /// Where it is kept beside the run; `nil` for nowhere.
  private var path: Path?
  private let name: ArgumentText
  private let context: ProcessContext
  private let diagnostics: Diagnostics
  private let lock = Lock()
  // Under the lock.
  private var hosts = StrictHosts()
  /// What hosts have said in this run, where it is worth being written down.
  private var news: [StrictHosts.Entry] = []

  init(_ name: ArgumentText, _ context: ProcessContext, _ diagnostics: Diagnostics) {
    path = Path(name.bytes)
    self.name = name
    self.context = context
    self.diagnostics = diagnostics
    if path == nil { return }
    do throws(Failure) {
      hosts = try read()
    } catch {
      if error.isOfMissingInput {
        // The first run has none to read.
        diagnostics.note(error.message)
      } else {
        // What is in it is not replaced by what this run learns.
        path = nil
        diagnostics.warn(ofUnread: error)
      }
    }
  }

  private var now: Timestamp { context.clock.timestamp }

  private func read() throws(Failure) -> StrictHosts {
    var hosts = StrictHosts()
    let bytes = try context.read(.file(name), for: "--hsts", upTo: .notes)
    for entry in StrictHostFile.read(bytes) { hosts.keep(entry, at: now) }
    return hosts
  }

  func secured(_ target: TargetURI) -> TargetURI {
    lock.lock()
    defer { lock.unlock() }
    return hosts.secured(target, at: now)
  }

  /// Takes what a host says of itself.
  func note(_ head: Response, from target: TargetURI) {
    lock.lock()
    defer { lock.unlock() }
    if let entry = hosts.keep(head.fields, from: target, at: now) { news.append(entry) }
  }

  /// Writes the file, where there is something new.
  func finish() {
    lock.lock()
    defer { lock.unlock() }
    guard let path, !news.isEmpty else { return }
    // Another run may have written what hosts have told it.
    var latest = StrictHosts()
    do throws(Failure) {
      latest = try read()
    } catch {
      if !error.isOfMissingInput { return diagnostics.warn("the hosts of --hsts are not kept: \(error.message)") }
    }
    for entry in news { latest.keep(entry, at: now) }
    latest.removeExpired(at: now)
    do throws(Errno) {
      let file = try AtomicFile(path)
      try file.descriptor.writeAll(StrictHostFile.write(latest.entries))
      try file.commit()
    } catch {
      // As with a file of cookies: what was fetched is there.
      diagnostics.warn("the hosts of --hsts are not kept: \(Failure.output(path.visible, error).message)")
    }
  }
}

extension TransferPlan {
  /// The request for what was typed: over TLS, where its host is asked so only.
  ///
  /// - Throws: where the user does not allow what it comes to.
  func request(securedBy hosts: StrictHostRecord?) throws(Failure) -> Request {
    guard let hosts else { return request }
    var request = request
    request.target = hosts.secured(request.target)
    let scheme = request.target.origin.scheme
    guard terms.redirects.typedSchemes.allows(scheme) else { throw .schemeNotAllowed(scheme, typed.visible) }
    return request
  }
}

/// A file of such hosts in curl's form: a line a host, with a period before it where what is below is meant, too.
enum StrictHostFile {
  private static let heading = "# Hosts that are asked over TLS only. Written by garner.\n"

  static func read(_ bytes: [UInt8]) -> [StrictHosts.Entry] {
    bytes.split(whereSeparator: { $0 == ASCII.lineFeed || $0 == ASCII.carriageReturn }).compactMap(entry)
  }

  private static func entry(_ line: ArraySlice<UInt8>) -> StrictHosts.Entry? {
    let line = ASCII.trimmed(line)
    guard let space = line.firstIndex(where: ASCII.isWhitespace), line.first != UInt8(ascii: "#") else { return nil }
    let name = line[..<space]
    let isForSubdomains = name.first == ASCII.period
    let host = String(decoding: ASCII.lowercased(isForSubdomains ? name.dropFirst() : name), as: UTF8.self)
    let date = ASCII.trimmed(line[space...])
    guard !host.isEmpty, date.count >= 2, date.first == ASCII.quote, date.last == ASCII.quote else { return nil }
    let words = date.dropFirst().dropLast()
    if words.elementsEqual("unlimited".utf8) {
      return StrictHosts.Entry(host: host, includesSubdomains: isForSubdomains, expiry: nil)
    }
    guard let expiry = moment(words) else { return nil }
    return StrictHosts.Entry(host: host, includesSubdomains: isForSubdomains, expiry: expiry)
  }

  /// `YYYYMMDD HH:MM:SS`, in UTC.
  private static func moment(_ bytes: ArraySlice<UInt8>) -> Timestamp? {
    let digits = bytes.filter(ASCII.isDigit)
    guard bytes.count == 17, digits.count == 14 else { return nil }
    let number = { (range: Range<Int>) in ASCII.decimalInt64(digits[range]) ?? 0 }
    return CivilTime(
      year: number(0..<4), month: number(4..<6), day: number(6..<8), hour: number(8..<10), minute: number(10..<12),
      second: number(12..<14)
    ).timestamp
  }

  static func write(_ entries: [StrictHosts.Entry]) -> [UInt8] {
    var text = heading
    for entry in entries {
      text += "\(entry.includesSubdomains ? "." : "")\(entry.host) \"\(words(entry.expiry))\"\n"
    }
    return Array(text.utf8)
  }

  private static func words(_ expiry: Timestamp?) -> String {
    guard let expiry else { return "unlimited" }
    let time = CivilTime(expiry)
    // Later than the form can say is as good as never.
    if time.year > 9999 { return "unlimited" }
    let date = [CivilTime.padded(time.year, to: 4), CivilTime.padded(time.month), CivilTime.padded(time.day)].joined()
    return "\(date) \(time.clockText)"
  }
}
