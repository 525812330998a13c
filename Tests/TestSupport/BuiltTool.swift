import Glibc

/// The paths of the built tool, of the programs built with it, and of the project.
package enum BuiltTool {
  /// `$GARNER_BINARY`, or else `garner` beside the running test bundle.
  package static let path = named ?? "\(directoryOfThisProcess)/garner"

  /// Whether `$GARNER_BINARY` names another tool than the one built with the tests: `make test-release` names an
  /// optimised one.
  package static let isNamed = named != nil

  private static let named: String? = getenv("GARNER_BINARY").map { String(cString: $0) }

  /// The program that drives many runs of the tool; built with the tests.
  package static let herd = "\(directoryOfThisProcess)/herd"

  /// The program that serves as the origin of the demonstration; built with the tests.
  package static let origin = "\(directoryOfThisProcess)/origin"

  /// The library that injects faults when it is preloaded. The build puts it beside the programs.
  package static var faultShimPath: String { "\(directoryOfThisProcess)/libFaultShim.so" }

  /// The root of the package.
  package static let projectRoot: String = {
    // Tests/TestSupport/BuiltTool.swift
    let parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
    return parts.dropLast(3).joined(separator: "/")
  }()

  private static let directoryOfThisProcess: String = {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    let path = String(decoding: buffer.prefix(max(count, 0)).map(UInt8.init(bitPattern:)), as: UTF8.self)
    return path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
  }()
}
