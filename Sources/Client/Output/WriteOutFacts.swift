import FlagTable
import HTTPCaching
import HTTPSemantics
import Interface
import Platform
import Transport

extension WriteOut {
  /// What a transfer has left for `-w` to tell.
  final class Facts {
    var request: Request?
    var typed: ArgumentText = ""
    var urlNumber = 0
    /// Where the content has gone, or is going to.
    var file: Path?
    /// The result of the last attempt at the last hop.
    var lastOutcome: HopOutcome?
    var redirectURL = ""
    private(set) var redirectCount = 0
    private(set) var redirectMicroseconds: Int64 = 0
    /// The result of the hops that have led on.
    private var earlier: Answered?
    /// Whether the cache has the responses of all hops that have led on.
    private var areEarlierStored = true
    /// The Location that has led to the last hop.
    private var location: FieldValue?
    /// Why the store was not used, as a sentence; `nil` if it was.
    var cacheOffReason: String?
    var exitStatus: Int32 = 0
    var errorMessage = ""
    var deliveredBytes: UInt64 = 0
    /// The time from the look-up in the cache to the end; 0 if it has not been measured.
    var elapsedMicroseconds: Int64 = 0

    /// The URL of the last hop, with its fragment, which is for the reader of the output and no part of a request.
    fileprivate var effectiveURL: String {
      guard let request else { return typed.visible }
      return request.target.description + URIReference.fragment(of: location?.bytes ?? typed.bytes)
    }

    /// The response of the last hop that has one.
    var response: Response? { lastOutcome?.response ?? earlier?.response }
    /// The report of all hops together.
    var report: TransferReport {
      let last = lastOutcome?.transfer ?? TransferReport()
      guard let earlier else { return last }
      // The hop that has led on is the last one until there is another.
      if earlier.outcome === lastOutcome { return earlier.report }
      return earlier.report.followed(by: last, isAnswered: lastOutcome?.response != nil)
    }
    /// The bytes of the last hop's content that were received.
    var receivedBytes: Int64 { lastOutcome?.receivedBytes ?? 0 }

    var cache: CacheReport? { lastOutcome?.cache }
    /// Whether the cache has the responses of all hops.
    var areStored: Bool { areEarlierStored && cache?.isKept == true }

    /// Notes that the last response leads to another request.
    func noteRedirect() {
      areEarlierStored = areStored
      redirectCount += 1
      redirectURL = ""
      let report = report
      redirectMicroseconds = report.times.total
      location = response?.fields[.location]
      if let lastOutcome, let response { earlier = Answered(lastOutcome, response, report) }
    }

    // A class, because it is large and few transfers have one.
    private final class Answered {
      let outcome: HopOutcome
      let response: Response
      let report: TransferReport

      init(_ outcome: HopOutcome, _ response: Response, _ report: TransferReport) {
        self.outcome = outcome
        self.response = response
        self.report = report
      }
    }
  }

  /// The value of a variable, as text and in `%{json}`.
  enum Value {
    /// `nil` if there is none.
    case text(String?)
    /// The bytes as they were typed or received; `nil` if there are none.
    case bytes([UInt8]?)
    /// `nil` if there is none.
    case number(Int64?)
    /// A status in three digits.
    case code(Int)
    case microseconds(Int64)

    /// Takes libcurl's empty text for no value.
    init(ofCurl text: String) { self = .text(text.isEmpty ? nil : text) }

    init(_ number: some BinaryInteger) { self = .number(Int64(clamping: number)) }

    /// The value as text; empty if there is none.
    var bytes: [UInt8] {
      switch self {
      case .text(let text): Array((text ?? "").utf8)
      case .bytes(let bytes): bytes ?? []
      case .number(let number): Array((number.map(String.init) ?? "").utf8)
      case .code(let code):
        Array((String(repeating: "0", count: max(0, 3 - String(code).utf8.count)) + String(code)).utf8)
      case .microseconds: Array(json.text.utf8)
      }
    }

    var json: JSON {
      switch self {
      case .text(let text): text.map(JSON.string) ?? .null
      case .bytes(let bytes): bytes.map { .string(String(decoding: $0, as: UTF8.self)) } ?? .null
      case .number(let number): number.map(JSON.number) ?? .null
      case .code(let code): .number(Int64(code))
      case .microseconds(let count): .millionths(max(0, count))
      }
    }
  }
}

extension WriteOut.Facts {
  func value(of variable: WriteOutVariable) -> WriteOut.Value {
    switch variable {
    case .cacheStatus: .text(cache?.status.member.text)
    case .cacheResult: .text(cache?.result.rawValue)
    case .cacheAge: .number(cache?.age)
    case .cacheTTL: .number(cache?.status.timeToLive)
    case .cacheKey: .text(cache?.status.key?.description(masked: true))
    case .cacheStored: .number(cache?.isStoredAsMeant == true ? 1 : 0)
    case .cacheReason: .text(cache.map { $0.reason + (cacheOffReason.map { "; \($0)" } ?? "") })
    case .httpCode, .responseCode: .code(Int(response?.status.rawValue ?? 0))
    case .contentType: .bytes(response?.fields[.contentType]?.bytes)
    case .numHeaders: .init(response?.fields.lines.count ?? 0)
    case .numRedirects: .init(redirectCount)
    case .redirectURL: .text(redirectURL.isEmpty ? nil : redirectURL)
    case .url: .bytes(typed.bytes)
    case .effectiveURL: .text(effectiveURL)
    case .urlNumber: .init(urlNumber)
    case .method: .text(request?.method.name)
    case .scheme: .text(request?.target.origin.scheme.rawValue.uppercased())
    case .referer: .bytes(request?.fields[.referer]?.bytes)
    case .effectiveFilename: .bytes(file.map { Array($0.bytes) })
    case .exitCode: .init(exitStatus)
    case .errorMessage: .text(errorMessage.isEmpty ? nil : errorMessage)
    case .httpConnect: .code(report.tunnelStatus)
    case .httpVersion: .text(report.version?.number ?? "0")
    case .localAddress: .init(ofCurl: report.localAddress)
    case .localPort: .init(report.localPort)
    case .remoteAddress: .init(ofCurl: report.remoteAddress)
    case .remotePort: .init(report.remotePort)
    case .numConnects: .init(report.connectionCount)
    case .verifyResult: .init(report.certificateVerification)
    case .proxyVerifyResult: .init(report.proxyCertificateVerification)
    case .certificateCount: .init(report.certificateCount)
    case .certificates: .init(ofCurl: report.certificates)
    case .sizeDownload: .init(deliveredBytes)
    case .sizeHeader: .init(report.headerSize)
    case .sizeRequest: .init(report.requestSize)
    case .sizeUpload: .init(report.uploadSize)
    case .speedDownload: .init(downloadSpeed)
    case .speedUpload: .init(report.uploadSpeed)
    case .timeNameLookup: .microseconds(report.times.nameLookup)
    case .timeConnect: .microseconds(report.times.connect)
    case .timeAppConnect: .microseconds(report.times.appConnect)
    case .timePreTransfer: .microseconds(report.times.preTransfer)
    case .timeStartTransfer: .microseconds(report.times.startTransfer)
    case .timeRedirect: .microseconds(redirectMicroseconds)
    case .timeTotal: .microseconds(totalMicroseconds)
    }
  }

  /// The total time; if nothing was sent, the time that the cache has taken.
  private var totalMicroseconds: Int64 { report.times.total > 0 ? report.times.total : elapsedMicroseconds }

  /// The bytes per second; if nothing was sent, they are measured by the time that the cache has taken.
  private var downloadSpeed: Int64 {
    if report.times.total > 0 || elapsedMicroseconds == 0 { return report.downloadSpeed }
    return Int64(clamping: UInt64(Double(deliveredBytes) * 1_000_000 / Double(elapsedMicroseconds)))
  }

  // MARK: JSON

  /// All variables, by their names.
  var json: JSON {
    let variables = WriteOutVariable.allCases.ordered { $0.rawValue < $1.rawValue }
    return .object(variables.map { ($0.rawValue, value(of: $0).json) })
  }

  /// The fields of the response, each name once and in lower case, in the layout that curl gives them.
  var fieldsJSON: String {
    var names: [FieldName] = []
    let fields = response?.fields ?? Fields()
    for line in fields.lines where !names.contains(line.name) { names.append(line.name) }
    let members = names.map { name in
      JSON.string(name.lowercased).text + ":" + JSON.array(fields.values(of: name).map { .string($0.text) }).text
    }
    return "{" + members.joined(separator: ",\n") + "\n}"
  }
}

extension HTTPVersion {
  /// The number as curl prints it, which leaves out a zero.
  fileprivate var number: String {
    switch self {
    case .http09: "0.9"
    case .http10: "1"
    case .http11: "1.1"
    case .http2: "2"
    case .http3: "3"
    }
  }
}
