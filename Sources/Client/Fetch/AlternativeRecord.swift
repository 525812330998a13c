import FlagTable
import HTTPSemantics
import Platform

/// The alternative services that origins offer during a run, kept for the file of `--alt-svc`.
///
/// libcurl reads the file and uses the alternatives, but what it learns itself lasts only as long as its handle. garner
/// writes the file, because libcurl would truncate it before writing, follow links to do so, and write only what one of
/// its handles knows.
///
/// Several threads may use it.
final class AlternativeRecord: @unchecked Sendable {
  private let file: OriginFile
  private let clock: Clock
  private let lock = Lock()
  // Under the lock: what each origin has said last.
  private var news: [(origin: AlternativeServices.Origin, offers: [AlternativeServices.Entry])] = []

  /// - Returns: `nil` if there is no file to write.
  init?(_ name: ArgumentText, _ context: ProcessContext, _ diagnostics: Diagnostics) {
    guard let file = OriginFile(name, of: "--alt-svc", keeping: "alternatives", context, diagnostics) else {
      return nil
    }
    do throws(Failure) {
      try file.check()
    } catch {
      diagnostics.warn(ofUnread: error)
      return nil
    }
    self.file = file
    clock = context.clock
  }

  /// Notes the alternatives that an origin offers with a response. Those offered over plain http are ignored, because
  /// anybody could have sent them.
  func note(_ head: Response, from target: TargetURI) {
    guard target.origin.scheme == .https else { return }
    let origin = AlternativeServices.Origin(host: target.origin.host, port: Int(target.origin.port))
    guard let offers = AlternativeServices.offered(by: head, from: origin, at: clock.timestamp) else { return }
    lock.lock()
    defer { lock.unlock() }
    news.removeAll { $0.origin == origin }
    news.append((origin, offers))
  }

  /// Writes the file if this run has learnt something new.
  func finish() {
    lock.lock()
    defer { lock.unlock() }
    if news.isEmpty { return }
    file.update { bytes in
      var services = AlternativeServices(AlternativeFile.read(bytes))
      services.removeExpired(at: clock.timestamp)
      var isNew = false
      for (origin, offers) in news where services.replace(offers, of: origin, at: clock.timestamp) { isNew = true }
      return isNew ? AlternativeFile.write(services.entries) : nil
    }
    // Written once: see `StrictHostRecord.finish()`.
    news = []
  }
}

/// The format of that file, which is curl's: a line for each alternative, with the origin, what it offers and the
/// expiry.
enum AlternativeFile {
  private static let heading = "# What origins offer in their places. Written by garner.\n"

  static func read(_ bytes: [UInt8]) -> [AlternativeServices.Entry] { OriginFile.lines(of: bytes).compactMap(entry) }

  private static func entry(_ line: ArraySlice<UInt8>) -> AlternativeServices.Entry? {
    let parts = line.split(separator: ASCII.quote, omittingEmptySubsequences: false)
    guard parts.count == 3, let expiry = OriginFile.moment(parts[1]) else { return nil }
    let words = parts[0].split(whereSeparator: ASCII.isWhitespace).map { String(decoding: $0, as: UTF8.self) }
    guard words.count == 6, let originPort = port(words[2]), let port = port(words[5]) else { return nil }
    let flags = parts[2].split(whereSeparator: ASCII.isWhitespace)
    return AlternativeServices.Entry(
      origin: AlternativeServices.Origin(host: host(words[1]), port: originPort), originProtocol: words[0],
      offeredProtocol: words[3], host: host(words[4]), port: port, expiry: expiry,
      isPersistent: flags.first?.elementsEqual("1".utf8) ?? false)
  }

  private static func port(_ word: String) -> Int? { Int(word).flatMap { 1...65_535 ~= $0 ? $0 : nil } }

  /// Returns the host that a word of the file names. An IPv6 address has no brackets there: libcurl takes them for a
  /// part of the name.
  private static func host(_ word: String) -> String {
    IPAddress.bracketed(word.utf8) ?? String(decoding: ASCII.lowercased(Array(word.utf8)), as: UTF8.self)
  }

  static func write(_ entries: [AlternativeServices.Entry]) -> [UInt8] {
    var text = heading
    for entry in entries {
      text += "\(entry.originProtocol) \(OriginFile.host(entry.origin.host)) \(entry.origin.port) "
      text += "\(entry.offeredProtocol) \(OriginFile.host(entry.host)) \(entry.port) "
      text += "\"\(OriginFile.words(entry.expiry) ?? "99991231 23:59:59")\" \(entry.isPersistent ? 1 : 0) 0\n"
    }
    return Array(text.utf8)
  }
}
