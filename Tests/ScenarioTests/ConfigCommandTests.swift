import Glibc
import TestSupport
import Testing

/// `garner config check` and `garner config show`.
@Suite struct ConfigCommandTests {
  private func scenario(config: String? = nil) throws -> Scenario {
    let scenario = try Scenario(.fresh(text: "x"))
    if let config { try scenario.write(config: config) }
    return scenario
  }

  @Test func `config check warns of settings that are valid, but usually not intended`() throws {
    let scenario = try scenario(
      config: "cache-dir = cache\n[site \"a.test/\"]\n[site \"https://b.test/*\"]\n[site \"c.test\"]\n")
    let run = try scenario.run("config", "check")
    let file = scenario.configPath
    #expect(
      run.diagnostics == """
        garner: warning: \(file), line 1: cache-dir is relative: each working directory has a cache of its own
        garner: warning: \(file), line 2: a.test/ matches one path; a.test/* matches all below it, too

        """)
    #expect(run.status == 0 && run.text == "\(file) is in order: 1 setting, 3 sites\n")
  }

  @Test func `config check says where a config file would be`() throws {
    let scenario = try scenario()
    let run = try scenario.run("config", "check")
    #expect(run.status == 0 && run.text == "\(scenario.configPath) does not exist\n" && run.diagnostics == "")
  }

  @Test func `config check refuses an empty name instead of checking another file`() throws {
    let run = try scenario().run("config", "check", "")
    #expect(run.status == 2 && run.text == "" && run.diagnostics == "garner: the name of a file is empty\n")
  }

  @Test func `config check prints every error`() throws {
    let scenario = try scenario(config: "cache-polcy = reload\n[site \"https://a.test\"]\nsilent\nheader = \"A\n")
    let file = scenario.configPath
    let run = try scenario.run("config", "check")
    #expect(run.status == 2 && run.text == "")
    #expect(
      run.diagnostics == """
        garner: \(file), line 1: option 'cache-polcy' is unknown
        hint: did you mean cache-policy?
        garner: \(file), line 3: 'silent' applies to a whole run and cannot be set for a site
        garner: \(file), line 4: a quotation mark is not closed

        """)
    let other = try scenario.directory.write("offline\n[site \"a.test\"]\nreload\nuser = me:secret\n", to: "other")
    let readable = try scenario.run("config", "check", other)
    #expect(readable.status == 0 && readable.text == "\(other) is in order: 3 settings, 1 site\n")
    #expect(
      readable.diagnostics
        == "garner: warning: \(other) holds credentials, and others can read it: chmod 600 makes it private\n")
    #expect(chmod(other, 0o600) == 0)
    let possible = try scenario.directory.write("data = password=x\n", to: "possible")
    #expect(
      try scenario.run("config", "check", possible).diagnostics
        == "garner: warning: \(possible) may hold credentials, and others can read it: chmod 600 makes it private\n")
    #expect(try scenario.run("config", "check", "--config", other).diagnostics == "")
    #expect(try scenario.run("config", "check", "/nowhere").status == 26)
  }

  @Test func `config show prints the settings that apply to a URL`() throws {
    let scenario = try scenario(
      config: """
        user = me:secret
        offline
        [site "https://*.example.test"]
        reload
        """)
    scenario.environment["GARNER_COLOR"] = "never"
    let file = scenario.configPath
    #expect(
      try scenario.run("config", "show").text == """
        color\tnever\tGARNER_COLOR
        offline\tyes\t\(file), line 2
        user\tme:***\t\(file), line 1

        """)
    #expect(
      try scenario.run("config", "show", "--cache-dir", "/c", "https://www.example.test/").text == """
        cache-dir\t/c\tthe command line
        color\tnever\tGARNER_COLOR
        reload\tyes\t\(file), line 4, [site "https://*.example.test"]
        user\tme:***\t\(file), line 1

        """)
    #expect(
      try scenario.run("config", "show", "--json", "--show-secrets", "https://www.example.test/").text == """
        [
        {"name":"color","value":"never","source":"environment","variable":"GARNER_COLOR"},
        {"name":"reload","value":"yes","source":"file","file":"\(file)","line":4,\
        "section":"[site \\"https://*.example.test\\"]"},
        {"name":"user","value":"me:secret","source":"file","file":"\(file)","line":1}
        ]

        """)
    #expect(try scenario.run("-q", "config", "show", "--json", "http://a/").text.contains("GARNER_COLOR"))
    #expect(try scenario.run("config", "show", "http:///").status == 3)
  }

  @Test(arguments: [[], ["--config", "/dev/null"]])
  func `config show prints what was typed, whether there is a config file or not`(_ options: [String]) throws {
    let run = try scenario().run(options + ["config", "show", "--cache-dir", "/c"])
    #expect(run.status == 0 && run.text.hasPrefix("cache-dir\t/c\tthe command line\n"), "\(run)")
  }

  @Test func `config show masks only what gives access in the URLs of a text`() throws {
    let scenario = try scenario()
    scenario.environment["GARNER_USER_AGENT"] = "bot (+https://me:secret@a.test/?token=secret&b=1; me@a.test)"
    let shown = "bot (+https://***@a.test/?token=***&b=1; me@a.test)"
    #expect(try scenario.run("config", "show").text == "user-agent\t\(shown)\tGARNER_USER_AGENT\n")
  }

  @Test func `config show masks nothing in a setting without a secret`() throws {
    let scenario = try scenario(config: "cert = /x/c.pem\n")
    let text = try scenario.run("config", "show").text
    #expect(text.contains("/x/c.pem") && !text.contains("***"), "\(text)")
  }
}
