import Glibc
import TestSupport
import Testing

/// Tests of an entry whose inode a damaged file system cannot read.
@Suite(
  "An entry whose inode the file system cannot read",
  .enabled(if: !BuiltTool.isNamed, "The library may not fit another binary."))
struct DamagedInodeTests {
  private static let commands: [(arguments: [String], status: Int32, told: String)] = [
    (["verify"], 113, "damaged"), (["verify", "--repair"], 113, "cannot be removed"),
    (["ls"], 0, "not all of the cache in "),
    (["export", "out.warc"], 113, "damaged"), (["show", "URL"], 113, "damaged"), (["pin", "URL"], 113, "damaged"),
    (["rm", "URL"], 112, ""), (["rm", "--all"], 112, ""), (["prune", "--older-than", "1d"], 0, ""),
  ]

  @Test("An entry with an unreadable inode is reported by every command", arguments: commands, [EBADMSG, EUCLEAN, EIO])
  func told(_ command: (arguments: [String], status: Int32, told: String), reason: Int32) throws {
    try withOrigin(answering: { _ in fresh(text: "content") }) { origin in
      let home = try TemporaryDirectory()
      let url = origin.url("/b")
      #expect(try runTool([url], home: home).succeeded)
      let file = try #require(filesBelow(home.path("cache/garner/v1")).first { $0.utf8.count > 60 })
      #expect(try runTool([origin.url("/a"), origin.url("/c")], home: home).succeeded)
      let name = String(try #require(file.split(separator: "/").last))
      let arguments = ["cache"] + command.arguments.map { $0 == "URL" ? url : $0 }
      let result = try faulty("1 fail \(reason) 1", arguments, home, at: name)
      #expect(result.ending == .exit(command.status) && result.errorText.contains(command.told), "\(result)")
      #expect(try runTool(["-s", "--offline", url], home: home).outputText == "content")
    }
  }

  @Test(
    "An entry with an unreadable inode is not reported as another user's",
    .enabled(if: Machine.isComplete || Isolation.canBeCommonUser),
    arguments: [("verify", 113), ("ls", 0)])
  func owner(command: String, status: Int32) throws {
    try withOrigin(answering: { _ in fresh(text: "content") }) { origin in
      let home = try TemporaryDirectory()
      #expect(try runTool([origin.url("/b")], home: home).succeeded)
      let file = try #require(filesBelow(home.path("cache/garner/v1")).first { $0.utf8.count > 60 })
      let name = String(try #require(file.split(separator: "/").last))
      let (result, isMet) = try attempt(
        "1 fail \(EBADMSG) 1", ["cache", command], home, at: name, through: Isolation.commonUser)
      #expect(isMet && result.ending == .exit(status), "\(result)")
      #expect(!(result.outputText + result.errorText).contains("another user"), "\(result)")
    }
  }
}
