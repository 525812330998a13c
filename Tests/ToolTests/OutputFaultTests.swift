import Glibc
import TestSupport
import Testing

/// Tests with calls that some file systems and containers refuse, by means of the preloaded library of
/// `StoreFaultTests`.
@Suite(
  "A file system that refuses to set permissions or times does not prevent the output",
  .enabled(if: !BuiltTool.isNamed, "The library may not fit another binary."))
struct OutputFaultTests {
  @Test(arguments: [
    (["-R", "-o"], "futimens:1 fail \(EPERM) 2"), (["-o"], "fchmod:1 fail \(EPERM) 2"),
    (["-o"], "fchmod:1 fail \(ENOSYS) 2"), (["-s", "-D"], "fchmod:1 fail \(EPERM) 2"),
    (["-o"], "faccessat:1 fail \(EPERM) 2"),
  ])
  func `a file is replaced although the file system refuses a change of permissions or times`(
    _ options: [String], _ plan: String
  ) throws {
    let fields = [("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT")]
    try withOrigin(answering: { _ in .response(fields: fields, text: "new") }) { origin in
      let home = try TemporaryDirectory()
      let directory = try home.makeDirectory("out")
      let file = try home.write("old", to: "out/file")
      let log = try home.write("", to: "log")
      let result = try runTool(options + [file, origin.url("/a")], home: home) {
        $0.environment["LD_PRELOAD"] = BuiltTool.faultShimPath
        $0.environment["GARNER_FAULT_STORE"] = directory
        $0.environment["GARNER_FAULT_LOG"] = log
        $0.environment["GARNER_FAULT_PLAN"] = plan
      }
      #expect(result.succeeded && result.errorText == "", "\(result)")
      let text = String(decoding: try readFile(file), as: UTF8.self)
      #expect(options.contains("-D") ? text.hasPrefix("HTTP/1.1 200") : text == "new")
      #expect(try !home.read("log").isEmpty, "no call was met by \(plan)")
      #expect(namesInDirectory(directory) == ["file"])
    }
  }
}
