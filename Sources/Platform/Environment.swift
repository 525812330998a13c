import CPlatform
import Glibc

/// The environment of a process as a value: names and values are bytes.
package struct Environment: Equatable, Sendable {
  /// Each as `NAME=VALUE`, in the order received: a run looks up only a handful, so they are not sorted first.
  package let variables: [[UInt8]]

  /// Whether the process has more rights than the user who started it. Then no path may be taken from the environment.
  ///
  /// The corresponding C constant is `AT_SECURE`.
  package let isSecureExecution: Bool

  package init(_ variables: [String: String], isSecureExecution: Bool = false) {
    self.init(variables: variables.map { Array("\($0.key)=\($0.value)".utf8) }, isSecureExecution: isSecureExecution)
  }

  private init(variables: [[UInt8]], isSecureExecution: Bool) {
    self.variables = variables
    self.isSecureExecution = isSecureExecution
  }

  /// The environment that this process was started with.
  package static var ofProcess: Environment {
    Environment(
      variables: byteStrings(endingWithNull: cplatform_environment()),
      isSecureExecution: cplatform_is_secure_execution() != 0)
  }

  /// Returns the value as getenv does: the first variable of that name counts.
  package subscript(bytes name: String) -> [UInt8]? {
    let name = name.utf8
    for variable in variables
    where variable.count > name.count && variable[name.count] == UInt8(ascii: "=") && variable.starts(with: name) {
      return Array(variable[(name.count + 1)...])
    }
    return nil
  }

  /// The value with bytes that are not UTF-8 replaced.
  package subscript(name: String) -> String? {
    self[bytes: name].map { String(decoding: $0, as: UTF8.self) }
  }

  /// Returns the variables whose names begin with `prefix`, each as `NAME=VALUE`; none if no path may be taken from the
  /// environment.
  package func variables(beginningWith prefix: String) -> [[UInt8]] {
    var found: [[UInt8]] = []
    if isSecureExecution { return found }
    let prefix = prefix.utf8
    for variable in variables where variable.starts(with: prefix) { found.append(variable) }
    return found
  }

  /// The value as a path: `nil` if it is absent or empty, or if no path may be taken from the environment.
  package func path(_ name: String) -> Path? {
    guard !isSecureExecution, let value = self[bytes: name] else { return nil }
    return Path(value)
  }
}

/// The command-line arguments without the name of the program.
package enum Arguments {
  /// The arguments as bytes: `CommandLine.arguments` replaces bytes that are not UTF-8.
  package static var ofProcess: [[UInt8]] {
    // From the C library: `CommandLine.unsafeArgv` reads /proc/self/maps to find them.
    guard let arguments = cplatform_arguments(), arguments.pointee != nil else { return [] }
    return byteStrings(endingWithNull: arguments + 1)
  }

  /// Overwrites `value` at the end of each argument that ends with it, so that the kernel does not show it to other
  /// users (proc_pid_cmdline(5)).
  ///
  /// - Parameter prefix: the number of bytes at the start of the value that stay.
  package static func conceal(_ value: [UInt8], keeping prefix: Int) {
    guard let arguments = cplatform_arguments(), prefix < value.count else { return }
    var next = arguments
    while let argument = next.pointee {
      next += 1
      let rest = strlen(argument) - value.count
      guard next > arguments + 1, rest >= 0, memcmp(argument + rest, value, value.count) == 0 else { continue }
      memset(argument + rest + prefix, Int32(UInt8(ascii: "*")), value.count - prefix)
    }
  }
}

private func byteStrings(endingWithNull strings: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> [[UInt8]] {
  var copies: [[UInt8]] = []
  var next = strings
  while let string = next.pointee {
    copies.append(Array(UnsafeRawBufferPointer(start: string, count: strlen(string))))
    next += 1
  }
  return copies
}
