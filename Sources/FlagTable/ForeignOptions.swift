/// An option that a tool with the same habits has.
package struct ForeignOption: Sendable {
  /// One that ends in a hyphen stands for all that begin so.
  package let name: String
  package let short: UInt8?
  package let substitute: Substitute

  /// What serves in its place.
  package enum Substitute: Sendable {
    /// The flag that does most nearly the same.
    case flag(String)
    /// What is no flag, as a hint.
    case advice(String)
    /// Whatever flag is spelt nearly so, where one is.
    case spelling
    /// Nothing, whatever is spelt nearly so.
    case nothing
  }

  package init(_ name: String, short: Unicode.Scalar? = nil, _ substitute: Substitute = .spelling) {
    self.name = name
    self.short = short.map { UInt8(ascii: $0) }
    self.substitute = substitute
  }

  /// - Parameters:
  ///   - names: of the flags, one of which may be spelt nearly so.
  ///   - dashes: before the name of a flag.
  func hint(among names: [String], dashes: String = "") -> String? {
    switch substitute {
    case .flag(let flag): "the nearest is \(dashes)\(flag)"
    case .advice(let advice): advice
    case .spelling: Suggestion.nearest(to: name.utf8, among: names).map { "the nearest is \(dashes)\($0)" }
    case .nothing: nil
    }
  }

  func isNamed(_ spelling: ArraySlice<UInt8>) -> Bool {
    name.utf8.elementsEqual(name.utf8.last == .hyphen ? spelling.prefix(name.utf8.count) : spelling)
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
