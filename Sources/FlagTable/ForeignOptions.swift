/// An option of a similar tool that this program does not have.
package struct ForeignOption: Sendable {
  /// A name that ends in a hyphen stands for all names that begin with it.
  package let name: String
  package let short: UInt8?
  package let substitute: Substitute

  /// What the hint suggests in its place.
  package enum Substitute: Sendable {
    /// The flag with the closest effect.
    case flag(String)
    /// Something that is no flag, as the text of the hint.
    case advice(String)
    /// The flag with the closest spelling, if one is close enough.
    case spelling
    /// Nothing, even if a flag has a close spelling.
    case nothing
  }

  package init(_ name: String, short: Unicode.Scalar? = nil, _ substitute: Substitute = .spelling) {
    self.name = name
    self.short = short.map { UInt8(ascii: $0) }
    self.substitute = substitute
  }

  /// Returns the hint for this option; `nil` if there is none.
  ///
  /// - Parameters:
  ///   - names: the names of the flags, with which its spelling is compared.
  ///   - dashes: what stands before the name of a flag in the hint.
  ///   - isThere: whether there is an option that is typed like this. A hint names no other.
  func hint(
    among names: [String], dashes: String = "", where isThere: (_ spelling: String) -> Bool = { _ in true }
  ) -> String? {
    switch substitute {
    case .flag(let flag): isThere("--" + flag) ? "the nearest is \(dashes)\(flag)" : nil
    case .advice(let advice): Self.options(in: advice).allSatisfy(isThere) ? advice : nil
    case .spelling: Suggestion.nearest(to: name.utf8, among: names).map { "the nearest is \(dashes)\($0)" }
    case .nothing: nil
    }
  }

  /// Returns the options that a text names, as they are typed.
  private static func options(in text: String) -> [String] {
    let words = text.utf8.split { !$0.isOfName }
    return words.filter { $0.first == .hyphen && $0.count > 1 }.map { String(decoding: $0, as: UTF8.self) }
  }

  func isNamed(_ spelling: ArraySlice<UInt8>) -> Bool {
    name.utf8.elementsEqual(name.utf8.last == .hyphen ? spelling.prefix(name.utf8.count) : spelling)
  }
}

/// The options of another tool that are known here, so that they are refused with that tool's name and a hint.
package struct ForeignOptions: Sendable {
  package let owner: String
  package let options: [ForeignOption]

  package init(of owner: String, _ options: [ForeignOption]) {
    self.owner = owner
    self.options = options
  }
}

extension [ForeignOptions] {
  /// Returns the first option that meets the condition, and the tool that has it.
  func first(where isMeant: (ForeignOption) -> Bool) -> (owner: String, option: ForeignOption)? {
    for tool in self {
      if let option = tool.options.first(where: isMeant) { return (tool.owner, option) }
    }
    return nil
  }
}
