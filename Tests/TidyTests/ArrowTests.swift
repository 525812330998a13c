import TestSupport
import Testing

/// Checks which modules a module may import, and which calls are reserved for one place.
@Suite("The boundaries between modules")
struct ArrowTests {
  @Test(
    "A module does not import modules that it must not depend on",
    arguments: [
      ("Sources", ["Foundation", "FoundationEssentials", "Dispatch", "RegexBuilder", "Observation"]),
      ("Sources/HTTPSemantics", ["Glibc", "Synchronization"]),
      ("Sources/HTTPCaching", ["Glibc", "Synchronization"]),
      ("Sources/FlagTable", ["Glibc", "HTTPSemantics", "HTTPCaching"]),
      ("Sources/Interface", ["Synchronization"]),
      ("Sources/Transport", ["CacheStore", "HTTPCaching", "Client"]),
      ("Sources/CacheStore", ["Transport", "CTransport", "CCurl"]),
      ("Sources/Platform", ["HTTPSemantics", "HTTPCaching"]),
      ("Sources/Archives", ["Glibc", "CacheStore", "HTTPCaching", "Transport", "Client"]),
    ])
  func imports(folder: String, banned: [String]) throws {
    let sources = try SourceText.all(below: folder)
    #expect(!sources.isEmpty, "there is nothing below \(folder)")
    for source in sources {
      let found = source.imports.filter(banned.contains)
      #expect(found.isEmpty, "\(source.path) imports \(found.joined(separator: ", "))")
    }
  }

  /// A call that only certain files may make.
  struct Privilege: Sendable, CustomTestStringConvertible {
    let rule: String
    let words: [String]
    let allowed: @Sendable (SourceText) -> Bool

    var testDescription: String { rule }

    /// Reflection, which fails in the release binary: that has neither the names of types nor those of members.
    private static let reflecting = [
      "Mirror", "Regex", "NSRegularExpression", "String(describing", "String(reflecting", "_typeName",
    ]

    static let all = [
      Privilege(
        rule: "only the clock reads time",
        words: ["clock_gettime", "gettimeofday", "ContinuousClock", "SuspendingClock", "Date()", "localtime_r"]
      ) { $0.path == "Sources/Platform/Clock.swift" },
      Privilege(rule: "only Diagnostics writes to standard error", words: ["standardError", "STDERR_FILENO"]) {
        // ProcessContext passes the descriptor on, and App gives it to Diagnostics.
        ["Diagnostics.swift", "ProcessContext.swift", "App.swift"].contains($0.name)
          || $0.path.hasPrefix("Sources/Platform/")
      },
      Privilege(rule: "nothing is printed without a writer", words: ["print", "debugPrint", "dump", "fputs", "perror"])
      {
        _ in false
      },
      Privilege(rule: "nothing traps by force", words: ["try!", "fatalError", "as!"]) { _ in false },
      Privilege(rule: "nothing uses reflection", words: Self.reflecting) { _ in false },
      Privilege(rule: "only the platform starts processes", words: ["posix_spawn", "vfork", "fork", "execve"]) {
        $0.path.hasPrefix("Sources/Platform/")
      },
    ]
  }

  @Test("A call that is reserved for one place is made nowhere else", arguments: Privilege.all)
  func privilege(_ privilege: Privilege) throws {
    let places = try SourceText.all(below: "Sources").filter { !privilege.allowed($0) }
      .flatMap { $0.places(of: privilege.words) }
    #expect(places.isEmpty, "\(privilege.rule):\n\(places.joined(separator: "\n"))")
  }

  @Test("Only one file sets libcurl's options")
  func setopt() throws {
    let files = try SourceText.all(below: "Sources", endings: [".swift", ".c", ".h"]).filter { source in
      source.codeLines.contains { $0.contains("CURLOPT_") }
    }
    #expect(files.count == 1, "\(files.map(\.path).joined(separator: ", "))")
  }
}
