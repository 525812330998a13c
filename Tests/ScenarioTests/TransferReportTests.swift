import Testing
import Transport

@testable import Client

/// The combined figures of several transfers that `-w` prints.
@Suite struct TransferReportTests {
  private static func report(_ connections: Int, port: Int, verification: Int = 0, certificates: Int = 0)
    -> TransferReport
  {
    var report = TransferReport()
    report.connectionCount = connections
    report.localAddress = "127.0.0.1"
    report.localPort = port
    report.certificateVerification = verification
    report.certificateCount = certificates
    return report
  }

  @Test func `the certificate figures of a connection are those of each request that has used it`() {
    let first = Self.report(1, port: 40_000, verification: 19, certificates: 2)
    let again = first.followed(by: Self.report(0, port: 40_000), isAnswered: true)
    #expect(again.certificateVerification == 19 && again.certificateCount == 2)
    let another = first.followed(by: Self.report(1, port: 40_001), isAnswered: true)
    #expect(another.certificateVerification == 0 && another.certificateCount == 0)
    let stored = first.followed(by: TransferReport(), isAnswered: true)
    #expect(stored.certificateVerification == 0 && stored.certificateCount == 0)
  }
}
