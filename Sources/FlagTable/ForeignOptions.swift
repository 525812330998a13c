/// An option that a tool with the same habits has.
package struct ForeignOption: Sendable {
  /// One that ends in a hyphen stands for all that begin so.
  package let name: String
  package let short: UInt8?
  /// The flag that does most nearly the same, where the spelling does not lead to it; empty where none does, whatever
  /// the spelling leads to.
  package let nearest: String?
  /// What serves instead, where that is no flag: a hint.
  package let advice: String?

  package init(_ name: String, short: Unicode.Scalar? = nil, nearest: String? = nil, advice: String? = nil) {
    self.name = name
    self.short = short.map { UInt8(ascii: $0) }
    self.nearest = nearest
    self.advice = advice
  }

  /// - Parameters:
  ///   - names: of the flags, one of which may be spelt nearly so.
  ///   - dashes: before the name of a flag.
  func hint(among names: [String], dashes: String = "") -> String? {
    if advice == nil, nearest == "" { return nil }
    return advice
      ?? (nearest ?? Suggestion.nearest(to: name.utf8, among: names)).map { "the nearest is \(dashes)\($0)" }
  }

  func isNamed(_ spelling: ArraySlice<UInt8>) -> Bool {
    name.utf8.elementsEqual(name.utf8.last == UInt8(ascii: "-") ? spelling.prefix(name.utf8.count) : spelling)
  }
}

/// The options of another tool that are refused by name.
package struct ForeignOptions: Sendable {
  package let owner: String
  package let options: [ForeignOption]

  package init(of owner: String, _ options: [ForeignOption]) {
    self.owner = owner
    self.options = options
  }
}

extension [ForeignOptions] {
  /// The first option for which this holds, and whose it is.
  func first(where isMeant: (ForeignOption) -> Bool) -> (owner: String, option: ForeignOption)? {
    for tool in self {
      if let option = tool.options.first(where: isMeant) { return (tool.owner, option) }
    }
    return nil
  }
}
