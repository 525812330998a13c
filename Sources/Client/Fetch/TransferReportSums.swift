import Transport

extension TransferReport {
  /// Returns this report together with that of the next hop of a redirected transfer. As libcurl counts, times, heads,
  /// requests and connections are sums, and the figures of content are the last hop's.
  ///
  /// - Parameter isAnswered: whether the next hop has a response; otherwise the connection of this hop is reported.
  func followed(by next: TransferReport, isAnswered: Bool) -> TransferReport {
    var sum = isAnswered ? next.withCertificates(of: self) : self
    sum.times.nameLookup = times.nameLookup + next.times.nameLookup
    sum.times.connect = times.connect + next.times.connect
    sum.times.appConnect = times.appConnect + next.times.appConnect
    sum.times.preTransfer = times.preTransfer + next.times.preTransfer
    sum.times.startTransfer = times.startTransfer + next.times.startTransfer
    sum.times.total = times.total + next.times.total
    sum.tunnelStatus = next.tunnelStatus > 0 ? next.tunnelStatus : tunnelStatus
    (sum.downloadSize, sum.uploadSize) = (next.downloadSize, next.uploadSize)
    sum.headerSize = headerSize + next.headerSize
    sum.requestSize = requestSize + next.requestSize
    sum.connectionCount = connectionCount + next.connectionCount
    sum.downloadSpeed = Self.speed(sum.downloadSize, sum.times.total)
    sum.uploadSpeed = Self.speed(sum.uploadSize, sum.times.total)
    return sum
  }

  /// Returns the report as if the transfer had begun earlier and waited before sending anything.
  func delayed(byMicroseconds wait: Int64) -> TransferReport {
    func shift(_ time: inout Int64) { if time > 0 { time += wait } }
    var report = self
    shift(&report.times.nameLookup)
    shift(&report.times.connect)
    shift(&report.times.appConnect)
    shift(&report.times.preTransfer)
    shift(&report.times.startTransfer)
    report.times.total += wait
    report.downloadSpeed = Self.speed(downloadSize, report.times.total)
    report.uploadSpeed = Self.speed(uploadSize, report.times.total)
    return report
  }

  /// Returns the report with the certificates of an earlier transfer, if that has made the same connection: libcurl
  /// reports none for a connection that is used again.
  func withCertificates(of earlier: TransferReport) -> TransferReport {
    guard connectionCount == 0, localPort != 0, localPort == earlier.localPort, localAddress == earlier.localAddress
    else { return self }
    var report = self
    report.certificateVerification = earlier.certificateVerification
    report.proxyCertificateVerification = earlier.proxyCertificateVerification
    report.certificateCount = earlier.certificateCount
    report.certificates = earlier.certificates
    return report
  }

  /// Returns bytes per second.
  private static func speed(_ bytes: Int64, _ microseconds: Int64) -> Int64 {
    Int64(Double(bytes) * 1_000_000 / Double(max(1, microseconds)))
  }
}
