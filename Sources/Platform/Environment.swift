import CPlatform
import Glibc

/// The environment of a process as a value: names and values are bytes.
package struct Environment: Hashable, Sendable {
  private let variables: [[UInt8]: [UInt8]]

  /// Whether the process has more rights than who started it: then no path may be taken from the environment.
  ///
  /// The corresponding C constant is `AT_SECURE`.
  package let isSecureExecution: Bool

  package init(_ variables: [String: String], isSecureExecution: Bool = false) {
    var bytes: [[UInt8]: [UInt8]] = [:]
    for (name, value) in variables { bytes[Array(name.utf8)] = Array(value.utf8) }
    self.init(bytes: bytes, isSecureExecution: isSecureExecution)
  }

  package init(bytes variables: [[UInt8]: [UInt8]], isSecureExecution: Bool = false) {
    self.variables = variables
    self.isSecureExecution = isSecureExecution
  }

  /// What this process was started with.
  package static var ofProcess: Environment {
    var variables: [[UInt8]: [UInt8]] = [:]
    var next = environ
    while let variable = next.pointee {
      let bytes = UnsafeRawBufferPointer(start: variable, count: strlen(variable))
      if let equals = bytes.firstIndex(of: UInt8(ascii: "=")) {
        let name = Array(bytes[..<equals])
        // As getenv: the first of that name counts.
        if variables[name] == nil { variables[name] = Array(bytes[(equals + 1)...]) }
      }
      next += 1
    }
    return Environment(bytes: variables, isSecureExecution: cplatform_is_secure_execution() != 0)
  }

  package subscript(bytes name: String) -> [UInt8]? {
    variables[Array(name.utf8)]
  }

  /// The value with bytes that are not UTF-8 replaced.
  package subscript(name: String) -> String? {
    self[bytes: name].map { String(decoding: $0, as: UTF8.self) }
  }

  /// The value as a path: `nil` where it is absent or empty, or where no path may be taken from the environment.
  package func path(_ name: String) -> Path? {
    guard !isSecureExecution, let value = self[bytes: name] else { return nil }
    return Path(value)
  }

  /// All names and values, in no order.
  package var all: [(name: [UInt8], value: [UInt8])] {
    variables.map { ($0.key, $0.value) }
  }
}

/// What was typed after the name of the program.
package enum Arguments {
  /// The arguments as bytes: `CommandLine.arguments` repairs what is not UTF-8.
  package static var ofProcess: [[UInt8]] {
    var arguments: [[UInt8]] = []
    for index in 1..<max(1, Int(CommandLine.argc)) {
      guard let argument = CommandLine.unsafeArgv[index] else { break }
      arguments.append(Array(UnsafeRawBufferPointer(start: argument, count: strlen(argument))))
    }
    return arguments
  }
}
