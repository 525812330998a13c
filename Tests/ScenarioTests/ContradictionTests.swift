import TestSupport
import Testing

/// Options that contradict each other, wherever each of them was set.
@Suite struct ContradictionTests {
  @Test func `a contradiction names a setting from the environment by its variable`() throws {
    let scenario = try Scenario(.response())
    let file = scenario.directory.path("f")
    scenario.environment = ["GARNER_TLSV1_3": "1", "GARNER_COOKIE_JAR": file]
    let versions = try scenario.run("--tls-max", "1.2", scenario.url())
    #expect(versions.diagnostics == "garner: GARNER_TLSV1_3 and --tls-max 1.2 contradict each other\n")
    scenario.environment = ["GARNER_COOKIE_JAR": file]
    let files = try scenario.run("-o", file, scenario.url())
    #expect(files.diagnostics == "garner: --output and GARNER_COOKIE_JAR name the same file\n")
    scenario.environment = ["GARNER_OFFLINE": "1", "GARNER_CACHE_POLICY": "reload"]
    for command in [["prefetch"], ["cache", "explain"]] {
      let policies = try scenario.run(command + [scenario.url()])
      #expect(policies.status == 2)
      #expect(policies.diagnostics == "garner: GARNER_OFFLINE and GARNER_CACHE_POLICY contradict each other\n")
    }
    scenario.environment = ["GARNER_DATA_RAW": "a", "GARNER_FORM": "a=b"]
    let contents = try scenario.run(scenario.url())
    let words = "garner: GARNER_DATA_RAW and GARNER_FORM both set the content of the request\n"
    #expect(contents.diagnostics == words)
    scenario.environment = ["GARNER_CLOBBER": "no"]
    let clobbering = try scenario.run("-C", "-", "-o", file, scenario.url())
    #expect(clobbering.diagnostics.contains("changes an existing file, and GARNER_CLOBBER keeps it\n"))
    scenario.environment = ["GARNER_COOKIE": "-"]
    let inputs = try scenario.run("-w", "@-", scenario.url())
    #expect(inputs.diagnostics == "garner: standard input cannot be read for both --write-out and GARNER_COOKIE\n")
    #expect(scenario.asked == [])
  }

  static let data = [
    (["--json", "{}"], "--json"), (["-d", "x"], "--data"), (["-d", "x", "--json", "{}"], "--json"),
    (["--data-urlencode", "a=b"], "--data-urlencode"),
  ]

  @Test(arguments: data)
  func `a contradiction names the option that gives the data`(_ options: [String], _ name: String) throws {
    let scenario = try Scenario(.response())
    let head = try scenario.run(["-I"] + options + [scenario.url()])
    #expect(head.status == 2 && head.diagnostics == "garner: --head sends no content, and \(name) sends some\n")
    scenario.environment["GARNER_USER_AGENT"] = "ours"
    #expect(try scenario.run(["-I"] + options + [scenario.url()]).diagnostics == head.diagnostics)
    let both = try scenario.run(options + ["-F", "a=b", scenario.url()])
    #expect(both.diagnostics == "garner: \(name) and --form both set the content of the request\n")
    #expect(scenario.asked == [])
  }

  @Test func `a contradiction names a setting from the config file by its line and section`() throws {
    let scenario = try Scenario(.response())
    let heading = "[site \"\(scenario.url("/*"))\"]"
    let path = try scenario.directory.write("memory-only\n\(heading)\ninclude\n", to: "config")
    let site = try scenario.run("--config", path, "-OJ", scenario.url("/f"))
    #expect(
      site.diagnostics.hasPrefix(
        "garner: include (\(path), line 3, \(heading)) and --remote-header-name cannot be combined\n"),
      "\(site)")
    try scenario.directory.write("memory-only\ncache-policy = no-store\n", to: "config")
    let general = try scenario.run("--config", path, scenario.url())
    #expect(
      general.diagnostics
        == "garner: memory-only (\(path), line 1) stores in memory, and cache-policy (\(path), line 2) stores nothing\n"
    )
    #expect(scenario.asked == [])
  }

  @Test func `a prefetch that could store nothing on disk is refused, whoever says so`() throws {
    let scenario = try Scenario(.fresh(text: "a"))
    let cases: [([String], String)] = [
      (["--no-store"], "--no-store"), (["--cache-policy", "no-store"], "--cache-policy"), ([], "GARNER_CACHE_POLICY"),
      (["--memory-only"], "--memory-only"), (["--disk-capacity", "0"], "--disk-capacity"),
    ]
    for (policy, name) in cases {
      scenario.environment = policy.isEmpty ? ["GARNER_CACHE_POLICY": "no-store"] : [:]
      let run = try scenario.run(["prefetch"] + policy + [scenario.url()])
      let line = "garner: prefetch fills the cache on disk, and \(name) stores nothing there\n"
      #expect(run.status == 2 && run.diagnostics == line, "\(run)")
    }
    for setting in ["no-store", "memory-only", "disk-capacity = 0"] {
      let site = "[site \"http://other.test/*\"]\nmax-time = 9\n"
      let path = try scenario.directory.write("\(setting)\n\(site)", to: "config")
      let run = try scenario.run("prefetch", "--config", path, scenario.url())
      #expect(run.status == 2 && run.diagnostics.contains("(\(path), line 1) stores nothing there"), "\(run)")
    }
    #expect(scenario.asked == [])
  }

  @Test func `a prefetch stores what a site's section stores, although the config file stores nothing else`() throws {
    let scenario = try Scenario(.fresh(text: "a"))
    let site = "[site \"\(scenario.url("/kept*"))\"]\ncache-policy = protocol\n"
    let path = try scenario.directory.write("cache-policy = no-store\n" + site, to: "config")
    let run = try scenario.run("prefetch", "--config", path, scenario.url("/kept"), scenario.url("/other"))
    #expect(run.status == 0, "\(run)")
    #expect(run.diagnostics.hasPrefix("garner: 2 URLs: 2 fetched (2 B), 1 not stored\n"), "\(run)")
    #expect(scenario.entryFiles.count == 1)
  }

  @Test func `the setting of the stronger layer decides whether anything is stored`() throws {
    let scenario = try Scenario(.fresh(text: "a"))
    let path = try scenario.directory.write("memory-only\n", to: "config")
    scenario.environment = ["GARNER_CACHE_POLICY": "no-store"]
    for policy in [[], ["--cache-policy", "no-store"], ["--no-store"]] {
      let run = try scenario.run(
        ["--config", path, "-so", "/dev/null", "-w", "%{cache_result} %{cache_stored}"] + policy + [scenario.url()])
      #expect(run.text == "bypass 0" && run.status == 0, "\(run)")
      scenario.environment = [:]
    }
  }

  @Test func `a contradiction is reported in the words of its own set of options`() throws {
    let scenario = try Scenario(.response())
    scenario.environment = ["GARNER_OFFLINE": "1"]
    let run = try scenario.run("--offline", "--reload", scenario.url(), "--next", scenario.url())
    #expect(run.diagnostics == "garner: --offline and --reload contradict each other\n")
    #expect(scenario.asked == [])
  }

  @Test func `--json asks for JSON, whatever the environment asks for`() throws {
    let scenario = try Scenario(.response(text: "x"))
    scenario.environment = ["GARNER_HEADER": "Accept: text/html"]
    for typed in [[], ["-H", "Accept: text/plain"]] { try scenario.run(["--json", "{}"] + typed + [scenario.url()]) }
    #expect(scenario.origin.requests.map { $0.value("Accept") } == ["application/json", "text/plain"])
  }

  @Test func `--json and -F override the Content-Type of the environment, and -d does not`() throws {
    let scenario = try Scenario(.response(text: "x"))
    scenario.environment = ["GARNER_HEADER": "Content-Type: text/csv"]
    for typed in [["--json", "{}"], ["-d", "a"], ["-F", "a=b"]] { try scenario.run(typed + [scenario.url()]) }
    let types = scenario.origin.requests.map { $0.value("Content-Type")?.prefix { $0 != ";" } }
    #expect(types == ["application/json", "text/csv", "multipart/form-data"])
  }

  @Test(arguments: ["-b", "-c", "-D", "--hsts", "--alt-svc"])
  func `-J does not write a body to a file that another set of options names`(_ option: String) throws {
    let scenario = try Scenario(
      .response(fields: [("Content-Disposition", "attachment; filename=named")], text: "evil"))
    let directory = try scenario.directory.makeDirectory("out")
    let served = ["-OJ", "--output-dir", directory, scenario.url("/x")]
    let other = [option, "\(directory)/named", scenario.url("/y")]
    for options in [served + ["--next"] + other, other + ["--next"] + served] {
      let run = try scenario.run(["-s", "-S"] + options)
      #expect(run.diagnostics.contains("named: it is the file of --"), "\(run)")
      #expect((try? scenario.directory.read("out/named")) != Array("evil".utf8))
    }
  }
}
