import FlagTable
import HTTPCaching
import HTTPSemantics
import Interface
import TestSupport
import Testing

extension InvocationTests {
  static let commandRows: [Row] = [
    Row("cache ls", ["cache", "ls", "--jsonl", "--sort", "size", "--reverse", "--limit=3", "--show-secrets", "p", "q"])
    {
      $0.command = .cache(.ls)
      $0.operands = ["p", "q"]
      $0.storeCommand.forms = [.jsonLines]
      $0.storeCommand.sortKey = .size
      ($0.storeCommand.isReversed, $0.storeCommand.limit, $0.storeCommand.showsSecrets) = (true, 3, true)
    },
    Row(
      "the filters of a cache command",
      [
        "cache", "ls", "--host=a", "--host", "*.b", "--status", "4xx", "--type=json", "--group", "g", "--fresh",
        "--pinned",
      ]
        + ["--older-than", "1m", "--newer-than", "1h", "--unused-for=1d", "--larger-than", "1K", "--format", "{url}"]
    ) {
      $0.command = .cache(.ls)
      var filters = EntryFilters()
      filters.hosts = ["a", "*.b"].map { certain($0, HostPattern.init) }
      filters.statuses = ["4xx"].map { certain($0, StatusPattern.init) }
      filters.types = ["json"].map { certain($0, MediaTypePattern.init) }
      (filters.groups, filters.states, filters.requiresPin) = (["g"], [.fresh], true)
      (filters.olderThan, filters.youngerThan) = (.ago(.seconds(60)), .ago(.seconds(3_600)))
      filters.unusedFor = .seconds(86_400)
      filters.largerThan = 1_024
      ($0.storeCommand.filters, $0.storeCommand.format) = (filters, certain("{url}", ListingFormat.init))
    },
    Row("cache tag", ["cache", "tag", "u", "k=v", "--delete", "x", "e="]) {
      ($0.command, $0.operands) = (.cache(.tag), ["u"])
      $0.storeCommand.tagChanges = [
        .set(certain("k=v", TagText.tag)), .delete(key: "x"), .set(certain("e=", TagText.tag)),
      ]
    },
    Row("cache check", ["cache", "check", "--offline=strict", "--input-file", "f", "-0", "u"]) {
      ($0.command, $0.operands) = (.cache(.check), ["u"])
      ($0.cache.offline, $0.many.lists, $0.storeCommand.forms) = (.strict, ["f"], [.nulSeparated])
    },
    Row(
      "cache check with a digest", ["cache", "check", "--sha256", ArgumentText(String(repeating: "0", count: 64)), "u"]
    ) {
      ($0.command, $0.operands) = (.cache(.check), ["u"])
      $0.integrity.expect(Integrity(.sha256, [[UInt8](repeating: 0, count: 32)]))
    },
    Row("cache verify", ["cache", "verify", "--repair"]) {
      ($0.command, $0.storeCommand.repairs) = (.cache(.verify), true)
    },
    Row("cache rm by a filter, without a pattern", ["cache", "rm", "--stale"]) {
      ($0.command, $0.storeCommand.filters.states) = (.cache(.rm), [.stale])
    },
    Row("cache list is ls", ["cache", "list", "-0"]) {
      ($0.command, $0.storeCommand.forms) = (.cache(.ls), [.nulSeparated])
    },
    Row("cache info is show", ["cache", "info", "--headers", "u"]) {
      ($0.command, $0.operands, $0.storeCommand.forms) = (.cache(.show), ["u"], [.fields])
    },
    Row("cache inspect is show", ["cache", "inspect", "--json", "u"]) {
      ($0.command, $0.operands, $0.storeCommand.forms) = (.cache(.show), ["u"], [.json])
    },
    Row("cache cat", ["cache", "cat", "u"]) { ($0.command, $0.operands) = (.cache(.cat), ["u"]) },
    Row("cache purge is rm", ["cache", "purge", "-n", "--if-exists", "p"]) {
      ($0.command, $0.operands) = (.cache(.rm), ["p"])
      ($0.storeCommand.isDryRun, $0.storeCommand.toleratesAbsence) = (true, true)
    },
    Row("cache clear is rm --all", ["cache", "clear"]) {
      ($0.command, $0.storeCommand.removesAll) = (.cache(.rm), true)
    },
    Row(
      "cache prune", ["cache", "prune", "--max-size", "1G", "--older-than=30d", "--unused-for", "4w", "--stale", "-n"]
    ) {
      ($0.command, $0.storeCommand.isDryRun) = (.cache(.prune), true)
      $0.storeCommand.maximumBytes = 1 << 30
      ($0.storeCommand.filters.olderThan, $0.storeCommand.filters.unusedFor) = (
        .ago(.seconds(2_592_000)), .seconds(2_419_200)
      )
      $0.storeCommand.filters.states = [.stale]
    },
    Row("cache pin", ["cache", "pin", "u"]) { ($0.command, $0.operands) = (.cache(.pin), ["u"]) },
    Row("cache unpin", ["cache", "unpin", "u"]) { ($0.command, $0.operands) = (.cache(.unpin), ["u"]) },
    Row("cache export", ["cache", "export", "--har", "--redact", "f", "p", "q"]) {
      ($0.command, $0.operands) = (.cache(.export), ["f", "p", "q"])
      ($0.archive.isHAR, $0.archive.isRedacted) = (true, true)
    },
    Row("cache import", ["cache", "import", "--all", "--durable", "f"]) {
      ($0.command, $0.operands) = (.cache(.importArchive), ["f"])
      ($0.archive.importsAll, $0.cache.isDurable) = (true, true)
    },
    Row("cache stats", ["cache", "stats", "--json", "--zero"]) {
      ($0.command, $0.storeCommand.forms, $0.storeCommand.zeroesCounters) = (.cache(.stats), [.json], true)
    },
    Row("cache dir, with the directory before the command", ["--cache-dir", "/c", "cache", "dir"]) {
      ($0.command, $0.cache.directory) = (.cache(.dir), "/c")
    },
    Row("network", ["network"]) { $0.command = .network },
    Row("network for a URL", ["network", "--json", "--reachability=wwan", "u"]) {
      ($0.command, $0.operands, $0.storeCommand.forms) = (.network, ["u"], [.json])
      $0.reachability.mode = .assumed(.wwan)
    },
    Row("completions of a shell", ["completions", "zsh"]) { $0.command = .completions(.zsh) },
    Row("help alone shows the help of a fetch", ["help"]) { $0.command = .help(.command([]), .full) },
    Row("help all, for people who know curl's, is help alone", ["help", "all"]) {
      $0.command = .help(.command([]), .full)
    },
    Row("help of a command, by its alias", ["help", "cache", "list"]) {
      $0.command = .help(.command(["cache", "ls"]), .full)
    },
    Row("help of an option", ["help", "output"]) { $0.command = .help(.option("output", of: []), .full) },
    Row("help of an option as it is typed", ["help", "--output"]) {
      $0.command = .help(.option("output", of: []), .full)
    },
    Row("help of an option by its letter", ["help", "-o"]) { $0.command = .help(.option("output", of: []), .full) },
    Row("help of an option that help has as well", ["help", "--config"]) {
      $0.command = .help(.option("config", of: []), .full)
    },
    Row("help of an option by its letter, behind hyphens", ["help", "--", "-o"]) {
      $0.command = .help(.option("output", of: []), .full)
    },
    Row("help of an option by its negation", ["help", "--no-location"]) {
      $0.command = .help(.option("location", of: []), .full)
    },
    Row("help of a command's option as it is typed", ["help", "cache", "ls", "--sort"]) {
      $0.command = .help(.option("sort", of: ["cache", "ls"]), .full)
    },
    Row("help of a command's option", ["help", "cache", "ls", "sort"]) {
      $0.command = .help(.option("sort", of: ["cache", "ls"]), .full)
    },
    Row("help of a topic", ["help", "exit-status"]) { $0.command = .help(.section(.exitStatus), .full) },
    Row("help of a topic by another name", ["help", "cache-policies"]) {
      $0.command = .help(.section(.policies), .full)
    },
    Row("help man", ["help", "man"]) { $0.command = .help(.manual(nil), .full) },
    Row("help man of a page", ["help", "man", "garner-config"]) { $0.command = .help(.manual(.config), .full) },
    Row("-h is short", ["-h"]) { $0.command = .help(.command([]), .short) },
    Row("--help after a command shows its help", ["cache", "rm", "--help"]) {
      $0.command = .help(.command(["cache", "rm"]), .full)
    },
    Row("--help after a group shows its help", ["cache", "--help"]) { $0.command = .help(.command(["cache"]), .full) },
    Row("-V shows the version, even without a URL", ["-sV"]) {
      ($0.command, $0.output.isSilent) = (.version, true)
    },
    Row("a URL called cache follows two dashes", ["--", "cache"]) { $0.operands = ["cache"] },
  ]
}
