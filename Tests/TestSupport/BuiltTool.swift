import Glibc

/// Where the built tool and the project are.
package enum BuiltTool {
  /// `$GARNER_BINARY`, or else `garner` beside the running test bundle.
  package static let path = named ?? "\(directoryOfThisProcess)/garner"

  /// Whether it is another one than was built with the tests: an optimised one, which `make test-release` names.
  package static let isNamed = named != nil

  private static let named: String? = getenv("GARNER_BINARY").map { String(cString: $0) }

  /// The program that drives many runs of the tool; built with the tests.
  package static let herd = "\(directoryOfThisProcess)/herd"

  /// The origin of the demonstration, as a program; built with the tests.
  package static let origin = "\(directoryOfThisProcess)/origin"

  /// The library that injects faults when it is preloaded: the build puts it beside what it builds.
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
