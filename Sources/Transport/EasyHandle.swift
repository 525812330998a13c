import CCurl
import CurlBinding
import HTTPSemantics

/// A libcurl handle and the connections that it keeps.
final class EasyHandle {
  let pointer: UnsafeMutableRawPointer
  /// libcurl writes its sentences here.
  let errorText: UnsafeMutableBufferPointer<CChar>

  /// Whether the cookie files were named: reading them again would bring back what origins have changed since.
  var hasCookies = false

  /// - Throws: `libraryMissing`.
  init() throws(TransportError) {
    var failure: UnsafePointer<CChar>?
    guard let pointer = libcurl_easy_init(&failure) else {
      throw .libraryMissing(reason: failure.map { String(cString: $0) } ?? "")
    }
    self.pointer = pointer
    errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
    errorText.initialize(repeating: 0)
  }

  deinit {
    libcurl_easy_cleanup(pointer)
    errorText.deallocate()
  }

  /// - Parameter host: its letters decide in which locale libcurl works: to make one costs four files.
  func perform(for host: String) -> CURLcode {
    host.utf8.allSatisfy { $0 < 0x80 } ? libcurl_easy_perform(pointer) : libcurl_easy_perform_in_utf8(pointer)
  }

  /// Forgets every option, and keeps connections, names, TLS sessions and cookies.
  func reset() {
    libcurl_easy_reset(pointer)
    errorText[0] = 0
  }

  /// What went wrong, in libcurl's words.
  func reason(_ code: CURLcode) -> String {
    let text = UnsafePointer(errorText.baseAddress).map { String(cString: $0) } ?? ""
    return text.isEmpty ? String(cString: libcurl_easy_strerror(code)) : text
  }

  func number(_ info: CURLINFO) -> Int {
    var value = 0
    return libcurl_get_long(pointer, info, &value) == CURLE_OK ? value : 0
  }

  /// - Returns: `nil` where libcurl does not know it, which it tells by -1.
  func count(_ info: CURLINFO) -> Int64? {
    var value: curl_off_t = 0
    return libcurl_get_offset(pointer, info, &value) == CURLE_OK && value >= 0 ? Int64(value) : nil
  }

  func text(_ info: CURLINFO) -> String {
    var value: UnsafePointer<CChar>?
    guard libcurl_get_string(pointer, info, &value) == CURLE_OK, let value else { return "" }
    return String(cString: value)
  }

  /// What there is to say about the last transfer.
  func report() -> TransferReport {
    var report = TransferReport()
    report.times.nameLookup = count(CURLINFO_NAMELOOKUP_TIME_T) ?? 0
    report.times.connect = count(CURLINFO_CONNECT_TIME_T) ?? 0
    report.times.appConnect = count(CURLINFO_APPCONNECT_TIME_T) ?? 0
    report.times.preTransfer = count(CURLINFO_PRETRANSFER_TIME_T) ?? 0
    report.times.startTransfer = count(CURLINFO_STARTTRANSFER_TIME_T) ?? 0
    report.times.total = count(CURLINFO_TOTAL_TIME_T) ?? 0
    report.downloadSize = count(CURLINFO_SIZE_DOWNLOAD_T) ?? 0
    report.uploadSize = count(CURLINFO_SIZE_UPLOAD_T) ?? 0
    report.headerSize = Int64(number(CURLINFO_HEADER_SIZE))
    report.requestSize = Int64(number(CURLINFO_REQUEST_SIZE))
    report.downloadSpeed = count(CURLINFO_SPEED_DOWNLOAD_T) ?? 0
    report.uploadSpeed = count(CURLINFO_SPEED_UPLOAD_T) ?? 0
    report.remoteAddress = text(CURLINFO_PRIMARY_IP)
    report.remotePort = number(CURLINFO_PRIMARY_PORT)
    report.localAddress = text(CURLINFO_LOCAL_IP)
    report.localPort = number(CURLINFO_LOCAL_PORT)
    report.connectionCount = number(CURLINFO_NUM_CONNECTS)
    report.version = HTTPVersion(curl: number(CURLINFO_HTTP_VERSION))
    report.scheme = text(CURLINFO_SCHEME)
    report.effectiveURL = text(CURLINFO_EFFECTIVE_URL)
    report.certificateVerification = number(CURLINFO_SSL_VERIFYRESULT)
    return report
  }
}

extension HTTPVersion {
  fileprivate init?(curl number: Int) {
    switch number {
    case CURL_HTTP_VERSION_1_0: self = .http10
    case CURL_HTTP_VERSION_1_1: self = .http11
    case CURL_HTTP_VERSION_2_0: self = .http2
    case CURL_HTTP_VERSION_3: self = .http3
    default: return nil
    }
  }
}
