import TestSupport
import Testing

/// `--limit-rate` applies from the first byte on, however short the content is, and lets the whole content arrive.
@Suite struct RateTests {
  private static let text = String(repeating: "0123456789", count: 2_000)

  /// - Parameter pieces: the pieces in which the origin sends the content over HTTP/2.
  private func run(
    _ version: String, _ options: [String],
    _ pieces: [String] = [String(text.prefix(10_000)), String(text.dropFirst(10_000))]
  ) throws -> Scenario.Run {
    let gate = Gate()
    defer { gate.open() }
    let head = [Frames.settings, Frames.acknowledgement, Frames.head()]
    let frames = head + pieces.enumerated().map { Frames.data($1, isLast: $0 == pieces.count - 1) }
    let answer: OriginAnswer =
      version == "--http1.1"
      ? .response(text: pieces.joined()) : OriginAnswer([.bytes(frames.flatMap { $0 }), .wait(gate)], ending: .close)
    let scenario = try Scenario(answer)
    return try scenario.run([version] + options + [scenario.url()])
  }

  @Test(arguments: ["--http1.1", "--http2-prior-knowledge"])
  func `content that takes two seconds at --limit-rate is not there before`(_ version: String) throws {
    let run = try run(version, ["--limit-rate", "10K", "-m", "0.3"])
    #expect(run.status == 28 && run.text.utf8.count < Self.text.utf8.count, "\(run.diagnostics)")
  }

  @Test(arguments: ["--http1.1", "--http2-prior-knowledge"])
  func `content that --limit-rate has held back comes whole`(_ version: String) throws {
    let run = try run(version, ["--limit-rate", "200K"])
    #expect(run.status == 0 && run.text == Self.text, "\(run.diagnostics)")
  }

  @Test(arguments: ["--http1.1", "--http2-prior-knowledge"])
  func `a piece that takes more than a second at --limit-rate comes when its time is there`(_ version: String) throws {
    let text = String(Self.text.prefix(1_200))
    let run = try run(version, ["--limit-rate", "1000", "-m", "60"], [text])
    #expect(run.status == 0 && run.text == text, "\(run.diagnostics)")
  }
}
