import TestSupport
import Testing

/// Several options that name standard input, which can be read only once.
@Suite struct StandardInputTests {
  struct Row: CustomTestStringConvertible {
    let arguments: [String]
    let named: String

    init(_ arguments: String..., named: String) {
      (self.arguments, self.named) = (arguments, named)
    }

    var testDescription: String { arguments.joined(separator: " ") }
  }

  static let rows = [
    Row("-d", "@-", "--input-file", "-", named: "--data and --input-file"),
    Row("--input-file", "-", "--data-binary", "@-", named: "--data and --input-file"),
    Row("-F", "a=@-", "-H", "@-", named: "--header and --form"),
    Row("-F", "a=<-", "-w", "@-", named: "--form and --write-out"),
    Row("-d", "@-", "-H", "@-", named: "--header and --data"),
    Row("-w", "@-", "-d", "@-", named: "--data and --write-out"),
    Row("--url-query", "a@-", "--json", "@-", named: "--data and --url-query"),
    Row("-T", "-", "-H", "@-", named: "--header and --upload-file"),
    Row("-T", ".", "--input-file", "-", named: "--upload-file and --input-file"),
    Row("-K", "-", "-H", "@-", named: "--curl-config and --header"),
    Row("-K", "-", "-d", "@-", named: "--curl-config and --data"),
    Row("--config", "-", "-G", "-d", "@-", named: "--config and --data"),
    Row("--netrc-file", "-", "-d", "@-", named: "--data and --netrc-file"),
    Row("-b", "-", "-w", "@-", named: "--write-out and --cookie"),
  ]

  @Test(arguments: rows)
  func `two options that name standard input are refused`(_ row: Row) throws {
    let scenario = try Scenario(.response(text: "x"))
    let run = try scenario.run(row.arguments + [scenario.url()])
    #expect(run.status == 2 && scenario.asked == [])
    #expect(run.diagnostics == "garner: standard input cannot be read for both \(row.named)\n")
  }

  @Test func `two options that name standard input are refused, even if one is behind --next`() throws {
    let scenario = try Scenario(.response(text: "x"))
    let run = try scenario.run("-T", "-", scenario.url(), "--next", "-F", "a=<-", scenario.url(), input: "data")
    #expect(run.status == 2 && scenario.asked == [])
    #expect(run.diagnostics == "garner: standard input cannot be read for both --upload-file and --form\n")
  }

  @Test func `an archive on standard input is refused if an option names standard input, too`() throws {
    let scenario = try Scenario(.response(text: "x"))
    let run = try scenario.run("--config", "-", "cache", "import", "-", input: "")
    #expect(run.status == 2)
    #expect(run.diagnostics == "garner: standard input cannot be read for both --config and the archive\n")
  }

  static let faults: [(arguments: [String], input: String, message: String)] = [
    (["-H", "@-"], "no field\n", "standard input, line 1: "),
    (["-K", "-"], "\nno-option\n", "standard input, line 2: "),
    (["--config", "-"], "no setting\n", "standard input, line 1: "),
    (["--input-file", "-"], "http://[\n", "standard input, line 1: "),
  ]

  @Test(arguments: faults.indices)
  func `an error in a line of standard input names standard input and the line`(_ index: Int) throws {
    let fault = Self.faults[index]
    let scenario = try Scenario(.response(text: "x"))
    let run = try scenario.run(fault.arguments + [scenario.url()], input: fault.input)
    #expect(run.status != 0)
    #expect(run.diagnostics.hasPrefix("garner: " + fault.message), "\(run.diagnostics)")
  }

  static let twice: [(option: String, arguments: [String])] = [
    ("--data", ["-d", "@-", "/a", "--next", "-d", "@-", "/b"]), ("--data", ["-d", "@-", "--data-binary", "@-", "/a"]),
    ("--form", ["-F", "a=@-", "-F", "b=<-", "/a"]), ("--input-file", ["--input-file", "-", "--input-file", "-"]),
    ("--write-out", ["-w", "@-", "/a", "--next", "-w", "@-", "/b"]),
    ("--upload-file", ["-T", "-", "/a", "--next", "-T", ".", "/b"]),
    ("--upload-file", ["-T", "-", "-T", "-", "/a", "/b"]), ("--upload-file", ["-T", "-", "/[1-2]"]),
  ]

  @Test(arguments: twice.indices)
  func `an option that names standard input twice is refused, and nothing is sent`(_ index: Int) throws {
    let scenario = try Scenario(.response(text: "x"))
    let (option, arguments) = Self.twice[index]
    let run = try scenario.run(arguments.map { $0.hasPrefix("/") ? scenario.url($0) : $0 }, input: "x")
    #expect(run.status == 2 && scenario.asked == [])
    #expect(run.diagnostics == "garner: standard input cannot be read twice for \(option)\n")
  }

  @Test func `options and values that come from standard input can be used again`() throws {
    let scenario = try Scenario(.response(text: "x"))
    let options = try scenario.run("-K", "-", "-K", "-", scenario.url(), input: "header = \"A: 1\"\n")
    #expect(options.status == 0 && scenario.origin.requests[0].value("A") == "1, 1")
    let urls = [scenario.url("/a"), scenario.url("/b")]
    let fields = try scenario.run("-H", "@-", urls[0], "--next", "-H", "@-", urls[1], input: "B: 2\n")
    #expect(fields.status == 0 && scenario.origin.requests.suffix(2).map { $0.value("B") } == ["2", "2"])
    #expect(try scenario.run("-T", "-", urls[0], urls[1], input: "x").status == 0)
  }
}
