/// An option that a tool with the same habits has.
package struct ForeignOption: Sendable {
  package let name: String
  package let short: UInt8?
  /// The flag that does most nearly the same, where the spelling does not lead to it.
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
    advice ?? (nearest ?? Suggestion.nearest(to: name.utf8, among: names)).map { "the nearest is \(dashes)\($0)" }
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
