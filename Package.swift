// swift-tools-version: 6.2
import PackageDescription

// The targets, and what each may import (docs/architecture.md). A target imports nothing but what is listed here:
// builds run with `--explicit-target-dependency-import-check error`.

let swiftSettings: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

let cSettings: [CSetting] = [
  .treatAllWarnings(as: .error),
  .enableWarning("all"),
  .enableWarning("extra"),
]

// Leaves out the import of the Regex library that the compiler adds by itself, so that no String method of that library
// is used by accident: one such call links 1.3 MB that every start pays for.
let sourceSettings =
  swiftSettings + [.unsafeFlags(["-Xfrontend", "-disable-implicit-string-processing-module-import"])]

enum Aim {
  case speed, size
}

// In a release, targets that a run of 2,000 hits goes through are compiled for speed, the others for size, because the
// binary may have 8 MB.
func room(_ name: String, _ dependencies: [Target.Dependency] = [], for aim: Aim = .speed) -> Target {
  let smaller: [SwiftSetting] = aim == .size ? [.unsafeFlags(["-Osize"], .when(configuration: .release))] : []
  return .target(name: name, dependencies: dependencies, swiftSettings: sourceSettings + smaller)
}

func cRoom(_ name: String, linked: [LinkerSetting] = []) -> Target {
  .target(name: name, cSettings: cSettings, linkerSettings: linked)
}

// Tests have no debug information, which takes a tenth of the time to build them: they tell by themselves where they
// fail.
func tests(_ name: String, _ dependencies: [Target.Dependency], excluding data: [String] = []) -> Target {
  .testTarget(
    name: name, dependencies: dependencies, exclude: data,
    swiftSettings: swiftSettings + [.unsafeFlags(["-Xfrontend", "-gnone"])])
}

let package = Package(
  name: "garner",
  products: [
    .executable(name: "garner", targets: ["garner"]),
    .executable(name: "garner-transport", targets: ["garner-transport"]),
    .executable(name: "garner-idn", targets: ["garner-idn"]),
    .executable(name: "garner-psl", targets: ["garner-psl"]),
    // Preloaded into garner by Tests/Torture.
    .library(name: "FaultShim", type: .dynamic, targets: ["FaultShim"]),
  ],
  targets: [
    // Rules: nothing but the standard library.
    room("HTTPSemantics"),
    room("HTTPCaching", ["HTTPSemantics"]),

    // Effects.
    cRoom("CPlatform"),
    // Optimised in debug builds too: tests hash megabytes.
    .target(name: "CHash", cSettings: cSettings + [.unsafeFlags(["-O2"])]),
    room("Platform", ["CPlatform"]),
    room("CacheStore", ["HTTPCaching", "HTTPSemantics", "Platform", "CHash"]),
    cRoom("CCurl"),
    cRoom("CTransport"),
    room("Transport", ["HTTPSemantics", "CTransport", "CCurl", "Platform"]),
    .executableTarget(
      name: "garner-transport", dependencies: ["CTransport"], cSettings: cSettings,
      linkerSettings: [.linkedLibrary("curl"), .linkedLibrary("nghttp2")]),
    .executableTarget(name: "garner-idn", cSettings: cSettings, linkerSettings: [.linkedLibrary("idn2")]),
    .executableTarget(name: "garner-psl", cSettings: cSettings, linkerSettings: [.linkedLibrary("psl")]),
    cRoom(
      "CCodings",
      linked: [
        // Static archives, so that a hit that decodes nothing maps no further library.
        .unsafeFlags(["-l:libz.a", "-l:libbrotlidec.a", "-l:libbrotlicommon.a", "-l:libzstd.a"])
      ]),
    room("ContentCoding", ["CCodings"], for: .size),
    cRoom("CDigest", linked: [.unsafeFlags(["-l:libcrypto.a"])]),
    room("Digests", ["CDigest"], for: .size),
    cRoom("CJSON", linked: [.unsafeFlags(["-l:libyajl_s.a"])]),
    room("Archives", ["HTTPSemantics", "Platform", "ContentCoding", "Digests", "CJSON"], for: .size),

    // The command line.
    room("FlagTable", for: .size),
    room("Interface", ["FlagTable", "HTTPCaching", "HTTPSemantics"], for: .size),

    // Where rules and effects meet.
    room(
      "Client",
      [
        "Interface", "FlagTable", "CacheStore", "HTTPCaching", "HTTPSemantics", "Platform", "Transport",
        "ContentCoding", "Digests", "Archives",
      ]),
    .executableTarget(
      name: "garner", dependencies: ["Client"],
      swiftSettings: sourceSettings),

    // Tests.
    .target(name: "CTestSupport", path: "Tests/CTestSupport", cSettings: cSettings),
    .target(
      name: "TestSupport", dependencies: ["CTestSupport"], path: "Tests/TestSupport", swiftSettings: swiftSettings),
    // Apart from TestSupport, which programs use as well, because it needs the testing library.
    .target(
      name: "TestTraits", dependencies: ["TestSupport"], path: "Tests/TestTraits", swiftSettings: swiftSettings),
    .executableTarget(
      name: "origin", dependencies: ["TestSupport"], path: "Tests/Origin", swiftSettings: swiftSettings),
    .target(name: "FaultShim", path: "Tests/FaultShim", cSettings: cSettings),
    .executableTarget(
      name: "torture",
      dependencies: ["TestSupport", "CTestSupport", "CacheStore", "HTTPCaching", "HTTPSemantics", "Platform"],
      path: "Tests/Torture",
      // Optimised, because it compares some gigabytes.
      swiftSettings: swiftSettings + [.unsafeFlags(["-O"])]),
    .target(
      name: "FuzzTargets",
      dependencies: [
        "Client", "Interface", "FlagTable", "CacheStore", "HTTPCaching", "HTTPSemantics", "Platform", "Transport",
        "ContentCoding", "Archives", "TestSupport",
      ], path: "Tests/Fuzz/Targets", swiftSettings: swiftSettings),
    .executableTarget(
      name: "fuzz", dependencies: ["FuzzTargets", "TestSupport"], path: "Tests/Fuzz/Runner",
      swiftSettings: swiftSettings),
    .executableTarget(
      name: "herd", dependencies: ["TestSupport", "CTestSupport"], path: "Tests/Herd", swiftSettings: swiftSettings),
    tests("FuzzTests", ["FuzzTargets", "TestSupport"]),
    .executableTarget(
      name: "store-maker", dependencies: ["CacheStore", "HTTPCaching", "HTTPSemantics", "Platform", "TestSupport"],
      path: "Tests/StoreMaker", swiftSettings: swiftSettings),
    tests("HTTPSemanticsTests", ["HTTPSemantics", "TestTraits"]),
    tests("HTTPCachingTests", ["HTTPCaching", "HTTPSemantics", "TestSupport", "TestTraits"]),
    tests("PlatformTests", ["Platform", "CTestSupport", "TestSupport"]),
    tests(
      "CacheStoreTests", ["CacheStore", "HTTPCaching", "HTTPSemantics", "Platform", "CTestSupport", "TestSupport"]),
    tests("TransportTests", ["Transport", "CTransport", "HTTPSemantics", "Platform", "TestSupport"]),
    tests("ContentCodingTests", ["ContentCoding", "CCodings"]),
    tests("DigestsTests", ["Digests"]),
    tests("ArchivesTests", ["Archives", "ContentCoding", "Digests", "HTTPSemantics", "Platform"]),
    tests("FlagTableTests", ["FlagTable", "TestSupport"]),
    tests("InterfaceTests", ["Interface", "FlagTable", "HTTPCaching", "HTTPSemantics", "TestSupport"]),
    tests(
      "ScenarioTests",
      [
        "Client", "Interface", "FlagTable", "CacheStore", "HTTPCaching", "HTTPSemantics", "Platform", "Transport",
        "ContentCoding", "Archives", "CTestSupport", "TestSupport", "TestTraits",
      ], excluding: ["Messages/messages.txt"]),
    tests("ConformanceTests", ["TestSupport"], excluding: ["expected.txt"]),
    tests("ToolTests", ["TestSupport", "TestTraits"]),
    tests("TidyTests", ["TestSupport"]),
  ],
  swiftLanguageModes: [.v6],
  cLanguageStandard: .gnu17
)
