/// The variables of `-w`: curl's, and garner's own.
package enum WriteOutVariable: String, Equatable, Sendable, CaseIterable {
  case cacheStatus = "cache_status"
  case cacheResult = "cache_result"
  case cacheAge = "cache_age"
  case cacheTTL = "cache_ttl"
  case cacheKey = "cache_key"
  case cacheStored = "cache_stored"
  case cacheReason = "cache_reason"
  case httpCode = "http_code"
  case responseCode = "response_code"
  case contentType = "content_type"
  case numHeaders = "num_headers"
  case numRedirects = "num_redirects"
  case redirectURL = "redirect_url"
  case url
  case effectiveURL = "url_effective"
  case urlNumber = "urlnum"
  case method
  case scheme
  case referer
  case effectiveFilename = "filename_effective"
  case exitCode = "exitcode"
  case errorMessage = "errormsg"
  case httpVersion = "http_version"
  case httpConnect = "http_connect"
  case localAddress = "local_ip"
  case localPort = "local_port"
  case remoteAddress = "remote_ip"
  case remotePort = "remote_port"
  case numConnects = "num_connects"
  case verifyResult = "ssl_verify_result"
  case proxyVerifyResult = "proxy_ssl_verify_result"
  case certificateCount = "num_certs"
  case certificates = "certs"
  case sizeDownload = "size_download"
  case sizeHeader = "size_header"
  case sizeRequest = "size_request"
  case sizeUpload = "size_upload"
  case speedDownload = "speed_download"
  case speedUpload = "speed_upload"
  case timeNameLookup = "time_namelookup"
  case timeConnect = "time_connect"
  case timeAppConnect = "time_appconnect"
  case timePreTransfer = "time_pretransfer"
  case timeStartTransfer = "time_starttransfer"
  case timeRedirect = "time_redirect"
  case timeTotal = "time_total"

  /// A sentence for `garner help variables` and the manual page.
  var meaning: String {
    switch self {
    case .cacheStatus: "What the cache did, as a member of Cache-Status (RFC 9211)."
    case .cacheResult:
      """
      `hit`, `stale` (served stale, for a reason that `-v` names), `validated` (the origin confirmed the stored
      response), `updated` (a new response replaced the stored one), `miss` (also if the response replaced nothing, such
      as an error that is not stored) or `bypass` (the cache was not used).
      """
    case .cacheAge: "The age of the delivered response, in seconds, by its Date, its Age and its time in the cache."
    case .cacheTTL: "How long the response stays fresh, in seconds; negative if it is stale."
    case .cacheKey: "The key that the response is stored under."
    case .cacheStored:
      """
      1 if this fetch stored or updated the response, else 0. It is 0 if the response was meant for the disk, and only
      the memory of the run has it.
      """
    case .cacheReason: "Why the cache did what it did, in a sentence."
    case .httpCode, .responseCode:
      """
      The status, in three digits; `000` if there was no response, but `504` if nothing may be sent and no stored
      response answers the request (exit status 110).
      """
    case .contentType: "The Content-Type of the response."
    case .numHeaders: "The number of field lines of the response."
    case .numRedirects: "The number of redirects that were followed."
    case .redirectURL: "The target of a redirect that was not followed."
    case .url: "The URL as it was typed."
    case .effectiveURL: "The URL that was fetched last."
    case .urlNumber: "The number of the URL among those that were typed, from 0 on."
    case .method: "The method of the last request."
    case .scheme: "The scheme of the URL that was fetched last, in capitals."
    case .referer: "The Referer that was sent."
    case .effectiveFilename: "The file that the body was written to."
    case .exitCode: "The exit status of the fetch, but never that of `--exit-unchanged`, which belongs to the run."
    case .errorMessage: "The error message, as on standard error."
    case .httpVersion: "The HTTP version of the response; `0` if nothing was sent."
    case .httpConnect: "The status of the proxy's answer to CONNECT; `000` if there was no CONNECT."
    case .localAddress: "The local address of the connection."
    case .localPort: "The local port of the connection."
    case .remoteAddress: "The remote address of the connection."
    case .remotePort: "The remote port of the connection."
    case .numConnects: "The number of new connections."
    case .verifyResult: "The result of verifying the certificate; 0 is success."
    case .proxyVerifyResult: "The result of verifying the certificate of an https proxy; 0 is success."
    case .certificateCount: "The number of certificates that the origin presented; 0 without TLS in this fetch."
    case .certificates: "What these certificates say, and the certificates themselves (PEM)."
    case .sizeDownload: "The number of bytes of the body that were delivered, also from the cache."
    case .sizeHeader: "The number of bytes of the heads that were received."
    case .sizeRequest: "The number of bytes of the requests that were sent."
    case .sizeUpload: "The number of bytes of content that were sent."
    case .speedDownload: "Bytes a second, received."
    case .speedUpload: "Bytes a second, sent."
    case .timeNameLookup: "Seconds until the name was resolved."
    case .timeConnect: "Seconds until the connection was made."
    case .timeAppConnect: "Seconds until the TLS handshake was done."
    case .timePreTransfer: "Seconds until the request could be sent."
    case .timeStartTransfer: "Seconds until the first byte arrived."
    case .timeRedirect: "Seconds that redirects took."
    case .timeTotal: "Seconds in all; for a hit, the time that the cache took."
    }
  }
}
