import Foundation
import TestSupport
import Testing

@Suite(
  "Entries and directories that may not be read are neither absent nor damaged",
  .enabled(if: !Machine.isRoot || Machine.has("setpriv"), "There is no setpriv."))
struct UnreadableStoreTests {
  private func run(_ arguments: [String], _ home: TemporaryDirectory) throws -> ToolResult {
    try runTool(arguments, home: home) { $0.wrapper = Machine.withoutPrivileges }
  }

  private func file(of url: String, _ home: TemporaryDirectory) throws -> String {
    let shown = try run(["cache", "show", "--json", url], home).outputText
    return String(try #require(shown.split(separator: #""path":""#).last).prefix { $0 != "\"" })
  }

  /// Commands for one URL, and the purpose that their error message names.
  static let commands: [(command: [String], purpose: String)] = [
    (["show", "URL"], "read"), (["cat", "URL"], "read"), (["pin", "URL"], "pin in"), (["unpin", "URL"], "unpin in"),
    (["tag", "URL", "k=v"], "tag in"), (["explain", "--require", "URL"], "read"),
  ]

  @Test("An unreadable entry of the user's own stays, is reported, and is replaced by a fetch")
  func entry() throws {
    try withOrigin(answering: { _ in fresh(text: "content") }) { origin in
      let home = try TemporaryDirectory()
      let url = origin.url("/a")
      #expect(try run([url, origin.url("/b")], home).succeeded)
      let (entry, root) = (try file(of: url, home), home.path("cache/garner"))
      try checked("chmod", chmod(entry, 0))
      let reason = "cannot be read: Permission denied"
      for options in [[], ["--repair"]] {
        let verified = try run(["cache", "verify"] + options, home)
        #expect(verified.outputText.hasPrefix("unread\t\(entry)\t-\tit \(reason)\n"), "\(verified)")
        #expect(verified.outputText.hasSuffix(": 0 damaged, 1 unread\n"), "\(verified)")
        let told = "garner: cannot verify all of the cache in \(root): 1 entry \(reason)\n"
        #expect(verified.ending == .exit(112) && verified.errorText == told, "\(verified)")
      }
      let object = try run(["cache", "verify", "--json"], home).outputText
      #expect(object.contains("\"damaged\":[],\"foreign\":[],\"unread\":[\"\(entry)\"]"), "\(object)")
      for (command, _) in Self.commands {
        let result = try run(["cache"] + command.map { $0 == "URL" ? url : $0 }, home)
        let told = "garner: the stored response for \(url) \(reason)\n"
        #expect(result.ending == .exit(112) && result.errorText.hasSuffix(told), "\(command): \(result)")
        #expect(!result.errorText.contains("damaged"), "\(result)")
      }
      let explained = try run(["cache", "explain", url], home).outputText
      #expect(explained.contains("\nunread ") && !explained.contains("damaged"), "\(explained)")
      let export = try run(["cache", "export", "-"], home)
      #expect(export.ending == .exit(112) && export.errorText.contains("left out 1 (1 unread)"), "\(export)")
      #expect(export.errorText.hasSuffix("garner: cannot export all of the cache in \(root): 1 entry \(reason)\n"))
      let offline = try run(["--offline", url], home)
      #expect(offline.ending == .exit(110), "\(offline)")
      #expect(offline.errorText.contains(" is not used: the entry ") && offline.errorText.contains(" \(reason)\n"))
      #expect(lines(of: offline.errorText).count { $0.contains("warning") } == 1, "\(offline)")
      #expect(FileManager.default.fileExists(atPath: entry))
      #expect(try run([url], home).outputText == "content")
      #expect(try run(["cache", "verify"], home).outputText.hasSuffix(": 0 damaged\n"))
      #expect(try run(["--offline", url], home).outputText == "content")
    }
  }

  @Test("An unreadable directory makes commands for its URLs fail, and an archive incomplete")
  func directory() throws {
    try withOrigin(answering: { _ in fresh(text: "content") }) { origin in
      let home = try TemporaryDirectory()
      #expect(try run([origin.url("/[1-20]")], home).succeeded)
      let url = origin.url("/1")
      let shard = URL(fileURLWithPath: try file(of: url, home)).deletingLastPathComponent()
      let root = home.path("cache/garner")
      try checked("chmod", chmod(shard.path, 0))
      defer { chmod(shard.path, 0o700) }
      let reason = "\(root): v1/\(shard.lastPathComponent) in it cannot be read: Permission denied"
      for (command, purpose) in Self.commands {
        let result = try run(["cache"] + command.map { $0 == "URL" ? url : $0 }, home)
        let told = "garner: cannot \(purpose) the cache in \(reason)\n"
        #expect(result.ending == .exit(112) && result.errorText.hasSuffix(told), "\(command): \(result)")
      }
      for options in [[], ["*"]] {
        let export = try run(["cache", "export", "-"] + options, home)
        #expect(export.ending == .exit(112) && !export.stdout.isEmpty, "\(export)")
        #expect(export.errorText.hasSuffix("garner: cannot export all of the cache in \(reason)\n"), "\(export)")
      }
      for options in [[], ["--repair"]] {
        let verified = try run(["cache", "verify"] + options, home)
        #expect(verified.outputText.hasPrefix("unread\t\(shard.path)\t-\tit cannot be read: Permission denied\n"))
        #expect(
          verified.ending == .exit(112) && verified.outputText.hasSuffix(": 0 damaged, 1 unread\n"), "\(verified)")
      }
    }
  }
}
