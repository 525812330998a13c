import FlagTable
import HTTPCaching
import HTTPSemantics
import Interface
import Platform
import Transport

/// What `-w` prints when a transfer is over: curl's variables, and garner's own.
struct WriteOut {
  /// What a transfer left to be told.
  final class Facts {
    var request: Request?
    var typed: ArgumentText = ""
    var urlNumber = 0
    /// Where the content has gone, or is going to.
    var file: Path?
    var referer: FieldValue?
    /// Of the last hop.
    var exchanged: Exchanged?
    var redirectURL = ""
    var redirectCount = 0
    var redirectMicroseconds: Int64 = 0
    var exitStatus: Int32 = 0
    var errorMessage = ""
    var deliveredBytes: UInt64 = 0

    var response: Response? { exchanged?.response }
    var report: TransferReport { exchanged?.transfer ?? TransferReport() }
    var cache: CacheReport? { exchanged?.cache }
  }

  private enum Stream {
    case output
    case diagnostics
  }

  let format: [UInt8]

  /// - Parameter reportUnknown: called with the name of a variable that there is not; it prints nothing.
  /// - Returns: what goes to standard output and what to standard error.
  func text(_ facts: Facts, reportUnknown: (String) -> Void) -> (output: [UInt8], diagnostics: [UInt8]) {
    var output: [UInt8] = []
    var diagnostics: [UInt8] = []
    var stream = Stream.output
    var rest = format[...]
    func emit(_ bytes: some Sequence<UInt8>) {
      if stream == .output { output += bytes } else { diagnostics += bytes }
    }
    while let byte = rest.popFirst() {
      switch (byte, rest.first) {
      case (UInt8(ascii: "%"), UInt8(ascii: "%")):
        rest.removeFirst()
        emit([byte])
      case (UInt8(ascii: "%"), UInt8(ascii: "{")):
        guard let end = rest.firstIndex(of: UInt8(ascii: "}")) else {
          emit([byte])
          continue
        }
        let name = String(decoding: rest[(rest.startIndex + 1)..<end], as: UTF8.self)
        rest = rest[(end + 1)...]
        switch name {
        case "stdout": stream = .output
        case "stderr": stream = .diagnostics
        case "onerror": if facts.exitStatus == 0 { return (output, diagnostics) }
        default: if let value = Self.value(of: name, facts) { emit(value) } else { reportUnknown(name) }
        }
      case (UInt8(ascii: "%"), _) where rest.starts(with: "header{".utf8):
        guard let end = rest.firstIndex(of: UInt8(ascii: "}")) else {
          emit([byte])
          continue
        }
        let name = FieldName(rest[(rest.startIndex + "header{".utf8.count)..<end])
        rest = rest[(end + 1)...]
        if let name, let value = facts.response?.fields[name] { emit(value.bytes) }
      case (UInt8(ascii: "\\"), let escape?):
        rest.removeFirst()
        emit(Self.escaped(escape))
      default:
        emit([byte])
      }
    }
    return (output, diagnostics)
  }

  private static func escaped(_ letter: UInt8) -> [UInt8] {
    switch letter {
    case UInt8(ascii: "n"): [ASCII.lineFeed]
    case UInt8(ascii: "r"): [ASCII.carriageReturn]
    case UInt8(ascii: "t"): [ASCII.horizontalTab]
    default: [ASCII.backslash, letter]
    }
  }

  private static func value(of name: String, _ facts: Facts) -> [UInt8]? {
    guard let variable = WriteOutVariable(rawValue: name) else { return nil }
    // Printed as it came, be it text or not.
    if variable == .contentType { return facts.response?.fields[.contentType]?.bytes ?? [] }
    return Array(text(of: variable, facts).utf8)
  }

  private static func text(of variable: WriteOutVariable, _ facts: Facts) -> String {
    let (report, cache) = (facts.report, facts.cache)
    return switch variable {
    case .cacheStatus: cache.map { $0.status.member.text } ?? ""
    case .cacheResult: cache?.result.word ?? ""
    case .cacheAge: cache?.age.map(String.init) ?? ""
    case .cacheTTL: cache?.status.timeToLive.map(String.init) ?? ""
    case .cacheKey: cache?.status.key?.description(showing: Masking.masked) ?? ""
    case .cacheStored: cache?.status.isStored == true ? "1" : "0"
    case .cacheReason: cache?.reason ?? ""
    case .httpCode, .responseCode: code(facts.response?.status)
    case .contentType: facts.response?.fields[.contentType]?.text ?? ""
    case .numHeaders: String(facts.response?.fields.lines.count ?? 0)
    case .numRedirects: String(facts.redirectCount)
    case .redirectURL: facts.redirectURL
    case .url: facts.typed.visible
    case .effectiveURL: facts.request?.target.description ?? facts.typed.visible
    case .urlNumber: String(facts.urlNumber)
    case .method: facts.request?.method.name ?? ""
    case .scheme: facts.request?.target.origin.scheme.rawValue.uppercased() ?? ""
    case .referer: facts.referer?.text ?? ""
    case .effectiveFilename: facts.file?.description ?? ""
    case .exitCode: String(facts.exitStatus)
    case .errorMessage: facts.errorMessage
    case .httpVersion: report.version.map(versionNumber) ?? "0"
    case .httpConnect: "000"
    case .localAddress: report.localAddress
    case .localPort: String(report.localPort)
    case .remoteAddress: report.remoteAddress
    case .remotePort: String(report.remotePort)
    case .numConnects: String(report.connectionCount)
    case .verifyResult: String(report.certificateVerification)
    case .sizeDownload: String(facts.deliveredBytes)
    case .sizeHeader: String(report.headerSize)
    case .sizeRequest: String(report.requestSize)
    case .sizeUpload: String(report.uploadSize)
    case .speedDownload: String(report.downloadSpeed)
    case .speedUpload: String(report.uploadSpeed)
    case .timeNameLookup: seconds(report.times.nameLookup)
    case .timeConnect: seconds(report.times.connect)
    case .timeAppConnect: seconds(report.times.appConnect)
    case .timePreTransfer: seconds(report.times.preTransfer)
    case .timeStartTransfer: seconds(report.times.startTransfer)
    case .timeRedirect: seconds(facts.redirectMicroseconds)
    case .timeTotal: seconds(report.times.total + facts.redirectMicroseconds)
    }
  }

  private static func versionNumber(_ version: HTTPVersion) -> String {
    String(version.description.drop { $0 != "/" }.dropFirst())
  }

  private static func code(_ status: StatusCode?) -> String {
    let digits = String(status?.rawValue ?? 0)
    return String(repeating: "0", count: max(0, 3 - digits.utf8.count)) + digits
  }

  /// Seconds with six decimals, as curl writes times.
  private static func seconds(_ microseconds: Int64) -> String {
    let microseconds = max(0, microseconds)
    let fraction = String(microseconds % 1_000_000)
    return "\(microseconds / 1_000_000)." + String(repeating: "0", count: 6 - fraction.utf8.count) + fraction
  }
}
