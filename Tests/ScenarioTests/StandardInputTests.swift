import TestSupport
import Testing

/// Options that name standard input: it can be read once.
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
  func `two options that name it are refused`(_ row: Row) throws {
    let scenario = try Scenario(.response(text: "x"))
    let run = try scenario.run(row.arguments + [scenario.url()])
    #expect(run.status == 2 && scenario.asked == [])
    #expect(run.diagnostics == "garner: standard input cannot be read for both \(row.named)\n")
  }

  @Test func `nothing is sent where the other option is behind --next`() throws {
    let scenario = try Scenario(.response(text: "x"))
    let run = try scenario.run("-T", "-", scenario.url(), "--next", "-F", "a=<-", scenario.url(), input: "data")
    #expect(run.status == 2 && scenario.asked == [])
    #expect(run.diagnostics == "garner: standard input cannot be read for both --upload-file and --form\n")
  }

  @Test func `an archive is read where no option has it`() throws {
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
  func `a line that is wrong is told by its name`(_ index: Int) throws {
    let fault = Self.faults[index]
    let scenario = try Scenario(.response(text: "x"))
    let run = try scenario.run(fault.arguments + [scenario.url()], input: fault.input)
    #expect(run.status != 0)
    #expect(run.diagnostics.hasPrefix("garner: " + fault.message), "\(run.diagnostics)")
  }

  @Test func `an option that names it again finds its end`() throws {
    let scenario = try Scenario { .response(content: $0.content) }
    let url = scenario.url()
    let run = try scenario.run("-d", "@-", "--data-binary", "@-", url, "--next", "-d", "@-", url, input: "x")
    #expect(run.status == 0 && run.text == "x&")
    #expect(scenario.asked == ["POST /", "POST /"])
  }
}
