import HTTPSemantics

/// A function that reads bytes which anyone may have written, with the properties that hold for any input.
package struct FuzzTarget: Sendable, CustomStringConvertible {
  /// The name of the target and of its directory of corpora.
  package let name: String
  /// The greatest length of an input in bytes: as long as needed, and no longer, because time grows with the length.
  package let longestInput: Int
  /// The greatest size of one allocation in MiB. A larger one is a crash.
  package let largestAllocation: Int
  private let property: @Sendable ([UInt8]) throws(Violation) -> Void

  package var description: String { name }

  init(
    _ name: String, longestInput: Int = 1_024, largestAllocation: Int = Self.usualAllocation,
    _ property: @escaping @Sendable ([UInt8]) throws(Violation) -> Void
  ) {
    self.name = name
    self.longestInput = longestInput
    self.largestAllocation = largestAllocation
    self.property = property
  }

  /// 1 MiB may be allocated before a checksum is verified. The few bytes that an array itself takes come on top.
  private static let usualAllocation = 2

  package func check(_ input: [UInt8]) throws(Violation) {
    try property(input)
  }

  /// All targets. Each consists of a file in this directory, a line here, and a directory of corpora with its name.
  package static let all: [FuzzTarget] = [
    .entry, .head, .directives, .selecting, .dates, .structured, .locations, .ranges, .message, .rules, .arguments,
    .config, .content, .texts, .warc, .har, .chunks, .disposition,
    .cookies, .netrc, .strictHosts, .alternatives,
  ]
}

extension FuzzTarget {
  static func target(at host: String, _ scheme: TargetURI.Scheme) -> TargetURI {
    TargetURI(origin: TargetURI.Origin(scheme: scheme, host: host, port: scheme.defaultPort), pathAndQuery: "/a/b?c")
  }
}

/// A property that does not hold.
package struct Violation: Error, Hashable, CustomStringConvertible {
  package let description: String

  init(_ description: String) {
    self.description = description
  }
}

/// Throws a violation with this sentence unless the condition holds.
func require(_ holds: Bool, _ sentence: @autoclosure () -> String) throws(Violation) {
  if !holds { throw Violation(sentence()) }
}

/// Checks that a text is not empty and has no control characters.
func checkLine(_ text: String) throws(Violation) {
  try require(!text.isEmpty, "a message is empty")
  let steers = text.unicodeScalars.contains { $0.properties.generalCategory == .control }
  try require(!steers, "a message holds control characters: \(text.debugDescription)")
}

/// The input, read from its front: the first bytes choose what is done with the rest.
struct FuzzInput {
  private(set) var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) {
    rest = bytes[...]
  }

  /// Returns the next byte; 0 at the end.
  mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

  mutating func number() -> UInt64 { (0..<8).reduce(0) { number, place in number | UInt64(byte()) << (8 * place) } }

  /// Returns the bytes before the next occurrence of `end`, and removes them together with it.
  mutating func take(until end: UInt8) -> ArraySlice<UInt8> {
    let taken = rest.prefix { $0 != end }
    rest = rest[taken.endIndex...].dropFirst()
    return taken
  }
}
