import Glibc
import HTTPSemantics
import TestSupport
import Testing

/// A file or link that another user has put into a shared directory, such as /tmp, is not written to or followed.
@Suite("Planted files are left alone", .enabled(if: Machine.isRoot, "Only root may give a file to others."))
struct PlantedFileTests {
  private static let nobody: UInt32 = 65_534

  private static func scenario() throws -> Scenario {
    let scenario = try Scenario { request in
      .response(fields: [("Cache-Control", "max-age=60"), ("Set-Cookie", "n=v; Max-Age=60")], text: "text")
    }
    try checked("mkdir", mkdir(scenario.directory.path("shared"), 0o700))
    try checked("chmod", chmod(scenario.directory.path("shared"), 0o1777))
    return scenario
  }

  /// Makes a link that belongs to another user and leads to a file of this user.
  ///
  /// - Returns: the path of the link.
  private static func plantLink(_ scenario: Scenario) throws -> String {
    let victim = try scenario.directory.write("victim", to: "victim")
    let link = scenario.directory.path("shared/link")
    try checked("symlink", symlink(victim, link))
    try checked("lchown", lchown(link, nobody, nobody))
    return link
  }

  private static func isWhole(_ scenario: Scenario) throws -> Bool {
    try scenario.directory.read("victim") == Array("victim".utf8)
  }

  @Test(arguments: [["-o"], ["-D"], ["cache", "export"]])
  func `no output goes through another user's link`(_ command: [String]) throws {
    let scenario = try Self.scenario()
    let link = try Self.plantLink(scenario)
    try scenario.run("-s", scenario.url())
    let arguments = command.first == "cache" ? [] : [scenario.url()]
    let run = try scenario.run(command + [link] + arguments)
    #expect(run.status == 23, "\(run)")
    #expect(
      run.diagnostics.hasSuffix(
        """
        garner: cannot write \(link): Permission denied
        hint: another user created it in a directory that everybody can write to

        """), "\(run)")
    #expect(try Self.isWhole(scenario))
  }

  @Test func `a jar is not written through another user's link`() throws {
    let scenario = try Self.scenario()
    let link = try Self.plantLink(scenario)
    let run = try scenario.run("-c", link, scenario.url())
    #expect(run.status == 0 && run.text == "text")
    #expect(run.diagnostics.contains("the cookies are not saved: cannot write \(link): Permission denied"), "\(run)")
    #expect(try Self.isWhole(scenario))
  }

  @Test(arguments: [false, true])
  func `cookies are not read from another user's FIFO, even over a link of one's own`(_ isLinked: Bool) throws {
    let scenario = try Self.scenario()
    let path = scenario.directory.path("shared/fifo")
    try checked("mkfifo", mkfifo(path, 0o600))
    try checked("chown", chown(path, Self.nobody, Self.nobody))
    // A run that opened the FIFO would find it empty, and not wait for ever.
    startThread { close(open(path, O_WRONLY)) }
    defer { close(open(path, O_RDONLY | O_NONBLOCK)) }
    let link = scenario.directory.path("link")
    try checked("symlink", symlink(path, link))
    let name = isLinked ? link : path
    let run = try scenario.run("-b", name, scenario.url())
    let reason = "another user put this FIFO, or a link to it, into a directory that everybody can write to"
    #expect(run.text == "text" && run.diagnostics == "garner: warning: cannot read \(name): \(reason)\n", "\(run)")
  }

  @Test(arguments: ["text", "else"])
  func `no output goes into another user's file`(_ text: String) throws {
    let scenario = try Self.scenario()
    let file = try scenario.directory.write(text, to: "shared/file")
    try checked("chown", chown(file, Self.nobody, Self.nobody))
    try checked("chmod", chmod(file, 0o666))
    let run = try scenario.run("-o", file, scenario.url())
    #expect(run.status == 23 && run.diagnostics.contains("cannot write \(file): Permission denied\nhint: "), "\(run)")
    #expect(try scenario.directory.read("shared/file") == Array(text.utf8))
  }

  @Test func `links of one's own, of the directory's owner, and where not everybody may put one, are followed`() throws
  {
    for (mode, directoryOwner, owner) in [(0o1777, 0, 0), (0o1777, 1, 1), (0o777, 0, 1), (0o1755, 0, 1)]
      as [(mode_t, uid_t, uid_t)]
    {
      let scenario = try Self.scenario()
      let link = try Self.plantLink(scenario)
      try checked("lchown", lchown(link, owner, owner))
      try checked("chown", chown(scenario.directory.path("shared"), directoryOwner, directoryOwner))
      try checked("chmod", chmod(scenario.directory.path("shared"), mode))
      #expect(try scenario.run("-o", link, scenario.url()).status == 0)
      #expect(try scenario.directory.read("victim") == Array("text".utf8))
    }
  }

  @Test(arguments: [true, false])
  func `a cookie jar is the user's own, and readable for nobody else, whatever file it replaces`(_ isSame: Bool) throws
  {
    let scenario = try Self.scenario()
    let jar = try scenario.directory.write("", to: "jar")
    if isSame { try scenario.run("-s", "-c", jar, scenario.url()) }
    try checked("chown", chown(jar, Self.nobody, Self.nobody))
    try checked("chmod", chmod(jar, 0o644))
    #expect(try scenario.run("-s", "-c", jar, scenario.url("/other")).status == 0)
    var status = stat()
    try checked("stat", stat(jar, &status))
    #expect(status.st_uid == geteuid() && status.st_mode & 0o777 == 0o600)
    #expect(String(decoding: try scenario.directory.read("jar"), as: UTF8.self).hasSuffix("\tn\tv\n"))
  }
}
