import Glibc
import TestSupport
import Testing

/// Settings from the config file and the environment, and the command line that overrides them.
@Suite struct ConfigTests {
  /// Responses that are fresh for a minute. Each body is the number of the request.
  private func scenario(config: String? = nil) throws -> Scenario {
    let scenario = try Scenario { request in
      validated(request, etag: "\"e\"", fields: [("Cache-Control", "max-age=60")], text: "\(request.number)")
    }
    if let config { try scenario.write(config: config) }
    return scenario
  }

  // MARK: Settings that apply

  @Test func `a section changes the policy for its site`() throws {
    let scenario = try scenario()
    try scenario.write(config: "reload\n[site \"\(scenario.url("/asked/*"))\"]\ncache-policy = revalidate\n")
    try scenario.run("-q", scenario.url("/asked/a"), scenario.url("/b"))
    try scenario.run(scenario.url("/asked/a"), scenario.url("/b"))
    #expect(scenario.asked == ["/asked/a", "/b", "/asked/a", "/b"])
    #expect(scenario.origin.requests.map { $0.has("If-None-Match") } == [false, false, true, false])
  }

  @Test func `a variable overrides the config file, and the command line overrides both`() throws {
    let scenario = try scenario(config: "offline\n")
    #expect(try scenario.run(scenario.url()).status == 110)
    scenario.environment["GARNER_OFFLINE"] = "0"
    #expect(try scenario.run(scenario.url()).text == "1")
    scenario.environment["GARNER_CACHE_POLICY"] = "reload"
    #expect(try scenario.run(scenario.url()).text == "2")
    #expect(try scenario.run("--offline", scenario.url()).text == "2")
    scenario.environment["GARNER_OFFLINE"] = "1"
    let both = try scenario.run(scenario.url())
    let sentence = "garner: GARNER_OFFLINE and GARNER_CACHE_POLICY contradict each other\n"
    #expect(both.status == 2 && both.diagnostics == sentence)
  }

  @Test func `data goes into the query wherever the data and --get are set`() throws {
    let scenario = try scenario()
    scenario.environment["GARNER_GET"] = "1"
    try scenario.run("-d", "q=1", scenario.url("/a"))
    scenario.environment = ["GARNER_DATA": "q=1"]
    try scenario.run("-G", scenario.url("/b"))
    scenario.environment = [:]
    try scenario.write(config: "get\n")
    try scenario.run("-d", "q=1", scenario.url("/c"))
    try scenario.write(config: "data = \"q=1\"\n")
    try scenario.run("-G", scenario.url("/d"))
    #expect(scenario.asked == ["/a?q=1", "/b?q=1", "/c?q=1", "/d?q=1"])
    // Content that is typed in another form replaces the data.
    scenario.environment = ["GARNER_GET": "1", "GARNER_DATA": "q=1"]
    try scenario.run("-F", "a=b", scenario.url("/e"))
    #expect(scenario.asked.last == "POST /e")
  }

  @Test(arguments: ["-q", "--disable"])
  func `-q reads no config file, and leaves the environment`(_ option: String) throws {
    let scenario = try scenario(config: "nonsense\n")
    scenario.environment["GARNER_USER_AGENT"] = "me"
    #expect(try scenario.run(scenario.url()).status == 2)
    #expect(try scenario.run(option, scenario.url()).status == 0)
    #expect(scenario.origin.requests.map { $0.value("User-Agent") } == ["me"])
  }

  @Test func `the config file is named by --config, else by GARNER_CONFIG, else by XDG_CONFIG_HOME`() throws {
    let scenario = try scenario(config: "user-agent = home\n")
    try scenario.directory.write("user-agent = variable\n", to: "variable")
    try scenario.directory.write("user-agent = option\n", to: "option")
    try scenario.directory.makeDirectory("xdg")
    try scenario.directory.makeDirectory("xdg/garner")
    try scenario.directory.write("user-agent = xdg\n", to: "xdg/garner/config")
    try scenario.run("--reload", scenario.url())
    scenario.environment["XDG_CONFIG_HOME"] = scenario.directory.path("xdg")
    try scenario.run("--reload", scenario.url())
    scenario.environment["GARNER_CONFIG"] = scenario.directory.path("variable")
    try scenario.run("--reload", scenario.url())
    try scenario.run("--reload", "--config", scenario.directory.path("option"), scenario.url())
    try scenario.run("--reload", "-qK-", scenario.url(), input: "user-agent = input\n")
    #expect(scenario.origin.requests.map { $0.value("User-Agent") } == ["home", "xdg", "variable", "option", "input"])
  }

  @Test func `fields of a config section are sent, and its credentials stay with the origin`() throws {
    let other = try Scenario(.response(text: "other"))
    let location = other.url("/there")
    let scenario = try Scenario { _ in .response(302, fields: [("Location", location)]) }
    try scenario.write(
      config: "header = A: 1\n[site \"\(scenario.url("/*"))\"]\nheader = B: 2\nuser = me:secret\n")
    #expect(try scenario.run(scenario.url()).text == "other")
    let (first, second) = (scenario.origin.requests[0], other.origin.requests[0])
    #expect(first.value("A") == "1" && first.value("B") == "2" && first.has("Authorization"))
    #expect(second.value("A") == "1" && second.value("B") == "2" && !second.has("Authorization"))
    // A request for another site does not get the section's fields.
    try scenario.run(other.url("/x"))
    #expect(other.origin.requests[1].value("A") == "1" && !other.origin.requests[1].has("B"))
  }

  @Test func `the cache commands heed the general part of the config file`() throws {
    let scenario = try scenario(config: "cache-dir = /of/the/file\nheader = A: b\n")
    #expect(try scenario.run("cache", "dir").text == "/of/the/file\n")
    scenario.environment["GARNER_CACHE_DIR"] = "/of/the/variable"
    #expect(try scenario.run("cache", "dir").text == "/of/the/variable\n")
    #expect(try scenario.run("cache", "dir", "--cache-dir", "/typed").text == "/typed\n")
  }

  @Test func `cache explain heeds the config section of its URL, and its --json means JSON output`() throws {
    let scenario = try scenario()
    try scenario.write(config: "data = x\n[site \"\(scenario.url("/*"))\"]\nrequest = QUERY\n")
    let run = try scenario.run("cache", "explain", "--json", scenario.url())
    #expect(run.status == 0 && run.text.contains("\"QUERY\""), "\(run.text) \(run.diagnostics)")
  }

  @Test func `a tilde before the name of a file or directory is HOME, in a variable too`() throws {
    let scenario = try scenario(config: "cache-dir = ~/of/the/file\noutput = \"~/page\"\nwrite-out = @~/format\n")
    let home = scenario.directory.path
    try scenario.directory.write("%{http_code}", to: "format")
    #expect(try scenario.run("cache", "dir").text == "\(home)/of/the/file\n")
    #expect(try scenario.run("config", "show").text.hasPrefix("cache-dir\t\(home)/of/the/file\t"))
    #expect(try scenario.run("config", "check").diagnostics == "")
    #expect(try scenario.run(scenario.url()).text == "200")
    #expect(try scenario.directory.read("page") == Array("1".utf8))
    scenario.environment["GARNER_CACHE_DIR"] = "~/of/the/variable"
    #expect(try scenario.run("cache", "dir").text == "\(home)/of/the/variable\n")
    // In a typed argument, the shell has already expanded a tilde.
    #expect(try scenario.run("cache", "dir", "--cache-dir", "~/typed").text == "~/typed\n")
    scenario.environment["GARNER_CACHE_DIR"] = nil
    try scenario.directory.write("cache-dir = /named", to: "other")
    scenario.environment["GARNER_CONFIG"] = "~/other"
    #expect(try scenario.run("cache", "dir").text == "/named\n")
    scenario.environment = ["GARNER_CACHE_DIR": "~/x", "HOME": "", "XDG_CONFIG_HOME": "/nowhere"]
    let homeless = try scenario.run("cache", "dir")
    #expect(homeless.status == 2)
    #expect(homeless.diagnostics == "garner: GARNER_CACHE_DIR: ~ stands for HOME, which names no directory\n")
  }

  // MARK: Errors

  @Test func `an error in the config file names the file, the line and the nearest option`() throws {
    let scenario = try scenario(config: "silent\n\ncache-polcy = reload\n")
    for arguments in [[scenario.url()], ["cache", "ls"], ["config", "show"]] {
      let run = try scenario.run(arguments)
      #expect(run.status == 2 && run.text == "")
      #expect(
        run.diagnostics == """
          garner: \(scenario.configPath), line 3: option 'cache-polcy' is unknown
          hint: did you mean cache-policy?

          """)
    }
    // Help is shown all the same.
    #expect(try scenario.run("--help").status == 0)
    #expect(try scenario.run("help", "config").text.contains("[site"))
    #expect(scenario.origin.connectionCount == 0)
  }

  @Test func `a config file that is named must exist, and the usual one need not`() throws {
    let scenario = try scenario()
    #expect(try scenario.run(scenario.url()).diagnostics == "")
    let named = try scenario.run("--config", "/nowhere/config", scenario.url())
    #expect(named.status == 26)
    #expect(
      named.diagnostics == """
        garner: cannot read the config file /nowhere/config: No such file or directory

        """)
    scenario.environment["GARNER_CONFIG"] = "/nowhere/config"
    #expect(try scenario.run(scenario.url()).status == 26)
    #expect(try scenario.run("-q", scenario.url()).status == 0)
  }

  @Test func `a directory and an endless file are refused as config files`() throws {
    let scenario = try scenario()
    try scenario.directory.makeDirectory(".config")
    try scenario.directory.makeDirectory(".config/garner")
    try scenario.directory.makeDirectory(".config/garner/config")
    #expect(try scenario.run(scenario.url()).diagnostics.contains("config: Is a directory\n"))
    #expect(
      try scenario.run("--config", "/dev/zero", scenario.url()).diagnostics.contains("/dev/zero: File too large\n"))
    #expect(try scenario.run("--config", "/dev/null", scenario.url()).status == 0)
  }

  @Test func `the error about a refused value of a variable names the variable`() throws {
    let scenario = try scenario()
    scenario.environment["GARNER_MAX_TIME"] = "soon"
    let run = try scenario.run(scenario.url())
    #expect(run.status == 2)
    #expect(
      run.diagnostics
        == "garner: GARNER_MAX_TIME: expected a time such as 30, 1.5, 30s, 10m, 12h, 7d or 4w, not 'soon'\n")
  }

  // MARK: Messages

  @Test func `-v says where each setting came from, without secrets`() throws {
    let scenario = try scenario()
    let pattern = scenario.url("/*")
    try scenario.write(
      config: """
        max-time = 60
        connect-timeout = 9
        proxy = "http://me:secret@127.0.0.1:1/"
        [site "\(pattern)"]
        header = "Authorization: Bearer secret"
        user-agent = "a b"
        proxy =
        """)
    scenario.environment["GARNER_MAX_TIME"] = "50"
    scenario.environment["GARNER_OFLINE"] = "1"
    scenario.environment["GARNER_VERSION"] = "1"
    let run = try scenario.run("-v", "--connect-timeout", "5", scenario.url())
    let file = scenario.configPath
    #expect(
      run.diagnostics.hasPrefix(
        """
        garner: warning: the variable GARNER_OFLINE belongs to no option: did you mean GARNER_OFFLINE?
        * the variable GARNER_VERSION belongs to no option
        * header = Authorization: *** (from \(file), line 5, [site "\(pattern)"])
        * user-agent = a b (from \(file), line 6, [site "\(pattern)"])
        * proxy = "" (from \(file), line 7, [site "\(pattern)"])
        * max-time = 50 (from GARNER_MAX_TIME)
        *   Trying
        """), "\(run.diagnostics)")
    #expect(!run.diagnostics.contains("secret"))
    scenario.environment["GARNER_OFLINE"] = nil
    #expect(try scenario.run(scenario.url()).diagnostics == "")
  }

  @Test func `a variable with nearly an option's name causes a warning, in a fetch and in cache commands`() throws {
    let scenario = try scenario()
    scenario.environment["GARNER_CACHE_DRI"] = "/elsewhere"
    let text = "the variable GARNER_CACHE_DRI belongs to no option: did you mean GARNER_CACHE_DIR?"
    let runs = [try scenario.run(scenario.url()), try scenario.run("cache", "ls")]
    for run in runs { #expect(run.diagnostics == "garner: warning: \(text)\n") }
    #expect(try scenario.run("-s", scenario.url()).diagnostics == "")
    #expect(try scenario.run("--help").diagnostics == "")
    // The variable that a store hook gets in its environment.
    scenario.environment = ["GARNER_CONTENT": "/content"]
    #expect(try scenario.run(scenario.url()).diagnostics == "")
  }

  @Test func `-v says for each of several URLs where its settings came from`() throws {
    let scenario = try scenario()
    try scenario.write(config: "max-time = 60\n[site \"\(scenario.url("/a"))\"]\nreload\n")
    let run = try scenario.run("-v", scenario.url("/a"), scenario.url("/b"))
    let file = scenario.configPath
    #expect(
      run.diagnostics.hasPrefix(
        """
        * settings for \(scenario.url("/a")):
        * max-time = 60 (from \(file), line 1)
        * reload = yes (from \(file), line 3, [site "\(scenario.url("/a"))"])
        * settings for \(scenario.url("/b")):
        * max-time = 60 (from \(file), line 1)
        *   Trying
        """), "\(run.diagnostics)")
  }

  @Test func `-v says for each set of options where its settings came from, under its URLs if they differ`() throws {
    let scenario = try scenario(config: "max-time = 9\n")
    let (a, b) = (scenario.url("/a"), scenario.url("/b"))
    func notes(_ arguments: String...) throws -> String {
      let run = try scenario.run(["--dry-run", "-v"] + arguments)
      return run.diagnostics.replacing(scenario.configPath, with: "config")
    }
    let note = "* max-time = 9 (from config, line 1)\n"
    #expect(try notes(a, "--next", b) == note)
    #expect(try notes(a, "--next", "-m", "5", b) == "* settings for \(a):\n\(note)")
    #expect(try notes("-m", "5", a, "--next", b) == "* settings for \(b):\n\(note)")
    #expect(try notes("-m", "5", a, "--next", "-m", "4", b) == "")
    try scenario.write(config: "[site \"\(a)\"]\nreload\n[site \"\(b)\"]\nmax-time = 9\n")
    let reload = "* settings for \(a):\n* reload = yes (from config, line 2, [site \"\(a)\"])\n"
    let limit = "* settings for \(b):\n* max-time = 9 (from config, line 4, [site \"\(b)\"])\n"
    #expect(try notes(a, "--next", b) == reload + limit)
    #expect(try notes(a, "--next", "-m", "5", b) == reload)
  }

  @Test func `-v says where the settings for the URLs of an --input-file came from`() throws {
    let scenario = try scenario(config: "max-time = 9\n")
    let urls = [scenario.url("/a"), scenario.url("/b")]
    let list = try scenario.directory.write(urls.joined(separator: "\n"), to: "list")
    let limit = "* max-time = 9 (from \(scenario.configPath), line 1)\n"
    #expect(try scenario.run("--dry-run", "-v", "--input-file", list).diagnostics == limit)
    let sets = ["-m", "5", urls[0], "--next", "--input-file", list]
    let named = "* settings for the URLs in \(list):\n\(limit)"
    #expect(try scenario.run(["--dry-run", "-v"] + sets).diagnostics == named)
    try scenario.write(config: "max-time = 9\n[site \"\(urls[1])\"]\nreload\n")
    let reload = "* reload = yes (from \(scenario.configPath), line 3, [site \"\(urls[1])\"])\n"
    let site = "* settings for \(urls[1]):\n\(limit)\(reload)"
    #expect(try scenario.run("--dry-run", "-v", "--input-file", list).diagnostics == limit + site)
    let both = try scenario.run("--dry-run", "-v", urls[1], "--input-file", list)
    #expect(both.diagnostics == site + named + site)
    let run = try scenario.run("-v", "--input-file", list)
    #expect(run.diagnostics.hasPrefix(limit) && run.diagnostics.contains("\n" + site), "\(run.diagnostics)")
  }

  /// Secrets in other settings than fields and credentials.
  private static let secretLines = [
    "url-query = \"access_token=secret\"", "store-header = \"Set-Cookie: sid=secret\"", "json = '{\"pin\":\"secret\"}'",
    "form = a=secret", "store-hook = \"true http://me:secret@a.test/\"", "cache-key = http://me:secret@a.test/",
    "referer = http://a.test/?token=secret", "referer = http://a.test/?next=https://me:secret@b.test/",
    "header = \"Link: <http://a.test/>, <http://me:secret@b.test/>\"", "cache-key = v1/http://me:secret@b.test/",
    "user-agent = \"bot (+http://me:secret@b.test/)\"", "cache-partition = http://a.test/?token=secret",
    "write-out = \"to http://me:secret@b.test/ %{http_code}\"",
  ]

  @Test(arguments: secretLines)
  func `no secret in a setting is shown, whichever option has it`(_ line: String) throws {
    let scenario = try scenario(config: line)
    let told = try [
      scenario.run("-v", "-i", "-w", "%{cache_key}", scenario.url()), scenario.run("config", "show"),
      scenario.run("config", "show", "--json"), scenario.run("cache", "ls", "--json"),
      scenario.run("cache", "show", scenario.url()),
    ]
    for run in told { #expect(!(run.text + run.diagnostics).contains("secret"), "\(run.text + run.diagnostics)") }
    #expect(try scenario.run("config", "show", "--show-secrets").text.contains("secret"))
  }

  @Test func `a hint proposes -q only when the unreadable config file was not typed`() throws {
    let scenario = try scenario()
    for arguments in [["config", "check", "/nowhere"], ["--config", "/nowhere", scenario.url()]] {
      #expect(!(try scenario.run(arguments).diagnostics.contains("hint")))
    }
    scenario.environment["GARNER_CONFIG"] = "/nowhere"
    #expect(try scenario.run(scenario.url()).diagnostics.hasSuffix("hint: -q runs without a config file\n"))
  }
}
