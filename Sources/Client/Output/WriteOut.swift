import HTTPCaching
import HTTPSemantics
import Transport

/// What `-w` prints when a transfer is over: curl's variables, and garner's own.
struct WriteOut {
  /// What a transfer left to be told.
  struct Facts {
    var request: Request?
    var typedURL = ""
    var urlNumber = 0
    var filename = ""
    var referer = ""
    var response: Response?
    var redirectURL = ""
    var redirectCount = 0
    var redirectMicroseconds: Int64 = 0
    var exitStatus: Int32 = 0
    var errorMessage = ""
    var deliveredBytes: UInt64 = 0
    var report = TransferReport()
    var cache: CacheReport?
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
    if let text = cacheValue(of: name, facts.cache) { return Array(text.utf8) }
    if let text = responseValue(of: name, facts) { return text }
    if let text = transferValue(of: name, facts.report, facts) { return Array(text.utf8) }
    return nil
  }

  private static func cacheValue(of name: String, _ cache: CacheReport?) -> String? {
    switch name {
    case "cache_status": cache.map { $0.status.member.text } ?? ""
    case "cache_result": cache?.result.rawValue ?? ""
    case "cache_age": cache?.age.map(String.init) ?? ""
    case "cache_ttl": cache?.status.timeToLive.map(String.init) ?? ""
    case "cache_key": cache?.status.key?.description(showing: Masking.masked) ?? ""
    case "cache_stored": cache?.status.isStored == true ? "1" : "0"
    case "cache_reason": cache?.reason ?? ""
    default: nil
    }
  }

  private static func responseValue(of name: String, _ facts: Facts) -> [UInt8]? {
    let text: String
    switch name {
    case "http_code", "response_code": text = code(facts.response?.status)
    case "content_type": return facts.response?.fields[.contentType]?.bytes ?? []
    case "num_headers": text = String(facts.response?.fields.lines.count ?? 0)
    case "num_redirects": text = String(facts.redirectCount)
    case "redirect_url": text = facts.redirectURL
    case "url": text = facts.typedURL
    case "url_effective": text = facts.request?.target.description ?? facts.typedURL
    case "urlnum": text = String(facts.urlNumber)
    case "method": text = facts.request?.method.name ?? ""
    case "scheme": text = facts.request?.target.origin.scheme.rawValue.uppercased() ?? ""
    case "referer": text = facts.referer
    case "filename_effective": text = facts.filename
    case "exitcode": text = String(facts.exitStatus)
    case "errormsg": text = facts.errorMessage
    case "size_download": text = String(facts.deliveredBytes)
    default: return nil
    }
    return Array(text.utf8)
  }

  private static func transferValue(of name: String, _ report: TransferReport, _ facts: Facts) -> String? {
    switch name {
    case "http_version": report.version.map(versionNumber) ?? "0"
    case "http_connect": "000"
    case "local_ip": report.localAddress
    case "local_port": String(report.localPort)
    case "remote_ip": report.remoteAddress
    case "remote_port": String(report.remotePort)
    case "num_connects": String(report.connectionCount)
    case "ssl_verify_result": String(report.certificateVerification)
    case "size_header": String(report.headerSize)
    case "size_request": String(report.requestSize)
    case "size_upload": String(report.uploadSize)
    case "speed_download": String(report.downloadSpeed)
    case "speed_upload": String(report.uploadSpeed)
    case "time_namelookup": seconds(report.times.nameLookup)
    case "time_connect": seconds(report.times.connect)
    case "time_appconnect": seconds(report.times.appConnect)
    case "time_pretransfer": seconds(report.times.preTransfer)
    case "time_starttransfer": seconds(report.times.startTransfer)
    case "time_redirect": seconds(facts.redirectMicroseconds)
    case "time_total": seconds(report.times.total + facts.redirectMicroseconds)
    default: nil
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
