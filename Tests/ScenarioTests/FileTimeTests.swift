import Glibc
import TestSupport
import Testing

/// The modification times of output files.
@Suite struct FileTimeTests {
  @Test func `-R gives the file the time of Last-Modified, from the store too`() throws {
    let scenario = try self.scenario(("Last-Modified", "Wed, 01 Jan 2020 00:00:00 GMT"))
    for name in ["one", "two"] {
      let path = scenario.directory.path(name)
      #expect(try scenario.run("-R", "-o", path, scenario.url()).status == 0)
      #expect(try status(of: path).st_mtim.tv_sec == 1_577_836_800)
    }
    #expect(scenario.asked.count == 1)
  }

  @Test func `-R also sets the time of a file that already holds the same content`() throws {
    let scenario = try self.scenario(("Last-Modified", "Wed, 01 Jan 2020 00:00:00 GMT"))
    let path = try scenario.directory.write("body", to: "f")
    #expect(try scenario.run("-R", "--exit-unchanged=9", "-o", path, scenario.url()).status == 9)
    #expect(try status(of: path).st_mtim.tv_sec == 1_577_836_800)
  }

  @Test func `-R accepts a Last-Modified that is nearly a date`() throws {
    let scenario = try self.scenario(("Last-Modified", "Wed, 1-Jan-2020 01:00 +0100"))
    let path = scenario.directory.path("f")
    #expect(try scenario.run("-R", "-o", path, scenario.url()).status == 0)
    #expect(try status(of: path).st_mtim.tv_sec == 1_577_836_800)
  }

  @Test(arguments: ["never", ""])
  func `-R ignores a Last-Modified that is no date`(_ time: String) throws {
    let scenario = try self.scenario(("Last-Modified", time))
    let path = scenario.directory.path("f")
    #expect(try scenario.run("-R", "-o", path, scenario.url()).status == 0)
    #expect(try status(of: path).st_mtim.tv_sec > 1_577_836_800)
  }

  private func scenario(_ fields: (String, String)...) throws -> Scenario {
    try Scenario(.fresh(fields, text: "body"))
  }
}
