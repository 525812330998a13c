import TestSupport
import Testing

/// Tests that the memory for parallel transfers does not grow with the length of their bodies.
@Suite struct ParallelMemoryTests {
  private static let count = 8 << 20
  private static let urls = 40

  /// The bounds are in MiB. Content that arrives before its turn takes 8 of them, and files beyond that; stored
  /// responses may take 64. A debug build takes some ten more than a release build.
  @Test(arguments: [(["--memory-capacity", "0"], 96), ([], 192)])
  func `bodies that come side by side are not all held in memory at a time`(_ options: [String], _ bound: Int) throws {
    try withOrigin(answering: { _ in
      .response(fields: [("Cache-Control", "max-age=3600")], patternCount: UInt64(Self.count))
    }) { origin in
      let home = try TemporaryDirectory()
      var run = ToolRun(["-s", "-Z"] + options + [origin.url("/[1-\(Self.urls)]")], home: home)
      run.stdout = .stalled
      let process = try run.start()
      #expect(process.hasOutputWaiting(withinMilliseconds: 30_000))
      process.readOutput()
      #expect(process.hasWritten(byteCount: Self.count * Self.urls - (1 << 20), withinMilliseconds: 60_000))
      let resident = try process.peakResidentBytes()
      #expect(resident <= bound << 20, "\(resident >> 10) KiB")
      #expect(try process.finish().succeeded)
    }
  }
}
