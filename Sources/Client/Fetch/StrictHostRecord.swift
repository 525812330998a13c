import FlagTable
import HTTPSemantics
import Interface
import Platform

/// The hosts that a run asks over TLS only, read before the first request and written at the end of the run.
///
/// garner keeps them, not libcurl, because the target is part of the cache key and must be settled before the look-up.
///
/// Several threads may use it.
final class StrictHostRecord: @unchecked Sendable {
  /// The file that keeps them beyond the run; `nil` for none.
  private var file: OriginFile?
  private let clock: Clock
  private let diagnostics: Diagnostics
  private let lock = Lock()
  // Under the lock.
  private var hosts = StrictHosts()
  /// What hosts have said in this run that is to be written to the file.
  private var news: [StrictHosts.Entry] = []

  init(_ name: ArgumentText, _ context: ProcessContext, _ diagnostics: Diagnostics) {
    file = OriginFile(name, of: "--hsts", keeping: "hosts", context, diagnostics)
    clock = context.clock
    self.diagnostics = diagnostics
    guard let file else { return }
    do throws(Failure) {
      hosts = hosts(in: try file.read())
    } catch {
      if error.isOfMissingInput {
        // The first run has none to read.
        diagnostics.note(error.message)
      } else {
        // A file that cannot be read is not replaced by what this run learns.
        self.file = nil
        diagnostics.warn(ofUnread: error)
      }
    }
  }

  private var now: Timestamp { clock.timestamp }

  private func hosts(in bytes: [UInt8]) -> StrictHosts {
    var hosts = StrictHosts()
    for entry in StrictHostFile.read(bytes) { hosts.merge(entry, at: now) }
    return hosts
  }

  func secured(_ target: TargetURI) -> TargetURI {
    lock.lock()
    defer { lock.unlock() }
    return hosts.secured(target, at: now)
  }

  /// Notes what a host says about itself.
  func note(_ head: Response, from target: TargetURI) {
    lock.lock()
    defer { lock.unlock() }
    if let entry = hosts.takeField(of: head.fields, from: target, at: now) { news.append(entry) }
  }

  /// Writes the file if there is something new.
  func finish() {
    lock.lock()
    defer { lock.unlock() }
    if news.isEmpty { return }
    file?.update { bytes in
      var latest = hosts(in: bytes)
      let unkept = news.filter { !latest.setIfRoom($0, at: now) }
      if let first = unkept.first {
        let hosts = unkept.count == 1 ? first.host : "\(first.host) and \(unkept.count - 1) more"
        let limit = StrictHosts.maximumEntries
        diagnostics.warn("\(hosts): not saved, because the file of --hsts has \(limit) hosts already")
      }
      latest.removeExpired(at: now)
      return StrictHostFile.write(latest.entries)
    }
    // Written once. The work in the background calls this again, and by then another run may have written something
    // newer.
    news = []
  }
}

extension TransferPlan {
  /// Returns the request for the typed URL; over TLS, if its host is asked over TLS only.
  ///
  /// - Throws: if the user does not allow the resulting scheme.
  func request(securedBy hosts: StrictHostRecord?) throws(Failure) -> Request {
    guard let hosts else { return request }
    var request = request
    request.target = hosts.secured(request.target)
    let scheme = request.target.origin.scheme
    guard terms.redirects.typedSchemes.allows(scheme) else { throw .schemeNotAllowed(scheme, typed.visible) }
    return request
  }
}

/// A file of such hosts in curl's form: one host per line, with a period before it if its subdomains are included.
enum StrictHostFile {
  private static let heading = "# Hosts that are asked over TLS only. Written by garner.\n"

  static func read(_ bytes: [UInt8]) -> [StrictHosts.Entry] { OriginFile.lines(of: bytes).compactMap(entry) }

  private static func entry(_ line: ArraySlice<UInt8>) -> StrictHosts.Entry? {
    guard let space = line.firstIndex(where: ASCII.isWhitespace) else { return nil }
    let name = line[..<space]
    let isForSubdomains = name.first == ASCII.period
    let host = String(decoding: ASCII.lowercased(isForSubdomains ? name.dropFirst() : name), as: UTF8.self)
    let date = ASCII.trimmed(line[space...])
    guard !host.isEmpty, date.count >= 2, date.first == ASCII.quote, date.last == ASCII.quote else { return nil }
    let words = date.dropFirst().dropLast()
    if words.elementsEqual("unlimited".utf8) {
      return StrictHosts.Entry(host: host, includesSubdomains: isForSubdomains, expiry: nil)
    }
    guard let expiry = OriginFile.moment(words) else { return nil }
    return StrictHosts.Entry(host: host, includesSubdomains: isForSubdomains, expiry: expiry)
  }

  static func write(_ entries: [StrictHosts.Entry]) -> [UInt8] {
    var text = heading
    for entry in entries {
      let expiry = entry.expiry.flatMap(OriginFile.words) ?? "unlimited"
      text += "\(entry.includesSubdomains ? "." : "")\(entry.host) \"\(expiry)\"\n"
    }
    return Array(text.utf8)
  }
}
