/// A door at which bytes come in that anybody may have written, and what holds whatever they are.
package struct FuzzTarget: Sendable, CustomStringConvertible {
  /// Also that of its directory of corpora.
  package let name: String
  /// In bytes: as long as what is looked for needs, and no longer, because time goes with the length.
  package let longestInput: Int
  /// What one allocation may take, in MiB: more is a crash.
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

  /// 1 MiB is what may be allocated before a sum has been checked; an array's own few bytes come on top.
  private static let usualAllocation = 2

  package func check(_ input: [UInt8]) throws(Violation) {
    try property(input)
  }

  /// A target is a file of this directory, a line here, and a directory of corpora with its name.
  package static let all: [FuzzTarget] = [
    .entry, .head, .directives, .selecting, .dates, .structured, .locations, .ranges, .message, .rules, .arguments,
    .config, .content, .texts, .warc, .har, .chunks, .disposition,
    .cookies, .netrc, .strictHosts, .alternatives,
  ]
}

/// Something that ought to hold and does not.
package struct Violation: Error, Hashable, CustomStringConvertible {
  package let description: String

  init(_ description: String) {
    self.description = description
  }
}

/// Says what does not hold.
func require(_ holds: Bool, _ sentence: @autoclosure () -> String) throws(Violation) {
  if !holds { throw Violation(sentence()) }
}

/// One line, of which nothing steers a terminal.
func checkLine(_ text: String) throws(Violation) {
  try require(!text.isEmpty, "a message is empty")
  let steers = text.unicodeScalars.contains { $0.properties.generalCategory == .control }
  try require(!steers, "a message holds control characters: \(text.debugDescription)")
}

/// The input from its front: the first bytes choose what is done with the rest.
struct FuzzInput {
  private(set) var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) {
    rest = bytes[...]
  }

  /// 0 where nothing is left.
  mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

  mutating func number() -> UInt64 { (0..<8).reduce(0) { number, place in number | UInt64(byte()) << (8 * place) } }

  /// What stands before the next of these bytes, which is taken too.
  mutating func take(until end: UInt8) -> ArraySlice<UInt8> {
    let taken = rest.prefix { $0 != end }
    rest = rest[taken.endIndex...].dropFirst()
    return taken
  }
}
