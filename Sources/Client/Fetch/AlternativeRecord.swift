import FlagTable
import HTTPSemantics
import Platform

/// The alternatives that origins offer in a run, for the file of `--alt-svc`.
///
/// libcurl reads the file, and goes there; what it learns itself lasts as long as its handle. It would empty the file
/// before it writes another one in its place, follow links to do so, and take one handle's word for all.
///
/// Several threads may use it.
final class AlternativeRecord: @unchecked Sendable {
  private let file: OriginFile
  private let clock: Clock
  private let lock = Lock()
  // Under the lock: what each origin has said last.
  private var news: [(origin: AlternativeServices.Origin, offers: [AlternativeServices.Entry])] = []

  /// - Returns: `nil` where there is no file to be written.
  init?(_ name: ArgumentText, _ context: ProcessContext, _ diagnostics: Diagnostics) {
    guard let file = OriginFile(name, of: "--alt-svc", keeping: "alternatives", context, diagnostics) else {
      return nil
    }
    self.file = file
    clock = context.clock
  }

  /// Takes what an origin says with a response; over plain http anybody could.
  func note(_ head: Response, from target: TargetURI) {
    guard target.origin.scheme == .https else { return }
    let origin = AlternativeServices.Origin(host: target.origin.host, port: Int(target.origin.port))
    guard let offers = AlternativeServices.offered(by: head, from: origin, at: clock.timestamp) else { return }
    lock.lock()
    defer { lock.unlock() }
    news.removeAll { $0.origin == origin }
    news.append((origin, offers))
  }

  /// Writes the file, where there is something new.
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
    // As of hosts that are asked over TLS only: see `StrictHostRecord`.
    news = []
  }
}

/// A file of such alternatives in curl's form, a line each: what offers, what is offered, until when.
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

  /// An IPv6 address has no brackets in such files: libcurl takes them for a part of the name.
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
