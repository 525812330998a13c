import FlagTable
import HTTPSemantics
import Interface

extension FuzzTarget {
  /// A config file.
  static let config = FuzzTarget("config", longestInput: 512) { (bytes) throws(Violation) in
    let file = ConfigFile(bytes)
    let configuration = Configuration(parsing: bytes, home: nil)
    let lineCount = 1 + bytes.count { $0 == ASCII.lineFeed }

    let lines = configuration.faults.map(\.line)
    try require(lines == lines.sorted(), "what is wrong is not told in the order of the lines")
    for line in lines + file.sections.flatMap(\.entries).map(\.line) {
      try require((1...lineCount).contains(line), "line \(line) of \(lineCount)")
    }
    for fault in configuration.faults {
      try checkLine(fault.reason.message)
      if let hint = fault.reason.hint { try checkLine(hint) }
    }
    for entry in file.sections.flatMap(\.entries) {
      try require(!entry.name.bytes.contains(0), "a name holds NUL")
      try require(!(entry.value?.bytes.contains(0) ?? false), "a value holds NUL")
    }

    try require(ConfigFile(bytes + Array("\n# a comment".utf8)) == file, "a comment at the end says something")
    if !bytes.contains(ASCII.carriageReturn) {
      let withReturns = bytes.flatMap { $0 == ASCII.lineFeed ? [ASCII.carriageReturn, $0] : [$0] }
      try require(ConfigFile(withReturns) == file, "the other end of a line says something else")
    }
    try checkSites(of: configuration)
  }

  /// A host's section, which may hold its credentials, applies to no other host.
  private static func checkSites(of configuration: Configuration) throws(Violation) {
    for site in configuration.sites {
      let hosts = ["one.example", "example", "two.test", "test"].filter { site.pattern.matches(target(at: $0)) }
      try require(hosts.count < 2, "a section is for \(hosts)")
      try require(!site.pattern.isLessSpecific(than: site.pattern), "a pattern is less specific than itself")
    }
    for host in ["one.example", "two.test"] {
      guard let found = configuration.site(for: target(at: host)) else { continue }
      try require(found.pattern.matches(target(at: host)), "the section for \(host) does not match it")
      let better = configuration.sites.contains {
        $0.pattern.matches(target(at: host)) && found.pattern.isLessSpecific(than: $0.pattern)
      }
      try require(!better, "there is a more specific section for \(host)")
    }
  }

  private static func target(at host: String) -> TargetURI {
    TargetURI(origin: TargetURI.Origin(scheme: .https, host: host, port: 443), pathAndQuery: "/a/b?c")
  }
}
